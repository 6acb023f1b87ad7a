package theme_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/theme"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]theme.Colour{
		"#14161b":                 {R: 0x14, G: 0x16, B: 0x1b, A: 1},
		"#0af":                    {R: 0, G: 0xaa, B: 0xff, A: 1},
		"#00000080":               {A: 128.0 / 255},
		"#000f":                   {A: 1},
		"rgb(255 228 77)":         {R: 255, G: 228, B: 77, A: 1},
		"rgba(255, 228, 77, 0.5)": {R: 255, G: 228, B: 77, A: 0.5},
		"rgb(100% 0% 50% / 40%)":  {R: 255, G: 0, B: 128, A: 0.4},
		"rgb(300 0 0)":            {R: 255, A: 1},
		"hsl(0 100% 50%)":         {R: 255, A: 1},
		"hsl(120deg 100% 25%)":    {G: 128, A: 1},
		"hsl(51deg, 100%, 65%)":   {R: 255, G: 228, B: 77, A: 1},
		"hsla(240 100% 50% / .3)": {B: 255, A: 0.3},
		"hsl(411 100% 65%)":       {R: 255, G: 228, B: 77, A: 1},
	} {
		got, ok := theme.Parse(text)
		if !ok || got != want {
			t.Errorf("%s is %v (%v), want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", "red", "#12345", "#1234567", "rgb(1 2)", "rgb(1 2 3 4 5)", "rgb(1 2 3", "hsl(50% 1% 1%)", "rgb(1deg 2 3)",
		"rgb(1 2deg 3)", "rgb(1.2.3 2 3)", "lab(1 2 3)", "rgb(-1 2 3)", "url(x)", "rgb(1 2 . 3)",
		"rgb(1,,2,3)", "rgb(1 2 3 4)", "rgb(1, 2, 3 / 4)", "rgb(1 2, 3)", "rgb(1% 2 3)", "rgb(1/2/3)", "rgb(/1 2 3)", "rgb(1 2 3/)",
		"rgb (1 2 3)", "rgbaa(1 2 3)", "hsl(1 2 3)", "hsl(1 2% 3)", "hsl(1, 2% 3%)", "hsl(1 2% 3% / 1deg)", "rgb(1e2 2 3)",
		"rgb(1\u00a02 3)", "hsl(" + strings.Repeat("9", 400) + " 1% 1%)",
	} {
		if c, ok := theme.Parse(text); ok {
			t.Errorf("%q is %v, want none", text, c)
		}
	}
}

// The figures are those that WCAG and its tools give.
func TestContrast(t *testing.T) {
	t.Parallel()
	for pair, want := range map[[2]string]float64{
		{"#000", "#fff"}: 21, {"#fff", "#000"}: 21, {"#777", "#fff"}: 4.48, {"#767676", "#fff"}: 4.54, {"#14161b", "#ffe44d"}: 14.2,
	} {
		a, _ := theme.Parse(pair[0])
		b, _ := theme.Parse(pair[1])
		if got := theme.Contrast(a, b); got < want-0.01*want || got > want+0.01*want {
			t.Errorf("%v: %.2f, want %.2f", pair, got, want)
		}
	}
}

// What is drawn has the colours of the stylesheet, which pages load.
func TestDefault_IsTheStylesheet(t *testing.T) {
	t.Parallel()
	css := testkit.ReadFile(t, filepath.Join("..", "layout", "static", "css", "00-tokens.css"))
	read, own := theme.Read(css), theme.Default()
	testkit.Equal(t, "light", read.Light, own.Light)
	testkit.Equal(t, "system", read.System, own.System)
	testkit.Equal(t, "chosen", read.Chosen, own.Chosen)
	names := regexp.MustCompile(`(--[a-z0-9-]+): *#`).FindAllStringSubmatch(css, -1)
	for _, m := range names {
		if _, ok := own.Light[m[1]]; !ok {
			t.Errorf("%s is not known", m[1])
		}
	}
	if len(names) < 40 {
		t.Errorf("the stylesheet has %d colours", len(names))
	}
}

func TestDefault_CanBeRead(t *testing.T) {
	t.Parallel()
	own := theme.Default()
	for _, pair := range theme.Pairs() {
		for name, colours := range map[string]theme.Colours{"light": own.Light, "dark": own.Chosen} {
			if got := theme.Contrast(colours.On(pair.Text, pair.Ground)); got < theme.MinContrast {
				t.Errorf("%v, %s: %.2f", pair, name, got)
			}
		}
	}
}

// As in a browser: our own dark block counts for more than :root of the theme, and a theme's own for more
// than ours.
func TestRead_FollowsTheCascade(t *testing.T) {
	t.Parallel()
	got := theme.Read(`/* :root { --ink: #fff } */
:root { --ink: #111111; --mark: #00aaff; --nothing: #123456; --mark: url(x) }
@media (prefers-color-scheme:dark) { :root:not([data-theme="light"]) { --palm: #222222 } }
:root[data-theme="dark"] { --palm: #333333; --slab: #444444 }`)
	for name, is := range map[string]struct{ got, want string }{
		"ink, light":  {got.Light["--ink"].String(), "#111111"},
		"ink, dark":   {got.Chosen["--ink"].String(), "#efeee6"},
		"mark, light": {got.Light["--mark"].String(), "#00aaff"},
		"mark, dark":  {got.System["--mark"].String(), "#00aaff"},
		"palm, light": {got.Light["--palm"].String(), "#0b6b4a"},
		"palm, dark":  {got.System["--palm"].String() + got.Chosen["--palm"].String(), "#222222#333333"},
		"slab, dark":  {got.System["--slab"].String() + got.Chosen["--slab"].String(), "#0b0c10#444444"},
	} {
		testkit.Equal(t, name, is.got, is.want)
	}
	if len(got.Light) != len(theme.Default().Light) {
		t.Error("a property that nobody knows is there")
	}
}

// A file is a theme if a browser reads in it what we do.
func TestDeclarations(t *testing.T) {
	t.Parallel()
	for css, want := range map[string]string{
		"":                                 "",
		":root{--ink:#000}":                ":root --ink=#000@12",
		"/*;}*/ :root /**/{ --ink: #000 }": `fault 7 :root /**/`,
		":root {\r\n\t/*}*/ --ink\f:\n/*;*/ rgb(0\n0 0) ;;}": ":root --ink=rgb(0 0 0)@30",
		`:root{--sans:"A  B" , serif;--sans:x}`:              `:root --sans="A  B" , serif@13 :root --sans=x@35`,
		":root{--ink: #000/* */;}":                           ":root --ink=#000/* */@13",
		":root{--ink: /* ; } */ #000}":                       ":root --ink=#000@23",
		`:root[data-theme="dark"]{--ink:}`:                   `:root[data-theme="dark"] --ink=@31`,
		`@media
(prefers-color-scheme:dark){:root:not([data-theme="light"]){--ink:x} }`: `:root:not([data-theme="light"]) --ink=x@73`,
		`@media (prefers-color-scheme: dark):root:not([data-theme="light"]){--ink:x}`: `fault 0 @media (prefers-color-scheme: dark):root:not([data-theme="light"])`,
		"@media (prefers-color-scheme:/**/dark){}":                                    "fault 0 @media (prefers-color-scheme:/**/dark)",
		"@media (prefers-color-scheme: dark){} }":                                     "fault 38 ",
		"@media (prefers-color-scheme: dark){;}":                                      "fault 36 ",
		"@media (prefers-color-scheme: dark){--ink: #000}":                            "fault 36 --ink: #000",
		"@media (prefers-color-scheme: dark){:root{}}":                                "fault 36 :root",
		`:root:not([data-theme="light"]){--ink:x}`:                                    `fault 0 :root:not([data-theme="light"])`,
		`:r\6fot{--ink:x}`:            `fault 0 :r\6fot`,
		":ROOT{--ink:x}":              "fault 0 :ROOT",
		":root\u00a0{--ink:x}":        "fault 0 :root\u00a0",
		"body{--ink:x} :root{--ink:y": "fault 0 body :root --ink=y@26",
		"<!-- :root{--ink:x} -->":     "fault 0 <!-- :root",
		"\ufeff:root{}":               "fault 0 \ufeff:root",
		"@import 'x'; :root{--ink:x}": "fault 0 @import 'x'",
		":root{--ink:x":               "fault 0  :root --ink=x@12",
		":root{--ink:{}}":             "fault 12 ",
		":root{--ink;}":               "fault 6 --ink",
		":root{{}}":                   "fault 6 ",
		":root{/*":                    "fault 6 ",
		":root{--ink:/*;}":            "fault 12 ",
		":root{} /*/":                 "fault 8 ",
	} {
		all, fault := theme.Declarations(css)
		var got []string
		if fault != nil {
			got = append(got, fmt.Sprintf("fault %d %s", fault.At, fault.Text))
		}
		for _, d := range all {
			got = append(got, fmt.Sprintf("%s %s=%s@%d", d.Block, d.Name, d.Value, d.ValueAt))
		}
		testkit.Equal(t, css, strings.Join(got, " "), want)
	}
}

// The theme of the example is one that can be read.
func TestRead_TheExample(t *testing.T) {
	t.Parallel()
	css, err := os.ReadFile(filepath.Join("..", "..", "examples", "catalog", "pages", "theme.css"))
	testkit.Must(t, err)
	if got := theme.Read(string(css)).Light["--palm"].String(); !strings.Contains(string(css), got) {
		t.Errorf("--palm is %s", got)
	}
}
