package quota

import (
	"log/slog"
	"sync"
	"sync/atomic"
)

// maxFailures is how many consecutive failures open the breaker.
const maxFailures = 3

// A breaker is a circuit breaker: it keeps charges from waiting for a counter that does not
// answer.
type breaker struct {
	log    *slog.Logger
	onOpen func() // called when it opens; may be nil

	opened atomic.Bool

	mu          sync.Mutex // guards changes of state
	consecutive atomic.Int32
}

func (b *breaker) isOpen() bool { return b.opened.Load() }

// report takes the outcome of a charge. Only a probe closes the breaker again.
func (b *breaker) report(err error) {
	if err == nil {
		if b.consecutive.Load() != 0 { // rare: avoid writing to a cache line that all cores read
			b.consecutive.Store(0)
		}
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.consecutive.Add(1) >= maxFailures {
		b.open(err)
	}
}

// open opens the breaker if it is closed.
func (b *breaker) open(err error) {
	if b.opened.Swap(true) {
		return
	}
	b.log.Warn("Redis does not answer: quotas are counted on this node alone", "error", err)
	if b.onOpen != nil {
		b.onOpen()
	}
}

// probed takes the outcome of a probe.
func (b *breaker) probed(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		b.consecutive.Store(maxFailures)
		b.open(err)
		return
	}
	b.consecutive.Store(0)
	if b.opened.Swap(false) {
		b.log.Info("Redis answers again: quotas are counted together")
	}
}
