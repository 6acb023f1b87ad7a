package webhook

import (
	"context"
	"errors"
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

	Workers int           // how many endpoints to work on at once, 50 when 0, plus a fifth as many slow ones
	Lease   time.Duration // how long a claim lasts after it was last extended, 30 s when 0
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
	maxPending   = 1000             // pending deliveries of an endpoint at which its cursor stops
	runFor       = 4 * time.Second  // how long a run lasts before other endpoints get their turn
	maxFailures  = 10               // consecutive failures that end a run
	failureDelay = 30 * time.Second // how long an endpoint is left alone after that
	claimFor     = 5 * time.Minute  // how long a job may wait in the queue before it is replaced
	detachAfter  = 2 * time.Second  // how long a receiver may occupy a worker slot
	maxDetached  = 500              // the most runs that may go on after their job
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

// Sweep enqueues a job for every endpoint that has something to do but no job, for instance because
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

// CheckSecret calls the function CheckSecret for this worker. It may be called every second: while the
// secret is right it queries the database only every five seconds, or at once after a run found that the
// secret is wrong.
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

// markReadable records that an endpoint's secret can be opened. skipped means that its old secret
// cannot, which is logged once.
func (w *Worker) markReadable(ctx context.Context, e Endpoint, skipped bool) error {
	if skipped {
		if _, logged := w.loggedSkipped.LoadOrStore(e.ID, true); !logged {
			w.o.Logger.Warn("an old secret cannot be opened: deliveries are signed with the new one alone",
				"endpoint", e.ID)
		}
	}
	if e.Reason.Code != SecretUnreadable {
		return nil
	}
	changed, err := w.o.Store.SetReason(ctx, e.ID, Reason{})
	if changed {
		w.o.Logger.Info("webhooks are delivered to an endpoint again: its secret can be opened",
			"endpoint", e.ID)
	}
	return err
}

// markUnreadable records that an endpoint's secret cannot be opened and leaves the endpoint alone
// for a while. If it is this worker's secret that is wrong, another worker may take over at once.
func (w *Worker) markUnreadable(ctx context.Context, e Endpoint, claim int64) error {
	err := w.recheckSecret(ctx)
	if errors.Is(err, ErrWrongSecret) {
		return w.o.Store.Release(ctx, e.ID, claim, time.Time{})
	}
	if err != nil {
		return err
	}
	changed, err := w.o.Store.SetReason(ctx, e.ID, Reason{Code: SecretUnreadable})
	if err != nil {
		return err
	}
	if changed {
		w.o.Logger.Warn("webhooks are not delivered to an endpoint: its secret cannot be opened",
			"endpoint", e.ID)
	}
	return w.o.Store.Release(ctx, e.ID, claim, w.o.Now().Add(failureDelay))
}

// recheckSecret checks this worker's secret. If it is wrong, the worker's next CheckSecret says so
// too.
func (w *Worker) recheckSecret(ctx context.Context) error {
	err := CheckSecret(ctx, w.o.Store, w.o.Keyring, w.o.Now())
	if errors.Is(err, ErrWrongSecret) {
		w.recheck.Store(true)
	}
	return err
}

// findUnreadable records which active endpoints have a secret that cannot be opened, before there is
// something to deliver to them, and which have one that can be opened again.
func (w *Worker) findUnreadable(ctx context.Context) error {
	var lost, back []string
	err := eachSealed(ctx, w.o.Store, func(e Sealed) error {
		current, _ := w.o.Keyring.opens(e, w.o.Now())
		switch {
		case e.State != Active:
		case !current && e.Reason.Code != SecretUnreadable:
			lost = append(lost, e.Endpoint)
		case current && e.Reason.Code == SecretUnreadable:
			back = append(back, e.Endpoint)
		}
		return nil
	})
	if err != nil || len(lost)+len(back) == 0 {
		return err
	}
	if err := w.recheckSecret(ctx); err != nil {
		return err
	}
	for _, id := range back {
		if _, err := w.o.Store.SetReason(ctx, id, Reason{}); err != nil {
			return err
		}
	}
	for _, id := range lost {
		if _, err := w.o.Store.SetReason(ctx, id, Reason{Code: SecretUnreadable}); err != nil {
			return err
		}
	}
	if len(lost) > 0 {
		const shown = 10
		w.o.Logger.Warn("webhooks are not delivered to endpoints: their secrets cannot be opened",
			"endpoints", len(lost), "first", lost[:min(len(lost), shown)])
	}
	return nil
}

// keepDeliveries is how long finished deliveries are kept: as long as they can be replayed.
const keepDeliveries = ReplayFor

// Tidy deletes old deliveries and events, and finds endpoints whose secret cannot be opened. Call it
// every hour.
func (w *Worker) Tidy(ctx context.Context) error {
	return errors.Join(w.prune(ctx), w.findUnreadable(ctx))
}

// prune deletes old deliveries and events. Deliveries come first, because an event is kept as long as a
// delivery names it.
func (w *Worker) prune(ctx context.Context) error {
	if err := pruneAll(ctx, w.o.Store.Prune, w.o.Now().Add(-keepDeliveries)); err != nil {
		return err
	}
	return pruneAll(ctx, w.o.Store.PruneEvents, w.o.Now().Add(-w.o.EventsKeep))
}

func pruneAll(
	ctx context.Context, prune func(context.Context, time.Time, int) (int, error), before time.Time,
) error {
	const batch = 10_000 // rows per transaction
	for {
		n, err := prune(ctx, before, batch)
		if err != nil || n < batch {
			return err
		}
	}
}
