package webhook

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// WorkerOptions configure a Worker. Store, Sender, Keyring and Logger are required.
type WorkerOptions struct {
	Store   WorkerStore
	Sender  *Sender
	Keyring *Keyring // opens the endpoints' secrets
	Logger  *slog.Logger

	Now    func() time.Time // time.Now when nil
	Jitter func() float64   // from -1 to 1; random when nil
	// Attempted, if set, is called with the outcome and duration of each attempt.
	Attempted func(outcome string, took time.Duration)

	EventsKeep time.Duration // how long events are kept, 400 days when 0

	Workers int           // endpoints worked on at once, 50 when 0, and a fifth as many slow ones
	Lease   time.Duration // how long a claim outlives the last sign of life, 30 s when 0
}

// DefaultEventsKeep is how long events are kept unless the options say otherwise.
const DefaultEventsKeep = 400 * 24 * time.Hour

// A Worker delivers events to endpoints.
type Worker struct {
	o        WorkerOptions
	payloads *payloadCache
	runs     sync.WaitGroup
	detached chan struct{} // has a slot for each run that goes on after its job

	checking      sync.Mutex  // held by CheckSecret
	checked       time.Time   // when the secret was last known to be right
	recheck       atomic.Bool // check it at once
	loggedSkipped sync.Map    // ids of endpoints whose skipped old secret was logged
}

const (
	concurrency  = 4                // requests to one endpoint at a time
	dueBatch     = 100              // deliveries read together
	recordBatch  = 25               // outcomes written together
	logBatch     = 500              // events read for an endpoint together
	maxPending   = 1000             // deliveries pending at an endpoint; then its cursor stops
	runFor       = 4 * time.Second  // then an endpoint makes way for others
	maxFailures  = 10               // consecutive failures that end a run
	failureDelay = 30 * time.Second // and how long the endpoint is left alone then
	claimFor     = 5 * time.Minute  // how long a job may wait in the queue before it is replaced
	detachAfter  = 2 * time.Second  // how long a receiver may occupy a worker slot
	maxDetached  = 500              // runs that go on after their job
	enqueueBatch = 1000
	jobTimeout   = 20 * time.Second // for a run, including the timeout of its last requests
	secretEvery  = 5 * time.Second  // how often the secret is checked against the database
)

// NewWorker returns a worker.
func NewWorker(o WorkerOptions) *Worker {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Jitter == nil {
		o.Jitter = func() float64 { return 2*rand.Float64() - 1 } //nolint:gosec // only spreads load
	}
	if o.EventsKeep == 0 {
		o.EventsKeep = DefaultEventsKeep
	}
	if o.Workers == 0 {
		o.Workers = 50
	}
	if o.Lease == 0 {
		o.Lease = 30 * time.Second
	}
	return &Worker{o: o, payloads: newPayloadCache(o.Store), detached: make(chan struct{}, maxDetached)}
}

// Wait waits for runs that go on after their job.
func (w *Worker) Wait() { w.runs.Wait() }

// Sweep gives a job to every endpoint that has something to do and has none, for instance because
// its worker died. Call it every second.
func (w *Worker) Sweep(ctx context.Context) error {
	for {
		now := w.o.Now()
		n, err := w.o.Store.Enqueue(ctx, now, now.Add(claimFor), enqueueBatch)
		if err != nil || n < enqueueBatch {
			return err
		}
	}
}

// CheckSecret is the function CheckSecret for this worker. It may be called every second: it asks
// the database every five seconds, and at once after a run could not open a secret.
func (w *Worker) CheckSecret(ctx context.Context) error {
	w.checking.Lock()
	defer w.checking.Unlock()
	if !w.recheck.Swap(false) && time.Since(w.checked) < secretEvery {
		return nil
	}
	w.checked = time.Time{}
	if err := CheckSecret(ctx, w.o.Store, w.o.Keyring, w.o.Now()); err != nil {
		return err
	}
	w.checked = time.Now()
	return nil
}
