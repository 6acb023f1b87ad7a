package main

import (
	"bytes"
	"fmt"
	"math"
	"strings"
)

const (
	plotWidth  = 900
	labelWidth = 345 // of the names on the left
	valueWidth = 70  // of the figures on the right
	rowHeight  = 24
	panelHigh  = 200 // height of a growth panel

	ink, faint, grid = "#1f2933", "#616e7c", "#d9dee4"
	good, bad, plain = "#2f7d5b", "#b8442f", "#7b8794"
)

// A drawing is an SVG that grows downwards; y is where the next part goes.
type drawing struct {
	body bytes.Buffer
	y    float64
}

// svg draws the ratios of the classes and, below them, the costs by catalog size.
func (r report) svg() []byte {
	var d drawing
	d.y = 30
	d.bars("Requests per second, as a multiple of the base's", linearAxis(r.Results), pick(r.Results, false))
	d.bars("The same against peers with a database (logarithmic)", logAxis(r.Results), pick(r.Results, true))
	if d.y > 30 {
		d.legend()
	}
	if len(r.Growth) > 1 {
		d.growth(r.Growth)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" width="%d" height="%.0f" font-family="Helvetica, Arial, sans-serif" font-size="12">`+"\n",
		plotWidth, d.y, plotWidth, d.y)
	fmt.Fprintf(&out, `<rect width="100%%" height="100%%" fill="#ffffff"/>`+"\n")
	out.Write(d.body.Bytes())
	out.WriteString("</svg>\n")
	return out.Bytes()
}

// far reports whether a class's ratios are of another order of magnitude, and belong in the logarithmic plot.
func far(r result) bool { return r.Base == goPgx || r.Base == pocketBase }

// pick returns the measured results that belong in one plot: the logarithmic one if wide is set.
func pick(results []result, wide bool) (list []result) {
	for _, r := range results {
		if r.Err == nil && far(r) == wide {
			list = append(list, r)
		}
	}
	return list
}

// An axis maps a value to a position from 0 to 1.
type axis struct {
	place func(float64) float64
	ticks []float64
}

func linearAxis(results []result) axis {
	most := 1.0
	for _, r := range pick(results, false) {
		most = max(most, r.Rate.Q3, r.Goal)
	}
	most = math.Ceil(most*4+0.2) / 4
	a := axis{place: func(x float64) float64 { return x / most }}
	for x := 0.0; x <= most; x += 0.25 {
		a.ticks = append(a.ticks, x)
	}
	return a
}

func logAxis(results []result) axis {
	least, most := 1.0, 10.0
	for _, r := range pick(results, true) {
		least, most = min(least, r.Rate.Q1), max(most, r.Rate.Q3*1.1, r.Goal*1.1)
	}
	a := axis{place: func(x float64) float64 { return math.Log(x/least) / math.Log(most/least) }}
	for _, x := range []float64{0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000} {
		if x >= least && x <= most {
			a.ticks = append(a.ticks, x)
		}
	}
	return a
}

func (d *drawing) bars(title string, a axis, results []result) {
	if len(results) == 0 {
		return
	}
	x := func(ratio float64) float64 {
		return labelWidth + min(1, max(0, a.place(ratio)))*(plotWidth-labelWidth-valueWidth)
	}
	d.text(20, d.y, "start", ink, "bold", title)
	top := d.y + 14
	bottom := top + float64(len(results))*rowHeight + 4
	for _, tick := range a.ticks {
		color := grid
		if tick == 1 {
			color = ink
		}
		d.line(x(tick), top, x(tick), bottom, color, 1)
		d.text(x(tick), bottom+15, "middle", faint, "normal", fmt.Sprintf("%g", tick))
	}
	for i, r := range results {
		middle := top + float64(i)*rowHeight + rowHeight/2 + 2
		d.bar(x, r, middle)
	}
	d.y = bottom + 50
}

func (d *drawing) bar(x func(float64) float64, r result, middle float64) {
	color := plain
	if r.Goal > 0 {
		color = bad
		if r.Met() {
			color = good
		}
	}
	d.text(labelWidth-10, middle+4, "end", ink, "normal", r.label())
	fmt.Fprintf(&d.body, `<rect x="%.1f" y="%.1f" width="%.1f" height="14" fill="%s"/>`+"\n",
		float64(labelWidth), middle-7, x(r.Rate.Median)-labelWidth, color)
	d.line(x(r.Rate.Q1), middle, x(r.Rate.Q3), middle, ink, 1.5)
	d.line(x(r.Rate.Q1), middle-3.5, x(r.Rate.Q1), middle+3.5, ink, 1.5)
	d.line(x(r.Rate.Q3), middle-3.5, x(r.Rate.Q3), middle+3.5, ink, 1.5)
	if r.Goal > 0 {
		d.line(x(r.Goal), middle-10, x(r.Goal), middle+10, "#e0a100", 3)
	}
	d.text(plotWidth-10, middle+4, "end", ink, "bold", ratio(r.Rate.Median))
}

func (d *drawing) legend() {
	y, x := d.y-14, 20.0
	for _, e := range []struct{ color, label string }{
		{good, "goal met"}, {bad, "goal not met"}, {plain, "no goal"}, {"#e0a100", "the goal"}, {ink, "quartiles"},
	} {
		fmt.Fprintf(&d.body, `<rect x="%.1f" y="%.1f" width="12" height="12" fill="%s"/>`+"\n", x, y-10, e.color)
		d.text(x+17, y, "start", faint, "normal", e.label)
		x += 40 + 7*float64(len(e.label))
	}
	d.y += 30
}

func (d *drawing) text(x, y float64, anchor, color, weight, s string) {
	s = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
	fmt.Fprintf(&d.body, `<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s" font-weight="%s">%s</text>`+"\n", x, y, anchor, color, weight, s)
}

func (d *drawing) line(x1, y1, x2, y2 float64, color string, width float64) {
	fmt.Fprintf(&d.body, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="%g"/>`+"\n", x1, y1, x2, y2, color, width)
}
