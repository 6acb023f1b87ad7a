package catalog

import (
	"slices"
	"sort"
)

// A ToolOrder is an order of the list of tools.
type ToolOrder string

// The orders of the list of tools. Tools without a score come last in both orders
// by score, those that have no monthly price in both orders by price, and every
// order ends on the slug.
const (
	ScoreDesc ToolOrder = "score_desc"
	ScoreAsc  ToolOrder = "score_asc"
	NameAsc   ToolOrder = "name_asc"
	NameDesc  ToolOrder = "name_desc"
	PriceAsc  ToolOrder = "price_asc"
	PriceDesc ToolOrder = "price_desc"
)

// ToolOrders lists every order; the first is the default.
func ToolOrders() []ToolOrder {
	return []ToolOrder{ScoreDesc, ScoreAsc, NameAsc, NameDesc, PriceAsc, PriceDesc}
}

// A ToolQuery selects a page of tools.
type ToolQuery struct {
	Paging
	Search          string   // folded by search.Fold; "" finds all
	Categories      []string // any of them; none is any
	Slugs           []string // sorted; none is any
	Pricing         Pricing  // "" is any
	ICP             ICP      // "" is any
	ScoreMin        Bound
	ObsolescenceMax Bound
	PriceMax        Amount    // for a month; excludes tools priced for periods other than month and year
	UpdatedSince    Date      // "" is any
	Order           ToolOrder // "" is the best match first with a search, ScoreDesc without
}

// Tools returns a page of the living tools.
func (s *Snapshot) Tools(q ToolQuery) Page[*Tool] {
	return toolPage(s, q, func(t listedTool) *Tool { return t.Tool })
}

// ToolsJSON returns a page of the living tools as JSON.
func (s *Snapshot) ToolsJSON(q ToolQuery) JSONPage {
	return JSONPage{toolPage(s, q, func(t listedTool) *Document { return &t.item })}
}

func toolPage[T any](s *Snapshot, q ToolQuery, item func(listedTool) T) Page[T] {
	if q.Slugs = s.toolSlugsNow(q.Slugs); !slices.IsSorted(q.Slugs) {
		slices.Sort(q.Slugs) // a copy: the caller's slugs are sorted
	}
	category := ""
	if len(q.Categories) == 1 && (q.Search == "" || q.Order != "") { // the category has a list of its own
		category, q.Categories = q.Categories[0], nil
	}
	order := s.order(q.Order)
	list := order.list(category)
	switch byScore := q.Order == "" || q.Order == ScoreDesc || q.Order == ScoreAsc; {
	case q.Search != "" && q.Order == "":
		return searchPage(s.toolSearch, q.Search, list, q.Paging, item, q.keep())
	case q.Search != "":
		return foundPage(s, q, list, item)
	case len(q.Slugs) > 0:
		list = s.named(q.Slugs, order.compare)
		if category != "" {
			q.Categories = []string{category}
		}
		q.Slugs = nil
	case byScore && q.ScoreMin.Set:
		list, q.ScoreMin = scoredAtLeast(list, q.ScoreMin, q.Order), Bound{}
	}
	return cutPage(list, q.Paging, item, q.keep())
}

// foundPage returns a page of the tools that match the search, in the order of the list.
func foundPage[T any](s *Snapshot, q ToolQuery, list []listedTool, item func(listedTool) T) Page[T] {
	found := s.toolSearch.index.Search(q.Search, s.toolSearch.order)
	defer found.Release()
	keep := q.keep()
	page := cutPage(list, q.Paging, item, func(t listedTool) bool {
		return found.Has(t.number) && (keep == nil || keep(t))
	})
	page.Found, page.Searched = found.Found, true
	return page
}

// named returns the tools with the given slugs, sorted by compare. It skips unknown slugs.
func (s *Snapshot) named(slugs []string, compare func(a, b listedTool) int) []listedTool {
	list := make([]listedTool, 0, len(slugs))
	for _, slug := range slugs {
		if e := s.tools.get(slug); e != nil {
			list = append(list, listed(e))
		}
	}
	slices.SortFunc(list, compare)
	return list
}

// keep returns the filter of a query; nil if it keeps all tools.
func (q *ToolQuery) keep() func(listedTool) bool {
	if !q.ScoreMin.Set && !q.ObsolescenceMax.Set && !q.PriceMax.Set && q.Pricing == "" && q.ICP == "" && q.UpdatedSince == "" &&
		len(q.Categories) == 0 && len(q.Slugs) == 0 {
		return nil
	}
	return func(t listedTool) bool {
		return q.ScoreMin.least(t.score) && q.ObsolescenceMax.most(t.obsolescence) &&
			(q.Pricing == "" || t.Pricing == q.Pricing) && (q.ICP == "" || t.ICP == q.ICP) &&
			q.PriceMax.most(t.perYear) && t.UpdatedAt >= q.UpdatedSince &&
			(len(q.Categories) == 0 || slices.Contains(q.Categories, t.Category)) && (len(q.Slugs) == 0 || contains(q.Slugs, t.Slug))
	}
}

func contains(sorted []string, s string) bool {
	_, found := slices.BinarySearch(sorted, s)
	return found
}

func (s *Snapshot) order(o ToolOrder) index[string, listedTool] {
	switch o {
	case ScoreAsc:
		return s.byScoreAsc
	case NameAsc:
		return s.byNameAsc
	case NameDesc:
		return s.byNameDesc
	case PriceAsc:
		return s.byPriceAsc
	case PriceDesc:
		return s.byPriceDesc
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

// A PriceQuery selects a page of prices.
type PriceQuery struct {
	Paging
	Category string
}

// PricesJSON returns a page of the living tools' prices, by name, as JSON. Tools with the order
// NameAsc returns the same list as values.
func (s *Snapshot) PricesJSON(q PriceQuery) JSONPage {
	item := func(t listedTool) *Document { return &t.priceItem }
	return JSONPage{cutPage(s.byNameAsc.list(q.Category), q.Paging, item, nil)}
}

// A ComparisonQuery selects a page of comparisons.
type ComparisonQuery struct {
	Paging
	Search   string // folded by search.Fold; "" finds all
	Category string // of either tool
}

// Comparisons returns a page of the published comparisons, newest first, or best match first with a
// search.
func (s *Snapshot) Comparisons(q ComparisonQuery) Page[ComparisonWithTools] {
	return comparisonPage(s, q, func(c *comparisonEntry) ComparisonWithTools { return c.ComparisonWithTools })
}

// ComparisonsJSON returns the same page as Comparisons, as JSON.
func (s *Snapshot) ComparisonsJSON(q ComparisonQuery) JSONPage {
	return JSONPage{comparisonPage(s, q, func(c *comparisonEntry) *Document { return &c.item })}
}

func comparisonPage[T any](s *Snapshot, q ComparisonQuery, item func(*comparisonEntry) T) Page[T] {
	if q.Search == "" {
		return cutPage(s.byNewest.list(q.Category), q.Paging, item, nil)
	}
	return searchPage(s.comparisonSearch, q.Search, s.byNewest.list(""), q.Paging, item, func(c *comparisonEntry) bool {
		return q.Category == "" || c.A.Category == q.Category || c.B.Category == q.Category
	})
}

// ComparisonsOf lists the comparisons of a tool, newest first.
func (s *Snapshot) ComparisonsOf(slug string) []ComparisonWithTools {
	list := s.byTool.list(slug)
	out := make([]ComparisonWithTools, len(list))
	for i, c := range list {
		out[i] = c.ComparisonWithTools
	}
	return out
}

// A CemeteryQuery selects a page of retired tools.
type CemeteryQuery struct {
	Paging
	Search   string // folded by search.Fold; "" finds all
	Category string
	Reason   Reason // "" is any
}

// Cemetery returns a page of the retired tools, newest first, or best match first with a search.
func (s *Snapshot) Cemetery(q CemeteryQuery) Page[*Retired] {
	return retiredPage(s, q, func(r *retiredEntry) *Retired { return r.Retired })
}

// CemeteryJSON returns the same page as Cemetery, as JSON.
func (s *Snapshot) CemeteryJSON(q CemeteryQuery) JSONPage {
	return JSONPage{retiredPage(s, q, func(r *retiredEntry) *Document { return &r.item })}
}

func retiredPage[T any](s *Snapshot, q CemeteryQuery, item func(*retiredEntry) T) Page[T] {
	if q.Search == "" {
		return cutPage(s.byLastRetired.list(retiredKey{q.Category, q.Reason}), q.Paging, item, nil)
	}
	return searchPage(s.retiredSearch, q.Search, s.byLastRetired.list(retiredKey{}), q.Paging, item, func(r *retiredEntry) bool {
		return (q.Category == "" || r.Category == q.Category) && (q.Reason == "" || r.Reason == q.Reason)
	})
}
