package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/signal"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/jobs"
	"github.com/palmares-hq/palmares/internal/logging"
	"github.com/palmares-hq/palmares/internal/metrics"
	"github.com/palmares-hq/palmares/internal/services"
	"github.com/palmares-hq/palmares/internal/surface"
	"github.com/palmares-hq/palmares/internal/systemd"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/web/server"
	"github.com/palmares-hq/palmares/internal/web/tracing"
)

// The roles of a node.
const (
	API    = "api"    // serves the JSON API
	Site   = "site"   // serves the pages
	Worker = "worker" // delivers webhooks and sends mail
)

// A part adds something to a node, such as a surface, a task or a group of jobs.
type part = func(*builder, context.Context) error

// roles lists the parts of each role.
var roles = []struct {
	name  string
	parts []part
}{
	{API, []part{(*builder).addAPI}},
	{Site, []part{(*builder).addSite, (*builder).addPortal, (*builder).addBillingEvents}},
	{Worker, []part{
		(*builder).addWebhooks, (*builder).addMails, (*builder).addBilling, (*builder).addPurge,
	}},
}

// Options configure a Node.
type Options struct {
	Environ []string  // the settings, in the form of os.Environ
	Roles   []string  // at least one
	Log     io.Writer // writing to it never blocks the node

	Version, Commit string // of the program

	// WatchEvery is how often gauges are read from engines; every 15 s when 0.
	WatchEvery time.Duration
	// PurgePasses are the delays after an edition at which a shared cache is purged; purge.Passes if empty.
	PurgePasses []time.Duration
	// OpenAfter is how long a node with nothing to load keeps its public address closed; 10 s when 0.
	OpenAfter time.Duration
	// QuotaWait, unless 0, replaces PALMARES_QUOTA_WAIT, whose range is short for the sake of clients.
	QuotaWait time.Duration
}

// A Node is one process of the service. New builds it and binds its addresses; Run accepts connections and works.
type Node struct {
	b        *builder
	public   *server.Server // nil if there is no surface
	admin    *server.Server
	opened   atomic.Bool // the public address is open, or the operators' if there is no public one
	draining atomic.Bool
	notify   systemd.Notifier
	missing  func() error // returns what the node lacks, for the service manager

	// PublicAddr and AdminAddr are the addresses that it has bound; nil for none.
	PublicAddr, AdminAddr net.Addr
}

// Main runs a node that has the process to itself, until ctx is done. It redirects standard logging to the node's log,
// ignores SIGPIPE, so that a closed log pipe does not end the process, and tunes the garbage collector for the node.
func Main(ctx context.Context, o Options) error {
	signal.Ignore(syscall.SIGPIPE)
	n, err := New(ctx, o)
	if err != nil {
		return err
	}
	logging.Capture(n.b.logger)
	n.b.collector.tooLittle = func(live, limit uint64) {
		n.b.logger.Warn("the memory that this process is allowed is less than twice what it holds: it will collect garbage all the time, or be ended; allow it more",
			"live_mb", live>>20, "limit_mb", limit>>20)
	}
	n.b.background(n.b.collector.own)
	return n.Run(ctx)
}

// New builds a node and binds its addresses. It also succeeds while the database is down.
func New(ctx context.Context, o Options) (_ *Node, err error) {
	cfg, proxies, err := readConfig(o.Environ)
	if err != nil {
		return nil, fmt.Errorf("configuration:\n%w", err)
	}
	cfg.QuotaWait = cmp.Or(o.QuotaWait, cfg.QuotaWait)
	n := &Node{b: &builder{
		cfg: cfg, version: o.Version, registry: prometheus.NewRegistry(), collector: newCollector(), watchEvery: o.WatchEvery,
		openAfter: cmp.Or(o.OpenAfter, openAfter), purgePasses: o.PurgePasses,
	}, notify: systemd.FromEnviron(o.Environ)}
	b := n.b
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close())
		}
	}()
	b.openLog(o.Log)
	b.logger.Info("starting", "version", o.Version, "roles", o.Roles)
	b.warn(o.Environ, proxies)
	public := slices.Contains(o.Roles, API) || slices.Contains(o.Roles, Site)
	if err := b.takeAddresses(ctx, public); err != nil { // before waiting for an engine
		return nil, err
	}
	if err := b.openTracing(ctx); err != nil {
		return nil, err
	}
	process := collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})
	b.registry.MustRegister(collectors.NewGoCollector(), process)
	b.showBuild(o)
	b.checkKey()
	if err := b.refuseOldProgram(ctx); err != nil {
		return nil, err
	}
	b.defaultBaseURL(proxies)
	if b.secrets, err = services.DeriveWithSender(cfg.Webhooks, o.Version, idleReceivers(descriptorLimit())); err != nil {
		return nil, fmt.Errorf("configuration:\n%w", err)
	}
	b.atEnd(func() error { b.secrets.Sender.Close(); return nil })
	b.share = shareDescriptors(descriptorLimit(), slices.Contains(o.Roles, Worker))
	for _, role := range roles {
		if !slices.Contains(o.Roles, role.name) {
			continue
		}
		for _, add := range role.parts {
			if err := add(b, ctx); err != nil {
				return nil, fmt.Errorf("configuration:\n%w", err)
			}
		}
	}
	if err := b.watchDatabase(ctx); err != nil {
		return nil, err
	}
	if !slices.Contains(o.Roles, Worker) {
		if err := b.checkSecret(ctx); err != nil {
			return nil, err
		}
	}
	if err := n.listen(ctx, proxies); err != nil {
		return nil, err
	}
	return n, nil
}

func (b *builder) openTracing(ctx context.Context) error {
	provider, end, err := tracing.NewProvider(ctx, "palmares", b.version)
	if err != nil {
		return fmt.Errorf("setting up tracing: %w", err)
	}
	b.tracing = provider
	b.atEnd(func() error { return end(context.WithoutCancel(ctx)) })
	return nil
}

func (b *builder) showBuild(o Options) {
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "palmares_build_info", Help: "1, with the version, the commit and the Go release of this build.",
		ConstLabels: prometheus.Labels{"version": o.Version, "commit": o.Commit, "go": runtime.Version()},
	})
	build.Set(1)
	b.registry.MustRegister(build)
}

// listen makes the public and the admin server, which serve from Run on.
func (n *Node) listen(ctx context.Context, proxies web.Proxies) error {
	b := n.b
	running := b.addJobs()
	engines, err := b.watchEngines(ctx)
	if err != nil {
		return err
	}
	others := func() error {
		why := engines()
		for _, part := range b.impaired {
			why = errors.Join(why, part())
		}
		return why
	}
	ready, impaired := readiness(b.surfaces, running, others, n.draining.Load)
	n.missing = func() error { return cmp.Or(ready(), impaired()) }
	n.AdminAddr = b.admin.Addr()
	if b.public != nil {
		n.PublicAddr = b.public.Addr()
		if n.public, err = b.publicServer(server.Options{
			Name: "public", Listener: b.public, Wire: true, MaxConns: b.share.public,
			Before:   func(ctx context.Context) error { return n.open(ctx, ready) },
			OnListen: func() { n.opened.Store(true) },
			OnDrain:  func() { n.draining.Store(true) }, DrainDelay: b.cfg.DrainDelay,
		}, proxies); err != nil {
			return err
		}
	}
	n.admin = server.New(server.Options{
		Name: "admin", Listener: b.admin, Logger: b.logger, MaxConns: b.share.admin, Registry: b.registry,
		Before: func(context.Context) error { return b.admin.Open() },
		OnListen: func() {
			if b.public == nil { // else the public server sets it
				n.opened.Store(true)
			}
		},
		Handler: server.Admin(server.AdminOptions{
			Ready: n.orNotOpen(ready), Impaired: impaired, Gatherer: b.registry, Loopback: surface.Loopback(b.admin),
		}),
		WriteTimeout: 5 * time.Minute, // a profile takes as long as requested
	})
	return nil
}

// addJobs adds the node's only River client, if any role has jobs, and returns its readiness check.
func (b *builder) addJobs() (ready func() error) {
	if len(b.jobs) == 0 {
		return func() error { return nil }
	}
	db := b.databases[b.workerPool()]
	open := func(cfg *river.Config) (jobs.Client, error) { return db.Jobs(cfg) }
	runner := jobs.New(append([]jobs.Group{b.migrated(db)}, b.jobs...), open, b.logger)
	b.background(runner.Run)
	runner.Swept = b.countSweeps(jobs.SweepNames(b.jobs))
	b.gauge("palmares_jobs_running", "1 while this node delivers webhooks and sends mail, else 0.",
		metrics.Working(runner.Running))
	return runner.Ready
}

// countSweeps registers a counter of failures of these sweeps, and returns the function that counts one.
func (b *builder) countSweeps(names []string) func(sweep string) {
	failures := metrics.NewCounters(b.registry, "palmares_sweep_failures_total",
		"How often the look for work that no job is at failed, by package.", "sweep", names...)
	return func(sweep string) { failures.WithLabelValues(sweep).Inc() }
}

// Run serves and works until ctx is done and the servers have drained. Then it closes the node.
func (n *Node) Run(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, n.Close()) }()
	stop := background(ctx, append(n.b.tasks, n.notifyManager)) // the tasks go on while the servers drain
	defer stop()
	defer context.AfterFunc(ctx, func() { _ = n.notify.Tell("STOPPING=1") })() // notifyManager has logged that it cannot be told
	if n.public == nil {
		return server.Run(ctx, n.admin)
	}
	return server.Run(ctx, n.admin, n.public)
}

// Close releases the listeners and connections of a node that will not run. Run does it by itself.
func (n *Node) Close() error { return n.b.close() }

// background starts tasks, which run until stop is called, even after ctx is done. stop waits for them to end.
func background(ctx context.Context, tasks []func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	for _, task := range tasks {
		running.Go(func() { task(ctx) })
	}
	return func() { cancel(); running.Wait() }
}
