package site

import (
	"bytes"
	"encoding/json"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/site/guide"
	"github.com/palmares-hq/palmares/internal/site/reference"
)

// operationGroups lead to all operations; current is the slug of the one that is shown.
func (r *request) operationGroups(current string) ([]operationGroup, error) {
	var groups []operationGroup
	for _, g := range r.reference.Groups(r.Language) {
		text, err := guide.Prose(g.Description)
		if err != nil {
			return nil, err
		}
		made := operationGroup{Title: g.Title, Description: text}
		for _, o := range g.Operations {
			made.Operations = append(made.Operations, operationLink{o, r.path("operation", o.Slug), o.Slug == current})
		}
		groups = append(groups, made)
	}
	return groups, nil
}

func viewReference(r *request) (*document, error) {
	groups, err := r.operationGroups("")
	source := r.path("reference source", "")
	return &document{
		Title: r.Must("reference.title"), Description: r.Must("reference.description"), Markdown: source,
		Body: referenceBody{groups, source},
	}, err
}

func viewOperation(r *request) (*document, error) {
	o, err := r.operation()
	if err != nil {
		return nil, err
	}
	s, err := r.sample(o)
	if err != nil {
		return nil, err
	}
	b := &operationBody{Operation: o, Source: r.path("operation source", o.Slug), Terms: r.terms(o)}
	for _, part := range []func() error{
		func() error { return r.describe(b) },
		func() error { return r.around(b) },
		func() error { return r.showAnswer(b, s) },
		func() error { return r.explain(b) },
	} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	r.showPrograms(b, s)
	if !o.Keyed {
		b.Form = r.callForm(o)
	}
	return &document{
		Title: o.Title, Description: plainProse(firstParagraph(o.Description)), Markdown: b.Source, Body: b,
		Keys: o.Keyed,
	}, nil
}

// terms say what a call costs.
func (r *request) terms(o *reference.Operation) string {
	switch {
	case !o.Counted:
		return r.Must("reference.try.free")
	case o.Keyed:
		return r.Must("reference.try.keyed.counts")
	default:
		return r.Must("reference.try.counts", r.Integer(plans().Anonymous))
	}
}

// describe says what an operation is for.
func (r *request) describe(b *operationBody) error {
	first := firstParagraph(b.Description)
	lede, err := guide.Prose(first)
	if err != nil {
		return err
	}
	b.Lede = template.HTML(strings.TrimSuffix(strings.TrimPrefix( //nolint:gosec // it was HTML before
		strings.TrimSpace(string(lede)), "<p>"), "</p>"))
	b.More, err = guide.Prose(strings.TrimPrefix(strings.TrimSpace(b.Description), first))
	for _, part := range []string{"parameters", "try", "answer", "programs", "fields", "headers", "outcomes"} {
		b.Contents = append(b.Contents, guide.Heading{ID: part, Text: r.Must("reference." + part)})
	}
	return err
}

// around finds the operations before and after one.
func (r *request) around(b *operationBody) error {
	var err error
	b.Groups, err = r.operationGroups(b.Slug)
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

// explain says what parameters, fields and errors mean.
func (r *request) explain(b *operationBody) error {
	for _, p := range b.Operation.Parameters {
		text, err := guide.Prose(p.Description)
		if err != nil {
			return err
		}
		b.Parameters = append(b.Parameters, parameterRow{p, r.Must("reference.in." + p.In), text})
	}
	for _, t := range b.Operation.Tables {
		text, err := guide.Prose(t.Description)
		if err != nil {
			return err
		}
		made := fieldTable{ID: tableID(t.Name), Name: t.Name, Text: text}
		for _, f := range t.Fields {
			text, err := guide.Prose(f.Description)
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
		text, err := guide.Prose(o.Description)
		if err != nil {
			return err
		}
		b.Outcomes = append(b.Outcomes, outcomeRow{Outcome: o, Name: statusName(o.Status), Text: text, Shown: r.errorsShown(o)})
	}
	return nil
}

func tableID(name string) string { return "schema-" + strings.ToLower(name) }

// statusName is the usual name of a status: it is what people search for.
func statusName(status string) string {
	code, _ := strconv.Atoi(status)
	return http.StatusText(code)
}

// errorsShown are the texts of an error, as they are sent here.
func (r *request) errorsShown(o reference.Outcome) template.HTML {
	var b strings.Builder
	for _, t := range o.Texts {
		if t.When != "" {
			b.WriteString("<p>" + template.HTMLEscapeString(t.When) + "</p>\n")
		}
		b.WriteString(string(r.figure(guide.Sample{Language: "json", Output: true, Text: r.errorBody(t)})))
	}
	return template.HTML(b.String()) //nolint:gosec // escaped texts
}

// errorBody is the body of an error. It names guides by their whole addresses where the service knows
// its own, and no text of the contract has another path of a guide in it.
func (r *request) errorBody(t reference.ErrorText) string {
	text := t.Text
	if r.closed {
		text = strings.NewReplacer("; a key is free", "; sign-up is closed, and the operator creates accounts",
			"; a free API key raises it to 1,000 a day", "; an API key raises it to 1,000 a day, but sign-up is closed, and the operator creates accounts").
			Replace(text)
	}
	text = strings.NewReplacer("; /en/docs/", "; "+r.baseURL+"/en/docs/", " at /compte/", " at "+r.baseURL+"/compte/").
		Replace(text)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(map[string]string{"error": text}); err != nil {
		return "" // a text always encodes
	}
	return b.String()
}

// firstParagraph is what a text of the contract begins with.
func firstParagraph(markdown string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(markdown), "\n\n")
	return first
}

// plainProse is a paragraph of Markdown as plain text.
func plainProse(markdown string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(markdown, "`", "")), " ")
}
