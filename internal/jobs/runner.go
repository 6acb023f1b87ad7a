package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/riverqueue/river"
)

// A Client is a River client.
type Client interface {
	Start(ctx context.Context) error
	Stop(ctx context.Context) error
	StopAndCancel(ctx context.Context) error
	Stopped() <-chan struct{}
}

// A Runner keeps the jobs of all packages running on one River client. It starts the client as soon
// as the database is available, starts another when that stops, and reports whether jobs run. It
// leaves out groups whose jobs may not run, and runs those of the others.
type Runner struct {
	groups []Group
	open   func(*river.Config) (Client, error)
	logger *slog.Logger
	faults *faults // of River's connections

	// Swept is called with the name of a group whose sweep failed.
	Swept func(sweep string)

	allowedAgain chan struct{} // gets a value when no group refuses any more

	mu         sync.Mutex
	why        error           // why no jobs run; nil if some do
	refusedWhy error           // why the jobs of some groups may not run; nil if all may
	refusedOf  map[string]bool // the names of those groups
	failingWhy error           // why some sweeps fail while jobs run; nil if none does

	// Only the goroutine of Run uses these.
	without      []error   // the refusals of the groups that River runs without, in the order of groups; nil for the others
	logged       error     // the logged outage, until it is over
	failing      string    // the sweeps that failed last time while others worked
	loggedFaults time.Time // when faults without an outage were last logged
}

const (
	minPause    = 200 * time.Millisecond // between two attempts to start
	maxPause    = 5 * time.Second
	startLimit  = 30 * time.Second // for an attempt to start
	watchEvery  = time.Second
	watchLimit  = 30 * time.Second // for one call of Group.Allowed or Group.Sweep
	fetchedFor  = 3 * time.Second  // how long a failed fetch counts; River fetches every second
	stopLimit   = 10 * time.Second // for jobs to end by themselves
	cancelLimit = 5 * time.Second  // for jobs to end once they are cancelled
	faultsEvery = time.Minute
	tidyEvery   = time.Hour
	tidyRetry   = time.Minute
)

// The settings of all jobs. A worker with a Timeout method has its own time limit.
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
	errChanged    = errors.New("other jobs than before may run")
)

// New returns a runner. open makes a River client.
func New(all []Group, open func(*river.Config) (Client, error), logger *slog.Logger) *Runner {
	return &Runner{
		groups: all, open: open, logger: logger, faults: &faults{}, why: errNotStarted, Swept: func(string) {},
		without: make([]error, len(all)), allowedAgain: make(chan struct{}, 1),
	}
}

// config returns the configuration of a client that runs the jobs of all packages.
func (r *Runner) config() *river.Config {
	cfg := &river.Config{
		Logger:       slog.New(riverLog{r.logger.Handler(), r.faults}),
		ErrorHandler: jobErrors{r.logger, r.faults, r.remoteKinds()},
		Workers:      river.NewWorkers(),
		// Jobs without a queue of their own do not wait behind those that have one.
		Queues:                      map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: defaultWorkers}},
		JobTimeout:                  defaultTimeout,
		RescueStuckJobsAfter:        rescueAfter,
		CompletedJobRetentionPeriod: keepCompleted, // jobs are not kept as a record
	}
	for i, g := range r.groups {
		switch {
		case r.without[i] == nil:
			g.Add(cfg)
		case g.PutOff != nil:
			g.PutOff(cfg)
		}
	}
	return cfg
}

func (r *Runner) remoteKinds() (kinds []string) {
	for _, g := range r.groups {
		kinds = append(kinds, g.Remote...)
	}
	return kinds
}

// Running returns why jobs, or those of some groups, do not run; nil if all do.
func (r *Runner) Running() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.why != nil {
		return r.why
	}
	return r.refusedWhy
}

// stopped returns why no jobs run; nil if some do.
func (r *Runner) stopped() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.why
}

// Ready returns the error for /readyz: that of Running, or of sweeps that fail; nil if the node is ready.
func (r *Runner) Ready() error {
	if err := r.stopped(); err != nil {
		return fmt.Errorf("jobs do not run: %w", err)
	}
	if err := errors.Join(r.Running(), r.part()); err != nil {
		return fmt.Errorf("not all jobs run: %w", err)
	}
	return nil
}

func (r *Runner) set(why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.why = why
}

// Run runs jobs until ctx is done. Running jobs may then end; another worker repeats those that
// take too long.
func (r *Runner) Run(ctx context.Context) {
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
		if !errors.Is(err, errChanged) {
			r.noteOutage(err)
		}
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

// session runs jobs on a new client until they stop or ctx is done, and returns why they stopped.
func (r *Runner) session(ctx context.Context) (started bool, err error) {
	refusals, unknown := r.allowed(ctx)
	if err := first(unknown); err != nil {
		return false, err
	}
	r.refuse(refusals)
	client, err := r.open(r.config())
	if err != nil {
		return false, err
	}
	if err := startClient(ctx, client); err != nil {
		return false, err
	}
	err = r.watch(ctx, client)
	if ctx.Err() == nil && !errors.Is(err, errChanged) {
		r.noteOutage(err) // at once: stopping takes a while
	}
	r.stop(ctx, client)
	return true, err
}

// startClient starts a client within a time limit: a server may accept a connection and never
// answer.
func startClient(ctx context.Context, client Client) error {
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

// watch sweeps, and records whether jobs run, until they stop or ctx is done, and returns why. Jobs run if
// a sweep succeeds and River keeps fetching jobs. It returns errChanged if other groups than before refuse.
func (r *Runner) watch(ctx context.Context, client Client) error {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		refusals, unknown := r.allowed(ctx)
		err := first(unknown)
		if err == nil && !sameGroups(refusals, r.without) {
			r.refuse(refusals)
			return errChanged
		}
		if failed := r.sweeps(ctx, unknown); err == nil {
			err = failed
		}
		if text, recent := r.faults.unfetched(fetchedFor); err == nil && recent {
			err = fmt.Errorf("fetching jobs: %s", text)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			r.noteOutage(err)
		} else {
			r.noteRunning()
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

// first returns the first error that is not nil. All groups ask one database, so the others say the
// same.
func first(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// sameGroups reports whether a and b have errors of the same groups.
func sameGroups(a, b []error) bool {
	return slices.EqualFunc(a, b, func(a, b error) bool { return (a == nil) == (b == nil) })
}

// refuse records the groups that River runs without, and logs when they change.
func (r *Runner) refuse(refusals []error) {
	same := sameGroups(refusals, r.without)
	r.without = refusals
	why := errors.Join(refusals...)
	var names []string
	of := make(map[string]bool)
	for i, err := range refusals {
		if name := r.groups[i].Name; err != nil {
			names, of[name] = append(names, name), true
		}
	}
	r.mu.Lock()
	r.refusedWhy, r.refusedOf = why, of
	r.mu.Unlock()
	switch {
	case same:
	case why != nil:
		r.logger.Warn("some jobs may not run here: they wait for another node, all others run", "jobs", strings.Join(names, ", "), "error", why)
	default:
		r.logger.Info("all jobs may run here again")
		select {
		case r.allowedAgain <- struct{}{}:
		default:
		}
	}
}

// noteOutage records that no jobs run, and logs it once.
func (r *Runner) noteOutage(err error) {
	r.set(err)
	if r.logged == nil {
		r.logger.Warn("jobs do not run: webhooks are not delivered, mail and billing wait", "error", err)
		r.logged = err
	}
}

// noteRunning records that jobs run, and logs the end of an outage once. Without an outage it logs faults of
// River's connections, at most once a minute.
func (r *Runner) noteRunning() {
	r.set(nil)
	if r.logged != nil {
		lines, _ := r.faults.take()
		r.logger.Info("jobs run again: webhooks are delivered again, mail and billing go on", "river_errors", lines)
		r.logged = nil
		return
	}
	if time.Since(r.loggedFaults) < faultsEvery {
		return
	}
	if lines, last := r.faults.take(); lines > 0 {
		r.loggedFaults = time.Now()
		r.logger.Warn("River lost connections to the database; jobs run all the same",
			"errors", lines, "last", last)
	}
}

// stop ends the jobs and the work that goes on after them.
func (r *Runner) stop(ctx context.Context, client Client) {
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
		for _, g := range r.groups {
			if g.Wait != nil {
				g.Wait()
			}
		}
	}()
	select {
	case <-ended:
	case <-soon.Done():
	}
}

// allowed asks every group whether its jobs may run. It returns, in the order of the groups, the
// refusals and the errors of groups for which it is unknown.
func (r *Runner) allowed(ctx context.Context) (refusals, unknown []error) {
	refusals, unknown = make([]error, len(r.groups)), make([]error, len(r.groups))
	for i, g := range r.groups {
		if g.Allowed == nil {
			continue
		}
		if err := within(ctx, g.Allowed); refused(err) {
			refusals[i] = err
		} else {
			unknown[i] = err
		}
	}
	return refusals, unknown
}

// sweeps runs the sweeps of all groups that may run, independently of each other, and logs when the ones
// that fail change. unknown has the errors of groups for which it is unknown whether they may run; their
// sweeps count as failed. It returns an error if all sweeps failed, which means that the database is
// unavailable.
func (r *Runner) sweeps(ctx context.Context, unknown []error) error {
	var failed []string
	var errs []error
	ran := 0
	for i, g := range r.groups {
		if g.Sweep == nil || r.without[i] != nil {
			continue
		}
		ran++
		err := unknown[i]
		if err == nil {
			err = within(ctx, g.Sweep)
		}
		if err != nil {
			failed, errs = append(failed, g.Name), append(errs, fmt.Errorf("the sweep of %s: %w", g.Name, err))
			r.Swept(g.Name)
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if len(errs) == ran {
		r.setPart(nil)
		return first(errs)
	}
	err := errors.Join(errs...)
	r.setPart(err)
	names := strings.Join(failed, ", ")
	if names != r.failing && err != nil {
		r.logger.Warn("sweeps fail: what waits for them is late, other jobs run", "sweeps", names, "error", err)
	} else if names == "" && r.failing != "" {
		r.logger.Info("sweeps work again", "sweeps", r.failing)
	}
	r.failing = names
	return nil
}

// part returns which sweeps fail while jobs run; nil if none.
func (r *Runner) part() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failingWhy
}

func (r *Runner) setPart(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failingWhy = err
}

// within calls a function with a time limit.
func within(ctx context.Context, call func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, watchLimit)
	defer cancel()
	return call(ctx)
}

// refuses reports whether a group's jobs may not run.
func (r *Runner) refuses(g Group) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refusedOf[g.Name]
}

// tidyAll tidies all groups whose jobs may run, and returns the errors with the groups' names.
func (r *Runner) tidyAll(ctx context.Context) error {
	var errs []error
	for _, g := range r.groups {
		if g.Tidy == nil || r.refuses(g) {
			continue
		}
		if err := g.Tidy(ctx); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", g.Name, err))
		}
	}
	return errors.Join(errs...)
}

// tidy calls tidyAll every hour while jobs run, and when all groups may run again, until ctx is done.
func (r *Runner) tidy(ctx context.Context) {
	for {
		next := time.Second // until jobs run
		if r.stopped() == nil {
			next = tidyEvery
			if err := r.tidyAll(ctx); err != nil && ctx.Err() == nil {
				next = tidyRetry
				if !DatabaseGone(err.Error()) && !refused(err) { // those are logged already
					r.logger.Warn("old rows or the endpoints' secrets were not looked after", "error", err)
				}
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-r.allowedAgain:
		case <-time.After(next):
		}
	}
}
