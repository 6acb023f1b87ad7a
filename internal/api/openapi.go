package api

import (
	"bytes"
	_ "embed"
	"fmt"
	"sync"

	"github.com/palmares-hq/palmares/internal/web"

	"github.com/goccy/go-yaml"

	"github.com/palmares-hq/palmares/internal/catalog"
)

//go:embed openapi.yaml
var openapiYAML []byte

// The placeholders in openapi.yaml that a node replaces with its own values.
const (
	creditPlaceholder  = "Source : <service_name> (<service_url>)" //nolint:gosec // no credential
	serverPlaceholder  = `"servers": [{"url": "/",`
	addressPlaceholder = "https://catalogue.example" // in requests and examples
	licensePlaceholder = `"name": "Free of rights; the credit line is the condition of use"`
)

// openapiJSON returns openapi.yaml as JSON.
var openapiJSON = sync.OnceValues(func() ([]byte, error) {
	body, err := yaml.YAMLToJSON(openapiYAML)
	if err != nil {
		return nil, fmt.Errorf("reading openapi.yaml: %w", err)
	}
	for _, placeholder := range []string{creditPlaceholder, serverPlaceholder, addressPlaceholder, licensePlaceholder} {
		if !bytes.Contains(body, []byte(placeholder)) {
			return nil, fmt.Errorf("openapi.yaml has no %s", placeholder)
		}
	}
	return body, nil
})

// An openapiDocument is openapi.yaml as JSON. Only the placeholders that the catalog fills in are left.
type openapiDocument []byte

func newOpenAPIDocument(baseURL string) (openapiDocument, error) {
	doc, err := openapiJSON()
	if err != nil {
		return nil, err
	}
	if baseURL != "" {
		server := `"servers": [{"url": ` + string(encodeJSON(baseURL)) + `,`
		doc = at(bytes.Replace(doc, []byte(serverPlaceholder), []byte(server), 1), baseURL)
	}
	return doc, nil
}

// at returns the document with this address in its requests and examples.
func at(doc []byte, address string) []byte {
	quoted := encodeJSON(address)
	return bytes.ReplaceAll(doc, []byte(addressPlaceholder), quoted[1:len(quoted)-1])
}

// get is GET /api/v1/openapi.json. A node that does not know its own address uses the catalog's in examples. Before
// the first edition there is no catalog address, credit line or licence, and their placeholders stay.
func (d openapiDocument) get(s source) *web.Response {
	body := []byte(d)
	if s.Edition().Number > 0 {
		body = at(body, s.Service().URL)
		credit := encodeJSON(s.Service().Credit())
		body = bytes.ReplaceAll(body, []byte(creditPlaceholder), credit[1:len(credit)-1])
		if l := s.Service().License; l != "" {
			named := `"name": ` + string(encodeJSON(l.Title())) + `, "url": ` + string(encodeJSON(l.URL()))
			body = bytes.Replace(body, []byte(licensePlaceholder), []byte(named), 1)
		}
	}
	return respond(catalog.NewDocument(body))
}
