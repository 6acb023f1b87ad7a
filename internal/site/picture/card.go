package picture

import (
	"bytes"
	"image"
	"image/draw"
	"image/png"
	"math"

	scaler "golang.org/x/image/draw"
)

// The size at which Open Graph images are shown.
const (
	Width  = 1200
	Height = 630
)

const margin = 64

// A Card is an Open Graph image. The caller brings every word, in its language and typography.
type Card struct {
	Colours Colours
	Logo    *Logo  // drawn instead of the name of the service unless nil
	Service string // its name
	Host    string // drawn instead of a Service that the fonts cannot draw
	Kicker  string // above the title: rank and category; for a retired tool, below it: why and when it was retired
	Title   string // a tool or a headline; if "", the card is about the service
	Slug    string // drawn instead of a Title that the fonts cannot draw
	Line    string // a sentence
	Score   string // "8,4"; empty draws no score
	OutOf   string // the label of the score: "note sur 10"
	Tenths  int    // the score as a number of tenths, for the ruler
	Retired bool   // the tool is retired: the card is a death notice

	Duel   [2]Corner // of a comparison; none without names
	Rows   []Row     // of a ranking
	Figure string    // of a curve, with OutOf beneath it; "" for no curve
	Curve  []int     // its values, from 0 upwards
}

// A Corner is one of the two tools of a duel.
type Corner struct {
	Name   string
	Slug   string // drawn instead of a Name that the fonts cannot draw
	Score  string // "8,4"; empty draws no score
	Tenths int    // the score as a number of tenths, for the ruler
	Price  string
	Wins   bool
}

// A Row is a line of a ranking.
type Row struct {
	Name  string
	Slug  string // drawn instead of a Name that the fonts cannot draw
	Score string
}

// maxRows is how many rows there is room for.
const maxRows = 3

// Where the parts of a card with a masthead are.
const (
	rule   = 132
	top    = rule + 8
	bottom = Height - 24
)

// Draw draws the card as a PNG. Its bytes depend on the card alone.
func (d Card) Draw() ([]byte, error) {
	c := newCanvas(Width, Height, d.Colours)
	service := either(display, d.Service, d.Host)
	drawing := d.Logo.decode()
	if drawing != nil {
		service = ""
	}
	title := either(display, d.Title, d.Slug)
	var p place
	switch {
	case d.Retired && title != "":
		p = d.notice(c, service, title)
	case d.Duel[0].Name != "":
		p = d.duel(c, service)
	case d.Rows != nil:
		p = d.ranking(c, service)
	case d.Figure != "":
		p = d.curve(c, service)
	case title != "":
		p = d.tool(c, service, title)
	default:
		p = d.general(c, service)
	}
	if drawing != nil {
		return encode(p.onto(c, drawing))
	}
	return encode(c.Paletted)
}

// either returns what a face can draw of a text. If it cannot draw half of the letters, it returns what it can draw of
// instead, unless that is nothing.
func either(f face, text, instead string) string {
	drawn, lost := f.drawable(text)
	if other, _ := f.drawable(instead); other != "" && (lost || drawn == "" && text != "") {
		return other
	}
	return drawn
}

func only(f face, text string) string {
	drawn, _ := f.drawable(text)
	return drawn
}

// tool draws the card of a tool: a masthead, the tool on the left, and its score on the right. It returns the place for
// a logo.
func (d Card) tool(c canvas, service, title string) place {
	nameplate(c, service, 66, frame{width: Width - 2*margin, height: 60, lines: 1, leading: 1, largest: 46, smallest: 20})
	c.box(inkOnPaper, 0, rule, Width, 3)
	c.box(inkOnPaper, 0, rule+6, Width, 3)

	width, largest := float64(Width-2*margin), 168.0
	if score := only(display, d.Score); score != "" {
		const side = 316
		width, largest = width-side-56, 136
		d.score(c, score, Width-margin-side, (top+bottom-side)/2, side)
	}
	column := stack{gap: 20}
	column.add(inkOnPaper, frame{width: width, height: 40, lines: 1, leading: 1.2, largest: 30, smallest: 22}.fit(label, 0, only(label, d.Kicker)))
	column.add(inkOnPaper, frame{width: width, height: 232, lines: 4, leading: 0.98, largest: largest, smallest: 44, tiny: 28}.fit(display, 0, title))
	column.add(inkOnPaper, frame{width: width, height: 112, lines: 3, leading: 1.2, largest: 40, smallest: 28}.fit(italic, 0, only(italic, d.Line)))
	column.draw(c, (top+bottom-column.height())/2, atMargin)
	return place{x: margin, middle: 66, width: Width - 2*margin, height: 76}
}

// score draws the score as a figure and as a ruler, in a highlighted square.
func (d Card) score(c canvas, score string, x, y, side float64) {
	const line, pad = 5, 30
	c.box(markOnPaper, x, y, side, side)
	c.border(x, y, side, side, line)
	inner := side - 2*pad
	above := frame{width: inner, height: 40, lines: 1, leading: 1.2, largest: 28, smallest: 16}.fit(label, 0, only(label, d.OutOf))
	figure := frame{width: inner, height: 190, lines: 1, leading: 1, largest: 190, smallest: 40}.fit(display, -0.015, score)
	left := func(low, _ float64) float64 { return x + pad - low }
	above.draw(c, inkOnMark, y+pad-6, left)
	// Place the figure by its baseline, so that its size does not matter.
	shape, _ := figure.style.outline(figure.lines[0])
	low, _ := shape.bounds()
	c.fill(inkOnMark, shape.at(x+pad-low.x, y+side-88))
	ruler(c, inkOnMark, x+pad, y+side-pad-22, inner, d.Tenths)
}

// ruler draws ten blocks, as many of them full as the score says.
func ruler(c canvas, r ramp, x, y, width float64, tenths int) {
	const gap, height = 4, 18
	block := (width - 9*gap) / 10
	for i := range 10 {
		left := math.Round(x + float64(i)*(block+gap))
		right := math.Round(x + float64(i)*(block+gap) + block)
		c.tint(r, steps/5, left, y, right-left, height)
		full := min(max(float64(tenths)/10-float64(i), 0), 1)
		c.box(r, left, y, math.Round((right-left)*full), height)
	}
}

// notice draws the card of a retired tool as a death notice: a double black border, everything centred, no highlighter.
// It returns the place for a logo.
func (d Card) notice(c canvas, service, title string) place {
	const edge = 32
	c.border(edge, edge, Width-2*edge, Height-2*edge, 9)
	c.border(edge+16, edge+16, Width-2*edge-32, Height-2*edge-32, 3)

	const width = Width - 2*edge - 2*56
	column := stack{gap: 24}
	column.add(inkOnPaper, frame{width: width, height: 210, lines: 3, leading: 1, largest: 116, smallest: 44, tiny: 28}.fit(display, 0, title))
	column.add(ink2OnPaper, frame{width: width, height: 50, lines: 1, leading: 1.2, largest: 38, smallest: 26}.fit(italic, 0, only(italic, d.Kicker)))
	column.add(inkOnPaper, frame{width: width - 120, height: 144, lines: 3, leading: 1.26, largest: 38, smallest: 28}.fit(serif, 0, only(serif, d.Line)))
	foot := frame{width: width, height: 40, lines: 1, leading: 1.2, largest: 30, smallest: 18}.fit(display, -0.01, service)

	const top, bottom = edge + 30, Height - edge - 84
	column.draw(c, (top+bottom-column.height())/2, centred)
	foot.draw(c, inkOnPaper, bottom+6, centred)
	return place{x: Width / 2, middle: bottom + 26, width: width, height: 48, centred: true}
}

func centred(low, high float64) float64 { return (Width - low - high) / 2 }

// general draws the card of the service itself: its name, large, above a double rule and a sentence. It returns the
// place for a logo.
func (d Card) general(c canvas, service string) place {
	const rule = 398
	nameplate(c, service, rule/2, frame{width: Width - 2*margin, height: 300, lines: 4, leading: 1.3, largest: 180, smallest: 40, tiny: 24})
	c.box(inkOnPaper, 0, rule, Width, 4)
	c.box(inkOnPaper, 0, rule+8, Width, 4)
	line := frame{width: Width - 2*margin, height: 150, lines: 3, leading: 1.2, largest: 48, smallest: 28}.fit(italic, 0, only(italic, d.Line))
	line.draw(c, inkOnPaper, (rule+12+Height-line.height())/2, atMargin)
	return place{x: margin, middle: rule / 2, width: Width - 2*margin, height: 240}
}

func atMargin(low, _ float64) float64 { return margin - low }

// nameplate draws the name of the service at the left margin, on slightly tilted strokes of the highlighter. middle is
// the y of its vertical middle.
func nameplate(c canvas, service string, middle float64, f frame) {
	const pad = 0.2 // ems beside the letters
	f.width -= 2 * pad * f.largest
	name := f.fit(display, -0.012, service)
	size := name.style.size
	up, down := 0.87*size, 0.3*size // room for accents and descenders
	for i, line := range name.lines {
		shape, _ := name.style.outline(line)
		low, high := shape.bounds()
		width := high.x - low.x + 2*pad*size
		baseline := middle - name.height()/2 + (float64(i)+0.5)*name.leading + (up-down)/2
		// Tilt a long name less, so that it rises no higher than a short one.
		lean := min(0.021, 0.12*size/width)
		tilt := func(p point) point { return point{p.x, p.y - lean*(p.x-margin-width/2)} }
		c.fill(markOnPaper, rectangle(margin, baseline-up, width, up+down).move(tilt))
		c.fill(inkOnMark, shape.at(margin+pad*size-low.x, baseline).move(tilt))
	}
}

// A stack is blocks beneath each other.
type stack struct {
	gap    float64
	blocks []block
	ramps  []ramp
}

func (s *stack) add(r ramp, b block) {
	if len(b.lines) > 0 {
		s.blocks, s.ramps = append(s.blocks, b), append(s.ramps, r)
	}
}

func (s *stack) height() float64 {
	sum := s.gap * float64(len(s.blocks)-1)
	for _, b := range s.blocks {
		sum += b.height()
	}
	return sum
}

func (s *stack) draw(c canvas, y float64, place func(low, high float64) float64) {
	for i, b := range s.blocks {
		b.draw(c, s.ramps[i], y, place)
		y += b.height() + s.gap
	}
}

// draw draws the lines of a block from y downwards. place returns the x of a line, given the left and right ends of its
// ink at x 0: it aligns the letters themselves, not their side bearings.
func (b block) draw(c canvas, r ramp, y float64, place func(low, high float64) float64) {
	for i, line := range b.lines {
		shape, _ := b.style.outline(line)
		low, high := shape.bounds()
		// Four fifths of an em are above the baseline; half of the extra leading goes above the line.
		baseline := y + float64(i)*b.leading + (b.leading-b.style.size)/2 + 0.8*b.style.size
		c.fill(r, shape.at(place(low.x, high.x), baseline))
	}
}

// A Logo is a PNG file of the operator, drawn where the name of the service would be.
type Logo struct {
	Hash string // identifies it
	PNG  func() []byte
}

// GoString returns the hash of the logo. The cache key of a card is its %#v, so cards with different logos differ.
func (l *Logo) GoString() string {
	if l == nil {
		return "none"
	}
	return l.Hash
}

// decode returns the image; nil if there is none or it cannot be decoded.
func (l *Logo) decode() image.Image {
	if l == nil {
		return nil
	}
	img, err := png.Decode(bytes.NewReader(l.PNG()))
	if err != nil {
		return nil // the name is drawn
	}
	return img
}

// A place is where a logo goes, and how large it may be there.
type place struct {
	x, middle     int // the left edge, or the horizontal middle if centred; the vertical middle
	width, height int // at most
	centred       bool
}

// onto returns the card with the logo drawn at p, scaled down if necessary but never enlarged.
func (p place) onto(c canvas, logo image.Image) *image.RGBA {
	card := image.NewRGBA(c.Rect)
	draw.Draw(card, card.Rect, c, image.Point{}, draw.Src)
	size := logo.Bounds().Size()
	scale := min(1, float64(p.width)/float64(size.X), float64(p.height)/float64(size.Y))
	width, height := max(1, int(float64(size.X)*scale)), max(1, int(float64(size.Y)*scale))
	at := image.Pt(p.x, p.middle-height/2)
	if p.centred {
		at.X -= width / 2
	}
	scaler.CatmullRom.Scale(card, image.Rectangle{at, at.Add(image.Pt(width, height))}, logo, logo.Bounds(), draw.Over, nil)
	return card
}
