package workers

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/jobs"
)

// Payments returns the jobs that ask the payment provider, and those that mail what it says. Jobs that ask it are never
// given up, because somebody may have paid.
func (m *Mails) Payments(service *billing.Service, r *Reconciler) jobs.Group {
	provider := &outage{logger: m.Logger}
	return jobs.Group{
		Name: "billing",
		Add: func(cfg *river.Config) {
			addAsker(cfg, provider, askLimit, service.Sync)
			addAsker(cfg, provider, askLimit, service.Leave)
			addAsker(cfg, provider, askLimit, service.CarryOut)
			addAsker(cfg, provider, askLimit, service.UpdateCustomer)
			addAsker(cfg, provider, askLimit, service.TellCharge)
			addAsker(cfg, provider, reconcileLimit, r.daily)
			river.AddWorker(cfg.Workers, river.WorkFunc(func(ctx context.Context, job *river.Job[billing.MailNotice]) error {
				return service.Mail(ctx, job.Args, m.Subscription)
			}))
			addAsker(cfg, provider, askLimit, func(ctx context.Context, job billing.MailDocument) error {
				return service.MailDocument(ctx, job, m.Document)
			})
			addAsker(cfg, provider, askLimit, func(ctx context.Context, job billing.MailRefund) error {
				return service.TellRefund(ctx, job, m.Document)
			})
			cfg.Queues[billing.Queue] = river.QueueConfig{MaxWorkers: billingWorkers}
			cfg.PeriodicJobs = append(cfg.PeriodicJobs, everyHour())
		},
		Sweep: service.Sweep,
		Tidy:  service.Tidy,
		Remote: []string{ // they send mail
			billing.MailNotice{}.Kind(), billing.MailDocument{}.Kind(), billing.MailRefund{}.Kind(),
		},
	}
}

const (
	billingWorkers = 2           // of billing.Queue: each holds a database connection while it asks
	askLimit       = time.Minute // for a job that asks the provider about one account
	reconcileLimit = 30 * time.Minute

	busyPause   = time.Second
	maxAskPause = time.Minute // the longest pause between two attempts
)

// An asker does jobs that ask the provider.
type asker[T river.JobArgs] struct {
	river.WorkerDefaults[T]
	do       func(context.Context, T) error
	limit    time.Duration
	provider *outage
}

func addAsker[T river.JobArgs](
	cfg *river.Config, provider *outage, limit time.Duration, do func(context.Context, T) error,
) {
	river.AddWorker(cfg.Workers, &asker[T]{do: do, limit: limit, provider: provider})
}

// Timeout implements river.Worker.
func (w *asker[T]) Timeout(*river.Job[T]) time.Duration { return w.limit }

// NextRetry implements river.Worker.
func (w *asker[T]) NextRetry(job *river.Job[T]) time.Time {
	return time.Now().Add(min(time.Duration(job.Attempt)*2*time.Second, maxAskPause))
}

// Work implements river.Worker. A job that waits for the provider uses up no attempt. The last attempt is
// snoozed instead of failing, so that the job is never given up.
func (w *asker[T]) Work(ctx context.Context, job *river.Job[T]) error {
	err := w.do(ctx, job.Args)
	if ctx.Err() == nil {
		w.provider.note(err)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, billing.ErrBusy):
		return river.JobSnooze(busyPause)
	case errors.Is(err, billing.ErrOtherAccount): // billing logs it
		return river.JobSnooze(maxAskPause)
	case errors.Is(err, billing.ErrUnavailable):
		return river.JobSnooze(askPause(time.Since(job.CreatedAt)))
	case job.Attempt >= job.MaxAttempts:
		w.provider.logger.Error("a job about a payment fails again and again; it goes on every minute",
			"kind", job.Kind, "job", job.ID, "error", err)
		return river.JobSnooze(maxAskPause)
	}
	return err
}

// askPause returns the next pause of a job that has waited that long for the provider.
func askPause(waited time.Duration) time.Duration { return min(max(waited/2, busyPause), maxAskPause) }

// An outage logs once that the provider does not answer, and once that it does again.
type outage struct {
	logger *slog.Logger
	mu     sync.Mutex
	away   bool
}

// note records the result of asking the provider.
func (o *outage) note(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	away := errors.Is(err, billing.ErrUnavailable)
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

// reconcile is the job that compares all subscriptions with the provider's. The node that River has elected
// inserts one at its start and every hour. It does its work only if the last complete one was a day ago, so
// that nodes which start and stop do not change how often that is.
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
