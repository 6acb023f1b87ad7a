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

// moved maps addresses that people and programs try to the right ones.
var moved = map[string]string{
	"/en":           "/en/",
	"/openapi.json": "/api/v1/openapi.json",
}

const faviconPath = "/favicon.ico"

// serveTyped answers a request for an unknown path: with a redirect if people are known to type it, or if only a
// slash follows the path of a page.
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
		return s.redirect(w, r, http.StatusFound, icon) // each edition may have another
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

// renamed returns the path of a page under the current slug of an item, given a former one.
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

// exists returns an error if there is no page. It makes the page: whoever is redirected asks for it next.
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
