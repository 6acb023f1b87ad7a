package catalog

import "sort"

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

// Paging asks for one page of a list. Both numbers are at least 1.
type Paging struct {
	Page  int
	Limit int
}

// start is where the page begins in a list of n elements; n when it is past the end.
func (p Paging) start(n int) int {
	if p.Page-1 > n/p.Limit { // (Page-1)*Limit could overflow
		return n
	}
	return min((p.Page-1)*p.Limit, n)
}

// A ToolQuery asks for a page of tools.
type ToolQuery struct {
	Paging
	Category        string // "" is any
	ScoreMin        Bound
	ObsolescenceMax Bound
	Order           ToolOrder // "" is ScoreDesc
}

// Tools is the list of living tools.
func (s *Snapshot) Tools(q ToolQuery) Page {
	rows := s.order(q.Order).lists[q.Category]
	item := func(r toolRow) *Document { return &r.item }
	least, most := Measure(0), Measure(0) // 0 is no bound
	if q.ScoreMin != 0 {
		least = q.ScoreMin.measure()
		if byScore := q.Order != NameAsc && q.Order != NameDesc; byScore {
			rows, least = scoredAtLeast(rows, least, q.Order), 0
		}
	}
	if q.ObsolescenceMax != 0 {
		if most = q.ObsolescenceMax.measure(); most == 0 {
			rows = nil
		}
	}
	if least == 0 && most == 0 {
		return page(rows, q.Paging, item)
	}
	return pageWhere(rows, q.Paging, item, func(r toolRow) bool {
		return r.score >= least && (most == 0 || r.obsolescence.Known() && r.obsolescence <= most)
	})
}

func (s *Snapshot) order(o ToolOrder) index[string, toolRow] {
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

// scoredAtLeast keeps the rows of an order by score that reach the bar. They stand
// together, so searches find them.
func scoredAtLeast(rows []toolRow, bar Measure, o ToolOrder) []toolRow {
	if o != ScoreAsc {
		return rows[:sort.Search(len(rows), func(i int) bool { return rows[i].score < bar })]
	}
	rows = rows[:sort.Search(len(rows), func(i int) bool { return !rows[i].score.Known() })]
	return rows[sort.Search(len(rows), func(i int) bool { return rows[i].score >= bar }):]
}

// page cuts the page out of the list.
func page[E any](list []E, p Paging, item func(E) *Document) Page {
	from := p.start(len(list))
	list, total := list[from:], len(list)
	out := Page{Total: total, Number: p.Page, Limit: p.Limit, Items: make([]*Document, 0, min(p.Limit, len(list)))}
	for _, e := range list[:min(p.Limit, len(list))] {
		out.Items = append(out.Items, item(e))
	}
	return out
}

// pageWhere cuts the page out of the elements of the list that keep wants, in one
// pass that collects nothing else.
func pageWhere[E any](list []E, p Paging, item func(E) *Document, keep func(E) bool) Page {
	out := Page{Number: p.Page, Limit: p.Limit, Items: make([]*Document, 0, min(p.Limit, len(list)))}
	from := p.start(len(list))
	for _, e := range list {
		if !keep(e) {
			continue
		}
		if out.Total >= from && len(out.Items) < p.Limit {
			out.Items = append(out.Items, item(e))
		}
		out.Total++
	}
	return out
}

// A PriceQuery asks for a page of prices.
type PriceQuery struct {
	Paging
	Category string
}

// Prices is the list of the living tools' prices, by name.
func (s *Snapshot) Prices(q PriceQuery) Page {
	return page(s.byNameAsc.lists[q.Category], q.Paging, func(r toolRow) *Document { return &r.priceItem })
}

// A ComparisonQuery asks for a page of comparisons.
type ComparisonQuery struct {
	Paging
	Category string // of either tool
}

// Comparisons is the list of published comparisons, newest first.
func (s *Snapshot) Comparisons(q ComparisonQuery) Page {
	return page(s.byNewest.lists[q.Category], q.Paging, func(c *comparisonEntry) *Document { return &c.item })
}

// A CemeteryQuery asks for a page of retired tools.
type CemeteryQuery struct {
	Paging
	Category string
	Reason   Reason // "" is any
}

// Cemetery is the list of retired tools, newest first.
func (s *Snapshot) Cemetery(q CemeteryQuery) Page {
	return page(s.byLastRetired.lists[plot{q.Category, q.Reason}], q.Paging, func(r *retiredEntry) *Document { return &r.item })
}
