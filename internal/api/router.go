package api

import (
	"net/url"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A router finds routes by path, either exact or with a slug or file name at the end. It never redirects: a redirect
// is not JSON, and no client of ours needs one.
type router struct {
	exact    map[string]*route
	items    map[string]*route // by what precedes /{slug} or /{file}
	notFound *route
	all      []*route
}

func newRouter(all []*route) router {
	rt := router{exact: map[string]*route{}, items: map[string]*route{}, all: all}
	rt.notFound = &route{pattern: "/"}
	for _, r := range all {
		if parent, _, ok := strings.Cut(r.pattern, "/{"); ok {
			rt.items[parent] = r
		} else {
			rt.exact[r.pattern] = r
		}
	}
	rt.notFound.meant = rt.meant
	return rt
}

// find returns the route of a URL and the slug in it. An escaped slash is part of the slug.
func (rt router) find(u *url.URL) (found *route, slug string) {
	if !isClean(u.Path) {
		return rt.notFound, ""
	}
	path, cut := u.Path, strings.LastIndexByte(u.Path, '/')
	if u.RawPath != "" { // the path was escaped in an unusual way
		cut = len(path) - len(unescaped(u.RawPath[strings.LastIndexByte(u.RawPath, '/')+1:])) - 1
		if strings.Count(path[:cut], "/") != strings.Count(u.RawPath, "/")-1 {
			return rt.notFound, ""
		}
	}
	if r := rt.exact[path]; r != nil && strings.IndexByte(path[cut+1:], '/') < 0 {
		return r, ""
	}
	if r := rt.items[path[:cut]]; r != nil && cut+1 < len(path) {
		return r, path[cut+1:]
	}
	return rt.notFound, ""
}

func unescaped(segment string) string {
	s, err := url.PathUnescape(segment)
	if err != nil {
		return segment // cannot happen: net/url has parsed it
	}
	return s
}

// isClean reports whether no segment of the path is empty, "." or "..".
func isClean(path string) bool {
	if path == "" || path[0] != '/' {
		return false
	}
	start := 1
	for i := 1; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		switch segment := path[start:i]; {
		case segment == "" && i < len(path), segment == ".", segment == "..":
			return false
		}
		start = i + 1
	}
	return true
}

// common returns the queries that clients send most: the first page of each list, and everything about the whole
// catalog.
func (rt router) common(s *catalog.Snapshot) []query {
	var queries []query
	for _, r := range rt.exact {
		if r.respond == nil {
			continue
		}
		all := []string{""}
		if r.common != nil {
			all = r.common(s)
		}
		for _, rawQuery := range all {
			if q, err := r.read(rawQuery, ""); err == nil {
				queries = append(queries, q)
			}
		}
	}
	return queries
}

// otherNames maps the names that people guess for a collection to its real one.
var otherNames = map[string]string{
	"tool": "tools", "outil": "tools", "outils": "tools", "comparison": "comparatifs", "comparisons": "comparatifs", "comparatif": "comparatifs",
	"price": "pricing", "prices": "pricing", "prix": "pricing", "cemetery": "cimetiere", "cimetière": "cimetiere",
	"finding": "findings", "historique": "history", "comparer": "compare", "category": "categories", "embedding": "embeddings",
}

// meant returns the path that a mistyped one probably means, or "". It forgives extra slashes, capital letters, a
// missing or needless version, and collection names in the other language. The result is always a path of ours with
// at most a valid slug, so that it is safe to suggest.
func (rt router) meant(path string) string {
	const most = 4 // of /api/v1/tools/{slug}
	parts := strings.FieldsFunc(strings.ToLower(path), func(r rune) bool { return r == '/' })
	if len(path) > 256 || len(parts) > most || len(parts) == 0 || parts[0] != "api" || slices.ContainsFunc(parts, isDots) {
		return ""
	}
	parts = parts[1:]
	if len(parts) > 0 && parts[0] == "v1" {
		parts = parts[1:]
	}
	if len(parts) > 0 && otherNames[parts[0]] != "" {
		parts[0] = otherNames[parts[0]]
	}
	for _, prefix := range []string{"/api/v1", "/api"} {
		to := strings.Join(append([]string{prefix}, parts...), "/")
		collection, slug, item := "", "", len(parts) == 2
		if item {
			collection, slug = prefix+"/"+parts[0], parts[1]
		}
		known := rt.exact[to] != nil || item && rt.items[collection] != nil && catalog.ValidSlug(slug)
		if known && to != path {
			return to
		}
	}
	return ""
}

func isDots(segment string) bool { return segment == "." || segment == ".." }
