package picture_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/site/picture"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/theme"
)

var (
	paper = color.RGBA{0xfd, 0xfd, 0xfb, 0xff}
	mark  = color.RGBA{0xff, 0xe4, 0x4d, 0xff}
)

const sentence = "L’agent de terminal qui lit le dépôt\u202f; puis, s’il le faut, y touche. "

// Names of 80 characters: many words, one word, the widest letters, accents above and beneath.
var longNames = []string{
	"L’Assistant universel de rédaction, de veille et de traduction des Ébénistes unis",
	strings.Repeat("anticonstitutionnellement", 4)[:80],
	strings.Repeat("W", 80),
	strings.Repeat("ÂÇ ", 27)[:80*2-27],
	strings.Repeat("i", 80),
	"A " + strings.Repeat("M", 78),
}

func cards() map[string]picture.Card {
	all := map[string]picture.Card{
		"bare":     {Service: "Palmarès", Title: "Tournevis"},
		"scored":   {Service: "Palmarès", Kicker: "1er en code", Title: "Tournevis", Line: sentence, Score: "9,1", OutOf: "Note sur 10", Tenths: 91},
		"ten":      {Service: "Palmarès", Title: "Tournevis", Score: "10,0", OutOf: "Note sur 10", Tenths: 100},
		"beyond":   {Service: "Palmarès", Title: "Tournevis", Score: "1000000000,0", OutOf: longNames[0], Tenths: 1 << 40},
		"unscored": {Service: "Palmarès", Kicker: "pas encore noté", Title: "Tournevis", Line: sentence},
	}
	for _, name := range longNames {
		all["long "+name] = picture.Card{
			Service: name, Kicker: name, Title: name, Line: strings.Repeat(sentence, 20),
			Score: "10,0", OutOf: name, Tenths: 100,
		}
	}
	return all
}

func drawn(t *testing.T, c picture.Card) []byte {
	t.Helper()
	b, err := c.Draw()
	testkit.Must(t, err)
	again, err := c.Draw()
	testkit.Must(t, err)
	if !bytes.Equal(b, again) {
		t.Errorf("%+v: drawn twice, it differs", c)
	}
	return b
}

func decoded(t *testing.T, c picture.Card) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(drawn(t, c)))
	testkit.Must(t, err)
	testkit.Equal(t, "the size", img.Bounds(), image.Rect(0, 0, 1200, 630))
	return img
}

// count returns how many pixels of a rectangle are of a colour.
func count(img image.Image, r image.Rectangle, want color.RGBA) (n int) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if color.RGBAModel.Convert(img.At(x, y)) == want {
				n++
			}
		}
	}
	return n
}

func wantPaper(t *testing.T, what string, img image.Image, where ...image.Rectangle) {
	t.Helper()
	for _, r := range where {
		if n := r.Dx()*r.Dy() - count(img, r, paper); n > 0 {
			t.Errorf("%s: %d pixels of %v are not paper", what, n, r)
		}
	}
}

func wantInk(t *testing.T, what string, img image.Image, r image.Rectangle) {
	t.Helper()
	if count(img, r, paper) == r.Dx()*r.Dy() {
		t.Errorf("%s: nothing is drawn in %v", what, r)
	}
}

func TestCard_StaysInItsFrame(t *testing.T) {
	t.Parallel()
	for name, c := range cards() {
		if testkit.Raced && name != "scored" {
			continue // one drawing shows what is shared
		}
		img := decoded(t, c)
		wantPaper(t, name, img,
			image.Rect(0, 0, 1200, 24), image.Rect(0, 112, 1200, 132), // around the masthead
			image.Rect(0, 141, 1200, 152), image.Rect(0, 600, 1200, 630), // around the rest
			image.Rect(0, 141, 62, 630), image.Rect(1138, 141, 1200, 630), image.Rect(1138, 0, 1200, 130))
		wantInk(t, name, img, image.Rect(64, 24, 300, 112))
		wantInk(t, name, img, image.Rect(64, 250, 500, 450))
		if c.Score != "" {
			wantPaper(t, name, img, image.Rect(768, 141, 820, 630)) // between title and score
			inside := image.Rect(825, 220, 850, 526)                // between the border and the figure
			testkit.Equal(t, name+": the left of the score", count(img, inside.Inset(1), mark), inside.Inset(1).Dx()*inside.Inset(1).Dy())
			inside = image.Rect(1108, 220, 1131, 526)
			testkit.Equal(t, name+": the right of the score", count(img, inside.Inset(1), mark), inside.Inset(1).Dx()*inside.Inset(1).Dy())
		} else {
			testkit.Equal(t, name+": highlighter without a score", count(img, image.Rect(0, 141, 1200, 630), mark), 0)
		}
	}
}

func TestCard_RetiredIsANotice(t *testing.T) {
	t.Parallel()
	for name, c := range cards() {
		if testkit.Raced && name != "scored" {
			continue // as above
		}
		c.Retired = true
		img := decoded(t, c)
		testkit.Equal(t, name+": highlighter on a notice", count(img, img.Bounds(), mark), 0)
		wantPaper(t, name, img,
			image.Rect(0, 0, 1200, 32), image.Rect(0, 598, 1200, 630), // outside
			image.Rect(42, 42, 47, 588), image.Rect(42, 42, 1158, 47), // between the two lines
			image.Rect(52, 52, 80, 578), image.Rect(1120, 52, 1148, 578), // inside of them
			image.Rect(52, 52, 1148, 58), image.Rect(52, 570, 1148, 578))
		wantInk(t, name, img, image.Rect(400, 60, 800, 400))
	}
}

func TestCard_OfTheService(t *testing.T) {
	t.Parallel()
	for _, name := range append(longNames, "Palmarès") {
		if testkit.Raced && name != "Palmarès" {
			continue // as above
		}
		img := decoded(t, picture.Card{Service: name, Line: strings.Repeat(sentence, 4)})
		wantPaper(t, name, img,
			image.Rect(0, 0, 1200, 20), image.Rect(0, 380, 1200, 398), image.Rect(0, 410, 1200, 420),
			image.Rect(0, 0, 62, 396), image.Rect(1138, 0, 1200, 396), image.Rect(0, 600, 1200, 630),
			image.Rect(0, 411, 62, 630), image.Rect(1138, 411, 1200, 630))
		wantInk(t, name, img, image.Rect(64, 420, 500, 600))
		if count(img, image.Rect(64, 20, 1136, 380), mark) < 5000 {
			t.Errorf("%s: no logo", name)
		}
	}
}

// What the fonts lack is left out or replaced, as if the caller had written it so.
func TestCard_MissingLetters(t *testing.T) {
	t.Parallel()
	if testkit.Raced {
		t.Skip("a hundred drawings are compared without the race detector")
	}
	for _, pair := range [][2]picture.Card{
		{{Title: "智能助手", Slug: "zhineng"}, {Title: "zhineng"}},
		{{Title: "AI 助手", Slug: "ai-zhushou"}, {Title: "ai-zhushou"}}, // half is no name
		{{Title: "Молоток", Slug: "molotok"}, {Title: "molotok"}},
		{{Title: "🚀🔥", Slug: "fusee"}, {Title: "fusee"}},
		{{Title: "Tournevis 版", Slug: "tournevis"}, {Title: "Tournevis"}},
		{{Title: "🚀  Tournevis 👩\u200d🔧", Slug: "slug"}, {Title: "Tournevis"}},
		{{Title: "Ｗｉｄｅ ﬁn"}, {Title: "Wide fin"}},
		{{Title: "Nguyễn"}, {Title: "Nguyen"}},
		{{Title: "Ŝirkano"}, {Title: "Sirkano"}},
		{{Title: "e\u0301tau"}, {Title: "étau"}},
		{{Title: "a\u202eb\u200b\u0000c\td\ne"}, {Title: "abc d e"}},
		{{Title: "porte\u2011clés"}, {Title: "porte-clés"}},
		{{Title: "\xff\xfeTournevis"}, {Title: "Tournevis"}},
		{{Title: "日本", Service: "Palmarès"}, {Service: "Palmarès"}}, // nothing at all: the general card
		{{Service: "パルマレス", Host: "p.example"}, {Service: "p.example"}},
		{{Title: "T", Line: "Une 助手 aide 🚀."}, {Title: "T", Line: "Une aide ."}},
		{{Title: "T", Kicker: "日本", Score: "∞"}, {Title: "T"}},
		{{Title: "T", Line: "Молоток", Retired: true}, {Title: "T", Retired: true}},
		{{Title: "Tournevis", Slug: "s", Host: "h.test"}, {Title: "Tournevis"}},
	} {
		written, want := pair[0], pair[1]
		if !bytes.Equal(drawn(t, written), drawn(t, want)) {
			t.Errorf("%+v is not drawn as %+v", written, want)
		}
	}
	for _, differ := range [][2]string{{"Qui\u202f?", "Qui?"}, {"Œuvre", "Euvre"}, {"24\u00a0€", "24 "}, {"Łódź", "Lodz"}} {
		if bytes.Equal(drawn(t, picture.Card{Title: differ[0]}), drawn(t, picture.Card{Title: differ[1]})) {
			t.Errorf("%q is drawn as %q", differ[0], differ[1])
		}
	}
}

// A card has the colours of the theme.
func TestCard_HasTheColoursOfTheTheme(t *testing.T) {
	t.Parallel()
	own := theme.Read(`:root { --paper: #102030; --ink: #f0f0f0; --mark: #ff8800; --on-mark: #000000 }`)
	img := decoded(t, picture.Card{
		Service: "Palmarès", Title: "Tournevis", Score: "9,1", Tenths: 91, Colours: picture.ColoursOf(own.Light),
	})
	for what, c := range map[string]color.RGBA{
		"paper": {0x10, 0x20, 0x30, 0xff}, "ink": {0xf0, 0xf0, 0xf0, 0xff}, "mark": {0xff, 0x88, 0, 0xff}, "on the mark": {0, 0, 0, 0xff},
	} {
		if count(img, img.Bounds(), c) < 500 {
			t.Errorf("there is no %s", what)
		}
	}
	testkit.Equal(t, "paper of ours", count(img, img.Bounds(), paper), 0)
}

// A logo stands where the name would, in its proportions, never enlarged and within the frame.
func TestCard_Logo(t *testing.T) {
	t.Parallel()
	blue := color.RGBA{0, 0x40, 0xff, 0xff}
	for name, tt := range map[string]struct {
		size, drawn image.Point
		card        picture.Card
	}{
		"small":             {image.Pt(200, 40), image.Pt(200, 40), picture.Card{Title: "Tournevis"}},
		"high":              {image.Pt(152, 152), image.Pt(76, 76), picture.Card{Title: "Tournevis"}},
		"of the service":    {image.Pt(480, 480), image.Pt(240, 240), picture.Card{Line: sentence}},
		"wide":              {image.Pt(1024, 32), image.Pt(1024, 32), picture.Card{Title: "Tournevis"}},
		"of a death notice": {image.Pt(96, 96), image.Pt(48, 48), picture.Card{Title: "Tournevis", Retired: true}},
	} {
		logo := image.NewRGBA(image.Rectangle{Max: tt.size})
		draw.Draw(logo, logo.Rect, image.NewUniform(blue), image.Point{}, draw.Src)
		var b bytes.Buffer
		testkit.Must(t, png.Encode(&b, logo))
		tt.card.Service, tt.card.Logo = longNames[0], &picture.Logo{Hash: name, PNG: b.Bytes}
		img := decoded(t, tt.card)
		testkit.Equal(t, name+": pixels of the logo", count(img, img.Bounds(), blue), tt.drawn.X*tt.drawn.Y)
		tt.card.Logo.PNG = func() []byte { return nil }
		if drawn := decoded(t, tt.card); count(drawn, drawn.Bounds(), blue) > 0 {
			t.Errorf("%s: a logo that cannot be read is drawn", name)
		}
	}
	first, second := &picture.Logo{Hash: "a"}, &picture.Logo{Hash: "b"}
	if fmt.Sprintf("%#v", picture.Card{Logo: first}) == fmt.Sprintf("%#v", picture.Card{Logo: second}) {
		t.Error("two logos make one card")
	}
	_ = fmt.Sprintf("%#v", picture.Card{})
}
