package chart

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// The room around the data.
const (
	leftMargin   = 5 // half a dot
	topMargin    = 34
	bottomMargin = 26
	leastGutter  = 28 // at the right, for the values of the grid
	gutterGap    = 8
	day          = 24 * time.Hour
)

// A grid has lines behind the data: multiples of a step that is 1, 2 or 5 times a power of ten.
type grid struct{ low, high, step int }

// newGrid returns the grid from 0 with the largest step that has at least the given number of lines above 0; for 2, it
// has at most 6. high must be at least 2.
func newGrid(high, least int) grid {
	for step := ceilingStep(high); ; step = smallerStep(step) {
		if high/step >= least || step == 1 {
			return grid{0, high, step}
		}
	}
}

// ceilingStep returns the smallest step not below v.
func ceilingStep(v int) int {
	step := 1
	for step < v {
		step *= 10
	}
	return step
}

// smallerStep returns the next smaller step: 10, 5, 2, 1.
func smallerStep(step int) int {
	if first, _ := strconv.Atoi(strconv.Itoa(step)[:1]); first == 5 {
		return step / 5 * 2
	}
	return step / 2
}

// lines returns the values that get a line. The lowest gets none, because the axis is there.
func (g grid) lines() []int {
	var values []int
	for v := g.low + g.step; v <= g.high; v += g.step {
		values = append(values, v)
	}
	return values
}

// A plot maps data to the area in which it is drawn: values from bottom to top, time from left to right.
type plot struct {
	box
	low, high   int
	from, until time.Time
}

// newPlot returns a plot that leaves room at the right for the values shown on the grid.
func newPlot(f Frame, shown []int, low, high int, from, until time.Time) plot {
	gutter := float64(leastGutter)
	for _, v := range shown {
		gutter = math.Max(gutter, gutterGap+width(f.Value(v), 12)+1)
	}
	w, h := float64(f.Width), float64(f.Height)
	return plot{box{leftMargin, topMargin, w - gutter, h - bottomMargin}, low, high, from, until}
}

func (p plot) x(t time.Time) float64 {
	return p.left + float64(t.Sub(p.from))/float64(p.until.Sub(p.from))*(p.right-p.left)
}

func (p plot) y(v int) float64 {
	return p.bottom - float64(v-p.low)/float64(p.high-p.low)*(p.bottom-p.top)
}

// gridLine draws a line across the plot with its value at the right.
func (c *canvas) gridLine(p plot, y float64, label string) {
	c.grid = append(c.grid, box{p.left, y, p.right, y})
	c.write(text{s: label, anchor: start, x: p.right + gutterGap, y: y + 4})
}

// A tick is a mark on the time axis.
type tick struct {
	t     time.Time
	label string
}

// An interval is the time between two ticks: some months, or some days.
type interval struct{ months, days int }

// intervals are the possible intervals of a time axis, the shortest first.
var intervals = []interval{
	{days: 1},
	{days: 2},
	{days: 5},
	{days: 10},
	{days: 15},
	{months: 1},
	{months: 2},
	{months: 3},
	{months: 6},
	{months: 12},
	{months: 24},
	{months: 60},
	{months: 120},
	{months: 240},
}

// ticks returns as many ticks as there is room for, all at one interval: of days if inDays, else of months. perDay is
// the width of a day in pixels.
func ticks(f Frame, from, until time.Time, inDays bool, perDay float64) []tick {
	var marks []tick
	for _, i := range intervals {
		if (i.days > 0) != inDays {
			continue
		}
		marks = i.ticks(f, from, until)
		need := 28.0
		if inDays { // one of them gets its year added
			need += width(" 2000", 12)
		}
		var widest float64
		for _, m := range marks {
			widest = math.Max(widest, width(m.label, 12))
		}
		if (float64(i.months)*30.4+float64(i.days))*perDay >= widest+need {
			break
		}
	}
	return marks
}

func (i interval) ticks(f Frame, from, until time.Time) []tick {
	var marks []tick
	if i.days > 0 {
		for t := from; !t.After(until); t = t.AddDate(0, 0, i.days) {
			marks = append(marks, tick{t, f.Day(t)})
		}
		return marks
	}
	t := time.Date(from.Year(), from.Month(), 1, 0, 0, 0, 0, time.UTC)
	for ; !t.After(until); t = t.AddDate(0, 1, 0) {
		since := t.Year()*12 + int(t.Month()) - 1
		switch {
		case t.Before(from), since%i.months != 0:
		case t.Month() == time.January:
			marks = append(marks, tick{t, strconv.Itoa(t.Year())})
		default:
			marks = append(marks, tick{t, f.Month(t)})
		}
	}
	return marks
}

// timeAxis writes the labels of the ticks at the bottom of the drawing. If none of them is a year, it adds the year to
// one. It returns the ticks whose label found room.
func (c *canvas) timeAxis(marks []tick, x func(time.Time) float64) []tick {
	texts := make([]text, len(marks))
	years := false
	for i, m := range marks {
		texts[i] = c.tickText(m.label, x(m.t))
		years = years || m.label == strconv.Itoa(m.t.Year())
	}
	for i := range marks {
		if years {
			break
		}
		dated := c.tickText(marks[i].label+"\u00a0"+strconv.Itoa(marks[i].t.Year()), x(marks[i].t))
		if i+1 == len(marks) || !dated.box().grown(4).overlaps(texts[i+1].box()) {
			texts[i], years = dated, true
		}
	}
	var written []tick
	for i, t := range texts {
		if c.write(t) {
			written = append(written, marks[i])
		}
	}
	return written
}

// axis draws the time axis, on which the data stands, with its ticks.
func (c *canvas) axis(p plot, marks []tick) {
	var d strings.Builder
	d.WriteString(at("M", p.left, p.bottom) + "H" + number(p.right))
	for _, m := range c.timeAxis(marks, p.x) {
		d.WriteString(at("M", p.x(m.t), p.bottom) + "v5")
	}
	c.path("axis", d.String())
}

// tickText returns the text of a tick, centred on it unless it would cross an edge.
func (c *canvas) tickText(s string, x float64) text {
	half := width(s, 12)/2 + 1
	x = math.Min(math.Max(x, half), c.size.right-half)
	return text{s: s, anchor: middle, x: x, y: c.size.bottom - 6}
}
