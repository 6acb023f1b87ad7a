package chart

import (
	"html/template"
	"time"
)

// A Span is the time that a chart shows, whole days, both included. The line may begin and end
// inside it: charts with one time axis stand under each other, such as one for each billing period
// that a price has had.
type Span struct {
	From  time.Time // where the axis begins; zero for the first point
	Until time.Time // where it ends: today
	End   time.Time // the last day of the line; zero for Until
}

// Steps draws a price over time. A price holds until the next one, or to the end. Of several
// changes on one day only the last is drawn: the others held for no day. Without a price up to the
// end there is nothing to draw, and Steps returns "".
//
// Rises have their price above the step, falls beneath it. There is one for every 56 pixels of
// width at most. Where there is no room for all, the first and the last price come before the
// highest and the lowest, and those before the largest changes.
func Steps(f Frame, prices []Point, span Span) template.HTML {
	prices, span = held(prices, span)
	if len(prices) == 0 {
		return ""
	}
	high := 0
	for _, p := range prices {
		high = max(high, p.Value)
	}
	if high == 0 {
		high = 1000 // free since ever: any scale will do, and 10 € is a common price
	}
	g := newGrid(0, max(high, 2), 2)
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

// held returns the prices that hold within the span, each different from the one before, and the
// span with nothing left open.
func held(prices []Point, span Span) ([]Point, Span) {
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
		case !p.Day.After(span.From): // what held when the axis begins
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
	solid  []box // the line and its dots, which labels keep away from
	radius float64
}

// A step is a price and the place where it begins.
type step struct {
	Point

	x, y   float64
	change int // how much more or less than the price before
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

// stroke is what a line from one place to another covers.
func stroke(x0, y0, x1, y1 float64) box {
	return box{min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)}.grown(2)
}
