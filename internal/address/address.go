// Package address says where every page is, those about the catalog and those of an account, in each
// language. Surfaces route by these values; whatever links to a page (a frame, a mail, an error of the API)
// names the value, so that no path is written twice. Rules do not know pages: they are handed addresses
// as options. The package knows nothing of what a page shows.
//
// Begin with the lists in site.go and account.go.
package address

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/locale"
)

// A Page is where a kind of page is. A part of a path in braces, such as {slug}, stands for what names the
// item that the page is about.
type Page struct {
	Name    string // in templates, and in the names of texts
	French  string
	English string // "" for what is there once, for readers of every language
}

// In is the path in a language, with its braces.
func (p Page) In(l locale.Language) string {
	if l == locale.English && p.English != "" {
		return p.English
	}
	return p.French
}

// At is the path in a language, with the names of items in the places of the braces, in order.
func (p Page) At(l locale.Language, items ...string) string {
	path := p.In(l)
	for _, item := range items {
		before, rest, found := strings.Cut(path, "{")
		if !found {
			break
		}
		_, after, _ := strings.Cut(rest, "}")
		path = before + url.PathEscape(item) + after
	}
	return path
}

// Named is the page of a name, for templates. Code names the values.
func Named(name string) (Page, error) {
	p, ok := byName[name]
	if !ok {
		return Page{}, fmt.Errorf("there is no page named %q", name)
	}
	return p, nil
}

// All returns every page.
func All() []Page { return slices.Concat(site, account) }

var byName = func() map[string]Page {
	m := make(map[string]Page)
	for _, p := range All() {
		if _, twice := m[p.Name]; twice {
			panic(fmt.Errorf("two pages are named %q", p.Name))
		}
		m[p.Name] = p
	}
	return m
}()

// LanguageOf is the language that a path is written in, whether or not there is a page.
func LanguageOf(path string) locale.Language {
	if path == "/en" || strings.HasPrefix(path, "/en/") {
		return locale.English
	}
	return locale.French
}
