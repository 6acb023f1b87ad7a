package node

import (
	"context"
	"errors"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/changes"
	"github.com/palmares-hq/palmares/internal/metrics"
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
	log, err := b.database(ctx, changesPool)
	if err != nil {
		return err
	}
	changed := changes.NewReader(follower, log.Catalog)
	answers := metrics.NewCounters(b.registry, "palmares_changes_total",
		"Answers of the change log that a node could not give from memory at once, by outcome.", "outcome", changes.Outcomes()...)
	changed.Answered = func(outcome string) { answers.WithLabelValues(outcome).Inc() }
	handler, err = api.New(api.Options{
		Catalog: follower, Auth: api.NewKeyAuthenticator(keys), Meter: meter, Usage: usage,
		KeyNames: accounts.Service, Changes: changed, Files: b.files(follower),
		Cache: b.cfg.CacheMB << 20, BaseURL: b.cfg.Base(), Closed: !b.cfg.Open(),
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
	b.gauge("palmares_downloads", "Files that are being downloaded.",
		func() float64 { running, _ := handler.Downloads(); return float64(running) })
	b.counter("palmares_downloads_refused_total", "Downloads answered 503 because all places were taken.",
		func() float64 { _, refused := handler.Downloads(); return float64(refused) })
	b.api = handler
	b.latency = web.NewLatency(nil)
	b.answers = new(web.Answers)
	answering := surface.API(handler, b.latency, func() error { return errors.Join(follower.Ready(), keys.Ready()) })
	answering.Answers = b.answers
	b.mount(answering)
	if err := b.recordAnswers(ctx); err != nil {
		return err
	}
	b.addMCP(handler, follower, changed)
	return nil
}
