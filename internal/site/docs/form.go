package docs

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
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
		case p.In == "path":
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

// Call leads a form to the call that it stands for. A form cannot fill in a path, and sends the
// fields that nobody filled in.
func (r *Reference) Call(v *view.View, slug, rawQuery string) (*view.Document, error) {
	o, err := r.find(v, slug)
	if err != nil {
		return nil, err
	}
	given, err := url.ParseQuery(rawQuery)
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
	if o.Keyed || strings.Contains(to, "{") { // no form asks so, or nothing was filled in
		return &view.Document{Status: http.StatusSeeOther, Redirect: v.Path(address.Operation, o.Slug)}, nil
	}
	if len(sent) > 0 {
		to += "?" + sent.Encode()
	}
	return &view.Document{Status: http.StatusSeeOther, Redirect: to}, nil
}
