package pull

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/checkout"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/logging"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/publish"
	"github.com/palmares-hq/palmares/internal/surface"
	"github.com/palmares-hq/palmares/internal/systemd"
	"github.com/palmares-hq/palmares/internal/web/server"
)

// Options configure a Publisher. Config must already include the flags.
type Options struct {
	Config  config.Publisher
	Environ []string // for NOTIFY_SOCKET, and to warn of settings that are not needed
	Log     io.Writer

	Version, Commit string // of the program
}

// A Publisher polls a repository and publishes what is on its branch.
type Publisher struct {
	AdminAddr net.Addr // of /livez, /readyz and /metrics

	every  time.Duration
	source *Source
	db     *postgres.DB
	schema bool // the database schema was checked and is supported
	logger *slog.Logger
	status *status
	notify systemd.Notifier
	admin  *server.Server

	settled  settled
	failures int // consecutive

	closers []func() error // in the order of opening
}

// settled is the result for the last tip that was tried. The tip is not tried again until the edition changes
// or an operator accepts another commit.
type settled struct {
	tip      string
	edition  int64
	accepted string
	is       string
	why      error
}

// Timeouts of one check, and the longest interval between checks after failures.
const (
	databasePatience = 30 * time.Second
	publishPatience  = 15 * time.Minute
	maxBackoff       = 5 * time.Minute
)

// Main runs a publisher as the only work of the process, until ctx is done.
func Main(ctx context.Context, o Options) error {
	signal.Ignore(syscall.SIGPIPE)
	p, err := New(ctx, o)
	if err != nil {
		return err
	}
	logging.Capture(p.logger)
	return p.Run(ctx)
}

// New returns a publisher that listens on its admin address. It contacts neither the repository nor the
// database yet.
func New(ctx context.Context, o Options) (_ *Publisher, err error) {
	source, err := Open(o.Config)
	if err != nil {
		return nil, err
	}
	buffer := logging.NewBuffer(o.Log)
	registry := prometheus.NewRegistry()
	p := &Publisher{
		every: o.Config.PublishEvery, source: source, notify: systemd.FromEnviron(o.Environ), closers: []func() error{buffer.Close},
		logger: slog.New(logging.NewHandler(buffer, o.Config.LogFormat != "text", &slog.HandlerOptions{Level: o.Config.LogLevel})),
		status: newStatus(registry, time.Now, o.Version, o.Commit),
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "palmares_log_lines_dropped_total", Help: "Log lines that were lost because nobody read the log, or it could not be written.",
	}, func() float64 { return float64(buffer.Dropped()) }))
	p.logger.Info("starting", "version", o.Version, "repository", o.Config.PublishURL, "branch", o.Config.PublishBranch, "path", o.Config.PublishPath,
		"every", p.every.String())
	if slices.ContainsFunc(o.Environ, func(v string) bool {
		return strings.HasPrefix(v, "PALMARES_SECRET=") && len(v) > len("PALMARES_SECRET=") || strings.HasPrefix(v, "PALMARES_SECRET_FILE=")
	}) {
		p.logger.Warn("PALMARES_SECRET is set, which a publisher does not need: take it out of its settings")
	}
	listener, err := surface.Listen(ctx, o.Config.PublishListen, "PALMARES_PUBLISH_LISTEN")
	if err != nil {
		return nil, err
	}
	p.closers = append(p.closers, func() error { return surface.Close(listener) })
	p.AdminAddr = listener.Addr()
	if p.db, err = postgres.Open(ctx, o.Config.URL.Reveal(), postgres.Options{Name: "palmares publisher", Conns: 2}); err != nil {
		return nil, err
	}
	p.closers = append(p.closers, func() error { p.db.Close(); return nil })
	p.admin = server.New(server.Options{
		Name: "admin", Listener: listener, Logger: p.logger, Registry: registry, WriteTimeout: 5 * time.Minute,
		Handler: server.Admin(server.AdminOptions{
			Ready: p.status.ready, Impaired: p.status.impaired, Gatherer: registry, Loopback: surface.Loopback(listener),
		}),
	})
	return p, nil
}

// Run polls and publishes until ctx is done, then closes the publisher. A publication in progress at that
// moment is not written.
func (p *Publisher) Run(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, p.Close()) }()
	looking, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { p.loop(looking) })
	defer func() { stop(); running.Wait() }()
	p.tell("READY=1")
	defer context.AfterFunc(ctx, func() { p.tell("STOPPING=1") })()
	return p.admin.Run(ctx)
}

// Close releases the resources of a publisher that will not run. Run closes the publisher itself.
func (p *Publisher) Close() error {
	var errs []error
	for _, end := range slices.Backward(p.closers) {
		errs = append(errs, end())
	}
	p.closers = nil
	return errors.Join(errs...)
}

func (p *Publisher) tell(lines ...string) {
	if err := p.notify.Tell(lines...); err != nil {
		p.logger.Warn("the service manager cannot be told how the publisher is", "error", err)
	}
}

func (p *Publisher) loop(ctx context.Context) {
	told := ""
	for {
		p.look(ctx)
		if line := systemd.Status(p.status.missing(), "what the branch has is published"); line != told && ctx.Err() == nil {
			told = line
			p.tell(line)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause(p.every, p.failures)):
		}
	}
}

// pause returns the wait before the next check: it doubles with each consecutive failure, up to maxBackoff or
// every if that is longer. It varies by up to 10 % so that publishers started together do not stay in step.
func pause(every time.Duration, failures int) time.Duration {
	wait := every
	for range min(failures-1, 20) {
		wait = min(2*wait, max(every, maxBackoff))
	}
	return wait - wait/10 + rand.N(wait/5+1) //nolint:gosec // no secret depends on it
}

// look checks the repository once, publishes what is new, and updates the status.
func (p *Publisher) look(ctx context.Context) {
	is, outcome, err := p.try(ctx)
	if ctx.Err() != nil { // asked to end
		return
	}
	was := p.status.missing()
	p.status.become(is, err)
	p.status.looks.WithLabelValues(outcome).Inc()
	if is != failing {
		p.failures = 0
	} else if p.failures++; was == nil || err.Error() != was.Error() || p.failures == 1 {
		p.logger.Warn("nothing can be published: trying again", "error", err)
	}
	if is == current {
		p.status.setUnpublishedSince(time.Time{})
		if err := p.source.waitsNoMore(); err != nil {
			p.logger.Warn("the folder of the mirror cannot be written to", "error", err)
		}
	}
}

// try checks and publishes once. It returns the publisher's new state, the outcome for the metrics, and the
// reason if the tip is not published.
func (p *Publisher) try(ctx context.Context) (is, outcome string, why error) {
	now, err := p.published(ctx)
	if err != nil {
		return failing, failing, err
	}
	tip, err := p.source.Tip(ctx)
	if err != nil {
		return failing, failing, err
	}
	p.status.repositoryAnswered()
	if now.Is(tip) {
		return current, unchanged, nil
	}
	if s := p.settled; s.tip == tip && s.edition == now.Number && s.accepted == p.source.accepted() {
		if s.is == current {
			return current, unchanged, nil
		}
		return s.is, s.is, s.why
	}
	since, err := p.source.waits(time.Now())
	if err != nil {
		return failing, failing, fmt.Errorf("the folder of the mirror cannot be written to: %w", err)
	}
	p.status.setUnpublishedSince(since)

	fetched, err := p.source.Fetch(ctx, tip)
	if _, bad := errors.AsType[*checkout.RefusedError](err); bad {
		return p.settle(tip, now.Number, refused, err)
	}
	if err != nil {
		return failing, failing, err
	}
	defer func() {
		if err := fetched.Close(); err != nil {
			p.logger.Warn("files of a commit are left", "error", err)
		}
	}()
	return p.publish(ctx, fetched, now)
}

// settle remembers why a tip is not published, and logs it once.
func (p *Publisher) settle(tip string, edition int64, is string, why error) (string, string, error) {
	why = notPublished(tip, why)
	p.settled = settled{tip, edition, p.source.accepted(), is, why}
	log := p.logger.Warn
	if is == rewritten {
		log = p.logger.Error
	}
	log("a tip is not published: the edition before it stays", "commit", tip, "edition", edition, "error", why)
	return is, is, why
}

func (p *Publisher) publish(ctx context.Context, f *Fetched, before Published) (is, outcome string, why error) {
	ctx, cancel := context.WithTimeoutCause(ctx, publishPatience, fmt.Errorf("the publication took longer than %v", publishPatience))
	defer cancel()
	err := p.source.Follows(ctx, f, before)
	if _, gone := errors.AsType[*RewrittenError](err); gone {
		return p.settle(f.Commit, before.Number, rewritten, err)
	}
	if err != nil {
		return failing, failing, err
	}
	started := time.Now()
	out, err := publish.Run(ctx, p.db.Catalog, f.Dir, publish.Options{Checkout: f.Checkout, ExpectEdition: &before.Number, Now: time.Now})
	if faults, bad := errors.AsType[*publish.FaultsError](err); bad {
		return p.settle(f.Commit, before.Number, refused, fmt.Errorf("%w\n%s", faults, firstFaults(faults)))
	}
	if accident, bad := errors.AsType[*publish.GuardError](err); bad {
		return p.settle(f.Commit, before.Number, refused, accident)
	}
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return failing, failing, postgres.Explain(err)
	}
	p.settled = settled{f.Commit, out.Edition.Number, p.source.accepted(), current, nil}
	for _, w := range out.Warnings[:min(len(out.Warnings), maxFaults)] {
		p.logger.Warn("content", "warning", w.String())
	}
	if !out.Written() {
		p.logger.Info("the tip changes nothing", "commit", f.Commit, "edition", out.Edition.Number)
		return current, unchanged, nil
	}
	p.logger.Info("published", "edition", out.Edition.Number, "commit", f.Commit, "author", out.Changes.Provenance.Author,
		"files", out.Files, "took", time.Since(started).Round(time.Millisecond).String())
	return current, published, nil
}

// maxFaults is the maximum number of faults reported for a commit.
const maxFaults = 10

func firstFaults(e *publish.FaultsError) string {
	var lines []string
	for _, f := range e.Faults {
		if !f.Warning && len(lines) < maxFaults {
			lines = append(lines, f.String())
		}
	}
	return strings.Join(lines, "\n")
}

// published returns what is published. It also checks, on first use and after a failure, that this program
// supports the database's schema.
func (p *Publisher) published(ctx context.Context) (Published, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, databasePatience, fmt.Errorf("PostgreSQL took longer than %v", databasePatience))
	defer cancel()
	if !p.schema {
		if err := p.db.CheckSchema(ctx, func(message string) { p.logger.Warn(message) }); err != nil {
			return Published{}, fmt.Errorf("PostgreSQL: %w", postgres.Explain(err))
		}
		p.schema = true
	}
	now, err := ReadPublished(ctx, p.db.Catalog)
	if err != nil {
		p.schema = false // another database may answer next
		return now, fmt.Errorf("PostgreSQL: %w", postgres.Explain(err))
	}
	return now, nil
}
