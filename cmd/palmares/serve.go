package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/web"
)

type serveCommand struct {
	Roles []string `default:"api" enum:"api" help:"What this node does: api."`
}

// Help is shown by palmares serve --help.
func (serveCommand) Help() string {
	return `Runs a node until it is interrupted: it follows the published editions and answers the API from memory. A node that has
a disk copy of the last edition (PALMARES_SNAPSHOT_FILE) can start while the database is down.

On SIGTERM it stops being ready, goes on answering for PALMARES_DRAIN_DELAY so that load balancers notice, finishes what it
has begun, and exits.

Variables:
  PALMARES_DATABASE_URL     the database (required)
  PALMARES_SECRET           the key of what the node signs, 32 characters at least (required)
  PALMARES_REDIS_URL        the counters of quotas, shared by all nodes; without it each node counts alone
  PALMARES_LISTEN           the public address (:8080)
  PALMARES_ADMIN_LISTEN     the operators' address: /livez /readyz /metrics /debug/pprof/ (127.0.0.1:9090)
  PALMARES_SNAPSHOT_FILE    the disk copy of the last edition; none by default
  PALMARES_CACHE_MB         megabytes of answers kept ready to be sent (64)
  PALMARES_TRUSTED_PROXIES  networks whose X-Forwarded-For is believed, by commas; none by default
  PALMARES_DRAIN_DELAY      how long to go on answering after SIGTERM (2s)
  PALMARES_LOG_LEVEL        debug, info, warn or error (info)
  PALMARES_LOG_FORMAT       json or text (json)
  PALMARES_TRACE_RATIO      the share of requests traced (0.01), once OTEL_EXPORTER_OTLP_ENDPOINT is set`
}

func (serveCommand) Run(ctx context.Context, con *console) (err error) {
	cfg, err := config.ReadServe(os.Environ())
	proxies, wrong := web.ParseProxies(cfg.TrustedProxies)
	if wrong != nil {
		err = errors.Join(err, fmt.Errorf("PALMARES_TRUSTED_PROXIES: %w", wrong))
	}
	if err != nil {
		return fmt.Errorf("configuration:\n%w", err)
	}
	logger, buffer := newLogger(con.err, cfg.Log)
	defer func() { err = errors.Join(err, buffer.Close()) }()
	logger.Info("starting", "version", currentVersion())
	if cfg.SnapshotFile == "" {
		logger.Warn("no disk copy of the catalog is kept: this node cannot start without the database; set PALMARES_SNAPSHOT_FILE")
	}

	tracing, endTracing, err := web.NewTracing(ctx, "palmares", currentVersion())
	if err != nil {
		return fmt.Errorf("setting up tracing: %w", err)
	}
	defer func() { err = errors.Join(err, endTracing(context.WithoutCancel(ctx))) }()
	db, err := postgres.Open(ctx, cfg.URL.Reveal(), postgres.Options{Tracer: tracing})
	if err != nil {
		return err
	}
	defer db.Close()

	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	keys := newKeyring(db, registry)
	meter, counter, err := newMeter(cfg, logger, registry)
	if err != nil {
		return fmt.Errorf("configuration:\n%w", err)
	}
	if counter != nil {
		defer counter.Close()
	}
	var handler *api.API // is there before the node runs
	node := newNode(nodeOptions{
		db: db, file: cfg.SnapshotFile, logger: logger, registry: registry, keys: keys,
		prepare: func(s *catalog.Snapshot) { handler.Prepare(s) },
	})
	var draining atomic.Bool
	ready := func() error {
		if draining.Load() {
			return errors.New("draining: this node is about to stop")
		}
		return node.Ready()
	}

	if handler, err = api.New(api.Options{Catalog: node, Callers: keys, Meter: meter, Cache: cfg.CacheMB << 20}); err != nil {
		return err
	}
	registerCache(registry, handler)
	observer := web.NewObserver(web.ObserverOptions{
		Logger: logger, Registry: registry, Proxies: proxies, WriteError: handler.WriteError,
	})
	public, err := listen(ctx, cfg.Listen, "PALMARES_LISTEN")
	if err != nil {
		return err
	}
	admin, err := listen(ctx, cfg.AdminListen, "PALMARES_ADMIN_LISTEN")
	if err != nil {
		return errors.Join(err, public.Close())
	}

	// All this goes on while the servers drain.
	stop := background(ctx, leaveHeadroom, node.Run, meter.Run, func(ctx context.Context) { flush(ctx, keys, logger) })
	defer stop()

	return web.Run(ctx,
		web.NewServer(web.ServerOptions{
			Name: "admin", Listeners: []net.Listener{admin}, Logger: logger,
			Handler:      web.Admin(web.AdminOptions{Ready: ready, Gatherer: registry}),
			WriteTimeout: 5 * time.Minute, // a profile takes as long as it is asked to
		}),
		web.NewServer(web.ServerOptions{
			Name: "public", Listeners: []net.Listener{public}, Logger: logger,
			Handler:    observer.Wrap(web.Trace(web.TraceOptions{Provider: tracing, Ratio: cfg.TraceRatio}, handler)),
			OnDrain:    func() { draining.Store(true) },
			DrainDelay: cfg.DrainDelay,
		}))
}

// registerCache shows what the ready answers take.
func registerCache(registry prometheus.Registerer, handler *api.API) {
	registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "palmares_cache_bytes", Help: "Memory that ready answers take.",
		}, func() float64 { bytes, _ := handler.CacheStats(); return float64(bytes) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "palmares_cache_answers", Help: "Answers kept ready.",
		}, func() float64 { _, answers := handler.CacheStats(); return float64(answers) }))
}

type nodeOptions struct {
	db       *postgres.DB
	file     string
	logger   *slog.Logger
	registry prometheus.Registerer
	keys     *api.Keyring
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
	node := live.New(live.Options{
		Open: func(ctx context.Context) (live.Feed, error) {
			feed, err := o.db.Feed(ctx)
			if err != nil {
				return nil, err
			}
			return feed, nil
		},
		Also: func(ctx context.Context, f live.Feed) error {
			feed, ok := f.(*postgres.Feed)
			if !ok {
				return fmt.Errorf("%T tells nothing of accounts", f)
			}
			return o.keys.Sync(ctx, feed)
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
	return node
}

// listen opens the address that the setting names.
func listen(ctx context.Context, address, setting string) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is taken by another program: choose another address with %s", address, setting)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	return l, nil
}
