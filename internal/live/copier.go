package live

import (
	"log/slog"
	"sync"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A copier writes disk copies in the background, the latest snapshot only:
// editions that follow one another faster than the disk do not queue up.
type copier struct {
	path   string
	logger *slog.Logger

	hurry     chan struct{} // closed when nobody is served any more
	hurryOnce sync.Once

	mu   sync.Mutex
	next *catalog.Snapshot // to be written
	busy bool
	idle sync.Cond
}

func newCopier(path string, logger *slog.Logger) *copier {
	c := &copier{path: path, logger: logger, hurry: make(chan struct{})}
	c.idle.L = &c.mu
	return c
}

func (c *copier) save(s *catalog.Snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next = s
	if !c.busy {
		c.busy = true
		go c.write()
	}
}

func (c *copier) write() {
	for {
		c.mu.Lock()
		s := c.next
		c.next = nil
		if s == nil {
			c.busy = false
			c.idle.Broadcast()
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
		if err := writeCopy(c.path, s, c.pace); err != nil {
			c.logger.Error("the disk copy was not written; the old one stays", "error", err)
			continue
		}
		c.logger.Debug("disk copy written", "edition", s.Edition().Number)
	}
}

// pace keeps the copy from taking more than a third of one processor: the requests
// that are being answered meanwhile come first, and the copy has time.
func (c *copier) pace(worked time.Duration) {
	select {
	case <-c.hurry:
	case <-time.After(2 * worked):
	}
}

// close waits for the copy under way.
func (c *copier) close() {
	c.hurryOnce.Do(func() { close(c.hurry) })
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.busy {
		c.idle.Wait()
	}
}
