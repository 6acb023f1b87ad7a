package site

import (
	"net/http"
	"net/netip"
	"strings"

	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/web"
)

// moved are addresses that people and programs try, and where what they look for is.
var moved = map[string]string{
	"/en":           "/en/",
	"/openapi.json": "/api/v1/openapi.json",
}

const faviconPath = "/favicon.ico"

// serveTyped answers a request for a path at which there is nothing: with a redirect if it is one of
// those that people type, or a page with a slash after it.
func (s *Site) serveTyped(w http.ResponseWriter, r *http.Request) error {
	path := r.URL.Path
	if to := moved[path]; to != "" {
		return s.redirect(w, r, http.StatusPermanentRedirect, to)
	}
	if path == faviconPath {
		icon := s.renderer.Writer(locale.French).Operator(s.current().snapshot, "").Favicon
		if icon == "" {
			icon = s.renderer.Static.Path("favicon.svg")
		}
		return s.redirect(w, r, http.StatusFound, icon) // each edition may bring another
	}
	page, slash := strings.CutSuffix(path, "/")
	if t, slug, ok := s.router.find(page); slash && ok && !strings.HasSuffix(page, "/") {
		if err := s.exists(r, t, slug, web.ClientAddr(w)); err != nil {
			return err
		}
		return s.redirect(w, r, http.StatusPermanentRedirect, page)
	}
	return layout.NoSuchPage(r)
}

// exists reports whether there is a page now, as an error if there is none. It makes the page: whoever
// is redirected asks for it next.
func (s *Site) exists(r *http.Request, t target, slug string, client netip.Addr) error {
	q := &request{edition: s.current(), route: t.route, lang: t.lang, slug: slug, client: client, files: s.preview.current()}
	switch {
	case q.edition.snapshot.Edition().Number == 0:
		return layout.NoSuchPage(r)
	case t.route.live:
		return nil
	case t.route.parse != nil:
		var err error
		if q.params, err = t.route.parse(""); err != nil {
			return err
		}
	}
	_, err := s.get(r.Context(), q)
	return err
}

// redirect leads to a path of ours, with the query of the request.
func (s *Site) redirect(w http.ResponseWriter, r *http.Request, status int, to string) error {
	if r.URL.RawQuery != "" {
		to += "?" + r.URL.RawQuery
	}
	web.SetFields(w, s.headers...)
	web.SetFields(w, layout.CacheNever)
	web.Redirect(status, to).Write(w, r)
	return nil
}
