package api

import (
	"net/http"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/quota"
)

// Catalog gives the snapshot to answer from.
type Catalog interface {
	Current() *catalog.Snapshot
}

// Options say what the interface stands on. Catalog is required.
type Options struct {
	Catalog Catalog
	Callers Callers          // AnonymousOnly when nil
	Meter   *quota.Meter     // nil charges nothing
	Now     func() time.Time // time.Now when nil
}

// An API answers requests.
type API struct {
	catalog Catalog
	callers Callers
	meter   *quota.Meter
	now     func() time.Time
	openapi catalog.Document
	mux     *http.ServeMux
	lost    http.Handler // answers where there is nothing
}

// New makes the interface.
func New(o Options) (*API, error) {
	if o.Callers == nil {
		o.Callers = AnonymousOnly{}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	doc, err := openapiDocument()
	if err != nil {
		return nil, err
	}
	a := &API{catalog: o.Catalog, callers: o.Callers, meter: o.Meter, now: o.Now, openapi: doc, mux: http.NewServeMux()}
	for path, rt := range a.routes() {
		a.mux.Handle(path, a.handle(rt))
	}
	a.lost = http.HandlerFunc(a.nothing)
	a.mux.Handle("/", a.lost)
	return a, nil
}

// routes is the routing table: the same paths as in openapi.yaml.
func (a *API) routes() map[string]route {
	return map[string]route{
		"/api/v1/tools":              {op: loaded(listTools)},
		"/api/v1/tools/{slug}":       {op: loaded(getTool)},
		"/api/v1/comparatifs":        {op: loaded(listComparisons)},
		"/api/v1/comparatifs/{slug}": {op: loaded(getComparison)},
		"/api/v1/pricing":            {op: loaded(listPrices)},
		"/api/v1/pricing/{slug}":     {op: loaded(getPrice)},
		"/api/v1/cimetiere":          {op: loaded(listRetired)},
		"/api/v1/categories":         {op: loaded(listCategories)},
		"/api/v1/stats":              {op: loaded(getStats)},
		"/api/v1/openapi.json":       {op: a.getOpenAPI, free: true},
		"/api/embeddings/{slug}":     {op: loaded(getEmbeddings), keyed: true},
	}
}

// ServeHTTP answers r. Paths that net/http would redirect to a tidier form are
// refused instead: a redirect is not JSON, and no client of ours needs one.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !tidy(r.URL.Path) {
		a.lost.ServeHTTP(w, r)
		return
	}
	a.mux.ServeHTTP(w, r)
}

// nothing answers where there is nothing: 404 whatever the method, counted like
// every other 404.
func (a *API) nothing(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		fail(w, r, a.catalog.Current(), noSuchPath(r))
		return
	}
	a.answer(w, r, route{op: func(request) (answer, error) { return answer{}, noSuchPath(r) }})
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
