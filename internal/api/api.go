package api

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/changes"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/throttle"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/web/negotiate"
)

// Options configure an API. Catalog is required.
type Options struct {
	Catalog  Catalog
	Changes  *changes.Reader  // nil if the snapshot has the whole change log
	Files    *export.Cache    // makes the files of downloads; nil makes one
	Auth     Authenticator    // AnonymousOnly when nil
	Meter    *quota.Meter     // nil charges nothing
	Usage    *quota.Usage     // nil counts nothing, and GET /api/v1/usage is a 503
	KeyNames KeyNames         // nil leaves the names of keys out of GET /api/v1/usage
	Now      func() time.Time // time.Now when nil
	Cache    int              // bytes of cached responses, 64 MiB when 0
	// UsageWait is how long GET /api/v1/usage waits for the counters; a second when 0.
	UsageWait time.Duration
	// Slack is how far a download may fall behind the slowest rate allowed; 30 s when 0.
	Slack   time.Duration
	BaseURL string // the service's own address, without a slash at its end; "" if unknown
	Closed  bool   // nobody can sign up: the operator creates accounts
	Tags    bool   // responses carry the tags by which a shared cache purges them

	// DownloadRefused, when set, is called with the reason when a download is refused: see DownloadRefusals.
	DownloadRefused func(why string)
}

// An API answers the requests of the JSON interface.
type API struct {
	auth        Authenticator
	router      router
	caches      caches
	compressing compressLimiter
	charger     *charger
	usage       *usageReports
	changes     *changes.Reader
	files       *export.Cache
	downloads   *limit.Gate
	pace        web.Pace // of downloads

	downloadRefused func(why string)

	baseURL       string
	documentation string     // the page that says how to get a key
	closed        bool       // nobody can sign up
	suspended     *web.Error // the response to a key that is suspended
	// Responses of frequent errors, made once so that they cost little.
	errors map[*web.Error]*web.Response
}

// New returns an API.
func New(o Options) (*API, error) {
	if o.Auth == nil {
		o.Auth = AnonymousOnly{}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Cache == 0 {
		o.Cache = 64 << 20
	}
	openapi, err := newOpenAPIDocument(o.BaseURL)
	if err != nil {
		return nil, err
	}
	var index indexDocument
	all := routes(openapi, &index)
	if err := index.describe(all, o.BaseURL); err != nil {
		return nil, err
	}
	a := &API{auth: o.Auth, baseURL: o.BaseURL, documentation: o.BaseURL + keysGuide, closed: o.Closed, suspended: suspendedKey(o.BaseURL)}
	a.router = newRouter(all)
	a.caches = caches{
		catalog: o.Catalog, router: a.router, baseURL: o.BaseURL, tags: o.Tags, maxBytes: o.Cache,
		handler: a.handler,
	}
	a.compressing.now = o.Now
	a.charger = newCharger(o.Meter, o.Usage, o.Now, o.BaseURL, o.Closed)
	a.changes = o.Changes
	if a.changes == nil {
		a.changes = changes.NewReader(still{o.Catalog}, nil)
	}
	if a.files = o.Files; a.files == nil {
		a.files = export.NewCache(o.Catalog, func(export.File, error) {})
	}
	a.downloads, a.downloadRefused, a.pace = newDownloads(), o.DownloadRefused, newPace(o.Slack)
	if a.downloadRefused == nil {
		a.downloadRefused = func(string) {}
	}
	a.usage = newUsageReports(o.Usage, o.KeyNames, o.Now, o.UsageWait)
	a.errors = make(map[*web.Error]*web.Response)
	for _, e := range append(slices.Clone(a.charger.over), a.suspended) {
		a.errors[e] = respondError(e)
	}
	return a, nil
}

// Prepare caches the most common responses from a snapshot that is about to be served, so that its first requests
// find them cached.
func (a *API) Prepare(s *catalog.Snapshot, t *throttle.Throttle) { a.caches.prepare(s, t) }

// CacheStats returns the bytes and the number of cached responses of the current snapshot.
func (a *API) CacheStats() (bytes, responses int) { return a.caches.current().kept.Stats() }

// Uncompressed returns how many responses were sent uncompressed because of the limit on compressing.
func (a *API) Uncompressed() int64 { return a.compressing.denied.Load() }

// Downloads returns how many files are being downloaded.
func (a *API) Downloads() int { return a.downloads.Len() }

// ServeHTTP implements http.Handler. The whole response comes from the snapshot that is current when it begins.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.caches.current().handler.ServeHTTP(w, r)
}

// WriteError implements web.ErrorWriter for requests that did not reach ServeHTTP.
func (a *API) WriteError(w http.ResponseWriter, r *http.Request, e *web.Error) {
	a.writeError(w, r, a.caches.current(), e)
}

// handler returns a handler that answers requests and errors from one cache.
func (a *API) handler(cache *responseCache) http.Handler {
	return web.Handler(
		func(w http.ResponseWriter, r *http.Request) error { return a.serve(w, r, cache) },
		func(w http.ResponseWriter, r *http.Request, e *web.Error) { a.writeError(w, r, cache, e) })
}

func (a *API) writeError(
	w http.ResponseWriter, r *http.Request, cache *responseCache, e *web.Error,
) {
	response := a.errors[e]
	if response == nil {
		response = respondError(withErrorHelp(e, a.baseURL))
	}
	web.SetFields(w, cache.headers...)
	writeError(w, r, e, response)
}

// isAPIPath reports whether a path belongs to the API.
func isAPIPath(path string) bool { return path == "/api" || strings.HasPrefix(path, "/api/") }

// A request is an HTTP request with its route, its caller's charge and the cache to answer from.
type request struct {
	*http.Request
	w     http.ResponseWriter
	cache *responseCache // to answer from
	route *route
	slug  string
	charge
}

// serve answers a request, or returns the error to answer with.
func (a *API) serve(w http.ResponseWriter, r *http.Request, cache *responseCache) error {
	rt, slug := a.router.find(r.URL)
	r.Pattern = rt.pattern // for the log, the metrics and the trace
	switch {
	case !isAPIPath(r.URL.Path): // no key is checked and nobody is charged
		return noSuchPath(r, "")
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		return a.get(&request{Request: r, w: w, cache: cache, route: rt, slug: slug})
	case r.Method == http.MethodOptions:
		preflight(w, r, cache.source.Snapshot, allowedMethods)
		return nil
	case rt == a.router.notFound:
		return noSuchPath(r, a.router.meant(r.URL.Path))
	default:
		e := web.Errorf(http.StatusMethodNotAllowed,
			"%s is not allowed here: use GET, HEAD or OPTIONS", web.Quote(r.Method))
		e.Header = http.Header{"Allow": {allowedMethods}}
		return e.WithCode(web.CodeMethod)
	}
}

// get answers GET and HEAD: it identifies the caller, finds or makes the response, charges for it once its status is
// known, and writes it.
func (a *API) get(r *request) error {
	err := a.identify(r)
	switch {
	case err != nil:
		return err
	case r.route.keyed && r.caller.Plan == account.Anonymous:
		return withKeyHelp(noKey(a.closed), a.documentation)
	case r.route.usage:
		return a.getUsage(r)
	case r.route.files:
		return a.getFile(r)
	case r.route.changes:
		return a.getChanges(r)
	case !r.route.free && r.exhausted():
		return a.getOverQuota(r)
	}
	var resp *web.Response
	q, err := r.route.query(r.Request, r.slug)
	if err == nil {
		resp, err = r.cache.respond(q)
	}
	return a.answer(r, resp, err, r.route.free)
}

// answer charges for a response or an error, unless it is free. It writes a response, and returns an error for the
// caller to send. A 304 for a tag that the client names is not charged.
func (a *API) answer(r *request, resp *web.Response, err error, free bool) error {
	var choice web.Choice
	if err == nil {
		choice = resp.Choose(r.Header, a.compressing.allow)
	}
	if (err == nil || charged(err)) && !free && choice.Match != web.MatchTag && !r.count() { // a 304 by "*" is charged
		return r.overQuota(r.w)
	}
	r.setHeaders(r.w)
	if err != nil {
		return err
	}
	r.write(resp, choice)
	return nil
}

// charged reports whether an error is charged for.
func charged(err error) bool {
	status := web.AsError(err).Status
	return status == http.StatusNotFound || status == http.StatusGone
}

// identify authenticates the caller and sets r.charge. A request with a bad or a suspended key is charged to its
// address, on free routes too, so that guessing keys is never free.
func (a *API) identify(r *request) error {
	caller, err := a.auth.Authenticate(r.Request)
	r.charge = a.charger.begin(r.w, caller) // to the address, when err is not nil
	if err == nil {
		return nil
	}
	if unverified, ok := errors.AsType[*UnverifiedError](err); ok {
		if r.exhausted() {
			return r.overQuota(r.w)
		}
		if caller, err = unverified.Verify(); err == nil {
			r.charge = a.charger.begin(r.w, caller)
			return nil
		}
	}
	if web.AsError(err).Status == http.StatusUnauthorized && !r.count() {
		return r.overQuota(r.w)
	}
	if errors.Is(err, account.ErrKeySuspended) {
		return a.suspended
	}
	return withKeyHelp(err, a.documentation)
}

// getOverQuota answers a caller whose quota is used up: 304 if the client names the tag of the cached response, else
// 429. It never makes a response.
func (a *API) getOverQuota(r *request) error {
	if tags := r.Header["If-None-Match"]; len(tags) == 0 || negotiate.MatchAnyETag(tags) {
		return r.overQuota(r.w)
	}
	q, err := r.route.query(r.Request, r.slug)
	if err != nil {
		return r.overQuota(r.w)
	}
	resp := r.cache.get(q)
	if resp == nil {
		return r.overQuota(r.w)
	}
	choice := resp.Match(r.Header)
	if choice.Match != web.MatchTag {
		return r.overQuota(r.w)
	}
	r.setHeaders(r.w)
	r.write(resp, choice)
	return nil
}

// getUsage is GET /api/v1/usage.
func (a *API) getUsage(r *request) error {
	resp, err := a.usage.get(r.Context(), r.caller)
	r.setHeaders(r.w)
	if err != nil {
		return err
	}
	r.write(resp, resp.Choose(r.Header, a.compressing.allow))
	return nil
}

// write sends the chosen variant of a response. Shared caches must not store a plain one: it is the end of the change
// log, which the next edition changes.
func (r *request) write(resp *web.Response, choice web.Choice) {
	web.SetFields(r.w, r.cache.headers...)
	if resp.Uncompressed {
		web.SetFields(r.w, cachePrivate)
	} else {
		web.SetFields(r.w, r.caller.cacheControl())
	}
	choice.Write(r.w, r.Request)
}

// getChanges is GET /api/v1/changes. A response without new entries is free and costs as little as a 429, so that
// clients may poll as often as they like. It need not be a 304, because shared caches strip If-None-Match.
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
			r.cache = a.caches.current() // Read may have waited, and the snapshot been swapped
			resp = respondChanges(a.baseURL, p, page)
			addLicense(resp, r.cache.source.Service().License)
			r.cache.source.addTags(resp, q)
			idle = page.Count == 0 && page.Next.String() == p.Since
		}
	}
	switch {
	case errors.Is(err, changes.ErrGone):
		err = errGone()
	case errors.Is(err, limit.ErrShare):
		err = retryLater(web.CodeBusy, "your network or account asks for too many old pages of the change log at once: try again shortly", err)
	case errors.Is(err, changes.ErrBusy):
		err = retryLater(web.CodeBusy, "too many old pages of the change log are being read at the moment: try again shortly", err)
	case errors.Is(err, changes.ErrUnavailable):
		err = retryLater(web.CodeUnavailable, "the change log cannot be read at the moment: try again shortly", err)
	}
	return a.answer(r, resp, err, idle)
}
