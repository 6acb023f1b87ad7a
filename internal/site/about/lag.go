package about

import (
	"context"
	"sync"
	"time"

	"github.com/palmares-hq/palmares/internal/availability"
	"github.com/palmares-hq/palmares/internal/web"
)

// StatusSources are where the page about the status has its figures from, beside the catalog.
type StatusSources struct {
	API *web.Latency // nil where the node answers no requests for the API
	// WebhookLag says how long what should have been sent has been waiting; nil where no webhooks are
	// sent. It is called by one reader at a time, at most every 15 s.
	WebhookLag func(context.Context) (time.Duration, error)
	// Availability says what share of the API's answers did not fail, on all nodes; nil where nobody notes that. It
	// is called as WebhookLag is.
	Availability func(context.Context) (availability.Summary, error)
}

// Status is the page about the status of the node.
type Status struct {
	api       *web.Latency
	lag       watch[time.Duration]
	available watch[availability.Summary]
	now       func() time.Time
}

// NewStatus makes the page about the status.
func NewStatus(from StatusSources, now func() time.Time) *Status {
	return &Status{
		api: from.API, lag: watch[time.Duration]{ask: from.WebhookLag, now: now},
		available: watch[availability.Summary]{ask: from.Availability, now: now}, now: now,
	}
}

// A Measurement is what was measured for one request.
type Measurement struct {
	at       time.Time
	api      *web.Latency           // nil where the node answers no requests for the API
	webhooks bool                   // some are sent
	lag      *answer[time.Duration] // nil is unknown

	noted     bool                          // somebody notes what is answered
	available *answer[availability.Summary] // nil is unknown
}

// Measure measures what the page shows. It may wait for the database a little.
func (s *Status) Measure(ctx context.Context) Measurement {
	s.available.begin(ctx) // both questions are asked at once
	lag, available := s.lag.read(ctx), s.available.read(ctx)
	return Measurement{
		at: s.now(), api: s.api, webhooks: s.lag.ask != nil, lag: lag,
		noted: s.available.ask != nil, available: available,
	}
}

const (
	askEvery = 15 * time.Second       // the database is asked no more often than this
	askLimit = 2 * time.Second        // how long a question may take
	askWait  = 500 * time.Millisecond // how long a page waits for the answer
)

// A watch knows what the database tells. It asks while somebody reads: one question at a time, however many
// read, and none while the last one is recent, whatever came of it.
type watch[T any] struct {
	ask func(context.Context) (T, error) // nil where there is nothing to ask
	now func() time.Time

	mu   sync.Mutex
	last *answer[T] // nil before the first question
}

// An answer is the answer to a question, or the promise of one.
type answer[T any] struct {
	asked time.Time
	done  chan struct{} // closed when the rest is there
	value T
	err   error
}

// begin asks, and does not wait.
func (w *watch[T]) begin(ctx context.Context) {
	if w.ask != nil {
		w.answer(ctx)
	}
}

// read gives the last answer, and waits a little for one that is under way. Nil is unknown: there
// was no answer, or not in time.
func (w *watch[T]) read(ctx context.Context) *answer[T] {
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

// answer is the recent answer, or that of a question which begins now.
func (w *watch[T]) answer(ctx context.Context) *answer[T] {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	if w.last != nil && now.Sub(w.last.asked) < askEvery {
		return w.last
	}
	a := &answer[T]{asked: now, done: make(chan struct{})}
	w.last = a
	go func() { // goes on when the reader goes away: others may wait for it
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askLimit)
		defer cancel()
		a.value, a.err = w.ask(ctx)
		close(a.done)
	}()
	return a
}
