// Package metrics is what packages with metrics share: gauges that say when nobody knows their value, counters that
// are there from the start, and the loop that looks at a database for them.
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

// NewGauge registers a gauge that is NaN until it is set: an invented number would look like a fact.
func NewGauge(registry prometheus.Registerer, name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	g.Set(math.NaN())
	registry.MustRegister(g)
	return g
}

// Set sets a gauge to a value, or to NaN if reading it failed.
func Set(g prometheus.Gauge, value float64, err error) {
	if err != nil {
		value = math.NaN()
	}
	g.Set(value)
}

// Since returns the seconds since t; 0 for the zero time and for a time to come.
func Since(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return max(time.Since(t).Seconds(), 0)
}

// NewCounters registers counters by one label. The named values exist from the start: a rate misses the event that
// creates a series, and no alert fires on a missing one.
func NewCounters(registry prometheus.Registerer, name, help, label string, values ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{label})
	registry.MustRegister(c)
	for _, v := range values {
		c.WithLabelValues(v)
	}
	return c
}

// Working returns the value of a gauge that is 1 while err returns nil, else 0.
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

// Watch calls look at an interval until ctx is done. every is the interval, 15 s when 0; after a look that returns
// false, because it could not read everything, the next follows within 2 s. The context of a look ends after 10 s.
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
