package site

import (
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/purge"
	"github.com/palmares-hq/palmares/internal/web"
)

// A route is an address, and what makes what is there.
type route struct {
	address address.Page
	item    purge.Kind // of the item that the slug names
	handler
}

// tags say what is there. Every page names its edition, and most show much else: a cache drops all of them with an edition.
func (r *route) tags(slug string) []web.Field {
	if r.item == "" {
		slug = ""
	}
	return web.TagFields(purge.About(r.item, slug, purge.Edition))
}

// A router finds a route by a path, as it stands: nothing is redirected.
type router struct {
	exact map[string]target
	items map[around]target
}

// around is what stands before and after the slug in the path of an item.
type around struct{ before, after string }

// A target is a route in a language.
type target struct {
	route *route
	lang  locale.Language
}

func newRouter(routes []*route) router {
	rt := router{exact: make(map[string]target), items: make(map[around]target)}
	for _, r := range routes {
		for l, path := range []string{r.address.French, r.address.English} {
			t := target{r, locale.Language(l)}
			if before, after, ok := strings.Cut(path, catalog.SlugPlaceholder); ok {
				rt.items[around{before, after}] = t
			} else if path != "" {
				rt.exact[path] = t
			}
		}
	}
	return rt
}

// find returns the route of a path, and the slug in it.
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
