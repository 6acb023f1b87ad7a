package docs

import (
	"bytes"
	"context"
	"encoding/json"
	"html/template"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/guide"
	"github.com/palmares-hq/palmares/internal/site/reference"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/web"
)

// A Reference makes the pages of the API reference: a list, and a page for each operation.
type Reference struct {
	library *reference.Library
	show    func(s *catalog.Snapshot, target string, plan account.Plan) (Shown, error)
	key     string // the key in samples
}

// An API is how the reference reads and calls the API.
type API struct {
	// Contract returns openapi.yaml with its French texts, parsed. Sites of the same program may share one.
	Contract func() (*reference.Library, error)
	// Show returns the response to a GET of target from a snapshot, as an account with that plan gets it.
	Show func(s *catalog.Snapshot, target string, plan account.Plan) (Shown, error)
	Ask  Asker // nil if there is no API to call
}

// An Asker sends a GET of target without a key and returns the response, which is cut to the given number of bytes if
// it is a file. The call is charged to the client's address.
type Asker func(ctx context.Context, client netip.Addr, target string, most int) (Shown, error)

// Shown is a response of the API.
type Shown struct {
	Status int
	Header http.Header
	Body   []byte
	Cut    bool // the body is incomplete
}

// NewReference reads the API's contract. Samples show the key, or a placeholder if it is "".
func NewReference(api API, key string) (*Reference, error) {
	library, err := api.Contract()
	return &Reference{library, api.Show, sampleKey(key)}, err
}

// Slugs returns the slugs of all operations in a language, in their order.
func (r *Reference) Slugs(l locale.Language) []string {
	var slugs []string
	for _, o := range r.library.All(l) {
		slugs = append(slugs, o.Slug)
	}
	return slugs
}

func (r *Reference) find(v *view.View, slug string) (*reference.Operation, error) {
	if o := r.library.Find(v.Text.Language, slug); o != nil {
		return o, nil
	}
	return nil, web.Errorf(http.StatusNotFound, "there is no operation %s", web.Quote(slug))
}

// groups returns links to all operations by group. current is the slug of the operation being shown; "" for none.
func (r *Reference) groups(v *view.View, current string) ([]operationGroup, error) {
	var groups []operationGroup
	for _, g := range r.library.Groups(v.Text.Language) {
		text, err := guide.Prose(v.Text.Language, g.Description)
		if err != nil {
			return nil, err
		}
		made := operationGroup{Title: g.Title, Description: text}
		for _, o := range g.Operations {
			made.Operations = append(made.Operations, operationLink{o, v.Path(address.Operation, o.Slug), o.Slug == current})
		}
		groups = append(groups, made)
	}
	return groups, nil
}

// List returns the page that lists the operations.
func (r *Reference) List(v *view.View) (*view.Document, error) {
	groups, err := r.groups(v, "")
	source := v.Path(address.ReferenceSource)
	return &view.Document{
		Template: "reference", Section: address.Guides,
		Title: v.Text.Must("reference.title"), Description: v.Text.Must("reference.description"), Markdown: source,
		Body: referenceBody{groups, source},
	}, err
}

// Operation returns the page of an operation.
func (r *Reference) Operation(v *view.View, slug string) (*view.Document, error) {
	o, err := r.find(v, slug)
	if err != nil {
		return nil, err
	}
	return r.document(v, o, nil)
}

// document returns the page of an operation. made is a call that the reader made with the form; nil for none.
func (r *Reference) document(v *view.View, o *reference.Operation, made *tried) (*view.Document, error) {
	s, err := r.sample(v, o)
	if err != nil {
		return nil, err
	}
	b := &operationBody{Operation: o, Source: v.Path(address.OperationSource, o.Slug), Terms: terms(v, o)}
	for _, part := range []func() error{
		func() error { return describe(v, b) },
		func() error { return r.around(v, b) },
		func() error { return showAnswer(v, b, s) },
		func() error { return explain(v, b) },
	} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	r.showPrograms(v, b, s)
	if !o.Keyed {
		b.Form, b.Tried = newCallForm(v, o), made
		if made != nil {
			b.Form.fill(made.sent)
		}
	}
	return &view.Document{
		Template: "operation", Section: address.Guides,
		Title: o.Title, Description: v.Text.Typeset(plainProse(firstParagraph(o.Description))), Markdown: b.Source, Body: b,
		Keys: o.Keyed, NoIndex: made != nil,
	}, nil
}

// terms returns a sentence that says whether a call counts against the quota.
func terms(v *view.View, o *reference.Operation) string {
	switch {
	case !o.Counted:
		return v.Text.Must("reference.try.free")
	case o.Keyed:
		return v.Text.Must("reference.try.keyed.counts")
	default:
		return v.Text.Must("reference.try.counts", v.Text.Integer(v.Plans().Anonymous))
	}
}

// describe adds the description of the operation and the table of contents.
func describe(v *view.View, b *operationBody) error {
	first := firstParagraph(b.Description)
	lede, err := guide.Prose(v.Text.Language, first)
	if err != nil {
		return err
	}
	b.Lede = template.HTML(strings.TrimSuffix(strings.TrimPrefix( //nolint:gosec // it was HTML before
		strings.TrimSpace(string(lede)), "<p>"), "</p>"))
	b.More, err = guide.Prose(v.Text.Language, strings.TrimPrefix(strings.TrimSpace(b.Description), first))
	for _, part := range []string{"parameters", "try", "answer", "programs", "fields", "headers", "outcomes"} {
		b.Contents = append(b.Contents, guide.Heading{ID: part, Text: v.Text.Must("reference." + part)})
	}
	return err
}

// around adds links to all operations, and to the ones before and after this.
func (r *Reference) around(v *view.View, b *operationBody) error {
	var err error
	b.Groups, err = r.groups(v, b.Slug)
	var all []operationLink
	for _, g := range b.Groups {
		all = append(all, g.Operations...)
	}
	for i := range all {
		switch {
		case !all[i].Current:
		case i > 0 && i+1 < len(all):
			b.Previous, b.Next = &all[i-1], &all[i+1]
		case i > 0:
			b.Previous = &all[i-1]
		default:
			b.Next = &all[i+1]
		}
	}
	return err
}

// explain adds the descriptions of parameters, fields and errors.
func explain(v *view.View, b *operationBody) error {
	for _, p := range b.Operation.Parameters {
		text, err := guide.Prose(v.Text.Language, p.Description)
		if err != nil {
			return err
		}
		b.Parameters = append(b.Parameters, parameterRow{p, v.Text.Must("reference.in." + p.In), text})
	}
	for _, t := range b.Operation.Tables {
		text, err := guide.Prose(v.Text.Language, t.Description)
		if err != nil {
			return err
		}
		made := fieldTable{ID: tableID(t.Name), Name: t.Name, Text: text}
		for _, f := range t.Fields {
			text, err := guide.Prose(v.Text.Language, f.Description)
			if err != nil {
				return err
			}
			row := fieldRow{Field: f, Text: text}
			if f.Type.Table != "" {
				row.Anchor = tableID(f.Type.Table)
			}
			made.Rows = append(made.Rows, row)
		}
		b.Tables = append(b.Tables, made)
	}
	for _, o := range b.Operation.Outcomes {
		text, err := guide.Prose(v.Text.Language, o.Description)
		if err != nil {
			return err
		}
		b.Outcomes = append(b.Outcomes, outcomeRow{Outcome: o, Name: statusName(o.Status), Text: text, Shown: errorsShown(v, o)})
	}
	return nil
}

func tableID(name string) string { return "schema-" + strings.ToLower(name) }

// statusName returns the usual name of a status, which people search for.
func statusName(status string) string {
	code, _ := strconv.Atoi(status)
	return http.StatusText(code)
}

// errorsShown returns the bodies of an error response as this installation sends them, as HTML.
func errorsShown(v *view.View, o reference.Outcome) template.HTML {
	var b strings.Builder
	for _, t := range o.Texts {
		if t.When != "" {
			b.WriteString("<p>" + template.HTMLEscapeString(t.When) + "</p>\n")
		}
		b.WriteString(string(figure(v, guide.Sample{Language: "json", Output: true, Text: errorBody(v, t)})))
	}
	return template.HTML(b.String()) //nolint:gosec // escaped texts
}

// errorBody returns the JSON body of an error, as this installation sends it. It completes paths to guides and account
// pages to URLs if the site has a BaseURL. The texts of the contract have such paths only in the two forms that it
// looks for.
func errorBody(v *view.View, t reference.ErrorText) string {
	text := t.Text
	if v.Site.Closed {
		text = strings.NewReplacer("; a key is free", "; sign-up is closed, and the operator creates accounts",
			"; a free API key raises it to 1,000 a day", "; an API key raises it to 1,000 a day, but sign-up is closed, and the operator creates accounts").
			Replace(text)
	}
	text = strings.NewReplacer("; /en/docs/", "; "+v.Site.BaseURL+"/en/docs/", " at /compte/", " at "+v.Site.BaseURL+"/compte/").
		Replace(text)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(map[string]string{"error": text}); err != nil {
		return "" // a string always encodes
	}
	return b.String()
}

// firstParagraph returns the first paragraph of a text of the contract.
func firstParagraph(markdown string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(markdown), "\n\n")
	return first
}

// plainProse returns a paragraph of Markdown as plain text.
func plainProse(markdown string) string {
	return locale.OneLine(strings.ReplaceAll(markdown, "`", ""))
}
