package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/config"
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

// newKeyring wires the database's keys into a keyring.
func newKeyring(db *postgres.DB, registry prometheus.Registerer) *api.Keyring {
	lookups := prometheus.NewCounter(prometheus.CounterOpts{
		Name: "palmares_key_lookups_total", Help: "Look-ups of API keys in the database.",
	})
	registry.MustRegister(lookups)
	return api.NewKeyring(api.KeyringOptions{Keys: db, Looked: lookups.Inc})
}

// flushEvery is how often the use of keys is written down.
const flushEvery = time.Minute

// flush writes down which keys are used, until ctx is done.
func flush(ctx context.Context, keys *api.Keyring, logger *slog.Logger) {
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
