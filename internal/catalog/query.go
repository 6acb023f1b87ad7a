package catalog

import (
	"iter"
	"slices"
	"sort"
)

// A ToolOrder is an order of the list of tools.
type ToolOrder string

// The orders of the list of tools. Tools without a score come last in both orders
// by score, and every order ends on the slug.
const (
	ScoreDesc ToolOrder = "score_desc"
	ScoreAsc  ToolOrder = "score_asc"
	NameAsc   ToolOrder = "name_asc"
	NameDesc  ToolOrder = "name_desc"
)

// ToolOrders lists every order; the first is the default.
func ToolOrders() []ToolOrder { return []ToolOrder{ScoreDesc, ScoreAsc, NameAsc, NameDesc} }

// A ToolQuery asks for a page of tools.
type ToolQuery struct {
	Paging
	Category        string  // "" is any
	Pricing         Pricing // "" is any
	ICP             ICP     // "" is any
	ScoreMin        Bound
	ObsolescenceMax Bound
	Order           ToolOrder // "" is ScoreDesc
}

// Tools is a page of the living tools.
func (s *Snapshot) Tools(q ToolQuery) Page[*Tool] {
	return toolPage(s, q, func(t listedTool) *Tool { return t.Tool })
}

// ToolsJSON is a page of the living tools as JSON.
func (s *Snapshot) ToolsJSON(q ToolQuery) JSONPage {
	return JSONPage{toolPage(s, q, func(t listedTool) *Document { return &t.item })}
}

func toolPage[T any](s *Snapshot, q ToolQuery, item func(listedTool) T) Page[T] {
	list := s.order(q.Order).list(q.Category)
	if byScore := q.Order != NameAsc && q.Order != NameDesc; byScore && q.ScoreMin.Set {
		list, q.ScoreMin = scoredAtLeast(list, q.ScoreMin, q.Order), Bound{}
	}
	if !q.ScoreMin.Set && !q.ObsolescenceMax.Set && q.Pricing == "" && q.ICP == "" {
		return cutPage(list, q.Paging, item, nil)
	}
	return cutPage(list, q.Paging, item, func(t listedTool) bool {
		return q.ScoreMin.least(t.score) && q.ObsolescenceMax.most(t.obsolescence) &&
			(q.Pricing == "" || t.Pricing == q.Pricing) && (q.ICP == "" || t.ICP == q.ICP)
	})
}

func (s *Snapshot) order(o ToolOrder) index[string, listedTool] {
	switch o {
	case ScoreAsc:
		return s.byScoreAsc
	case NameAsc:
		return s.byNameAsc
	case NameDesc:
		return s.byNameDesc
	default:
		return s.byScoreDesc
	}
}

// scoredAtLeast keeps the tools of an order by score that reach the minimum. They are consecutive,
// so binary searches find them.
func scoredAtLeast(list []listedTool, minimum Bound, o ToolOrder) []listedTool {
	if o != ScoreAsc {
		return list[:sort.Search(len(list), func(i int) bool { return !minimum.least(list[i].score) })]
	}
	list = list[:sort.Search(len(list), func(i int) bool { return !list[i].score.Known })]
	return list[sort.Search(len(list), func(i int) bool { return minimum.least(list[i].score) }):]
}

// A PriceQuery asks for a page of prices.
type PriceQuery struct {
	Paging
	Category string
}

// PricesJSON is a page of the living tools' prices, by name, as JSON. Tools in the order NameAsc are
// the same list as values.
func (s *Snapshot) PricesJSON(q PriceQuery) JSONPage {
	item := func(t listedTool) *Document { return &t.priceItem }
	return JSONPage{cutPage(s.byNameAsc.list(q.Category), q.Paging, item, nil)}
}

// A ComparisonQuery asks for a page of comparisons.
type ComparisonQuery struct {
	Paging
	Category string // of either tool
}

// Comparisons is a page of the published comparisons, newest first.
func (s *Snapshot) Comparisons(q ComparisonQuery) Page[Matchup] {
	return comparisonPage(s, q, func(c *comparisonEntry) Matchup { return c.Matchup })
}

// ComparisonsJSON is a page of the published comparisons, newest first, as JSON.
func (s *Snapshot) ComparisonsJSON(q ComparisonQuery) JSONPage {
	return JSONPage{comparisonPage(s, q, func(c *comparisonEntry) *Document { return &c.item })}
}

func comparisonPage[T any](s *Snapshot, q ComparisonQuery, item func(*comparisonEntry) T) Page[T] {
	return cutPage(s.byNewest.list(q.Category), q.Paging, item, nil)
}

// ComparisonsOf lists the comparisons of a tool, newest first.
func (s *Snapshot) ComparisonsOf(slug string) []Matchup {
	list := s.byTool.list(slug)
	out := make([]Matchup, len(list))
	for i, c := range list {
		out[i] = c.Matchup
	}
	return out
}

// A CemeteryQuery asks for a page of retired tools.
type CemeteryQuery struct {
	Paging
	Category string
	Reason   Reason // "" is any
}

// Cemetery is a page of the retired tools, newest first.
func (s *Snapshot) Cemetery(q CemeteryQuery) Page[*Retired] {
	return retiredPage(s, q, func(r *retiredEntry) *Retired { return r.Retired })
}

// CemeteryJSON is a page of the retired tools, newest first, as JSON.
func (s *Snapshot) CemeteryJSON(q CemeteryQuery) JSONPage {
	return JSONPage{retiredPage(s, q, func(r *retiredEntry) *Document { return &r.item })}
}

func retiredPage[T any](s *Snapshot, q CemeteryQuery, item func(*retiredEntry) T) Page[T] {
	return cutPage(s.byLastRetired.list(retiredKey{q.Category, q.Reason}), q.Paging, item, nil)
}

// LastChange is the number of the newest entry of the change log that the snapshot has.
func (s *Snapshot) LastChange() int64 {
	if len(s.log) == 0 {
		return 0
	}
	return s.log[len(s.log)-1].Seq
}

// RecentChanges yields the end of the change log, newest first: at least the last 1,000 entries, as
// far as the log has them.
func (s *Snapshot) RecentChanges() iter.Seq[*LogEntry] {
	return func(yield func(*LogEntry) bool) {
		for _, e := range slices.Backward(s.log) {
			if !yield(e) {
				return
			}
		}
	}
}
