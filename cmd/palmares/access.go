package main

import (
	"context"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/quota"
)

// newMeter wires the shared counter into a meter and counts what it does. The
// counter is nil without Redis.
func newMeter(cfg config.Serve, logger *slog.Logger, registry prometheus.Registerer) (*quota.Meter, *quota.Redis, error) {
	o := quota.Options{Secret: []byte(cfg.Secret.Reveal()), Logger: logger, Wait: cfg.QuotaWait}
	var counter *quota.Redis
	if cfg.RedisURL == "" {
		logger.Warn("quotas are counted on this node alone: set PALMARES_REDIS_URL to count over all nodes")
	} else {
		var err error
		if counter, err = quota.NewRedis(cfg.RedisURL.Reveal()); err != nil {
			return nil, nil, err
		}
		o.Counter = counter
	}
	charges := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "palmares_quota_charges_total", Help: "Requests charged, by who counted: the shared counter or this node alone.",
	}, []string{"source"})
	took := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "palmares_quota_charge_seconds", Help: "Time to charge a request.",
		Buckets: prometheus.ExponentialBuckets(0.00005, 2.5, 11), // to 0.48 s, beyond the default wait
	})
	shared, local := charges.WithLabelValues("shared"), charges.WithLabelValues("local")
	o.Observe = func(together bool, d time.Duration) {
		if together {
			shared.Inc()
		} else {
			local.Inc()
		}
		took.Observe(d.Seconds())
	}
	meter := quota.New(o)
	registry.MustRegister(charges, took, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "palmares_quota_shared", Help: "1 while quotas are counted over all nodes, else 0.",
	}, func() float64 {
		if meter.Shared() != nil {
			return 0
		}
		return 1
	}))
	return meter, counter, nil
}

// newKeys wires the database's keys into those that a node holds, and shows them.
func newKeys(db *postgres.DB, file string, logger *slog.Logger, registry prometheus.Registerer) *live.Keys {
	load := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "palmares_keys_load_seconds", Help: "Time to read all API keys from the database.",
		Buckets: prometheus.ExponentialBuckets(0.01, 4, 8),
	})
	refreshes := prometheus.NewCounter(prometheus.CounterOpts{
		Name: "palmares_key_refreshes_total", Help: "Looks at the database because of API keys that are not held.",
	})
	o := live.KeysOptions{
		Open: func(ctx context.Context) (live.KeyFeed, error) {
			feed, err := db.KeyFeed(ctx)
			if err != nil {
				return nil, err
			}
			return feed, nil
		},
		Touch: db.TouchKeys, Logger: logger,
		Loaded: func(took time.Duration) { load.Observe(took.Seconds()) }, Refreshed: refreshes.Inc,
	}
	if file != "" {
		o.File = file + ".keys"
	}
	keys := live.NewKeys(o)
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	registry.MustRegister(load, refreshes,
		gauge("palmares_keys", "API keys that this node holds.", func() float64 { n, _ := keys.Count(); return float64(n) }),
		gauge("palmares_keys_change", "The last change of access that this node knows.",
			func() float64 { _, at := keys.Count(); return float64(at.Number) }),
		gauge("palmares_keys_connected", "1 while this node hears of changes of access, else 0.", func() float64 {
			if keys.Connected() != nil {
				return 0
			}
			return 1
		}),
		gauge("palmares_keys_age_seconds", "Time since the keys were last known to be as the database has them; +Inf for never.",
			func() float64 {
				if keys.Fresh().IsZero() {
					return math.Inf(1)
				}
				return time.Since(keys.Fresh()).Seconds()
			}))
	if file != "" {
		registry.MustRegister(gauge("palmares_keys_copy_age_seconds",
			"Time for which the disk copy of the keys has been behind what this node holds; 0 while it is not.",
			func() float64 { return keys.CopyAge().Seconds() }))
	}
	return keys
}

// flushEvery is how often the use of keys is written down.
const flushEvery = time.Minute

// flush writes down which keys are used, until ctx is done.
func flush(ctx context.Context, keys *live.Keys, logger *slog.Logger) {
	write := func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := keys.Flush(ctx); err != nil {
			logger.Warn("the use of keys was not written down", "error", err)
		}
	}
	for {
		select {
		case <-ctx.Done():
			write()
			return
		case <-time.After(flushEvery):
			write()
		}
	}
}

// background runs what a node does beside answering, until stop is called.
func background(ctx context.Context, tasks ...func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	for _, task := range tasks {
		wg.Go(func() { task(ctx) })
	}
	return func() { cancel(); wg.Wait() }
}
