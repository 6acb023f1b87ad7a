package node

import (
	"context"
	"errors"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/surface"
	"github.com/palmares-hq/palmares/internal/throttle"
	"github.com/palmares-hq/palmares/internal/web"
)

// addAPI adds the JSON interface.
func (b *builder) addAPI(ctx context.Context) error {
	db, err := b.database(ctx, apiPool)
	if err != nil {
		return err
	}
	var handler *api.API // is there before the catalog is followed
	follower, err := b.catalog(ctx, func(s *catalog.Snapshot, t *throttle.Throttle) { handler.Prepare(s, t) })
	if err != nil {
		return err
	}
	keys := b.keys(db)
	meter, err := b.meter()
	if err != nil {
		return err
	}
	usage, err := b.usage()
	if err != nil {
		return err
	}
	accounts, err := b.accounts(ctx, apiPool)
	if err != nil {
		return err
	}
	handler, err = api.New(api.Options{
		Catalog: follower, Auth: api.NewKeyAuthenticator(keys), Meter: meter, Usage: usage,
		KeyNames: accounts.Service,
		Cache:    b.cfg.CacheMB << 20, BaseURL: b.cfg.Base(), Closed: !b.cfg.Open(),
	})
	if err != nil {
		return err
	}
	b.gauge("palmares_cache_bytes", "Memory that ready answers take.",
		func() float64 { bytes, _ := handler.CacheStats(); return float64(bytes) })
	b.gauge("palmares_cache_answers", "Answers kept ready.",
		func() float64 { _, answers := handler.CacheStats(); return float64(answers) })
	b.counter("palmares_responses_uncompressed_total",
		"Responses sent uncompressed because too many had to be compressed at once.",
		func() float64 { return float64(handler.Uncompressed()) })
	b.api = handler
	b.latency = web.NewLatency(nil)
	b.mount(surface.API(handler, b.latency, func() error { return errors.Join(follower.Ready(), keys.Ready()) }))
	return nil
}
