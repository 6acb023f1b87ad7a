// Package preview serves the site and the API from a content directory alone, for editors and for authors of
// clients: a node without any engine (PostgreSQL or Redis).
//
// Begin with New, which builds a preview. Load reads the files and serves them, Follow calls Load whenever they
// change, and Run answers requests. keys.go has the keys and counters, which exist only as long as the preview.
// A preview writes nothing, opens one listener, and keeps serving the last good state while files have errors.
package preview

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/changes"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/logging"
	"github.com/palmares-hq/palmares/internal/mcp"
	"github.com/palmares-hq/palmares/internal/publish"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/site/about"
	"github.com/palmares-hq/palmares/internal/surface"
	"github.com/palmares-hq/palmares/internal/throttle"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/web/server"
)

// Options configure a Preview.
type Options struct {
	Dir    string // the content directory
	Listen string // the address to answer on
	Quota  bool   // enforce quotas
	Quiet  bool   // log no requests
	Log    io.Writer
}

// A Preview is a node without any engine: its catalog is a content directory.
type Preview struct {
	PublicAddr net.Addr // where it listens

	Developer, Pro account.Key // valid until the preview stops

	dir    string
	live   *live.Catalog
	broken bool // the files had faults when they were last read
	pages  *site.Preview
	drafts []*catalog.Comparison // the drafts in the served state

	baseURL  string
	logger   *slog.Logger
	api      http.Handler
	latency  *web.Latency  // of the API
	files    *export.Cache // of the files that can be downloaded
	surfaces []surface.Surface
	tasks    []func(context.Context) // run while it serves
	closers  []func() error          // in the order of opening
	server   *server.Server
}

// New returns a preview, which serves nothing until Load.
func New(ctx context.Context, o Options) (_ *Preview, err error) {
	level := slog.LevelInfo
	if o.Quiet {
		level = slog.LevelWarn
	}
	buffer := logging.NewBuffer(o.Log)
	p := &Preview{
		dir: o.Dir, closers: []func() error{buffer.Close},
		logger: slog.New(logging.NewHandler(buffer, false, &slog.HandlerOptions{Level: level})),
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	if err := config.CheckListen("--listen", o.Listen); err != nil {
		return nil, err
	}
	listener, err := surface.Listen(ctx, o.Listen, "--listen")
	if err != nil {
		return nil, err
	}
	p.closers = append(p.closers, func() error { return surface.Close(listener) })
	p.PublicAddr, p.baseURL = listener.Addr(), surface.URL(listener)
	if err := p.mountAPI(o.Quota); err != nil {
		return nil, err
	}
	if err := p.mountSite(); err != nil {
		return nil, err
	}
	registry := prometheus.NewRegistry()
	handler, err := surface.Handler(p.surfaces, surface.Options{Logger: p.logger, Registry: registry})
	if err != nil {
		return nil, err
	}
	p.server = server.New(server.Options{
		Name: "preview", Listener: listener, Handler: handler, OnDrain: p.pages.Close, Logger: p.logger, Registry: registry,
	})
	return p, nil
}

// Run serves until ctx is done and the server has drained, and closes the preview.
func (p *Preview) Run(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, p.Close()) }()
	working, stop := context.WithCancel(context.WithoutCancel(ctx)) // tasks go on while the server drains
	var running sync.WaitGroup
	for _, task := range p.tasks {
		running.Go(func() { task(working) })
	}
	defer func() { stop(); running.Wait() }()
	return p.server.Run(ctx)
}

// Close releases what a preview that will not run holds.
func (p *Preview) Close() error {
	var errs []error
	for _, end := range slices.Backward(p.closers) {
		errs = append(errs, end())
	}
	p.closers = nil
	return errors.Join(errs...)
}

// BaseURL returns the address of the preview on this machine. Pages and responses use it instead of the
// catalog's own address, which may not be live yet.
func (p *Preview) BaseURL() string { return p.baseURL }

// mountAPI adds the JSON interface, with keys and counters that end with the preview.
func (p *Preview) mountAPI(quotas bool) error {
	var handler *api.API // set before the first Load
	p.live = live.New(live.Options{Logger: p.logger, Prepare: func(s *catalog.Snapshot, t *throttle.Throttle) {
		if p.live.Current().Edition().Number > 0 { // the first state is served without preparation: nobody reads yet
			handler.Prepare(s, t)
		}
	}})
	keys, names, developer, pro, err := newThrowawayKeys()
	if err != nil {
		return err
	}
	p.Developer, p.Pro = developer, pro
	p.pages = site.NewPreview(site.PreviewKeys{Developer: developer.Reveal(), Pro: pro.Reveal()})
	usage := quota.NewUsage(quota.UsageOptions{
		Store: &memoryUsage{days: make(map[accountDay]quota.DayUsage)}, Logger: p.logger,
		Every: 100 * time.Millisecond,
	})
	p.tasks = append(p.tasks, usage.Run)
	auth := api.NewKeyAuthenticator(keys)
	p.files = export.NewCache(p.live, func(f export.File, err error) {
		p.logger.Error("file for download not made", "file", f.Name(), "error", err)
	})
	o := api.Options{Catalog: p.live, Files: p.files, Auth: auth, Usage: usage, KeyNames: names, BaseURL: p.BaseURL()}
	if quotas {
		o.Meter = quota.New(quota.Options{Secret: []byte(rand.Text()), Logger: p.logger})
	}
	if handler, err = api.New(o); err != nil {
		return err
	}
	p.api, p.latency = handler, web.NewLatency(nil)
	p.surfaces = append(p.surfaces, surface.API(handler, p.latency, p.live.Ready),
		surface.MCP(mcp.New(mcp.Options{
			Catalog: p.live, Changes: changes.NewReader(p.live, nil), API: handler, BaseURL: p.BaseURL(), Version: "preview",
			Panicked: func(tool string, value any, stack []byte) {
				p.logger.Error("a tool of agents panicked", "tool", tool, "panic", value, "stack", string(stack))
			},
		})),
		surface.Documents(mcp.NewDocuments(p.live, p.BaseURL(), "preview", false)))
	return nil
}

// mountSite adds the public pages, which follow the files.
func (p *Preview) mountSite() error {
	handler, err := site.New(site.Options{
		API: surface.Described(p.BaseURL(), p.api), MCP: surface.Asked(p.BaseURL()), BaseURL: p.BaseURL(),
		Catalog: p.live, Files: p.files, Preview: p.pages, Privacy: surface.Privacy(config.Serve{}), Status: about.StatusSources{API: p.latency},
	})
	if err != nil {
		return err
	}
	p.surfaces = append(p.surfaces, surface.Site(handler, p.live.Ready), surface.Surface{
		Name: "preview", Prefixes: []string{site.EventsPath},
		Handler: web.Handler(p.pages.Events, handler.WriteError), WriteError: handler.WriteError,
	})
	return nil
}

// A Reload is the outcome of reading the files.
type Reload struct {
	Faults   []content.Fault
	Broken   bool            // there are errors among the faults: the state that was served stays
	First    bool            // nothing was served before
	Repaired bool            // the files were broken, and now match the state that is served
	Changes  catalog.Changes // the changes that are served from now on; empty if there are none
}

// Load reads the files, serves them unless they have errors, and makes open pages reload.
func (p *Preview) Load(ctx context.Context) (Reload, error) {
	r, err := p.load(ctx)
	if err == nil {
		p.pages.Show(r.Faults, p.drafts)
	}
	return r, err
}

// load does the work of Load, except for telling open pages. The first time, it replays the history of the
// files, so that prices and the journal include earlier editions.
func (p *Preview) load(ctx context.Context) (Reload, error) {
	now := time.Now().UTC()
	snapshot := p.live.Current()
	result, err := content.Load(ctx, p.dir, content.Options{Known: snapshot.Contents()})
	if err != nil {
		return Reload{}, fmt.Errorf("reading the content: %w", err)
	}
	r := Reload{Faults: result.Faults, Broken: result.HasErrors(), First: snapshot.Edition().Number == 0}
	if r.First && !r.Broken {
		var faults []content.Fault
		if snapshot, faults, err = replay(ctx, p.dir, result.Contents, now); err != nil {
			return Reload{}, err
		}
		r.Faults, r.Broken = append(r.Faults, faults...), len(faults) > 0
	}
	wasBroken := p.broken
	p.broken = r.Broken
	if r.Broken {
		return r, nil
	}
	p.drafts = slices.DeleteFunc(slices.Clone(result.Contents.Comparisons), func(c *catalog.Comparison) bool {
		return !c.Draft
	})
	r.Changes = catalog.Diff(snapshot.Contents(), result.Contents, catalog.DateOf(now))
	delta, err := nextEdition(snapshot, r.Changes, now)
	if err != nil {
		return Reload{}, err
	}
	switch {
	case r.First && r.Changes.Empty() && snapshot.Edition().Number > 0:
		p.live.Swap(snapshot.Whole())
	case r.First:
		p.live.Swap(snapshot.Apply(delta).Whole())
	case r.Changes.Empty():
		r.Repaired = wasBroken
	default:
		p.live.Swap(delta)
	}
	return r, nil
}

// settle is how long files must be left alone before they are read: editors save in several steps, and a checkout
// touches many files.
const settle = 100 * time.Millisecond

// Follow makes Run call Load whenever files change, and tell with each outcome. Call it before Run.
func (p *Preview) Follow(tell func(Reload, error)) error {
	watcher, err := watch(p.dir)
	if err != nil {
		return err
	}
	p.closers = append(p.closers, watcher.Close)
	p.tasks = append(p.tasks, func(ctx context.Context) { p.follow(ctx, watcher, tell) })
	return nil
}

func (p *Preview) follow(ctx context.Context, w *fsnotify.Watcher, tell func(Reload, error)) {
	quiet := time.NewTimer(settle)
	quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-w.Events:
			if !ok {
				return
			}
			if e.Has(fsnotify.Create) {
				if info, err := os.Stat(e.Name); err == nil && info.IsDir() {
					w.Add(e.Name) //nolint:errcheck,gosec // it may be gone again
				}
			}
			if !strings.HasPrefix(filepath.Base(e.Name), ".") && e.Op != fsnotify.Chmod {
				quiet.Reset(settle)
			}
		case err, ok := <-w.Errors:
			if !ok {
				return
			}
			tell(Reload{}, fmt.Errorf("watching the files: %w", err))
		case <-quiet.C:
			if r, err := p.Load(ctx); ctx.Err() == nil {
				tell(r, err)
			}
		}
	}
}

// watch returns a watcher of the directory and those below it, hidden ones excepted.
func watch(dir string) (*fsnotify.Watcher, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watching the files: %w", err)
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if path != dir && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		return w.Add(path)
	})
	if err != nil {
		w.Close() //nolint:errcheck,gosec // the first error is the one to return
		return nil, fmt.Errorf("watching the files: %w", err)
	}
	return w, nil
}

// replay publishes the older states of a content directory in memory, each on its day, as palmares publish --at
// would. It stops at the first state with errors and returns its faults.
func replay(
	ctx context.Context, dir string, today *catalog.Contents, now time.Time,
) (*catalog.Snapshot, []content.Fault, error) {
	snapshot := catalog.Empty()
	days, err := content.History(dir, now)
	if err != nil {
		return nil, nil, fmt.Errorf("listing the older states: %w", err)
	}
	known := today // most files have not changed
	for _, day := range days {
		result, err := content.Load(ctx, dir, content.Options{
			Known: known, At: day, Now: func() time.Time { return now },
		})
		if err != nil {
			return nil, nil, fmt.Errorf("reading the files of %s: %w", day, err)
		}
		if result.HasErrors() {
			return snapshot, result.Faults, nil
		}
		changes := catalog.Diff(snapshot.Contents(), result.Contents, day)
		if !changes.Empty() {
			at := publish.Moment(day, snapshot.Edition(), now)
			delta, err := nextEdition(snapshot, changes, at)
			if err != nil {
				return nil, nil, err
			}
			snapshot = snapshot.Apply(delta)
		}
		known = snapshot.Contents()
	}
	return snapshot, nil, nil
}

// nextEdition returns the delta from a snapshot to the next edition of a preview.
func nextEdition(s *catalog.Snapshot, changes catalog.Changes, at time.Time) (catalog.Delta, error) {
	number := s.Edition().Number + 1
	edition := catalog.Edition{
		Number: number, ID: "preview-" + strconv.FormatInt(number, 10), PublishedAt: at,
	}
	delta := changes.Delta(edition)
	delta.From, delta.Log = number-1, changes.LogEntries(edition, s.LastChange())
	var err error
	delta.Histories, err = s.RecordHistory(delta.Log, delta.Tools)
	return delta, err
}
