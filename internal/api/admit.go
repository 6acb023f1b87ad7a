package api

import (
	"net/http"

	"github.com/palmares-hq/palmares/internal/web"
)

// Admit lets another surface answer on the terms of the API: the same keys, the same quotas, the same headers.
// It tells who sent the request, counts it unless it is free, and sets the headers of its quota. Its error is the
// response: a 401 or a 429, with its headers.
func (a *API) Admit(w http.ResponseWriter, r *http.Request, free bool) error {
	q := &request{Request: r, w: w, route: &route{free: free}}
	if err := a.identify(q); err != nil {
		return err
	}
	switch {
	case free:
	case a.caches.current().source.Edition().Number == 0:
		return notLoaded()
	case q.exhausted() || !q.count():
		return q.overQuota(w)
	}
	q.setHeaders(w)
	return nil
}

// SetHeaders sets the headers that all responses have, those of another surface included. Nobody keeps what
// was sent on a POST.
func (a *API) SetHeaders(w http.ResponseWriter) {
	web.SetFields(w, a.caches.current().headers...)
	web.SetFields(w, cacheNever)
}

// Preflight answers OPTIONS for a path that takes these methods.
func (a *API) Preflight(w http.ResponseWriter, r *http.Request, methods string) {
	preflight(w, r, a.caches.current().source.Snapshot, methods)
}
