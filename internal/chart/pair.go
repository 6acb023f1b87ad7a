package chart

import "html/template"

// A Series is the price of one thing over time.
type Series struct {
	Name   string
	Prices []Point
}

// The room around the data of a pair.
const (
	pairLeft  = 46  // the values of the grid
	pairRight = 112 // the name and the last price of each line
	pairTop   = 14
	pairApart = 38 // from the name of one line to that of the other
)

// Pair draws two prices over time as step lines in one chart, the second dashed, each with its name and last price at
// its end. It returns "" unless both have a price in the span.
func Pair(f Frame, first, second Series, span Span) template.HTML {
	var lines [2][]Point
	high := 0
	for i, s := range []Series{first, second} {
		lines[i], _ = pricesWithin(s.Prices, span)
		if len(lines[i]) == 0 {
			return ""
		}
		for _, p := range lines[i] {
			high = max(high, p.Value)
		}
	}
	_, span = pricesWithin(first.Prices, span)
	g := newGrid(max(high, 2), 2)
	p := plot{
		box: box{pairLeft, pairTop, float64(f.Width) - pairRight, float64(f.Height) - bottomMargin},
		low: g.low, high: g.high, from: span.From, until: span.Until.Add(day),
	}
	c := newCanvas(f)
	for _, v := range append([]int{0}, g.lines()...) {
		if v > 0 {
			c.grid = append(c.grid, box{p.left, p.y(v), p.right, p.y(v)})
		}
		c.write(text{s: f.Value(v), anchor: end, x: p.left - 8, y: p.y(v) + 4})
	}
	c.axis(p, ticks(f, span.From, span.Until, span.Until.Sub(span.From) <= 62*day, p.x(span.From.Add(day))-p.left))
	for i, class := range []string{"line", "line second"} {
		s := newStairs(p, lines[i], span.Until)
		c.path(class, s.path)
		for _, at := range s.points[1:] {
			c.dot(at.x, at.y, min(s.radius, 4), f.tip(at.Point))
		}
	}
	c.namePair(f, p, [2]string{first.Name, second.Name}, [2]Point{lines[0][len(lines[0])-1], lines[1][len(lines[1])-1]})
	return c.html()
}

// namePair writes the last price and the name of both lines at their ends, one above the other if the ends are near.
func (c *canvas) namePair(f Frame, p plot, names [2]string, last [2]Point) {
	at := [2]float64{p.y(last[0].Value), p.y(last[1].Value)}
	upper, lower := 0, 1
	if at[1] < at[0] {
		upper, lower = 1, 0
	}
	if near := pairApart - (at[lower] - at[upper]); near > 0 {
		at[upper], at[lower] = at[upper]-near/2, at[lower]+near/2
	}
	if over := p.top - at[upper]; over > 0 {
		at[upper], at[lower] = at[upper]+over, at[lower]+over
	}
	if over := at[lower] + 20 - p.bottom; over > 0 {
		at[upper], at[lower] = at[upper]-over, at[lower]-over
	}
	for i, name := range names {
		name, _ = within(name, 12, pairRight-gutterGap-2)
		c.write(text{s: f.Value(last[i].Value), class: "lbl", anchor: start, x: p.right + gutterGap, y: at[i] + 1})
		c.write(text{s: name, class: "key", anchor: start, x: p.right + gutterGap, y: at[i] + 17})
	}
}
