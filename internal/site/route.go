package site

import (
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/picture"
)

// A kind is a kind of page: where it is in each language, and what makes it.
type kind struct {
	name  string // in links
	paths layout.Paths
	// template is the name of its template, which is its own unless several share one.
	template string
	section  string   // which entry of the masthead it belongs to; "" for none
	feeds    []string // kinds of the feeds that tell what is new here; those of an item have its slug
	// parse reads the parameters of a query string into a comparable value. Nil when the page has
	// none, and whatever the query string says changes nothing.
	parse func(rawQuery string) (any, error)
	view  func(*request) (*document, error)
	// translate gives the slug of the page in another language. Nil when all share one.
	translate func(*request, locale.Language) string
	live      bool // says what is so now: no cache keeps it
	// raw stands in the place of view where the page is no HTML: a feed, a site map, a picture.
	raw func(*request) (contentType string, body []byte, err error)
	// card stands there where the page is a picture that takes long to draw.
	card func(*request) (picture.Card, error)
}

// A router finds the kind of a page by its path, as it stands: nothing is redirected.
type router struct {
	all   []*kind
	kinds map[string]*kind // by name
	exact map[string]target
	items map[around]target
}

// around is what stands before and after the slug in the path of an item.
type around struct{ before, after string }

type target struct {
	kind *kind
	lang locale.Language
}

func newRouter(kinds []*kind) router {
	rt := router{
		all: kinds, kinds: make(map[string]*kind), exact: make(map[string]target), items: make(map[around]target),
	}
	for _, k := range kinds {
		rt.kinds[k.name] = k
		for _, l := range locale.Languages() {
			if before, after, ok := strings.Cut(k.paths[l], catalog.SlugPlaceholder); ok {
				rt.items[around{before, after}] = target{k, l}
			} else if k.paths[l] != "" {
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
	start := strings.LastIndexByte(path, '/') + 1
	end := len(path)
	if dot := strings.IndexByte(path[start:], '.'); dot >= 0 { // no slug has one
		end = start + dot
	}
	if t, ok = rt.items[around{path[:start], path[end:]}]; ok && catalog.ValidSlug(path[start:end]) {
		return t, path[start:end], true
	}
	return target{}, "", false
}
