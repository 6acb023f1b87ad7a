package chart

import (
	"cmp"
	"slices"
)

// labelEvery is how many pixels of width there are to a label: more labels are a wall of figures.
const labelEvery = 56

// label writes the prices of the steps, the most important first, each where it touches neither
// another text nor the line. One that finds no such place is left out; its dot still has a tip.
func (c *canvas) label(f Frame, p plot, s stairs) {
	inside := box{0, 0, p.right + s.radius, p.bottom}
	room := int((p.right - p.left) / labelEvery)
	crowded := len(s.points) > room
	weight := weights(s.points)
	var columns []box // above and beneath the labels
	write := func(t text, spread bool) bool {
		b := t.box()
		if !b.within(inside) || slices.ContainsFunc(s.solid, b.overlaps) {
			return false
		}
		column := box{b.left, 0, b.right, p.bottom}
		if spread && slices.ContainsFunc(columns, column.grown(36).overlaps) {
			return false
		}
		if !c.write(t) {
			return false
		}
		columns = append(columns, column)
		return true
	}
	for _, i := range byImportance(s.points, weight) {
		if room == 0 {
			return
		}
		for _, t := range places(f.Value(s.points[i].Value), s.points[i], weight[i] > 0) {
			if write(t, crowded && weight[i] == 0) {
				room--
				break
			}
		}
	}
}

// weights are 4 for the first point, 3 for the last, 2 for the highest, 1 for the lowest and 0 for
// all others.
func weights(points []step) []int {
	byValue := func(a, b step) int { return cmp.Compare(a.Value, b.Value) }
	weight := make([]int, len(points))
	weight[slices.Index(points, slices.MinFunc(points, byValue))] = 1
	weight[slices.Index(points, slices.MaxFunc(points, byValue))] = 2
	weight[len(points)-1] = 3
	weight[0] = 4
	return weight
}

// byImportance returns the indexes of the points, by weight and then the largest changes first.
func byImportance(points []step, weight []int) []int {
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(weight[b]-weight[a], abs(points[b].change)-abs(points[a].change))
	})
	return order
}

func abs(v int) int { return max(v, -v) }

// places are where the label of a step may stand, the best first. One that matters more may stand
// further away.
func places(label string, s step, matters bool) []text {
	const above, beneath, beside = -11, 21, 8
	t := text{s: label, class: "lbl", x: s.x, y: s.y}
	place := func(dx, dy float64, a anchor) text {
		m := t
		m.x, m.y, m.anchor = m.x+dx, m.y+dy, a
		return m
	}
	var best []text
	switch {
	case s.change > 0:
		t.class = "lbl up"
		best = []text{
			place(0, above, middle), place(4, above, end), place(-4, above, start),
			place(beside, beneath, start), // right of the riser, under the tread
		}
	case s.change < 0:
		t.class = "lbl down"
		best = []text{
			place(0, beneath, middle), place(4, beneath, end), place(-4, beneath, start),
			place(beside, above, start), place(-beside, above, end), // beside the riser, over the tread
		}
	default: // the first
		best = []text{place(-4, above, start), place(-4, beneath, start), place(4, above, end)}
	}
	for far := 4.0; matters && far <= 24; far += 4 {
		best = append(best,
			place(-4, above-far, start), place(4, above-far, end),
			place(-4, beneath+far, start), place(4, beneath+far, end))
	}
	return best
}
