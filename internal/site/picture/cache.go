package picture

import (
	"container/list"
	"context"
	"strings"
	"sync"
)

// A Cache keeps drawings, bounded in bytes; the one that was not asked for the longest makes room.
// It draws one at a time: a drawing is milliseconds of CPU, and a flood of requests for images
// must not take every core from the rest of the node.
type Cache struct {
	maxBytes int
	turn     chan struct{} // holds a value while somebody draws

	mu      sync.Mutex
	entries map[string]*list.Element
	recent  list.List // of drawings, the last used first
	bytes   int
}

type drawing struct {
	key   string
	image []byte
}

// entryOverhead is about what the list and the map hold beside the key and the image.
const entryOverhead = 256

func (d drawing) size() int { return len(d.key) + len(d.image) + entryOverhead }

// NewCache returns an empty cache that holds at most so many bytes.
func NewCache(maxBytes int) *Cache {
	return &Cache{maxBytes: maxBytes, turn: make(chan struct{}, 1), entries: make(map[string]*list.Element)}
}

// Get returns the drawing of a key, which says all that it depends on. If there is none it waits
// for its turn, looks again, because those before it may have asked for the same, and draws. A
// caller whose context ends stops waiting and draws nothing. The bytes are shared: nobody may
// change them.
func (c *Cache) Get(ctx context.Context, key string, draw func() ([]byte, error)) ([]byte, error) {
	if image := c.Find(key); image != nil {
		return image, nil
	}
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if image := c.Find(key); image != nil {
		return image, nil
	}
	if ctx.Err() != nil { // both were ready
		return nil, context.Cause(ctx)
	}
	image, err := draw()
	if err != nil {
		return nil, err
	}
	c.keep(drawing{strings.Clone(key), image}) // a part of a request would keep all of it in memory
	return image, nil
}

// Stats returns how much the cache holds.
func (c *Cache) Stats() (bytes, drawings int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes, len(c.entries)
}

// Find returns the drawing of a key if there is one, else nil.
func (c *Cache) Find(key string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		return nil
	}
	c.recent.MoveToFront(e)
	return e.Value.(drawing).image
}

func (c *Cache) keep(d drawing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d.size() > c.maxBytes {
		return
	}
	for c.bytes+d.size() > c.maxBytes {
		last := c.recent.Remove(c.recent.Back()).(drawing)
		delete(c.entries, last.key)
		c.bytes -= last.size()
	}
	c.entries[d.key] = c.recent.PushFront(d)
	c.bytes += d.size()
}
