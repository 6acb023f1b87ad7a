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

// An index is the body of GET /api/v1: every operation, and where each is documented.
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

// A summary is the name and the summary of an operation in openapi.yaml.
type summary struct {
	OperationID string `json:"operationId"` //nolint:tagliatelle // OpenAPI calls it so
	Summary     string `json:"summary"`
}

// summaries returns the summaries of the operations, by path.
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

// An indexDocument is the response of GET /api/v1. It is one of the routes that it lists, so describe fills it in
// once they are all made.
type indexDocument struct{ document catalog.Document }

// get is GET /api/v1, which is free.
func (x *indexDocument) get(source) *web.Response { return respond(x.document) }

// describe fills in the index with all routes and their summaries.
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
