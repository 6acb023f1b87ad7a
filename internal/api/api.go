package api

import (
	"net/http"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Catalog gives the snapshot to answer from.
type Catalog interface {
	Current() *catalog.Snapshot
}

// Options say what the interface stands on. Catalog is required.
type Options struct {
	Catalog Catalog
	Callers Callers // AnonymousOnly when nil
}

// An API answers requests.
type API struct {
	catalog Catalog
	callers Callers
	openapi catalog.Document
	mux     *http.ServeMux
}

// New makes the interface.
func New(o Options) (*API, error) {
	if o.Callers == nil {
		o.Callers = AnonymousOnly{}
	}
	doc, err := openapiDocument()
	if err != nil {
		return nil, err
	}
	a := &API{catalog: o.Catalog, callers: o.Callers, openapi: doc, mux: http.NewServeMux()}
	for path, op := range a.operations() {
		a.mux.Handle(path, a.handle(op))
	}
	a.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fail(w, r, a.catalog.Current(), noSuchPath(r)) })
	return a, nil
}

// operations is the routing table: the same paths as in openapi.yaml.
func (a *API) operations() map[string]operation {
	return map[string]operation{
		"/api/v1/tools":              loaded(listTools),
		"/api/v1/tools/{slug}":       loaded(getTool),
		"/api/v1/comparatifs":        loaded(listComparisons),
		"/api/v1/comparatifs/{slug}": loaded(getComparison),
		"/api/v1/pricing":            loaded(listPrices),
		"/api/v1/pricing/{slug}":     loaded(getPrice),
		"/api/v1/cimetiere":          loaded(listRetired),
		"/api/v1/categories":         loaded(listCategories),
		"/api/v1/stats":              loaded(getStats),
		"/api/v1/openapi.json":       a.getOpenAPI,
	}
}

// ServeHTTP answers r. Paths that net/http would redirect to a tidier form are
// refused instead: a redirect is not JSON, and no client of ours needs one.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !tidy(r.URL.Path) {
		fail(w, r, a.catalog.Current(), noSuchPath(r))
		return
	}
	a.mux.ServeHTTP(w, r)
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
