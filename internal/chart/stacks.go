package chart

import (
	"html/template"
	"strconv"
	"strings"
	"time"
)

// MaxParts is the most parts of a bar that have a colour of their own.
const MaxParts = 5

// stack draws the parts of a bar on top of each other, the first at the bottom, and what is left of its value above
// them. A bar that reached its limit has a red top.
func (c *canvas) stack(p plot, place func(top, bottom float64) box, b Bar, tip string) {
	below := 0
	draw := func(class string, n int) {
		if n > 0 {
			c.rect(class, place(p.y(below+n), p.y(below)), tip)
			below += n
		}
	}
	for i, n := range b.Parts {
		draw("bar part"+strconv.Itoa(min(i, MaxParts-1)+1), min(n, b.Value-below))
	}
	draw("bar rest", b.Value-below)
	if b.Full {
		top := p.y(b.Value)
		c.rect("bar over", place(top, top+4), "")
	}
}

// Swatch is the colour of a part, counted from 0, to stand beside its name. The part MaxParts is what is left.
func Swatch(part int) template.HTML {
	class := "rest"
	if part < MaxParts {
		class = "part" + strconv.Itoa(part+1)
	}
	return template.HTML(`<svg class="chart swatch" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true"><path class="bar ` + class + `" d="M1 1h10v10H1z"/></svg>`) //nolint:gosec // no text of others
}

// An Hour counts what succeeded and what failed in an hour.
type Hour struct{ Done, Fail int }

// Hours draws the last hours, the oldest first, as one bar each: what succeeded, and on top of it what failed. ago
// writes how many hours ago a bar begins, on the time axis, and 0 at its end. It returns "" without hours.
func Hours(f Frame, hours []Hour, ago func(hours int) string, tip func(i int) string) template.HTML {
	if len(hours) == 0 {
		return ""
	}
	high := 3
	for _, h := range hours {
		high = max(high, h.Done+h.Fail)
	}
	g := newGrid(high, 2)
	p := newPlot(f, g.lines(), 0, high, time.Time{}, time.Time{})
	p.top = 16
	c := newCanvas(f)
	for _, v := range g.lines() {
		c.gridLine(p, p.y(v), f.Value(v))
	}
	s := newSlots(p, len(hours))
	var d strings.Builder
	d.WriteString(moveTo(p.left, p.bottom) + "H" + number(p.right))
	for i, h := range hours {
		if h.Done > 0 {
			c.rect("bar", s.box(i, p.y(h.Done), p.bottom), tip(i))
		}
		if h.Fail > 0 {
			c.rect("bar over", s.box(i, p.y(h.Done+h.Fail), p.y(h.Done)), tip(i))
		}
	}
	c.write(c.tickText(ago(0), p.right))
	for i := 0; i < len(hours); i += 6 {
		x := s.left + float64(i)*s.each
		if c.write(c.tickText(ago(len(hours)-i), x)) {
			d.WriteString(moveTo(x, p.bottom) + "v5")
		}
	}
	c.path("axis", d.String())
	return c.html()
}

func moveTo(x, y float64) string { return "M" + number(x) + " " + number(y) }
