package node

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/metrics"
	"github.com/palmares-hq/palmares/internal/quota"
)

// redis opens connections to Redis; nil if it is not configured.
func (b *builder) redis() (*quota.Redis, error) {
	if b.cfg.RedisURL == "" {
		return nil, nil
	}
	r, err := quota.NewRedisTrusting(b.cfg.RedisURL.Reveal(), b.cfg.RedisCAFile)
	if err != nil {
		return nil, err
	}
	if b.cfg.QuotaWait > quota.MaxWait {
		r.SetWait(b.cfg.QuotaWait)
	}
	b.atEnd(func() error { r.Close(); return nil })
	return r, nil
}

// shared returns the counter that all nodes share, and the breaker of this node's connections to Redis; nil without
// Redis. It makes them once.
func (b *builder) shared() (*quota.Redis, *quota.Breaker, error) {
	if b.quotas == nil {
		redis, err := b.redis()
		if err != nil || redis == nil {
			return nil, nil, err
		}
		b.quotas, b.breaker = redis, quota.NewBreaker(redis, b.cfg.QuotaWait, b.logger)
		b.background(b.breaker.Run)
	}
	return b.quotas, b.breaker, nil
}

// ownRedis opens connections to Redis for one use, so that no other waits for it, with the shared breaker; nil
// without Redis.
func (b *builder) ownRedis() (*quota.Redis, *quota.Breaker, error) {
	_, breaker, err := b.shared()
	if err != nil {
		return nil, nil, err
	}
	redis, err := b.redis()
	return redis, breaker, err
}

// meter returns the meter of quotas, which counts in Redis if there is one.
func (b *builder) meter() (*quota.Meter, error) {
	redis, breaker, err := b.shared()
	o := quota.Options{Secret: b.secrets.Master, Logger: b.logger, Wait: b.cfg.QuotaWait, Breaker: breaker}
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
	b.gauge("palmares_quota_shared", "1 while quotas are counted over all nodes, else 0.", metrics.Working(meter.Shared))
	return meter, nil
}

// usage returns the counter of requests by account and key; nil without Redis. It has its own connections, so that
// charges, which requests wait for, never wait for it.
func (b *builder) usage() (*quota.Usage, error) {
	store, breaker, err := b.ownRedis()
	if err != nil || store == nil {
		return nil, err
	}
	usage := quota.NewUsage(quota.UsageOptions{Store: store, Logger: b.logger, Breaker: breaker})
	b.background(usage.Run)
	b.gauge("palmares_usage_pending_requests",
		"Requests counted for usage that waited on this node after the last attempt to add them to Redis.",
		func() float64 { return float64(usage.Pending()) })
	b.counter("palmares_usage_lost_requests_total",
		"Requests that are missing from usage, because Redis did not answer or too many waited.",
		func() float64 { return float64(usage.Lost()) })
	return usage, nil
}
