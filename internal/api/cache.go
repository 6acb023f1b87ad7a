package api

import (
	"hash/maphash"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/palmares-hq/palmares/internal/lru"
	"github.com/palmares-hq/palmares/internal/web"
)

// A responseCache makes responses from one snapshot and keeps them. It goes with its snapshot, so nothing
// in it is ever out of date.
type responseCache struct {
	source  source
	headers []web.Field  // of every response, errors included
	handler http.Handler // answers requests from this cache
	kept    *lru.Cache[query, *web.Response]
	seen    *seenTable
}

// largestShare is which part of a cache one response may take.
const largestShare = 16

// newResponseCache makes a cache of so many bytes; one of 0 keeps nothing.
func newResponseCache(s source, maxBytes int) *responseCache {
	c := &responseCache{source: s, headers: commonHeaders(s.Snapshot, vary), kept: lru.New[query, *web.Response](maxBytes, maxBytes/largestShare)}
	if maxBytes > 0 {
		c.seen = new(seenTable)
	}
	return c
}

// respond finds a response or makes it. The second request for a response caches it in every
// encoding. One request is not worth that: a client that asks for a million different pages must
// not fill the memory.
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

// addTags adds what the response to a query shows, where a cache wants to know.
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
	q.slug = strings.Clone(q.slug) // a part of the request would keep all of it in memory
	c.kept.Put(q, r, r.Size()+q.size())
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
