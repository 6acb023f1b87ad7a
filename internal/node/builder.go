package node

import (
	"context"
	"errors"
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
	"github.com/palmares-hq/palmares/internal/mailjobs"
	"github.com/palmares-hq/palmares/internal/memory"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/services"
	"github.com/palmares-hq/palmares/internal/surface"
	"github.com/palmares-hq/palmares/internal/throttle"
	"github.com/palmares-hq/palmares/internal/web"
)

// A builder gathers what a node is made of. Each role adds its own; what several roles need,
// such as the catalog, is made for the first of them that asks.
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
	purgePasses   []time.Duration   // when a shared cache is told of an edition
	public, admin *surface.Listener // where requests come from; public is nil where there is no surface
	loading       []func() bool     // whether what requests need is being read

	collector *memory.Collector // of garbage

	surfaces []surface.Surface
	tasks    []func(context.Context) // run until the node has drained
	jobs     []jobs.Group
	impaired []func() error // what does not work, of parts without which the node is ready
	closers  []func() error // in the order of opening

	databases map[pool]*postgres.DB
	schema    schemaState
	quotas    *quota.Redis   // that quotas are counted in; nil without Redis
	breaker   *quota.Breaker // of Redis; nil without one
	follower  *live.Catalog  // of the catalog
	api       http.Handler   // the JSON interface; nil without the role api
	latency   *web.Latency   // of its answers; nil without the role api
	answers   *web.Answers   // what it answered; nil without the role api
	keeper    *export.Keeper // of files for download
	documents bool           // it says where programs find the API
	prepare   []func(s *catalog.Snapshot, t *throttle.Throttle)

	secrets    *services.Secrets
	accountsOn map[pool]*services.Accounts
	mailJobs   *mailjobs.Mails // nil without the role worker

	payments     *billing.Service
	countBilling func(what string)            // nil without a provider
	texts        func() billing.OperatorTexts // that orders stand on; nil where none are taken
}

func (b *builder) mount(s surface.Surface)            { b.surfaces = append(b.surfaces, s) }
func (b *builder) background(t func(context.Context)) { b.tasks = append(b.tasks, t) }
func (b *builder) atEnd(end func() error)             { b.closers = append(b.closers, end) }

// close closes what was opened, the last first.
func (b *builder) close() error {
	var errs []error
	for _, end := range slices.Backward(b.closers) {
		errs = append(errs, end())
	}
	b.closers = nil
	return errors.Join(errs...)
}

// A pool is connections to the database for one use, so that no use waits for another.
type pool struct {
	name  string // that the connections have in pg_stat_activity
	conns int    // at most
	// patience is how long a statement may take, and a new connection; 0 is no limit. Pools that requests
	// wait for have one: PostgreSQL then gives up no later than they do.
	patience time.Duration
}

// requestPatience is that of the pools that requests wait for.
const requestPatience = 5 * time.Second

// apiPool is that of requests. It notes the use of keys, and a report of usage reads the names of
// keys; no other request waits for it. Editions and changes of access are followed on connections
// of their own.
var apiPool = pool{"palmares api", 2, requestPatience}

// changesPool is that of requests for entries of the change log that a node does not hold. They give up
// after a second. Those who ask take turns, and one connection more is for the question of where the log ends, which all
// share.
var changesPool = pool{"palmares changes", changesTurns + 1, time.Second}

const changesTurns = 2

// metricsPool is that of what every node looks at, whatever its roles: one connection, for which no request
// and no job waits.
var metricsPool = pool{"palmares metrics", 1, requestPatience}

// workerPool is that of jobs.
func (b *builder) workerPool() pool { return pool{"palmares worker", b.cfg.DBConns, 0} }

// database gives the connections of a pool. None is made before it is needed.
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

// gauge registers a gauge that is read when it is asked for.
func (b *builder) gauge(name, help string, value func() float64) {
	b.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
}

// counter registers a counter that is read when it is asked for.
func (b *builder) counter(name, help string, value func() float64) {
	b.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, value))
}
