package node

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/palmares-hq/palmares/internal/availability"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/metrics"
	"github.com/palmares-hq/palmares/internal/purge"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/report"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/site/about"
	"github.com/palmares-hq/palmares/internal/surface"
	"github.com/palmares-hq/palmares/internal/throttle"
	"github.com/palmares-hq/palmares/internal/workers"
)

// addSite adds the surface of the public pages.
func (b *builder) addSite(ctx context.Context) error {
	var handler *site.Site // set before the catalog is followed
	warn := b.warnElsewhere()
	follower, err := b.catalog(ctx, func(s *catalog.Snapshot, t *throttle.Throttle) {
		warn(s.Service())
		handler.Prepare(s, t)
	})
	if err != nil {
		return err
	}
	status, err := b.status(ctx)
	if err != nil {
		return err
	}
	reports, err := b.reports(ctx)
	if err != nil {
		return err
	}
	handler, err = site.New(site.Options{
		Catalog: follower, Files: b.files(follower), API: surface.Described(b.cfg.Base(), b.api), MCP: surface.Asked(b.cfg.Base()), BaseURL: b.cfg.Base(), Subdomains: b.cfg.HSTSSubdomains, Contact: b.cfg.Contact, Cache: b.cfg.CacheMB << 20,
		Accounts: true, Checkout: b.cfg.Sells(), VAT: b.cfg.SellerVAT, Closed: !b.cfg.Open(),
		Privacy: surface.Privacy(b.cfg), Status: status, Reports: reports, Sent: b.countForms(), Tags: b.cfg.PurgeURL != "",
	})
	if err != nil {
		return err
	}
	b.gauge("palmares_site_cache_bytes", "Memory that ready pages take.",
		func() float64 { bytes, _ := handler.CacheStats(); return float64(bytes) })
	b.gauge("palmares_site_cache_pages", "Pages kept ready.",
		func() float64 { _, pages := handler.CacheStats(); return float64(pages) })
	b.showRenders(handler)
	b.mount(surface.Site(handler, follower.Ready))
	b.addDocuments(follower)
	return nil
}

// showRenders registers the gauges and counters of pages being made and of requests for them that were refused.
func (b *builder) showRenders(s *site.Site) {
	b.gauge("palmares_site_renders", "Pages that are being made.",
		func() float64 { running, _, _ := s.RenderStats(); return float64(running) })
	b.gauge("palmares_site_renders_waiting", "Readers who wait for their turn to have a page made.",
		func() float64 { _, waiting, _ := s.RenderStats(); return float64(waiting) })
	b.gauge("palmares_site_searches", "Pages of what readers search for that are being made.",
		func() float64 { running, _, _ := s.SearchStats(); return float64(running) })
	b.counter("palmares_site_searches_refused_total", "Searches on pages answered 503 because four were being made.",
		func() float64 { _, _, refused := s.SearchStats(); return float64(refused) })
	b.counter("palmares_site_renders_refused_total", "Requests for pages answered 503 because their network had its turns for 2 s.",
		func() float64 { _, _, refused := s.RenderStats(); return float64(refused) })
}

// warnElsewhere returns a function that logs a warning when the catalog's links lead to another site than this one. It
// is called with each edition, and logs again only when the warning changes.
func (b *builder) warnElsewhere() func(catalog.Service) {
	last := ""
	return func(s catalog.Service) {
		warning := site.Elsewhere(s, b.cfg.Base())
		if warning != last && warning != "" {
			b.logger.Warn(warning)
		}
		last = warning
	}
}

// statusPool is for the status page, which makes one query at a time.
var statusPool = pool{"palmares status", 1, requestPatience}

// status returns the data sources of the status page.
func (b *builder) status(ctx context.Context) (about.StatusSources, error) {
	db, err := b.database(ctx, statusPool)
	if err != nil {
		return about.StatusSources{}, err
	}
	var unknown atomic.Bool // the last lag was unknown, and this has been logged
	return about.StatusSources{API: b.latency, WebhookLag: func(ctx context.Context) (time.Duration, error) {
		lag, err := workers.DeliveryLag(ctx, db.Webhooks, time.Now())
		switch was := unknown.Swap(err != nil); {
		case err != nil && !was:
			b.logger.Warn("the page about the status says that the lag of webhooks is unknown", "error", err)
		case err == nil && was:
			b.logger.Info("the page about the status knows the lag of webhooks again")
		}
		return lag, err
	}, Availability: func(ctx context.Context) (availability.Summary, error) {
		now := time.Now()
		first, hours, err := db.Answers.Hours(ctx, now.Add(-availability.Over-time.Hour))
		if err != nil {
			return availability.Summary{}, err
		}
		return availability.Summarize(first, hours, now), nil
	}}, nil
}

// purgePool is for purging a shared cache: a connection is held during the request to the cache.
var purgePool = pool{"palmares purge", 2, 0}

// addPurge adds the task that purges from a shared cache what an edition changes, if a cache is configured.
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

// reportPool is for the form with which readers report errors. One connection is enough, because reports are stored
// one at a time. They have a pool of their own so that a flood of them delays no other request.
var reportPool = pool{"palmares reports", 1, requestPatience}

// reports returns the service that stores the errors that readers report.
func (b *builder) reports(ctx context.Context) (site.Reports, error) {
	db, err := b.database(ctx, reportPool)
	if err != nil {
		return nil, err
	}
	redis, breaker, err := b.ownRedis()
	if err != nil {
		return nil, err
	}
	return report.NewService(report.Options{
		Store: db.Reports, Secrets: b.secrets.Ring,
		Limits: quota.NewHourly(quota.HourlyOptions{
			Redis: redis, Secret: b.secrets.Master, Logger: b.logger, Wait: b.cfg.QuotaWait, Breaker: breaker,
		}),
	}), nil
}

// countForms registers the counter of error reports by outcome, and returns the function that counts one.
func (b *builder) countForms() func(outcome string) {
	outcomes := metrics.NewCounters(b.registry, "palmares_reports_total",
		"Reports of errors, by what came of them: stored, faulty, limited, full, trapped (filled in by a program), failed.", "outcome", site.Outcomes()...)
	return func(outcome string) { outcomes.WithLabelValues(outcome).Inc() }
}
