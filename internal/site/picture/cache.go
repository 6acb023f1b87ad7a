package picture

import (
	"context"
	"strings"

	"github.com/palmares-hq/palmares/internal/lru"
)

// A Cache caches drawings. It makes one drawing at a time: a drawing takes milliseconds of CPU, and a flood of requests
// for images must not take every core from the rest of the node. It is safe for concurrent use.
type Cache struct {
	images  *lru.Cache[string, []byte]
	drawing chan struct{} // holds a value while somebody draws
}

// entryOverhead is about how many bytes an entry takes besides the key and the image.
const entryOverhead = 256

// NewCache returns an empty cache of at most maxBytes.
func NewCache(maxBytes int) *Cache {
	return &Cache{images: lru.New[string, []byte](maxBytes, maxBytes), drawing: make(chan struct{}, 1)}
}

// Get returns the drawing for a key, which must contain everything that the drawing depends on. If it is not cached,
// Get waits until nothing else is being drawn, looks again, because an earlier caller may have drawn the same, and
// calls draw. If ctx ends first, it returns the cause and draws nothing. The bytes are shared: do not change them.
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
	if ctx.Err() != nil { // select had both to choose from
		return nil, context.Cause(ctx)
	}
	image, err := draw()
	if err != nil {
		return nil, err
	}
	key = strings.Clone(key) // a substring would keep the whole request in memory
	c.images.Put(key, image, len(key)+len(image)+entryOverhead)
	return image, nil
}

// Stats returns the bytes and the number of cached drawings.
func (c *Cache) Stats() (bytes, drawings int) { return c.images.Stats() }

// Find returns a cached drawing; nil if there is none.
func (c *Cache) Find(key string) []byte {
	image, _ := c.images.Get(key)
	return image
}
