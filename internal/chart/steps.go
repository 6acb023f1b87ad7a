package chart

import (
	"cmp"
	"html/template"
	"slices"
	"time"
)

// A Span is the time that a chart shows, in whole days, both included. The line may begin and end
// inside it, so that charts with one time axis can be stacked, such as one for each billing period
// of a price.
type Span struct {
	From  time.Time // where the axis begins; zero for the first point
	Until time.Time // where it ends: today
	End   time.Time // the last day of the line; zero for Until
}

// Steps draws a price over time as a step line: a price holds until the next one, or to the end of the line. Of several
// changes on one day, it draws only the last. It returns "" if there is no price before that end.
//
// A rise is labelled with its new price above the step, a fall below it, with at most one label per 56 pixels of width.
// If there is no room for all, the first and the last price take precedence over the highest and the lowest, and those
// over the largest changes.
func Steps(f Frame, prices []Point, span Span) template.HTML {
	prices, span = pricesWithin(prices, span)
	if len(prices) == 0 {
		return ""
	}
	high := 0
	for _, p := range prices {
		high = max(high, p.Value)
	}
	if high == 0 {
		high = 1000 // always free: any scale will do, and 10 € is a common price
	}
	g := newGrid(max(high, 2), 2)
	p := newPlot(f, g.lines(), g.low, g.high, span.From, span.Until.Add(day))

	c := newCanvas(f)
	for _, v := range g.lines() {
		c.gridLine(p, p.y(v), f.Value(v))
	}
	s := newStairs(p, prices, span.End)
	c.path("area", s.path+"V"+number(p.bottom)+"H"+number(s.points[0].x)+"Z")
	inDays := span.Until.Sub(span.From) <= 62*day
	c.axis(p, ticks(f, span.From, span.Until, inDays, p.x(span.From.Add(day))-p.left))
	c.path("line", s.path)
	for _, at := range s.points {
		c.dot(at.x, at.y, s.radius, f.tip(at.Point))
	}
	c.label(f, p, s)
	return c.html()
}

// pricesWithin returns the prices within the span, beginning with the one that held at its start, without those that equal the
// price before. It returns the span with all its days set.
func pricesWithin(prices []Point, span Span) ([]Point, Span) {
	prices = sorted(prices)
	if len(prices) == 0 {
		return nil, span
	}
	if span.From.IsZero() {
		span.From = prices[0].Day
	}
	if span.End.IsZero() || span.End.After(span.Until) {
		span.End = span.Until
	}
	span = Span{midnight(span.From), midnight(span.Until), midnight(span.End)}
	var kept []Point
	for _, p := range prices {
		switch last := len(kept) - 1; {
		case p.Day.After(span.End) || span.End.Before(span.From):
		case !p.Day.After(span.From): // the price at the beginning of the axis
			kept = []Point{{span.From, p.Value}}
		case last < 0 || kept[last].Value != p.Value:
			kept = append(kept, p)
		}
	}
	return kept, span
}

// stairs is the line of a price in the drawing.
type stairs struct {
	points []step
	path   string
	solid  []box // the area of the line and its dots, which labels must not cover
	radius float64
}

// A step is a price and the point where it begins.
type step struct {
	Point

	x, y   float64
	change int // the difference from the price before; 0 for the first
}

func newStairs(p plot, prices []Point, until time.Time) stairs {
	s := stairs{radius: 4.5}
	switch apart := (p.right - p.left) / float64(len(prices)); {
	case apart < 12:
		s.radius = 2.5
	case apart < 24:
		s.radius = 3.5
	}
	for i, price := range prices {
		now := step{price, p.x(price.Day), p.y(price.Value), 0}
		if i == 0 {
			s.path = at("M", now.x, now.y)
		} else {
			before := s.points[i-1]
			now.change = price.Value - before.Value
			s.path += "H" + number(now.x) + "V" + number(now.y)
			s.solid = append(s.solid, stroke(before.x, before.y, now.x, before.y), stroke(now.x, before.y, now.x, now.y))
		}
		s.points = append(s.points, now)
		s.solid = append(s.solid, box{now.x, now.y, now.x, now.y}.grown(s.radius))
	}
	last, right := s.points[len(s.points)-1], p.x(until.Add(day))
	s.path += "H" + number(right)
	s.solid = append(s.solid, stroke(last.x, last.y, right, last.y))
	return s
}

// stroke returns the area that a line covers.
func stroke(x0, y0, x1, y1 float64) box {
	return box{min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)}.grown(2)
}

// labelEvery is the width in pixels for each label: more labels would crowd the chart.
const labelEvery = 56

// label writes the prices of the steps, the most important first, each where it touches neither
// another text nor the line. It leaves out a price without such a place; its dot still has a
// tooltip.
func (c *canvas) label(f Frame, p plot, s stairs) {
	inside := box{0, 0, p.right + s.radius, p.bottom}
	room := int((p.right - p.left) / labelEvery)
	crowded := len(s.points) > room
	weight := weights(s.points)
	var columns []box // the full height above and beneath each label
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

// weights returns 4 for the first point, 3 for the last, 2 for the highest, 1 for the lowest and 0
// for all others.
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

// places returns the possible places of a step's label, the best first. A label that matters may
// stand further away.
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
