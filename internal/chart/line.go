package chart

import (
	"html/template"
	"math"
	"slices"
	"strings"
	"time"
)

// Line draws one value a month. The line breaks at months without a value, and a month between two
// such gaps is a dot. The first and the last value are written beside their dots. It returns "" without values. The
// axis begins at 0, so that a change looks as large as it is.
func Line(f Frame, months []Point) template.HTML {
	months = monthly(months)
	if len(months) == 0 {
		return ""
	}
	g := lineGrid(months)
	from, until := months[0].Day, months[len(months)-1].Day
	p := newPlot(f, g.lines(), g.low, g.high, from, until)
	if !until.After(from) {
		p.until = from.Add(day) // one month: its dot is at the left
	}

	c := newCanvas(f)
	for _, v := range g.lines() {
		c.gridLine(p, p.y(v), f.Value(v))
	}
	c.axis(p, ticks(f, from, until, false, p.x(from.Add(day))-p.left))
	solid := c.curve(f, p, months)
	c.labelEnd(f, p, months[len(months)-1], solid)
	if len(months) > 1 {
		c.labelEnd(f, p, months[0], solid)
	}
	return c.html()
}

// monthly moves the points to the first of their month and keeps the last point of each month.
func monthly(points []Point) []Point {
	moved := slices.Clone(points)
	slices.SortStableFunc(moved, func(a, b Point) int { return a.Day.Compare(b.Day) })
	for i, p := range moved {
		moved[i].Day = monthOf(p.Day)
	}
	return sorted(moved)
}

func monthOf(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC) }

func lineGrid(months []Point) grid {
	high := 0
	for _, m := range months {
		high = max(high, m.Value)
	}
	if high == 0 {
		high = 1000
	}
	return newGrid(max(high, 2), 2)
}

// curve draws the values as lines from month to month, and returns the area that the lines and dots cover as small
// boxes.
func (c *canvas) curve(f Frame, p plot, months []Point) []box {
	var d strings.Builder
	var solid []box
	var dots []Point
	joined := func(i int) bool { // to the month before
		return i > 0 && i < len(months) && months[i-1].Day.AddDate(0, 1, 0).Equal(months[i].Day)
	}
	for i, m := range months {
		x, y := p.x(m.Day), p.y(m.Value)
		if joined(i) {
			d.WriteString(at("L", x, y))
			x0, y0 := p.x(months[i-1].Day), p.y(months[i-1].Value)
			for parts, k := math.Ceil((x-x0)/3), 0.0; k < parts; k++ {
				part := func(k float64) (float64, float64) { return x0 + (x-x0)*k/parts, y0 + (y-y0)*k/parts }
				ax, ay := part(k)
				bx, by := part(k + 1)
				solid = append(solid, stroke(ax, ay, bx, by))
			}
		} else {
			d.WriteString(at("M", x, y))
		}
		if !joined(i) && !joined(i+1) || i == 0 || i+1 == len(months) {
			dots = append(dots, m)
		}
	}
	c.path("line", d.String())
	for _, m := range dots {
		c.dot(p.x(m.Day), p.y(m.Value), 4.5, f.tip(m))
		solid = append(solid, stroke(p.x(m.Day), p.y(m.Value), p.x(m.Day), p.y(m.Value)).grown(2.5))
	}
	return solid
}

// labelEnd writes a value above or below its dot, as near as the line permits.
func (c *canvas) labelEnd(f Frame, p plot, last Point, solid []box) {
	x, y := p.x(last.Day), p.y(last.Value)
	for far := 0.0; far < c.size.bottom; far += 4 {
		for _, dy := range []float64{-11 - far, 21 + far} {
			for _, a := range []anchor{middle, end, start} {
				t := text{s: f.Value(last.Value), class: "lbl", anchor: a, x: x, y: y + dy}
				switch a {
				case end:
					t.x += 4.5
				case start:
					t.x -= 4.5
				case middle:
				}
				b := t.box()
				inside := box{0, 0, p.right + 5, p.bottom - 1}
				if b.within(inside) && !slices.ContainsFunc(solid, b.overlaps) && c.write(t) {
					return
				}
			}
		}
	}
}
