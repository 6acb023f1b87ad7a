package billingjobs

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/stripe/events"
)

// Counts are the counters of payments.
type Counts struct {
	events, findings *prometheus.CounterVec
	disputes         prometheus.Counter
}

// The outcomes of events, by what billing counts.
var eventOutcomes = map[string]string{
	billing.CountEvent: "stored", billing.CountRepeated: "repeated",
	billing.CountUnexpectedVersion: "foreign", billing.CountForged: "forged",
}

// NewCounts makes and registers the counters.
func NewCounts(registry prometheus.Registerer) Counts {
	c := Counts{
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

// Count counts what billing counts, and what becomes of events before that.
func (c Counts) Count(what string) {
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
