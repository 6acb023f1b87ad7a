package webhookjobs

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/metrics"
	"github.com/palmares-hq/palmares/internal/postgres"
)

// A backlog shows what waits to be delivered. What the database did not tell is NaN: an
// old number would look like a fact.
type backlog struct {
	pending, oldest                                    prometheus.Gauge
	behindEvents, behindSeconds, saturated, unreadable prometheus.Gauge
	endpoints                                          *prometheus.GaugeVec
}

// Watch shows what waits to be delivered, until ctx is done.
func Watch(registry prometheus.Registerer, db *postgres.Webhooks, every time.Duration) func(ctx context.Context) {
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

// look reports whether the database told all.
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
	pending, noPending := db.Pending(ctx) // last: it takes the longer the more there is
	metrics.Set(b.pending, float64(pending), noPending)
	return errors.Join(noOldest, noLag, noCount, noStates, noPending) == nil
}
