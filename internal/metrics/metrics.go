// Package metrics has what packages with metrics share: gauges that are NaN while their value is unknown,
// counters that exist from the start, and a loop that reads values from a database.
//
// Begin with Watch. The package names no metric; its callers do.
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

// Since returns the seconds since t; 0 for the zero time and for a time in the future.
func Since(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return max(time.Since(t).Seconds(), 0)
}

// NewCounters registers counters with one label. Those of the given values exist from the start: rate() misses
// the increment that creates a series, and no alert fires on a missing series.
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

// Watch calls look until ctx is done, at the interval every, which is 15 s when 0. When look returns false
// because it could not read everything, the next call follows within 2 s. The context of each call ends after
// 10 s.
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
