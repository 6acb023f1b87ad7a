package workers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/jobs"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/mail"
	"github.com/palmares-hq/palmares/internal/metrics"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// Deliveries returns the jobs of a webhook.Worker, which has all rules about them. None may run if this node has
// another secret than the database: its signatures would be wrong.
func Deliveries(w *webhook.Worker) jobs.Group {
	refuse := func(err error) error {
		if errors.Is(err, webhook.ErrWrongSecret) {
			return jobs.Refuse(err)
		}
		return err
	}
	return jobs.Group{
		Name:    "webhooks",
		Add:     w.AddJobs,
		Allowed: func(ctx context.Context) error { return refuse(w.CheckSecret(ctx)) },
		Sweep:   w.Sweep,
		Tidy:    func(ctx context.Context) error { return refuse(w.Tidy(ctx)) },
		PutOff:  w.PutOffJobs,
		Wait:    w.Wait,
	}
}

// CountAttempts registers the metrics of attempts to deliver, and returns the function that counts one.
func CountAttempts(registry prometheus.Registerer) func(outcome string, took time.Duration) {
	attempts := metrics.NewCounters(registry, "palmares_webhook_attempts_total",
		"Attempts to deliver, by what came of them: delivered, failed, timeout, gone.", "outcome",
		"delivered", "failed", "timeout", "gone")
	seconds := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "palmares_webhook_attempt_seconds", Help: "Time that receivers took to answer, or until we gave up.",
		Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 15},
	})
	registry.MustRegister(seconds)
	return func(outcome string, took time.Duration) {
		attempts.WithLabelValues(outcome).Inc()
		seconds.Observe(took.Seconds())
	}
}

// DeliveryLag returns how long the oldest overdue work has been waiting: a delivery that is due, or an event
// without deliveries yet. A saturated endpoint delays only itself and does not count. The cost does not depend
// on how much waits, because the lag is needed most when webhooks are behind.
func DeliveryLag(ctx context.Context, db *postgres.Webhooks, now time.Time) (time.Duration, error) {
	due, noDue := db.Overdue(ctx, now)
	behind, noLag := db.Lag(ctx)
	if err := errors.Join(noDue, noLag); err != nil {
		return 0, err
	}
	var lag time.Duration
	for _, since := range []time.Time{due, behind.Since} {
		if !since.IsZero() {
			lag = max(lag, now.Sub(since))
		}
	}
	return lag, nil
}

// A backlog has the gauges of what waits to be delivered. A value that could not be read from the database
// is NaN: an old one would look current.
type backlog struct {
	pending, oldest                                    prometheus.Gauge
	behindEvents, behindSeconds, saturated, unreadable prometheus.Gauge
	endpoints                                          *prometheus.GaugeVec
}

// WatchDeliveries registers the gauges of what waits to be delivered, and returns a function that sets them until ctx
// is done.
func WatchDeliveries(registry prometheus.Registerer, db *postgres.Webhooks, every time.Duration) func(ctx context.Context) {
	b := newBacklog(registry)
	return func(ctx context.Context) {
		metrics.Watch(ctx, every, func(ctx context.Context) bool { return b.look(ctx, db) })
	}
}

func newBacklog(registry prometheus.Registerer) backlog {
	gauge := func(name, help string) prometheus.Gauge { return metrics.NewGauge(registry, name, help) }
	b := backlog{
		pending: gauge("palmares_webhook_pending", "Deliveries that wait for an attempt, at active endpoints."),
		oldest:  gauge("palmares_webhook_oldest_seconds", "How long the delivery that has waited longest has been due."),
		behindEvents: gauge("palmares_webhook_behind_events",
			"Events of the log that the slowest active endpoint that is not saturated has not come to."),
		behindSeconds: gauge("palmares_webhook_behind_seconds", "How long ago the first of them was published."),
		saturated: gauge("palmares_webhook_saturated_endpoints",
			"Active endpoints whose part of the log waits until deliveries are over."),
		unreadable: gauge("palmares_webhook_unreadable_endpoints",
			"Active endpoints that nothing is delivered to because their secret cannot be opened."),
		endpoints: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "palmares_webhook_endpoints", Help: "Endpoints, by state.",
		}, []string{"state"}),
	}
	registry.MustRegister(b.endpoints)
	return b
}

// look sets the gauges, and reports whether all could be read from the database.
func (b backlog) look(ctx context.Context, db *postgres.Webhooks) bool {
	oldest, noOldest := db.Overdue(ctx, time.Now())
	metrics.Set(b.oldest, metrics.Since(oldest), noOldest)

	lag, noLag := db.Lag(ctx)
	metrics.Set(b.behindEvents, float64(lag.Events), noLag)
	metrics.Set(b.behindSeconds, metrics.Since(lag.Since), noLag)
	metrics.Set(b.saturated, float64(lag.Saturated), noLag)

	unreadable, noCount := db.CountUnreadable(ctx)
	metrics.Set(b.unreadable, float64(unreadable), noCount)

	states, noStates := db.EndpointStates(ctx)
	if noStates != nil {
		b.endpoints.Reset()
	}
	for state, n := range states {
		b.endpoints.WithLabelValues(string(state)).Set(float64(n))
	}
	pending, noPending := db.Pending(ctx) // last: the more there is, the longer it takes
	metrics.Set(b.pending, float64(pending), noPending)
	return errors.Join(noOldest, noLag, noCount, noStates, noPending) == nil
}

// Webhooks returns the jobs that mail owners of endpoints that were disabled.
func (m *Mails) Webhooks(accounts *account.Service) jobs.Group {
	return jobs.Group{
		Name: "webhook mails",
		Add: func(cfg *river.Config) {
			river.AddWorker(cfg.Workers, river.WorkFunc(func(ctx context.Context, job *river.Job[webhook.NotifyDisabled]) error {
				if m.Mailer == nil {
					return nil
				}
				return m.TellDisabled(ctx, accounts, job.Args.Endpoint)
			}))
		},
		Remote: []string{webhook.NotifyDisabled{}.Kind()},
	}
}

// TellDisabled mails the owner of an endpoint that it was disabled, unless the owner wants no such mail, or endpoint or
// account are gone.
func (m *Mails) TellDisabled(ctx context.Context, accounts *account.Service, id string) error {
	e, err := m.DB.Webhooks.Endpoint(ctx, account.Operator(), id)
	if errors.Is(err, webhook.ErrNoEndpoint) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return err
	}
	owner, err := accounts.Show(ctx, account.Operator(), e.Account)
	if errors.Is(err, account.ErrNoAccount) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return err
	}
	if !owner.MailEndpoints {
		return nil
	}
	header, err := m.header(ctx, owner.Email, owner.Language, "")
	if err != nil {
		return err
	}
	err = m.deliver(ctx, mail.EndpointDisabled(header, mail.DisabledEndpoint{
		ID: e.ID, URL: e.URL, Reason: e.Reason, Link: endpointLink(header.Service.BaseURL, owner.Language, e.ID),
	}))
	if mail.Permanent(err) {
		return nil // trying again would change nothing
	}
	if err != nil {
		return fmt.Errorf("telling the owner of %s: %w", id, err)
	}
	return nil
}

// endpointLink returns the URL of an endpoint's page; "" if the base URL is not known.
func endpointLink(base string, lang account.Language, id string) string {
	if base == "" {
		return ""
	}
	return base + address.Endpoint.At(locale.Tagged(string(lang)), id)
}
