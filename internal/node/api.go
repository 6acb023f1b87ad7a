package node

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/availability"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/changes"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/mcp"
	"github.com/palmares-hq/palmares/internal/metrics"
	"github.com/palmares-hq/palmares/internal/surface"
	"github.com/palmares-hq/palmares/internal/throttle"
	"github.com/palmares-hq/palmares/internal/web"
)

// addAPI adds the surface of the JSON API.
func (b *builder) addAPI(ctx context.Context) error {
	db, err := b.database(ctx, apiPool)
	if err != nil {
		return err
	}
	var handler *api.API // set before the catalog is followed
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

// changes returns the reader of the change log, which queries the database for entries that the snapshot lacks.
func (b *builder) changes(ctx context.Context, c changes.Catalog) (*changes.Reader, error) {
	log, err := b.database(ctx, changesPool)
	if err != nil {
		return nil, err
	}
	r := changes.NewReader(c, log.Catalog)
	r.Queue = logQueue{limit.NewQueue(limit.QueueOptions{Slots: changesTurns, PerClient: 1, Wait: changesPool.patience})}
	answers := metrics.NewCounters(b.registry, "palmares_changes_total",
		"Answers of the change log that a node could not give from memory at once, by outcome.", "outcome", changes.Outcomes()...)
	r.Answered = func(outcome string) { answers.WithLabelValues(outcome).Inc() }
	return r, nil
}

// logQueue shares the connections of changesPool out: a network gets all but one, and the last is left for another
// network. It limits waits for the database, not CPU time.
type logQueue struct{ queue *limit.Queue }

// Enter implements changes.Queue.
func (l logQueue) Enter(ctx context.Context, who changes.Asker) (leave func(), err error) {
	return l.queue.Enter(ctx, limit.Caller(who)) //nolint:wrapcheck // the error is complete
}

// addMCP adds the surface for agents, with the keys and quotas of the API.
func (b *builder) addMCP(handler *api.API, catalog mcp.Catalog, changed *changes.Reader) {
	const unknown = "unknown" // a tool that does not exist
	calls := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "palmares_mcp_calls_total", Help: "Calls of tools by agents, by tool and outcome.",
	}, []string{"tool", "outcome"})
	b.registry.MustRegister(calls)
	for _, tool := range append(mcp.Names(), unknown) { // a rate needs the initial zero
		for _, outcome := range mcp.Outcomes() {
			calls.WithLabelValues(tool, outcome)
		}
	}
	server := mcp.New(mcp.Options{
		Catalog: catalog, Changes: changed, API: handler, BaseURL: b.cfg.Base(), Version: b.version,
		Called: func(tool, outcome string) {
			if tool == "" {
				tool = unknown
			}
			calls.WithLabelValues(tool, outcome).Inc()
		},
		Panicked: func(tool string, value any, stack []byte) {
			b.logger.Error("a tool of agents panicked", "tool", tool, "panic", value, "stack", string(stack))
		},
	})
	b.gauge("palmares_mcp_running", "Messages of agents that are being answered.",
		func() float64 { running, _, _ := server.QueueStats(); return float64(running) })
	b.counter("palmares_mcp_refused_total", "Messages of agents answered 503 because their network had its turns for 2 s.",
		func() float64 { _, _, refused := server.QueueStats(); return float64(refused) })
	b.mount(surface.MCP(server))
	b.addDocuments(catalog)
}

// addDocuments adds the documents through which programs discover the API and the MCP server. Only the first call on a
// node does anything.
func (b *builder) addDocuments(catalog mcp.Catalog) {
	if b.documents {
		return
	}
	b.documents = true
	b.mount(surface.Documents(mcp.NewDocuments(catalog, b.cfg.Base(), b.version, b.cfg.PurgeURL != "")))
}

// files returns the cache of files for download, which all roles share; it is made on the first call.
func (b *builder) files(c export.Catalog) *export.Cache {
	if b.keeper != nil {
		return b.keeper
	}
	b.keeper = export.NewCache(c, func(f export.File, err error) {
		b.logger.Error("file for download not made: that of an edition before is served, or none", "file", f.Name(), "error", err)
	})
	b.atEnd(b.keeper.Close)
	stats := b.keeper.Stats
	b.gauge("palmares_export_bytes", "Memory that files for download take, compressed.",
		func() float64 { return float64(stats().Bytes) })
	b.gauge("palmares_export_files", "Files for download that are kept.",
		func() float64 { return float64(stats().Files) })
	b.gauge("palmares_export_waiting", "Files for download that wait to be made.",
		func() float64 { return float64(stats().Waiting) })
	b.counter("palmares_export_made_total", "Files for download that were made.",
		func() float64 { return float64(stats().Made) })
	b.counter("palmares_export_failed_total", "Files for download that could not be made.",
		func() float64 { return float64(stats().Failed) })
	b.counter("palmares_export_seconds_total", "Time that it took to make files for download, pauses included.",
		func() float64 { return stats().Seconds })
	return b.keeper
}

// recordAnswers adds the task that records how many responses of the API failed, for the status page.
func (b *builder) recordAnswers(ctx context.Context) error {
	db, err := b.database(ctx, metricsPool)
	if err != nil {
		return err
	}
	r := availability.NewRecorder(availability.Options{
		Node: rand.Text(), Sum: b.answers.Totals, Store: db.Answers, Logger: b.logger, Now: time.Now,
	})
	b.background(r.Run)
	b.gauge("palmares_answers_unwritten_seconds", "How long ago writing down what the API answered began to fail; 0 while it is written every minute.",
		func() float64 { return r.Behind().Seconds() })
	return nil
}
