package node

import "github.com/prometheus/client_golang/prometheus"

// limited counts what accounts were refused because they do it too often, by the names of the limits.
func (b *builder) limited(names []string) func(name string) {
	met := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "palmares_account_limits_total", Help: "What accounts were refused because they do it too often.",
	}, []string{"limit"})
	b.registry.MustRegister(met)
	for _, name := range names {
		met.WithLabelValues(name)
	}
	return func(name string) { met.WithLabelValues(name).Inc() }
}
