package site

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/web"
)

// ServeHTTP implements http.Handler. A page comes entirely from one edition: the one that is current when the request
// arrives.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	web.Handler(s.serve, s.writeError).ServeHTTP(w, r)
}

// WriteError implements web.ErrorWriter for requests that did not reach ServeHTTP.
func (s *Site) WriteError(w http.ResponseWriter, r *http.Request, e *web.Error) {
	s.writeError(w, r, e)
}

// writeError answers with an error page, in the language of the path. If that cannot be made, it answers in plain text.
func (s *Site) writeError(w http.ResponseWriter, r *http.Request, e *web.Error) {
	q := &request{
		edition: s.current(), lang: address.LanguageOf(r.URL.Path), client: web.ClientAddr(w), files: s.preview.current(),
	}
	_, slug, _ := s.router.find(r.URL.Path)
	p, said, err := s.errorPage(r.Context(), q, asked{slug, r.URL}, e)
	if said != e { // log the error that is sent
		e = said
		web.SetError(w, e)
	}
	if err != nil {
		web.SetError(w, err)
		web.WritePlainError(w, r, e)
		return
	}
	web.SetFields(w, s.headers...)
	web.SetFields(w, layout.CacheNever)
	maps.Copy(w.Header(), e.Header)
	p.Write(w, r)
}

// errorPage makes the page of an error and returns it with the error it shows. That is e, unless the reader gets no
// slot to make the page: then the page says that the site is busy. The pages that a flood of requests gets are the same
// for all readers, and made once.
func (s *Site) errorPage(ctx context.Context, q *request, at asked, e *web.Error) (*web.Response, *web.Error, error) {
	render := func() (*web.Response, error) {
		v := s.view(q)
		d := errorDocument(v, at, e)
		html, err := s.renderer.Render(d.Template, frame(v, q, d))
		if err != nil {
			return nil, err
		}
		return layout.HTML(e.Status, html), nil
	}
	if e.Status != http.StatusTooManyRequests && !errors.Is(e, limit.ErrBusy) {
		leave, err := s.renders.slotFor(q.client)(ctx)
		if err == nil {
			defer leave()
			p, err := render()
			return p, e, err
		}
		e = web.AsError(err)
	}
	at = asked{} // the page is the same for all
	route := fullRoute
	switch {
	case e.Status == http.StatusTooManyRequests:
		route = limitedRoute
	case errors.Is(e, limit.ErrShare):
		route = busyRoute
	}
	p, err := q.edition.cache.get(ctx, key{route: route, lang: q.lang}, atOnce, render)
	return p, e, err
}

func (s *Site) serve(w http.ResponseWriter, r *http.Request) error {
	t, slug, ok := s.router.find(r.URL.Path)
	if ok && t.route.file != nil && r.Method == http.MethodOptions {
		preflight(w)
		return nil
	}
	if ok && t.route.takes(r.Method) {
		if to, renamed := s.renamed(t, slug); renamed {
			r.Pattern = t.route.address.In(t.lang)
			web.SetFields(w, t.route.shared()...)
			return s.redirect(w, r, http.StatusPermanentRedirect, to) // a browser sends a form again
		}
	}
	if ok && t.route.sent != nil && r.Method == http.MethodPost {
		r.Pattern = t.route.address.In(t.lang)
		return s.serveForm(w, r, t, slug)
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		allowed := "GET, HEAD"
		if ok && t.route.sent != nil {
			allowed += ", POST"
		}
		return layout.NotAllowed(r, allowed)
	}
	if strings.HasPrefix(r.URL.Path, layout.StaticPath) {
		r.Pattern = layout.StaticPath
		return s.renderer.Static.Serve(w, r, s.current().static())
	}
	if !ok {
		r.Pattern = "/"
		return s.serveTyped(w, r)
	}
	r.Pattern = t.route.address.In(t.lang) // for the log, the metrics and the trace
	return s.serveRoute(w, r, t, slug)
}

func (s *Site) serveRoute(w http.ResponseWriter, r *http.Request, t target, slug string) error {
	q := &request{
		edition: s.current(), route: t.route, lang: t.lang, slug: slug, client: web.ClientAddr(w), files: s.preview.current(),
	}
	if q.edition.snapshot.Edition().Number == 0 {
		return s.serveNothing(w, r, q)
	}
	var err error
	switch {
	case t.route.ask != nil:
		q.params = t.route.ask(r.Context(), q.lang, slug, chosen(r.URL.RawQuery), q.client, s.ask)
	case t.route.parse != nil:
		// The cache keeps the parameters: as a substring they would keep the whole request in memory.
		if q.params, err = t.route.parse(strings.Clone(chosen(r.URL.RawQuery))); err != nil {
			return err
		}
	case t.route.measure != nil:
		q.params = t.route.measure(r.Context())
	}
	p, err := s.get(r.Context(), q)
	if err != nil {
		return err
	}
	web.SetFields(w, s.headers...)
	switch {
	case p.Status != http.StatusOK || t.route.live:
		web.SetFields(w, layout.CacheNever)
	case t.route.uncached || searched(q.params): // a shared cache would store what one reader asks about
		web.SetFields(w, layout.CachePrivate)
	default:
		web.SetFields(w, s.keep)
	}
	p.Write(w, r)
	return nil
}

// serveNothing answers while there is no edition yet. It returns 503, except for a page of a preview whose files have
// had errors since it started: that shows the errors.
func (s *Site) serveNothing(w http.ResponseWriter, r *http.Request, q *request) error {
	if q.files == nil || q.route.page == nil {
		err := web.Errorf(http.StatusServiceUnavailable, "no catalogue is loaded yet: try again in a moment")
		err.Header = http.Header{"Retry-After": {"5"}}
		return err
	}
	v := s.view(q)
	html, err := s.renderer.Render("nothing", frame(v, q, &view.Document{Title: v.Text.Must("preview.nothing")}))
	if err != nil {
		return err
	}
	web.SetFields(w, s.headers...)
	web.SetFields(w, s.keep)
	layout.HTML(http.StatusOK, html).Write(w, r)
	return nil
}

// chosen returns a query string without its empty parameters: a form sends all its fields, and an empty one filters
// nothing.
func chosen(rawQuery string) string {
	if !strings.Contains(rawQuery, "=&") && !strings.HasSuffix(rawQuery, "=") {
		return rawQuery
	}
	var pairs []string
	for pair := range strings.SplitSeq(rawQuery, "&") {
		if _, value, _ := strings.Cut(pair, "="); value != "" {
			pairs = append(pairs, pair)
		}
	}
	return strings.Join(pairs, "&")
}

// Elsewhere returns a warning that lists the address patterns in catalog.yaml that differ from those of the site at
// baseURL ("" means the catalog's own URL); it returns "" if none differ. That may be intended, if another host serves
// those pages; or the operator moved the site and forgot to update catalog.yaml.
func Elsewhere(s catalog.Service, baseURL string) string {
	base := view.Base(s, baseURL)
	var wrong []string
	for _, page := range []address.Page{address.Tool, address.Review, address.Alternatives, address.Comparison} {
		if given := view.Pattern(s.Site, page); given != "" && given != base+page.French {
			wrong = append(wrong, fmt.Sprintf("site.%s is %s, not %s", page.Name, given, base+page.French))
		}
	}
	if wrong == nil {
		return ""
	}
	return "catalog.yaml leads elsewhere than to this site: " + strings.Join(wrong, "; ") +
		". The site names these addresses as the true ones, and leaves them out of its sitemap"
}
