package node

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/jobs"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/logging"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/services"
	"github.com/palmares-hq/palmares/internal/surface"
	"github.com/palmares-hq/palmares/internal/throttle"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/web/server"
	"github.com/palmares-hq/palmares/internal/workers"
)

// A builder collects the components of a node. Each role adds its own; those that several roles need, such as the
// catalog, are made on first use.
type builder struct {
	cfg      config.Serve
	version  string
	logger   *slog.Logger
	registry *prometheus.Registry
	tracing  trace.TracerProvider
	share    descriptors
	// watchEvery is how often gauges are read from engines.
	watchEvery time.Duration
	// openAfter is how long the public address stays closed while there is nothing to load.
	openAfter     time.Duration
	purgePasses   []time.Duration   // when a shared cache is purged after an edition
	public, admin *surface.Listener // public is nil if there is no surface
	loading       []func() bool     // each reports whether something that requests need is still loading

	collector *collector // sets the garbage collector

	surfaces []surface.Surface
	tasks    []func(context.Context) // run until the node has drained
	jobs     []jobs.Group
	impaired []func() error // each returns a fault on which readiness does not depend, or nil
	closers  []func() error // close runs them in reverse order

	databases map[pool]*postgres.DB
	schema    schemaState
	quotas    *quota.Redis   // counts quotas; nil without Redis
	breaker   *quota.Breaker // of the connections to Redis; nil without Redis
	follower  *live.Catalog  // of the catalog
	api       http.Handler   // the JSON interface; nil without the role api
	latency   *web.Latency   // of its responses; nil without the role api
	answers   *web.Answers   // counts its responses; nil without the role api
	keeper    *export.Cache  // of files for download
	documents bool           // addDocuments has been called
	prepare   []func(s *catalog.Snapshot, t *throttle.Throttle)

	secrets    *services.Secrets
	accountsOn map[pool]*services.Accounts
	mailJobs   *workers.Mails // nil without the role worker

	payments     *billing.Service
	countBilling func(what string)            // nil without a provider
	texts        func() billing.OperatorTexts // the texts that orders refer to; nil if the node takes no orders
}

func (b *builder) mount(s surface.Surface)            { b.surfaces = append(b.surfaces, s) }
func (b *builder) background(t func(context.Context)) { b.tasks = append(b.tasks, t) }
func (b *builder) atEnd(end func() error)             { b.closers = append(b.closers, end) }

// close closes everything that was opened, in reverse order.
func (b *builder) close() error {
	var errs []error
	for _, end := range slices.Backward(b.closers) {
		errs = append(errs, end())
	}
	b.closers = nil
	return errors.Join(errs...)
}

// A pool is a set of database connections for one use, so that no use waits for another.
type pool struct {
	name  string // application_name in pg_stat_activity
	conns int    // the most connections
	// patience is the timeout of a statement, and of a new connection; 0 is none. Pools that requests wait for have
	// one, so that PostgreSQL gives up no later than the requests do.
	patience time.Duration
}

// requestPatience is the timeout of the pools that requests wait for.
const requestPatience = 5 * time.Second

// apiPool is for the API: it records the use of keys, and usage reports read the names of keys through it. No other
// request waits for it. Editions and changes of access are followed on connections of their own.
var apiPool = pool{"palmares api", 2, requestPatience}

// changesPool is for requests for entries of the change log that a node does not hold. They time out after a second.
// They share changesTurns connections; one more is for looking up the end of the log, whose result all share.
var changesPool = pool{"palmares changes", changesTurns + 1, time.Second}

const changesTurns = 2

// metricsPool is for the checks and gauges of every node, whatever its roles. Its one connection is separate, so that
// no request or job waits for it.
var metricsPool = pool{"palmares metrics", 1, requestPatience}

// workerPool returns the pool for jobs.
func (b *builder) workerPool() pool { return pool{"palmares worker", b.cfg.DBConns, 0} }

// database returns the connections of a pool, opened when first needed.
func (b *builder) database(ctx context.Context, p pool) (*postgres.DB, error) {
	if db := b.databases[p]; db != nil {
		return db, nil
	}
	db, err := postgres.Open(ctx, b.cfg.URL.Reveal(), postgres.Options{
		Name: p.name, Conns: p.conns, Patience: p.patience, Tracer: b.tracing,
	})
	if err != nil {
		return nil, err
	}
	b.atEnd(func() error { db.Close(); return nil })
	if b.databases == nil {
		b.databases = make(map[pool]*postgres.DB)
	}
	b.databases[p] = db
	return db, nil
}

// gauge registers a gauge whose value is read with each scrape.
func (b *builder) gauge(name, help string, value func() float64) {
	b.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
}

// counter registers a counter whose value is read with each scrape.
func (b *builder) counter(name, help string, value func() float64) {
	b.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, value))
}

// openLog opens the node's log on out. Logging never blocks.
func (b *builder) openLog(out io.Writer) {
	var buffer *logging.Buffer
	b.logger, buffer = newLogger(out, b.cfg.Log)
	b.atEnd(buffer.Close)
	b.counter("palmares_log_lines_dropped_total",
		"Log lines that were lost because nobody read the log, or it could not be written.",
		func() float64 { return float64(buffer.Dropped()) })
}

func newLogger(out io.Writer, c config.Log) (*slog.Logger, *logging.Buffer) {
	buffer := logging.NewBuffer(out)
	return slog.New(logging.NewHandler(buffer, c.LogFormat != "text", &slog.HandlerOptions{Level: c.LogLevel})), buffer
}

// publicServer returns the server that serves the surfaces on the public address.
func (b *builder) publicServer(o server.Options, proxies web.Proxies) (_ *server.Server, err error) {
	o.Logger, o.Registry = b.logger, b.registry
	if o.Handler, err = surface.Handler(b.surfaces, surface.Options{
		Logger: b.logger, Registry: b.registry, Proxies: proxies, Tracing: b.tracing, Ratio: b.cfg.TraceRatio,
	}); err != nil {
		return nil, err
	}
	return server.New(o), nil
}

// takeAddresses binds the addresses of the node. It comes first, so that an address in use is reported before the node
// waits for an engine.
func (b *builder) takeAddresses(ctx context.Context, public bool) (err error) {
	take := func(address, setting string) (*surface.Listener, error) {
		l, err := surface.Bind(ctx, address, setting)
		if err != nil {
			return nil, err
		}
		b.atEnd(func() error { return surface.Close(l) }) // in case no server has closed it
		return l, nil
	}
	if public {
		if b.public, err = take(b.cfg.Listen, "PALMARES_LISTEN"); err != nil {
			return err
		}
	}
	b.admin, err = take(b.cfg.AdminListen, "PALMARES_ADMIN_LISTEN")
	return err
}

// defaultBaseURL sets a missing base URL to the listener's address, if the listener is on loopback and there is no proxy.
// Otherwise it only warns, because clients use a name that the node cannot know.
func (b *builder) defaultBaseURL(proxies web.Proxies) {
	if b.cfg.Base() != "" || b.public == nil && b.cfg.SMTPURL == "" { // a worker needs it only for mail
		return
	}
	if b.public != nil && surface.Loopback(b.public) && len(proxies) == 0 {
		b.cfg.BaseURL = surface.URL(b.public)
		b.logger.Warn("PALMARES_BASE_URL is not set: links and samples name the address that this node listens on, "+
			"which works on this machine alone", "base_url", b.cfg.BaseURL)
		return
	}
	b.logger.Warn("PALMARES_BASE_URL is not set: pages name the address in catalog.yaml, other links are relative, " +
		"and nobody can sign in; set it to the address that the public uses")
}
