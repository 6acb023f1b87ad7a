package picture

import (
	"context"
	"strings"

	"github.com/palmares-hq/palmares/internal/lru"
)

// A Cache keeps drawings. It draws one at a time: a drawing is milliseconds of CPU, and a flood of requests
// for images must not take every core from the rest of the node.
type Cache struct {
	images  *lru.Cache[string, []byte]
	drawing chan struct{} // holds a value while somebody draws
}

// entryOverhead is about what the cache holds beside the key and the image.
const entryOverhead = 256

// NewCache returns an empty cache that holds at most so many bytes.
func NewCache(maxBytes int) *Cache {
	return &Cache{images: lru.New[string, []byte](maxBytes, maxBytes), drawing: make(chan struct{}, 1)}
}

// Get returns the drawing of a key, which says all that it depends on. If there is none it waits
// until nobody else draws, looks again, because those before it may have asked for the same, and draws. A
// caller whose context ends stops waiting and draws nothing. The bytes are shared: nobody may
// change them.
func (c *Cache) Get(ctx context.Context, key string, draw func() ([]byte, error)) ([]byte, error) {
	if image := c.Find(key); image != nil {
		return image, nil
	}
	select {
	case c.drawing <- struct{}{}:
		defer func() { <-c.drawing }()
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
	key = strings.Clone(key) // a part of a request would keep all of it in memory
	c.images.Put(key, image, len(key)+len(image)+entryOverhead)
	return image, nil
}

// Stats returns how much the cache holds.
func (c *Cache) Stats() (bytes, drawings int) { return c.images.Stats() }

// Find returns the drawing of a key if there is one, else nil.
func (c *Cache) Find(key string) []byte {
	image, _ := c.images.Get(key)
	return image
}
