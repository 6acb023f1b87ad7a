package site

import (
	"net/url"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/site/locale"
)

// A kind is a kind of page: where it is in each language, and what makes it.
type kind struct {
	name    string    // of its template, and in links
	paths   [2]string // by language; an item's has {slug} at its end
	section string    // which entry of the masthead it belongs to; "" for none
	// parse reads the parameters of a query string into a comparable value. Nil when the page has
	// none, and whatever the query string says changes nothing.
	parse func(rawQuery string) (any, error)
	view  func(*request) (*document, error)
}

func (k *kind) path(l locale.Language, slug string) string {
	return strings.Replace(k.paths[l], catalog.SlugPlaceholder, url.PathEscape(slug), 1)
}

// A router finds the kind of a page by its path, as it stands: nothing is redirected.
type router struct {
	kinds map[string]*kind // by name
	exact map[string]target
	items map[string]target // by what stands before {slug}
}

type target struct {
	kind *kind
	lang locale.Language
}

func newRouter(kinds []*kind) router {
	rt := router{
		kinds: make(map[string]*kind), exact: make(map[string]target), items: make(map[string]target),
	}
	for _, k := range kinds {
		rt.kinds[k.name] = k
		for _, l := range locale.Languages() {
			if parent, ok := strings.CutSuffix(k.paths[l], catalog.SlugPlaceholder); ok {
				rt.items[parent] = target{k, l}
			} else {
				rt.exact[k.paths[l]] = target{k, l}
			}
		}
	}
	return rt
}

// find returns the kind of page at a path, and the slug in it.
func (rt router) find(path string) (t target, slug string, ok bool) {
	if t, ok = rt.exact[path]; ok {
		return t, "", true
	}
	cut := strings.LastIndexByte(path, '/') + 1
	if t, ok = rt.items[path[:cut]]; ok && catalog.ValidSlug(path[cut:]) {
		return t, path[cut:], true
	}
	return target{}, "", false
}

// languageOf is the language that a path is written in, whether or not there is a page.
func languageOf(path string) locale.Language {
	if path == "/en" || strings.HasPrefix(path, "/en/") {
		return locale.English
	}
	return locale.French
}
