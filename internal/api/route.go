package api

import (
	"net/http"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/changes"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/purge"
	"github.com/palmares-hq/palmares/internal/web"
)

// A query is the canonical form of a request: requests for the same response are equal queries, however they are
// written. It is the key of the response cache.
type query struct {
	route  *route
	slug   string // of an item
	params any    // of a list: its params struct, comparable
}

// size returns the bytes of text that the parameters keep.
func (q query) size() int {
	if p, ok := q.params.(interface{ Size() int }); ok {
		return p.Size()
	}
	return 0
}

// A route is a path, its operation, and who may call it at what price.
type route struct {
	pattern string // as in openapi.yaml
	operation
	common func(*catalog.Snapshot) []string // returns the query strings to prepare; nil for "" alone

	free   bool // not charged
	keyed  bool // needs a key
	always bool // also answers before the first edition
	usage  bool // answers from the caller's usage instead of a snapshot
	cursor bool // has X-Changes-Cursor, so that clients can put the pages of a list together

	changes bool // may answer from the database: API.getChanges
	files   bool // answers with a file of package export: API.getFile

	item  purge.Kind   // of the item that the slug names
	shows []purge.Kind // what else the response shows; nil if any new edition may change it

	meant func(path string) string // set on the route of unknown paths
}

// An operation answers queries from a snapshot.
type operation struct {
	parse    func(rawQuery string) (any, error) // nil when there are no parameters
	defaults any                                // the result of parse for ""; nil if it refuses that
	respond  func(source, query) (*web.Response, error)
}

// documentOp returns an operation on the whole catalog.
func documentOp(get func(source) *web.Response) operation {
	return wholeOp(func(s source) (*web.Response, error) { return get(s), nil })
}

// wholeOp returns an operation on the whole catalog that may fail.
func wholeOp(get func(source) (*web.Response, error)) operation {
	return operation{respond: func(s source, _ query) (*web.Response, error) { return get(s) }}
}

// toolOp returns an operation on the tool, living or retired, that the slug names.
func toolOp(get func(source, string) (*web.Response, error)) operation {
	return itemOp("tool", get, (*catalog.Snapshot).RenamedTool)
}

// comparisonOp returns an operation on the comparison that the slug names.
func comparisonOp(get func(source, string) (*web.Response, error)) operation {
	return itemOp("comparison", get, (*catalog.Snapshot).RenamedComparison)
}

// itemOp returns an operation on the item that the slug names. A former slug is an error that names the current one.
func itemOp(
	kind string, get func(source, string) (*web.Response, error), renamed func(*catalog.Snapshot, string) (string, bool),
) operation {
	return operation{respond: func(s source, q query) (*web.Response, error) {
		r, err := get(s, q.slug)
		if err == nil {
			return r, nil
		}
		if now, ok := renamed(s.Snapshot, q.slug); ok {
			err = errRenamed(kind, q.slug, now, s.baseURL+strings.Replace(q.route.pattern, catalog.SlugPlaceholder, now, 1))
		}
		return nil, err
	}}
}

// changesOp returns GET /api/v1/changes as far as the snapshot can answer it: its error is errNotHeld when the
// database has to. API.getChanges does the rest.
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

// listOp returns an operation with parameters and without a slug.
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

// fallibleOp is listOp for a get that may fail.
func fallibleOp[P comparable](parse func(rawQuery string) (P, error), get func(source, P) (*web.Response, error)) operation {
	op := listOp(parse, nil)
	op.respond = func(s source, q query) (*web.Response, error) { return get(s, q.params.(P)) }
	return op
}

// historyOp returns GET /api/v1/history/{slug}, which has a parameter.
func historyOp() operation {
	op := listOp(params.ParseHistory, nil)
	op.respond = func(s source, q query) (*web.Response, error) {
		p := q.params.(params.History)
		return toolOp(func(s source, slug string) (*web.Response, error) { return getHistory(s, slug, p) }).respond(s, q)
	}
	return op
}

// compareOp returns GET /api/v1/compare.
func compareOp() operation {
	return fallibleOp(params.ParseCompare, compareTools)
}

// What a response shows besides its item, for its tags. All include the service, whose address is in their links.
var (
	ofService     = []purge.Kind{purge.Service}
	ofTools       = []purge.Kind{purge.Tools, purge.Service}
	ofComparisons = []purge.Kind{purge.Comparisons, purge.Tools, purge.Service}
	ofRetired     = []purge.Kind{purge.Retired, purge.Service}
	ofAll         = []purge.Kind{purge.Tools, purge.Retired, purge.Service}
)

// routes returns the routing table: the same paths as in openapi.yaml. All take GET and HEAD; preflight answers
// OPTIONS for any path.
func routes(openapi openapiDocument, index *indexDocument) []*route {
	return []*route{
		{pattern: "/api/v1/tools", operation: listOp(params.ParseTools, listTools), common: commonTools, cursor: true, shows: ofTools},
		{pattern: "/api/v1/tools/{slug}", operation: toolOp(getTool), item: purge.Tools, shows: ofService},
		{pattern: "/api/v1/comparatifs", operation: listOp(params.ParseComparisons, listComparisons), cursor: true, shows: ofComparisons},
		{pattern: "/api/v1/comparatifs/{slug}", operation: comparisonOp(getComparison), item: purge.Comparisons, shows: ofTools},
		{pattern: "/api/v1/pricing", operation: listOp(params.ParsePrices, listPrices), cursor: true, shows: ofTools},
		{pattern: "/api/v1/pricing/{slug}", operation: toolOp(getPrice), cursor: true, item: purge.Tools, shows: ofService},
		{pattern: "/api/v1/cimetiere", operation: listOp(params.ParseCemetery, listRetired), cursor: true, shows: ofRetired},
		{pattern: "/api/v1/cimetiere/{slug}", operation: toolOp(getRetired), item: purge.Retired, shows: ofService},
		{pattern: "/api/v1/history", operation: fallibleOp(params.ParseDays, listDay), common: noCommon, cursor: true, shows: ofAll},
		{pattern: "/api/v1/history/{slug}", operation: historyOp(), cursor: true, item: purge.Tools, shows: ofRetired},
		{pattern: "/api/v1/facts", operation: documentOp(getFactStats), common: noCommon, cursor: true, shows: ofTools},
		{pattern: "/api/v1/facts/{slug}", operation: toolOp(getFacts), item: purge.Tools, shows: ofService},
		{pattern: "/api/v1/endings", operation: listOp(params.ParseEndings, listEndings), common: noCommon, cursor: true, shows: ofTools},
		{pattern: "/api/v1/findings", operation: listOp(params.ParseFindings, listFindings), common: noCommon},
		{pattern: "/api/v1/bill", operation: listOp(params.ParseBill, getBill), common: noCommon},
		{pattern: "/api/v1/compare", operation: compareOp(), common: noCommon},
		{pattern: "/api/v1/categories", operation: documentOp(listCategories), cursor: true},
		{pattern: "/api/v1/stats", operation: documentOp(getStats)},
		{pattern: changesPath, operation: changesOp(), common: noCommon, changes: true},
		{pattern: "/api/v1/usage", usage: true, keyed: true, free: true}, // API.getUsage
		{pattern: openapiPath, operation: documentOp(openapi.get), free: true, always: true, shows: ofService},
		{pattern: "/api/embeddings", operation: documentOp(listEmbeddings), keyed: true, cursor: true},
		{pattern: exportPath + "/{file}", files: true},
		{pattern: exportPath + "/" + export.PackageName, operation: wholeOp(getPackage), common: noCommon},
		{pattern: embeddingsFile, files: true, keyed: true},
		{pattern: "/api/embeddings/{slug}", operation: toolOp(getEmbeddings), keyed: true},
		{pattern: indexPath, operation: documentOp(index.get), free: true, always: true, shows: ofService},
	}
}

// tags returns the tags by which a shared cache purges the response for a slug.
func (rt *route) tags(slug string) []string {
	if rt.item == "" {
		slug = ""
	}
	if rt.shows == nil {
		return purge.About(rt.item, slug, purge.Edition)
	}
	return purge.About(rt.item, slug, rt.shows...)
}

// noCommon is route.common for a route whose responses are not prepared.
func noCommon(*catalog.Snapshot) []string { return nil }

// query returns the query of a request to the route; its error is a 404 when the path is unknown.
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
