package picture_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/site/picture"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/theme"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestBadge_Golden(t *testing.T) {
	t.Parallel()
	dark := picture.ColoursOf(theme.Default().Chosen)
	for name, b := range map[string]picture.Badge{
		"scored":        {Label: "Palmarès", Value: "9,1 sur 10", Title: "Tournevis : 9,1 sur 10 selon Palmarès"},
		"scored-dark":   {Label: "Palmarès", Value: "9,1 sur 10", Title: "Tournevis : 9,1 sur 10 selon Palmarès", Colours: dark},
		"unscored":      {Kind: picture.Unscored, Label: "Palmarès", Value: "pas encore noté", Title: "Vignelune : pas encore noté"},
		"retired":       {Kind: picture.Retired, Label: "Palmarès", Value: "retiré", Title: "Trottinon : retiré"},
		"retired-dark":  {Kind: picture.Retired, Label: "Palmarès", Value: "retiré", Title: "Trottinon : retiré", Colours: dark},
		"unscored-dark": {Kind: picture.Unscored, Label: "Palmarès", Value: "pas encore noté", Title: "Vignelune : pas encore noté", Colours: dark},
	} {
		file := filepath.Join("testdata", name+".svg")
		if *update {
			testkit.Must(t, os.WriteFile(file, b.SVG(), 0o600))
		}
		testkit.Equal(t, "the badge (-update rewrites "+file+")", string(b.SVG()), testkit.ReadFile(t, file))
	}
}

// An svg is what a reader of the badge understands of it.
type svg struct {
	Width  int    `xml:"width,attr"`
	Height int    `xml:"height,attr"`
	Role   string `xml:"role,attr"`
	Label  string `xml:"aria-label,attr"`
	Title  string `xml:"title"`
}

func parsed(t *testing.T, b picture.Badge) (s svg) {
	t.Helper()
	text := b.SVG()
	testkit.Must(t, xml.Unmarshal(text, &s))
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return s
		}
		testkit.Must(t, err)
		e, is := token.(xml.StartElement)
		if !is {
			continue
		}
		if name := e.Name.Local; name != "svg" && name != "title" && name != "path" {
			t.Errorf("%+v has <%s>", b, name)
		}
		for _, a := range e.Attr {
			if a.Name.Local == "style" || a.Name.Local == "class" || strings.HasPrefix(a.Name.Local, "on") {
				t.Errorf("%+v has %s=%q", b, a.Name.Local, a.Value)
			}
		}
	}
}

func TestBadge_AnyText(t *testing.T) {
	t.Parallel()
	hostile := "</title><script>alert(1)</script>\" onload=\"x & 'y' ]]>"
	for _, title := range []string{"Tournevis", hostile, "智能助手 🚀", ""} {
		for _, kind := range []picture.Kind{picture.Scored, picture.Unscored, picture.Retired} {
			s := parsed(t, picture.Badge{Kind: kind, Label: title, Value: title, Title: title})
			testkit.Equal(t, "the badge without its width", svg{0, s.Height, s.Role, s.Label, s.Title}, svg{0, 28, "img", title, title})
		}
	}
	parsed(t, picture.Badge{Title: "\x00\xff\ufffe"}) // not even XML allows them
	missing, host := picture.Badge{Label: "パルマレス", Host: "p.example"}, picture.Badge{Label: "p.example"}
	testkit.Equal(t, "a service in other letters", string(missing.SVG()), string(host.SVG()))
}

// A badge is as wide as its text, and a long name is cut: it has to fit beside others on a phone.
func TestBadge_IsAsWideAsItsText(t *testing.T) {
	t.Parallel()
	const most = 320
	last := 0
	for n := range 81 {
		s := parsed(t, picture.Badge{Label: strings.Repeat("M", n), Value: "10,0", Title: strconv.Itoa(n)})
		if s.Width > most || n <= 12 && (s.Width <= last || last > 0 && s.Width > last+14) {
			t.Fatalf("%d letters are %d wide, after %d", n, s.Width, last)
		}
		last = s.Width
	}
	for _, name := range longNames {
		if s := parsed(t, picture.Badge{Label: name, Value: "9,1 sur 10", Title: "t"}); s.Width > most {
			t.Errorf("%s is %d wide", name, s.Width)
		}
	}
}

// A badge has the colours of the theme, and no other.
func TestBadge_HasTheColoursOfTheTheme(t *testing.T) {
	t.Parallel()
	own := theme.Read(`:root { --paper: #010101; --ink: #fefefe; --ink-2: #cdcdcd; --mark: #0a0b0c; --on-mark: #f0f1f2 }`)
	for kind, want := range map[picture.Kind]string{
		picture.Scored: "#010101 #0a0b0c #f0f1f2 #fefefe", picture.Unscored: "#010101 #cdcdcd #fefefe", picture.Retired: "#010101 #fefefe",
	} {
		text := picture.Badge{Kind: kind, Label: "P", Value: "v", Colours: picture.ColoursOf(own.Light)}.SVG()
		found := regexp.MustCompile(`#[0-9a-f]{6}`).FindAllString(string(text), -1)
		slices.Sort(found)
		testkit.Equal(t, "colours", strings.Join(slices.Compact(found), " "), want)
	}
}
