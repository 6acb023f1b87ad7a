package live

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// retryEvery is how long after a failure a copy is tried again. The next edition may be a day away,
// and until then a restart would find no copy, or an old one.
const retryEvery = time.Minute

// copyAfter is the time from a swap to writing the disk copy. Writing costs more than the swap,
// which requests have just felt, and editions in quick succession share one copy.
const copyAfter = 5 * time.Second

// A copier writes disk copies in the background, of the latest snapshot only: editions that follow
// one another faster than the disk can write do not queue up. A failed copy is tried again every
// minute.
type copier struct {
	path    string
	logger  *slog.Logger
	edition atomic.Int64 // the one on disk; 0 for none

	ending  chan struct{} // closed when the node no longer serves
	endOnce sync.Once

	now func() time.Time

	mu     sync.Mutex
	behind time.Time         // since when the copy has been out of date; zero if it is not
	next   *catalog.Snapshot // to be written
	retry  *time.Timer       // saves again what failed
	closed bool
	busy   bool
	idle   sync.Cond
}

func newCopier(path string, logger *slog.Logger, now func() time.Time) *copier {
	c := &copier{path: path, logger: logger, now: now, ending: make(chan struct{})}
	c.idle.L = &c.mu
	return c
}

func (c *copier) save(s *catalog.Snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.saveLocked(s)
}

func (c *copier) saveLocked(s *catalog.Snapshot) {
	if c.retry != nil {
		c.retry.Stop()
		c.retry = nil
	}
	c.next = s
	if c.behind.IsZero() {
		c.behind = c.now()
	}
	if !c.busy {
		c.busy = true
		go c.write()
	}
}

func (c *copier) write() {
	for {
		c.mu.Lock()
		if c.next == nil {
			c.busy = false
			c.idle.Broadcast()
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
		if c.edition.Load() > 0 { // the first is written at once: a restart would have nothing to start from
			c.wait(copyAfter)
		}
		c.mu.Lock()
		s := c.next // the latest, after the wait
		c.next = nil
		c.mu.Unlock()
		if err := writeCopy(c.path, s, throttle.New(c.ending)); err != nil {
			c.logger.Error("the disk copy was not written; the old one stays", "error", err,
				"retry_s", retryEvery.Seconds())
			c.tryLater(s)
			continue
		}
		c.edition.Store(s.Edition().Number)
		c.written()
		c.logger.Debug("disk copy written", "edition", s.Edition().Number)
	}
}

// written records that a copy is on the disk. A snapshot that came meanwhile counts as unwritten
// from now on.
func (c *copier) written() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.behind = time.Time{}
	if c.next != nil {
		c.behind = c.now()
	}
}

// age returns how long the copy has been out of date; 0 if it is not.
func (c *copier) age() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.behind.IsZero() {
		return 0
	}
	return c.now().Sub(c.behind)
}

// wait returns after d, or at once when the node no longer serves.
func (c *copier) wait(d time.Duration) {
	select {
	case <-c.ending:
	case <-time.After(d):
	}
}

// tryLater saves the snapshot again after retryEvery, unless another one comes first.
func (c *copier) tryLater(s *catalog.Snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next != nil || c.closed {
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(retryEvery, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.retry == timer { // else it was stopped too late
			c.saveLocked(s)
		}
	})
	c.retry = timer
}

// close has the pending copies written without delay, waits for them, and prevents retries.
func (c *copier) close() {
	c.endOnce.Do(func() { close(c.ending) })
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.retry != nil {
		c.retry.Stop()
		c.retry = nil
	}
	for c.busy {
		c.idle.Wait()
	}
}
