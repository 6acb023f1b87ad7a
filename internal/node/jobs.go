package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/riverqueue/river"
)

// jobs are what a package has River do for it. Only add is required.
type jobs struct {
	add func(*river.Config) // adds its workers, queues and periodic jobs

	// allowed says whether the jobs may run on this node. It is asked before River starts and
	// every second from then on. A refusal stops River until allowed says otherwise; any other
	// error means that nobody knows.
	allowed func(context.Context) error
	// sweep finds work that no job is at. It runs every second.
	sweep func(context.Context) error
	// tidy deletes what is old. It runs every hour.
	tidy func(context.Context) error
	// wait waits for work that goes on after its job has ended.
	wait func()
	// remote names the kinds of jobs that talk to other servers than the database: their
	// errors say nothing about it.
	remote []string
}

// A refusal is an error with which jobs must not run.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

func refused(err error) bool {
	var r refusal
	return errors.As(err, &r)
}

// A riverClient is a client of River.
type riverClient interface {
	Start(ctx context.Context) error
	Stop(ctx context.Context) error
	StopAndCancel(ctx context.Context) error
	Stopped() <-chan struct{}
}

// A jobRunner keeps the jobs of all packages running on one client of River. It starts the
// client as soon as the database lets it and every package allows it, starts another when it
// stops, and knows whether jobs run.
type jobRunner struct {
	jobs   []jobs
	open   func(*river.Config) (riverClient, error)
	logger *slog.Logger
	faults *faults // of River's connections

	mu  sync.Mutex
	why error // why jobs do not run; nil while they do

	// Only the goroutine of run uses these.
	logged       error     // the trouble that was logged last and is not over
	loggedFaults time.Time // when faults that were no trouble were logged
}

const (
	minPause    = 200 * time.Millisecond // between two attempts to start
	maxPause    = 5 * time.Second
	startLimit  = 30 * time.Second // for an attempt to start
	watchEvery  = time.Second
	watchLimit  = 30 * time.Second // for one call of allowed or sweep
	fetchedFor  = 3 * time.Second  // River fetches every second: for so long it does not repeat a failure
	stopLimit   = 10 * time.Second // for jobs to end by themselves
	cancelLimit = 5 * time.Second  // for jobs to end once they are cancelled
	faultsEvery = time.Minute
	tidyEvery   = time.Hour
	tidyRetry   = time.Minute
)

// What is the same for all jobs. A worker with a Timeout method has a time limit of its own.
const (
	defaultWorkers = 4 // of the default queue
	defaultTimeout = 20 * time.Second
	rescueAfter    = time.Minute // for jobs whose worker died
	keepCompleted  = 10 * time.Minute
)

var (
	errNotStarted = errors.New("they have not been started yet")
	errStopping   = errors.New("this node is about to stop")
	errStopped    = errors.New("they have stopped by themselves")
)

// newJobRunner makes a runner. open makes a client of River.
func newJobRunner(all []jobs, open func(*river.Config) (riverClient, error), logger *slog.Logger) *jobRunner {
	return &jobRunner{jobs: all, open: open, logger: logger, faults: &faults{}, why: errNotStarted}
}

// config is that of a client that runs the jobs of all packages.
func (r *jobRunner) config() *river.Config {
	cfg := &river.Config{
		Logger:       slog.New(riverLog{r.logger.Handler(), r.faults}),
		ErrorHandler: jobErrors{r.logger, r.faults, r.remoteKinds()},
		Workers:      river.NewWorkers(),
		// Jobs that no package has a queue for do not wait behind those that have one.
		Queues:                      map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: defaultWorkers}},
		JobTimeout:                  defaultTimeout,
		RescueStuckJobsAfter:        rescueAfter,
		CompletedJobRetentionPeriod: keepCompleted, // no job is a record of anything
	}
	for _, j := range r.jobs {
		j.add(cfg)
	}
	return cfg
}

func (r *jobRunner) remoteKinds() (kinds []string) {
	for _, j := range r.jobs {
		kinds = append(kinds, j.remote...)
	}
	return kinds
}

// running says why jobs do not run; nil while they do.
func (r *jobRunner) running() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.why
}

// ready is running with the words of /readyz.
func (r *jobRunner) ready() error {
	if err := r.running(); err != nil {
		return fmt.Errorf("jobs do not run: %w", err)
	}
	return nil
}

func (r *jobRunner) set(why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.why = why
}

// run runs jobs until ctx is done. Jobs under way then end; another worker repeats those that
// take too long.
func (r *jobRunner) run(ctx context.Context) {
	var tidying sync.WaitGroup
	tidying.Go(func() { r.tidy(ctx) })
	defer tidying.Wait()
	defer r.set(errStopping)
	pause := minPause
	for {
		started, err := r.session(ctx)
		if ctx.Err() != nil {
			return
		}
		r.failed(err)
		if started {
			pause = minPause
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		pause = min(2*pause, maxPause)
	}
}

// session runs jobs on a new client until they stop or ctx is done, and says why they stopped.
func (r *jobRunner) session(ctx context.Context) (started bool, err error) {
	if err := r.each(ctx, func(j jobs) func(context.Context) error { return j.allowed }); err != nil {
		return false, err
	}
	client, err := r.open(r.config())
	if err != nil {
		return false, err
	}
	if err := startClient(ctx, client); err != nil {
		return false, err
	}
	err = r.watch(ctx, client)
	if ctx.Err() == nil {
		r.failed(err) // at once: stopping takes a while
	}
	r.stop(ctx, client)
	return true, err
}

// each calls one of the functions of all jobs, as far as they have it, until one fails.
func (r *jobRunner) each(ctx context.Context, choose func(jobs) func(context.Context) error) error {
	for _, j := range r.jobs {
		if call := choose(j); call != nil {
			limited, cancel := context.WithTimeout(ctx, watchLimit)
			err := call(limited)
			cancel()
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// startClient starts a client within a limit: a server may accept a connection and never
// answer.
func startClient(ctx context.Context, client riverClient) error {
	life, end := context.WithCancel(context.WithoutCancel(ctx)) // the jobs outlive ctx
	late := time.AfterFunc(startLimit, end)
	stopping := context.AfterFunc(ctx, end)
	err := client.Start(life)
	if !late.Stop() || !stopping() {
		err = errors.Join(err, errors.New("starting jobs took too long"))
	}
	if err != nil {
		end()
		return fmt.Errorf("starting jobs: %w", err)
	}
	return nil
}

// watch sweeps. That it can is half of the proof that jobs run; that River goes on fetching
// them is the other half.
func (r *jobRunner) watch(ctx context.Context, client riverClient) error {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		err := r.each(ctx, func(j jobs) func(context.Context) error { return j.allowed })
		if refused(err) {
			return err
		}
		if err == nil {
			err = r.each(ctx, func(j jobs) func(context.Context) error { return j.sweep })
		}
		if text, recent := r.faults.unfetched(fetchedFor); err == nil && recent {
			err = fmt.Errorf("fetching jobs: %s", text)
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
		case <-client.Stopped():
			return errStopped
		case <-tick.C:
		}
	}
}

// failed notes that jobs do not run, and logs it once. A refusal that shows once the database
// answers is logged as well. The texts name webhooks, which are what operators miss.
func (r *jobRunner) failed(err error) {
	r.set(err)
	if r.logged == nil || refused(err) && !refused(r.logged) {
		r.logger.Warn("webhooks are not delivered", "error", err)
		r.logged = err
	}
}

// works notes that jobs run, and logs the end of a trouble once. It also logs the faults of
// River's connections that were no trouble, once a minute at most.
func (r *jobRunner) works() {
	r.set(nil)
	if r.logged != nil {
		lines, _ := r.faults.take()
		r.logger.Info("webhooks are delivered again", "river_errors", lines)
		r.logged = nil
		return
	}
	if time.Since(r.loggedFaults) < faultsEvery {
		return
	}
	if lines, last := r.faults.take(); lines > 0 {
		r.loggedFaults = time.Now()
		r.logger.Warn("River lost connections to the database; webhooks are delivered all the same",
			"errors", lines, "last", last)
	}
}

// stop ends the jobs, and the work that goes on after them.
func (r *jobRunner) stop(ctx context.Context, client riverClient) {
	ctx = context.WithoutCancel(ctx)
	soon, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	if err := client.Stop(soon); err != nil {
		now, cancel := context.WithTimeout(ctx, cancelLimit)
		defer cancel()
		if err := client.StopAndCancel(now); err != nil {
			r.logger.Warn("jobs were left when their time to end was up", "error", err)
		}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for _, j := range r.jobs {
			if j.wait != nil {
				j.wait()
			}
		}
	}()
	select {
	case <-ended:
	case <-soon.Done():
	}
}

// tidy deletes what is old every hour while jobs run.
func (r *jobRunner) tidy(ctx context.Context) {
	for {
		next := time.Second // until jobs run
		if r.running() == nil {
			next = tidyEvery
			if err := r.tidyAll(ctx); err != nil && ctx.Err() == nil {
				next = tidyRetry
				if !databaseGone(err.Error()) && !refused(err) { // which are logged already
					r.logger.Warn("old rows or the endpoints' secrets were not looked after", "error", err)
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

func (r *jobRunner) tidyAll(ctx context.Context) (err error) {
	for _, j := range r.jobs {
		if j.tidy != nil {
			err = errors.Join(err, j.tidy(ctx))
		}
	}
	return err
}
