package portal

import (
	"net/http"
	"strings"

	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/web"
)

// serveTyped answers a request for a path at which there is nothing: with a redirect if it is that of
// a page with a slash after it. Whether there is what an id names only its owner is told, so paths with
// ids lead nowhere.
func (p *Portal) serveTyped(w http.ResponseWriter, r *http.Request) error {
	to, slash := strings.CutSuffix(r.URL.Path, "/")
	_, _, ids, ok := find(p.all, to)
	if !slash || !ok || len(ids) > 0 || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return web.Errorf(http.StatusNotFound, "there is no such page")
	}
	if r.URL.RawQuery != "" {
		to += "?" + r.URL.RawQuery
	}
	web.SetFields(w, p.headers...)
	web.SetFields(w, layout.CacheNever)
	web.Redirect(http.StatusPermanentRedirect, to).Write(w, r)
	return nil
}
