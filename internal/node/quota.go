package node

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/metrics"
	"github.com/palmares-hq/palmares/internal/quota"
)

// redis opens connections to Redis; nil where there is none.
func (b *builder) redis() (*quota.Redis, error) {
	if b.cfg.RedisURL == "" {
		return nil, nil
	}
	r, err := quota.NewRedisTrusting(b.cfg.RedisURL.Reveal(), b.cfg.RedisCAFile)
	if err != nil {
		return nil, err
	}
	b.atEnd(func() error { r.Close(); return nil })
	return r, nil
}

// meter gives the meter of quotas, which counts in Redis where there is one.
func (b *builder) meter() (*quota.Meter, error) {
	o := quota.Options{Secret: b.secrets.Master, Logger: b.logger, Wait: b.cfg.QuotaWait}
	redis, err := b.redis()
	switch {
	case err != nil:
		return nil, err
	case redis == nil:
		b.logger.Warn("quotas are counted on this node alone: set PALMARES_REDIS_URL to count over all nodes")
	default:
		o.Counter = redis
	}
	charges := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "palmares_quota_charges_total", Help: "Requests charged, by who counted: the shared counter or this node alone.",
	}, []string{"source"})
	took := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "palmares_quota_charge_seconds", Help: "Time to charge a request.",
		Buckets: prometheus.ExponentialBuckets(0.00005, 2.5, 11), // to 0.48 s, beyond the default wait
	})
	b.registry.MustRegister(charges, took)
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
	b.background(meter.Run)
	b.gauge("palmares_quota_shared", "1 while quotas are counted over all nodes, else 0.", metrics.Working(meter.Shared))
	return meter, nil
}

// usage gives the counting of what accounts and keys use; nil without Redis. It has
// connections of its own, so that charges, which requests wait for, never wait for it.
func (b *builder) usage() (*quota.Usage, error) {
	store, err := b.redis()
	if err != nil || store == nil {
		return nil, err
	}
	usage := quota.NewUsage(quota.UsageOptions{Store: store, Logger: b.logger})
	b.background(usage.Run)
	b.gauge("palmares_usage_pending_requests",
		"Requests counted for usage that waited on this node after the last attempt to add them to Redis.",
		func() float64 { return float64(usage.Pending()) })
	b.counter("palmares_usage_lost_requests_total",
		"Requests that are missing from usage, because Redis did not answer or too many waited.",
		func() float64 { return float64(usage.Lost()) })
	return usage, nil
}
