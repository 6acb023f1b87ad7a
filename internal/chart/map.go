package chart

import (
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Spot is a thing that a Map places by a price and a score.
type Spot struct {
	Cents int // a month
	Score int // in hundredths, up to 1000
	Name  string
	Path  string // where its link leads
	Shape Shape
	Best  bool // highlighted, with a line through all such spots if the Map has one
	Here  bool // what the page is about
}

// A Shape says what kind of thing a spot is.
type Shape uint8

// The shapes of spots.
const (
	Full Shape = iota
	Hollow
	Crossed
)

// A Map is things by price and score. Drawn, it is decoration: a screen reader skips it and no key reaches its links,
// because the page has the same in a table.
type Map struct {
	Spots []Spot
	Edge  int  // what costs more stands at the edge, with an arrow and its price
	Line  bool // join the best: none of them is beaten by a cheaper one
	Links int  // bytes that names and links may take; spots beyond them have neither
	Words MapWords
}

// MapWords are the words of a Map: the title of each axis, and a price of 0.
type MapWords struct{ Price, Score, Free string }

// The room around the data of a map, and the sizes of its marks.
const (
	mapLeft   = 30 // the axis; the data begins a little to its right, because much is free
	mapFree   = 16
	mapTop    = 26
	mapBottom = 42
	mapRight  = 14
	mapArrow  = 26 // more room at the right, for what is beyond the edge
	mapPad    = 12 // above and below the data

	leastScores = 120 // hundredths that the axis of scores has at least

	markHalf = 4 // half a mark, without its line
	bestHalf = 5
	markGap  = 9 // from the middle of a mark to its name
)

// A mark is a place in the drawing, with all spots that stand on it.
type mark struct {
	Spot

	x, y   int
	beyond bool
	more   []string // the names of further spots on the same place
	label  label
}

// Draw draws the map. The frame's Value formats prices. It returns "" without spots.
func (m Map) Draw(f Frame, score func(hundredths int) string) template.HTML {
	if len(m.Spots) == 0 {
		return ""
	}
	c := newCanvas(f)
	c.head.Reset()
	w, h := strconv.Itoa(f.Width), strconv.Itoa(f.Height)
	c.head.WriteString(`<svg class="chart map" viewBox="0 0 ` + w + ` ` + h + `" width="` + w + `" height="` + h + `" aria-hidden="true">`)
	p := newMapPlot(f, m)
	c.mapAxes(f, m, p, score)
	marks := p.marks(f, m.Spots)
	line := p.line(m, marks)
	if line != nil {
		c.path("front", front(line, p.right))
	}
	placeLabels(c, p, marks, line)
	c.draw(marks, m.Links)
	return c.html()
}

// A mapPlot maps prices and scores to the area in which they are drawn.
type mapPlot struct {
	box
	first     float64 // the x of a price of 0
	last      float64 // the x of the edge
	edge      int
	low, high int
}

func newMapPlot(f Frame, m Map) mapPlot {
	p := mapPlot{box: box{mapLeft, mapTop, float64(f.Width) - mapRight, float64(f.Height) - mapBottom}, low: 1000}
	p.first, p.last = p.left+mapFree, p.right-mapRight
	for _, s := range m.Spots {
		p.low, p.high = min(p.low, s.Score), max(p.high, s.Score)
		if s.Cents > m.Edge {
			p.last = p.right - mapArrow
		} else {
			p.edge = max(p.edge, s.Cents)
		}
	}
	if p.edge == 0 {
		p.edge = 1000 // all free: any axis will do
	}
	if p.high-p.low < leastScores {
		p.high = min(1000, p.high+leastScores/4)
		p.low = max(0, p.high-leastScores)
		p.high = p.low + leastScores
	}
	return p
}

// x maps a price by its square root: cheap tools are many and differ by little, dear ones are few.
func (p mapPlot) x(cents int) float64 {
	return p.first + math.Sqrt(float64(min(cents, p.edge))/float64(p.edge))*(p.last-p.first)
}

func (p mapPlot) y(score int) float64 {
	return p.bottom - mapPad - float64(score-p.low)/float64(p.high-p.low)*(p.bottom-p.top-2*mapPad)
}

// mapAxes draws both axes with their values.
func (c *canvas) mapAxes(f Frame, m Map, p mapPlot, score func(int) string) {
	step := 100
	if p.high-p.low <= 2*step {
		step = 50
	}
	for s := (p.low + step - 1) / step * step; s <= p.high; s += step {
		said := score(s)
		if step == 100 {
			said = strconv.Itoa(s / 100)
		}
		c.grid = append(c.grid, box{p.left, p.y(s), p.right, p.y(s)})
		c.write(text{s: said, anchor: end, x: p.left - 6, y: p.y(s) + 4})
	}
	c.write(text{s: m.Words.Score, anchor: start, x: 2, y: 13})
	c.write(text{s: m.Words.Price, anchor: end, x: p.right, y: c.size.bottom - 5})

	var d strings.Builder
	d.WriteString(at("M", p.left, p.bottom) + "H" + number(p.right))
	var written []box
	for _, cents := range priceTicks(p.edge) {
		t := text{s: f.Value(cents), anchor: middle, x: p.x(cents), y: p.bottom + 19}
		if cents == 0 {
			t.s = m.Words.Free
		}
		half := width(t.s, 12)/2 + 1
		t.x = math.Min(math.Max(t.x, half), c.size.right-half)
		if b := t.box().grown(6); !slices.ContainsFunc(written, b.overlaps) && c.write(t) {
			written = append(written, b)
			d.WriteString(at("M", p.x(cents), p.bottom) + "v5")
		}
	}
	c.path("axis", d.String())
}

// priceTicks returns the round prices up to an edge, the most useful first: 0, and then from the largest downwards.
func priceTicks(edge int) []int {
	ticks := []int{0}
	for _, times := range [][]int{{5, 2, 1}, {3}} {
		for unit := ceilingStep(edge); unit >= 10; unit /= 10 {
			for _, n := range times {
				if whole := n*unit%100 == 0; n*unit <= edge && (whole || edge < 200) {
					ticks = append(ticks, n*unit)
				}
			}
		}
	}
	return ticks
}

// marks returns the places of the spots, the most important first: those to highlight, what the page is about, what is
// beyond the edge, and the highest scores. Spots on the same pixels share a mark.
func (p mapPlot) marks(f Frame, spots []Spot) []mark {
	weight := func(s Spot) int {
		switch {
		case s.Here:
			return 3
		case s.Best:
			return 2
		case s.Cents > p.edge:
			return 1
		}
		return 0
	}
	order := slices.Clone(spots)
	slices.SortStableFunc(order, func(a, b Spot) int {
		if d := weight(b) - weight(a); d != 0 {
			return d
		}
		return b.Score - a.Score
	})
	marks := make([]mark, 0, len(order))
	at := make(map[[2]int]int, len(order))
	for _, s := range order {
		k := mark{Spot: s, x: int(math.Round(p.x(s.Cents))), y: int(math.Round(p.y(s.Score)))}
		if s.Cents > p.edge {
			k.beyond, k.x = true, int(p.right)-markHalf
			k.Name += " " + f.Value(s.Cents)
		}
		if i, ok := at[[2]int{k.x, k.y}]; ok {
			marks[i].more = append(marks[i].more, k.Name)
			continue
		}
		at[[2]int{k.x, k.y}] = len(marks)
		marks = append(marks, k)
	}
	return marks
}

// line returns the best marks from the cheapest to the dearest; nil if they are not to be joined.
func (p mapPlot) line(m Map, marks []mark) []mark {
	if !m.Line {
		return nil
	}
	var best []mark
	for _, k := range marks {
		if k.Best {
			best = append(best, k)
		}
	}
	slices.SortFunc(best, func(a, b mark) int { return a.x - b.x })
	return best
}

// front is the path of the line: at each price, the highest score that there is for it.
func front(line []mark, right float64) string {
	if len(line) == 0 {
		return ""
	}
	var d strings.Builder
	d.WriteString("M" + strconv.Itoa(line[0].x) + " " + strconv.Itoa(line[0].y))
	for _, k := range line[1:] {
		d.WriteString("H" + strconv.Itoa(k.x) + "V" + strconv.Itoa(k.y))
	}
	return d.String() + "H" + number(right)
}

// appendShape appends the path of a mark.
func (k mark) appendShape(b []byte) []byte {
	half := markHalf
	if k.Best || k.Here {
		half = bestHalf
	}
	b = strconv.AppendInt(append(b, 'M'), int64(k.x-half), 10)
	b = strconv.AppendInt(append(b, ' '), int64(k.y-half), 10)
	pattern := squares[half]
	switch {
	case k.beyond:
		pattern = arrows[half]
	case k.Shape == Crossed:
		pattern = crosses[half]
	}
	return append(b, pattern...)
}

// The outlines of marks from their upper left corner, by half their size.
var (
	squares = [...]string{markHalf: "h8v8h-8z", bestHalf: "h10v10h-10z"}
	arrows  = [...]string{markHalf: "l8 4l-8 4z", bestHalf: "l10 5l-10 5z"}
	crosses = [...]string{markHalf: "l8 8m0-8l-8 8", bestHalf: "l10 10m0-10l-10 10"}
)

// class returns the class of the group that a mark is in.
func (k mark) class() string {
	switch {
	case k.Here && k.Best:
		return "b h"
	case k.Here:
		return "h"
	case k.Best:
		return "b"
	case k.Shape == Crossed:
		return "x"
	case k.Shape == Hollow:
		return "o"
	}
	return "f"
}

func (k mark) box() box {
	half := float64(markHalf + 1)
	if k.Best || k.Here {
		half = bestHalf + 1
	}
	x, y := float64(k.x), float64(k.y)
	return box{x - half, y - half, x + half, y + half}
}

// draw draws the marks, the most important on top. Each is a link with its name, as long as there is room for links:
// those with a name that always shows first. The rest are one path.
func (c *canvas) draw(marks []mark, room int) {
	links, rest := make([][]byte, len(marks)), make(map[string][]byte)
	for _, shown := range []bool{true, false} {
		for i, k := range marks {
			if k.label.shown != shown {
				continue
			}
			b := append(make([]byte, 0, 160), `<a href="`...)
			b = append(append(b, template.HTMLEscapeString(k.Path)...), `" tabindex="-1">`...)
			if k.label.lead != "" {
				b = append(append(append(b, `<path class="lead" d="`...), k.label.lead...), `"/>`...)
			}
			b = append(b, `<path d="`...)
			b = append(k.label.appendTo(append(k.appendShape(b), `"/>`...)), `</a>`...)
			if room -= len(b); room < 0 {
				rest[k.class()] = k.appendShape(rest[k.class()])
				continue
			}
			links[i] = b
		}
	}
	c.shapes.WriteString(`<g class="marks">`)
	for _, class := range []string{"x", "o", "f", "b", "h", "b h"} {
		open := `<g class="` + class + `">`
		if d := rest[class]; d != nil {
			c.shapes.WriteString(open + `<path d="` + string(d) + `"/>`)
			open = ""
		}
		for i, k := range slices.Backward(marks) {
			if links[i] != nil && k.class() == class {
				c.shapes.WriteString(open)
				c.shapes.Write(links[i])
				open = ""
			}
		}
		if open == "" {
			c.shapes.WriteString(`</g>`)
		}
	}
	c.shapes.WriteString(`</g>`)
}

// Key returns the mark of a spot by itself, for a legend.
func (s Spot) Key() template.HTML { return mark{Spot: s, x: 7, y: 7}.key() }

// BeyondKey returns the mark of what is beyond the edge, for a legend.
func BeyondKey() template.HTML { return mark{x: 7, y: 7, beyond: true}.key() }

func (k mark) key() template.HTML {
	return template.HTML(`<svg class="map" width="14" height="14" aria-hidden="true"><g class="` + k.class() + //nolint:gosec // numbers only
		`"><path d="` + string(k.appendShape(nil)) + `"/></g></svg>`)
}
