package api

import (
	"errors"

	"github.com/palmares-hq/palmares/internal/changes"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/web"
)

// getChanges is GET /api/v1/changes. Nothing new is free of charge, and costs as little as a 429: whoever polls
// may do so as often as they like. Shared caches strip If-None-Match, so it need not be a 304.
func (a *API) getChanges(r *request) error {
	q, err := r.route.query(r.Request, r.slug)
	p, _ := q.params.(params.Changes)
	idle := err == nil && p.Since != "" && p.Since == r.cache.source.Cursor().String()
	if !idle && r.exhausted() {
		return a.getOverQuota(r)
	}
	var resp *web.Response
	if err == nil {
		resp, err = r.cache.respond(q)
	}
	if errors.Is(err, errNotHeld) {
		var page changes.Page
		who := changes.Asker{Account: r.caller.Account, Addr: web.ClientAddr(r.w)}
		if page, err = a.changes.Read(r.Context(), who, r.cache.source.Snapshot, p.Query()); err == nil {
			r.cache = a.caches.current() // that was perhaps waited for
			resp = respondChanges(a.baseURL, p, page)
			addLicense(resp, r.cache.source.Service().License)
			r.cache.source.addTags(resp, q)
			idle = page.Count == 0 && page.Next.String() == p.Since
		}
	}
	switch {
	case errors.Is(err, changes.ErrGone):
		err = errGone()
	case errors.Is(err, web.ErrShareFull):
		err = retryLater("your network or account asks for too many old pages of the change log at once: try again shortly", err)
	case errors.Is(err, changes.ErrBusy):
		err = retryLater("too many old pages of the change log are being read at the moment: try again shortly", err)
	case errors.Is(err, changes.ErrAway):
		err = retryLater("the change log cannot be read at the moment: try again shortly", err)
	}
	return a.answer(r, resp, err, idle)
}
