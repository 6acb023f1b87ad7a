package webhook

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/riverqueue/river"
)

// WorkerOptions say how deliveries are made. Store, Sender, Box and Logger are
// required.
type WorkerOptions struct {
	Store  Store
	Sender *Sender
	Box    *Box // opens the endpoints' secrets
	Logger *slog.Logger

	Now    func() time.Time // time.Now when nil
	Jitter func() float64   // from -1 to 1; random when nil
	// Tell sends the owner of an endpoint word that it was disabled. Nil tells nobody.
	Tell func(ctx context.Context, endpoint string) error
	// Attempted, when set, is told of each attempt: what came of it and how long it took.
	Attempted func(outcome string, took time.Duration)

	EventsKeep time.Duration // for how long events are kept, 400 days when 0

	Workers int           // endpoints worked on at once, 50 when 0; and 10 slow ones
	Sweep   time.Duration // how often to look for what no job is at, 1 s when 0
	Lease   time.Duration // for how long a run holds its endpoint without a sign of life, 30 s when 0
}

// A Worker delivers.
type Worker struct {
	o      WorkerOptions
	events *payloads
	faults *faults        // of River's connections
	beside sync.WaitGroup // runs, with or without a place
	places chan struct{}  // runs without one

	doubts  chan struct{} // tells the runner to look whether the secret is the right one
	skipped sync.Map      // endpoints whose old secret was told to be skipped
}

// Wait waits for runs that go on after their job.
func (w *Worker) Wait() { w.beside.Wait() }

// How much is done at a time.
const (
	perEndpoint  = 4                // requests under way to one endpoint
	batch        = 100              // deliveries taken up together
	recordEvery  = 25               // outcomes written down together
	readAhead    = 500              // events read for an endpoint in one go
	mostPending  = 1000             // deliveries of an endpoint that wait; the rest of the log waits for them
	runFor       = 4 * time.Second  // after that an endpoint lets others have the place
	failuresEnd  = 10               // failures in a row that end a run
	failuresWait = 30 * time.Second // and how long the endpoint is left alone then
	queuedFor    = 5 * time.Minute  // how long a job may wait for its turn before another takes its place
	placeFor     = 2 * time.Second  // how long a receiver may let the others wait
	mostBeside   = 500              // runs that have given up their place
	enqueueLimit = 1000
	jobTimeout   = 20 * time.Second // a run, and the time-out of the requests it began last
	rescueAfter  = 60 * time.Second // River's, for jobs whose worker died
)

// NewWorker makes a worker.
func NewWorker(o WorkerOptions) *Worker {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Jitter == nil {
		o.Jitter = func() float64 { return 2*rand.Float64() - 1 } //nolint:gosec // spreads load, guards nothing
	}
	if o.EventsKeep == 0 {
		o.EventsKeep = DefaultEventsKeep
	}
	if o.Workers == 0 {
		o.Workers = 50
	}
	if o.Sweep == 0 {
		o.Sweep = time.Second
	}
	if o.Lease == 0 {
		o.Lease = 30 * time.Second
	}
	return &Worker{o: o, events: newPayloads(o.Store), faults: &faults{}, places: make(chan struct{}, mostBeside), doubts: make(chan struct{}, 1)}
}

// Config is that of the River client that runs the jobs.
func (w *Worker) Config() *river.Config {
	workers := river.NewWorkers()
	river.AddWorker(workers, &fanOutWorker{w: w})
	river.AddWorker(workers, &deliverWorker{w: w})
	river.AddWorker(workers, &tellWorker{w: w})
	return &river.Config{
		Logger:       slog.New(riverLog{w.o.Logger.Handler(), w.faults}),
		ErrorHandler: jobErrors{w.o.Logger, w.faults},
		Workers:      workers,
		Queues: map[string]river.QueueConfig{
			Queue:     {MaxWorkers: w.o.Workers},
			SlowQueue: {MaxWorkers: max(w.o.Workers/5, 1)},
			// Publications and mail must not wait behind deliveries.
			river.QueueDefault: {MaxWorkers: 4},
		},
		JobTimeout:                  jobTimeout,
		RescueStuckJobsAfter:        rescueAfter,
		CompletedJobRetentionPeriod: 10 * time.Minute, // the deliveries table is the record
	}
}

type fanOutWorker struct {
	river.WorkerDefaults[FanOut]
	w *Worker
}

// Work implements river.Worker.
func (f *fanOutWorker) Work(ctx context.Context, _ *river.Job[FanOut]) error {
	return f.w.enqueue(ctx)
}

type deliverWorker struct {
	river.WorkerDefaults[Deliver]
	w *Worker
}

// Work implements river.Worker. A receiver that lets us wait does not hold the place
// of the job for long: the run goes on beside, and its claim stands for it.
func (d *deliverWorker) Work(ctx context.Context, job *river.Job[Deliver]) error {
	run, stop := context.WithTimeout(context.WithoutCancel(ctx), jobTimeout)
	cancelled := context.AfterFunc(ctx, stop) // River stops the job
	ended := make(chan error, 1)
	d.w.beside.Go(func() {
		defer stop()
		ended <- d.w.deliver(run, job.Args)
	})
	select {
	case err := <-ended:
		cancelled()
		return err
	case <-time.After(placeFor):
	}
	select {
	case d.w.places <- struct{}{}:
		cancelled()
		go func() { <-run.Done(); <-d.w.places }()
		return nil
	default: // there are too many such receivers: they wait in line
		return <-ended
	}
}

type tellWorker struct {
	river.WorkerDefaults[TellDisabled]
	w *Worker
}

// Work implements river.Worker.
func (t *tellWorker) Work(ctx context.Context, job *river.Job[TellDisabled]) error {
	if t.w.o.Tell == nil {
		return nil
	}
	return t.w.o.Tell(ctx, job.Args.Endpoint)
}

// enqueue gives every endpoint that has something to do a job.
func (w *Worker) enqueue(ctx context.Context) error {
	for {
		now := w.o.Now()
		n, err := w.o.Store.Enqueue(ctx, now, now.Add(queuedFor), enqueueLimit)
		if err != nil || n < enqueueLimit {
			return err
		}
	}
}

// keepFor is how long deliveries that are over are kept, and can be replayed.
const keepFor = 30 * 24 * time.Hour

// DefaultEventsKeep is how long events are kept unless the options say otherwise: more
// than a year.
const DefaultEventsKeep = 400 * 24 * time.Hour

// prune forgets deliveries, and then the events that none of them holds any more.
func (w *Worker) prune(ctx context.Context) error {
	if err := pruneAll(ctx, w.o.Store.Prune, w.o.Now().Add(-keepFor)); err != nil {
		return err
	}
	return pruneAll(ctx, w.o.Store.PruneEvents, w.o.Now().Add(-w.o.EventsKeep))
}

func pruneAll(ctx context.Context, prune func(context.Context, time.Time, int) (int, error), before time.Time) error {
	const some = 10_000 // rows that one transaction holds on to
	for {
		n, err := prune(ctx, before, some)
		if err != nil || n < some {
			return err
		}
	}
}
