// Package lru is a cache in memory that is bounded in bytes: what nobody has asked for the longest makes
// room. Begin at Cache.
//
// It decides neither what is worth keeping nor who makes it: its owners do, each in its own way. package
// api keeps what is asked for twice, package site has one reader make a page while others wait for it,
// and package picture draws one picture at a time.
package lru

import (
	"container/list"
	"sync"
)

// A Cache keeps values by their keys. It is safe for concurrent use. A key is kept as it is: one that is a
// part of a request keeps all of it in memory, unless it is cloned.
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
	again bool // it was asked for since it was put
}

// New makes an empty cache that holds at most so many bytes, and no value of more than maxEntry: one that is
// very large would push out most of the others.
func New[K comparable, V any](maxBytes, maxEntry int) *Cache[K, V] {
	return &Cache[K, V]{maxBytes: maxBytes, maxEntry: min(maxEntry, maxBytes), entries: make(map[K]*list.Element)}
}

// MaxEntry is the size up to which a value is kept.
func (c *Cache[K, V]) MaxEntry() int { return c.maxEntry }

// Get finds a value.
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

// Put keeps a value that takes so many bytes, unless there is one or it is too large.
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

// Popular lists up to n keys that were asked for since their values were put, the last asked for first.
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

// Stats tells how many bytes the values take, and how many there are.
func (c *Cache[K, V]) Stats() (bytes, values int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes, len(c.entries)
}
