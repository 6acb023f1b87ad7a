package content

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/theme"
)

// The custom properties of the site's stylesheet that a theme may set. Sizes are not among them: the pages are
// laid out for the sizes of the stylesheet.
var (
	themeColours = []string{
		"--paper", "--leaf", "--ink", "--ink-2", "--rule", "--hair", "--mark", "--on-mark", "--palm", "--pencil",
		"--salmon", "--salmon-ink", "--salmon-hair", "--slab", "--on-slab", "--slab-2", "--slab-key", "--slab-str",
	}
	themeFonts = []string{"--sans", "--serif", "--mono"}
)

var (
	fontForm = regexp.MustCompile(`^(?:"[A-Za-z0-9 _-]+"|[A-Za-z][A-Za-z0-9-]*(?: [A-Za-z0-9-]+)*)$`)
	generic  = []string{
		"sans-serif", "serif", "monospace", "system-ui", "ui-sans-serif", "ui-serif", "ui-monospace", "ui-rounded",
	}
)

// theme decodes theme.css. It returns nil when the file has errors.
func (d *document) theme(name string) *catalog.OperatorFile {
	if !d.clean() || !d.within(maxTheme) {
		return nil
	}
	t := themeCheck{document: d, light: declared{}, system: declared{}, chosen: declared{}}
	for t.sound() && t.block("") {
	}
	if d.failed {
		return nil
	}
	t.compareDark()
	t.checkContrast()
	if d.failed {
		return nil
	}
	return catalog.NewOperatorFile(name, string(d.data))
}

// A themeCheck reads a stylesheet that sets custom properties and does nothing else.
type themeCheck struct {
	*document
	at             int
	broken         bool // the rest cannot be read
	light          declared
	system, chosen declared // in the two dark blocks
}

// declared holds the declarations of a block, by property name.
type declared map[string]declaration

type declaration struct {
	value string
	at    int // offset of the value
}

func (t *themeCheck) sound() bool { return !t.broken }

// stop reports a fault that makes the rest of the file unreadable.
func (t *themeCheck) stop(at int, format string, args ...any) {
	t.fault(t.positionOf(at), format, args...)
	t.broken = true
}

// skip goes over white space and comments.
func (t *themeCheck) skip() {
	for t.at < len(t.data) {
		rest := t.data[t.at:]
		switch {
		case strings.IndexByte(" \t\n", rest[0]) >= 0:
			t.at++
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest[2:], []byte("*/"))
			if end < 0 {
				t.stop(t.at, "the comment does not end: write */")
				t.at = len(t.data)
				return
			}
			t.at += end + 4
		default:
			return
		}
	}
}

// until reads up to, but not including, one of the characters, or to the end of the file.
func (t *themeCheck) until(stops string) (text string, from int) {
	from = t.at
	if n := bytes.IndexAny(t.data[t.at:], stops); n >= 0 {
		t.at += n
	} else {
		t.at = len(t.data)
	}
	return strings.Join(strings.Fields(string(t.data[from:t.at])), " "), from
}

// block reads one block, at the top level or inside a media query. It returns false when there is none left or
// the rest cannot be read.
func (t *themeCheck) block(media string) bool {
	t.skip()
	if t.broken || t.at == len(t.data) || media != "" && t.data[t.at] == '}' {
		return false
	}
	selector, from := t.until("{};")
	if t.at == len(t.data) || t.data[t.at] != '{' {
		t.stop(from, "%q is not a block: a theme is blocks such as :root { --mark: #ffe44d; }", cutValue(selector))
		return false
	}
	t.at++
	set := t.light
	switch {
	case media == "" && strings.ReplaceAll(selector, ":dark", ": dark") == theme.SystemMedia:
		for t.block(theme.SystemMedia) {
		}
		t.close(from)
		return !t.broken
	case media == "" && selector == theme.LightBlock:
	case media == "" && selector == theme.ChosenBlock:
		set = t.chosen
	case media == theme.SystemMedia && selector == theme.SystemBlock:
		set = t.system
	default:
		t.stop(from, "%q is not allowed: a theme has the blocks %s, %s, and %s { %s { … } }",
			cutValue(selector), theme.LightBlock, theme.ChosenBlock, theme.SystemMedia, theme.SystemBlock)
		return false
	}
	for t.declaration(set) {
	}
	t.close(from)
	return !t.broken
}

func (t *themeCheck) close(from int) {
	if t.broken {
		return
	}
	if t.at == len(t.data) {
		t.stop(from, "the block does not end: write }")
		return
	}
	t.at++ // the brace
}

// declaration reads one declaration, such as --mark: #ffe44d, and the semicolon after it. It returns false when
// the block has no more, or the rest cannot be read.
func (t *themeCheck) declaration(set declared) bool {
	t.skip()
	if t.broken || t.at == len(t.data) || t.data[t.at] == '}' {
		return false
	}
	if t.data[t.at] == ';' {
		t.at++
		return true
	}
	name, from := t.until(":;{}")
	if t.at == len(t.data) || t.data[t.at] != ':' {
		t.stop(from, "%q is not a declaration: write --mark: #ffe44d;", cutValue(name))
		return false
	}
	t.at++
	t.skip()
	value, at := t.until(";{}")
	if t.at < len(t.data) && t.data[t.at] == '{' {
		t.stop(t.at, "a brace in a value: write --mark: #ffe44d;")
		return false
	}
	if t.at < len(t.data) && t.data[t.at] == ';' {
		t.at++
	}
	t.check(name, from, value, at)
	set[name] = declaration{value, at}
	return true
}

func (t *themeCheck) check(name string, from int, value string, at int) {
	switch {
	case slices.Contains(themeColours, name):
		if _, ok := theme.Parse(value); !ok {
			t.fault(t.positionOf(at), "%s is %q, which is no colour: write #ffe44d, rgb(255 228 77) or hsl(51 100%% 65%%)", name, cutValue(value))
		}
	case slices.Contains(themeFonts, name):
		t.checkFonts(name, value, at)
	default:
		known := slices.Concat(themeColours, themeFonts)
		t.fault(t.positionOf(from), "%q is not for a theme to set: %s Allowed: %s", cutValue(name),
			didYouMean(name, known, "remove it."), strings.Join(known, ", "))
	}
}

// checkFonts checks a list of font families. No font is ever downloaded: the browser skips a family that
// neither the site nor the reader's system has.
func (t *themeCheck) checkFonts(name, value string, at int) {
	families := strings.Split(value, ",")
	for _, f := range families {
		if f = strings.TrimSpace(f); !fontForm.MatchString(f) {
			t.fault(t.positionOf(at), "%s names %q, which is no font family: write names, with quotes where they have a space", name, cutValue(f))
			return
		}
	}
	if last := strings.TrimSpace(families[len(families)-1]); !slices.Contains(generic, last) {
		t.fault(t.positionOf(at), "%s ends with %q: end it with one of %s, for readers who have none of the others",
			name, cutValue(last), strings.Join(generic, ", "))
	}
}

// compareDark warns when the two dark blocks differ: readers who chose the dark theme would see other colours
// or fonts than readers whose system is dark.
func (t *themeCheck) compareDark() {
	for _, name := range slices.Concat(themeColours, themeFonts) {
		if t.system[name].value != t.chosen[name].value {
			t.warn(fileStart, "%s differs between the two dark blocks: set it in %s and in %s { %s { … } } alike",
				name, theme.ChosenBlock, theme.SystemMedia, theme.SystemBlock)
		}
	}
}

// checkContrast refuses text colours with too little contrast to their background, in either theme.
func (t *themeCheck) checkContrast() {
	colours := theme.Read(string(t.data))
	for _, pair := range theme.Pairs() {
		t.comparePair(pair, "light", colours.Light, t.light)
		if t.comparePair(pair, "dark", colours.Chosen, t.chosen, t.light) {
			t.comparePair(pair, "dark", colours.System, t.system, t.light)
		}
	}
}

// comparePair checks the contrast of a pair of colours in one theme. blocks are those that may have set them,
// highest precedence first; the fault points into the first that did. It returns false after a fault.
func (t *themeCheck) comparePair(pair theme.Pair, name string, colours theme.Colours, blocks ...declared) bool {
	text, ground := colours.On(pair.Text, pair.Ground)
	ratio := theme.Contrast(text, ground)
	if ratio >= theme.MinContrast {
		return true
	}
	at := 0
	for _, set := range blocks {
		for _, property := range []string{pair.Text, pair.Ground} {
			if d, found := set[property]; found && at == 0 {
				at = d.at
			}
		}
	}
	// Rounded down: 4.49 is not 4.5.
	t.fault(t.positionOf(at), "%s on %s has a contrast of %.2f in the %s theme (%s on %s): it takes %.1f at least, so make one lighter or darker",
		pair.Text, pair.Ground, math.Floor(ratio*100)/100, name, text, ground, theme.MinContrast)
	return false
}
