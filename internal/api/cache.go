package api

import (
	"container/list"
	"hash/maphash"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/palmares-hq/palmares/internal/web"
)

// A responseCache makes responses from one snapshot and caches them, bounded in bytes. It goes
// with its snapshot, so nothing in it is ever out of date. The response that has been there
// longest without being used makes room (the second-chance algorithm).
type responseCache struct {
	source   source
	headers  []web.Field  // of every response, errors included
	handler  http.Handler // answers requests from this cache
	maxBytes int          // 0 caches nothing
	seen     *seenTable

	mu      sync.RWMutex
	entries map[query]*cacheEntry
	queue   list.List // of the entries, oldest first
	bytes   int
}

type cacheEntry struct {
	query    query
	response *response
	size     int
	used     atomic.Bool
}

func newResponseCache(s source, maxBytes int) *responseCache {
	c := &responseCache{source: s, headers: commonHeaders(s.Snapshot, vary), maxBytes: maxBytes}
	if maxBytes > 0 {
		c.entries, c.seen = make(map[query]*cacheEntry), new(seenTable)
	}
	return c
}

// respond finds a response or makes it. The second request for a response caches it in every
// encoding. One request is not worth that: a client that asks for a million different pages must
// not fill the memory.
func (c *responseCache) respond(q query) (*response, error) {
	if c.source.Edition().Number == 0 && !q.route.always {
		return nil, retryLater("no catalog is loaded yet: try again in a moment", nil)
	}
	if r := c.get(q); r != nil {
		return r, nil
	}
	r, err := q.route.respond(c.source, q)
	if err != nil {
		return nil, err
	}
	if !r.empty && 2*len(r.document.Body) < c.maxEntry() {
		hash := hashOf(q)
		if c.seen.claim(hash) {
			c.put(q, r)
			c.seen.release(hash)
		}
	}
	return r, nil
}

// get returns the cached response; nil when there is none.
func (c *responseCache) get(q query) *response {
	c.mu.RLock()
	e := c.entries[q]
	c.mu.RUnlock()
	if e == nil {
		return nil
	}
	e.used.Store(true)
	return e.response
}

// put compresses a response and caches it, unless it is too large.
func (c *responseCache) put(q query, r *response) {
	r.compress()
	q.slug = strings.Clone(q.slug) // a part of the request would keep all of it in memory
	e := &cacheEntry{query: q, response: r, size: r.size()}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.size > c.maxEntry() || c.entries[q] != nil {
		return
	}
	for c.bytes+e.size > c.maxBytes {
		c.evict()
	}
	c.entries[q] = e
	c.queue.PushBack(e)
	c.bytes += e.size
}

// maxEntry keeps one response from pushing out most of the others.
func (c *responseCache) maxEntry() int { return c.maxBytes / 16 }

// evict removes the oldest entry that was not used since it was last the oldest.
func (c *responseCache) evict() {
	for {
		oldest := c.queue.Front()
		e, _ := oldest.Value.(*cacheEntry)
		if e.used.Swap(false) {
			c.queue.MoveToBack(oldest)
			continue
		}
		c.queue.Remove(oldest)
		delete(c.entries, e.query)
		c.bytes -= e.size
		return
	}
}

func (c *responseCache) stats() (bytes, responses int) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.bytes, len(c.entries)
}

// A seenTable remembers the queries that were asked for lately, by their hashes, in a fixed
// amount of memory. Two hashes that meet in one slot forget each other.
type seenTable [1 << 15]atomic.Uint64

var hashSeed = maphash.MakeSeed()

func hashOf(q query) uint64 { return maphash.Comparable(hashSeed, q) }

// claim notes that a query was asked for, and reports whether the caller is to cache its
// response: the second one to ask, and not several at a time.
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

// release ends a claim. Once evicted, the response is cached again when it is next asked for.
func (t *seenTable) release(hash uint64) {
	t[hash%uint64(len(t))].CompareAndSwap(^hash, hash)
}
