package chart

import (
	"cmp"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The widths that the layout has, in CSS pixels.
const (
	Wide   = 724
	Narrow = 358
)

// A Frame has what all charts need: a size in CSS pixels, a description, and functions that format values and dates in
// the language of the page.
type Frame struct {
	Title         string // one sentence that describes the chart
	Width, Height int

	Value func(int) string                  // on axes and beside points: "20 €"
	Month func(time.Time) string            // on the time axis: "oct."
	Day   func(time.Time) string            // on a time axis of a few weeks: "6 oct."
	Tip   func(day time.Time, v int) string // the tooltip of a point; nil for none
}

// A Point is a value on a day, or from that day on.
type Point struct {
	Day   time.Time
	Value int
}

// sorted returns the points in order of day, only the last given for each day, with negative values raised to 0.
func sorted(points []Point) []Point {
	byDay := make([]Point, 0, len(points))
	for _, p := range points {
		byDay = append(byDay, Point{midnight(p.Day), max(p.Value, 0)})
	}
	slices.SortStableFunc(byDay, func(a, b Point) int { return a.Day.Compare(b.Day) })
	kept := byDay[:0]
	for i, p := range byDay {
		if i+1 == len(byDay) || !byDay[i+1].Day.Equal(p.Day) {
			kept = append(kept, p)
		}
	}
	return kept
}

func midnight(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// A box is a part of the drawing.
type box struct{ left, top, right, bottom float64 }

func (b box) overlaps(o box) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

func (b box) within(o box) bool {
	return b.left >= o.left && b.right <= o.right && b.top >= o.top && b.bottom <= o.bottom
}

func (b box) grown(by float64) box {
	return box{b.left - by, b.top - by, b.right + by, b.bottom + by}
}

// A text is a line of text whose baseline is at y.
type text struct {
	s, class string
	anchor   anchor
	x, y     float64
}

type anchor string

const (
	start  anchor = "start"
	middle anchor = "middle"
	end    anchor = "end"
)

// box returns roughly the area that the text covers.
func (t text) box() box {
	size := 12.0
	if strings.HasPrefix(t.class, "lbl") {
		size = 15
	}
	w := width(t.s, size)
	left := t.x
	switch t.anchor {
	case middle:
		left -= w / 2
	case end:
		left -= w
	case start:
	}
	return box{left, t.y - .8*size, left + w, t.y + .2*size}
}

// width estimates the width of a text. It errs on the wide side: the widths are those of the site's typeface in its
// heaviest weight, and other sans serifs are narrower.
func width(s string, size float64) float64 {
	var em float64
	for _, r := range s {
		em += runeWidth(r)
	}
	return em * size
}

// runeWidth estimates the width of a letter in ems.
func runeWidth(r rune) float64 {
	if r < utf8.RuneSelf {
		return asciiWidths[r]
	}
	return otherWidth(r)
}

// asciiWidths are the widths of the first letters, which most texts are made of.
var asciiWidths = func() (widths [utf8.RuneSelf]float64) {
	for r := range widths {
		widths[r] = otherWidth(rune(r))
	}
	return widths
}()

func otherWidth(r rune) float64 {
	switch {
	case unicode.Is(unicode.Mn, r):
		return 0
	case unicode.IsSpace(r):
		return .25
	case strings.ContainsRune("ijl.,:;!|’'()/J", r):
		return .3
	case strings.ContainsRune("frt-", r):
		return .45
	case strings.ContainsRune("mwMW@%&…—œŒæÆ", r):
		return 1
	case r >= 0x0590: // from Hebrew on: those of other typefaces
		return wideRune(r)
	case unicode.IsUpper(r), r == '€':
		return .75
	default:
		return .65
	}
}

// wideRune is the width of what the site's typeface does not have, but for letters and punctuation of Latin texts.
func wideRune(r rune) float64 {
	if r >= 0x1e00 && r < 0x2070 || r == '€' {
		return .75
	}
	return 1.4
}

// A canvas collects a drawing: the grid at the back, then shapes, then text, and the areas that
// text covers.
type canvas struct {
	head, shapes, words strings.Builder

	size  box
	grid  []box // lines: boxes without height
	texts []box
}

func newCanvas(f Frame) *canvas {
	c := &canvas{size: box{0, 0, float64(f.Width), float64(f.Height)}}
	w, h := strconv.Itoa(f.Width), strconv.Itoa(f.Height)
	c.head.WriteString(`<svg class="chart" viewBox="0 0 ` + w + ` ` + h + `" width="` + w + `" height="` + h +
		`" role="img" aria-label="` + template.HTMLEscapeString(f.Title) + `">`)
	return c
}

func (c *canvas) html() template.HTML {
	for _, line := range c.grid {
		c.head.WriteString(`<path class="grid" d="` + c.around(line) + `"/>`)
	}
	return template.HTML(c.head.String() + c.shapes.String() + c.words.String() + `</svg>`) //nolint:gosec // all text in it is escaped
}

// around returns the path of a grid line, interrupted where it would run through text.
func (c *canvas) around(line box) string {
	var cuts []box
	for _, b := range c.texts {
		if b = b.grown(2); b.overlaps(line.grown(.5)) {
			cuts = append(cuts, b)
		}
	}
	slices.SortFunc(cuts, func(a, b box) int { return cmp.Compare(a.left, b.left) })
	cuts = append(cuts, box{left: line.right})
	var d strings.Builder
	x := line.left
	for _, b := range cuts {
		if b.left > x {
			d.WriteString(at("M", x, line.top) + "H" + number(b.left))
		}
		x = math.Max(x, b.right)
	}
	return d.String()
}

// free reports whether text can stand in a box: inside the drawing and a little away from other
// text.
func (c *canvas) free(b box) bool {
	return b.within(c.size) && !slices.ContainsFunc(c.texts, b.grown(3).overlaps)
}

// write adds a text if there is room for it, and reports whether there was.
func (c *canvas) write(t text) bool {
	b := t.box()
	if !c.free(b) {
		return false
	}
	c.texts = append(c.texts, b)
	c.words.WriteString(`<text`)
	if t.class != "" {
		c.words.WriteString(` class="` + t.class + `"`)
	}
	c.words.WriteString(` x="` + number(t.x) + `" y="` + number(t.y) + `"`)
	if t.anchor != start {
		c.words.WriteString(` text-anchor="` + string(t.anchor) + `"`)
	}
	c.words.WriteString(`>` + template.HTMLEscapeString(t.s) + `</text>`)
	return true
}

func (c *canvas) path(class, d string) {
	c.shapes.WriteString(`<path class="` + class + `" d="` + d + `"/>`)
}

func (c *canvas) dot(x, y, r float64, tip string) {
	c.shape("circle", "dot", ` cx="`+number(x)+`" cy="`+number(y)+`" r="`+number(r)+`"`, tip)
}

func (c *canvas) rect(class string, b box, tip string) {
	c.shape("rect", class, ` x="`+number(b.left)+`" y="`+number(b.top)+
		`" width="`+number(b.right-b.left)+`" height="`+number(b.bottom-b.top)+`"`, tip)
}

func (c *canvas) shape(name, class, attributes, tip string) {
	c.shapes.WriteString(`<` + name + ` class="` + class + `"` + attributes)
	if tip == "" {
		c.shapes.WriteString(`/>`)
		return
	}
	c.shapes.WriteString(`><title>` + template.HTMLEscapeString(tip) + `</title></` + name + `>`)
}

// tip returns the tooltip of a point.
func (f Frame) tip(p Point) string {
	if f.Tip == nil {
		return ""
	}
	return f.Tip(p.Day, p.Value)
}

// number formats a coordinate, to a tenth of a pixel.
func number(v float64) string {
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}

// at formats a path command with a point.
func at(command string, x, y float64) string {
	return command + number(x) + " " + number(y)
}
