package site

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strings"

	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/web/turns"
)

// ServeHTTP answers r. The whole page comes from the edition that is current now.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	web.Handler(s.serve, s.writeError).ServeHTTP(w, r)
}

// WriteError answers with the page of an error when a request did not get as far as ServeHTTP.
func (s *Site) WriteError(w http.ResponseWriter, r *http.Request, e *web.Error) {
	s.writeError(w, r, e)
}

// writeError answers with the page of an error, in the language of the path.
func (s *Site) writeError(w http.ResponseWriter, r *http.Request, e *web.Error) {
	req := s.request(s.current(), layout.LanguageOf(r.URL.Path))
	req.client = web.ClientAddr(w)
	_, slug, _ := s.router.find(r.URL.Path)
	p, e, err := s.errorPage(r.Context(), req, slug, e)
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

// errorPage makes the page of an error, or that of another one in its place: whoever has no turn to
// make pages has none for errors either.
func (s *Site) errorPage(ctx context.Context, r *request, slug string, e *web.Error) (*web.Response, *web.Error, error) {
	render := func() (*web.Response, error) {
		html, err := s.renderer.Render("error", r.frame(errorDocument(r, slug, e)))
		if err != nil {
			return nil, err
		}
		return layout.HTML(e.Status, html), nil
	}
	if !errors.Is(e, turns.ErrBusy) {
		leave, err := s.renders.of(r.client)(ctx)
		if err == nil {
			defer leave()
			p, err := render()
			return p, e, err
		}
		e = web.AsError(err)
	}
	slug = "" // the page is the same for all
	p, err := r.cache.get(ctx, key{kind: busyKind, lang: r.Language}, atOnce, render)
	return p, e, err
}

func (s *Site) serve(w http.ResponseWriter, r *http.Request) error {
	t, slug, ok := s.router.find(r.URL.Path)
	if ok && t.kind.raw != nil && r.Method == http.MethodOptions {
		preflight(w)
		return nil
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return layout.NotAllowed(r, "GET, HEAD")
	}
	if strings.HasPrefix(r.URL.Path, layout.StaticPath) {
		r.Pattern = layout.StaticPath
		return s.renderer.Static.Serve(w, r, s.current().static())
	}
	if !ok {
		r.Pattern = "/"
		return s.serveTyped(w, r)
	}
	r.Pattern = t.kind.paths[t.lang] // for the log, the metrics and the trace
	return s.servePage(w, r, t, slug)
}

func (s *Site) servePage(w http.ResponseWriter, r *http.Request, t target, slug string) error {
	e := s.current()
	req := s.request(e, t.lang)
	req.kind, req.slug, req.client = t.kind, slug, web.ClientAddr(w)
	if e.Snapshot.Edition().Number == 0 {
		if req.files != nil && t.kind.view != nil {
			return s.serveNothing(w, r, req)
		}
		err := web.Errorf(http.StatusServiceUnavailable, "no catalog is loaded yet: try again in a moment")
		err.Header = http.Header{"Retry-After": {"5"}}
		return err
	}
	var err error
	if t.kind.parse != nil {
		// The cache keeps parameters, and must not keep the whole request with them.
		if req.params, err = t.kind.parse(strings.Clone(chosen(r.URL.RawQuery))); err != nil {
			return err
		}
	}
	if t.kind.live {
		req.figures = s.measure(r.Context())
	}
	p, err := s.page(r.Context(), req)
	if err != nil {
		return err
	}
	web.SetFields(w, s.headers...)
	if p.Status == http.StatusOK && !t.kind.live {
		web.SetFields(w, s.keep)
	} else {
		web.SetFields(w, layout.CacheNever)
	}
	p.Write(w, r)
	return nil
}

// measure takes the figures of pages that say what is so now.
func (s *Site) measure(ctx context.Context) figures {
	lag := s.lag.read(ctx)
	return figures{at: s.now(), api: s.latency, webhooks: s.lag.ask != nil, lag: lag}
}

// serveNothing answers while a preview has not read a state without errors: the page says what to
// mend.
func (s *Site) serveNothing(w http.ResponseWriter, r *http.Request, req *request) error {
	html, err := s.renderer.Render("nothing", req.frame(&document{Title: req.Must("preview.nothing")}))
	if err != nil {
		return err
	}
	web.SetFields(w, s.headers...)
	web.SetFields(w, s.keep)
	layout.HTML(http.StatusOK, html).Write(w, r)
	return nil
}

// chosen is a query string without the parameters that are empty: a form sends all its fields,
// and one that nobody filled in asks for nothing.
func chosen(rawQuery string) string {
	if !strings.Contains(rawQuery, "=&") && !strings.HasSuffix(rawQuery, "=") {
		return rawQuery
	}
	var kept []string
	for pair := range strings.SplitSeq(rawQuery, "&") {
		if _, value, _ := strings.Cut(pair, "="); value != "" {
			kept = append(kept, pair)
		}
	}
	return strings.Join(kept, "&")
}
