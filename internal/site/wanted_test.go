package site_test

import (
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// hostile is a name that breaks pages which do not escape it, or do not break lines.
const hostile = `<b>"O'Reilly & Fils"</b> ` + "Donaudampfschiffahrtsgesellschaftskapitänsmützenabzeichen"

// A wanted is what a page must say, and what it must not. Markup is part of it, spaces of French
// typography are plain ones.
type wanted struct {
	path   string
	status int
	says   []string
	silent []string
}

var plainSpaces = strings.NewReplacer("\u00a0", " ", "&nbsp;", " ", "\u202f", " ", "&#39;", "'", "&#43;", "+", "&#34;", `"`, "\u2019", "'")

// check reads pages, and compares what they say.
func (r *reader) check(t *testing.T, pages []wanted) {
	t.Helper()
	for _, w := range pages {
		got := r.get(w.path)
		if w.status == 0 {
			w.status = 200
		}
		testkit.Equal(t, w.path, got.Status, w.status)
		body := plainSpaces.Replace(got.Body)
		for _, s := range w.says {
			if !strings.Contains(body, s) {
				t.Errorf("%s does not say %q:\n%s", w.path, s, content(body))
			}
		}
		for _, s := range append(w.silent, "<b>\"O", "%!") {
			if strings.Contains(body, s) {
				t.Errorf("%s says %q:\n%s", w.path, s, content(body))
			}
		}
	}
}

// wants reads a page as it is, to the byte, and looks for what it must have and must not.
func (r *reader) wants(t *testing.T, path string, has, hasNot []string) {
	t.Helper()
	got := r.get(path)
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
