package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/metrics"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/services"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// keys returns the API keys, which follow the changes of access in the database.
func (b *builder) keys(db *postgres.DB) *live.Keys {
	load := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "palmares_keys_load_seconds", Help: "Time to read all API keys from the database.",
		Buckets: prometheus.ExponentialBuckets(0.01, 4, 8),
	})
	refreshes := prometheus.NewCounter(prometheus.CounterOpts{
		Name: "palmares_key_refreshes_total", Help: "Looks at the database because of API keys that are not held.",
	})
	b.registry.MustRegister(load, refreshes)
	o := live.KeysOptions{
		Open: func(ctx context.Context) (live.KeyFeed, error) {
			feed, err := db.Keys.Feed(ctx)
			if err != nil {
				return nil, err
			}
			return feed, nil
		},
		Touch: db.Keys.Touch, Logger: b.logger,
		Loaded: func(took time.Duration) { load.Observe(took.Seconds()) }, Refreshed: refreshes.Inc,
	}
	if b.cfg.SnapshotFile != "" {
		o.File = b.cfg.SnapshotFile + ".keys"
	}
	keys := live.NewKeys(o)
	b.background(keys.Run)
	b.loading = append(b.loading, keys.Loading)
	b.background(func(ctx context.Context) { noteUse(ctx, keys, b.logger) })
	b.showKeys(keys)
	return keys
}

func (b *builder) showKeys(keys *live.Keys) {
	b.gauge("palmares_keys", "API keys that this node holds.", func() float64 { n, _ := keys.Count(); return float64(n) })
	b.gauge("palmares_keys_change", "The last change of access that this node knows.",
		func() float64 { _, at := keys.Count(); return float64(at.Number) })
	b.gauge("palmares_keys_connected", "1 while this node hears of changes of access, else 0.", metrics.Working(keys.Connected))
	b.gauge("palmares_keys_age_seconds", "Time since the keys were last known to be as the database has them; +Inf for never.",
		func() float64 {
			if keys.Fresh().IsZero() {
				return math.Inf(1)
			}
			return time.Since(keys.Fresh()).Seconds()
		})
	if b.cfg.SnapshotFile != "" {
		b.gauge("palmares_keys_copy_age_seconds",
			"Time for which the disk copy of the keys has been behind what this node holds; 0 while it is not.",
			func() float64 { return keys.CopyAge().Seconds() })
	}
}

// useEvery is how often the use of keys is written to the database.
const useEvery = time.Minute

// noteUse writes to the database every minute which keys were used, until ctx is done, and then once more.
func noteUse(ctx context.Context, keys *live.Keys, logger *slog.Logger) {
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
		case <-time.After(useEvery):
			write()
		}
	}
}

// accounts returns the account services on the connections of a pool, made on the first call. Those of the worker pool
// can also read usage, to mail owners about it, if tellsUsage.
func (b *builder) accounts(ctx context.Context, p pool) (*services.Accounts, error) {
	if made := b.accountsOn[p]; made != nil {
		return made, nil
	}
	db, err := b.database(ctx, p)
	if err != nil {
		return nil, err
	}
	blocked, err := b.cfg.Blocked()
	if err != nil {
		return nil, err
	}
	var counters account.UsageCounters
	if p == b.workerPool() && b.tellsUsage() {
		if counters, err = b.redis(); err != nil {
			return nil, err
		}
	}
	if b.accountsOn == nil {
		b.accountsOn = make(map[pool]*services.Accounts)
	}
	b.accountsOn[p] = services.NewAccounts(db, b.secrets, services.SignUp{Open: b.cfg.Open(), Blocked: blocked}, counters)
	return b.accountsOn[p], nil
}

// tellsUsage reports whether the settings allow mailing owners who are near their limit.
func (b *builder) tellsUsage() bool {
	return b.cfg.SMTPURL != "" && b.cfg.RedisURL != "" && b.cfg.Base() != ""
}

// requireDatabaseSecret returns a function that fails with account.ErrOtherSecret unless this node has the secret of the database,
// because links made with another secret would not work on any other node.
func (b *builder) requireDatabaseSecret(store webhook.CanaryStore) func(context.Context) error {
	return func(ctx context.Context) error {
		err := webhook.CheckSecret(ctx, store, b.secrets.Webhooks, time.Now())
		if errors.Is(err, webhook.ErrWrongSecret) {
			return fmt.Errorf("%w: %w", account.ErrOtherSecret, err)
		}
		return err
	}
}
