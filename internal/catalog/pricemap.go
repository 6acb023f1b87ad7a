package catalog

import (
	"cmp"
	"slices"
)

// A PriceMap places tools by what they cost a month and by their score.
type PriceMap struct {
	Tools    []PlacedTool // those to draw, in order of falling score
	Edge     int64        // the 98th percentile of all prices, in cents: what costs more stands at the edge
	Placed   int          // how many tools have a place, drawn or not
	Ending   int          // of those, how many have an announced end
	Dearest  int64        // the highest price of the others, in cents
	Unscored int          // how many have no score
	Others   []*Tool      // those with a score that are not billed by month or year, in order of falling score
	// Categories is how many categories the tools with a place are of. The best of one category are a line.
	Categories int
}

// A PlacedTool is a tool with its place on a PriceMap.
type PlacedTool struct {
	*Tool
	Cents int64 // a month, as price_max counts it
	// Best tools are those that no other beats, if all are of one category, and else the best of each
	// category. A tool whose end is announced is neither, and beats none.
	Best bool
}

// edgePercentile is the share of prices, in percent, that the axis of a PriceMap covers. A few prices far above all
// others would leave no room to the rest.
const edgePercentile = 98

// PriceMap returns the map of the tools that a query selects, whatever its page and order. It has at most the given
// number of tools: first the best, then those with the highest scores.
func (s *Snapshot) PriceMap(q ToolQuery, most int) PriceMap {
	q.Paging, q.Order = Paging{Page: 1, Limit: max(1, s.tools.count)}, ScoreDesc
	page := toolPage(s, q, func(t listedTool) listedTool { return t })
	var m PriceMap
	categories := make(map[string]bool)
	placed := make([]PlacedTool, 0, len(page.Items))
	for _, t := range page.Items {
		switch {
		case !t.score.Known:
			m.Unscored++
		case t.perYear == unknownPrice:
			m.Others = append(m.Others, t.Tool)
		default:
			p := PlacedTool{Tool: t.Tool, Cents: monthlyOf(t.perYear)}
			if placed, categories[t.Category] = append(placed, p), true; t.Ending.Announced() {
				m.Ending++
			} else {
				m.Dearest = max(m.Dearest, p.Cents)
			}
		}
	}
	if len(placed) == 0 {
		return m
	}
	m.Placed, m.Edge, m.Categories = len(placed), edgeOf(placed), len(categories)
	if m.Categories == 1 {
		markUnbeaten(placed)
	} else {
		markFirst(placed)
	}
	m.Tools = mostOf(placed, most)
	return m
}

// monthlyOf converts a yearly cost to cents a month, as Price.Monthly does.
func monthlyOf(perYear int64) int64 { return (perYear + 6) / 12 }

// edgeOf returns the price below which, or at which, 98 % of the prices are.
func edgeOf(placed []PlacedTool) int64 {
	prices := make([]int64, len(placed))
	for i, t := range placed {
		prices[i] = t.Cents
	}
	slices.Sort(prices)
	return prices[(len(prices)*edgePercentile+99)/100-1]
}

// markUnbeaten marks the tools for which no other costs as little and scores as high. Tools with the same price and the
// same score share a place: none of them beats another.
func markUnbeaten(placed []PlacedTool) {
	byPrice := make([]int, len(placed)) // indexes: the cheapest first, of those the highest score
	for i := range byPrice {
		byPrice[i] = i
	}
	slices.SortStableFunc(byPrice, func(a, b int) int { // the tools are in order of falling score
		return cmp.Compare(placed[a].Cents, placed[b].Cents)
	})
	last := -1
	for _, i := range byPrice {
		t := &placed[i]
		if t.Ending.Announced() {
			continue
		}
		if last < 0 || t.Score.compare(placed[last].Score) > 0 || t.Score == placed[last].Score && t.Cents == placed[last].Cents {
			t.Best, last = true, i
		}
	}
}

// markFirst marks the tools of each category with the highest score, of those the cheapest. Tools with the same price
// and the same score share the mark.
func markFirst(placed []PlacedTool) {
	first := make(map[string]PlacedTool)
	ahead := func(a, b PlacedTool) int {
		return cmp.Or(b.Score.compare(a.Score), cmp.Compare(a.Cents, b.Cents))
	}
	for _, t := range placed {
		if f, ok := first[t.Category]; !t.Ending.Announced() && (!ok || ahead(t, f) < 0) {
			first[t.Category] = t
		}
	}
	for i := range placed {
		t := &placed[i]
		f, ok := first[t.Category]
		t.Best = ok && !t.Ending.Announced() && ahead(*t, f) == 0
	}
}

// mostOf returns the best tools and then those with the highest scores, in their order.
func mostOf(placed []PlacedTool, most int) []PlacedTool {
	if len(placed) <= most {
		return placed
	}
	best := 0
	for _, t := range placed {
		if t.Best {
			best++
		}
	}
	rest := max(0, most-best)
	kept := make([]PlacedTool, 0, most)
	for _, t := range placed {
		if !t.Best {
			if rest == 0 {
				continue
			}
			rest--
		}
		if len(kept) < most {
			kept = append(kept, t)
		}
	}
	return kept
}
