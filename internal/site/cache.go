package site

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/lru"
	"github.com/palmares-hq/palmares/internal/web"
)

// A key says which page: requests for the same page have equal keys, however they are written.
type key struct {
	route  *route
	lang   locale.Language
	slug   string
	params any // comparable
}

// size is how many bytes of text the parameters keep.
func (k key) size() int {
	if p, ok := k.params.(interface{ Size() int }); ok {
		return p.Size()
	}
	return 0
}

// busyRoute stands in the cache for the page that says that a network asks for too much, fullRoute for the one that says
// that all of them do, and limitedRoute for the one that says that too many forms were sent.
var (
	busyRoute    = &route{address: address.Page{Name: "busy"}}
	fullRoute    = &route{address: address.Page{Name: "full"}}
	limitedRoute = &route{address: address.Page{Name: "limited"}}
)

// A cache holds the pages of one edition on one day. However many ask for a page, it is made once. It goes
// with its edition, so nothing in it is ever out of date.
type cache struct {
	pages *lru.Cache[key, *web.Response]

	mu     sync.Mutex
	making map[key]*making
}

// making is a page that is being made.
type making struct {
	done chan struct{} // closed when page or err is there
	page *web.Response
	err  error
}

// largestShare is which part of a cache one page may take.
const largestShare = 16

func newCache(maxBytes int) *cache {
	return &cache{pages: lru.New[key, *web.Response](maxBytes, maxBytes/largestShare), making: make(map[key]*making)}
}

// errNotMade is what is left when making a page panicked.
var errNotMade = errors.New("the page was not made")

// get finds a page or makes it. Those who wait for a slot hold up nobody: whoever gets one
// first makes the page, and the others find it. Errors are given to all who wait for the page, and
// then forgotten: whoever asks for pages that do not exist must not fill the memory.
func (c *cache) get(ctx context.Context, k key, wait slot, render func() (*web.Response, error)) (*web.Response, error) {
	for {
		page, m := c.find(k)
		if page != nil {
			return page, nil
		}
		if m == nil {
			leave, err := wait(ctx)
			if err != nil {
				return nil, err
			}
			var mine bool
			if page, m, mine = c.begin(k); mine {
				return c.fill(k, m, leave, render)
			}
			leave()
			if page != nil {
				return page, nil
			}
		}
		select {
		case <-m.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if !errors.Is(m.err, errNotMade) {
			return m.page, m.err
		}
	}
}

// find finds a page, or who is making it.
func (c *cache) find(k key) (*web.Response, *making) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m := c.making[k]; m != nil {
		return nil, m
	}
	page, _ := c.pages.Get(k)
	return page, nil
}

// begin finds a page or who is making it, or makes it the caller's to make.
func (c *cache) begin(k key) (page *web.Response, m *making, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m := c.making[k]; m != nil {
		return nil, m, false
	}
	if page, ok := c.pages.Get(k); ok {
		return page, nil, false
	}
	m = &making{done: make(chan struct{}), err: errNotMade} // which stays when render panics
	c.making[k] = m
	return nil, m, true
}

// fill makes a page and keeps it.
func (c *cache) fill(k key, m *making, leave func(), render func() (*web.Response, error)) (*web.Response, error) {
	defer func() {
		leave()
		c.mu.Lock()
		delete(c.making, k)
		if m.err == nil {
			k.slug = strings.Clone(k.slug) // a part of the request would keep all of it in memory
			c.pages.Put(k, m.page, m.page.Size()+k.size())
		}
		c.mu.Unlock()
		close(m.done)
	}()
	m.page, m.err = render()
	return m.page, m.err
}
