package api

import (
	_ "embed"
	"fmt"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/palmares-hq/palmares/internal/catalog"
)

//go:embed openapi.yaml
var openapiYAML []byte

// openapiDocument is the contract as JSON.
var openapiDocument = sync.OnceValues(func() (catalog.Document, error) {
	body, err := yaml.YAMLToJSON(openapiYAML)
	if err != nil {
		return catalog.Document{}, fmt.Errorf("reading openapi.yaml: %w", err)
	}
	return catalog.NewDocument(body), nil
})

// getOpenAPI is GET /api/v1/openapi.json. It describes the service, not the
// catalog: it is there before the first edition.
func getOpenAPI(doc catalog.Document) func(*catalog.Snapshot, question) (answer, error) {
	return func(*catalog.Snapshot, question) (answer, error) { return item(doc), nil }
}
