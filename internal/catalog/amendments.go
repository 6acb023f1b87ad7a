package catalog

import "slices"

// An Amendment is what the log says of an entry that later ones correct, or that corrects earlier ones.
type Amendment struct {
	Price, Score Standing
}

// Standing says what became of what an entry tells of a price or a score.
type Standing struct {
	// By is the newest entry that corrects it: what the entry told was mistaken. nil while it stands.
	By *LogEntry
	// Corrects says that the entry corrects others, and From is the oldest of these; nil when the log
	// no longer has it.
	Corrects bool
	From     *LogEntry
}

// Amendments tells of the entries of the log, as far as the snapshot has it, that correct others or
// are corrected, by number. Most logs have none.
func (s *Snapshot) Amendments() map[int64]*Amendment {
	slugs := make(map[string][]*LogEntry) // the entries about an item that one of them corrects
	for _, e := range s.log {
		if e.Correction > 0 {
			slugs[e.Slug] = nil
		}
	}
	if len(slugs) == 0 {
		return nil
	}
	for _, e := range s.log {
		if entries, corrected := slugs[e.Slug]; corrected {
			slugs[e.Slug] = append(entries, e)
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

type amender struct{ bySeq map[int64]*Amendment }

func (a amender) of(e *LogEntry) *Amendment {
	if a.bySeq[e.Seq] == nil {
		a.bySeq[e.Seq] = new(Amendment)
	}
	return a.bySeq[e.Seq]
}

// movesScore reports whether a correcting entry corrects a score: a tool.updated may correct a price
// alone, which the price.changed after it does.
func movesScore(e *LogEntry) bool {
	before, after := e.Scores()
	return e.Type == ComparisonUpdated || e.Type == ToolUpdated && before != after
}

// from finds what an entry corrects among those before it about the same item.
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
		if update := besides(before, e); update != nil {
			a.of(update).Price = a.of(e).Price
		}
	case movesScore(e):
		a.of(e).Score = root(func(x *Amendment) *Standing { return &x.Score })
	}
}

// besides is the tool.updated that a price.changed comes with: the entry right before it.
func besides(before []*LogEntry, e *LogEntry) *LogEntry {
	if n := len(before); n > 0 && before[n-1].Type == ToolUpdated && before[n-1].Seq == e.Seq-1 {
		return before[n-1]
	}
	return nil
}

// by marks what an entry corrects. Of prices that is all from the entry it names: between the two
// there are only slips that were taken back.
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
			if update := besides(before[:i], x); x.Type == PriceChanged && update != nil {
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
