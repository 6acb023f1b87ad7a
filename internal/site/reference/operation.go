package reference

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// An Operation is an operation of the API, with its texts in one language.
type Operation struct {
	ID          string // as in the contract: "listTools"
	Slug        string // in the address of its page: "list-tools"
	Path        string // with placeholders: {slug} for an item, {file} for a file
	Title       string
	Description string
	Keyed       bool // it needs a key
	Counted     bool // a call counts against the quota
	Parameters  []Parameter
	Headers     []Header // of the expected response
	Outcomes    []Outcome
	Tables      []Table
	Example     string // a response in JSON, for when a real one cannot be shown

	Lines bool // the response is JSON lines, and so is Example

	printed []string // the path of the field that its programs print
	number  bool     // the field is a number, not a string
}

// A Parameter is a parameter of a call.
type Parameter struct {
	Name, In    string // In is path, query or header
	Required    bool
	Type        Type
	Description string
	Example     string
}

// A Header is a header of a response.
type Header struct{ Name, Description string }

// An Outcome is a response other than the expected one.
type Outcome struct {
	Status      string
	Description string
	Texts       []ErrorText
}

// An ErrorText is the text of an error, and when it is sent.
type ErrorText struct{ When, Text string }

// Item reports whether the operation is about one item, named by a slug in its path.
func (o *Operation) Item() bool { return strings.Contains(o.Path, "{slug}") }

// Parameter returns a parameter by name, or nil.
func (o *Operation) Parameter(name string) *Parameter {
	at := slices.IndexFunc(o.Parameters, func(p Parameter) bool { return p.Name == name })
	if at < 0 {
		return nil
	}
	return &o.Parameters[at]
}

const (
	jsonType  = "application/json"
	linesType = "application/jsonl"
)

// counted reports whether calls of an operation are charged. Other operations have a 429 only for too many bad keys.
func counted(op *openapi3.Operation) bool {
	over := op.Responses.Value("429")
	return over != nil && over.Ref == "#/components/responses/QuotaExceeded"
}

func newOperation(path string, op *openapi3.Operation) (*Operation, error) {
	ok := op.Responses.Value("200")
	if ok == nil || ok.Value.Content[jsonType] == nil && ok.Value.Content[linesType] == nil {
		return nil, fmt.Errorf("%s has no answer", op.OperationID)
	}
	media, lines := ok.Value.Content[jsonType], false
	if media == nil {
		media, lines = ok.Value.Content[linesType], true
	}
	o := &Operation{
		ID: op.OperationID, Slug: slugOf(op.OperationID), Path: path, Title: op.Summary,
		Description: op.Description, Keyed: op.Security != nil, Counted: counted(op),
		Lines: lines,
	}
	if !lines {
		o.Tables = tables(media.Schema)
	}
	for _, ref := range op.Parameters {
		o.Parameters = append(o.Parameters, newParameter(ref.Value))
	}
	for _, name := range headerOrder {
		if ref := ok.Value.Headers[name]; ref != nil {
			o.Headers = append(o.Headers, Header{name, ref.Value.Description})
		}
	}
	if len(o.Headers) != len(ok.Value.Headers) {
		return nil, fmt.Errorf("%s has a header that has no place in the order", o.ID)
	}
	for _, status := range op.Responses.Keys() {
		if status != "200" {
			o.Outcomes = append(o.Outcomes, newOutcome(status, op.Responses.Value(status).Value))
		}
	}
	slices.SortFunc(o.Outcomes, func(a, b Outcome) int { return strings.Compare(a.Status, b.Status) })
	if lines {
		o.Example, _ = media.Example.(string)
		o.printed = []string{linePrinted}
		return o, nil
	}
	var err error
	if o.Example, err = example(media); err != nil {
		return nil, err
	}
	return o, o.choosePrinted(media.Schema)
}

// headerOrder is the order in which headers are explained: the most useful to clients first.
var headerOrder = []string{
	"X-Total-Count", "Link", "Content-Disposition", "X-Changes-Cursor", "ETag", "Cache-Control", "Vary", "X-RateLimit-Tier", "X-RateLimit-Remaining",
	"X-RateLimit-Reset", "X-Service-Updated-At", "X-Attribution", "X-Request-Id",
	"Access-Control-Allow-Origin", "Access-Control-Expose-Headers",
}

func newParameter(p *openapi3.Parameter) Parameter {
	made := Parameter{
		Name: p.Name, In: p.In, Required: p.Required, Type: typeOf(p.Schema.Value), Description: p.Description,
	}
	if p.Example != nil {
		made.Example = fmt.Sprint(p.Example)
	}
	return made
}

func newOutcome(status string, r *openapi3.Response) Outcome {
	o := Outcome{Status: status, Description: *r.Description}
	media := r.Content[jsonType]
	if media == nil {
		return o
	}
	if text := errorText(media.Example); text != "" {
		o.Texts = append(o.Texts, ErrorText{Text: text})
	}
	names := make([]string, 0, len(media.Examples))
	for name := range media.Examples {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		e := media.Examples[name].Value
		o.Texts = append(o.Texts, ErrorText{e.Summary, errorText(e.Value)})
	}
	return o
}

func errorText(v any) string {
	body, _ := v.(map[string]any)
	text, _ := body["error"].(string)
	return text
}

// example returns an example of a response as indented JSON: the first by name, or the only one.
func example(media *openapi3.MediaType) (string, error) {
	v := media.Example
	names := make([]string, 0, len(media.Examples))
	for name := range media.Examples {
		names = append(names, name)
	}
	if len(names) > 0 {
		v = media.Examples[slices.Min(names)].Value.Value
	}
	if v == nil {
		return "", errors.New("an answer has no example")
	}
	return indent(v)
}

// slugOf converts listTools to list-tools.
func slugOf(id string) string {
	var b strings.Builder
	for _, r := range id {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('-')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
