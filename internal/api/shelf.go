package api

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/web"
)

// A shelf holds the answers that are ready to be sent out of one snapshot. It goes
// with its snapshot, so nothing on it is ever out of date.
type shelf struct {
	snapshot *catalog.Snapshot
	headers  []web.Field // of every answer, errors included
	kept     *kept
}

func newShelf(s *catalog.Snapshot, size int) *shelf {
	return &shelf{snapshot: s, headers: headersOf(s, vary), kept: newKept(size)}
}

// answer finds an answer or makes it. One that is asked for a second time is made
// ready in every encoding and kept; one asked for once is not worth that, and
// whoever asks for a million different pages fills no memory.
func (s *shelf) answer(rt *route, q question) (*ready, error) {
	if s.snapshot.Edition().Number == 0 && !rt.always {
		e := web.Errorf(http.StatusServiceUnavailable, "no catalog is loaded yet: try again in a moment")
		e.Header = http.Header{"Retry-After": {"5"}}
		return nil, e
	}
	hash := s.kept.hash(q)
	if r := s.kept.get(hash, q); r != nil {
		return r, nil
	}
	ans, err := rt.op(s.snapshot, q)
	if err != nil {
		return nil, err
	}
	r := makeReady(ans, s.headers)
	if !ans.empty && s.kept.takes(ans.document.Body) && s.kept.claim(hash) {
		s.keep(hash, q, r)
	}
	return r, nil
}

// cached gives the response that is cached for a request which names a tag; nil when
// there is none. "*" names none.
func (s *shelf) cached(r *http.Request, rt *route, slug string) *ready {
	if tags := r.Header["If-None-Match"]; len(tags) == 0 || web.MatchAnyETag(tags) {
		return nil
	}
	q, err := rt.ask(r, slug)
	if err != nil {
		return nil
	}
	return s.kept.get(s.kept.hash(q), q)
}

func (s *shelf) keep(hash uint64, q question, r *ready) {
	r.compress()
	// What a question took from a request must not keep the request's memory.
	q.slug, q.category = strings.Clone(q.slug), strings.Clone(q.category)
	s.kept.put(hash, q, r)
}

// exposed are the headers that a script in a browser may read.
const exposed = "ETag, Link, Retry-After, WWW-Authenticate, X-Attribution, X-RateLimit-Remaining, X-RateLimit-Reset, " +
	"X-RateLimit-Tier, X-Request-Id, X-Service-Updated-At, X-Total-Count"

// vary names the request headers that every answer depends on.
const vary = "Authorization, Accept-Encoding"

// headersOf are the headers of every answer out of a snapshot.
func headersOf(s *catalog.Snapshot, vary string) []web.Field {
	headers := []web.Field{
		web.NewField("Access-Control-Allow-Origin", "*"),
		web.NewField("Access-Control-Expose-Headers", exposed),
		web.NewField("Vary", vary),
		web.NewField("X-Content-Type-Options", "nosniff"),
	}
	if e := s.Edition(); e.Number > 0 {
		headers = append(headers,
			web.NewField("X-Service-Updated-At", string(e.Date())),
			web.NewField("X-Attribution", percentEncode(s.Service().Credit())))
	}
	return headers
}

// shelves finds the shelf of a snapshot.
type shelves struct {
	catalog Catalog
	size    int // of each, in bytes
	router  router
	current atomic.Pointer[shelf]

	mu    sync.Mutex
	ahead *shelf // of a snapshot that is about to be served
}

func (all *shelves) of(s *catalog.Snapshot) *shelf {
	if sh := all.current.Load(); sh != nil && sh.snapshot == s {
		return sh
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	current := all.current.Load()
	if current != nil && current.snapshot == s {
		return current
	}
	if all.catalog.Current() != s {
		// A request that began before the swap. It must not bring the old shelf back.
		return &shelf{snapshot: s, headers: headersOf(s, vary)}
	}
	sh := all.ahead
	if sh == nil || sh.snapshot != s {
		sh = newShelf(s, all.size)
	}
	if sh == all.ahead || current != nil {
		all.ahead = nil
	}
	all.current.Store(sh)
	return sh
}

// add makes the shelf of a snapshot that is about to be served.
func (all *shelves) add(s *catalog.Snapshot) {
	sh := newShelf(s, all.size)
	for _, q := range all.router.wellKnown(s) {
		if ans, err := all.router.of(q).op(s, q); err == nil {
			sh.keep(sh.kept.hash(q), q, makeReady(ans, sh.headers))
		}
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	all.ahead = sh
}
