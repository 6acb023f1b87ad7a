package webhook

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/riverqueue/river"
)

// Jobs is a client of River.
type Jobs interface {
	Start(ctx context.Context) error
	Stop(ctx context.Context) error
	StopAndCancel(ctx context.Context) error
	Stopped() <-chan struct{}
}

// A Runner keeps the jobs of a worker running: it starts them as soon as the database
// lets it and the worker has its secret, and again when they stop, and it sweeps. It knows
// whether they run.
type Runner struct {
	w    *Worker
	open func(*river.Config) (Jobs, error)

	mu  sync.Mutex
	why error // why jobs do not run; nil while they do

	// What was logged is of the one goroutine that watches.
	told       error     // the trouble that was logged last and is not over
	toldFaults time.Time // when faults that were no trouble were logged
}

// Times of a Runner.
const (
	leastPause  = 200 * time.Millisecond // between two attempts to start
	mostPause   = 5 * time.Second
	startLimit  = 30 * time.Second // for an attempt to start
	sweepLimit  = 30 * time.Second // for a look at what there is to do
	fetchedFor  = 3 * time.Second  // River fetches every second: for so long it says nothing of a failure
	stopLimit   = 10 * time.Second // for jobs to end by themselves
	cancelLimit = 5 * time.Second  // for jobs to end once they are told to
	faultsEvery = time.Minute
	secretEvery = 5 * time.Second // a look whether the secret is still the right one
	tidyEvery   = time.Hour
	tidyAgainIn = time.Minute
)

var (
	errNotStarted = errors.New("they have not been started yet")
	errStopping   = errors.New("this node is about to stop")
	errStopped    = errors.New("they have stopped by themselves")
)

// NewRunner makes a runner; open makes a client of River.
func NewRunner(w *Worker, open func(*river.Config) (Jobs, error)) *Runner {
	return &Runner{w: w, open: open, why: errNotStarted}
}

// Running says why jobs do not run; nil while they do.
func (r *Runner) Running() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.why
}

func (r *Runner) set(why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.why = why
}

// Run runs jobs until ctx is done. What has begun then ends; what takes too long is
// done again by another worker.
func (r *Runner) Run(ctx context.Context) {
	var tidying sync.WaitGroup
	tidying.Go(func() { r.tidy(ctx) })
	defer tidying.Wait()
	defer r.set(errStopping)
	pause := leastPause
	for {
		began, err := r.session(ctx)
		if ctx.Err() != nil {
			return
		}
		r.failed(err)
		if began {
			pause = leastPause
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		pause = min(2*pause, mostPause)
	}
}

// session runs jobs until they stop or ctx is done, and says why they stopped. A client
// that stopped is not used again.
func (r *Runner) session(ctx context.Context) (began bool, err error) {
	if err := r.checkSecret(ctx); err != nil {
		return false, err
	}
	jobs, err := r.open(r.w.Config())
	if err != nil {
		return false, err
	}
	if err := start(ctx, jobs); err != nil {
		return false, err
	}
	err = r.watch(ctx, jobs)
	if ctx.Err() == nil {
		r.failed(err) // to stop them takes its time
	}
	r.stop(ctx, jobs)
	return true, err
}

// start starts jobs, within a limit: a server may accept a connection and never answer.
func start(ctx context.Context, jobs Jobs) error {
	life, end := context.WithCancel(context.WithoutCancel(ctx)) // the jobs' own: they outlive ctx
	late := time.AfterFunc(startLimit, end)
	stopping := context.AfterFunc(ctx, end)
	err := jobs.Start(life)
	if !late.Stop() || !stopping() {
		err = errors.Join(err, errors.New("starting jobs took too long"))
	}
	if err != nil {
		end()
		return fmt.Errorf("starting jobs: %w", err)
	}
	return nil
}

// watch sweeps: it finds deliveries that are due and endpoints that are behind the log
// and no job is at, be it that their worker died. That it can is half of the proof that
// jobs run; that River goes on fetching them is the other.
func (r *Runner) watch(ctx context.Context, jobs Jobs) error {
	tick := time.NewTicker(r.w.o.Sweep)
	defer tick.Stop()
	for checked := time.Now(); ; {
		err := r.sweep(ctx)
		if err == nil && time.Since(checked) >= secretEvery {
			// It was right at the start, but the database may be another's by now, or resealed.
			if err = r.checkSecret(ctx); errors.Is(err, ErrWrongSecret) {
				return err
			}
			checked = time.Now()
		}
		if said, lately := r.w.faults.unfetched(fetchedFor); err == nil && lately {
			err = fmt.Errorf("fetching jobs: %s", said)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			r.failed(err)
		} else {
			r.works()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-jobs.Stopped():
			return errStopped
		case <-r.w.doubts:
			checked = time.Time{}
		case <-tick.C:
		}
	}
}

func (r *Runner) checkSecret(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, sweepLimit)
	defer cancel()
	return CheckSecret(ctx, r.w.o.Store, r.w.o.Box, r.w.o.Now())
}

func (r *Runner) sweep(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, sweepLimit)
	defer cancel()
	return r.w.enqueue(ctx)
}

// failed notes that jobs do not run, and logs it once; a wrong secret that shows once the
// database answers is told as well.
func (r *Runner) failed(err error) {
	r.set(err)
	wrong := errors.Is(err, ErrWrongSecret)
	if r.told == nil || wrong && !errors.Is(r.told, ErrWrongSecret) {
		r.w.o.Logger.Warn("webhooks are not delivered", "error", err)
		r.told = err
	}
}

// works notes that jobs run, and logs the end of a trouble once. What River's
// connections met beside is told as well, though not all the time.
func (r *Runner) works() {
	r.set(nil)
	if r.told != nil {
		lines, _ := r.w.faults.take()
		r.w.o.Logger.Info("webhooks are delivered again", "river_errors", lines)
		r.told = nil
		return
	}
	if time.Since(r.toldFaults) < faultsEvery {
		return
	}
	if lines, last := r.w.faults.take(); lines > 0 {
		r.toldFaults = time.Now()
		r.w.o.Logger.Warn("River lost connections to the database; webhooks are delivered all the same", "errors", lines, "last", last)
	}
}

// stop ends the jobs, and the runs that go on after their job.
func (r *Runner) stop(ctx context.Context, jobs Jobs) {
	ctx = context.WithoutCancel(ctx)
	soon, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	if err := jobs.Stop(soon); err != nil {
		now, cancel := context.WithTimeout(ctx, cancelLimit)
		defer cancel()
		if err := jobs.StopAndCancel(now); err != nil {
			r.w.o.Logger.Warn("jobs were left when their time to end was up", "error", err)
		}
	}
	ended := make(chan struct{})
	go func() { r.w.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-soon.Done():
	}
}

// tidy deletes what is old enough to be forgotten and looks at the secrets of all
// endpoints, now and then.
func (r *Runner) tidy(ctx context.Context) {
	for {
		next := time.Second // until jobs run
		if r.Running() == nil {
			next = tidyEvery
			if err := errors.Join(r.w.prune(ctx), r.w.inspect(ctx)); err != nil && ctx.Err() == nil {
				next = tidyAgainIn
				if !databaseGone(err.Error()) && !errors.Is(err, ErrWrongSecret) { // those are told
					r.w.o.Logger.Warn("old deliveries or the endpoints' secrets were not looked after", "error", err)
				}
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(next):
		}
	}
}
