package node

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/metrics"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// watchDatabase registers the gauges about the database and its server, and adds the task that updates them.
func (b *builder) watchDatabase(ctx context.Context) error {
	db, err := b.database(ctx, metricsPool)
	if err != nil {
		return err
	}
	clock := metrics.NewGauge(b.registry, "palmares_clock_offset_seconds",
		"How far the clock of this node is ahead of PostgreSQL's; negative where it is behind.")
	secret := metrics.NewGauge(b.registry, "palmares_secret_ok",
		"1 while this node has the secret of the database, 0 while it has another, NaN while that is not known.")
	archived := b.age("palmares_wal_archived_age_seconds", "How long ago PostgreSQL last archived a segment of its log; absent where it archives none.")
	dumped := b.age("palmares_backup_age_seconds", "How long ago palmares-backup last did well, or first ran if it never did; absent where it never ran.")
	b.background(func(ctx context.Context) {
		metrics.Watch(ctx, b.watchEvery, func(ctx context.Context) bool {
			offset, noClock := clockOffset(ctx, db, time.Now)
			metrics.Set(clock, offset.Seconds(), noClock)

			noSecret := webhook.CheckSecret(ctx, db.Webhooks, b.secrets.Webhooks, time.Now())
			if errors.Is(noSecret, webhook.ErrWrongSecret) {
				secret.Set(0)
				noSecret = nil
			} else {
				metrics.Set(secret, 1, noSecret)
			}

			noArchive := archived(db.Archived(ctx))
			var noDump error
			if len(b.jobs) > 0 { // one node is enough
				noDump = dumped(db.BackedUp(ctx))
			}
			return errors.Join(noClock, noSecret, noArchive, noDump) == nil
		})
	})
	return nil
}

// age registers a gauge for an age and returns the function that sets it. While the age is not known, the gauge has no
// series. set returns the error that it is given.
func (b *builder) age(name, help string) (set func(age time.Duration, known bool, err error) error) {
	gauge := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, nil)
	b.registry.MustRegister(gauge)
	return func(age time.Duration, known bool, err error) error {
		if err == nil && known {
			gauge.WithLabelValues().Set(age.Seconds())
		} else {
			gauge.Reset() // an old age would look like a fact
		}
		return err
	}
}

// clockOffset returns how far our clock is ahead of the database server's, give or take half the time of the query:
// the server reads its clock at an unknown moment during it.
func clockOffset(ctx context.Context, db *postgres.DB, now func() time.Time) (time.Duration, error) {
	before := now()
	theirs, err := db.Clock(ctx)
	if err != nil {
		return 0, err
	}
	took := now().Sub(before) // by the monotonic clock
	return before.Add(took / 2).Sub(theirs), nil
}
