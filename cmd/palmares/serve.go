package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"go.opentelemetry.io/otel/trace"

	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/web"
)

type serveCommand struct {
	Roles []string `default:"api,worker" enum:"api,worker" help:"What this node does: api answers requests, worker delivers webhooks and sends mail."`
}

// Help is shown by palmares serve --help.
func (serveCommand) Help() string {
	return `Runs a node until it is interrupted. In the role api it follows the published editions and answers from memory; with a disk
copy of the last edition (PALMARES_SNAPSHOT_FILE) it can start while the database is down. In the role worker it tells the
endpoints of Pro accounts what changes; any number of workers share the work.

On SIGTERM it stops being ready, goes on answering for PALMARES_DRAIN_DELAY so that load balancers notice, finishes what it
has begun, and exits.

Variables:
  PALMARES_DATABASE_URL     the database (required)
  PALMARES_SECRET           the key of what the node signs and seals, 32 characters at least, the same on all nodes (required)
  PALMARES_SECRET_PREVIOUS  what it was before, while palmares webhook reseal has not been run
  PALMARES_REDIS_URL        the counters of quotas, shared by all nodes; without it each node counts alone
  PALMARES_QUOTA_WAIT       how long a request waits for them at most, 10ms to 500ms (250ms)
  PALMARES_BASE_URL         the service's own public URL, for absolute links and the OpenAPI document; links are relative without it
  PALMARES_LISTEN           the public address (:8080)
  PALMARES_ADMIN_LISTEN     the operators' address: /livez /readyz /metrics /debug/pprof/ (127.0.0.1:9090)
  PALMARES_SNAPSHOT_FILE    the disk copy of the last edition, and beside it, with .keys, of the API keys; none by default
  PALMARES_DB_CONNS         connections of the role worker to the database (10)
  PALMARES_CACHE_MB         megabytes of answers kept ready to be sent (64)
  PALMARES_TRUSTED_PROXIES  networks whose X-Forwarded-For is believed, by commas; none by default
  PALMARES_WEBHOOK_NETWORKS networks that webhooks may reach although they are not public, by commas; none by default
  PALMARES_EVENTS_KEEP      for how long workers keep events (400d), 31d at least
  PALMARES_SMTP_URL         how mail is sent: smtp://user:password@host:587; without it owners are not told of disabled endpoints
  PALMARES_MAIL_FROM        whom mail is from
  PALMARES_DRAIN_DELAY      how long to go on answering after SIGTERM (2s)
  PALMARES_LOG_LEVEL        debug, info, warn or error (info)
  PALMARES_LOG_FORMAT       json or text (json)
  PALMARES_TRACE_RATIO      the share of requests traced (0.01), once OTEL_EXPORTER_OTLP_ENDPOINT is set; 50 a second at most`
}

// A service is what the roles of a node share.
type service struct {
	cfg      config.Serve
	logger   *slog.Logger
	db       *postgres.DB // the worker's
	registry *prometheus.Registry
	tracing  trace.TracerProvider
	proxies  web.Proxies
	share    descriptors
}

// open prepares connections for one use. None is made before it is needed.
func (s service) open(ctx context.Context, name string, conns int) (*postgres.DB, error) {
	return postgres.Open(ctx, s.cfg.URL.Reveal(), postgres.Options{Name: name, Conns: conns, Tracer: s.tracing})
}

// A role is a part of a node's work.
type role struct {
	tasks  []func(context.Context) // run until the node has drained
	ready  func() error            // nil is always ready
	server *web.Server             // nil when the role answers nobody
}

// Validate refuses a node that would do nothing.
func (c serveCommand) Validate() error {
	if len(c.Roles) == 0 {
		return errors.New("--roles is empty: name api, worker or both")
	}
	return nil
}

func (c serveCommand) Run(ctx context.Context, con *console) (err error) {
	cfg, err := config.ReadServe(os.Environ())
	proxies, wrong := web.ParseProxies(cfg.TrustedProxies)
	if wrong != nil {
		err = errors.Join(err, fmt.Errorf("PALMARES_TRUSTED_PROXIES: %w", wrong))
	}
	if _, wrong := cfg.Networks(); wrong != nil {
		err = errors.Join(err, wrong)
	}
	err = errors.Join(err, snapshotFolder(cfg.SnapshotFile))
	if err != nil {
		return fmt.Errorf("configuration:\n%w", err)
	}
	// A reader of the log that dies must not take the node with it.
	signal.Ignore(syscall.SIGPIPE)
	logger, buffer := newLogger(con.err, cfg.Log)
	defer func() { err = errors.Join(err, buffer.Close()) }()
	web.CaptureLogs(logger)
	logger.Info("starting", "version", currentVersion(), "roles", c.Roles)
	for _, unknown := range config.UnknownVariables(os.Environ()) {
		logger.Warn(unknown.String())
	}
	for _, wide := range proxies.Wide() {
		logger.Warn("PALMARES_TRUSTED_PROXIES trusts a very large network: whoever is in it can pretend to be any client; name the proxies' own",
			"network", wide.String())
	}

	tracing, endTracing, err := web.NewTracing(ctx, "palmares", currentVersion())
	if err != nil {
		return fmt.Errorf("setting up tracing: %w", err)
	}
	defer func() { err = errors.Join(err, endTracing(context.WithoutCancel(ctx))) }()
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	registerLog(registry, buffer)
	registerBuild(registry)
	s := service{cfg: cfg, logger: logger, registry: registry, tracing: tracing, proxies: proxies}
	if s.db, err = s.open(ctx, "palmares worker", cfg.DBConns); err != nil {
		return err
	}
	defer s.db.Close()
	if err := refuseOldProgram(ctx, s.db, logger); err != nil {
		return err
	}
	s.share = shareDescriptors(descriptorLimit(), slices.Contains(c.Roles, "worker"))

	var roles []role
	for _, known := range []struct {
		name  string
		start func(context.Context) (role, func(), error)
	}{{"api", s.api}, {"worker", s.worker}} {
		if !slices.Contains(c.Roles, known.name) {
			continue
		}
		r, end, err := known.start(ctx)
		if err != nil {
			return fmt.Errorf("configuration:\n%w", err)
		}
		defer end()
		roles = append(roles, r)
	}
	if !slices.Contains(c.Roles, "worker") {
		roles = append(roles, role{tasks: []func(context.Context){s.checkSecret}})
	}
	return s.run(ctx, roles)
}

// snapshotFolder finds at the start that no disk copy could ever be written.
func snapshotFolder(file string) error {
	if file == "" {
		return nil
	}
	dir := filepath.Dir(file)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("PALMARES_SNAPSHOT_FILE: there is no folder %s: make it, or name another file", dir)
	case err != nil:
		return fmt.Errorf("PALMARES_SNAPSHOT_FILE: %w", err)
	case !info.IsDir():
		return fmt.Errorf("PALMARES_SNAPSHOT_FILE: %s is a file, not a folder: name another file", dir)
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return fmt.Errorf("PALMARES_SNAPSHOT_FILE: %s is a folder: name a file", file)
	}
	return nil
}

// refuseOldProgram ends the start of a node that is too old for its database. When the
// database does not answer, the node starts from its disk copy; then the feed and the
// jobs ask again, on each connection, and do nothing on such a schema.
func refuseOldProgram(ctx context.Context, db *postgres.DB, logger *slog.Logger) error {
	soon, cancel := context.WithTimeout(ctx, schemaTimeout)
	defer cancel()
	err := checkSchema(soon, db, func(message string) { logger.Warn(message) })
	if err != nil && !errors.Is(err, postgres.ErrProgramTooOld) {
		// Whoever follows the database warns of it.
		logger.Info("the database does not answer yet: whether this program is too old for it is asked later", "error", err)
		return nil
	}
	return err
}

// run runs the roles until ctx is done.
func (s service) run(ctx context.Context, roles []role) error {
	tasks := []func(context.Context){leaveHeadroom}
	var public []*web.Server
	for _, r := range roles {
		tasks = append(tasks, r.tasks...)
		if r.server != nil {
			public = append(public, r.server)
		}
	}
	admin, err := listen(ctx, s.cfg.AdminListen, "PALMARES_ADMIN_LISTEN")
	if err != nil {
		for _, p := range public {
			err = errors.Join(err, p.Close())
		}
		return err
	}
	ready, impaired := readiness(roles)
	// All this goes on while the servers drain.
	stop := background(ctx, tasks...)
	defer stop()
	return web.Run(ctx, web.NewServer(web.ServerOptions{
		Name: "admin", Listeners: []net.Listener{admin}, Logger: s.logger, MaxConns: s.share.admin, Registry: s.registry,
		Handler:      web.Admin(web.AdminOptions{Ready: ready, Impaired: impaired, Gatherer: s.registry, Loopback: loopback(admin)}),
		WriteTimeout: 5 * time.Minute, // a profile takes as long as it is asked to
	}), public...)
}

// readiness says whether a node is ready and, when it is, which of its roles are not:
// where one answers requests it alone decides, so that no request is refused because
// something else waits.
func readiness(roles []role) (ready, impaired func() error) {
	var deciding, others []role
	for _, r := range roles {
		if r.server != nil {
			deciding = append(deciding, r)
		} else {
			others = append(others, r)
		}
	}
	if len(deciding) == 0 {
		deciding, others = others, nil
	}
	all := func(roles []role) func() error {
		return func() error {
			var why []error
			for _, r := range roles {
				if r.ready != nil {
					why = append(why, r.ready())
				}
			}
			return errors.Join(why...)
		}
	}
	return all(deciding), all(others)
}

// loopback reports whether only this machine can reach a listener.
func loopback(l net.Listener) bool {
	address, ok := l.Addr().(*net.TCPAddr)
	return ok && address.IP.IsLoopback()
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
