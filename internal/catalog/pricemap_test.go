package catalog_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/palmares-hq/palmares/internal/catalog"
	build "github.com/palmares-hq/palmares/internal/catalogtest"
)

// placed are tools with few scores and prices, so that many tie. Every seventh ends, has no score, or is billed for a
// seat.
func placed(r *rand.Rand, n int, categories ...string) []any {
	periods := []string{"mois", "an", "mois"}
	var tools []any
	for i := range n {
		price := fmt.Sprintf("%d €/%s", r.IntN(8)*6, periods[r.IntN(3)])
		edits := []func(*Tool){build.In(categories[r.IntN(len(categories))]), build.Scored(500 + r.IntN(40)*10)}
		switch r.IntN(21) {
		case 0:
			edits = append(edits, build.Unscored)
		case 1:
			price = "2 €/siège"
		case 2:
			edits = append(edits, func(t *Tool) { t.Ending.At = "2027-01-01" })
		}
		edits = append(edits, build.Priced(Paid, price))
		tools = append(tools, build.Tool(fmt.Sprintf("outil-%03d", i), edits...))
	}
	return tools
}

// The best of one category are those that no other beats: none costs as little, in rounded cents, and scores as high.
// Of several categories, they are the first of each. Both are compared with the definition, tool by tool.
func TestPriceMap_Best(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		categories := []string{"code", "image", "voix"}[:1+2*(seed%2)]
		items := placed(r, 3+r.IntN(60), categories...)
		m := build.Snapshot(items...).PriceMap(ToolQuery{}, 1000)
		sameAs := func(a, b PlacedTool) bool { return a.Cents == b.Cents && a.Score == b.Score }
		for _, a := range m.Tools {
			best := !a.Ending.Announced()
			for _, b := range m.Tools {
				switch {
				case b.Ending.Announced(), a.Slug == b.Slug, sameAs(a, b):
				case m.Categories == 1:
					best = best && (b.Cents > a.Cents || b.Score.Hundredths < a.Score.Hundredths)
				case a.Category == b.Category:
					best = best && (b.Score.Hundredths < a.Score.Hundredths || b.Score == a.Score && b.Cents > a.Cents)
				}
			}
			price, _ := ParsePrice(a.Price)
			if cents, ok := price.Monthly(); !ok || cents != a.Cents || a.Best != best {
				t.Fatalf("seed %d: %s costs %d cents (%s) and scores %s: best is %v, want %v", seed, a.Slug, a.Cents, a.Price, a.Score, a.Best, best)
			}
		}
		if m.Placed != len(m.Tools) || m.Placed+m.Unscored+len(m.Others) != len(items) {
			t.Fatalf("seed %d: %d of %d tools have a place, %d no score, %d another period", seed, m.Placed, len(items), m.Unscored, len(m.Others))
		}
	}
}

// Of more tools than there is room for, the best stay, and then those with the highest scores.
func TestPriceMap_KeepsTheBest(t *testing.T) {
	t.Parallel()
	items := placed(rand.New(rand.NewPCG(1, 2)), 400, "code", "image", "voix")
	s := build.Snapshot(items...)
	all, some := s.PriceMap(ToolQuery{}, 1000), s.PriceMap(ToolQuery{}, 30)
	if len(some.Tools) != 30 || some.Placed != all.Placed || some.Edge != all.Edge {
		t.Fatalf("%d tools of %d, edge %d of %d", len(some.Tools), some.Placed, some.Edge, all.Edge)
	}
	var want []string
	rest := 30
	for _, x := range all.Tools {
		if x.Best {
			rest--
		}
	}
	for _, x := range all.Tools {
		if !x.Best {
			rest--
		}
		if x.Best || rest >= 0 {
			want = append(want, x.Slug)
		}
	}
	var got []string
	for _, x := range some.Tools {
		got = append(got, x.Slug)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the map has %v, want %v", got, want)
	}
}

// The edge is the price that 98 of 100 tools do not exceed.
func TestPriceMap_Edge(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int64{1: 100, 49: 4900, 50: 4900, 100: 9800, 101: 9900} {
		var items []any
		for i := range n {
			items = append(items, build.Tool(fmt.Sprintf("outil-%03d", i), build.Scored(700), build.Priced(Paid, fmt.Sprintf("%d €/mois", i+1))))
		}
		if m := build.Snapshot(items...).PriceMap(ToolQuery{}, 300); m.Edge != want {
			t.Errorf("of prices from 1 to %d, the edge is %d, want %d", n, m.Edge, want)
		}
	}
}
