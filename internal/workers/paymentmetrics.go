package workers

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/metrics"
	"github.com/palmares-hq/palmares/internal/stripe/events"
)

// PaymentCounts are the counters of payments.
type PaymentCounts struct {
	events, findings *prometheus.CounterVec
	disputes         prometheus.Counter
}

// eventOutcomes are the outcomes of events in the metrics, by the values that billing counts.
var eventOutcomes = map[string]string{
	billing.CountEvent: "stored", billing.CountRepeated: "repeated",
	billing.CountUnexpectedVersion: "foreign", billing.CountForged: "forged",
}

// NewPaymentCounts makes and registers the counters.
func NewPaymentCounts(registry prometheus.Registerer) PaymentCounts {
	c := PaymentCounts{
		events: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "palmares_billing_events_total",
			Help: "Events of the payment provider, by what came of them: stored, repeated, forged, too_large, failed, crowded; " +
				"foreign are those, among the first two, of another version of its interface.",
		}, []string{"outcome"}),
		findings: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "palmares_billing_findings_total",
			Help: "What was found when the provider was asked: not_collecting, wrong_price, two_subscriptions, other_product, " +
				"unpaid_invoice, not_final, refused, other_account, losses, refund, order_difference, drift, vat_number, not_supported, not_sold_to, wrong_rate.",
		}, []string{"what"}),
		disputes: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "palmares_billing_disputes_total", Help: "Charges that customers disputed.",
		}),
	}
	registry.MustRegister(c.events, c.findings, c.disputes)
	for _, outcome := range []string{"stored", "repeated", "foreign", "forged", events.TooLarge, events.Failed, events.Crowded} {
		c.events.WithLabelValues(outcome) // shown as 0 from the start
	}
	for _, what := range billing.Counts() {
		if eventOutcomes[what] == "" && what != billing.CountDispute {
			c.findings.WithLabelValues(what)
		}
	}
	return c
}

// Count counts a value of billing.Counts, or an outcome of package events.
func (c PaymentCounts) Count(what string) {
	switch outcome := eventOutcomes[what]; {
	case outcome != "":
		c.events.WithLabelValues(outcome).Inc()
	case what == events.TooLarge || what == events.Failed || what == events.Crowded:
		c.events.WithLabelValues(what).Inc()
	case what == billing.CountDispute:
		c.disputes.Inc()
	default:
		c.findings.WithLabelValues(what).Inc()
	}
}

const (
	priceEvery    = time.Hour
	minPricePause = time.Second // the first pause while the price is wrong or not known; it doubles
	maxPricePause = time.Minute
	priceLimit    = 30 * time.Second
)

// WatchPrice returns a function that compares the provider's price with the plan's until ctx is done: at
// the start, every hour, and every minute at least while it is wrong or the provider does not answer.
// Nothing is sold until it is right. A wrong price does not make a node unready: most requests need no
// price, and one that is wrong on all nodes would take every one of them out of service.
func WatchPrice(registry prometheus.Registerer, s *billing.Service, logger *slog.Logger) func(ctx context.Context) {
	ok := metrics.NewGauge(registry, "palmares_billing_price_ok",
		"1 while the provider's price is that of the plan, 0 while it is another and nothing is sold, NaN while that is not known.")
	w := priceWatch{check: s.CheckPrice, ok: ok, logger: logger}
	return w.run
}

// A priceWatch keeps the gauge and the log of whether the provider's price is right.
type priceWatch struct {
	check  func(context.Context) error
	ok     prometheus.Gauge
	logger *slog.Logger
	said   string // the last line of the log about it
}

func (w *priceWatch) run(ctx context.Context) {
	pause := minPricePause
	for {
		next := priceEvery
		if right := w.look(ctx); right {
			pause = minPricePause
		} else {
			next, pause = pause, min(2*pause, maxPricePause)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(next):
		}
	}
}

// look compares the price and reports whether it is right. It logs only changes.
func (w *priceWatch) look(ctx context.Context) (right bool) {
	limited, cancel := context.WithTimeout(ctx, priceLimit)
	defer cancel()
	err := w.check(limited)
	level, line := slog.LevelInfo, "the price is that of the plan"
	switch {
	case err == nil:
		w.ok.Set(1)
	case ctx.Err() != nil:
		return false
	case errors.Is(err, billing.ErrWrongPrice):
		w.ok.Set(0)
		w.said = "" // billing logs it
		return false
	default: // unknown: a price that was right may have changed meanwhile
		w.ok.Set(math.NaN())
		level, line = slog.LevelWarn, "the price at the payment provider cannot be read; it is asked for again"
	}
	if line != w.said {
		var attrs []slog.Attr
		if err != nil {
			attrs = append(attrs, slog.Any("error", err))
		}
		w.logger.LogAttrs(ctx, level, line, attrs...)
		w.said = line
	}
	return err == nil
}
