package figures

import (
	"slices"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

func (b *builder) journal(amended AmendedLog) *Journal {
	x := &Journal{Retired: make(map[string]*catalog.LogEntry)}
	ending := make(map[string]bool)
	var entries []*catalog.LogEntry
	end := func() {
		if len(entries) > 0 {
			x.Editions = append(x.Editions, newJournalEdition(entries, amended))
			entries = entries[:0]
		}
	}
	for e := range b.snapshot.RecentChanges() {
		b.throttle.Pause()
		if amended.Void(e) || e.Repeats() {
			continue
		}
		if len(entries) > 0 && entries[0].Edition != e.Edition {
			end()
		}
		entries = append(entries, e)
		switch e.Type {
		case catalog.ToolCreated:
			x.Created = append(x.Created, e)
		case catalog.ToolRetired:
			if slug := b.snapshot.ToolSlug(e.Slug); x.Retired[slug] == nil {
				x.Retired[slug] = e
			}
		case catalog.ToolEnding:
			if slug := b.snapshot.ToolSlug(e.Slug); !ending[slug] {
				ending[slug] = true
				x.Endings = append(x.Endings, e)
			}
		default:
		}
	}
	end()
	if n := len(x.Editions); n > 0 {
		x.Begins = x.Editions[n-1].First
	}
	return x
}

// maxToolChanges is how many changes a ToolLog lists.
const maxToolChanges = 5

// A ToolLog is the part of the change log about a tool.
type ToolLog struct {
	Created catalog.Date        // "" when the log no longer has it
	Last    []*catalog.LogEntry // created, updated or renamed, newest first, at most maxToolChanges
}

// toolLogs groups the end of the change log by tool, under its present slug. It leaves out
// price.changed, since the tool.updated published with it says the same.
func (b *builder) toolLogs(amended AmendedLog) map[string]ToolLog {
	logs := make(map[string]ToolLog)
	for e := range b.snapshot.RecentChanges() {
		b.throttle.Pause()
		told := e.Type == catalog.ToolCreated || e.Type == catalog.ToolUpdated || e.Type == catalog.ToolRenamed
		if !told || e.Repeats() || amended.Void(e) {
			continue
		}
		slug := b.snapshot.ToolSlug(e.Slug)
		l := logs[slug]
		if e.Type == catalog.ToolCreated && l.Created == "" {
			l.Created = catalog.DateOf(e.At)
		}
		if len(l.Last) < maxToolChanges {
			l.Last = append(l.Last, e)
		}
		logs[slug] = l
	}
	return logs
}

// maxMoves is how many changes of each sort a CategoryLog lists.
const maxMoves = 5

// A CategoryLog is the part of the change log about a category after the catalog's first edition,
// newest first, without items that are gone.
type CategoryLog struct {
	Prices []*catalog.LogEntry // price changes, one for each tool
	Others []*catalog.LogEntry // new tools, changed scores and new comparisons
}

// categoryLogs groups the end of the change log by category.
func (b *builder) categoryLogs(amended AmendedLog) map[string]CategoryLog {
	logs := make(map[string]CategoryLog)
	for e := range b.snapshot.RecentChanges() {
		b.throttle.Pause()
		if e.Edition <= 1 { // everything is new in the first edition
			break
		}
		if e.Repeats() {
			continue
		}
		switch e.Type {
		case catalog.ToolCreated, catalog.ToolUpdated, catalog.ToolRenamed, catalog.PriceChanged:
			if t, ok := b.snapshot.Tool(b.snapshot.ToolSlug(e.Slug)); ok {
				logs[t.Category] = logs[t.Category].addTool(e, amended, b.snapshot)
			}
		case catalog.ComparisonPublished:
			m, ok := b.snapshot.Comparison(b.snapshot.ComparisonSlug(e.Slug))
			if !ok {
				continue
			}
			logs[m.A.Category] = logs[m.A.Category].addOther(e)
			if m.B.Category != m.A.Category {
				logs[m.B.Category] = logs[m.B.Category].addOther(e)
			}
		default: // the page of a category does not show it
		}
	}
	return logs
}

func (l CategoryLog) addTool(e *catalog.LogEntry, amended AmendedLog, s *catalog.Snapshot) CategoryLog {
	before, after := amended.Scores(e)
	switch {
	case e.Type == catalog.PriceChanged:
		if _, moved := amended.Repriced(e); !moved {
			return l
		}
		same := func(x *catalog.LogEntry) bool { return s.ToolSlug(x.Slug) == s.ToolSlug(e.Slug) }
		if len(l.Prices) < maxMoves && !slices.ContainsFunc(l.Prices, same) {
			l.Prices = append(l.Prices, e)
		}
	case e.Type == catalog.ToolCreated, before != after:
		return l.addOther(e)
	}
	return l
}

func (l CategoryLog) addOther(e *catalog.LogEntry) CategoryLog {
	if len(l.Others) < maxMoves {
		l.Others = append(l.Others, e)
	}
	return l
}

// maxWeek is how many changes of each sort a Week lists.
const maxWeek = 3

// A Week has the newest changes of the last seven days, including today, to tools that still exist,
// and the last retirement.
type Week struct {
	Repriced []RepricedTool // each tool once, with its newest change
	Created  []*catalog.Tool
	Dead     *catalog.Retired // the last one retired in the week; nil for none
}

// A RepricedTool is a tool whose price changed, and the day.
type RepricedTool struct {
	Tool *catalog.Tool
	On   catalog.Date
}

func (b *builder) week(amended AmendedLog) Week {
	var w Week
	since := b.today.Time().Add(-6 * 24 * time.Hour)
	newest := catalog.CemeteryQuery{Paging: catalog.Paging{Page: 1, Limit: 1}}
	for _, r := range b.snapshot.Cemetery(newest).Items {
		if !r.RetiredAt.Time().Before(since) {
			w.Dead = r
		}
	}
	for e := range b.snapshot.RecentChanges() {
		if e.At.Before(since) {
			break
		}
		b.throttle.Pause()
		t, living := b.snapshot.Tool(b.snapshot.ToolSlug(e.Slug))
		switch {
		case !living || e.Repeats():
		case e.Type == catalog.PriceChanged:
			again := slices.ContainsFunc(w.Repriced, func(r RepricedTool) bool { return r.Tool == t })
			if on, moved := amended.Repriced(e); moved && !again && len(w.Repriced) < maxWeek {
				w.Repriced = append(w.Repriced, RepricedTool{t, on})
			}
		case e.Type == catalog.ToolCreated && len(w.Created) < maxWeek:
			w.Created = append(w.Created, t)
		}
	}
	return w
}
