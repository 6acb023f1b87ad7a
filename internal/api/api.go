package api

import (
	"net/http"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/web"
)

// Catalog gives the snapshot to answer from.
type Catalog interface {
	Current() *catalog.Snapshot
}

// Options say what the interface stands on. Catalog is required.
type Options struct {
	Catalog Catalog
	Callers Callers          // AnonymousOnly when nil
	Meter   *quota.Meter     // nil charges nothing
	Now     func() time.Time // time.Now when nil
	Cache   int              // bytes of ready answers kept, 64 MiB when 0
	Usage   *quota.Usage     // nil counts nothing, and GET /api/v1/usage is a 503
	BaseURL string           // the service's own address, without a slash at its end; "" when it is not known

	KeyNames KeyNames // nil leaves the names of keys out of GET /api/v1/usage
}

// An API answers requests.
type API struct {
	catalog  Catalog
	callers  Callers
	meter    *quota.Meter
	usage    *quota.Usage
	reports  *usageReports
	now      func() time.Time
	router   router
	shelves  shelves
	budget   budget
	where    string    // it is said how to get a key
	refusals []refusal // by plan
	resets   resets
}

// New makes the interface.
func New(o Options) (*API, error) {
	if o.Callers == nil {
		o.Callers = AnonymousOnly{}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Cache == 0 {
		o.Cache = 64 << 20
	}
	doc, err := newDescription(o.BaseURL)
	if err != nil {
		return nil, err
	}
	where := o.BaseURL + openapiPath
	a := &API{catalog: o.Catalog, callers: o.Callers, meter: o.Meter, now: o.Now, where: where, refusals: refusals(where)}
	a.budget.now = o.Now
	a.usage, a.reports = o.Usage, newUsageReports(o)
	a.router = newRouter(linkedFrom(o.BaseURL, routes(doc)))
	a.shelves = shelves{catalog: o.Catalog, size: o.Cache, router: a.router}
	return a, nil
}

// Prepare makes the answers that everybody asks for out of a snapshot that is about
// to be served, so that its first requests find them ready.
func (a *API) Prepare(s *catalog.Snapshot) { a.shelves.add(s) }

// CacheStats tells what the ready answers of the current snapshot take and how many
// they are.
func (a *API) CacheStats() (bytes, answers int) {
	return a.shelves.of(a.catalog.Current()).kept.stats()
}

// Uncompressed tells how many responses were sent as they are because compressing them
// would have exceeded the budget.
func (a *API) Uncompressed() int64 { return a.budget.refused.Load() }

// ServeHTTP answers r.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rt, slug := a.router.find(r.URL)
	r.Pattern = rt.pattern // for the log, the metrics and the trace
	shelf := a.shelves.of(a.catalog.Current())
	switch {
	case !underAPI(r.URL.Path): // whoever asks: no key is looked at, nothing charged
		fail(w, r, shelf, noSuchPath(r))
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		a.answer(w, r, rt, slug, shelf)
	case r.Method == http.MethodOptions:
		preflight(w, r, shelf)
	case rt == a.router.lost:
		fail(w, r, shelf, noSuchPath(r))
	default:
		e := web.Errorf(http.StatusMethodNotAllowed, "%s is not allowed here: use GET, HEAD or OPTIONS", quote(r.Method))
		e.Header = http.Header{"Allow": {methods}}
		fail(w, r, shelf, e)
	}
}

// answer is the path of every request: the caller is identified, the answer found
// or made, charged once it is known, and written.
func (a *API) answer(w http.ResponseWriter, r *http.Request, rt *route, slug string, shelf *shelf) {
	caller, err := a.callers.Identify(r)
	bill := a.bill(w, caller) // with a key that is not good, the address's
	if unverified := asUnverified(err); unverified != nil {
		if !rt.free && bill.exhausted() {
			a.refuse(w, r, shelf, caller, &bill)
			return
		}
		caller, err = unverified.Verify()
		bill = a.bill(w, caller)
	}
	if err != nil {
		if web.AsError(err).Status == http.StatusUnauthorized && !rt.free && !bill.charge() {
			a.refuse(w, r, shelf, caller, &bill)
			return
		}
		fail(w, r, shelf, a.sayWhere(err))
		return
	}
	if rt.keyed && caller.Plan == account.Anonymous {
		fail(w, r, shelf, a.sayWhere(noKey()))
		return
	}

	if rt.usage {
		a.answerUsage(w, r, caller, &bill, shelf)
		return
	}
	if !rt.free && bill.exhausted() {
		a.answerOver(w, r, rt, slug, shelf, caller, &bill)
		return
	}
	var answer *ready
	question, err := rt.ask(r, slug)
	if err == nil {
		answer, err = shelf.answer(rt, question)
	}
	var form *form
	var match match
	if err == nil {
		form, match = answer.choose(r.Header, &a.budget)
	}
	counted := !rt.free && match != holdsIt && (err == nil || web.AsError(err).Status == http.StatusNotFound)
	if counted && !bill.charge() {
		a.refuse(w, r, shelf, caller, &bill)
		return
	}
	bill.show(w)
	if err != nil {
		fail(w, r, shelf, err)
		return
	}
	web.SetFields(w, caller.cacheControl())
	answer.write(w, r, form, match != noMatch)
}

// answerOver answers a request whose quota is known to be used up. Nothing is computed
// for it: the tag that it sends is compared with the response that is cached, if one is.
func (a *API) answerOver(w http.ResponseWriter, r *http.Request, rt *route, slug string, shelf *shelf, caller Caller, bill *bill) {
	if cached := shelf.cached(r, rt, slug); cached != nil {
		if form, match := cached.match(r.Header, cached.accepted(r.Header)); match == holdsIt {
			bill.show(w)
			web.SetFields(w, caller.cacheControl())
			cached.write(w, r, form, true)
			return
		}
	}
	a.refuse(w, r, shelf, caller, bill)
}
