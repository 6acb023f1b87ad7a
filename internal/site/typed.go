package site

import (
	"net/http"
	"net/netip"
	"strings"

	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/purge"
	"github.com/palmares-hq/palmares/internal/web"
)

// moved maps wrong paths that people and programs often request to the right ones.
var moved = map[string]string{
	"/en":           "/en/",
	"/openapi.json": "/api/v1/openapi.json",
}

const faviconPath = "/favicon.ico"

// serveTyped answers a request for an unknown path: with a redirect if the path is one that people often type, or the
// path of a page with a slash added; with 404 otherwise.
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
		return s.redirect(w, r, http.StatusFound, icon) // temporary, because each edition may have another icon
	}
	page, slash := strings.CutSuffix(path, "/")
	if t, slug, ok := s.router.find(page); slash && ok && !strings.HasSuffix(page, "/") {
		if to, renamed := s.renamed(t, slug); renamed {
			return s.redirect(w, r, http.StatusPermanentRedirect, to)
		}
		if err := s.exists(r, t, slug, web.ClientAddr(w)); err != nil {
			return err
		}
		return s.redirect(w, r, http.StatusPermanentRedirect, page)
	}
	return layout.NoSuchPage(r)
}

// renamed returns the path of an item's page under its current slug. It reports whether slug is a former one.
func (s *Site) renamed(t target, slug string) (path string, ok bool) {
	var now string
	switch snapshot := s.current().snapshot; t.route.item { //nolint:exhaustive // what else there is has no slug, or has it for good
	case purge.Tools:
		now, ok = snapshot.RenamedTool(slug)
	case purge.Comparisons:
		now, ok = snapshot.RenamedComparison(slug)
	}
	return t.route.address.At(t.lang, now), ok
}

// exists returns an error unless the page exists. It makes and caches the page, because a redirected client requests it
// next.
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

// redirect redirects to a path of ours, with the query of the request.
func (s *Site) redirect(w http.ResponseWriter, r *http.Request, status int, to string) error {
	if r.URL.RawQuery != "" {
		to += "?" + r.URL.RawQuery
	}
	web.SetFields(w, s.headers...)
	web.SetFields(w, layout.CacheNever)
	web.Redirect(status, to).Write(w, r)
	return nil
}
