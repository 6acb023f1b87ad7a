package api

import (
	"hash/maphash"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/lru"
	"github.com/palmares-hq/palmares/internal/throttle"
	"github.com/palmares-hq/palmares/internal/web"
)

// A responseCache makes the responses of one snapshot and keeps them. It is dropped with its snapshot, so nothing in
// it is ever out of date.
type responseCache struct {
	source  source
	headers []web.Field  // of every response, errors included
	handler http.Handler // answers requests from this cache
	kept    *lru.Cache[query, *web.Response]
	seen    *seenTable
}

// largestShare is the fraction of a cache that one response may take at most: 1/largestShare.
const largestShare = 16

// newResponseCache returns a cache of at most maxBytes; with 0 it keeps nothing.
func newResponseCache(s source, maxBytes int) *responseCache {
	c := &responseCache{source: s, headers: commonHeaders(s.Snapshot, vary), kept: lru.New[query, *web.Response](maxBytes, maxBytes/largestShare)}
	if maxBytes > 0 {
		c.seen = new(seenTable)
	}
	return c
}

// respond returns a response from the cache or makes it. A response is cached, in every encoding, on the second
// request for it, so that a client that asks for a million different pages cannot fill the cache.
func (c *responseCache) respond(q query) (*web.Response, error) {
	if c.source.Edition().Number == 0 && !q.route.always {
		return nil, notLoaded()
	}
	if r := c.get(q); r != nil {
		return r, nil
	}
	r, err := c.source.make(q)
	if err != nil {
		return nil, err
	}
	if !r.Passing && 2*r.BodySize() < c.kept.MaxEntry() {
		hash := hashOf(q)
		if c.seen.claim(hash) {
			c.put(q, r)
			c.seen.release(hash)
		}
	}
	return r, nil
}

// make makes the response to a query, with the licence of the data and, on some routes, the cursor.
func (s source) make(q query) (*web.Response, error) {
	r, err := q.route.respond(s, q)
	if err != nil {
		return nil, err
	}
	if q.route.cursor {
		s.addCursor(r)
	}
	if s.Edition().Number > 0 {
		addLicense(r, s.Service().License)
	}
	s.addTags(r, q)
	return r, nil
}

// addTags adds the tags that a shared cache purges by, if there is one.
func (s source) addTags(r *web.Response, q query) {
	if s.tags {
		r.Fields = slices.Concat(r.Fields, web.TagFields(q.route.tags(q.slug)))
	}
}

// get returns the cached response; nil when there is none.
func (c *responseCache) get(q query) *web.Response {
	r, _ := c.kept.Get(q)
	return r
}

// put compresses a response and caches it, unless it is too large.
func (c *responseCache) put(q query, r *web.Response) {
	r.Compress()
	q.slug = strings.Clone(q.slug) // a substring would keep the whole request in memory
	c.kept.Put(q, r, r.Size()+q.size())
}

// A seenTable remembers the hashes of recent queries in a fixed amount of memory. Two hashes that share a slot evict
// each other.
type seenTable [1 << 15]atomic.Uint64

var hashSeed = maphash.MakeSeed()

func hashOf(q query) uint64 { return maphash.Comparable(hashSeed, q) }

// claim records a request for a query and reports whether the caller must cache the response: from the second request
// on, and only one caller at a time.
func (t *seenTable) claim(hash uint64) bool {
	slot := &t[hash%uint64(len(t))]
	switch last := slot.Load(); last {
	case hash:
		return slot.CompareAndSwap(hash, ^hash)
	case ^hash: // another request is caching it
	default:
		slot.CompareAndSwap(last, hash)
	}
	return false
}

// release ends a claim. A response that was evicted is cached again when it is next asked for.
func (t *seenTable) release(hash uint64) {
	t[hash%uint64(len(t))].CompareAndSwap(^hash, hash)
}

// A Catalog returns the snapshot to answer from.
type Catalog interface {
	Current() *catalog.Snapshot
}

// still is a Catalog that never reports a swap.
type still struct{ Catalog }

func (still) Swapped() <-chan struct{} { return nil }

// caches holds the response caches of the current snapshot and of the next one.
type caches struct {
	catalog  Catalog
	router   router
	baseURL  string
	tags     bool
	maxBytes int                               // of each cache
	handler  func(*responseCache) http.Handler // answers requests from a cache

	now  atomic.Pointer[responseCache]
	mu   sync.Mutex
	next *responseCache // of the snapshot that is about to be served
}

// current returns the cache of the current snapshot, and makes it if the snapshot was not prepared.
func (c *caches) current() *responseCache {
	s := c.catalog.Current()
	if cache := c.now.Load(); cache != nil && cache.source.Snapshot == s {
		return cache
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now.Load()
	if now != nil && now.source.Snapshot == s {
		return now
	}
	if c.catalog.Current() != s {
		// The snapshot was swapped meanwhile. This request ends with the one it began with, without a cache.
		return c.make(s, 0)
	}
	cache := c.next
	if cache == nil || cache.source.Snapshot != s {
		cache = c.make(s, c.maxBytes)
	}
	if cache == c.next || now != nil {
		c.next = nil
	}
	c.now.Store(cache)
	return cache
}

func (c *caches) make(s *catalog.Snapshot, maxBytes int) *responseCache {
	cache := newResponseCache(newSource(s, c.baseURL, c.tags), maxBytes)
	cache.handler = c.handler(cache)
	return cache
}

// prepare makes the cache of a snapshot that is about to be served, with the most common responses in it.
func (c *caches) prepare(s *catalog.Snapshot, t *throttle.Throttle) {
	cache := c.make(s, c.maxBytes)
	for _, q := range c.router.common(s) {
		if r, err := cache.source.make(q); err == nil {
			cache.put(q, r)
		}
		t.Pause()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next = cache
}
