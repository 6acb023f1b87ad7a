package node

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/postgres"
)

// A backlog shows what waits to be delivered. What the database did not tell is NaN: an
// old number would look like a fact.
type backlog struct {
	pending, oldest                                    prometheus.Gauge
	behindEvents, behindSeconds, saturated, unreadable prometheus.Gauge
	endpoints                                          *prometheus.GaugeVec
}

func newBacklog(registry prometheus.Registerer) backlog {
	gauge := func(name, help string) prometheus.Gauge {
		g := prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
		g.Set(math.NaN())
		registry.MustRegister(g)
		return g
	}
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

const (
	backlogEvery   = 15 * time.Second
	backlogAgainIn = 2 * time.Second
	backlogLimit   = 10 * time.Second
)

func (b backlog) watch(ctx context.Context, db *postgres.Webhooks) {
	for {
		next := backlogEvery
		if !b.look(ctx, db) {
			next = backlogAgainIn
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(next):
		}
	}
}

// look reports whether the database told all.
func (b backlog) look(ctx context.Context, db *postgres.Webhooks) bool {
	ctx, cancel := context.WithTimeout(ctx, backlogLimit)
	defer cancel()
	now := time.Now()
	since := func(t time.Time) float64 {
		if t.IsZero() {
			return 0
		}
		return max(now.Sub(t).Seconds(), 0)
	}
	oldest, noOldest := db.Overdue(ctx, now)
	set(noOldest, since(oldest), b.oldest)

	lag, noLag := db.Lag(ctx)
	set(noLag, float64(lag.Events), b.behindEvents)
	set(noLag, since(lag.Since), b.behindSeconds)
	set(noLag, float64(lag.Saturated), b.saturated)

	unreadable, noCount := db.Troubled(ctx)
	set(noCount, float64(unreadable), b.unreadable)

	states, noStates := db.EndpointStates(ctx)
	if noStates != nil {
		b.endpoints.Reset()
	}
	for state, n := range states {
		b.endpoints.WithLabelValues(string(state)).Set(float64(n))
	}
	pending, noPending := db.Pending(ctx) // last: it takes the longer the more there is
	set(noPending, float64(pending), b.pending)
	return errors.Join(noOldest, noLag, noCount, noStates, noPending) == nil
}

// set shows a value, unless it could not be had.
func set(err error, value float64, g prometheus.Gauge) {
	if err != nil {
		value = math.NaN()
	}
	g.Set(value)
}
