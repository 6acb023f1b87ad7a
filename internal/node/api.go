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
	"github.com/palmares-hq/palmares/internal/web/turns"
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
	changed, err := b.changes(ctx, follower)
	if err != nil {
		return err
	}
	noPlace := metrics.NewCounters(b.registry, "palmares_downloads_refused_total",
		"Downloads answered 503, because a client had its places or the node had none.", "why", api.DownloadRefusals()...)
	handler, err = api.New(api.Options{
		Catalog: follower, Auth: api.NewKeyAuthenticator(keys), Meter: meter, Usage: usage,
		KeyNames: accounts.Service, Changes: changed, Files: b.files(follower),
		Cache: b.cfg.CacheMB << 20, BaseURL: b.cfg.Base(), Closed: !b.cfg.Open(), Tags: b.cfg.PurgeURL != "",
		DownloadRefused: func(why string) { noPlace.WithLabelValues(why).Inc() },
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
		func() float64 { return float64(handler.Downloads()) })
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

// changes reads what a snapshot does not hold of the change log.
func (b *builder) changes(ctx context.Context, c changes.Catalog) (*changes.Reader, error) {
	log, err := b.database(ctx, changesPool)
	if err != nil {
		return nil, err
	}
	r := changes.NewReader(c, log.Catalog)
	r.Turns = logTurns{turns.New(turns.Options{Slots: changesTurns, PerClient: 1, Wait: changesPool.patience})}
	answers := metrics.NewCounters(b.registry, "palmares_changes_total",
		"Answers of the change log that a node could not give from memory at once, by outcome.", "outcome", changes.Outcomes()...)
	r.Answered = func(outcome string) { answers.WithLabelValues(outcome).Inc() }
	return r, nil
}

// logTurns are turns at the connections of changesPool. A network has one at a time, and the other is left to whoever
// comes next. They are no turns at the CPU: whoever waits for one waits for an engine.
type logTurns struct{ gate *turns.Gate }

// Enter implements changes.Turns.
func (l logTurns) Enter(ctx context.Context, who changes.Asker) (leave func(), err error) {
	return l.gate.Enter(ctx, turns.Caller(who)) //nolint:wrapcheck // it says what it is
}
