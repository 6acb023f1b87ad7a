// Package webhookjobs runs the deliveries of webhooks as jobs, and shows how far they are behind.
//
// Begin with Group, the jobs of a worker of package webhook, which has all rules about deliveries. With
// another secret than the database's they may not run: what this node signed would be wrong. backlog.go
// has the metrics of what waits, and Lag is how late the latest delivery is. The package reads the database
// for its metrics alone, and sends nothing by itself.
package webhookjobs

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/jobs"
	"github.com/palmares-hq/palmares/internal/metrics"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// Group are the jobs of deliveries. With another secret than the database's none may run.
func Group(w *webhook.Worker) jobs.Group {
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

// CountAttempts makes the metrics of attempts.
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

// Lag is how long what should have been sent has been waiting: a delivery that is due, or an
// event that no delivery was made of yet. An endpoint that is saturated holds up itself alone. It costs
// the same however much waits: it must be known when webhooks are behind.
func Lag(ctx context.Context, db *postgres.Webhooks, now time.Time) (time.Duration, error) {
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
