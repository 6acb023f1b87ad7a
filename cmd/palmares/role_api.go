package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/web"
)

// apiConns is how many connections the api role has beside those on which it follows
// editions and keys. They note the use of keys, and a report of usage reads the names of
// keys by them; no other request waits for them.
const apiConns = 2

// api is the role that answers requests.
func (s service) api(ctx context.Context) (r role, end func(), err error) {
	if s.cfg.SnapshotFile == "" {
		s.logger.Warn("no disk copy of the catalog is kept: this node cannot start without the database; set PALMARES_SNAPSHOT_FILE")
	}
	db, err := s.open(ctx, "palmares api", apiConns)
	if err != nil {
		return role{}, nil, err
	}
	keys := newKeys(db, s.cfg.SnapshotFile, s.logger, s.registry)
	meter, counter, err := newMeter(s.cfg, s.logger, s.registry)
	if err != nil {
		return role{}, nil, err
	}
	usage, usageStore, err := newUsage(s.cfg, s.logger, s.registry)
	if err != nil {
		return role{}, nil, err
	}
	end = func() {
		for _, redis := range []*quota.Redis{counter, usageStore} {
			if redis != nil {
				redis.Close()
			}
		}
		db.Close()
	}
	var handler *api.API // is there before the node runs
	node := newNode(nodeOptions{
		db: db, file: s.cfg.SnapshotFile, logger: s.logger, registry: s.registry,
		prepare: func(s *catalog.Snapshot) { handler.Prepare(s) },
	})
	handler, err = api.New(api.Options{
		Catalog: node, Callers: api.NewKeyring(keys), Meter: meter, Usage: usage, KeyNames: db,
		Cache: s.cfg.CacheMB << 20, BaseURL: s.cfg.Base(),
	})
	if err != nil {
		return role{}, nil, err
	}
	registerCache(s.registry, handler)
	observer := web.NewObserver(web.ObserverOptions{
		Logger: s.logger, Registry: s.registry, Proxies: s.proxies, WriteError: handler.WriteError,
	})
	public, err := listen(ctx, s.cfg.Listen, "PALMARES_LISTEN")
	if err != nil {
		return role{}, nil, err
	}
	var draining atomic.Bool
	r.ready = func() error {
		if draining.Load() {
			return errors.New("draining: this node is about to stop")
		}
		return errors.Join(node.Ready(), keys.Ready())
	}
	r.tasks = []func(context.Context){node.Run, keys.Run, meter.Run, func(ctx context.Context) { flush(ctx, keys, s.logger) }}
	if usage != nil {
		r.tasks = append(r.tasks, usage.Run)
	}
	r.server = web.NewServer(web.ServerOptions{
		Name: "public", Listeners: []net.Listener{public}, Logger: s.logger, Wire: true,
		MaxConns: s.share.public, Registry: s.registry,
		Handler:    observer.Wrap(web.Trace(web.TraceOptions{Provider: s.tracing, Ratio: s.cfg.TraceRatio}, handler)),
		OnDrain:    func() { draining.Store(true) },
		DrainDelay: s.cfg.DrainDelay,
	})
	return r, end, nil
}

// registerCache shows what the ready answers take.
func registerCache(registry prometheus.Registerer, handler *api.API) {
	registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "palmares_cache_bytes", Help: "Memory that ready answers take.",
		}, func() float64 { bytes, _ := handler.CacheStats(); return float64(bytes) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "palmares_cache_answers", Help: "Answers kept ready.",
		}, func() float64 { _, answers := handler.CacheStats(); return float64(answers) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "palmares_responses_uncompressed_total", Help: "Responses sent uncompressed because too many had to be compressed at once.",
		}, func() float64 { return float64(handler.Uncompressed()) }))
}

type nodeOptions struct {
	db       *postgres.DB
	file     string
	logger   *slog.Logger
	registry prometheus.Registerer
	prepare  func(*catalog.Snapshot)
}

// newNode wires the database's feed into a node and counts what it does.
func newNode(o nodeOptions) *live.Node {
	fetch := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "palmares_edition_fetch_seconds", Help: "Time to read an edition's changes from the database.",
		Buckets: prometheus.ExponentialBuckets(0.001, 4, 9),
	})
	build := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "palmares_edition_build_seconds", Help: "Time to make a snapshot of them.",
		Buckets: prometheus.ExponentialBuckets(0.001, 4, 9),
	})
	var tooOld sync.Once
	node := live.New(live.Options{
		Open: func(ctx context.Context) (live.Feed, error) {
			feed, err := o.db.Feed(ctx)
			if errors.Is(err, postgres.ErrProgramTooOld) { // known only now: the database was down at the start
				tooOld.Do(func() { o.logger.Error("no edition is followed any more", "error", err) })
			}
			if err != nil {
				return nil, err
			}
			return feed, nil
		},
		File:    o.file,
		Logger:  o.logger,
		Prepare: o.prepare,
		Swapped: func(s live.Swap) {
			fetch.Observe(s.Fetch.Seconds())
			build.Observe(s.Build.Seconds())
		},
	})
	o.registry.MustRegister(fetch, build,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "palmares_edition", Help: "The edition this node serves; 0 is none.",
		}, func() float64 { return float64(node.Current().Edition().Number) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "palmares_feed_connected", Help: "1 while this node hears of new editions, else 0.",
		}, func() float64 {
			if node.Connected() != nil {
				return 0
			}
			return 1
		}))
	if o.file != "" {
		o.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "palmares_snapshot_copy_edition", Help: "The edition that the disk copy holds; 0 is none.",
		}, func() float64 { return float64(node.CopyEdition()) }))
	}
	return node
}
