package quota

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// maxFailures is how many consecutive failures open the breaker.
const maxFailures = 3

// watchEvery is how often a counter that answers is pinged, and probeEvery how often one that does not is probed.
// connectTimeout is the least time that a probe gives it to connect.
const (
	watchEvery     = 500 * time.Millisecond
	probeEvery     = 200 * time.Millisecond
	connectTimeout = 150 * time.Millisecond
)

// sayEvery is how often the log repeats why Redis does not answer: the first reason may be a busy
// minute, and the lasting one another.
const sayEvery = 30 * time.Second

// A Breaker is a circuit breaker: it keeps callers from waiting for a counter that does not answer.
// All parts of a node share one, so that what one of them finds out is known to the others.
type Breaker struct {
	counter Counter
	wait    time.Duration // for an answer
	log     *slog.Logger

	opened  atomic.Bool
	waiting atomic.Pointer[waiting]

	mu          sync.Mutex // guards changes of state, and said
	consecutive atomic.Int32
	said        time.Time // when the log last said why
}

// waiting is the parent context of everyone who waits for the counter.
type waiting struct {
	ctx    context.Context //nolint:containedctx // cancelling it ends them all at once
	cancel context.CancelFunc
}

func newWaiting() *waiting {
	ctx, cancel := context.WithCancel(context.Background())
	return &waiting{ctx, cancel}
}

// NewBreaker returns a breaker for a counter, which must answer a probe within wait, DefaultWait
// when 0. Run must be running too.
func NewBreaker(counter Counter, wait time.Duration, logger *slog.Logger) *Breaker {
	if wait == 0 {
		wait = DefaultWait
	}
	b := &Breaker{counter: counter, wait: wait, log: logger}
	b.waiting.Store(newWaiting())
	return b
}

func (b *Breaker) isOpen() bool { return b.opened.Load() }

var errNoAnswer = errors.New("the shared counter does not answer")

// Answers returns nil while the counter answers.
func (b *Breaker) Answers() error {
	if b.isOpen() {
		return errNoAnswer
	}
	return nil
}

// during returns a context that ends after a time, or when the breaker opens: a reply that the
// first callers did not get will not come for the others.
func (b *Breaker) during(ctx context.Context, wait time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	stop := context.AfterFunc(b.waiting.Load().ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// report records the outcome of a call to the counter. Only a probe closes the breaker again.
func (b *Breaker) report(err error) {
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

// open opens the breaker if it is closed, and ends the wait of all callers.
func (b *Breaker) open(err error) {
	if b.opened.Swap(true) {
		if time.Since(b.said) >= sayEvery {
			b.said = time.Now()
			b.log.Warn("Redis still does not answer", "error", err)
		}
		return
	}
	b.said = time.Now()
	b.log.Warn("Redis does not answer: quotas are counted on this node alone", "error", err)
	b.waiting.Swap(newWaiting()).cancel()
}

// probed records the outcome of a probe.
func (b *Breaker) probed(err error) {
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

// Run connects to the counter and probes it until ctx is done. A counter that answered is still
// pinged, so that a node without requests notices when it stops; three failures in a row open the
// breaker, as three requests do.
func (b *Breaker) Run(ctx context.Context) {
	for first := true; ctx.Err() == nil; first = false {
		every := watchEvery
		if first || b.isOpen() {
			every = probeEvery
			if err := b.probe(ctx); ctx.Err() == nil { // shutting down is no failure of the counter
				b.probed(err)
			}
		} else if err := b.ping(ctx, b.wait); ctx.Err() == nil {
			b.report(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(every):
		}
	}
}

// probe pings twice: the first ping includes time to connect, the second gets no more than a
// charge does, so that a counter too slow for charges counts as unavailable.
func (b *Breaker) probe(ctx context.Context) error {
	if err := b.ping(ctx, max(b.wait, connectTimeout)); err != nil {
		return err
	}
	return b.ping(ctx, b.wait)
}

func (b *Breaker) ping(ctx context.Context, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return b.counter.Ping(ctx)
}
