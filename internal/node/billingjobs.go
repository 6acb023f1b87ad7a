package node

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/jobs"
	"github.com/palmares-hq/palmares/internal/postgres"
)

// addBilling adds the jobs that ask the payment provider, and those that send mail about what it
// says.
func (b *builder) addBilling(ctx context.Context) error {
	service, err := b.billing(ctx)
	if err != nil || !b.cfg.Sells() {
		return err
	}
	db, err := b.database(ctx, b.workerPool())
	if err != nil {
		return err
	}
	mails, err := b.billingMails(db)
	if err != nil {
		return err
	}
	provider := &outage{logger: b.logger}
	reconciler := &reconciler{service: service, store: db.Billing, logger: b.logger}
	b.jobs = append(b.jobs, jobs.Group{
		Name: "billing",
		Add: func(cfg *river.Config) {
			addBillingWorker(cfg, provider, askLimit, service.Sync)
			addBillingWorker(cfg, provider, askLimit, service.Leave)
			addBillingWorker(cfg, provider, askLimit, service.UpdateEmail)
			addBillingWorker(cfg, provider, reconcileLimit, reconciler.daily)
			river.AddWorker(cfg.Workers, river.WorkFunc(func(ctx context.Context, job *river.Job[billing.MailNotice]) error {
				return service.Mail(ctx, job.Args, mails.send)
			}))
			cfg.Queues[billing.Queue] = river.QueueConfig{MaxWorkers: billingWorkers}
			cfg.PeriodicJobs = append(cfg.PeriodicJobs, everyHour())
		},
		Sweep:  service.Sweep,
		Tidy:   service.Tidy,
		Remote: []string{billing.MailNotice{}.Kind()}, // it sends mail
	})
	b.watchBilling(db.Billing, service)
	return nil
}

const (
	billingWorkers = 2           // of the queue of payments: each holds a connection while it asks
	askLimit       = time.Minute // for a job that asks the provider about one account
	reconcileLimit = 30 * time.Minute

	busyPause   = time.Second
	maxAskPause = time.Minute // between two attempts to ask a provider that does not answer
)

// A billingWorker does jobs that ask the provider. It never gives one up: somebody may have paid.
type billingWorker[T river.JobArgs] struct {
	river.WorkerDefaults[T]
	do       func(context.Context, T) error
	limit    time.Duration
	provider *outage
}

func addBillingWorker[T river.JobArgs](
	cfg *river.Config, provider *outage, limit time.Duration, do func(context.Context, T) error,
) {
	river.AddWorker(cfg.Workers, &billingWorker[T]{do: do, limit: limit, provider: provider})
}

// Timeout implements river.Worker.
func (w *billingWorker[T]) Timeout(*river.Job[T]) time.Duration { return w.limit }

// NextRetry implements river.Worker.
func (w *billingWorker[T]) NextRetry(job *river.Job[T]) time.Time {
	return time.Now().Add(min(time.Duration(job.Attempt)*2*time.Second, maxAskPause))
}

// Work implements river.Worker. A job that waits for the provider uses up no attempt, and the last
// attempt is never used up.
func (w *billingWorker[T]) Work(ctx context.Context, job *river.Job[T]) error {
	err := w.do(ctx, job.Args)
	if ctx.Err() == nil {
		w.provider.note(err)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, billing.ErrBusy):
		return river.JobSnooze(busyPause)
	case errors.Is(err, billing.ErrAway):
		return river.JobSnooze(askPause(time.Since(job.CreatedAt)))
	case job.Attempt >= job.MaxAttempts:
		w.provider.logger.Error("a job about a payment fails again and again; it goes on every minute",
			"kind", job.Kind, "job", job.ID, "error", err)
		return river.JobSnooze(maxAskPause)
	}
	return err
}

// askPause is how long a job waits that has waited for so long.
func askPause(waited time.Duration) time.Duration { return min(max(waited/2, busyPause), maxAskPause) }

// An outage logs that the provider does not answer, and the end of that, once.
type outage struct {
	logger *slog.Logger
	mu     sync.Mutex
	away   bool
}

// note takes what came of asking the provider.
func (o *outage) note(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	away := errors.Is(err, billing.ErrAway)
	switch {
	case away && !o.away:
		o.logger.Warn("the payment provider does not answer: plans stay as they are, and events wait", "error", err)
	case err == nil && o.away:
		o.logger.Info("the payment provider answers again")
	case !away && err != nil:
		return // it says nothing about the provider
	}
	o.away = away
}

// reconcile is the job of comparing all subscriptions with what the provider says. One is inserted
// every hour and at the start of whichever node River has elected, and works if the last one was
// complete a day ago: nodes that start and stop do not change how often that is.
type reconcile struct{}

// Kind implements river.JobArgs.
func (reconcile) Kind() string { return "billing_reconcile" }

const (
	reconcileEvery = 24 * time.Hour
	reconcileCheck = time.Hour
)

func everyHour() *river.PeriodicJob {
	unfinished := []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning,
		rivertype.JobStateRetryable, rivertype.JobStateScheduled,
	}
	return river.NewPeriodicJob(river.PeriodicInterval(reconcileCheck), func() (river.JobArgs, *river.InsertOpts) {
		return reconcile{}, &river.InsertOpts{Queue: billing.Queue, UniqueOpts: river.UniqueOpts{ByState: unfinished}}
	}, &river.PeriodicJobOpts{RunOnStart: true})
}

// A reconciler compares both sides, and notes when it has.
type reconciler struct {
	service *billing.Service
	store   *postgres.Billing
	logger  *slog.Logger
}

// daily reconciles, unless that was done within the last day.
func (r *reconciler) daily(ctx context.Context, _ reconcile) error {
	last, err := r.store.LastReconciliation(ctx)
	if err != nil || time.Since(last.At) < reconcileEvery {
		return err
	}
	report, err := r.run(ctx, false)
	if err != nil {
		return err
	}
	r.log(ctx, report)
	return nil
}

// run reconciles. A reconciliation that ended and mended something is noted.
func (r *reconciler) run(ctx context.Context, dryRun bool) (billing.Report, error) {
	began := time.Now()
	report, err := r.service.Reconcile(ctx, dryRun)
	if err != nil || dryRun {
		return report, err
	}
	done := postgres.Reconciliation{At: began}
	for _, f := range report.Findings {
		switch f.Kind {
		case billing.FoundNotCollecting:
			done.NotCollecting++
		case billing.FoundDrift, billing.FoundLost, billing.FoundDeleted:
			done.Drift++
		case billing.FoundTwoSubscriptions, billing.FoundGivenAndPaid, billing.FoundWrongPrice, billing.FoundOtherProduct: // both sides agree about these
		}
	}
	return report, r.store.NoteReconciliation(ctx, done)
}

// log tells of each finding, with ids alone.
func (r *reconciler) log(ctx context.Context, report billing.Report) {
	for _, f := range report.Findings {
		attrs := []slog.Attr{
			slog.String("what", string(f.Kind)), slog.String("account", f.Account), slog.String("subscription", f.Subscription),
			slog.String("was", f.Was), slog.String("is", f.Is), slog.Bool("mended", f.Mended),
		}
		if f.Err != nil {
			attrs = append(attrs, slog.Any("error", f.Err))
		}
		r.logger.LogAttrs(ctx, slog.LevelWarn, "the payment provider and this service differed", attrs...)
	}
	r.logger.Info("subscriptions were compared with the payment provider", "subscriptions", report.Subscriptions,
		"customers", report.Customers, "findings", len(report.Findings))
}

// watchBilling shows how long events wait and what the last reconciliation found, on whichever node
// that was. What the database does not tell is NaN.
func (b *builder) watchBilling(store *postgres.Billing, service *billing.Service) {
	gauge := func(name, help string) prometheus.Gauge {
		g := prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
		g.Set(math.NaN())
		b.registry.MustRegister(g)
		return g
	}
	lag := gauge("palmares_billing_event_lag_seconds", "How long the event of the payment provider has waited that has waited longest.")
	age := gauge("palmares_billing_reconcile_age_seconds", "How long ago the last complete reconciliation began; that is done every day.")
	drift := gauge("palmares_billing_drift", "Subscriptions that the last reconciliation found to differ.")
	untaxed := gauge("palmares_billing_not_collecting", "Subscriptions without tax, for want of a registration, as of the last reconciliation.")
	look := func(ctx context.Context) bool {
		ctx, cancel := context.WithTimeout(ctx, backlogLimit)
		defer cancel()
		waited, noLag := service.Lag(ctx)
		set(noLag, waited.Seconds(), lag)
		last, err := store.LastReconciliation(ctx)
		if err == nil && last.At.IsZero() {
			err = errNoReconciliation
		}
		set(err, max(time.Since(last.At).Seconds(), 0), age)
		set(err, float64(last.Drift), drift)
		set(err, float64(last.NotCollecting), untaxed)
		return errors.Join(noLag, err) == nil
	}
	b.background(func(ctx context.Context) {
		for {
			next := backlogEvery
			if !look(ctx) {
				next = backlogAgainIn
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(next):
			}
		}
	})
}

var errNoReconciliation = errors.New("no reconciliation was complete yet")
