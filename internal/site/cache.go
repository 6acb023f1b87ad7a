package site

import (
	"container/list"
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
)

// A key says which page: requests for the same page have equal keys, however they are written.
type key struct {
	kind   *kind
	lang   locale.Language
	slug   string
	params any // comparable
}

// busyKind stands in the cache for the page that says that a network asks for too much.
var busyKind = &kind{name: "busy"}

// A cache holds the pages of one edition on one day, bounded in bytes. However many ask for a
// page, it is made once. It goes with its edition, so nothing in it is ever out of date.
type cache struct {
	maxBytes int

	mu      sync.Mutex
	entries map[key]*entry
	used    list.List // of the entries that are kept, the least recently used first
	bytes   int
}

type entry struct {
	key   key
	done  chan struct{} // closed when page or err is there
	page  *layout.Page
	err   error
	size  int
	at    *list.Element // nil while it is being made
	again bool          // it was asked for more than once
}

func newCache(maxBytes int) *cache {
	return &cache{maxBytes: maxBytes, entries: make(map[key]*entry)}
}

// errNotMade is what is left when making a page panicked.
var errNotMade = errors.New("the page was not made")

// get finds a page or makes it. Those who wait for their turn hold up nobody: whoever has his turn
// first makes the page, and the others find it. Errors are given to all who wait for the page, and
// then forgotten: whoever asks for pages that do not exist must not fill the memory.
func (c *cache) get(ctx context.Context, k key, wait turn, render func() (*layout.Page, error)) (*layout.Page, error) {
	for {
		e := c.find(k)
		if e == nil {
			leave, err := wait(ctx)
			if err != nil {
				return nil, err
			}
			var found bool
			if e, found = c.entry(k); !found {
				return c.fill(e, leave, render)
			}
			leave()
		}
		select {
		case <-e.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if !errors.Is(e.err, errNotMade) {
			return e.page, e.err
		}
	}
}

// find finds the entry of a key; nil if there is none.
func (c *cache) find(k key) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.use(k)
}

// entry finds the entry of a key, or adds one that the caller must fill.
func (c *cache) entry(k key) (_ *entry, found bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.use(k); e != nil {
		return e, true
	}
	k.slug = strings.Clone(k.slug) // a part of the request would keep all of it in memory
	e := &entry{key: k, done: make(chan struct{})}
	c.entries[k] = e
	return e, false
}

func (c *cache) use(k key) *entry {
	e := c.entries[k]
	if e == nil {
		return nil
	}
	e.again = true
	if e.at != nil {
		c.used.MoveToBack(e.at)
	}
	return e
}

// fill makes the page of an entry and keeps it.
func (c *cache) fill(e *entry, leave func(), render func() (*layout.Page, error)) (*layout.Page, error) {
	e.err = errNotMade // stays when render panics
	defer func() {
		leave()
		c.keep(e)
		close(e.done)
	}()
	e.page, e.err = render()
	return e.page, e.err
}

// keep adds a page that was made, and makes room for it.
func (c *cache) keep(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.err == nil {
		e.size = e.page.Size()
	}
	if e.err != nil || e.size > c.maxBytes/16 {
		delete(c.entries, e.key)
		return
	}
	e.at = c.used.PushBack(e)
	c.bytes += e.size
	for c.bytes > c.maxBytes {
		oldest, _ := c.used.Remove(c.used.Front()).(*entry)
		delete(c.entries, oldest.key)
		c.bytes -= oldest.size
	}
}

// popular lists pages that were asked for more than once, up to n, the last asked for first.
func (c *cache) popular(n int) (keys []key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at := c.used.Back(); at != nil && len(keys) < n; at = at.Prev() {
		if e, ok := at.Value.(*entry); ok && e.again {
			keys = append(keys, e.key)
		}
	}
	return keys
}

func (c *cache) stats() (bytes, pages int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes, c.used.Len()
}
