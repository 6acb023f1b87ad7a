package chart

import (
	"html/template"
	"slices"
	"strconv"
	"unicode/utf8"
)

// A label is the name beside a mark. One that finds no room beside others shows while a pointer is on its mark.
type label struct {
	text   string
	anchor anchor
	x, y   int
	shown  bool
	lead   string // the path of a line from a mark to a label further away; "" for none
}

// The sizes of labels. A browser gives a line of text more height than its letters need.
const (
	nameSize = 12.0
	bestSize = 13.0
	ascent   = .98
	descent  = .32
	longest  = 240 // pixels

	mapPerName = 18 // pixels of the width for each name that is not important
)

func (k mark) size() float64 {
	if k.Best || k.Here {
		return bestSize
	}
	return nameSize
}

// name returns the names of the spots on a mark: two of them if they are short.
func (k mark) name() string {
	const short = 28
	switch {
	case len(k.more) == 1 && utf8.RuneCountInString(k.Name+k.more[0]) < short:
		return k.Name + ", " + k.more[0]
	case len(k.more) > 0:
		return k.Name + " +" + strconv.Itoa(len(k.more))
	}
	return k.Name
}

func (l label) box(wide, size float64) box {
	left, y := float64(l.x), float64(l.y)
	switch l.anchor {
	case middle:
		left -= wide / 2
	case end:
		left -= wide
	case start:
	}
	return box{left, y - ascent*size, left + wide, y + descent*size}
}

func (l label) appendTo(b []byte) []byte {
	b = append(b, `<text`...)
	if l.shown {
		b = append(b, ` class="on"`...)
	}
	b = strconv.AppendInt(append(b, ` x="`...), int64(l.x), 10)
	b = strconv.AppendInt(append(b, `" y="`...), int64(l.y), 10)
	b = append(b, '"')
	if l.anchor != start {
		b = append(append(append(b, ` text-anchor="`...), l.anchor...), '"')
	}
	return append(append(append(b, '>'), template.HTMLEscapeString(l.text)...), `</text>`...)
}

// placeLabels gives each mark its label, the most important first: at the best place beside it that touches no mark, no
// other text and not the line. Names of the best may lie on the line.
func placeLabels(c *canvas, p mapPlot, marks, line []mark) {
	taken, crossed, names := newCrowd(c.size), newCrowd(c.size), newCrowd(c.size)
	for _, t := range c.texts {
		taken.add(t.grown(3))
	}
	for _, k := range marks {
		taken.add(k.box())
	}
	for i, k := range line {
		until := p.right
		if i+1 < len(line) {
			until = float64(line[i+1].x)
			crossed.add(stroke(until, float64(k.y), until, float64(line[i+1].y)))
		}
		crossed.add(stroke(float64(k.x), float64(k.y), until, float64(k.y)))
	}
	plain := int(c.size.right) / mapPerName
	for i := range marks {
		k := &marks[i]
		size, important := k.size(), k.Best || k.Here
		name, wide := within(k.name(), size, min(longest, max(c.size.right-float64(k.x), float64(k.x))-markGap-2))
		k.label = beside(*k, name, wide, c.size.right)
		frame := box{1, 1, c.size.right - 1, p.bottom - 1}
		place := func(places []label, avoid *crowd) {
			for _, l := range places {
				b := l.box(wide, size)
				if !k.label.shown && b.within(frame) && taken.free(b) && avoid.free(b) && k.leads(l, names) {
					l.shown = true
					k.label = l
					taken.add(b.grown(2))
					names.add(b)
				}
			}
		}
		places := k.places(name, size)
		switch {
		case important:
			place(places[:4], crossed)
			place(places[:4], newCrowd(c.size)) // the line may run through the name
			place(places[4:], crossed)
			place(k.further(name), crossed)
		case plain > 0: // at its side, above or below: elsewhere it could be that of another mark
			if place(places[:4], crossed); k.label.shown {
				plain--
			}
		}
	}
}

// beside returns the label that shows while a pointer is on a mark: to its right, or to its left near the edge.
func beside(k mark, name string, wide, right float64) label {
	l := label{text: name, anchor: start, x: k.x + markGap, y: k.y + 4}
	if float64(l.x)+wide > right-1 {
		l.anchor, l.x = end, k.x-markGap
	}
	return l
}

// places returns the possible places of a label, the best first.
func (k mark) places(name string, size float64) [8]label {
	up, down, level := k.y-9, k.y+7+int(ascent*size), k.y+4
	return [...]label{
		{text: name, anchor: start, x: k.x + markGap, y: level},
		{text: name, anchor: end, x: k.x - markGap, y: level},
		{text: name, anchor: middle, x: k.x, y: up},
		{text: name, anchor: middle, x: k.x, y: down},
		{text: name, anchor: start, x: k.x + 5, y: up},
		{text: name, anchor: start, x: k.x + 5, y: down},
		{text: name, anchor: end, x: k.x - 5, y: up},
		{text: name, anchor: end, x: k.x - 5, y: down},
	}
}

// further returns places at some distance from a mark in a crowd, with a line from it.
func (k mark) further(name string) []label {
	var places []label
	for _, far := range []int{22, 36, 50} {
		for _, dy := range []int{-far, far} {
			for _, dx := range []int{far / 2, -far / 2} {
				l := label{text: name, anchor: start, x: k.x + dx, y: k.y + dy + 4}
				if dx < 0 {
					l.anchor = end
				}
				l.lead = "M" + strconv.Itoa(k.x) + " " + strconv.Itoa(k.y) + "l" + strconv.Itoa(dx*4/5) + " " + strconv.Itoa(dy*4/5)
				places = append(places, l)
			}
		}
	}
	return places
}

// leads reports whether the line from a mark to its label runs through no name.
func (k mark) leads(l label, names *crowd) bool {
	const parts = 8
	for i := range parts {
		if l.lead == "" {
			return true
		}
		x := float64(k.x) + float64(l.x-k.x)*float64(i)/parts
		y := float64(k.y) + float64(l.y-4-k.y)*float64(i)/parts
		if !names.free(box{x, y, x, y}.grown(3)) {
			return false
		}
	}
	return true
}

// within cuts a text with an ellipsis so that it is at most as wide as given, and returns its width.
func within(s string, size, most float64) (cut string, wide float64) {
	if wide = width(s, size); wide <= most {
		return s, wide
	}
	most -= width("…", size)
	wide = 0
	for i, r := range s {
		w := runeWidth(r) * size
		if wide+w > most {
			return s[:i] + "…", wide + width("…", size)
		}
		wide += w
	}
	return s, wide
}

// A crowd is boxes that others must not overlap, by rows, so that few are looked at.
type crowd struct{ rows [][]box }

const rowHeight = 16

func newCrowd(size box) *crowd {
	return &crowd{make([][]box, int(size.bottom)/rowHeight+1)}
}

func (c *crowd) span(b box) (from, to int) {
	return min(max(0, int(b.top)/rowHeight), len(c.rows)-1), min(max(0, int(b.bottom)/rowHeight), len(c.rows)-1)
}

func (c *crowd) add(b box) {
	for i, to := c.span(b); i <= to; i++ {
		c.rows[i] = append(c.rows[i], b)
	}
}

func (c *crowd) free(b box) bool {
	for i, to := c.span(b); i <= to; i++ {
		if slices.ContainsFunc(c.rows[i], b.overlaps) {
			return false
		}
	}
	return true
}
