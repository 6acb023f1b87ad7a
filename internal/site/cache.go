package site

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/figures"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/lru"
	"github.com/palmares-hq/palmares/internal/throttle"
	"github.com/palmares-hq/palmares/internal/web"
)

// A key identifies a page in the cache. Requests for the same page have equal keys, however their query strings are
// written.
type key struct {
	route  *route
	lang   locale.Language
	slug   string
	params any // comparable
}

// size returns the bytes of text that the parameters keep.
func (k key) size() int {
	if p, ok := k.params.(interface{ Size() int }); ok {
		return p.Size()
	}
	return 0
}

// busyRoute, fullRoute and limitedRoute are cache keys for error pages: one network requests too much, all networks
// together do, and too many forms were sent. They have no path.
var (
	busyRoute    = &route{address: address.Page{Name: "busy"}}
	fullRoute    = &route{address: address.Page{Name: "full"}}
	limitedRoute = &route{address: address.Page{Name: "limited"}}
)

// A cache holds the pages of one edition on one day. It makes each page once, however many ask for it. It is dropped
// with its edition, so nothing in it is ever out of date.
type cache struct {
	pages *lru.Cache[key, *web.Response]

	mu     sync.Mutex
	making map[key]*making
}

// making is a page that is being made.
type making struct {
	done chan struct{} // closed when page and err are set
	page *web.Response
	err  error
}

// largestShare bounds one page: it may take 1/largestShare of the cache at most.
const largestShare = 16

func newCache(maxBytes int) *cache {
	return &cache{pages: lru.New[key, *web.Response](maxBytes, maxBytes/largestShare), making: make(map[key]*making)}
}

// errNotMade is the error of a page when making it panicked.
var errNotMade = errors.New("the page was not made")

// get returns a page from the cache, or makes it in a slot. Until somebody makes the page, each caller waits for a slot
// of its own, so that none is held up by another's wait; the first to get one makes the page, and the others receive
// it, or its error. An error is not cached: requests for pages that do not exist must not fill the memory.
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

// find returns the page if it is cached, or the making of it if it is under way; otherwise both are nil.
func (c *cache) find(k key) (*web.Response, *making) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m := c.making[k]; m != nil {
		return nil, m
	}
	page, _ := c.pages.Get(k)
	return page, nil
}

// begin returns the page if it is cached, or else the making of it. If mine is set, no other caller makes the page, and
// this one must call fill.
func (c *cache) begin(k key) (page *web.Response, m *making, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m := c.making[k]; m != nil {
		return nil, m, false
	}
	if page, ok := c.pages.Get(k); ok {
		return page, nil, false
	}
	m = &making{done: make(chan struct{}), err: errNotMade} // in case render panics
	c.making[k] = m
	return nil, m, true
}

// fill makes a page, caches it unless it failed, gives the slot back and wakes the callers who wait for the page.
func (c *cache) fill(k key, m *making, leave func(), render func() (*web.Response, error)) (*web.Response, error) {
	defer func() {
		leave()
		c.mu.Lock()
		delete(c.making, k)
		if m.err == nil {
			k.slug = strings.Clone(k.slug) // a substring would keep the whole request in memory
			c.pages.Put(k, m.page, m.page.Size()+k.size())
		}
		c.mu.Unlock()
		close(m.done)
	}()
	m.page, m.err = render()
	return m.page, m.err
}

// An edition is a snapshot on a day, with what its pages need that is worth computing once. Pages show days, never
// hours: "this week" and charts that end today change only with the day.
type edition struct {
	snapshot *catalog.Snapshot
	figures  *figures.Figures
	cache    *cache
	// static returns the operator's own files. It reads them on the first call, because few editions are asked for
	// them.
	static func() layout.Static
}

func newEdition(s *catalog.Snapshot, today catalog.Date, cache *cache, t *throttle.Throttle) *edition {
	return &edition{
		snapshot: s, cache: cache, figures: figures.Of(s, today, t),
		static: sync.OnceValue(func() layout.Static { return layout.OwnStatic(s) }),
	}
}
