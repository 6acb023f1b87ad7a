package content

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// The custom properties of the site's stylesheet that a theme may set. Sizes are not among them:
// every page was laid out with the ones it has.
var (
	themeColours = []string{
		"--paper", "--leaf", "--ink", "--ink-2", "--rule", "--hair", "--mark", "--on-mark", "--palm", "--pencil",
		"--salmon", "--salmon-ink", "--salmon-hair", "--slab", "--on-slab", "--slab-2", "--slab-key", "--slab-str",
	}
	themeFonts = []string{"--sans", "--serif", "--mono"}
)

// The blocks of the site's stylesheet that set them: for everybody, for readers whose system is
// dark, and for readers who chose it.
const (
	lightBlock  = `:root`
	chosenBlock = `:root[data-theme="dark"]`
	systemMedia = `@media (prefers-color-scheme: dark)`
	systemBlock = `:root:not([data-theme="light"])`
)

var (
	colourForm = regexp.MustCompile(`^(?:#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})|(?:rgb|hsl)a?\( *[0-9.]+(?:deg|%)?(?:[ ,/]+[0-9.]+%?){2,3} *\))$`)
	fontForm   = regexp.MustCompile(`^(?:"[A-Za-z0-9 _-]+"|[A-Za-z][A-Za-z0-9-]*(?: [A-Za-z0-9-]+)*)$`)
	generic    = []string{
		"sans-serif", "serif", "monospace", "system-ui", "ui-sans-serif", "ui-serif", "ui-monospace", "ui-rounded",
	}
)

// theme decodes theme.css. It returns nil when the file has errors.
func (d *document) theme(name string) *catalog.OperatorFile {
	if !d.clean() || !d.within(maxTheme) {
		return nil
	}
	t := themeCheck{document: d, system: map[string]string{}, chosen: map[string]string{}}
	for t.sound() && t.block("") {
	}
	if d.failed {
		return nil
	}
	t.compareDark()
	return catalog.NewOperatorFile(name, string(d.data))
}

// A themeCheck reads a stylesheet that sets custom properties and does nothing else.
type themeCheck struct {
	*document
	at             int
	broken         bool              // what follows cannot be read
	system, chosen map[string]string // what is set in the two dark blocks
}

func (t *themeCheck) sound() bool { return !t.broken }

// stop reports a fault after which nothing can be read.
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

// until reads up to one of the characters, which it leaves, or to the end of the file.
func (t *themeCheck) until(stops string) (text string, from int) {
	from = t.at
	if n := bytes.IndexAny(t.data[t.at:], stops); n >= 0 {
		t.at += n
	} else {
		t.at = len(t.data)
	}
	return strings.Join(strings.Fields(string(t.data[from:t.at])), " "), from
}

// block reads a block, of the file or of a media query. It returns false where none follows.
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
	set := map[string]string{}
	switch {
	case media == "" && strings.ReplaceAll(selector, ":dark", ": dark") == systemMedia:
		for t.block(systemMedia) {
		}
		t.close(from)
		return !t.broken
	case media == "" && selector == lightBlock:
	case media == "" && selector == chosenBlock:
		set = t.chosen
	case media == systemMedia && selector == systemBlock:
		set = t.system
	default:
		t.stop(from, "%q is not allowed: a theme has the blocks %s, %s, and %s { %s { … } }",
			cutValue(selector), lightBlock, chosenBlock, systemMedia, systemBlock)
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

// declaration reads one, such as --mark: #ffe44d, and the semicolon after it.
func (t *themeCheck) declaration(set map[string]string) bool {
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
	set[name] = value
	return true
}

func (t *themeCheck) check(name string, from int, value string, at int) {
	switch {
	case slices.Contains(themeColours, name):
		if !colourForm.MatchString(value) {
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

// checkFonts checks a list of families. Nothing is fetched for it: a family that is neither ours nor
// the reader's own is passed over.
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

// compareDark warns when those who chose the dark theme see other colours than those whose system
// is dark.
func (t *themeCheck) compareDark() {
	for _, name := range slices.Concat(themeColours, themeFonts) {
		if t.system[name] != t.chosen[name] {
			t.warn(fileStart, "%s differs between the two dark blocks: set it in %s and in %s { %s { … } } alike",
				name, chosenBlock, systemMedia, systemBlock)
		}
	}
}
