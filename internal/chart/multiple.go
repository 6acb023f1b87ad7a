package chart

import (
	"html/template"
	"time"
)

// The size of each of many small charts, of which a narrow layout has two in a row.
const (
	MultipleWidth  = 165
	MultipleHeight = 112
)

// Multiple draws one value a month, small, as one of many charts that share a scale: from 0 to high, and from one
// month until another. The first and the last value are written beside their dots, and the years below; there is no
// grid. It returns "" without values. The size is always that of MultipleWidth and MultipleHeight.
func Multiple(f Frame, months []Point, high int, from, until time.Time) template.HTML {
	months = monthly(months)
	if len(months) == 0 {
		return ""
	}
	f.Width, f.Height = MultipleWidth, MultipleHeight
	p := plot{
		box: box{leftMargin, topMargin, MultipleWidth - leftMargin, MultipleHeight - bottomMargin},
		low: 0, high: max(high, 2), from: monthOf(from), until: monthOf(until),
	}
	if !p.until.After(p.from) {
		p.until = p.from.Add(day)
	}
	c := newCanvas(f)
	c.path("axis", at("M", p.left, p.bottom)+"H"+number(p.right))
	solid := c.curve(f, p, months)
	c.labelEnd(f, p, months[len(months)-1], solid)
	if len(months) > 1 {
		c.labelEnd(f, p, months[0], solid)
	}
	c.write(text{s: f.Month(p.from), anchor: start, x: 0, y: c.size.bottom - 6})
	c.write(text{s: f.Month(until), anchor: end, x: c.size.right, y: c.size.bottom - 6})
	return c.html()
}
