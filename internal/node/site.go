package node

import (
	"context"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/surface"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// addSite adds the public pages.
func (b *builder) addSite(ctx context.Context) error {
	var handler *site.Site // is there before the catalog is followed
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
		Accounts: true, Checkout: b.cfg.Sells(), Closed: !b.cfg.Open(),
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

// showRenders shows how many pages are being made, and who is sent away.
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

// warnElsewhere returns what warns when a catalog begins to lead elsewhere than to this site: at the
// start or with an edition, and not again until it says something else.
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
