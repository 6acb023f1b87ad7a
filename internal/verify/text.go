package verify

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/text/unicode/norm"
)

// A writer collects visible text in lower case. White space collapses to one space, or to one line feed where a
// reader sees the text end, as between two cells of a table. Characters without width are dropped.
type writer struct {
	b   strings.Builder
	gap rune // before the next character: 0, a space or a line feed
}

func (w *writer) write(s string, keepLines bool) {
	for _, r := range s {
		switch {
		case r == '\n' && keepLines:
			w.gap = '\n'
		case unicode.IsSpace(r):
			if w.gap == 0 {
				w.gap = ' '
			}
		case r >= utf8.RuneSelf && unicode.Is(unicode.Cf, r), unicode.IsControl(r):
		default:
			if w.gap != 0 && w.b.Len() > 0 {
				w.b.WriteRune(w.gap)
			}
			w.gap = 0
			w.b.WriteRune(r)
		}
	}
}

func (w *writer) end() { w.gap = '\n' }

// typeset replaces typographic apostrophes with the plain one.
var typeset = strings.NewReplacer("’", "'", "ʼ", "'")

func (w *writer) String() string {
	return norm.NFC.String(typeset.Replace(strings.ToLower(w.b.String())))
}

// fold normalizes an editor's text in the same way as the text of a page.
func fold(s string) string {
	var w writer
	w.write(s, false)
	return w.String()
}

func plainText(s string) string {
	var w writer
	w.write(s, true)
	return w.String()
}

// jsonText returns the strings and numbers of a JSON document, keys included, a line each. It stops at the
// first error.
func jsonText(data []byte) string {
	var w writer
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	for {
		t, err := d.Token()
		if err != nil {
			return w.String()
		}
		switch t := t.(type) {
		case string:
			w.write(t, true)
		case json.Number:
			w.write(t.String(), false)
		}
		w.end()
	}
}

// hidden are the elements whose content a browser with scripts does not show.
var hidden = set("script", "style", "template", "noscript", "iframe", "noembed", "noframes")

// inline are the elements that do not interrupt the text: <b>2</b>0 € reads 20 €.
var inline = set("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd",
	"label", "mark", "nobr", "output", "q", "s", "samp", "slot", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr")

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// htmlText returns the visible text of a page and reports whether the page has scripts.
func htmlText(s string) (text string, scripts bool) {
	var w writer
	z := html.NewTokenizer(strings.NewReader(s))
	skipped, depth := "", 0 // the enclosing hidden element and its nesting depth
	for {
		switch kind := z.Next(); kind { //nolint:exhaustive // comments and doctypes are not shown
		case html.ErrorToken:
			return w.String(), scripts
		case html.TextToken:
			if depth == 0 {
				w.write(string(z.Text()), false)
			}
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			b, _ := z.TagName()
			name := string(b)
			scripts = scripts || name == "script"
			switch {
			case depth > 0 && name == skipped && kind == html.EndTagToken:
				depth--
			case depth > 0 && name == skipped:
				depth++
			case depth > 0:
			case hidden[name] && kind != html.EndTagToken:
				skipped, depth = name, 1
			case !inline[name] && !strings.Contains(name, "-"): // custom elements are inline
				w.end()
			}
		}
	}
}

// length returns the number of characters of a text.
func length(s string) int { return utf8.RuneCountInString(s) }
