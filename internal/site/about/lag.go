package about

import (
	"context"
	"sync"
	"time"

	"github.com/palmares-hq/palmares/internal/web"
)

// StatusSources are where the page about the status has its figures from, beside the catalog.
type StatusSources struct {
	API *web.Latency // nil where the node answers no requests for the API
	// WebhookLag says how long what should have been sent has been waiting; nil where no webhooks are
	// sent. It is called by one reader at a time, at most every 15 s.
	WebhookLag func(context.Context) (time.Duration, error)
}

// Status is the page about the status of the node.
type Status struct {
	api *web.Latency
	lag lagWatch
	now func() time.Time
}

// NewStatus makes the page about the status.
func NewStatus(from StatusSources, now func() time.Time) *Status {
	return &Status{api: from.API, lag: lagWatch{ask: from.WebhookLag, now: now}, now: now}
}

// A Measurement is what was measured for one request.
type Measurement struct {
	at       time.Time
	api      *web.Latency // nil where the node answers no requests for the API
	webhooks bool         // some are sent
	lag      *lagAnswer   // nil is unknown
}

// Measure measures what the page shows. It may wait for the database a little.
func (s *Status) Measure(ctx context.Context) Measurement {
	lag := s.lag.read(ctx)
	return Measurement{at: s.now(), api: s.api, webhooks: s.lag.ask != nil, lag: lag}
}

const (
	lagEvery = 15 * time.Second       // the database is asked no more often than this
	lagLimit = 2 * time.Second        // how long a question may take
	lagWait  = 500 * time.Millisecond // how long a page waits for the answer
)

// A lagWatch knows how far webhooks are behind. It asks while somebody reads: one question at a
// time, however many read, and none while the last one is recent, whatever came of it.
type lagWatch struct {
	ask func(context.Context) (time.Duration, error) // nil where no webhooks are sent
	now func() time.Time

	mu   sync.Mutex
	last *lagAnswer // nil before the first question
}

// A lagAnswer is the answer to a question, or the promise of one.
type lagAnswer struct {
	asked time.Time
	done  chan struct{} // closed when the rest is there
	lag   time.Duration
	err   error
}

// read gives the last answer, and waits a little for one that is under way. Nil is unknown: there
// was no answer, or not in time.
func (w *lagWatch) read(ctx context.Context) *lagAnswer {
	if w.ask == nil {
		return nil
	}
	a := w.answer(ctx)
	late := time.NewTimer(lagWait)
	defer late.Stop()
	select {
	case <-a.done:
		if a.err == nil {
			return a
		}
	case <-late.C:
	case <-ctx.Done():
	}
	return nil
}

// answer is the recent answer, or that of a question which begins now.
func (w *lagWatch) answer(ctx context.Context) *lagAnswer {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	if w.last != nil && now.Sub(w.last.asked) < lagEvery {
		return w.last
	}
	a := &lagAnswer{asked: now, done: make(chan struct{})}
	w.last = a
	go func() { // goes on when the reader goes away: others may wait for it
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lagLimit)
		defer cancel()
		a.lag, a.err = w.ask(ctx)
		close(a.done)
	}()
	return a
}
