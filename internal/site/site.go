package site

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/site/docs"
	"github.com/palmares-hq/palmares/internal/site/picture"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/throttle"
	"github.com/palmares-hq/palmares/internal/web"
)

// A Site answers requests for pages.
type Site struct {
	catalog  Catalog
	about    view.Site // what pages say about this installation
	now      func() time.Time
	maxBytes int            // of cached pages
	pictures *picture.Cache // of all editions: the key of a picture is what it shows
	renders  renders        // limits the pages being made for readers
	searches renders        // limits the pages of search results
	router   router
	renderer *layout.Renderer
	ask      docs.Asker // nil if the node has no API
	headers  []web.Field
	keep     web.Field // Cache-Control of pages
	tags     bool      // pages carry the tags by which a shared cache purges them
	preview  *Preview  // nil for readers
	reports  Reports   // nil if readers cannot report errors
	counted  func(outcome string)
	sends    *limit.Gate // limits the forms that wait for the database
	origin   *http.CrossOriginProtection

	edition     atomic.Pointer[edition]
	rollingOver atomic.Bool // the edition of a new day is being made
	mu          sync.Mutex
	prepared    *edition // of the snapshot that is about to be served
}

// picturesShare is the divisor for the pictures' part of the cache: an eighth holds a few hundred.
const picturesShare = 8

// New returns a site.
func New(o Options) (*Site, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sent == nil {
		o.Sent = func(string) {}
	}
	if o.Cache == 0 {
		o.Cache = 64 << 20
	}
	pictures := o.Cache / picturesShare
	s := &Site{
		catalog: o.Catalog, now: o.Now, maxBytes: o.Cache - pictures, pictures: picture.NewCache(pictures), renders: newRenders(), searches: newSearches(),
		about: view.Site{
			BaseURL: o.BaseURL, Contact: o.Contact, Accounts: o.Accounts, Closed: o.Closed, Checkout: o.Checkout, VAT: o.VAT, Preview: o.Preview != nil,
			Reports: o.Reports != nil,
		},
		reports: o.Reports, counted: o.Sent, sends: limit.NewGate(maxSends), origin: http.NewCrossOriginProtection(),
		ask: o.API.Ask, headers: layout.Headers(o.BaseURL, o.Subdomains), keep: layout.CacheShared, tags: o.Tags, preview: o.Preview,
	}
	if s.preview != nil {
		s.keep = layout.CacheAsk
	}
	guides, err := docs.NewGuides(o.Preview.sampleKey())
	if err != nil {
		return nil, err
	}
	reference, err := docs.NewReference(o.API, o.Preview.sampleKey())
	if err != nil {
		return nil, err
	}
	s.router = newRouter(routes(o, guides, reference))
	s.renderer, err = newRenderer()
	return s, err
}

// Prepare makes the edition of a snapshot that is about to be served, and warms its cache, so that no reader waits for
// either. It lets t pause it between steps of the work.
func (s *Site) Prepare(snapshot *catalog.Snapshot, t *throttle.Throttle) {
	e := s.makeEdition(snapshot, t)
	s.warm(e, t)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prepared = e
}

func (s *Site) makeEdition(snapshot *catalog.Snapshot, t *throttle.Throttle) *edition {
	return newEdition(snapshot, catalog.DateOf(s.now()), newCache(s.maxBytes), t)
}

// current returns the edition to answer from. No request waits for a new day's edition: yesterday's is served until the
// new one is ready. A request does wait for the edition of a snapshot that was not prepared.
func (s *Site) current() *edition {
	snapshot := s.catalog.Current()
	if e := s.edition.Load(); e != nil && e.snapshot == snapshot {
		if e.figures.Today != catalog.DateOf(s.now()) && s.rollingOver.CompareAndSwap(false, true) {
			go s.rollOver(e)
		}
		return e
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	snapshot = s.catalog.Current() // it may have been swapped meanwhile: do not return to the old one
	if e := s.edition.Load(); e != nil && e.snapshot == snapshot {
		return e
	}
	e := s.prepared
	if e == nil || e.snapshot != snapshot {
		e = s.makeEdition(snapshot, nil) // a reader waits
	}
	if e == s.prepared {
		s.prepared = nil
	}
	s.edition.Store(e)
	return e
}

// rollOver makes the edition of a new day, and drops it if the snapshot has been swapped meanwhile.
func (s *Site) rollOver(yesterday *edition) {
	defer s.rollingOver.Store(false)
	e := s.makeEdition(yesterday.snapshot, nil) // this is once a day
	s.warm(e, nil)
	s.edition.CompareAndSwap(yesterday, e)
}

// maxWarm is the most pages that are made before an edition is served: some 100 ms of work.
const maxWarm = 24

// warm fills the cache of a new edition with the pages that readers of the last one requested most recently, so that
// nobody waits for them.
func (s *Site) warm(e *edition, t *throttle.Throttle) {
	last := s.edition.Load()
	if last == nil || s.preview != nil {
		return
	}
	for _, k := range last.cache.pages.Popular(maxWarm) {
		if k.route == busyRoute || k.route == fullRoute || k.route == limitedRoute {
			continue // no reader asks for it
		}
		s.warmPage(e, k, t)
		t.Pause()
	}
}

// warmPage makes a page and caches it. It ignores errors and panics: the next request for the page meets and reports
// them.
func (s *Site) warmPage(e *edition, k key, t *throttle.Throttle) {
	defer func() { _ = recover() }()
	q := &request{edition: e, route: k.route, lang: k.lang, slug: k.slug, params: k.params, throttle: t}
	_, _ = e.cache.get(context.Background(), k, atOnce, func() (*web.Response, error) { return s.make(q) })
}

// CacheStats returns the size in bytes and the number of the cached pages and pictures.
func (s *Site) CacheStats() (bytes, pages int) {
	bytes, pages = s.current().cache.pages.Stats()
	more, pictures := s.pictures.Stats()
	return bytes + more, pages + pictures
}

// RenderStats returns how many pages are being made, how many readers wait for a slot, and how many were refused so
// far.
func (s *Site) RenderStats() (running, waiting int, refused int64) { return s.renders.Stats() }

// SearchStats returns the same for pages of search results.
func (s *Site) SearchStats() (running, waiting int, refused int64) { return s.searches.Stats() }
