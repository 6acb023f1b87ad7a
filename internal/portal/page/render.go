package page

import (
	"cmp"
	"embed"
	"errors"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/web"
)

//go:embed templates
var templates embed.FS

// newRenderer parses the templates of all pages.
func newRenderer(t layout.Texts, files []fs.FS) (*layout.Renderer, error) {
	all := joined(append([]fs.FS{templates}, files...))
	names, err := all.Glob("templates/*.html")
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		names[i] = strings.TrimSuffix(path.Base(name), ".html")
	}
	return layout.NewRenderer(layout.Options{
		Templates: all, Pages: names, Texts: layout.Join(Texts(), t), Functions: functions,
	})
}

// joined is the union of several packages' file systems. No two of them have a file of the same name.
type joined []fs.FS

// Open implements fs.FS.
func (j joined) Open(name string) (fs.File, error) {
	for _, files := range j {
		if f, err := files.Open(name); !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// Glob implements fs.GlobFS.
func (j joined) Glob(pattern string) (names []string, err error) {
	for _, files := range j {
		found, err := fs.Glob(files, pattern)
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	return names, nil
}

// functions returns the template functions that only account pages have.
func functions(w layout.Writer) template.FuncMap {
	r := &Request{Text: w}
	return template.FuncMap{
		"day": func(t time.Time) string {
			if t.IsZero() {
				return ""
			}
			return w.Date(t.UTC())
		},
		"minute": r.Minute,
		"iso":    func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	}
}

// A templatePage is the data of an account page's template.
type templatePage struct {
	Token       string // of every form
	Email       string
	Plan        string
	Side        []layout.Section // the navigation of the account
	SignOut     string           // where the form that signs out goes; "" without a session
	Notice      string
	FieldErrors []FieldError
	Body        any
}

// FieldError returns what is wrong with a field; nil if nothing is. Templates call it.
func (p templatePage) FieldError(field string) *FieldError {
	for _, e := range p.FieldErrors {
		if e.Field == field {
			return &e
		}
	}
	return nil
}

// respond turns an answer into a response: a redirect, a download or a page.
func (s *Server) respond(x *exchange, a *Answer) (*web.Response, error) {
	switch {
	case a.Redirect != "":
		return web.Redirect(http.StatusSeeOther, a.Redirect), nil
	case a.File != nil:
		return web.NewResponse(http.StatusOK, a.File.ContentType, "", a.File.Data,
			web.NewField("Content-Disposition", `attachment; filename="`+a.File.Name+`"`)), nil
	}
	html, err := s.render(x, a)
	if err != nil {
		return nil, err
	}
	status, headers := cmp.Or(a.Status, http.StatusOK), a.Headers
	if a.Limit != nil {
		s.o.Limited(a.Limit.Name)
		status, headers = http.StatusTooManyRequests, []web.Field{web.NewField("Retry-After", retryAfter(a.Limit, s.o.Now()))}
	}
	response := layout.HTML(status, html)
	response.Fields = headers
	return response, nil
}

// render renders the HTML of an answer that is a page.
func (s *Server) render(x *exchange, a *Answer) ([]byte, error) {
	title, name := a.Title, cmp.Or(a.Template, x.page.Name)
	if title == "" {
		title = x.Text.Must(x.page.Name + ".title")
	}
	if len(a.FieldErrors) > 0 { // the first thing that a screen reader says of the page
		title = x.Text.Must("portal.error-title", title)
	}
	body := templatePage{
		Token: s.tokens.ofForms(x.tokenCookie()), Notice: a.Notice, FieldErrors: a.FieldErrors, Body: a.Body,
	}
	if done := x.Query.Get(DoneParam); body.Notice == "" && x.isRead() && x.Text.Has("done."+done) {
		body.Notice = x.Text.Must("done." + done)
	}
	if x.Session != "" {
		body.Email, body.Plan = x.Account.Email, x.Text.Must("plan."+x.Account.Plan.String())
		body.SignOut = x.At(address.SignIn)
		body.Side = s.side(x)
	}
	return s.renderer.Render(name, s.frame(x, title, body))
}

// tokenCookie returns what form tokens are derived from: the session's token, or the browser's cookie when
// there is no session.
func (x *exchange) tokenCookie() string { return cmp.Or(x.Session, x.Browser) }

// side is the navigation of the account. Its current entry is the page, or the one above it.
func (s *Server) side(x *exchange) (entries []layout.Section) {
	for _, p := range s.o.Menu {
		entries = append(entries, layout.Section{
			Name: x.Text.Must("portal." + p.Name), Path: x.At(p),
			Current: x.page.Page == p || strings.HasPrefix(x.page.French, p.French+"/"),
		})
	}
	return entries
}

// frame returns the frame around a page.
func (s *Server) frame(x *exchange, title string, body any) *layout.Frame {
	snapshot := s.o.Catalog.Current()
	f := &layout.Frame{
		Lang: x.Text.Language, Title: title, NoIndex: true, Service: snapshot.Service(), Edition: snapshot.Edition(),
		Operator: x.Text.Operator(snapshot, s.o.Contact), Cancel: s.cancelPath(x.Text.Language),
		Sections: x.Text.Sections(""), Body: body,
	}
	if x.page == nil { // the page of an error, which does not know who is signed in
		f.Alternates, f.Account = layout.Instead(address.Account), address.Account.At(x.Text.Language)
		return f
	}
	query := ""
	if q := x.http.URL.RawQuery; q != "" && x.isRead() && x.Query.Get(DoneParam) == "" {
		query = "?" + q
	}
	for _, l := range locale.Languages() {
		path := x.page.At(l, x.IDs...) + query
		f.Alternates = append(f.Alternates, layout.Alternate{Lang: l, URL: s.o.BaseURL + path, Path: path, XDefault: l == locale.French})
	}
	return f
}

// cancelPath returns the path of the page that ends a subscription; "" where none is sold.
func (s *Server) cancelPath(l locale.Language) string {
	if !s.o.Sells {
		return ""
	}
	return address.EndContract.At(l)
}
