// Package metrics is what packages with metrics share: gauges that say when nobody knows their value,
// counters that are there from the start, and the loop that looks at a database for them.
//
// Begin with Watch. The package names no metric: whoever has one does.
package metrics

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// NewGauge registers a gauge. It is NaN until it is set: an invented number would look like a fact.
func NewGauge(registry prometheus.Registerer, name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	g.Set(math.NaN())
	registry.MustRegister(g)
	return g
}

// Set shows a value, and NaN if it could not be had.
func Set(g prometheus.Gauge, value float64, err error) {
	if err != nil {
		value = math.NaN()
	}
	g.Set(value)
}

// Since is how many seconds ago t was; 0 for the zero time and for one to come.
func Since(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return max(time.Since(t).Seconds(), 0)
}

// NewCounters registers counters by one label. All values of it that are named show from the start: a rate
// misses the event that makes a series, and no alert fires on one that is not there.
func NewCounters(registry prometheus.Registerer, name, help, label string, values ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{label})
	registry.MustRegister(c)
	for _, v := range values {
		c.WithLabelValues(v)
	}
	return c
}

// Working is the value of a gauge that is 1 while there is no error.
func Working(err func() error) func() float64 {
	return func() float64 {
		if err() != nil {
			return 0
		}
		return 1
	}
}

const (
	watchEvery   = 15 * time.Second
	watchAgainIn = 2 * time.Second
	watchLimit   = 10 * time.Second
)

// Watch calls look until ctx is done: so often, which is every 15 s when it is 0, and after 2 s at most when look says that it
// did not learn all. A look has 10 s.
func Watch(ctx context.Context, every time.Duration, look func(context.Context) bool) {
	every = cmp.Or(every, watchEvery)
	for {
		limited, cancel := context.WithTimeout(ctx, watchLimit)
		next := every
		if !look(limited) {
			next = min(every, watchAgainIn)
		}
		cancel()
		select {
		case <-ctx.Done():
			return
		case <-time.After(next):
		}
	}
}
