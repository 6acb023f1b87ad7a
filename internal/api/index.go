package api

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/web"
)

const indexPath = "/api/v1"

// An index is what GET /api/v1 says: every operation, and where more is said of them.
type index struct {
	OpenAPI    string         `json:"openapi"`
	Docs       string         `json:"docs"`
	Operations []indexedRoute `json:"operations"`
}

type indexedRoute struct {
	Name        string `json:"name"`
	Path        string `json:"path"`
	URL         string `json:"url"`
	Description string `json:"description"`
	NeedsKey    bool   `json:"needs_key"`
}

// A summary is what openapi.yaml calls an operation.
type summary struct {
	OperationID string `json:"operationId"` //nolint:tagliatelle // OpenAPI calls it so
	Summary     string `json:"summary"`
}

// summaries are those of the operations, by path.
var summaries = sync.OnceValues(func() (map[string]summary, error) {
	text, err := openapiJSON()
	if err != nil {
		return nil, err
	}
	var doc struct {
		Paths map[string]struct {
			Get summary `json:"get"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("reading openapi.yaml: %w", err)
	}
	byPath := make(map[string]summary, len(doc.Paths))
	for path, item := range doc.Paths {
		byPath[path] = item.Get
	}
	return byPath, nil
})

// An indexDocument is what the route of the index answers with. The routes are made with it, and it is made of
// the routes: describe fills it in.
type indexDocument struct{ document catalog.Document }

// get is GET /api/v1. Who looks around pays nothing for it.
func (x *indexDocument) get(source) *web.Response { return respond(x.document) }

// describe lists all routes.
func (x *indexDocument) describe(all []*route, baseURL string) error {
	byPath, err := summaries()
	if err != nil {
		return err
	}
	list := index{OpenAPI: baseURL + openapiPath, Docs: baseURL + address.Guides.At(locale.English)}
	for _, rt := range all {
		s := byPath[rt.pattern]
		list.Operations = append(list.Operations, indexedRoute{s.OperationID, rt.pattern, baseURL + rt.pattern, s.Summary, rt.keyed})
	}
	x.document = catalog.NewDocument(encodeJSON(list))
	return nil
}
