package api

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/goccy/go-yaml"

	"github.com/palmares-hq/palmares/internal/catalog"
)

//go:embed openapi.yaml
var openapiYAML []byte

// openapiJSON is openapi.yaml as JSON.
var openapiJSON = sync.OnceValues(func() ([]byte, error) {
	body, err := yaml.YAMLToJSON(openapiYAML)
	if err != nil {
		return nil, fmt.Errorf("reading openapi.yaml: %w", err)
	}
	if !bytes.Contains(body, []byte(creditForm)) || !bytes.Contains(body, []byte(serverForm)) {
		return nil, errors.New("openapi.yaml has no place for the credit line or for the server")
	}
	return body, nil
})

// What openapi.yaml has in the place of what only a node knows.
const (
	creditForm = "Source : <service_name> (<service_url>)" //nolint:gosec // no credential
	serverForm = `"servers": [{"url": "/",`
)

// A description makes the OpenAPI document that a node serves: openapi.yaml with the
// service's credit line and address in their places. Before the first edition there
// is no credit line yet, and its form stands there.
type description struct {
	form []byte // complete but for the credit line

	mu   sync.Mutex // for making another
	last atomic.Pointer[creditedAnswer]
}

type creditedAnswer struct {
	credit string
	answer answer
}

func newDescription(base string) (*description, error) {
	form, err := openapiJSON()
	if err != nil {
		return nil, err
	}
	if base != "" {
		form = bytes.Replace(form, []byte(serverForm), []byte(`"servers": [{"url": `+quoteJSON(base)+`,`), 1)
	}
	return &description{form: form}, nil
}

// get is GET /api/v1/openapi.json. The document is made when the credit line changes,
// in every coding at once.
func (d *description) get(s *catalog.Snapshot, _ question) (answer, error) {
	credit := creditForm
	if s.Edition().Number > 0 {
		credit = s.Service().Credit()
	}
	if last := d.last.Load(); last != nil && last.credit == credit {
		return last.answer, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if last := d.last.Load(); last != nil && last.credit == credit {
		return last.answer, nil
	}
	text := quoteJSON(credit)
	body := bytes.ReplaceAll(d.form, []byte(creditForm), []byte(text[1:len(text)-1]))
	r := makeReady(item(catalog.NewDocument(body)), nil)
	r.compress()
	made := &creditedAnswer{credit: credit, answer: r.answer}
	made.answer.forms = &r.forms
	d.last.Store(made)
	return made.answer, nil
}

// quoteJSON writes a string as JSON does, but leaves <, > and & as they are.
func quoteJSON(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string always encodes
	}
	return string(bytes.TrimSpace(b.Bytes()))
}
