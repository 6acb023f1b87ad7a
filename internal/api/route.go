package api

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/changes"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/purge"
	"github.com/palmares-hq/palmares/internal/web"
)

// A query is what a request asks for, in canonical form: requests for the same response are equal
// queries, however they are written. It is the key of the response cache.
type query struct {
	route  *route
	slug   string // of an item
	params any    // of a list: its params struct, comparable
}

// size is how many bytes of text the parameters keep.
func (q query) size() int {
	if p, ok := q.params.(interface{ Size() int }); ok {
		return p.Size()
	}
	return 0
}

// A route is a path with its operation and its terms.
type route struct {
	pattern string // as in openapi.yaml
	operation
	common func(*catalog.Snapshot) []string // the query strings to prepare; nil for "" alone

	free   bool // not charged
	keyed  bool // needs a key
	always bool // answers before the first edition too
	usage  bool // answers from the caller's usage instead of a snapshot
	cursor bool // says up to where it knows the change log, so that parts of a list can be put together

	changes bool // may answer from the database: API.getChanges
	files   bool // answers with a file that was made before: API.getFile

	item  purge.Kind   // of the item that the slug names
	shows []purge.Kind // besides that; nil is what changes with every edition

	meant func(path string) string // of the route of all paths that lead nowhere
}

// An operation answers queries from a snapshot.
type operation struct {
	parse    func(rawQuery string) (any, error) // nil when there are no parameters
	defaults any                                // what parse makes of ""; nil when it refuses that
	respond  func(source, query) (*web.Response, error)
}

// documentOp is an operation on the whole catalog.
func documentOp(get func(source) *web.Response) operation {
	return operation{respond: func(s source, _ query) (*web.Response, error) { return get(s), nil }}
}

// itemOp is an operation on the item that the slug names.
func itemOp(get func(source, string) (*web.Response, error)) operation {
	return operation{respond: func(s source, q query) (*web.Response, error) { return get(s, q.slug) }}
}

// changesOp is GET /api/v1/changes, as far as a snapshot alone can answer. API.getChanges does the rest.
func changesOp() operation {
	return operation{
		parse:    func(rawQuery string) (any, error) { return params.ParseChanges(rawQuery) },
		defaults: must(params.ParseChanges("")),
		respond: func(s source, q query) (*web.Response, error) {
			p := q.params.(params.Changes)
			page, held := changes.FromSnapshot(s.Snapshot, p.Query())
			if !held {
				return nil, errNotHeld
			}
			return respondChanges(s.baseURL, p, page), nil
		},
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// listOp is an operation with parameters.
func listOp[P comparable](
	parse func(rawQuery string) (P, error), get func(source, P) *web.Response,
) operation {
	op := operation{
		parse:   func(rawQuery string) (any, error) { return parse(rawQuery) },
		respond: func(s source, q query) (*web.Response, error) { return get(s, q.params.(P)), nil },
	}
	if defaults, err := parse(""); err == nil { // else a parameter is required
		op.defaults = defaults
	}
	return op
}

// What responses show, besides an item. The addresses in them are the service's.
var (
	ofService     = []purge.Kind{purge.Service}
	ofTools       = []purge.Kind{purge.Tools, purge.Service}
	ofComparisons = []purge.Kind{purge.Comparisons, purge.Tools, purge.Service}
	ofRetired     = []purge.Kind{purge.Retired, purge.Service}
)

// routes is the routing table: the same paths as in openapi.yaml. All of them take GET and HEAD; OPTIONS is
// answered by preflight, for any path.
func routes(openapi openapiDocument, index *indexDocument) []*route {
	return []*route{
		{pattern: "/api/v1/tools", operation: listOp(params.ParseTools, listTools), common: commonTools, cursor: true, shows: ofTools},
		{pattern: "/api/v1/tools/{slug}", operation: itemOp(getTool), item: purge.Tools, shows: ofService},
		{pattern: "/api/v1/comparatifs", operation: listOp(params.ParseComparisons, listComparisons), cursor: true, shows: ofComparisons},
		{pattern: "/api/v1/comparatifs/{slug}", operation: itemOp(getComparison), item: purge.Comparisons, shows: ofTools},
		{pattern: "/api/v1/pricing", operation: listOp(params.ParsePrices, listPrices), cursor: true, shows: ofTools},
		{pattern: "/api/v1/pricing/{slug}", operation: itemOp(getPrice), cursor: true, item: purge.Tools, shows: ofService},
		{pattern: "/api/v1/cimetiere", operation: listOp(params.ParseCemetery, listRetired), cursor: true, shows: ofRetired},
		{pattern: "/api/v1/facts", operation: documentOp(getFactStats), common: noCommon, cursor: true, shows: ofTools},
		{pattern: "/api/v1/facts/{slug}", operation: itemOp(getFacts), item: purge.Tools, shows: ofService},
		{pattern: "/api/v1/endings", operation: listOp(params.ParseEndings, listEndings), common: noCommon, cursor: true, shows: ofTools},
		{pattern: "/api/v1/findings", operation: listOp(params.ParseFindings, listFindings), common: noCommon},
		{pattern: "/api/v1/categories", operation: documentOp(listCategories), cursor: true},
		{pattern: "/api/v1/stats", operation: documentOp(getStats)},
		{pattern: changesPath, operation: changesOp(), common: noCommon, changes: true},
		{pattern: "/api/v1/usage", usage: true, keyed: true, free: true}, // API.getUsage
		{pattern: openapiPath, operation: documentOp(openapi.get), free: true, always: true, shows: ofService},
		{pattern: "/api/embeddings", operation: documentOp(listEmbeddings), keyed: true, cursor: true},
		{pattern: exportPath + "/{file}", files: true},
		{pattern: exportPath + "/" + export.PackageName, operation: itemOp(getPackage), common: noCommon},
		{pattern: embeddingsFile, files: true, keyed: true},
		{pattern: "/api/embeddings/{slug}", operation: itemOp(getEmbeddings), keyed: true},
		{pattern: indexPath, operation: documentOp(index.get), free: true, always: true, shows: ofService},
	}
}

// tags say what the response to a query shows.
func (rt *route) tags(slug string) []string {
	if rt.item == "" {
		slug = ""
	}
	if rt.shows == nil {
		return purge.About(rt.item, slug, purge.Edition)
	}
	return purge.About(rt.item, slug, rt.shows...)
}

// noCommon is for a list of which no query is common: whoever follows has a cursor.
func noCommon(*catalog.Snapshot) []string { return nil }

// query reads the query of a request to the route.
func (rt *route) query(r *http.Request, slug string) (query, error) {
	if rt.respond == nil {
		meant := ""
		if rt.meant != nil {
			meant = rt.meant(r.URL.Path)
		}
		return query{}, noSuchPath(r, meant)
	}
	return rt.read(r.URL.RawQuery, slug)
}

func (rt *route) read(rawQuery, slug string) (query, error) {
	q := query{route: rt, slug: slug, params: rt.defaults}
	var err error
	if rt.parse != nil && (rawQuery != "" || rt.defaults == nil) {
		q.params, err = rt.parse(rawQuery)
	}
	return q, err
}

// A router finds routes. It knows the two shapes of paths that there are, and never redirects: a
// redirect is not JSON, and no client of ours needs one.
type router struct {
	exact    map[string]*route
	items    map[string]*route // by what stands before /{slug} or /{file}
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

// find returns the route of a URL and the slug in it. An escaped slash belongs to the slug.
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

// isClean reports whether no segment inside the path is empty, "." or "..".
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

// common lists the queries that clients send most: each list from its beginning, and what is
// about the whole catalog.
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
