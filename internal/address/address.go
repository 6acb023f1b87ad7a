// Package address holds the address of every page, of the site and of accounts, in each language. Surfaces
// route by these values, and everything that links to a page (a frame, a mail, an API error) uses them, so that
// no path is written twice. Packages of business rules do not know pages and get addresses as options. The
// exception is content, which tells editors where their links lead.
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

// A Page is the address of a kind of page. A part of a path in braces, such as {slug}, stands for
// the item that the page is about.
type Page struct {
	Name    string // used in templates and as part of text names
	French  string
	English string // "" if one page serves readers of every language
}

// In returns the path in a language, with its braces.
func (p Page) In(l locale.Language) string {
	if l == locale.English && p.English != "" {
		return p.English
	}
	return p.French
}

// At returns the path in a language, with the placeholders replaced by the escaped names of items, in order.
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

// Named returns the page with a name, or an error if there is none. It is for templates; code uses the
// variables.
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

// Find returns the page that has a path, and the name of its item if it is about one. If several patterns
// match, the longest fixed part wins: /docs/api is not a guide, and /outils/x.md is not the tool x.md. Pages
// with two placeholders are never found.
func Find(path string) (page Page, item string, found bool) {
	said := -1 // length of the best match's fixed part
	for _, p := range All() {
		for _, pattern := range []string{p.French, p.English} {
			before, rest, about := strings.Cut(pattern, "{")
			_, after, _ := strings.Cut(rest, "}")
			switch {
			case pattern == "" || strings.Contains(after, "{"):
			case !about && pattern == path:
				return p, "", true
			case about && len(path) > len(before)+len(after) && strings.HasPrefix(path, before) && strings.HasSuffix(path, after):
				name := path[len(before) : len(path)-len(after)]
				if !strings.Contains(name, "/") && len(before)+len(after) > said {
					page, item, found, said = p, name, true, len(before)+len(after)
				}
			}
		}
	}
	return page, item, found
}

// LanguageOf returns the language of a path, whether or not there is a page.
func LanguageOf(path string) locale.Language {
	if path == "/en" || strings.HasPrefix(path, "/en/") {
		return locale.English
	}
	return locale.French
}
