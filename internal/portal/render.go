package portal

import (
	"embed"
	"errors"
	"html/template"
	"net/http"
	"slices"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/web"
)

//go:embed templates
var templateFiles embed.FS

// parse parses the templates of all pages.
func (p *Portal) parse() (err error) {
	var names []string
	for _, rt := range p.all {
		names = append(names, rt.templates()...)
	}
	slices.Sort(names)
	p.renderer, err = layout.NewRenderer(layout.Options{
		Templates: templateFiles, Pages: slices.Compact(names), Texts: texts(), Functions: p.functions,
	})
	return err
}

// templates are the names of the templates that a route shows.
func (rt *route) templates() []string {
	if rt.shows == nil {
		return []string{rt.name}
	}
	return rt.shows
}

// functions are what the templates of account pages call beyond those of every page.
func (p *Portal) functions(w layout.Writer) template.FuncMap {
	return template.FuncMap{
		"to": func(name string, ids ...string) string { return p.routes[name].path(w.Language, ids...) },
		"day": func(t time.Time) string {
			if t.IsZero() {
				return ""
			}
			return w.Date(t.UTC())
		},
		"moment": func(t time.Time) string { return w.Date(t.UTC()) + ", " + t.UTC().Format("15:04") + "\u00a0UTC" },
		"iso":    func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	}
}

// render makes the HTML of an answer.
func (p *Portal) render(r *request, a *answer) ([]byte, error) {
	title, name := a.title, a.template
	if title == "" {
		title = r.Must(r.route.name + ".title")
	}
	if name == "" {
		name = r.route.name
	}
	body := page{
		Token: r.token(), Route: r.route.name, Notice: a.notice, Faults: a.faults, Body: a.body,
	}
	if done := r.query.Get(doneParam); body.Notice == "" && r.http.Method != http.MethodPost && r.Has("done."+done) {
		body.Notice = r.Must("done." + done)
	}
	if r.session != "" {
		body.Email, body.Plan = r.account.Email, r.Must("plan."+r.account.Plan.String())
		body.SignOut = r.path("sign-in")
		for _, entry := range entries {
			body.Side = append(body.Side, layout.Section{
				Name: r.Must("portal." + entry), Path: r.path(entry), Current: entry == r.route.entry,
			})
		}
	}
	return p.renderer.Render(name, p.frame(r, title, body))
}

// frame is what stands around a page.
func (p *Portal) frame(r *request, title string, body any) *layout.Frame {
	snapshot := p.o.Catalog.Current()
	f := &layout.Frame{
		Lang: r.Language, Title: title, NoIndex: true, Service: snapshot.Service(), Edition: snapshot.Edition(),
		Operator: r.Operator(snapshot, p.o.Contact),
		Sections: r.Sections(""), Body: body,
	}
	if r.route == nil {
		return f
	}
	query := ""
	if q := r.http.URL.RawQuery; q != "" && r.http.Method != http.MethodPost && r.query.Get(doneParam) == "" {
		query = "?" + q
	}
	for _, l := range locale.Languages() {
		path := r.route.path(l, r.ids...) + query
		f.Alternates = append(f.Alternates, layout.Alternate{Lang: l, URL: p.o.BaseURL + path, Path: path, XDefault: l == locale.French})
	}
	return f
}

// An errorPage is what the page of an error shows. Who asks is not known there, so nobody can sign
// out on it.
type errorPage struct {
	layout.ErrorBody

	SignOut, Token string // "", for the frame
}

// WriteError answers with the page of an error, in the language of the path.
func (p *Portal) WriteError(w http.ResponseWriter, r *http.Request, e *web.Error) {
	req := &request{Writer: p.renderer.Writer(layout.LanguageOf(r.URL.Path)), portal: p, w: w, http: r}
	body := req.ErrorBody(e)
	name := ""
	switch {
	case e.Status == http.StatusInternalServerError:
		name = "error.500.account"
	case e.Status == http.StatusServiceUnavailable && isRefusal(e):
		name = "error.503.crowd"
	case e.Status == http.StatusServiceUnavailable:
		name = "error.503.account"
	}
	if name != "" {
		body.Heading, body.Sentence = req.Must(name), req.Must(name+".sentence")
	}
	if met, ok := errors.AsType[*account.LimitError](e); ok {
		body.Sentence = req.limitText(met)
	}
	page, err := p.errorPage(req, e, body)
	if err != nil {
		web.SetError(w, err)
		web.WritePlainError(w, r, e)
		return
	}
	web.SetFields(w, p.headers...)
	web.SetFields(w, layout.CacheNever)
	for name, values := range e.Header {
		web.SetField(w, name, values[0])
	}
	page.Write(w, r)
}

// errorPage makes the page of an error. That of a refusal is kept: when there is one, there are many.
func (p *Portal) errorPage(r *request, e *web.Error, body layout.ErrorBody) (*web.Response, error) {
	snapshot, kept := p.o.Catalog.Current(), &p.refusals[r.Language]
	if last := kept.Load(); last != nil && last.of == snapshot && isRefusal(e) {
		return last.page, nil
	}
	html, err := p.renderer.Render("error", p.frame(r, body.Heading, errorPage{ErrorBody: body}))
	if err != nil {
		return nil, err
	}
	page := layout.HTML(e.Status, html)
	if isRefusal(e) {
		kept.Store(&refusalPage{snapshot, page})
	}
	return page, nil
}
