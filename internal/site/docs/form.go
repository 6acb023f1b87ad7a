package docs

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/guide"
	"github.com/palmares-hq/palmares/internal/site/reference"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/web"
)

// newCallForm returns a form for the parameters of an operation, filled in so that it works as it is. It leaves out
// parameters that are headers.
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
		case p.In == "path":
			field.Value = sampleSlug(v, o)
		case p.Name == "items":
			field.Value = sampleItems(v, o)
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

// fill sets the fields of the form to what the reader sent.
func (f *callForm) fill(sent url.Values) {
	for i := range f.Fields {
		if field := &f.Fields[i]; len(field.Options) > 0 {
			field.Chosen = sent.Get(field.Name)
		} else {
			field.Value = sent.Get(field.Name)
		}
	}
}

// An Asked is a submitted form with the response to its call.
type Asked struct {
	target string     // of the call; "" if the form makes none
	sent   url.Values // the parameters as sent
	answer *Shown     // nil if there is no API to call
	err    error
}

// Ask makes the call that a submitted form asks for, and charges it to the client. It may wait for the API: call it
// before taking a slot for making pages. slug names the operation and query has the fields of the form, path parameters
// included. ask is nil if there is no API.
func (r *Reference) Ask(ctx context.Context, l locale.Language, slug, query string, client netip.Addr, ask Asker) Asked {
	o := r.library.Find(l, slug)
	if o == nil {
		return Asked{}
	}
	given, err := url.ParseQuery(query)
	if err != nil {
		return Asked{err: web.Errorf(http.StatusBadRequest, "this is no call of %s", o.Path)}
	}
	asked := Asked{sent: given, target: target(o, given)}
	if asked.target == "" || ask == nil {
		return asked
	}
	answer, err := ask(ctx, client, asked.target, triedBytes)
	asked.answer, asked.err = &answer, err
	return asked
}

// target returns the path and query of the call that a form asks for. It returns "" if the operation needs a key, no
// field was sent, or a path parameter is missing. It ignores unknown fields.
func target(o *reference.Operation, given url.Values) string {
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
	if o.Keyed || len(given) == 0 || strings.Contains(to, "{") {
		return ""
	}
	if len(sent) > 0 {
		to += "?" + sent.Encode()
	}
	return to
}

// Call returns the page of an operation with the response to a reader's call. It redirects to the plain page if the
// form made no call, and to the call itself if there is no API.
func (r *Reference) Call(v *view.View, slug string, asked Asked) (*view.Document, error) {
	o, err := r.find(v, slug)
	switch {
	case err != nil:
		return nil, err
	case asked.err != nil:
		return nil, asked.err
	case asked.target == "":
		return &view.Document{Status: http.StatusSeeOther, Redirect: v.Path(address.Operation, o.Slug)}, nil
	case asked.answer == nil:
		return &view.Document{Status: http.StatusSeeOther, Redirect: asked.target}, nil
	}
	return r.document(v, o, newTried(v, asked.target, asked.sent, *asked.answer))
}

const (
	triedLines = 200     // shown of the response to a reader's call
	triedBytes = 1 << 16 // also a bound, because lines may be long
)

// newTried returns what the page shows of a reader's call and its response, cut to triedLines and triedBytes.
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
	if answer.Cut {
		text = text[:strings.LastIndexByte(text, '\n')+1] // the last line may be cut
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	shown, size := 0, 0
	for shown < len(lines) && shown < triedLines && size+len(lines[shown]) < triedBytes {
		size += len(lines[shown])
		shown++
	}
	if t.Rest = answer.Cut; shown < len(lines) || t.Rest {
		t.Cut = len(lines) - shown
		lines = append(lines[:shown:shown], "…")
	}
	t.Body = figure(v, guide.Sample{Language: "json", Text: strings.Join(lines, "\n") + "\n"})
	return t
}
