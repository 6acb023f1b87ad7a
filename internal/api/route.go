package api

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A route is an operation with its path and its terms.
type route struct {
	pattern string // as in openapi.yaml
	number  uint8  // of the route, in questions

	read func(*parameters) question // reads what may be asked; nil when there are no parameters
	// op answers out of a snapshot and writes nothing: status, headers and body are
	// complete before a byte is sent.
	op func(*catalog.Snapshot, question) (answer, error)

	free   bool // not counted
	keyed  bool // needs a key
	always bool // answers before the first edition too
	usage  bool // answers out of the caller's usage, not of the catalog
}

// routes is the routing table: the same paths as in openapi.yaml.
func routes(openapi *description) []*route {
	return []*route{
		{pattern: "/api/v1/tools", read: readTools, op: listTools},
		{pattern: "/api/v1/tools/{slug}", op: getTool},
		{pattern: "/api/v1/comparatifs", read: readComparisons, op: listComparisons},
		{pattern: "/api/v1/comparatifs/{slug}", op: getComparison},
		{pattern: "/api/v1/pricing", read: readPrices, op: listPrices},
		{pattern: "/api/v1/pricing/{slug}", op: getPrice},
		{pattern: "/api/v1/cimetiere", read: readRetired, op: listRetired},
		{pattern: "/api/v1/categories", op: listCategories},
		{pattern: "/api/v1/stats", op: getStats},
		{pattern: "/api/v1/usage", keyed: true, free: true, usage: true},
		{pattern: openapiPath, op: openapi.get, free: true, always: true},
		{pattern: "/api/embeddings", op: listEmbeddings, keyed: true},
		{pattern: "/api/embeddings/{slug}", op: getEmbeddings, keyed: true},
	}
}

const openapiPath = "/api/v1/openapi.json"

// linkedFrom makes the links of all answers absolute, where the service's own address
// is known. In a link nothing but its beginning is "<".
func linkedFrom(base string, all []*route) []*route {
	if base == "" {
		return all
	}
	for _, rt := range all {
		op := rt.op
		if op == nil {
			continue
		}
		rt.op = func(s *catalog.Snapshot, q question) (answer, error) {
			a, err := op(s, q)
			a.link = strings.ReplaceAll(a.link, "<", "<"+base)
			return a, err
		}
	}
	return all
}

// A question is what a request asks, in its one canonical form: requests that get
// the same answer ask the same question.
type question struct {
	route           uint8
	order           catalog.ToolOrder // "" is the default
	scoreMin        catalog.Bound
	obsolescenceMax catalog.Bound
	slug            string
	category        string
	reason          catalog.Reason
	catalog.Paging
}

// ask reads the question of a request.
func (rt *route) ask(r *http.Request, slug string) (question, error) {
	switch {
	case rt.op == nil:
		return question{}, noSuchPath(r)
	case rt.read == nil:
		return question{route: rt.number, slug: slug}, nil
	}
	p := parameters{raw: r.URL.RawQuery}
	p.parse()
	q := rt.read(&p)
	q.route = rt.number
	return q, p.err
}

// A router finds routes. It knows two shapes of paths, which is all there is here,
// and redirects nothing: a redirect is not JSON, and no client of ours needs one.
type router struct {
	exact map[string]*route
	items map[string]*route // by what stands before /{slug}
	lost  *route            // where there is nothing
	all   []*route
}

func newRouter(all []*route) router {
	rt := router{exact: map[string]*route{}, items: map[string]*route{}, all: all}
	for i, r := range all {
		r.number = uint8(i + 1)
		if parent, ok := strings.CutSuffix(r.pattern, "/{slug}"); ok {
			rt.items[parent] = r
		} else {
			rt.exact[r.pattern] = r
		}
	}
	rt.lost = &route{pattern: "/"}
	return rt
}

// of gives the route that a question is for.
func (rt router) of(q question) *route { return rt.all[q.route-1] }

// find gives the route of a URL and the slug in it. An escaped slash belongs to
// the slug.
func (rt router) find(u *url.URL) (found *route, slug string) {
	if !tidy(u.Path) {
		return rt.lost, ""
	}
	path, cut := u.Path, strings.LastIndexByte(u.Path, '/')
	if u.RawPath != "" { // where the path was escaped in an unusual way
		cut = len(path) - len(unescaped(u.RawPath[strings.LastIndexByte(u.RawPath, '/')+1:])) - 1
		if strings.Count(path[:cut], "/") != strings.Count(u.RawPath, "/")-1 {
			return rt.lost, ""
		}
	}
	if r := rt.exact[path]; r != nil && strings.IndexByte(path[cut+1:], '/') < 0 {
		return r, ""
	}
	if r := rt.items[path[:cut]]; r != nil && cut+1 < len(path) {
		return r, path[cut+1:]
	}
	return rt.lost, ""
}

func unescaped(segment string) string {
	s, err := url.PathUnescape(segment)
	if err != nil {
		return segment // cannot be: net/url has parsed it
	}
	return s
}

// tidy reports whether the path has no empty, "." or ".." segment inside.
func tidy(path string) bool {
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

// wellKnown lists the questions that everybody asks: each list from its beginning,
// and what is about the whole catalog.
func (rt router) wellKnown(s *catalog.Snapshot) []question {
	var all []question
	for _, r := range rt.exact {
		if r.op == nil {
			continue // not out of a snapshot
		}
		q := question{route: r.number}
		if r.read == nil {
			all = append(all, q)
			continue
		}
		q.Paging = catalog.Paging{Page: 1, Limit: defaultLimit}
		all = append(all, q)
		if r.pattern != "/api/v1/tools" {
			continue
		}
		for _, order := range catalog.ToolOrders()[1:] {
			sorted := q
			sorted.order = order
			all = append(all, sorted)
		}
		for _, c := range s.CategorySlugs() {
			of := q
			of.category = c
			all = append(all, of)
		}
	}
	return all
}
