package node

import (
	"context"
	"fmt"

	"github.com/palmares-hq/palmares/internal/metrics"
	"github.com/palmares-hq/palmares/internal/purge"
)

// purgePool is that of what a shared cache is told: it is held while the cache is asked.
var purgePool = pool{"palmares purge", 2, 0}

// addPurge tells the shared cache what editions change.
func (b *builder) addPurge(ctx context.Context) error {
	if b.cfg.PurgeURL == "" {
		return nil
	}
	cache, err := purge.NewCache(b.cfg.PurgeCache, b.cfg.PurgeURL, b.cfg.PurgeToken.Reveal())
	if err != nil {
		return err
	}
	db, err := b.database(ctx, purgePool)
	if err != nil {
		return err
	}
	passes := b.purgePasses
	if passes == nil {
		passes = purge.Passes()
	}
	teller := &purge.Teller{Store: db.Purges, Cache: cache, Passes: passes, Logger: b.logger}
	b.background(teller.Run)
	b.impaired = append(b.impaired, func() error {
		if err := teller.Err(); err != nil {
			return fmt.Errorf("the cache in front is not told what changes, and is out of date for an hour or longer: %w", err)
		}
		return nil
	})
	lag := metrics.NewGauge(b.registry, "palmares_purge_lag_seconds",
		"How long ago the first edition was published that the shared cache was not told of in every pass; 0 when it was told of all.")
	b.background(func(ctx context.Context) {
		metrics.Watch(ctx, b.watchEvery, func(ctx context.Context) bool {
			behind, err := db.Purges.Behind(ctx, cache.ID(), len(passes))
			metrics.Set(lag, behind.Seconds(), err)
			return err == nil
		})
	})
	return nil
}
