package figures

import (
	"slices"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// maxMoves is how many moves of each sort are kept for a category.
const maxMoves = 5

// A CategoryLog is what the change log says of a category since its first edition, newest first,
// about what is still there.
type CategoryLog struct {
	Prices []*catalog.LogEntry // that changed, one for each tool
	Others []*catalog.LogEntry // tools that came or got another score, comparisons that came
}

// categoryLogs sorts the end of the change log by category, so that no page has to look
// through it.
func (b *builder) categoryLogs(amended AmendedLog) map[string]CategoryLog {
	logs := make(map[string]CategoryLog)
	for e := range b.snapshot.RecentChanges() {
		b.throttle.Pause()
		if e.Edition <= 1 { // in which everything is new
			break
		}
		switch e.Type {
		case catalog.ToolCreated, catalog.ToolUpdated, catalog.PriceChanged:
			if t, ok := b.snapshot.Tool(e.Slug); ok {
				logs[t.Category] = logs[t.Category].addTool(e, amended)
			}
		case catalog.ComparisonPublished:
			m, ok := b.snapshot.Comparison(e.Slug)
			if !ok {
				continue
			}
			logs[m.A.Category] = logs[m.A.Category].addOther(e)
			if m.B.Category != m.A.Category {
				logs[m.B.Category] = logs[m.B.Category].addOther(e)
			}
		case catalog.ToolRetired, catalog.ToolRemoved, catalog.ToolEnding, catalog.ComparisonUpdated,
			catalog.ComparisonUnpublished, catalog.EmbeddingsUpdated,
			catalog.CemeteryAdded, catalog.CemeteryUpdated, catalog.CemeteryRemoved, catalog.CatalogUpdated:
		}
	}
	return logs
}

func (l CategoryLog) addTool(e *catalog.LogEntry, amended AmendedLog) CategoryLog {
	before, after := amended.Scores(e)
	switch {
	case e.Type == catalog.PriceChanged:
		if _, moved := amended.Repriced(e); !moved {
			return l
		}
		same := func(x *catalog.LogEntry) bool { return x.Slug == e.Slug }
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
