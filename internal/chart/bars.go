package chart

import (
	"html/template"
	"strings"
	"time"
)

// A Movement counts the prices that rose and fell in a month.
type Movement struct {
	Month    time.Time
	Up, Down int
}

// MovementWords are the texts of a chart of movements.
type MovementWords struct {
	Up, Down string                // the legend: "hausses", "baisses"
	Tip      func(Movement) string // the tooltip of a bar; nil for none
}

// Movements draws rises as bars upwards and falls as bars downwards, on one scale, and writes the
// highest number of each. months must be in order without gaps. It returns "" without months.
func Movements(f Frame, w MovementWords, months []Movement) template.HTML {
	if len(months) == 0 {
		return ""
	}
	up, down := 1, 1
	for _, m := range months {
		up, down = max(up, m.Up), max(down, m.Down)
	}
	step := max(ceilingStep(up), ceilingStep(down))
	for up/step+down/step < 2 {
		step = smallerStep(step)
	}
	rises, falls := grid{0, up, step}.lines(), grid{0, down, step}.lines()
	p := newPlot(f, append(rises, falls...), -down, up, time.Time{}, time.Time{})
	p.top, p.bottom = 46, p.bottom-18 // the key above, and room for a number beyond the bars

	c := newCanvas(f)
	key := text{s: w.Up, class: "key up", anchor: start, x: p.left, y: 14}
	c.write(key)
	c.write(text{s: w.Down, class: "key down", anchor: start, x: key.box().right + 14, y: 14})
	for _, v := range rises {
		c.gridLine(p, p.y(v), f.Value(v))
	}
	for _, v := range falls {
		c.gridLine(p, p.y(-v), f.Value(v))
	}
	c.movementBars(f, w, p, months)
	c.path("axis", at("M", p.left, p.y(0))+"H"+number(p.right))
	return c.html()
}

func (c *canvas) movementBars(f Frame, w MovementWords, p plot, months []Movement) {
	slots := newSlots(p, len(months))
	highest, lowest := 0, 0
	for i, m := range months {
		if m.Up >= months[highest].Up {
			highest = i
		}
		if m.Down >= months[lowest].Down {
			lowest = i
		}
		tip := ""
		if w.Tip != nil {
			tip = w.Tip(m)
		}
		if m.Up > 0 {
			c.rect("bar up", slots.box(i, p.y(m.Up), p.y(0)), tip)
		}
		if m.Down > 0 {
			c.rect("bar down", slots.box(i, p.y(0), p.y(-m.Down)), tip)
		}
	}
	if n := months[highest].Up; n > 0 {
		c.write(text{s: f.Value(n), class: "lbl up", anchor: middle, x: slots.middle(highest), y: p.y(n) - 6})
	}
	if n := months[lowest].Down; n > 0 {
		c.write(text{s: f.Value(n), class: "lbl down", anchor: middle, x: slots.middle(lowest), y: p.y(-n) + 17})
	}
	c.monthAxis(f, slots, months[0].Month, len(months))
}

// monthAxis writes the ticks of bars, one for each month.
func (c *canvas) monthAxis(f Frame, slots slots, first time.Time, n int) {
	from := time.Date(first.Year(), first.Month(), 1, 0, 0, 0, 0, time.UTC)
	marks := ticks(f, from, from.AddDate(0, n-1, 0), false, slots.each/30.4)
	c.timeAxis(marks, func(t time.Time) float64 { return slots.middle(monthsBetween(from, t)) })
}

func monthsBetween(from, to time.Time) int {
	return (to.Year()-from.Year())*12 + int(to.Month()) - int(from.Month())
}

// within writes a text in the middle of its place, or else on the side on which it stays in the plot.
func (c *canvas) within(p plot, t text) {
	for _, t.anchor = range []anchor{middle, start, end} {
		if t.box().right <= p.right && c.write(t) {
			return
		}
	}
}

// Months draws one bar a month, and hollow ones after the month of today, whose bar has its value and the word now
// above it. months must be in order without gaps. It returns "" without months.
func Months(f Frame, months []Point, today time.Time, now string) template.HTML {
	if len(months) == 0 {
		return ""
	}
	high := 2
	for _, m := range months {
		high = max(high, m.Value)
	}
	g := newGrid(high, 2)
	p := newPlot(f, g.lines(), 0, high, time.Time{}, time.Time{})
	p.top = 44 // two lines of text above the highest bar

	c := newCanvas(f)
	slots := newSlots(p, len(months))
	this := monthsBetween(months[0].Day, today)
	if i := this; i >= 0 && i < len(months) {
		c.within(p, text{s: f.Value(months[i].Value), class: "lbl", x: slots.middle(i), y: p.y(months[i].Value) - 6})
		c.within(p, text{s: now, class: "key", x: slots.middle(i), y: p.y(months[i].Value) - 24})
	}
	for _, v := range g.lines() {
		c.gridLine(p, p.y(v), f.Value(v))
	}
	for i, m := range months {
		class := "bar"
		switch {
		case i == this:
			class += " today"
		case i > this:
			class += " next"
		}
		if m.Value > 0 {
			c.rect(class, slots.box(i, p.y(m.Value), p.bottom), f.tip(m))
		}
	}
	c.path("axis", at("M", p.left, p.bottom)+"H"+number(p.right))
	c.monthAxis(f, slots, months[0].Day, len(months))
	return c.html()
}

// A Bar is the value of a day. Full means that the day reached its limit.
type Bar struct {
	Day   time.Time
	Value int
	Full  bool
	Parts []int // what the value is made of, drawn on top of each other; nil for one bar of one colour
}

func (b Bar) class(today bool) string {
	class := "bar"
	if today {
		class += " today"
	}
	if b.Full {
		class += " over"
	}
	return class
}

// Bars draws one bar a day, and a line at the limit unless that is 0. days must be in order without
// gaps; the last one is today. It returns "" without days.
func Bars(f Frame, days []Bar, limit int) template.HTML {
	if len(days) == 0 {
		return ""
	}
	high := max(limit, 3)
	for _, d := range days {
		high = max(high, d.Value)
	}
	g := newGrid(high, 3)
	p := newPlot(f, append(g.lines(), limit), 0, high, time.Time{}, time.Time{})
	p.top = 24

	c := newCanvas(f)
	if limit > 0 { // before the grid: what is written first takes the room
		c.write(text{s: f.Value(limit), class: "cap-l", anchor: start, x: p.right + gutterGap, y: p.y(limit) + 4})
	}
	for _, v := range g.lines() {
		if v != limit {
			c.gridLine(p, p.y(v), f.Value(v))
		}
	}
	slots := newSlots(p, len(days))
	for i, d := range days {
		switch tip := f.tip(Point{d.Day, d.Value}); {
		case d.Value <= 0:
		case d.Parts != nil:
			c.stack(p, func(top, bottom float64) box { return slots.box(i, top, bottom) }, d, tip)
		default:
			c.rect(d.class(i == len(days)-1), slots.box(i, p.y(d.Value), p.bottom), tip)
		}
	}
	c.path("axis", at("M", p.left, p.bottom)+"H"+number(p.right))
	if limit > 0 {
		c.path("cap", at("M", p.left, p.y(limit))+"H"+number(p.right))
	}
	from := midnight(days[0].Day)
	marks := ticks(f, from, days[len(days)-1].Day, true, slots.each)
	c.timeAxis(marks, func(t time.Time) float64 { return slots.middle(int(t.Sub(from) / day)) })
	return c.html()
}

// slots divide the plot between bars.
type slots struct{ left, each float64 }

func newSlots(p plot, n int) slots { return slots{p.left, (p.right - p.left) / float64(n)} }

func (s slots) middle(i int) float64 { return s.left + (float64(i)+.5)*s.each }

// box returns the place of a bar, with a gap to the next and a bounded width.
func (s slots) box(i int, top, bottom float64) box {
	half := min(s.each*.36, 16)
	return box{s.middle(i) - half, top, s.middle(i) + half, bottom}
}

// Scale draws a score on a ruler from 0 to 10, in hundredths: 910 is 9.1. It is decoration beside
// the number.
func Scale(hundredths int) template.HTML {
	score := number(float64(min(max(hundredths, 0), 1000)) / 10)
	var ticks strings.Builder
	for i := 1; i < 10; i++ {
		ticks.WriteString(at("M", float64(i*10)-.5, 0) + "h1v8h-1z")
	}
	return template.HTML(`<svg class="scale" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">` + //nolint:gosec // numbers only
		`<path class="base" d="M0 0h100v8H0z"/><path class="val" d="M0 0h` + score + `v8H0z"/>` +
		`<path class="tick" d="` + ticks.String() + `"/></svg>`)
}
