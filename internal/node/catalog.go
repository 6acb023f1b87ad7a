package node

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/metrics"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// catalog returns the catalog, which follows the published editions; it is made on the first call. Each snapshot is
// passed to prepare before it is served; nil prepares nothing.
func (b *builder) catalog(ctx context.Context, prepare func(s *catalog.Snapshot, t *throttle.Throttle)) (*live.Catalog, error) {
	if prepare != nil {
		b.prepare = append(b.prepare, prepare)
	}
	if b.follower != nil {
		return b.follower, nil
	}
	db, err := b.database(ctx, apiPool)
	if err != nil {
		return nil, err
	}
	if b.cfg.SnapshotFile == "" {
		b.logger.Warn("no disk copy of the catalog is kept: " +
			"this node cannot start without the database; set PALMARES_SNAPSHOT_FILE")
	}
	fetch, build := b.editionTimes()
	b.follower = live.New(live.Options{
		Open:    b.openFeed(db),
		File:    b.cfg.SnapshotFile,
		Logger:  b.logger,
		Loading: b.collector.loading,
		Prepare: func(s *catalog.Snapshot, t *throttle.Throttle) {
			for _, p := range b.prepare {
				p(s, t)
			}
		},
		Swapped: func(s live.Swap) {
			fetch.Observe(s.Fetch.Seconds())
			build.Observe(s.Build.Seconds())
		},
	})
	b.background(b.follower.Run)
	b.loading = append(b.loading, b.follower.Loading)
	b.showCatalog(b.follower)
	return b.follower, nil
}

// openFeed returns a function that opens the feed of editions. A node that started while the database was down finds
// out here whether it is too old for the database.
func (b *builder) openFeed(db *postgres.DB) func(context.Context) (live.Feed, error) {
	var once sync.Once
	return func(ctx context.Context) (live.Feed, error) {
		feed, err := db.Catalog.Feed(ctx)
		b.schema.set(b.logger, err)
		if errors.Is(err, postgres.ErrProgramTooOld) {
			once.Do(func() { b.logger.Error("no edition is followed any more", "error", err) })
		}
		if err != nil {
			return nil, err
		}
		return feed, nil
	}
}

func (b *builder) editionTimes() (fetch, build prometheus.Histogram) {
	buckets := prometheus.ExponentialBuckets(0.001, 4, 9)
	fetch = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "palmares_edition_fetch_seconds", Buckets: buckets,
		Help: "Time to read an edition's changes from the database.",
	})
	build = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "palmares_edition_build_seconds", Help: "Time to make a snapshot of them, rests included.", Buckets: buckets,
	})
	b.registry.MustRegister(fetch, build)
	return fetch, build
}

func (b *builder) showCatalog(n *live.Catalog) {
	b.gauge("palmares_edition", "The edition this node serves; 0 is none.",
		func() float64 { return float64(n.Current().Edition().Number) })
	b.gauge("palmares_feed_connected", "1 while this node hears of new editions, else 0.", metrics.Working(n.Connected))
	if b.cfg.SnapshotFile != "" {
		b.gauge("palmares_snapshot_copy_edition", "The edition that the disk copy holds; 0 is none.",
			func() float64 { return float64(n.CopyEdition()) })
		b.gauge("palmares_snapshot_copy_age_seconds",
			"Time for which the disk copy of the catalog has been behind what this node serves; 0 while it is not.",
			func() float64 { return n.CopyAge().Seconds() })
	}
	b.showFacts(n)
}

// overdueAfter is the age in days beyond which a check is overdue, as in palmares stale.
const overdueAfter = 90

// A factCount counts the values of the catalog by the age of their checks. It reads each edition once.
type factCount struct {
	catalog *live.Catalog
	now     func() time.Time

	mu      sync.Mutex
	edition catalog.Edition
	stats   []catalog.FactStats
}

// The states of values.
const (
	factFresh     = "fresh"
	factOverdue   = "overdue"
	factUnsourced = "unsourced"
)

// count returns how many values are in a state.
func (f *factCount) count(state string) float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.catalog.Current()
	if s.Edition() != f.edition {
		f.edition, f.stats = s.Edition(), s.FactStats()
	}
	today := catalog.DateOf(f.now())
	n := 0
	for _, stats := range f.stats {
		if state == factUnsourced {
			n += stats.Total - stats.Sourced
			continue
		}
		for _, d := range stats.Days {
			if overdue := (catalog.Fact{Checked: d.Day}).Age(today) > overdueAfter; overdue == (state == factOverdue) {
				n += d.Count
			}
		}
	}
	return float64(n)
}

// showFacts registers the gauges that count the catalog's values by state, to show how many should be checked again.
func (b *builder) showFacts(c *live.Catalog) {
	facts := &factCount{catalog: c, now: time.Now}
	for _, state := range []string{factFresh, factOverdue, factUnsourced} {
		b.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "palmares_facts", Help: "Values of the catalog: sourced and checked within 90 days (fresh) or not (overdue), or without a source.",
			ConstLabels: prometheus.Labels{"state": state},
		}, func() float64 { return facts.count(state) }))
	}
}
