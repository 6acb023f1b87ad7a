package api

import (
	"context"
	"net/http"

	"github.com/palmares-hq/palmares/internal/engine"
	"github.com/palmares-hq/palmares/internal/web"
)

// Identify identifies the caller of a request to another surface, by the API's keys, and returns the charge on its
// quota. It counts nothing, except that a bad key is charged to its address. Its error is the response: a 401, a 429
// or a 503.
func (a *API) Identify(w http.ResponseWriter, r *http.Request) (web.Charge, error) {
	q := &request{Request: r, w: w, route: &route{}}
	if err := a.identify(q); err != nil {
		return nil, err
	}
	return &admission{api: a, w: w, charge: q.charge}, nil
}

// An admission is the charge of a request to another surface. It implements web.Charge.
type admission struct {
	api *API
	w   http.ResponseWriter
	charge
}

// Account implements web.Charge.
func (m *admission) Account() string { return m.caller.Account }

// Exhausted implements web.Charge.
func (m *admission) Exhausted() bool { return m.exhausted() }

// Count implements web.Charge.
func (m *admission) Count(ctx context.Context) error {
	engine.Check(ctx)
	if m.api.caches.current().source.Edition().Number == 0 {
		return notLoaded()
	}
	if m.exhausted() || !m.count() {
		return m.overQuota(m.w)
	}
	m.setHeaders(m.w)
	return nil
}

// Refuse implements web.Charge.
func (m *admission) Refuse() error { return m.overQuota(m.w) }

// SetHeaders implements web.Charge.
func (m *admission) SetHeaders(ctx context.Context) {
	engine.Check(ctx)
	m.setHeaders(m.w)
}

// SetHeaders sets the headers that all of the API's responses have, for another surface. They forbid caches to store
// the response, as it answers a POST.
func (a *API) SetHeaders(w http.ResponseWriter) {
	web.SetFields(w, a.caches.current().headers...)
	web.SetFields(w, cacheNever)
}

// Preflight answers OPTIONS on another surface for a path with these methods, such as "POST, OPTIONS".
func (a *API) Preflight(w http.ResponseWriter, r *http.Request, methods string) {
	preflight(w, r, a.caches.current().source.Snapshot, methods)
}
