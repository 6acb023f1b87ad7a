package site

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/palmares-hq/palmares/internal/site/reference"
	"github.com/palmares-hq/palmares/internal/web"
)

// callForm asks for the parameters of a call.
func (r *request) callForm(o *reference.Operation) *callForm {
	f := &callForm{Action: r.path("operation call", o.Slug)}
	for _, p := range o.Parameters {
		if p.In == "header" {
			continue
		}
		field := callField{Name: p.Name, Required: p.Required}
		switch {
		case p.In == "path":
			field.Value = r.sampleSlug(o)
		case p.Name == "category":
			field.Options = []option{{Label: r.Must("reference.any")}}
			for _, c := range r.Categories() {
				field.Options = append(field.Options, option{Value: c.Slug, Label: c.Slug})
			}
		case len(p.Type.Values) > 0:
			field.Options = []option{{Label: r.Must("reference.any")}}
			if p.Type.Default != "" {
				field.Options[0].Label = r.Must("reference.default", p.Type.Default)
			}
			for _, v := range p.Type.Values {
				field.Options = append(field.Options, option{Value: v, Label: v})
			}
		case p.Name == "limit":
			field.Value = "1"
		}
		f.Fields = append(f.Fields, field)
	}
	return f
}

// parseCall takes the parameters of a call as they are: the API reads them.
func parseCall(rawQuery string) (any, error) { return rawQuery, nil }

// viewCall leads a form to the call that it stands for. A form cannot fill in a path, and sends the
// fields that nobody filled in.
func viewCall(r *request) (*document, error) {
	o, err := r.operation()
	if err != nil {
		return nil, err
	}
	query, _ := r.params.(string)
	given, err := url.ParseQuery(query)
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
		return &document{Status: http.StatusSeeOther, Redirect: r.path("operation", o.Slug)}, nil
	}
	if len(sent) > 0 {
		to += "?" + sent.Encode()
	}
	return &document{Status: http.StatusSeeOther, Redirect: to}, nil
}
