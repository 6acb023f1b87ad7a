package catalog

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// A naiveQuery is a ToolQuery with its bounds as a caller gives them.
type naiveQuery struct {
	ToolQuery
	scoreMin, obsolescenceMax *float64
}

func (n naiveQuery) query() ToolQuery {
	q := n.ToolQuery
	if n.scoreMin != nil {
		q.ScoreMin = AtLeast(*n.scoreMin)
	}
	if n.obsolescenceMax != nil {
		q.ObsolescenceMax = AtMost(*n.obsolescenceMax)
	}
	return q
}

// naiveTools answers a query the plain way: filter with floating-point numbers,
// sort the whole list, cut the page.
func naiveTools(tools []*Tool, q naiveQuery) (slugs []string, total int) {
	french := collate.New(language.French, collate.IgnoreCase)
	var kept []*Tool
	for _, t := range tools {
		if q.Category != "" && t.Category != q.Category {
			continue
		}
		if q.scoreMin != nil && (!t.Score.Known() || float64(t.Score.Hundredths())/100 < *q.scoreMin) {
			continue
		}
		if q.obsolescenceMax != nil && (!t.Obsolescence.Known() || float64(t.Obsolescence.Hundredths())/100 > *q.obsolescenceMax) {
			continue
		}
		kept = append(kept, t)
	}
	slices.SortFunc(kept, func(a, b *Tool) int {
		order := 0
		switch q.Order {
		case NameAsc:
			order = french.CompareString(a.Name, b.Name)
		case NameDesc:
			order = french.CompareString(b.Name, a.Name)
		default:
			switch {
			case !a.Score.Known() && !b.Score.Known():
			case !a.Score.Known():
				order = 1
			case !b.Score.Known():
				order = -1
			case q.Order == ScoreAsc:
				order = a.Score.Hundredths() - b.Score.Hundredths()
			default:
				order = b.Score.Hundredths() - a.Score.Hundredths()
			}
		}
		if order == 0 {
			return strings.Compare(a.Slug, b.Slug)
		}
		return order
	})
	return cut(kept, q.Paging, func(t *Tool) string { return t.Slug }), len(kept)
}

func cut[T any](list []T, p Paging, slug func(T) string) []string {
	out := []string{}
	for i, x := range list {
		if i/p.Limit == p.Page-1 {
			out = append(out, slug(x))
		}
	}
	return out
}

func TestTools_AgreeWithTheNaiveReference(t *testing.T) {
	t.Parallel()
	w := newWorld(11, 150)
	s := Empty().Apply(whole(w.contents(), testEdition(1)))
	tools := w.contents().Tools
	random := rand.New(rand.NewPCG(3, 4))
	bounds := []float64{-1, 0, 0.01, 3.2, 7, 7.5, 8, 8.1, 9.999, 10, 10.5, 1e300, -1e300}
	bound := func() *float64 {
		if random.IntN(3) == 0 {
			return nil
		}
		x := random.Float64() * 10
		if random.IntN(2) == 0 {
			x = bounds[random.IntN(len(bounds))]
		}
		return &x
	}
	orders := append(ToolOrders(), "")
	categories := []string{"", "", "code", "image", "voix", "vide", "inconnue"}
	pages := []int{1, 1, 1, 2, 3, 5, 150, 151, math.MaxInt}
	for range 600 {
		q := naiveQuery{ToolQuery{
			Paging:   Paging{pages[random.IntN(len(pages))], 1 + random.IntN(200)},
			Category: categories[random.IntN(len(categories))],
			Order:    orders[random.IntN(len(orders))],
		}, bound(), bound()}
		want, total := naiveTools(tools, q)
		checkPage(t, describeQuery(q), s.Tools(q.query()), q.Paging, want, total)
	}
}

func describeQuery(q naiveQuery) string {
	show := func(x *float64) string {
		if x == nil {
			return "none"
		}
		return fmt.Sprint(*x)
	}
	return fmt.Sprintf("page %d limit %d category %q score_min %s obsolescence_max %s order %q",
		q.Page, q.Limit, q.Category, show(q.scoreMin), show(q.obsolescenceMax), q.Order)
}

func checkPage(t *testing.T, what string, got Page, p Paging, want []string, total int) {
	t.Helper()
	if g := slugs(t, got); !slices.Equal(g, want) {
		t.Fatalf("%s:\n got %v\nwant %v", what, g, want)
	}
	pages := total / p.Limit
	if total%p.Limit > 0 {
		pages++
	}
	if got.Total != total || got.Number != p.Page || got.Limit != p.Limit || got.Pages() != pages {
		t.Fatalf("%s: total %d, page %d, limit %d, pages %d; want total %d, pages %d",
			what, got.Total, got.Number, got.Limit, got.Pages(), total, pages)
	}
	var doc struct {
		Data []struct{ Slug string }
		Meta map[string]int
	}
	decode(t, got.Document().Body, &doc)
	if len(doc.Data) != len(want) || doc.Meta["total"] != total || doc.Meta["page"] != p.Page || doc.Meta["limit"] != p.Limit || doc.Meta["pages"] != pages || len(doc.Meta) != 4 {
		t.Fatalf("%s: %d items and meta %v", what, len(doc.Data), doc.Meta)
	}
}

func TestOtherLists_AgreeWithTheNaiveReference(t *testing.T) {
	t.Parallel()
	w := newWorld(12, 80)
	c := w.contents()
	s := Empty().Apply(whole(c, testEdition(1)))
	newest := func(aDay, bDay Date, aSlug, bSlug string) int {
		if aDay != bDay {
			return strings.Compare(string(bDay), string(aDay))
		}
		return strings.Compare(aSlug, bSlug)
	}
	for _, category := range []string{"", "code", "image", "voix", "vide", "inconnue"} {
		for _, p := range []Paging{{1, 1}, {1, 200}, {2, 7}, {7, 7}, {1000, 3}, {math.MaxInt, 200}, {math.MaxInt, 1}} {
			names, total := naiveTools(c.Tools, naiveQuery{ToolQuery: ToolQuery{Paging: p, Category: category, Order: NameAsc}})
			checkPage(t, "prices of "+category, s.Prices(PriceQuery{p, category}), p, names, total)

			var matches []*Comparison
			for _, x := range c.Comparisons {
				if category == "" || w.tools[x.ToolA].Category == category || w.tools[x.ToolB].Category == category {
					matches = append(matches, x)
				}
			}
			slices.SortFunc(matches, func(a, b *Comparison) int { return newest(a.UpdatedAt, b.UpdatedAt, a.Slug, b.Slug) })
			want := cut(matches, p, func(x *Comparison) string { return x.Slug })
			checkPage(t, "comparisons of "+category, s.Comparisons(ComparisonQuery{p, category}), p, want, len(matches))

			for _, reason := range append(Reasons(), "", "inconnue") {
				var graves []*Retired
				for _, r := range c.Retired {
					if (category == "" || r.Category == category) && (reason == "" || r.Reason == reason) {
						graves = append(graves, r)
					}
				}
				slices.SortFunc(graves, func(a, b *Retired) int { return newest(a.RetiredAt, b.RetiredAt, a.Slug, b.Slug) })
				want := cut(graves, p, func(r *Retired) string { return r.Slug })
				checkPage(t, fmt.Sprintf("cemetery of %s, %s", category, reason), s.Cemetery(CemeteryQuery{p, category, reason}), p, want, len(graves))
			}
		}
	}
}

func TestPages_JoinedGiveTheWholeListOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(13, 60)
	s := Empty().Apply(whole(w.contents(), testEdition(1)))
	top := 6.0
	for _, bound := range []*float64{nil, &top} {
		naive := naiveQuery{ToolQuery{Paging: all(1000)}, nil, bound}
		want, _ := naiveTools(w.contents().Tools, naive)
		for limit := 1; limit <= 200; limit++ {
			var joined []string
			q := naive.query()
			q.Paging = Paging{1, limit}
			pages := s.Tools(q).Pages()
			for ; q.Page <= pages+1; q.Page++ {
				joined = append(joined, slugs(t, s.Tools(q))...)
			}
			if !slices.Equal(joined, want) {
				t.Fatalf("limit %d: pages joined give %v, want %v", limit, joined, want)
			}
		}
	}
}

func TestDefaultOrder_ScoreDescUnscoredLast(t *testing.T) {
	t.Parallel()
	s := snapshotOf(tool("b", score(800)), tool("a", score(800)), tool("z", score(1000)), tool("m", score(0)), tool("d", unscored), tool("c", unscored))
	want := []string{"z", "a", "b", "m", "c", "d"}
	equal(t, "no order", slugs(t, s.Tools(ToolQuery{Paging: all(10)})), want)
	equal(t, "score_desc", slugs(t, s.Tools(ToolQuery{Paging: all(10), Order: ScoreDesc})), want)
	equal(t, "score_asc", slugs(t, s.Tools(ToolQuery{Paging: all(10), Order: ScoreAsc})), []string{"m", "a", "b", "z", "c", "d"})
	equal(t, "first of the orders", ToolOrders()[0], ScoreDesc)
}

func TestFilters_KeepOnlyToolsThatHaveTheMeasure(t *testing.T) {
	t.Parallel()
	s := snapshotOf(tool("a"), tool("b", unscored), tool("c", func(t *Tool) { t.Obsolescence = 0 }))
	least, most := AtLeast(-5), AtMost(50)
	for _, order := range ToolOrders() {
		equal(t, "score_min, "+string(order), s.Tools(ToolQuery{Paging: all(10), ScoreMin: least, Order: order}).Total, 2)
		equal(t, "obsolescence_max, "+string(order), s.Tools(ToolQuery{Paging: all(10), ObsolescenceMax: most, Order: order}).Total, 2)
		equal(t, "both, "+string(order), slugs(t, s.Tools(ToolQuery{all(10), "", least, most, order})), []string{"a"})
		equal(t, "below the scale, "+string(order), s.Tools(ToolQuery{Paging: all(10), ObsolescenceMax: AtMost(-5), Order: order}).Total, 0)
		equal(t, "above the scale, "+string(order), s.Tools(ToolQuery{Paging: all(10), ScoreMin: AtLeast(50), Order: order}).Total, 0)
	}
}

// 8.1 and 8.2 have no exact binary form: the bound must not lose the tool at it.
func TestFilters_BoundsAreInclusive(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 7, 29, 57, 110, 800, 810, 820, 1000} {
		x := float64(n) / 100
		s := snapshotOf(tool("a", score(n), func(t *Tool) { t.Obsolescence = Hundredths(n) }))
		for _, order := range ToolOrders() {
			if s.Tools(ToolQuery{all(10), "", AtLeast(x), AtMost(x), order}).Total != 1 {
				t.Errorf("a tool at %g is outside the bound %g in %s", x, x, order)
			}
		}
	}
}
