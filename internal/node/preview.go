package node

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/web/server"
)

// PreviewOptions describe a preview.
type PreviewOptions struct {
	Dir    string // the content directory
	Listen string // the address to answer on
	Quota  bool   // hold callers to their quotas
	Quiet  bool   // log no requests
	Log    io.Writer
}

// A Preview is a node without any engine: its catalog is a content directory.
type Preview struct {
	*Node
	Developer, Pro account.Key // work until it stops

	dir    string
	live   *live.Node
	broken bool // the files had faults when they were last read
	pages  *site.Preview
	drafts []*catalog.Comparison // of the state that is served
}

// NewPreview builds a preview, which serves nothing until Load.
func NewPreview(ctx context.Context, o PreviewOptions) (_ *Preview, err error) {
	level := slog.LevelInfo
	if o.Quiet {
		level = slog.LevelWarn
	}
	cfg := config.Serve{Log: config.Log{LogLevel: level, LogFormat: "text"}}
	b := &builder{registry: prometheus.NewRegistry(), cfg: cfg}
	p := &Preview{Node: &Node{b: b}, dir: o.Dir}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close())
		}
	}()
	b.openLog(o.Log)
	if err := config.CheckListen("--listen", o.Listen); err != nil {
		return nil, err
	}
	listener, err := b.openListener(ctx, o.Listen, "--listen")
	if err != nil {
		return nil, err
	}
	p.PublicAddr, b.cfg.BaseURL = listener.Addr(), listenURL(listener)
	if err := p.mountAPI(o.Quota); err != nil {
		return nil, err
	}
	if err := p.mountSite(); err != nil {
		return nil, err
	}
	p.public, err = b.publicServer(server.Options{
		Name: "preview", Listener: listener, OnDrain: p.pages.Close,
	}, web.Proxies{})
	return p, err
}

// BaseURL is where this machine finds the preview: pages and answers name it, not the catalog's
// address, where nobody may answer yet.
func (p *Preview) BaseURL() string { return p.b.cfg.Base() }

// mountAPI adds the JSON interface, with keys and counters that end with the preview.
func (p *Preview) mountAPI(quotas bool) error {
	b := p.b
	var handler *api.API // is there before the first Load
	p.live = live.New(live.Options{Logger: b.logger, Prepare: func(s *catalog.Snapshot, rest func()) {
		if p.live.Current().Edition().Number > 0 { // nobody waits for the first
			handler.Prepare(s, rest)
		}
	}})
	keys, names, developer, pro, err := newThrowawayKeys()
	if err != nil {
		return err
	}
	p.Developer, p.Pro = developer, pro
	p.pages = site.NewPreview(site.PreviewKeys{Developer: developer.Reveal(), Pro: pro.Reveal()})
	usage := quota.NewUsage(quota.UsageOptions{
		Store: &previewUsage{days: make(map[previewDay]quota.DayUsage)}, Logger: b.logger,
		Every: 100 * time.Millisecond,
	})
	b.background(usage.Run)
	auth := api.NewKeyAuthenticator(keys)
	o := api.Options{Catalog: p.live, Auth: auth, Usage: usage, KeyNames: names, BaseURL: p.BaseURL()}
	if quotas {
		o.Meter = quota.New(quota.Options{Secret: []byte(rand.Text()), Logger: b.logger})
	}
	if handler, err = api.New(o); err != nil {
		return err
	}
	b.latency = web.NewLatency(nil)
	b.mount(apiSurface(handler, b.latency, p.live.Ready))
	return nil
}

// mountSite adds the public pages, which follow the files.
func (p *Preview) mountSite() error {
	handler, err := site.New(site.Options{
		API: described(p.BaseURL()), BaseURL: p.BaseURL(),
		Catalog: p.live, Preview: p.pages, Privacy: privacy(p.b.cfg), Status: site.Status{API: p.b.latency},
	})
	if err != nil {
		return err
	}
	p.b.mount(siteSurface(handler, p.live.Ready))
	p.b.mount(surface{
		name: "preview", prefixes: []string{site.EventsPath},
		handler: web.Handler(p.pages.Events, handler.WriteError), writeError: handler.WriteError,
	})
	return nil
}

// A Reload is what came of reading the files.
type Reload struct {
	Faults  []content.Fault
	Broken  bool            // there are errors among the faults: what was served stays
	First   bool            // nothing was served before
	Mended  bool            // the files were broken and are again as they are served
	Changes catalog.Changes // what is served from now on; empty when nothing changed
}

// Load reads the files, serves what they hold, unless they have errors, and tells open pages.
func (p *Preview) Load(ctx context.Context) (Reload, error) {
	r, err := p.load(ctx)
	if err == nil {
		p.pages.Show(r.Faults, p.drafts)
	}
	return r, err
}

// load is Load for the catalog. The first time it replays the history of the files, so that what is
// served has the prices and the journal of the editions before.
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
	switch delta := nextEdition(snapshot, r.Changes, now); {
	case r.First && r.Changes.Empty() && snapshot.Edition().Number > 0:
		p.live.Swap(snapshot.Whole())
	case r.First:
		p.live.Swap(snapshot.Apply(delta).Whole())
	case r.Changes.Empty():
		r.Mended = wasBroken
	default:
		p.live.Swap(delta)
	}
	return r, nil
}

// settle is how long files must be left alone before they are read: editors save in several
// steps, and a checkout touches many files.
const settle = 100 * time.Millisecond

// Follow has Load called whenever files change, once Run is called, and tells what came of it.
func (p *Preview) Follow(tell func(Reload, error)) error {
	watcher, err := watch(p.dir)
	if err != nil {
		return err
	}
	p.b.atEnd(watcher.Close)
	p.b.background(func(ctx context.Context) { p.follow(ctx, watcher, tell) })
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
					w.Add(e.Name) //nolint:errcheck,gosec // gone again, perhaps
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

// watch watches the directory and those below it.
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
