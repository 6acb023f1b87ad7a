package main

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// A curve is a cost as a function of the catalog's size.
type curve struct {
	name, color string
	of          func(growth) float64
}

var (
	cpuCurves = []curve{
		{"first page", "#1d6fa5", func(g growth) float64 { return g.FirstPage }},
		{"tenth page, by name", "#c2571a", func(g growth) float64 { return g.DeepPage }},
		{"one tool", "#2f7d5b", func(g growth) float64 { return g.One }},
	}
	timeCurves = []curve{
		{"first publication", "#1d6fa5", func(g growth) float64 { return g.First.Seconds() }},
		{"100 changed tools", "#c2571a", func(g growth) float64 { return g.Change.Seconds() }},
		{"swap on the node", "#2f7d5b", func(g growth) float64 { return g.Swap().Seconds() }},
	}
)

// growth draws two panels side by side: CPU and publishing time, by the number of tools.
func (d *drawing) growth(rows []growth) {
	most := 0.0
	least, longest := math.Inf(1), 0.0
	for _, g := range rows {
		for _, c := range cpuCurves {
			most = max(most, c.of(g))
		}
		for _, c := range timeCurves {
			if s := c.of(g); s > 0 {
				least, longest = min(least, s), max(longest, s)
			}
		}
	}
	step := niceStep(most / 4)
	most = math.Ceil(most/step*1.05) * step
	cpu := axis{place: func(x float64) float64 { return x / most }}
	for x := 0.0; x <= most+step/2; x += step {
		cpu.ticks = append(cpu.ticks, x)
	}
	low, high := math.Floor(math.Log10(least)), math.Ceil(math.Log10(longest))
	times := axis{place: func(x float64) float64 { return (math.Log10(max(x, math.Pow(10, low))) - low) / (high - low) }}
	for e := low; e <= high; e++ {
		times.ticks = append(times.ticks, math.Pow(10, e))
	}
	const half = plotWidth / 2
	d.panel(60, half-30, "CPU of the server per request, by tools", cpu, func(x float64) string { return fmt.Sprintf("%g µs", x) }, cpuCurves, rows)
	d.panel(half+60, plotWidth-30, "Publishing, by tools (logarithmic)", times, plainDuration, timeCurves, rows)
	d.y += panelHigh + 80
}

// panel draws curves between two x positions, with the legend under the title.
func (d *drawing) panel(left, right float64, title string, a axis, label func(float64) string, curves []curve, rows []growth) {
	d.text(left-40, d.y, "start", ink, "bold", title)
	at := left - 40
	for _, c := range curves {
		d.line(at, d.y+16, at+14, d.y+16, c.color, 3)
		d.text(at+19, d.y+20, "start", faint, "normal", c.name)
		at += 40 + 6.2*float64(len(c.name))
	}
	top := d.y + 38
	bottom := top + panelHigh
	y := func(v float64) float64 { return bottom - a.place(v)*panelHigh }
	for _, tick := range a.ticks {
		d.line(left, y(tick), right, y(tick), grid, 1)
		d.text(left-6, y(tick)+4, "end", faint, "normal", label(tick))
	}
	first, last := math.Log(float64(rows[0].Tools)), math.Log(float64(rows[len(rows)-1].Tools))
	x := func(g growth) float64 {
		return left + 20 + (math.Log(float64(g.Tools))-first)/(last-first)*(right-left-50)
	}
	for _, g := range rows {
		d.text(x(g), bottom+18, "middle", faint, "normal", thousands(g.Tools))
	}
	for _, c := range curves {
		var points []string
		for _, g := range rows {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(g), y(c.of(g))))
			fmt.Fprintf(&d.body, `<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"/>`+"\n", x(g), y(c.of(g)), c.color)
		}
		fmt.Fprintf(&d.body, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.Join(points, " "), c.color)
	}
}

// niceStep returns the smallest number of at least x that is 1, 2 or 5 times a power of ten.
func niceStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= x {
			return m * power
		}
	}
	return 10 * power
}

// plainDuration returns the label of a power of ten of seconds.
func plainDuration(seconds float64) string {
	switch d := time.Duration(math.Round(seconds * 1e9)); {
	case d >= time.Second:
		return fmt.Sprintf("%g s", math.Round(d.Seconds()))
	case d >= time.Millisecond:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	default:
		return fmt.Sprintf("%d µs", d.Microseconds())
	}
}
