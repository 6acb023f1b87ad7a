package about

import (
	"context"
	"sync"
	"time"

	"github.com/palmares-hq/palmares/internal/availability"
	"github.com/palmares-hq/palmares/internal/web"
)

// StatusSources provide the figures of the status page that are not in the catalog.
type StatusSources struct {
	API *web.Latency // nil if the node does not serve the API
	// WebhookLag returns how long the oldest overdue delivery has waited; nil if no webhooks are sent. It is called
	// at most once every 15 s, and never concurrently.
	WebhookLag func(context.Context) (time.Duration, error)
	// Availability returns the share of the API's responses, on all nodes, that did not fail. It is nil if that is not
	// recorded. It is called at most once every 15 s, and never concurrently.
	Availability func(context.Context) (availability.Summary, error)
}

// A Status makes the status page of a node. It is safe for concurrent use.
type Status struct {
	api       *web.Latency
	lag       cachedQuery[time.Duration]
	available cachedQuery[availability.Summary]
	now       func() time.Time
}

// NewStatus returns a Status with the given sources and clock.
func NewStatus(from StatusSources, now func() time.Time) *Status {
	return &Status{
		api: from.API, lag: cachedQuery[time.Duration]{ask: from.WebhookLag, now: now},
		available: cachedQuery[availability.Summary]{ask: from.Availability, now: now}, now: now,
	}
}

// A Measurement is what was measured for one request.
type Measurement struct {
	at       time.Time
	api      *web.Latency           // nil if the node does not serve the API
	webhooks bool                   // whether webhooks are sent
	lag      *answer[time.Duration] // nil if unknown

	noted     bool                          // whether the availability is recorded
	available *answer[availability.Summary] // nil is unknown
}

// Measure returns the figures for the page. It waits for the database at most askWait for each of two queries.
func (s *Status) Measure(ctx context.Context) Measurement {
	s.available.begin(ctx) // start the first query, so that both run at once
	lag, available := s.lag.read(ctx), s.available.read(ctx)
	return Measurement{
		at: s.now(), api: s.api, webhooks: s.lag.ask != nil, lag: lag,
		noted: s.available.ask != nil, available: available,
	}
}

const (
	askEvery = 15 * time.Second       // the shortest interval between queries
	askLimit = 2 * time.Second        // the deadline of a query
	askWait  = 500 * time.Millisecond // how long a page waits for the result
)

// A watch caches the result of a query to the database. It queries when a reader asks, at most once every askEvery
// whatever the outcome, and never concurrently.
type cachedQuery[T any] struct {
	ask func(context.Context) (T, error) // nil if there is nothing to query
	now func() time.Time

	mu   sync.Mutex
	last *answer[T] // nil before the first query
}

// An answer is the result of a query that has been made or is running.
type answer[T any] struct {
	asked time.Time
	done  chan struct{} // closed when value and err are set
	value T
	err   error
}

// begin starts a query if one is due. It does not wait.
func (w *cachedQuery[T]) begin(ctx context.Context) {
	if w.ask != nil {
		w.answer(ctx)
	}
}

// read returns the last result, or waits up to askWait for a running query. It returns nil if the query failed or took
// longer.
func (w *cachedQuery[T]) read(ctx context.Context) *answer[T] {
	if w.ask == nil {
		return nil
	}
	a := w.answer(ctx)
	late := time.NewTimer(askWait)
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

// answer returns the last query if it is recent, or else starts one.
func (w *cachedQuery[T]) answer(ctx context.Context) *answer[T] {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	if w.last != nil && now.Sub(w.last.asked) < askEvery {
		return w.last
	}
	a := &answer[T]{asked: now, done: make(chan struct{})}
	w.last = a
	go func() { // goes on when the reader has left: others may wait for it
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askLimit)
		defer cancel()
		a.value, a.err = w.ask(ctx)
		close(a.done)
	}()
	return a
}
