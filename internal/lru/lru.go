// Package lru is an in-memory cache bounded in bytes, which evicts the least recently used values.
// Begin at Cache.
//
// Its users decide what is worth caching and who makes it: package api caches what is requested
// twice, package site has one reader make a page while others wait for it, and package picture draws
// one picture at a time.
package lru

import (
	"container/list"
	"sync"
)

// A Cache stores values by key. It is safe for concurrent use. It stores keys as they are: clone
// one that is a part of a request, or it keeps the whole request in memory.
type Cache[K comparable, V any] struct {
	maxBytes, maxEntry int

	mu      sync.Mutex
	entries map[K]*list.Element
	recent  list.List // of *entry[K, V], the last used first
	bytes   int
}

type entry[K comparable, V any] struct {
	key   K
	value V
	size  int
	again bool // asked for since it was stored
}

// New returns an empty cache that holds at most maxBytes, and no value of more than maxEntry: a
// very large one would push out most of the others.
func New[K comparable, V any](maxBytes, maxEntry int) *Cache[K, V] {
	return &Cache[K, V]{maxBytes: maxBytes, maxEntry: min(maxEntry, maxBytes), entries: make(map[K]*list.Element)}
}

// MaxEntry returns the largest size of a value.
func (c *Cache[K, V]) MaxEntry() int { return c.maxEntry }

// Get returns a value, and marks it as used.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.entries[key]
	if at == nil {
		return value, false
	}
	c.recent.MoveToFront(at)
	e, _ := at.Value.(*entry[K, V])
	e.again = true
	return e.value, true
}

// Put stores a value of the given size, unless the key has one or it is too large.
func (c *Cache[K, V]) Put(key K, value V, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if size > c.maxEntry || c.entries[key] != nil {
		return
	}
	for c.bytes+size > c.maxBytes {
		last, _ := c.recent.Remove(c.recent.Back()).(*entry[K, V])
		delete(c.entries, last.key)
		c.bytes -= last.size
	}
	c.entries[key] = c.recent.PushFront(&entry[K, V]{key: key, value: value, size: size})
	c.bytes += size
}

// Popular lists at most n keys that were asked for since their values were stored, the most recent
// first.
func (c *Cache[K, V]) Popular(n int) (keys []K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at := c.recent.Front(); at != nil && len(keys) < n; at = at.Next() {
		if e, ok := at.Value.(*entry[K, V]); ok && e.again {
			keys = append(keys, e.key)
		}
	}
	return keys
}

// Stats returns the size of all values, and their number.
func (c *Cache[K, V]) Stats() (bytes, values int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes, len(c.entries)
}
