package sitetest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// Hostile is a name that breaks a page that does not escape it, or cannot wrap a long word.
const Hostile = `<b>"O'Reilly & Fils"</b> ` + "Donaudampfschiffahrtsgesellschaftskapitänsmützenabzeichen"

// Alien is a name that breaks a page that does not escape it, and has letters that none of the site's fonts has.
const Alien = `</script><b onclick="x()">'&quot; Ω ` + "\u6f22\u5b57\u202e"

// MarkdownLink matches a link in Markdown; its group is the address.
var MarkdownLink = regexp.MustCompile(`\]\(([^)]+)\)`)

// A Wanted lists strings that the HTML of a page must contain, and strings that it must not. They are compared after
// PlainSpaces, so they have plain spaces and quotes.
type Wanted struct {
	Path   string
	Status int // 200 when 0
	Says   []string
	Silent []string
}

// PlainSpaces replaces typographic spaces and apostrophes, and characters that HTML escapes, by those of a keyboard.
var PlainSpaces = strings.NewReplacer("\u00a0", " ", "&nbsp;", " ", "\u202f", " ", "&#39;", "'", "&#43;", "+", "&#34;", `"`, "\u2019", "'")

// Check fetches pages and compares them with what is wanted. No page may contain the markup of Hostile unescaped.
func (r *Reader) Check(t *testing.T, pages []Wanted) {
	t.Helper()
	for _, w := range pages {
		got := r.Get(w.Path)
		if w.Status == 0 {
			w.Status = 200
		}
		testkit.Equal(t, w.Path, got.Status, w.Status)
		body := PlainSpaces.Replace(got.Body)
		for _, s := range w.Says {
			if !strings.Contains(body, s) {
				t.Errorf("%s does not say %q:\n%s", w.Path, s, content(body))
			}
		}
		for _, s := range append(w.Silent, "<b>\"O") {
			if strings.Contains(body, s) {
				t.Errorf("%s says %q:\n%s", w.Path, s, content(body))
			}
		}
	}
}

// Wants fetches a page, which must be a 200, and checks which strings it contains. Unlike Check, it compares the page
// byte for byte.
func (r *Reader) Wants(t *testing.T, path string, has, hasNot []string) {
	t.Helper()
	got := r.Get(path)
	testkit.Equal(t, "the status", got.Status, 200)
	for _, text := range has {
		if !strings.Contains(got.Body, text) {
			t.Errorf("the page has no %q:\n%s", text, got.Body)
		}
	}
	for _, text := range hasNot {
		if strings.Contains(got.Body, text) {
			t.Errorf("the page has %q", text)
		}
	}
}

// content returns the first 2000 bytes of the main element of a page.
func content(body string) string {
	_, body, _ = strings.Cut(body, "<main")
	body, _, _ = strings.Cut(body, "</main>")
	return body[:min(len(body), 2000)]
}
