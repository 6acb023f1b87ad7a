package catalog_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	. "github.com/palmares-hq/palmares/internal/catalog"
	build "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
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
		if len(q.Categories) > 0 && !slices.Contains(q.Categories, t.Category) || len(q.Slugs) > 0 && !slices.Contains(q.Slugs, t.Slug) {
			continue
		}
		month := monthly(t)
		if q.PriceMax.Set && (month == nil || month.Cmp(big.NewRat(q.PriceMax.Cents, 1)) > 0) || t.UpdatedAt < q.UpdatedSince {
			continue
		}
		if q.scoreMin != nil && (!t.Score.Known || float64(t.Score.Hundredths)/100 < *q.scoreMin) {
			continue
		}
		if q.obsolescenceMax != nil && (!t.Obsolescence.Known || float64(t.Obsolescence.Hundredths)/100 > *q.obsolescenceMax) {
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
		case PriceAsc, PriceDesc:
			switch one, two := monthly(a), monthly(b); {
			case one == nil || two == nil:
				order = cmp.Compare(btoi(one == nil), btoi(two == nil))
			case q.Order == PriceAsc:
				order = one.Cmp(two)
			default:
				order = two.Cmp(one)
			}
		default:
			switch {
			case !a.Score.Known && !b.Score.Known:
			case !a.Score.Known:
				order = 1
			case !b.Score.Known:
				order = -1
			case q.Order == ScoreAsc:
				order = int(a.Score.Hundredths - b.Score.Hundredths)
			default:
				order = int(b.Score.Hundredths - a.Score.Hundredths)
			}
		}
		if order == 0 {
			return strings.Compare(a.Slug, b.Slug)
		}
		return order
	})
	return cut(kept, q.Paging, func(t *Tool) string { return t.Slug }), len(kept)
}

// monthly is the price of a tool in a month, in cents; nil for one that has none.
func monthly(t *Tool) *big.Rat {
	p, _ := ParsePrice(t.Price)
	switch {
	case p.Cents == 0 || p.Period == "mois":
		return big.NewRat(p.Cents, 1)
	case p.Period == "an":
		return big.NewRat(p.Cents, 12)
	}
	return nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// of are the categories of a query for one, "" for any.
func of(category string) []string {
	if category == "" {
		return nil
	}
	return []string{category}
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
	w := build.NewWorld(11, 150)
	s := Empty().Apply(build.Whole(w.Published(), build.Edition(1)))
	tools := w.Contents().Tools
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
	categories := [][]string{nil, nil, {"code"}, {"image"}, {"vide"}, {"inconnue"}, {"code", "voix"}, {"image", "inconnue"}}
	slugs := func() (some []string) {
		if random.IntN(3) > 0 {
			return nil
		}
		for range 1 + random.IntN(100) {
			some = append(some, tools[random.IntN(len(tools))].Slug)
		}
		some = append(some, "inconnu")
		slices.Sort(some)
		return slices.Compact(some)
	}
	amounts := []string{"0", "8.25", "16.58", "16.59", "20", "9999999"}
	days := []Date{"", "", "2026-01-02", "2026-02-01", "2999-01-01"}
	pages := []int{1, 1, 1, 2, 3, 5, 150, 151, math.MaxInt}
	for range 800 {
		q := naiveQuery{ToolQuery{
			Paging:       Paging{pages[random.IntN(len(pages))], 1 + random.IntN(200)},
			Categories:   categories[random.IntN(len(categories))],
			Slugs:        slugs(),
			UpdatedSince: days[random.IntN(len(days))],
			Order:        orders[random.IntN(len(orders))],
		}, bound(), bound()}
		if random.IntN(3) == 0 {
			q.PriceMax, _ = ParseAmount(amounts[random.IntN(len(amounts))])
		}
		want, total := naiveTools(tools, q)
		checkPage(t, fmt.Sprintf("%+v", q.query()), s.Tools(q.query()), func(t *Tool) string { return t.Slug }, s.ToolsJSON(q.query()), q.Paging, want, total)
	}
}

// checkPage holds that a page has those items, as values and as JSON, and the right figures.
func checkPage[T any](
	t *testing.T, what string, values Page[T], slug func(T) string, encoded JSONPage, p Paging, want []string, total int,
) {
	t.Helper()
	pages := total / p.Limit
	if total%p.Limit > 0 {
		pages++
	}
	var got []string
	for _, x := range values.Items {
		got = append(got, slug(x))
	}
	if !slices.Equal(got, want) || values.Total != total || values.Number != p.Page || values.Limit != p.Limit || values.Pages() != pages {
		t.Fatalf("%s: %v, total %d of %d pages; want %v, %d of %d", what, got, values.Total, values.Pages(), want, total, pages)
	}
	var doc struct {
		Data []struct{ Slug string }
		Meta map[string]int
	}
	if err := json.Unmarshal(encoded.Document().Body, &doc); err != nil {
		t.Fatal(err)
	}
	got = nil
	for _, x := range doc.Data {
		got = append(got, x.Slug)
	}
	meta := map[string]int{"total": total, "page": p.Page, "limit": p.Limit, "pages": pages}
	if !slices.Equal(got, want) || !maps.Equal(doc.Meta, meta) {
		t.Fatalf("%s as JSON: %v and meta %v; want %v and %v", what, got, doc.Meta, want, meta)
	}
}

func TestOtherLists_AgreeWithTheNaiveReference(t *testing.T) {
	t.Parallel()
	w := build.NewWorld(12, 80)
	c := w.Published()
	s := Empty().Apply(build.Whole(c, build.Edition(1)))
	tools := map[string]*Tool{}
	for _, x := range c.Tools {
		tools[x.Slug] = x
	}
	comparisonSlug, retiredSlug := func(m ComparisonWithTools) string { return m.Slug }, func(r *Retired) string { return r.Slug }
	for _, category := range []string{"", "code", "image", "voix", "vide", "inconnue"} {
		for _, p := range []Paging{{1, 1}, {1, 200}, {2, 7}, {7, 7}, {1000, 3}, {math.MaxInt, 200}, {math.MaxInt, 1}} {
			byName := ToolQuery{Paging: p, Categories: of(category), Order: NameAsc}
			names, total := naiveTools(c.Tools, naiveQuery{ToolQuery: byName})
			checkPage(t, "prices of "+category, s.Tools(byName), func(t *Tool) string { return t.Slug },
				s.PricesJSON(PriceQuery{p, category}), p, names, total)

			var matches []*Comparison
			for _, x := range c.Comparisons {
				if category == "" || tools[x.ToolA].Category == category || tools[x.ToolB].Category == category {
					matches = append(matches, x)
				}
			}
			slices.SortFunc(matches, func(a, b *Comparison) int { return newest(a.UpdatedAt, b.UpdatedAt, a.Slug, b.Slug) })
			want, q := cut(matches, p, func(x *Comparison) string { return x.Slug }), ComparisonQuery{Paging: p, Category: category}
			checkPage(t, "comparisons of "+category, s.Comparisons(q), comparisonSlug, s.ComparisonsJSON(q), p, want, len(matches))

			for _, reason := range append(Reasons(), "", "inconnue") {
				var matches []*Retired
				for _, r := range c.Retired {
					if (category == "" || r.Category == category) && (reason == "" || r.Reason == reason) {
						matches = append(matches, r)
					}
				}
				slices.SortFunc(matches, func(a, b *Retired) int { return newest(a.RetiredAt, b.RetiredAt, a.Slug, b.Slug) })
				want, q := cut(matches, p, retiredSlug), CemeteryQuery{Paging: p, Category: category, Reason: reason}
				checkPage(t, fmt.Sprintf("cemetery %+v", q), s.Cemetery(q), retiredSlug, s.CemeteryJSON(q), p, want, len(matches))
			}
		}
	}
	for slug, tool := range tools {
		var want []string
		for _, m := range s.Comparisons(ComparisonQuery{Paging: all}).Items {
			if m.ToolA == slug || m.ToolB == slug {
				want = append(want, m.Slug)
			}
			if m.A != tools[m.ToolA] || m.B != tools[m.ToolB] || m.Winning().Slug != m.Winner {
				t.Errorf("%s compares %s and %s, %s wins", m.Slug, m.A.Slug, m.B.Slug, m.Winning().Slug)
			}
		}
		var got []string
		for _, m := range s.ComparisonsOf(slug) {
			got = append(got, m.Slug)
		}
		testkit.Equal(t, "comparisons of "+tool.Slug, got, want)
	}
}

func newest(aDay, bDay Date, aSlug, bSlug string) int {
	return cmp.Or(strings.Compare(string(bDay), string(aDay)), strings.Compare(aSlug, bSlug))
}
