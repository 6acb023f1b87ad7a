package node

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/portal"
)

// countRefusals counts the requests for account pages that found too many others.
func (b *builder) countRefusals(o *portal.Options) {
	refused := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "palmares_account_refused_total",
		Help: "Requests for account pages that were refused: too many at once on this node, of one client, " +
			"or waiting for servers that are not ours (outside).",
	}, []string{"why"})
	b.registry.MustRegister(refused)
	for _, why := range portal.Refusals() {
		refused.WithLabelValues(why) // shown as 0 from the start
	}
	o.Refused = func(why string) { refused.WithLabelValues(why).Inc() }
}

// showInFlight shows how many requests for account pages run.
func (b *builder) showInFlight(p *portal.Portal) {
	b.gauge("palmares_account_requests", "Requests for account pages that run, 64 at most.",
		func() float64 { inside, _ := p.InFlight(); return float64(inside) })
	b.gauge("palmares_account_requests_outside", "Requests for account pages that wait for servers which are not ours, 16 at most.",
		func() float64 { _, outside := p.InFlight(); return float64(outside) })
}
