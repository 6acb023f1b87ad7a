// Package theme computes the colours of the site from its stylesheet and the operator's theme.css.
// Pages load both files as they are; pictures and mails take their colours from here. Begin with
// Read.
package theme

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// The blocks of the stylesheet that set colours: for everybody, for readers whose system is dark, and for
// readers who chose it.
const (
	LightBlock  = `:root`
	SystemMedia = `@media (prefers-color-scheme: dark)`
	SystemBlock = `:root:not([data-theme="light"])`
	ChosenBlock = `:root[data-theme="dark"]`
)

// Colours are the values of custom properties, by their names.
type Colours map[string]Colour

// A Theme is the colours that readers see.
type Theme struct {
	Light  Colours
	System Colours // of readers whose system is dark
	Chosen Colours // of readers who chose it
}

// light and dark are the colours of the stylesheet. A colour missing in dark is the one in light.
var (
	light = must(map[string]string{
		"--paper": "#fdfdfb", "--leaf": "#f3f4ef", "--ink": "#14161b", "--ink-2": "#50545c", "--rule": "#14161b",
		"--hair": "#d4d6cf", "--mark": "#ffe44d", "--on-mark": "#14161b", "--palm": "#0b6b4a", "--pencil": "#b3261e",
		"--salmon": "#fde7da", "--salmon-ink": "#6e3215", "--salmon-hair": "#e9c3ac",
		"--slab": "#14161b", "--on-slab": "#eceade", "--slab-2": "#a9abb2", "--slab-key": "#ffe44d", "--slab-str": "#8fdcb8",
	})
	dark = must(map[string]string{
		"--paper": "#14161b", "--leaf": "#1d2027", "--ink": "#efeee6", "--ink-2": "#a9abb2", "--rule": "#efeee6",
		"--hair": "#363a43", "--palm": "#62cf9f", "--pencil": "#ff8a7d",
		"--salmon": "#2b1e18", "--salmon-ink": "#f3b493", "--salmon-hair": "#5a3a2a", "--slab": "#0b0c10",
	})
)

func must(values map[string]string) Colours {
	all := Colours{}
	for name, value := range values {
		c, ok := Parse(value)
		if !ok {
			panic(value + " is no colour")
		}
		all[name] = c
	}
	return all
}

// Default returns the theme of the stylesheet alone.
func Default() Theme { return Read("") }

// Read returns the theme of the stylesheet with the colours that a theme.css sets. It expects a
// file that was checked, and ignores what it does not understand.
//
// As in a browser, the stylesheet's blocks for dark readers take precedence over :root of the
// theme.css.
func Read(css string) Theme {
	set := map[string]Colours{LightBlock: {}, SystemBlock: {}, ChosenBlock: {}}
	all, _ := Declarations(css)
	for _, d := range all {
		_, known := light[d.Name]
		if c, ok := Parse(d.Value); known && ok {
			set[d.Block][d.Name] = c
		}
	}
	return Theme{
		Light:  merge(light, set[LightBlock]),
		System: merge(light, set[LightBlock], dark, set[SystemBlock]),
		Chosen: merge(light, set[LightBlock], dark, set[ChosenBlock]),
	}
}

// A Declaration sets a property in one of the blocks that a theme may have.
type Declaration struct {
	Block, Name, Value string
	At, ValueAt        int // offsets of the name and the value
}

// A Fault is why a file is no theme. In Says, %q stands for Text.
type Fault struct {
	At         int
	Says, Text string
}

const blank = " \t\n\r\f" // as \s

var (
	statement = regexp.MustCompile(`^[^;{}]*`)
	comments  = regexp.MustCompile(`(?:^|[;{}:])(?:\s|/\*(?s:.*?)\*/)+`)
	spaces    = regexp.MustCompile(`((?:"[^"]*"|[^"\s])*)\s+`)
	allowed   = map[bool][]string{false: {LightBlock, ChosenBlock}, true: {SystemBlock}} // by whether they are in SystemMedia
)

// words joins words by single spaces. A no-break space is part of a word for CSS, and a line break in quotes ends the
// string, so both stay.
func words(s string) string { return strings.Trim(spaces.ReplaceAllString(s+" ", "$1 "), " ") }

// Declarations parses a theme.css and returns its first fault. It passes over blocks that a theme may not have, and
// stops at other faults. Comments may stand before a selector, a name or a value, and are part of a word elsewhere.
//
// It knows no strings and no escapes: what hides a brace or a semicolon in them is no font and no colour.
func Declarations(css string) (all []Declaration, fault *Fault) {
	bare := comments.ReplaceAllStringFunc(css, func(s string) string {
		before := strings.TrimLeft(s[:1], "/"+blank)
		return before + strings.Repeat(" ", len(s)-len(before))
	})
	skip := func(at int) int { return len(bare) - len(strings.TrimLeft(bare[at:], blank)) }
	stop := func(at int, says, text string) ([]Declaration, *Fault) {
		return all, cmp.Or(fault, &Fault{at, says, text})
	}
	var open []int // offsets of the selectors whose blocks have not ended
	block, declares := "", false
	for at := skip(0); at < len(bare); {
		end := at + len(statement.FindString(bare[at:]))
		text, mark := words(css[at:end]), bare[end:min(end+1, len(bare))]
		name, _, named := strings.Cut(bare[at:end], ":")
		value := skip(min(at+len(name)+1, end))
		switch {
		case strings.HasPrefix(text, "/*"):
			return stop(at, "the comment does not end: write */", "")
		case declares && !named && (text != "" || mark == "{"):
			return stop(at, "%q is not a declaration: write --mark: #ffe44d;", text)
		case declares && strings.HasPrefix(bare[value:], "/*"):
			return stop(value, "the comment does not end: write */", "")
		case declares && mark == "{":
			return stop(end, "a brace in a value: write --mark: #ffe44d;", "")
		case declares && named && block != "":
			all = append(all, Declaration{block, words(name), words(css[value:end]), at, value})
		case !declares && mark == "{":
			block, declares = text, len(open) > 0 || strings.ReplaceAll(text, ":dark", ": dark") != SystemMedia
			if declares && !slices.Contains(allowed[len(open) > 0], text) {
				_, fault = stop(at, "%q is not allowed: a theme has the blocks "+LightBlock+", "+ChosenBlock+", and "+
					SystemMedia+" { "+SystemBlock+" { … } }", text)
				block = ""
			}
			open = append(open, at)
		case !declares && (text != "" || mark == ";" || len(open) == 0):
			return stop(at, "%q is not a block: a theme is blocks such as :root { --mark: #ffe44d; }", text)
		}
		if mark == "}" {
			open, declares = open[:len(open)-1], false
		}
		at = skip(end + len(mark))
	}
	if len(open) > 0 {
		return stop(open[len(open)-1], "the block does not end: write }", "")
	}
	return all, fault
}

// merge combines colours. Later ones replace earlier ones of the same name.
func merge(layers ...Colours) Colours {
	all := Colours{}
	for _, l := range layers {
		maps.Copy(all, l)
	}
	return all
}

// On returns a colour as it is seen on a ground, and the ground as it is seen on the page.
func (c Colours) On(name, ground string) (over, under Colour) {
	under = c[ground].Over(c["--paper"].Over(white))
	return c[name].Over(under), under
}

// white is behind a page whose own colour is not opaque.
var white = Colour{255, 255, 255, 1}

// Opaque returns a colour as it is seen on the page.
func (c Colours) Opaque(name string) Colour {
	over, _ := c.On(name, "--paper")
	return over
}

// A Pair names the colours of a text and of its ground.
type Pair struct{ Text, Ground string }

// MinContrast is the minimum contrast between a text and its ground.
const MinContrast = 4.5

// Pairs returns the pairs of text and ground that pages use.
func Pairs() []Pair {
	var pairs []Pair
	for _, p := range []struct{ ground, texts string }{
		{"--paper", "--ink --ink-2 --palm --pencil"},
		{"--leaf", "--ink --ink-2 --palm --pencil"},
		{"--salmon", "--ink --salmon-ink --palm --pencil"},
		{"--mark", "--on-mark"},
		{"--slab", "--on-slab --slab-2 --slab-key --slab-str"},
	} {
		for text := range strings.FieldsSeq(p.texts) {
			pairs = append(pairs, Pair{text, p.ground})
		}
	}
	return pairs
}
