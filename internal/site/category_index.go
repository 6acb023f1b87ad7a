package site

import (
	"slices"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// maxMoves is how many moves of each sort are kept for a category.
const maxMoves = 5

// A categoryLog is what the change log says of a category since its first edition, newest first,
// about what is still there.
type categoryLog struct {
	prices []*catalog.LogEntry // that changed, one for each tool
	others []*catalog.LogEntry // tools that came or got another score, comparisons that came
}

// newCategoryLogs sorts the end of the change log by category, so that no page has to look
// through it.
func newCategoryLogs(s *catalog.Snapshot, amended amendedLog, rest func()) map[string]categoryLog {
	logs := make(map[string]categoryLog)
	for e := range s.RecentChanges() {
		rest()
		if e.Edition <= 1 { // in which everything is new
			break
		}
		switch e.Type {
		case catalog.ToolCreated, catalog.ToolUpdated, catalog.PriceChanged:
			if t, ok := s.Tool(e.Slug); ok {
				logs[t.Category] = logs[t.Category].addTool(e, amended)
			}
		case catalog.ComparisonPublished:
			m, ok := s.Comparison(e.Slug)
			if !ok {
				continue
			}
			logs[m.A.Category] = logs[m.A.Category].addOther(e)
			if m.B.Category != m.A.Category {
				logs[m.B.Category] = logs[m.B.Category].addOther(e)
			}
		case catalog.ToolRetired, catalog.ToolRemoved, catalog.ComparisonUpdated,
			catalog.ComparisonUnpublished, catalog.EmbeddingsUpdated:
		}
	}
	return logs
}

func (l categoryLog) addTool(e *catalog.LogEntry, amended amendedLog) categoryLog {
	before, after := amended.scores(e)
	switch {
	case e.Type == catalog.PriceChanged:
		if _, moved := amended.repriced(e); !moved {
			return l
		}
		same := func(x *catalog.LogEntry) bool { return x.Slug == e.Slug }
		if len(l.prices) < maxMoves && !slices.ContainsFunc(l.prices, same) {
			l.prices = append(l.prices, e)
		}
	case e.Type == catalog.ToolCreated, before != after:
		return l.addOther(e)
	}
	return l
}

func (l categoryLog) addOther(e *catalog.LogEntry) categoryLog {
	if len(l.others) < maxMoves {
		l.others = append(l.others, e)
	}
	return l
}
