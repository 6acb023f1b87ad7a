package picture

import (
	"embed"
	"math"
	"strings"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/norm"
)

// The fonts are made by scripts/fonts.
//
//go:embed fonts/*.ttf
var fontFiles embed.FS

var (
	display = mustLoad("bricolage-display") // for large sizes: titles, scores, the logo
	label   = mustLoad("bricolage-text")    // for small ones
	serif   = mustLoad("newsreader")
	italic  = mustLoad("newsreader-italic")
)

// A face is a font with its units per em.
type face struct {
	font *sfnt.Font
	em   fixed.Int26_6 // the size at which glyphs are loaded: that of the font's own units
}

func mustLoad(name string) face {
	data, err := fontFiles.ReadFile("fonts/" + name + ".ttf")
	if err != nil {
		panic(err)
	}
	f, err := sfnt.Parse(data)
	if err != nil {
		panic(err)
	}
	return face{font: f, em: fixed.I(int(f.UnitsPerEm()))}
}

// narrowSpaces are drawn as gaps, because the fonts have no glyphs for them. French puts U+202F before ; ! and ?.
const narrowSpaces = "\u202f\u2009\u200a"

// has reports whether the face can draw a rune.
func (f face) has(r rune) bool {
	if strings.ContainsRune(narrowSpaces, r) {
		return true
	}
	glyph, err := f.font.GlyphIndex(nil, r)
	return err == nil && glyph != 0
}

// substitutes stand in for runes that the fonts lack.
var substitutes = map[rune]string{
	'\u2011': "-", '\u2043': "-", '\u02bc': "’", '→': "–", '\u00b7': ".", '×': "x",
}

// drawable returns what the face can draw of a text, on one line with single spaces. A letter that it lacks loses its
// accents or becomes its plain form (ễ e, Ａ A); anything else is left out, so that no empty box is ever drawn. lost
// reports that at least half of the letters are missing.
func (f face) drawable(text string) (drawn string, lost bool) {
	var b strings.Builder
	kept, dropped := 0, 0
	for _, r := range norm.NFC.String(text) {
		form := f.form(r)
		b.WriteString(form)
		switch {
		case !unicode.IsLetter(r) && !unicode.IsNumber(r):
		case form == "":
			dropped++
		default:
			kept++
		}
	}
	words := strings.FieldsFunc(b.String(), func(r rune) bool { return r == ' ' })
	return strings.Join(words, " "), dropped > 0 && dropped >= kept
}

// form returns the text that the face draws for a rune; "" if it cannot draw any.
func (f face) form(r rune) string {
	switch {
	case unicode.IsSpace(r) && r != '\u00a0' && !strings.ContainsRune(narrowSpaces, r):
		return " "
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
		return ""
	case f.has(r):
		return string(r)
	case substitutes[r] != "":
		return substitutes[r]
	}
	var b strings.Builder
	for _, part := range norm.NFKD.String(string(r)) {
		if !unicode.Is(unicode.M, part) && f.has(part) {
			b.WriteRune(part)
		}
	}
	return b.String()
}

// A point is in pixels or, in a lettering, in thousandths of an em. y grows downwards, for glyphs from the baseline.
type point struct{ x, y float64 }

// An outline is a closed shape, or several.
type outline []segment

type segment struct {
	op   sfnt.SegmentOp
	args [3]point
}

// points returns how many of the args the segment uses.
func (s segment) points() int {
	switch s.op {
	case sfnt.SegmentOpQuadTo:
		return 2
	case sfnt.SegmentOpCubeTo:
		return 3
	default:
		return 1
	}
}

// move returns the outline with every point mapped.
func (o outline) move(to func(point) point) outline {
	moved := make(outline, len(o))
	for i, s := range o {
		moved[i].op = s.op
		for j := range s.points() {
			moved[i].args[j] = to(s.args[j])
		}
	}
	return moved
}

// at returns the outline moved so that its origin is at (x, y).
func (o outline) at(x, y float64) outline {
	return o.move(func(p point) point { return point{p.x + x, p.y + y} })
}

// bounds returns a box around the outline. It includes control points, so it may be a little large.
func (o outline) bounds() (low, high point) {
	low, high = point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for _, s := range o {
		for _, p := range s.args[:s.points()] {
			low = point{min(low.x, p.x), min(low.y, p.y)}
			high = point{max(high.x, p.x), max(high.y, p.y)}
		}
	}
	if len(o) == 0 {
		return point{}, point{}
	}
	return low, high
}

// A style is a face in a size, with a letter spacing in ems.
type style struct {
	face     face
	size     float64
	tracking float64
}

// outline returns the outline of a text that begins at the origin, and the width of the text.
func (s style) outline(text string) (shape outline, width float64) {
	s.each(text, func(glyph sfnt.GlyphIndex, x float64, buf *sfnt.Buffer) {
		segments, err := s.face.font.LoadGlyph(buf, glyph, s.face.em, nil)
		if err != nil {
			return // cannot happen: a test loads every glyph of the embedded fonts
		}
		for _, from := range segments {
			to := segment{op: from.Op}
			for i := range to.points() {
				to.args[i] = point{x + s.scale(from.Args[i].X), s.scale(from.Args[i].Y)}
			}
			shape = append(shape, to)
		}
	}, &width)
	return shape, width
}

// width returns the width of a text.
func (s style) width(text string) (width float64) {
	s.each(text, func(sfnt.GlyphIndex, float64, *sfnt.Buffer) {}, &width)
	return width
}

// each calls visit with each glyph of a text and its x, kerned and tracked, and sets width. It skips runes without a
// glyph.
func (s style) each(text string, visit func(sfnt.GlyphIndex, float64, *sfnt.Buffer), width *float64) {
	var (
		buf  sfnt.Buffer
		last sfnt.GlyphIndex
		x    float64
	)
	for _, r := range text {
		if strings.ContainsRune(narrowSpaces, r) {
			x += 0.17 * s.size
			last = 0
			continue
		}
		glyph, err := s.face.font.GlyphIndex(&buf, r)
		if err != nil || glyph == 0 {
			continue
		}
		if last != 0 {
			if kern, err := s.face.font.Kern(&buf, last, glyph, s.face.em, font.HintingNone); err == nil {
				x += s.scale(kern)
			}
			x += s.tracking * s.size
		}
		visit(glyph, x, &buf)
		if advance, err := s.face.font.GlyphAdvance(&buf, glyph, s.face.em, font.HintingNone); err == nil {
			x += s.scale(advance)
		}
		last = glyph
	}
	*width = x
}

// scale turns units of the font into pixels.
func (s style) scale(units fixed.Int26_6) float64 {
	return float64(units) / float64(s.face.em) * s.size
}
