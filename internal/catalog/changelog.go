package catalog

import (
	"iter"
	"slices"
	"strings"
	"time"
)

// Cursor returns the end of the change log as of the snapshot's edition, even if the log no longer
// has its last entry.
func (s *Snapshot) Cursor() Cursor { return s.logEnd }

// ChangesSince returns the entries after a cursor, oldest first. Callers must not modify the list.
// held is false if the snapshot cannot tell: the entries are older than those it keeps or newer
// than its edition, or the cursor is of another history.
func (s *Snapshot) ChangesSince(c Cursor) (entries []*LogEntry, held bool) {
	before := s.logEnd.Seq - int64(len(s.log)) // the entry before the first that is kept
	switch {
	case c == s.logEnd:
		return nil, true
	case c.Seq < before || c.Seq > s.logEnd.Seq:
		return nil, false
	case c.Edition != "" && (c.Seq == before || s.log[c.Seq-before-1].Cursor() != c):
		return nil, false
	}
	return s.log[c.Seq-before:], true
}

// CursorBefore returns the cursor right before the first entry of the log at or after a time. held is
// false if the snapshot cannot tell: that entry may be older than those it keeps.
func (s *Snapshot) CursorBefore(t time.Time) (c Cursor, held bool) {
	i, _ := slices.BinarySearchFunc(s.log, t, func(e *LogEntry, t time.Time) int { return e.At.Compare(t) })
	if i == 0 {
		return Cursor{}, s.HoldsLog()
	}
	return s.log[i-1].Cursor(), true
}

// LogLength returns how many of the last entries of the change log the snapshot has.
func (s *Snapshot) LogLength() int { return len(s.log) }

// HoldsLog reports whether the snapshot has the change log from its very beginning.
func (s *Snapshot) HoldsLog() bool { return s.logEnd.Seq == int64(len(s.log)) }

// LastChange returns the number of the last log entry as of the snapshot's edition.
func (s *Snapshot) LastChange() int64 { return s.logEnd.Seq }

// RecentChanges yields the end of the change log, newest first: at least 1,000 entries, or all that
// the log has.
func (s *Snapshot) RecentChanges() iter.Seq[*LogEntry] {
	return func(yield func(*LogEntry) bool) {
		for _, e := range slices.Backward(s.log) {
			if !yield(e) {
				return
			}
		}
	}
}

// An Amendment relates an entry of the log to the entries that correct it and to those it corrects.
type Amendment struct {
	Price, Score Standing
}

// Standing is the price part or the score part of an Amendment.
type Standing struct {
	// By is the newest entry that corrects this one; nil while it stands.
	By *LogEntry
	// Corrects reports whether the entry corrects others. From is the oldest of these; nil if the
	// log no longer has it.
	Corrects bool
	From     *LogEntry
}

// Amendments returns, by number, the amendments of all entries that correct others or are
// corrected, as far as the snapshot has the log. Most logs have none.
func (s *Snapshot) Amendments() map[int64]*Amendment {
	slugs := make(map[string][]*LogEntry) // by present slug, the entries about each item that has a correction
	for _, e := range s.log {
		if e.Correction > 0 {
			slugs[s.slugNow(e)] = nil
		}
	}
	if len(slugs) == 0 {
		return nil
	}
	for _, e := range s.log {
		slug := s.slugNow(e)
		if entries, corrected := slugs[slug]; corrected {
			slugs[slug] = append(entries, e)
		}
	}
	a := amender{make(map[int64]*Amendment)}
	for _, entries := range slugs {
		for i, e := range entries { // the oldest first: From
			a.from(entries[:i], e)
		}
		for i, e := range slices.Backward(entries) { // the newest first: By
			a.by(entries[:i], e)
		}
	}
	return a.bySeq
}

// slugNow returns the present slug of the item that an entry is about.
func (s *Snapshot) slugNow(e *LogEntry) string {
	if strings.HasPrefix(string(e.Type), "comparatif.") {
		return s.ComparisonSlug(e.Slug)
	}
	return s.ToolSlug(e.Slug)
}

type amender struct{ bySeq map[int64]*Amendment }

func (a amender) of(e *LogEntry) *Amendment {
	if a.bySeq[e.Seq] == nil {
		a.bySeq[e.Seq] = new(Amendment)
	}
	return a.bySeq[e.Seq]
}

// movesScore reports whether a correcting entry corrects a score. A tool.updated may correct a
// price alone; the price.changed after it then holds that correction.
func movesScore(e *LogEntry) bool {
	before, after := e.Scores()
	return e.Type == ComparisonUpdated || e.Type == ComparisonRenamed || (e.Type == ToolUpdated || e.Type == ToolRenamed) && before != after
}

// from records which of the earlier entries about the same item an entry corrects.
func (a amender) from(before []*LogEntry, e *LogEntry) {
	root := func(standing func(*Amendment) *Standing) Standing {
		i := slices.IndexFunc(before, func(x *LogEntry) bool { return x.Seq == e.Correction })
		if i < 0 {
			return Standing{Corrects: true}
		}
		from := before[i]
		if x := a.bySeq[from.Seq]; x != nil && standing(x).Corrects {
			from = standing(x).From
		}
		return Standing{Corrects: true, From: from}
	}
	switch {
	case e.Correction == 0:
	case e.Type == PriceChanged:
		a.of(e).Price = root(func(x *Amendment) *Standing { return &x.Price })
		if update := updateOf(before, e); update != nil {
			a.of(update).Price = a.of(e).Price
		}
	case movesScore(e):
		a.of(e).Score = root(func(x *Amendment) *Standing { return &x.Score })
	}
}

// updateOf returns the tool.updated that a price.changed belongs to: the entry right before it. If
// the tool was renamed, it is the tool.renamed, with only entries that repeat the rename in
// between.
func updateOf(before []*LogEntry, e *LogEntry) *LogEntry {
	for _, x := range slices.Backward(before) {
		switch {
		case x.Edition != e.Edition:
			return nil
		case x.Type == ToolUpdated && x.Seq == e.Seq-1 || x.Type == ToolRenamed:
			return x
		case !x.Repeats():
			return nil
		}
	}
	return nil
}

// by marks the entries that an entry corrects. For prices these are all entries from the one it
// names on, because all between the two are mistakes that were taken back.
func (a amender) by(before []*LogEntry, e *LogEntry) {
	switch {
	case e.Correction == 0:
	case e.Type == PriceChanged:
		by := a.of(e).Price.By
		if by == nil {
			by = e
		}
		for i, x := range before {
			named := x.Seq == e.Correction
			if x.Seq < e.Correction || x.Type != PriceChanged && !named {
				continue
			}
			mark(&a.of(x).Price, by)
			if update := updateOf(before[:i], x); x.Type == PriceChanged && update != nil {
				mark(&a.of(update).Price, by)
			}
		}
	case movesScore(e):
		by := a.of(e).Score.By
		if by == nil {
			by = e
		}
		for _, x := range before {
			if x.Seq == e.Correction {
				mark(&a.of(x).Score, by)
			}
		}
	}
}

func mark(s *Standing, by *LogEntry) {
	if s.By == nil {
		s.By = by
	}
}
