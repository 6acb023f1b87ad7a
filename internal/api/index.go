package api

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/palmares-hq/palmares/internal/web"

	"github.com/palmares-hq/palmares/internal/catalog"
)

const (
	indexPath = "/api/v1"
	docsPath  = "/en/docs"
)

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

// withIndex adds the route of the index to all others. Who looks around pays nothing for it.
func withIndex(all []*route, baseURL string) ([]*route, error) {
	byPath, err := summaries()
	if err != nil {
		return nil, err
	}
	own := &route{pattern: indexPath, free: true, always: true}
	all = append(all, own)
	x := index{OpenAPI: baseURL + openapiPath, Docs: baseURL + docsPath}
	for _, rt := range all {
		s := byPath[rt.pattern]
		x.Operations = append(x.Operations, indexedRoute{s.OperationID, rt.pattern, baseURL + rt.pattern, s.Summary, rt.keyed})
	}
	doc := catalog.NewDocument(encodeJSON(x))
	own.operation = documentOp(func(source) *web.Response { return respond(doc) })
	return all, nil
}
