package api

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/web"
)

// An operation computes an answer. It sees one snapshot for the whole request and
// writes nothing: status, headers and body are complete before a byte is sent.
type operation func(request) (answer, error)

// A request is what an operation may know of what was asked, and of whom.
type request struct {
	*http.Request
	snapshot *catalog.Snapshot
	caller   Caller
}

// An answer is a document, with what a list says in its headers.
type answer struct {
	document catalog.Document
	total    int    // -1 for what is not a list
	link     string // RFC 8288
}

func item(d catalog.Document) answer { return answer{document: d, total: -1} }

const methods = "GET, HEAD, OPTIONS"

// A route is an operation with its terms.
type route struct {
	op    operation
	free  bool // not counted
	keyed bool // needs a key
}

// handle makes a handler of a route. This is the path of every request: the caller
// is identified, the answer computed, charged once it is known, and written.
func (a *API) handle(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodGet, http.MethodHead:
			a.answer(w, r, rt)
		case http.MethodOptions:
			a.preflight(w)
		default:
			e := web.Errorf(http.StatusMethodNotAllowed, "%s is not allowed here: use GET, HEAD or OPTIONS", quote(r.Method))
			e.Header = http.Header{"Allow": {methods}}
			fail(w, r, a.catalog.Current(), e)
		}
	})
}

func (a *API) answer(w http.ResponseWriter, r *http.Request, rt route) {
	snapshot := a.catalog.Current()
	caller, err := a.callers.Identify(r)
	bill := a.bill(w, caller) // with a key that is not good, the address's
	if err != nil {
		if web.AsError(err).Status == http.StatusUnauthorized && !rt.free && !bill.charge(r) {
			err = bill.refusal(a.now())
		}
		fail(w, r, snapshot, err)
		return
	}
	if rt.keyed && caller.Plan == account.Anonymous {
		fail(w, r, snapshot, noKey())
		return
	}

	req := request{Request: r, snapshot: snapshot, caller: caller}
	over := !rt.free && bill.exhausted()
	ans, err := rt.op(req)
	form := choose(req, ans)
	switch counted := !rt.free && (err == nil || web.AsError(err).Status == http.StatusNotFound); {
	case err == nil && form.notModified: // costs nothing, and may be known by whoever has the tag
	case over, counted && !bill.charge(r):
		err = bill.refusal(a.now())
	}
	bill.show(w.Header())
	if err != nil {
		fail(w, r, snapshot, err)
		return
	}
	write(w, req, ans, form)
}

// loaded is an operation that needs a catalog to answer from.
func loaded(op operation) operation {
	return func(r request) (answer, error) {
		if r.snapshot.Edition().Number == 0 {
			e := web.Errorf(http.StatusServiceUnavailable, "no catalog is loaded yet: try again in a moment")
			e.Header = http.Header{"Retry-After": {"5"}}
			return answer{}, e
		}
		return op(r)
	}
}

// minCompressed is the size from which a body is worth compressing: less fits in
// one packet anyway.
const minCompressed = 1024

// A form is the representation of an answer that a request gets.
type form struct {
	encoding    web.Encoding
	etag        string
	notModified bool // the client has it
}

func choose(r request, ans answer) (f form) {
	if len(ans.document.Body) >= minCompressed {
		f.encoding = web.Negotiate(strings.Join(r.Header.Values("Accept-Encoding"), ","))
	}
	f.etag = f.encoding.ETag(ans.document.Tag())
	match := r.Header.Values("If-None-Match")
	f.notModified = len(match) > 0 && web.MatchETag(match, f.etag)
	return f
}

// write sends the answer: whole, not modified, or its headers alone.
func write(w http.ResponseWriter, r request, ans answer, f form) {
	h := w.Header()
	common(h, r.snapshot)
	h.Set("Cache-Control", r.caller.cacheControl())
	if ans.total >= 0 {
		h.Set("X-Total-Count", strconv.Itoa(ans.total))
	}
	if ans.link != "" {
		h.Set("Link", ans.link)
	}
	h.Set("ETag", f.etag)
	if f.notModified {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := ans.document.Body
	if f.encoding != web.Identity {
		body = web.Compress(f.encoding, body)
		h.Set("Content-Encoding", f.encoding.String())
	}
	send(w, r.Request, http.StatusOK, body)
}

// send writes the status and the body, which HEAD leaves out.
func send(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(body) //nolint:errcheck,gosec // the client is gone, and nobody else wants to know
	}
}

// exposed are the headers that a script in a browser may read.
const exposed = "ETag, Link, Retry-After, WWW-Authenticate, X-Attribution, X-RateLimit-Remaining, X-RateLimit-Reset, " +
	"X-RateLimit-Tier, X-Request-Id, X-Service-Updated-At, X-Total-Count"

// common sets the headers of every answer, errors included.
func common(h http.Header, s *catalog.Snapshot) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", exposed)
	h.Set("Vary", "Authorization, Accept-Encoding")
	h.Set("X-Content-Type-Options", "nosniff")
	if e := s.Edition(); e.Number > 0 {
		h.Set("X-Service-Updated-At", string(e.Date()))
		h.Set("X-Attribution", s.Service().Credit())
	}
}

// preflight answers OPTIONS: what a browser asks before a cross-origin request
// that carries a key.
func (a *API) preflight(w http.ResponseWriter) {
	h := w.Header()
	common(h, a.catalog.Current())
	h.Set("Allow", methods)
	h.Set("Access-Control-Allow-Methods", methods)
	h.Set("Access-Control-Allow-Headers", "Authorization, If-None-Match, X-Request-Id")
	h.Set("Access-Control-Max-Age", "86400")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
}
