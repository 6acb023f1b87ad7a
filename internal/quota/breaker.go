package quota

import (
	"log/slog"
	"sync"
	"sync/atomic"
)

// failures in a row open the breaker.
const failures = 3

// A breaker keeps charges from waiting for a counter that does not answer.
type breaker struct {
	log    *slog.Logger
	opened func() // called when it opens

	broken atomic.Bool

	mu  sync.Mutex   // for changes of state
	row atomic.Int32 // failures since the last success
}

func (b *breaker) isOpen() bool { return b.broken.Load() }

// report takes the outcome of a charge.
func (b *breaker) report(err error) {
	if err == nil {
		if b.row.Load() != 0 { // hardly ever: do not write what all cores read
			b.row.Store(0)
		}
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.row.Add(1) >= failures {
		b.open(err)
	}
}

// open opens the breaker, if it is not open yet.
func (b *breaker) open(err error) {
	if b.broken.Swap(true) {
		return
	}
	b.log.Warn("Redis does not answer: quotas are counted on this node alone", "error", err)
	if b.opened != nil {
		b.opened()
	}
}

// probed takes the outcome of a probe.
func (b *breaker) probed(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		b.row.Store(failures)
		b.open(err)
		return
	}
	b.row.Store(0)
	if b.broken.Swap(false) {
		b.log.Info("Redis answers again: quotas are counted together")
	}
}
