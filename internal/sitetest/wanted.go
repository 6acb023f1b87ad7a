package sitetest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// Hostile is a name that breaks pages which do not escape it, or do not break lines.
const Hostile = `<b>"O'Reilly & Fils"</b> ` + "Donaudampfschiffahrtsgesellschaftskapitänsmützenabzeichen"

// Alien is a name that breaks pages which do not escape it, in letters that no font of ours has.
const Alien = `</script><b onclick="x()">'&quot; Ω ` + "\u6f22\u5b57\u202e"

// MarkdownLink finds the addresses of links in Markdown.
var MarkdownLink = regexp.MustCompile(`\]\(([^)]+)\)`)

// A Wanted is what a page must say, and what it must not. Markup is part of it, spaces of French
// typography are plain ones.
type Wanted struct {
	Path   string
	Status int // 200 when 0
	Says   []string
	Silent []string
}

// PlainSpaces makes typographic characters, and those that HTML escapes, the ones of a keyboard.
var PlainSpaces = strings.NewReplacer("\u00a0", " ", "&nbsp;", " ", "\u202f", " ", "&#39;", "'", "&#43;", "+", "&#34;", `"`, "\u2019", "'")

// Check reads pages, and compares what they say.
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

// Wants reads a page as it is, to the byte, and looks for what it must have and must not.
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

// content is the beginning of what a page says after its header.
func content(body string) string {
	_, body, _ = strings.Cut(body, "<main")
	body, _, _ = strings.Cut(body, "</main>")
	return body[:min(len(body), 2000)]
}
