package picture

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/image/font/sfnt"

	"github.com/palmares-hq/palmares/internal/testkit"
)

var faces = map[string]face{"display": display, "label": label, "serif": serif, "italic": italic}

// All that French and its neighbours need is there, and every glyph can be drawn.
func TestFonts(t *testing.T) {
	t.Parallel()
	const needed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" +
		"ÀÂÄÆÇÉÈÊËÎÏÔÖŒÙÛÜŸàâäæçéèêëîïôöœùûüÿÁÍÓÚÑáíóúñßÅåØøÃãÕõŁłŚśŻżŹźĄąĘęĆćŃńČčŠšŽžŘřĚěŮůŐőŰűĞğİıŞşȘșȚț" +
		"’‘“”«»„…–—-−·•°€£$%&@#+*/=<>()[]{}!?¿¡.,:;'\"™®© \u00a0\u202f\u2009"
	for name, f := range faces {
		for _, r := range needed {
			if !f.has(r) {
				t.Errorf("%s lacks %q (%U)", name, r, r)
			}
		}
		for glyph := range f.font.NumGlyphs() {
			_, err := f.font.LoadGlyph(new(sfnt.Buffer), sfnt.GlyphIndex(glyph), f.em, nil)
			testkit.Must(t, err)
		}
		s := style{face: f, size: 100}
		if s.width("AV") >= s.width("A")+s.width("V") {
			t.Errorf("%s has lost its kerning", name)
		}
		// Between two letters that have no kerning: narrower than a space, and not by nothing.
		none, narrow, space := s.width("nn"), s.width("n\u202fn"), s.width("n n")
		if narrow < none+10 || narrow > space {
			t.Errorf("%s: a narrow space makes %v of %v, a space %v", name, narrow, none, space)
		}
	}
}

func TestFit(t *testing.T) {
	t.Parallel()
	f := frame{width: 700, height: 232, lines: 4, leading: 1, largest: 136, smallest: 44, tiny: 28}
	for _, test := range []struct {
		text  string
		size  float64 // at least
		lines []string
	}{
		{"", 0, nil},
		{"Tournevis", 136, []string{"Tournevis"}},
		{"Fouinard et Fils", 100, []string{"Fouinard", "et Fils"}}, // larger on two lines than on one
		{"a b c d e f g h i j k l m n", 80, nil},
		{strings.Repeat("anticonstitutionnellement", 4), 28, nil},
		{strings.Repeat("W", 80), 28, nil},
		{strings.Repeat("mot ", 200), 28, nil},
		{strings.Repeat("W", 2000), 28, nil},
	} {
		if testkit.Raced && len(test.text) > 100 {
			continue
		}
		for _, narrow := range []float64{1, 3} {
			f := f
			f.width /= narrow
			what := fmt.Sprintf("%.20q in %v", test.text, f.width)
			b := f.fit(display, -0.01, strings.TrimSpace(test.text))
			if len(b.lines) > f.lines || b.height() > f.height {
				t.Errorf("%s: %d lines, %v high", what, len(b.lines), b.height())
			}
			for _, line := range b.lines {
				if w := b.style.width(line); w > f.width+0.5 {
					t.Errorf("%s: %q is %v wide", what, line, w)
				}
			}
			whole := strings.ReplaceAll(test.text, " ", "")
			shown := strings.ReplaceAll(strings.Join(b.lines, ""), " ", "")
			if cut, is := strings.CutSuffix(shown, "…"); shown != whole && (!is || cut == "" || !strings.HasPrefix(whole, cut)) {
				t.Errorf("%s: shows %q", what, b.lines)
			}
			if narrow == 1 && (b.style.size < test.size || test.lines != nil && strings.Join(b.lines, "|") != strings.Join(test.lines, "|")) {
				t.Errorf("%s: %q in size %v, want %q in %v at least", what, b.lines, b.style.size, test.lines, test.size)
			}
		}
	}
}
