package docs

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/site/guide"
	"github.com/palmares-hq/palmares/internal/site/reference"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/web"
)

// callForm asks for the parameters of a call.
func newCallForm(v *view.View, o *reference.Operation) *callForm {
	f := &callForm{Action: v.Path(address.OperationCall, o.Slug)}
	for _, p := range o.Parameters {
		if p.In == "header" {
			continue
		}
		field := callField{Name: p.Name, Required: p.Required}
		switch {
		case p.In == "path" && p.Example != "" && len(p.Type.Values) > 0:
			field.Chosen = p.Example
			for _, value := range p.Type.Values {
				field.Options = append(field.Options, menuOption{Value: value, Label: value})
			}
		case p.In == "path", p.Name == "slugs" && p.Required:
			field.Value = sampleSlug(v, o)
		case p.Name == "category":
			field.Options = []menuOption{{Label: v.Text.Must("reference.any")}}
			for _, c := range v.Catalog.Categories() {
				field.Options = append(field.Options, menuOption{Value: c.Slug, Label: c.Slug})
			}
		case len(p.Type.Values) > 0:
			field.Options = []menuOption{{Label: v.Text.Must("reference.any")}}
			if p.Type.Default != "" {
				field.Options[0].Label = v.Text.Must("reference.default", p.Type.Default)
			}
			for _, value := range p.Type.Values {
				field.Options = append(field.Options, menuOption{Value: value, Label: value})
			}
		case p.Name == "limit":
			field.Value = "1"
		}
		f.Fields = append(f.Fields, field)
	}
	return f
}

// fill writes into a form what was sent with it.
func (f *callForm) fill(sent url.Values) {
	for i := range f.Fields {
		if field := &f.Fields[i]; len(field.Options) > 0 {
			field.Chosen = sent.Get(field.Name)
		} else {
			field.Value = sent.Get(field.Name)
		}
	}
}

// Asked is a form that was sent, and how to make its call; Ask is nil where there is no API to ask.
type Asked struct {
	Query string
	Ask   func(target string) (Shown, error)
}

// Call makes the call that a form stands for, and shows its answer on the page of the operation. Where there is
// no API to ask, it leads to the call. A form cannot fill in a path, and sends the fields that nobody filled in.
func (r *Reference) Call(v *view.View, slug string, asked Asked) (*view.Document, error) {
	o, err := r.find(v, slug)
	if err != nil {
		return nil, err
	}
	given, err := url.ParseQuery(asked.Query)
	if err != nil {
		return nil, web.Errorf(http.StatusBadRequest, "this is no call of %s", o.Path)
	}
	to, sent := o.Path, make(url.Values)
	for name, values := range given {
		switch p := o.Parameter(name); {
		case p == nil:
		case p.In == "path":
			to = strings.Replace(to, "{"+name+"}", url.PathEscape(strings.Join(values, "")), 1)
		case p.In == "query":
			sent[name] = values
		}
	}
	// No form asks for what needs a key, or without its button; or nothing was filled in.
	if o.Keyed || len(given) == 0 || strings.Contains(to, "{") {
		return &view.Document{Status: http.StatusSeeOther, Redirect: v.Path(address.Operation, o.Slug)}, nil
	}
	if len(sent) > 0 {
		to += "?" + sent.Encode()
	}
	if asked.Ask == nil {
		return &view.Document{Status: http.StatusSeeOther, Redirect: to}, nil
	}
	answer, err := asked.Ask(to)
	if err != nil {
		return nil, err
	}
	return r.document(v, o, newTried(v, to, given, answer))
}

const (
	triedLines = 200     // of an answer that a reader asked for
	triedBytes = 1 << 16 // of them: a line may be long
)

// newTried shows an answer.
func newTried(v *view.View, target string, sent url.Values, answer Shown) *tried {
	t := &tried{
		Call: v.Call(target), Status: strconv.Itoa(answer.Status) + " " + http.StatusText(answer.Status), sent: sent,
	}
	for _, name := range slices.Sorted(maps.Keys(answer.Header)) {
		t.Headers = append(t.Headers, headerRow{Name: name, Value: strings.Join(answer.Header[name], ", ")})
	}
	text := string(answer.Body)
	var indented bytes.Buffer
	if err := json.Indent(&indented, answer.Body, "", "  "); err == nil {
		text = indented.String()
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	shown, size := 0, 0
	for shown < len(lines) && shown < triedLines && size+len(lines[shown]) < triedBytes {
		size += len(lines[shown])
		shown++
	}
	if shown < len(lines) {
		t.Cut = len(lines) - shown
		lines = append(lines[:shown:shown], "…")
	}
	t.Body = figure(v, guide.Sample{Language: "json", Text: strings.Join(lines, "\n") + "\n"})
	return t
}
