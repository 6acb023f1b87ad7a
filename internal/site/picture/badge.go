package picture

import (
	"bytes"
	"encoding/xml"
	"math"
	"strconv"

	"golang.org/x/image/font/sfnt"
)

// A Kind is what a badge says about a tool.
type Kind int

// The kinds of badges.
const (
	Scored   Kind = iota // the value is a score, on a highlighted ground
	Unscored             // its value is in a weaker colour
	Retired              // the tool is retired: a double border, like a death notice
)

// A Badge is a strip of two parts for other sites: the name of the service, and its verdict on a tool.
type Badge struct {
	Kind  Kind
	Label string // the name of the service
	Host  string // drawn instead of a Label that the fonts cannot draw
	Value string // "9,1 sur 10", "pas encore noté", "retiré"
	Title string // the whole sentence, for screen readers

	Colours Colours // of a light page or a dark one
}

const badgeHeight = 28

// maxBadgeLabel is the maximum width of the service's name, in pixels: a badge must fit on a line of a README on a
// phone. The name is cut to it; Title has the whole name.
const maxBadgeLabel = 180

// SVG returns the badge as SVG. Text is drawn as outlines, because other sites do not have our fonts and an image
// cannot load any.
func (b Badge) SVG() []byte {
	colours := b.Colours.orDefault()
	ground, text := colours.Paper.String(), colours.Ink.String()
	pad, gap := 10.0, 10.0 // at the edges, and on both sides of the line between the two texts
	value, valueGround, valueText := style{face: label, size: 13}, ground, text
	switch b.Kind {
	case Scored:
		value.size, valueGround, valueText = 14, colours.Mark.String(), colours.OnMark.String()
	case Unscored:
		valueText = colours.Ink2.String()
	case Retired:
		value, pad, gap = style{face: italic, size: 17}, 13, 5
	}
	who := style{face: label, size: 13}
	left := newLettering(who, who.within(either(label, b.Label, b.Host), maxBadgeLabel))
	right := newLettering(value, only(value.face, b.Value))
	split := pad + math.Ceil(left.width) + gap
	width := split + gap + math.Ceil(right.width) + pad

	var w svg
	w.open(width, b.Title)
	w.rect(text, 0, 0, width, badgeHeight)
	if b.Kind == Retired { // a double border, and no line between the texts
		w.rect(ground, 2, 2, width-4, badgeHeight-4)
		w.rect(text, 3, 3, width-6, badgeHeight-6)
		w.rect(ground, 4, 4, width-8, badgeHeight-8)
	} else {
		w.rect(ground, 1, 1, split-1, badgeHeight-2)
		w.rect(valueGround, split+1, 1, width-split-2, badgeHeight-2)
	}
	const baseline = 18.5
	w.letters(text, left, pad, baseline)
	w.letters(valueText, right, split+gap, baseline)
	w.add("</svg>\n")
	return w.text.Bytes()
}

// A lettering is a text as outlines. Its coordinates are in thousandths of an em, because whole numbers halve the size
// of the file.
type lettering struct {
	shape outline
	scale float64
	width float64 // pixels
}

func newLettering(s style, text string) lettering {
	l := lettering{scale: s.size / 1000}
	s.size = 1000
	l.shape, l.width = s.outline(text)
	l.width *= l.scale
	return l
}

// An svg is a builder of a drawing. It uses attributes only, because a strict content security policy blocks styles.
type svg struct{ text bytes.Buffer }

func (w *svg) add(text string) { w.text.WriteString(text) }

func (w *svg) open(width float64, title string) {
	size := `width="` + number(width) + `" height="` + number(badgeHeight) + `"`
	w.add(`<svg xmlns="http://www.w3.org/2000/svg" ` + size)
	w.add(` viewBox="0 0 ` + number(width) + ` ` + number(badgeHeight) + `" role="img" aria-label="`)
	w.escape(title)
	w.add(`"><title>`)
	w.escape(title)
	w.add("</title>\n")
}

func (w *svg) escape(text string) {
	_ = xml.EscapeText(&w.text, []byte(text)) // a buffer never fails
}

func (w *svg) rect(fill string, x, y, width, height float64) {
	w.add(`<path fill="` + fill + `" d="M` + number(x) + ` ` + number(y))
	w.add(`h` + number(width) + `v` + number(height) + `h` + number(-width) + "z\"/>\n")
}

// letters adds a text as a path, with each point relative to the end of the segment before.
func (w *svg) letters(fill string, l lettering, x, y float64) {
	if len(l.shape) == 0 {
		return
	}
	w.add(`<path fill="` + fill + `" transform="translate(` + number(x) + ` ` + number(y) + `)scale(` + number(l.scale) + `)" d="`)
	var start, last point // of the contour, of the segment
	for i, s := range l.shape {
		if s.op == sfnt.SegmentOpMoveTo && i > 0 {
			w.add("z")
			last = start
		}
		w.add("mlqc"[s.op : s.op+1])
		var p point
		for j := range s.points() {
			p = point{math.Round(s.args[j].x), math.Round(s.args[j].y)}
			w.distance(p.x-last.x, j > 0)
			w.distance(p.y-last.y, true)
		}
		last = p
		if s.op == sfnt.SegmentOpMoveTo {
			start = p
		}
	}
	w.add("z\"/>\n")
}

// distance writes a number, after a space if it follows another number. A minus sign needs no space before it.
func (w *svg) distance(v float64, follows bool) {
	if follows && v >= 0 {
		w.add(" ")
	}
	w.add(number(v))
}

// number formats a number with at most three decimals.
func number(v float64) string {
	return strconv.FormatFloat(math.Round(v*1000)/1000+0, 'f', -1, 64)
}
