package api

import (
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// Catalog gives the snapshot to answer from.
type Catalog interface {
	Current() *catalog.Snapshot
}

// still is a catalog whose swaps nobody waits for.
type still struct{ Catalog }

func (still) Swapped() <-chan struct{} { return nil }

// caches holds the response cache of the current snapshot, and of the one that comes next.
type caches struct {
	catalog  Catalog
	router   router
	baseURL  string
	tags     bool
	maxBytes int                               // of each cache
	handler  func(*responseCache) http.Handler // answers requests from a cache

	now  atomic.Pointer[responseCache]
	mu   sync.Mutex
	next *responseCache // of a snapshot that is about to be served
}

// current returns the cache of the current snapshot.
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
		// The snapshot was swapped meanwhile. This request ends with the one it began with,
		// and must not bring its cache back.
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

// prepare makes the cache of a snapshot that is about to be served, with the most common
// responses in it.
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
