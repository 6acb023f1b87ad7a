package site

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/guide"
	"github.com/palmares-hq/palmares/internal/site/picture"
	"github.com/palmares-hq/palmares/internal/site/reference"
	"github.com/palmares-hq/palmares/internal/web"
)

// Catalog gives the snapshot to answer from.
type Catalog interface {
	Current() *catalog.Snapshot
}

// Options say what the site stands on. Catalog and API are required.
type Options struct {
	Catalog Catalog
	API     API              // what the reference says of the API
	BaseURL string           // the site's own address, without a slash at its end; "" is the catalog's
	Contact string           // the e-mail address that errors are reported to; "" names none
	Now     func() time.Time // time.Now when nil
	Cache   int              // bytes of cached pages and pictures, 64 MiB when 0
	Preview *Preview         // what editors see of their files; nil for readers
	Account *AccountPaths    // the account pages; nil where there are none
	Privacy Privacy          // what the page about privacy says of the program
	Status  Status           // what the page about the status says of the node
	// Closed says that nobody can sign up: the operator creates accounts.
	Closed bool
	// Checkout says that Pro is bought on the account pages. Without it the operator sets plans.
	Checkout bool
	// Subdomains says that every name below that of BaseURL has https, too.
	Subdomains bool
}

// A Site answers requests for pages.
type Site struct {
	catalog   Catalog
	baseURL   string
	contact   string
	now       func() time.Time
	maxBytes  int            // of cached pages
	pictures  *picture.Cache // of all editions: what a picture shows is its key
	renders   renders        // of all that is made for readers
	router    router
	renderer  *layout.Renderer
	guides    *guide.Library
	reference *reference.Library
	api       API
	headers   []web.Field
	keep      web.Field // Cache-Control of pages
	preview   *Preview  // nil for readers
	account   *AccountPaths
	checkout  bool
	closed    bool
	privacy   Privacy
	latency   *web.Latency // of the API; nil where the node has none
	lag       lagWatch

	edition  atomic.Pointer[edition]
	turning  atomic.Bool // the edition of a new day is being made
	mu       sync.Mutex
	prepared *edition // of a snapshot that is about to be served
}

// picturesShare is which part of the cache is for pictures: an eighth holds some hundreds.
const picturesShare = 8

// New makes the site.
func New(o Options) (*Site, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Cache == 0 {
		o.Cache = 64 << 20
	}
	pictures := o.Cache / picturesShare
	s := &Site{
		catalog: o.Catalog, baseURL: o.BaseURL, contact: o.Contact, now: o.Now, maxBytes: o.Cache - pictures,
		pictures: picture.NewCache(pictures),
		renders:  newRenders(),
		router:   newRouter(kinds()), headers: layout.Headers(o.BaseURL, o.Subdomains), keep: layout.CacheShared,
		api: o.API, preview: o.Preview, account: o.Account, checkout: o.Checkout, closed: o.Closed, privacy: o.Privacy, latency: o.Status.API,
		lag: lagWatch{ask: o.Status.WebhookLag, now: o.Now},
	}
	if s.preview != nil {
		s.keep = layout.CacheAsk
	}
	var err error
	if s.guides, err = loadGuides(); err != nil {
		return nil, err
	}
	if s.reference, err = reference.Load(o.API.Contract, o.API.French); err != nil {
		return nil, err
	}
	s.renderer, err = newRenderer(s.router)
	return s, err
}

// Prepare makes ready what pages need of a snapshot that is about to be served. It calls rest between
// steps of its work.
func (s *Site) Prepare(snapshot *catalog.Snapshot, rest func()) {
	e := s.makeEdition(snapshot, rest)
	s.warm(e, rest)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prepared = e
}

func (s *Site) makeEdition(snapshot *catalog.Snapshot, rest func()) *edition {
	return newEdition(snapshot, catalog.DateOf(s.now()), newCache(s.maxBytes), rest)
}

// current is the edition to answer from. No request waits for the edition of a new day: yesterday's
// is served until it is made.
func (s *Site) current() *edition {
	snapshot := s.catalog.Current()
	if e := s.edition.Load(); e != nil && e.Snapshot == snapshot {
		if e.today != catalog.DateOf(s.now()) && s.turning.CompareAndSwap(false, true) {
			go s.turn(e)
		}
		return e
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	snapshot = s.catalog.Current() // it may have been swapped meanwhile, and must not come back
	if e := s.edition.Load(); e != nil && e.Snapshot == snapshot {
		return e
	}
	e := s.prepared
	if e == nil || e.Snapshot != snapshot {
		e = s.makeEdition(snapshot, func() {}) // somebody waits
	}
	if e == s.prepared {
		s.prepared = nil
	}
	s.edition.Store(e)
	return e
}

// turn makes the edition of a new day, unless the snapshot has changed meanwhile.
func (s *Site) turn(yesterday *edition) {
	defer s.turning.Store(false)
	noRest := func() {} // this is once a day
	e := s.makeEdition(yesterday.Snapshot, noRest)
	s.warm(e, noRest)
	s.edition.CompareAndSwap(yesterday, e)
}

// maxWarm is how many pages are made before an edition is served: some 100 ms of work at most.
const maxWarm = 24

// warm makes the pages that readers asked the last edition for most recently, so that nobody waits
// for them when this one is served.
func (s *Site) warm(e *edition, rest func()) {
	last := s.edition.Load()
	if last == nil || s.preview != nil {
		return
	}
	for _, k := range last.cache.kept.Popular(maxWarm) {
		if k.kind == busyKind {
			continue // nobody asks for it
		}
		s.warmPage(e, k, rest)
		rest()
	}
}

// warmPage makes a page. What is wrong with it, be it a panic, is found again and reported by whoever
// asks for it.
func (s *Site) warmPage(e *edition, k key, rest func()) {
	defer func() { _ = recover() }()
	r := s.request(e, k.lang)
	r.kind, r.slug, r.params, r.rest = k.kind, k.slug, k.params, rest
	_, _ = e.cache.get(context.Background(), k, atOnce, func() (*web.Response, error) { return s.makePage(r) })
}

// CacheStats tells how many pages and pictures are cached and how many bytes they take.
func (s *Site) CacheStats() (bytes, pages int) {
	bytes, pages = s.current().cache.kept.Stats()
	more, pictures := s.pictures.Stats()
	return bytes + more, pages + pictures
}

// RenderStats tell how many pages are being made, how many readers wait for their turn, and how many
// have waited in vain so far.
func (s *Site) RenderStats() (running, waiting int, refused int64) { return s.renders.Stats() }

// page gives the page that a request asks for. A preview makes it anew each time: faults and drafts
// change without an edition.
func (s *Site) page(ctx context.Context, r *request) (*web.Response, error) {
	if r.kind.card != nil {
		return s.drawn(ctx, r)
	}
	if r.files != nil || r.kind.live {
		leave, err := s.renders.of(r.client)(ctx)
		if err != nil {
			return nil, err
		}
		defer leave()
		return s.makePage(r)
	}
	return r.cache.get(ctx, key{r.kind, r.Language, r.slug, r.params}, s.renders.of(r.client), func() (*web.Response, error) {
		return s.makePage(r)
	})
}

func (s *Site) request(e *edition, l locale.Language) *request {
	return &request{
		edition: e, writer: writer{s.renderer.Writer(l)}, router: s.router, baseURL: s.baseURL,
		contact: s.contact, account: s.account, checkout: s.checkout, closed: s.closed, privacy: s.privacy, guides: s.guides,
		reference: s.reference, api: &s.api,
		files: s.preview.current(), rest: func() {},
	}
}

// makePage makes the page that a request asks for.
func (s *Site) makePage(r *request) (*web.Response, error) {
	if r.kind.raw != nil {
		return makeRaw(r)
	}
	d, err := r.kind.view(r)
	if err != nil {
		return nil, err
	}
	if d.Redirect != "" {
		p := layout.HTML(d.status(), nil)
		p.Fields = []web.Field{web.NewField("Location", d.Redirect)}
		return p, nil
	}
	html, err := s.renderer.RenderPaced(r.kind.template, r.frame(d), r.rest)
	if err != nil {
		return nil, err
	}
	p := layout.HTML(d.status(), html)
	if links := linkHeader(d); links != "" {
		p.Fields = []web.Field{web.NewField("Link", links)}
	}
	if !r.kind.live {
		p.Compress()
	}
	return p, nil
}

// makeRaw makes a page that is no HTML.
func makeRaw(r *request) (*web.Response, error) {
	contentType, body, err := r.kind.raw(r)
	if err != nil {
		return nil, err
	}
	p := web.NewResponse(http.StatusOK, contentType, web.TagOf(body), body, rawHeaders...).Compress()
	if len(body) > maxPlain {
		p.Pack()
	}
	return p, nil
}

// maxPlain is the size up to which a body is kept as it is, beside its compressed forms. A larger one,
// which is a file of a sitemap, would take the place of a hundred pages, and whoever reads such files
// takes them compressed.
const maxPlain = 1 << 20

const pngType = "image/png"

// drawn is a picture, from a cache of its own. Those who wait for their turn to draw hold up nobody
// who waits for a page.
func (s *Site) drawn(ctx context.Context, r *request) (*web.Response, error) {
	card, err := r.kind.card(r)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%#v", card)
	image := s.pictures.Find(name)
	if image == nil {
		leave, err := s.renders.of(r.client)(ctx)
		if err != nil {
			return nil, err
		}
		defer leave()
		if image, err = s.pictures.Get(ctx, name, card.Draw); err != nil {
			return nil, err
		}
	}
	return web.NewResponse(http.StatusOK, pngType, web.TagOf(image), image, layout.AnyOrigin), nil
}

// linkHeader names the call of the API that gives the same data, and the page as Markdown (RFC 8288).
func linkHeader(d *document) string {
	var links []string
	if len(d.API) > 0 {
		links = append(links, "<"+d.API[0]+`>; rel="alternate"; type="application/json"`)
	}
	if d.Markdown != "" {
		links = append(links, "<"+d.Markdown+`>; rel="alternate"; type="text/markdown"`)
	}
	return strings.Join(links, ", ")
}
