package chart

import (
	"cmp"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Life is a line of a chart of lives.
type Life struct {
	Name, Path string
	From       time.Time // the day on which it began; zero where that is not known
	Until      time.Time // the day on which it ended; zero while it lasts
	End        time.Time // of one that lasts: the day announced for its end
	Score      string    // stands in the frame at its end; "" for a cross
	Fates      []string  // what became of it, the longest wording first; the first that has room is written
}

// LivesWords are the texts of a chart of lives.
type LivesWords struct {
	Today string                 // over the line of today
	Died  func(time.Time) string // an end that has no line: "† 14 juin 2024"
	Ends  func(time.Time) string // an announced end: "† juin 2028"
}

// The measures of a chart of lives. A narrow one has the name above its line, a wide one beside it.
const (
	lifeSize    = 15 // of names
	frameHeight = 22
	lifeLead    = 22 // the dots of a beginning that is not known
	lifeTail    = 30 // the dots of an announced end
	crowded     = 20 // with more lives, rows are lower
	widestName  = 200
	wideFrom    = 500
)

// LivesHeight returns the height of a chart of so many lives.
func LivesHeight(width, lives int) int {
	return livesTop + lives*int(livesRow(width, lives)) + bottomMargin
}

// livesTop is the height above the first row.
const livesTop = 30

// livesRow returns the height of a row.
func livesRow(width, lives int) float64 {
	switch {
	case width < wideFrom:
		return 50
	case lives > crowded:
		return 28
	default:
		return 38
	}
}

// Lives draws a line for each life, in their order, from its beginning to the frame with its last score. A beginning
// that is not known is dotted from the left, and so is an announced end past today. since is the day on which the
// record begins; zero for the first known day. A life that ended before has no line. The drawing is hidden from
// screen readers, and its links from the keyboard: a table with the same links must stand beside it. It takes its
// height from the number of lives, and returns "" without any.
func Lives(f Frame, w LivesWords, lives []Life, since, today time.Time) template.HTML {
	if len(lives) == 0 {
		return ""
	}
	f.Height = LivesHeight(f.Width, len(lives))
	d := newLifelines(f, w, lives, since, today)
	d.write(text{s: w.Today, class: "val", anchor: middle, x: d.right, y: 14})
	for i, l := range lives {
		d.life(l, float64(i))
	}
	d.scale()
	return d.html()
}

// lifelines is a chart of lives while it is drawn.
type lifelines struct {
	*canvas
	plot

	frame     Frame
	words     LivesWords
	each      float64
	names     float64 // the width for names in a wide chart; 0 in a narrow one
	today     time.Time
	stationed []box // frames and texts that the lines of the grid go around
}

func newLifelines(f Frame, w LivesWords, lives []Life, since, today time.Time) *lifelines {
	top, each := float64(livesTop), livesRow(f.Width, len(lives))
	d := &lifelines{canvas: newCanvas(f), frame: f, words: w, each: each, today: today}
	d.head.Reset()
	size := strconv.Itoa(f.Width) + `" height="` + strconv.Itoa(f.Height)
	d.head.WriteString(`<svg class="chart" viewBox="0 0 ` + strconv.Itoa(f.Width) + ` ` + strconv.Itoa(f.Height) +
		`" width="` + size + `" aria-hidden="true">`)

	right, before := width(w.Today, 12)/2+2, 0.0
	for _, l := range lives {
		if f.Width >= wideFrom {
			d.names = max(d.names, width(shorten(l.Name, widestName), lifeSize))
		}
		if l.From.IsZero() {
			before = lifeLead
		}
		if l.Until.IsZero() && !l.End.IsZero() {
			right = max(right, lifeTail)
			if f.Width >= wideFrom {
				right = max(right, lifeTail+8+width(w.Ends(l.End), 12)+2)
			}
		}
	}
	if f.Width >= wideFrom {
		for _, l := range lives { // the shortest wording of what became of it has room beside the last frame
			if n := len(l.Fates); n > 0 && !l.Until.IsZero() {
				right = max(right, min(10+width(l.Fates[n-1], lifeSize), 120))
			}
		}
	}
	left := before + 3
	if d.names > 0 {
		left += d.names + 14
	}
	d.plot = plot{box: box{left, top, float64(f.Width) - right, float64(f.Height) - bottomMargin}}
	d.from, d.until = firstDay(lives, since, today), midnight(today)
	return d
}

// firstDay returns the day on which the axis begins.
func firstDay(lives []Life, since, today time.Time) time.Time {
	first := midnight(since)
	if since.IsZero() {
		first = midnight(today)
		for _, l := range lives {
			for _, t := range []time.Time{l.From, l.Until} {
				if !t.IsZero() && t.Before(first) {
					first = midnight(t)
				}
			}
		}
	}
	if least := midnight(today).Add(-30 * day); first.After(least) {
		return least
	}
	return first
}

// life draws a life in its row.
func (d *lifelines) life(l Life, row float64) {
	top := d.top + row*d.each
	y, name := top+d.each/2, text{s: l.Name, class: "lbl", anchor: end, x: d.names, y: top + d.each/2 + 5}
	room := widestName + .1
	fate := text{class: "lbl fate", anchor: start, y: y + 5}
	if d.names == 0 {
		y = top + 33
		name.anchor, name.x, name.y = start, 1, top+16
		fate.anchor, fate.x, fate.y = end, d.size.right-1, top+16
		room = d.size.right - 2
		if n := len(l.Fates); n > 0 && !l.Until.IsZero() {
			room -= min(width(l.Fates[n-1], lifeSize), room/2) + 12
		}
		if l.Until.IsZero() && !l.End.IsZero() {
			room -= width(d.words.Ends(l.End), 12) + 12
		}
	}
	name.s = shorten(l.Name, room)
	d.link(name, l.Path)
	from := d.left
	if l.From.IsZero() || l.From.Before(d.from) {
		if l.From.IsZero() {
			d.path("life before", at("M", d.left-lifeLead, y)+"H"+number(d.left))
		}
	} else {
		from = d.x(midnight(l.From))
		d.path("life", at("M", from, y-5)+"v10")
	}
	switch {
	case l.Until.IsZero():
		d.living(l, fate, from, y)
	case !l.Until.After(d.from):
		d.told(text{s: d.words.Died(l.Until), class: "lbl fate", anchor: start, x: d.left + 8, y: y + 5})
		if d.names == 0 {
			d.fate(l, fate)
		}
	default:
		d.dead(l, fate, from, y)
	}
}

// living draws a life that lasts, and its announced end.
func (d *lifelines) living(l Life, label text, from, y float64) {
	d.path("life", at("M", from, y)+"H"+number(d.right))
	if l.End.IsZero() {
		return
	}
	d.path("life next", at("M", d.right, y)+"h"+number(lifeTail-2))
	label.s, label.class = d.words.Ends(l.End), "key up"
	if d.names > 0 {
		label.x, label.y = d.right+lifeTail+6, y+4
	}
	d.told(label)
}

// dead draws a life that ended, the frame at its end and what became of it.
func (d *lifelines) dead(l Life, label text, from, y float64) {
	until := min(d.x(midnight(l.Until)), d.right)
	half := 15.0
	if l.Score != "" {
		half = max(half, width(l.Score, 12)/2+8)
	}
	frame := box{until - half, y - frameHeight/2, until + half, y + frameHeight/2}
	if least := max(d.left-10, 1.5); frame.left < least {
		frame.left, frame.right = least, least+2*half
	}
	if most := d.size.right - 1.5; frame.right > most {
		frame.left, frame.right = most-2*half, most
	}
	if frame.left > from {
		d.path("life", at("M", from, y)+"H"+number(frame.left))
	}
	d.rect("frame", frame, "")
	d.rect("frame in", frame.grown(-3.5), "")
	d.stationed = append(d.stationed, frame.grown(1))
	score := text{s: l.Score, class: "val", anchor: middle, x: (frame.left + frame.right) / 2, y: y + 4}
	if score.s == "" {
		score.s = "†"
	}
	d.told(score)
	d.texts = append(d.texts, frame)
	if d.names > 0 {
		label.x = frame.right + 8
	}
	d.fate(l, label)
}

// fate writes what became of a life in the longest wording that has room.
func (d *lifelines) fate(l Life, label text) {
	for _, label.s = range l.Fates {
		if d.told(label) {
			return
		}
	}
}

// told writes a text that the lines of the grid go around.
func (d *lifelines) told(t text) bool {
	if !d.write(t) {
		return false
	}
	d.stationed = append(d.stationed, t.box().grown(2))
	return true
}

// link writes a text that leads to a page.
func (d *lifelines) link(t text, path string) {
	if !d.free(t.box()) {
		return
	}
	if path == "" {
		d.told(t)
		return
	}
	d.canvas.words.WriteString(`<a href="` + template.HTMLEscapeString(path) + `" tabindex="-1">`)
	d.told(t)
	d.canvas.words.WriteString(`</a>`)
}

// scale draws the time axis, its lines, and that of today, all behind the lives.
func (d *lifelines) scale() {
	inDays := d.until.Sub(d.from) <= 62*day
	marks := ticks(d.frame, d.from, d.until, inDays, d.x(d.from.Add(day))-d.left)
	shapes := d.shapes.String()
	d.shapes.Reset()
	for _, m := range d.timeAxis(marks, d.x) {
		d.path("year", d.upright(d.x(m.t)))
	}
	d.path("axis", d.upright(d.right))
	d.shapes.WriteString(shapes)
}

// upright returns the path of a line from top to bottom, interrupted by what stands in its way.
func (d *lifelines) upright(x float64) string {
	var cuts []box
	for _, b := range d.stationed {
		if b.left < x && x < b.right {
			cuts = append(cuts, b)
		}
	}
	slices.SortFunc(cuts, func(a, b box) int { return cmp.Compare(a.top, b.top) })
	cuts = append(cuts, box{top: d.bottom})
	var path strings.Builder
	y := d.top - 8
	for _, b := range cuts {
		if b.top > y {
			path.WriteString(at("M", x, y) + "V" + number(b.top))
		}
		y = math.Max(y, b.bottom)
	}
	return path.String()
}

// shorten cuts a text of the size of names to a width, with an ellipsis.
func shorten(s string, most float64) string {
	if width(s, lifeSize) <= most {
		return s
	}
	runes := []rune(s)
	for n := len(runes) - 1; n > 0; n-- {
		if cut := strings.TrimSpace(string(runes[:n])) + "…"; width(cut, lifeSize) <= most {
			return cut
		}
	}
	return "…"
}
