package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/publish"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/web"
)

type previewCommand struct {
	Dir    string `arg:"" help:"The content directory."`
	Listen string `default:"127.0.0.1:8080" help:"The address to answer on."`
	Quiet  bool   `help:"Log no requests."`
	Quota  bool   `default:"true" negatable:"" help:"Hold callers to their daily quota."`
}

// Help is shown by palmares preview --help.
func (previewCommand) Help() string {
	return `Serves the API from content files alone: no PostgreSQL, no Redis. For editors, a look before publishing; for authors of
clients, a local server. Whenever a file is saved the catalog is read again and what changed is printed; while a file has
a fault, the fault is printed and the last good state stays.

A key of each plan is printed at the start and works until the preview stops. Quotas are held as they are in production, but
counted here alone; --no-quota lifts them.`
}

func (c *previewCommand) Run(ctx context.Context, con *console) (err error) {
	level := slog.LevelInfo
	if c.Quiet {
		level = slog.LevelWarn
	}
	logger, buffer := newLogger(con.err, config.Log{LogLevel: level, LogFormat: "text"})
	defer buffer.Close() //nolint:errcheck // a terminal

	if err := directory(c.Dir); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(c.Dir, "catalog.yaml")); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s holds no catalog.yaml: name the directory that does", c.Dir)
	}
	listener, err := listen(ctx, c.Listen, "--listen")
	if err != nil {
		return err
	}
	defer listener.Close() //nolint:errcheck // the server has closed it, but for a failed start

	var handler *api.API
	p := &preview{dir: c.Dir, con: con, node: live.New(live.Options{Logger: logger, Prepare: func(s *catalog.Snapshot) {
		if handler != nil { // there is no hurry for the first
			handler.Prepare(s)
		}
	}})}
	watcher, err := watch(c.Dir)
	if err != nil {
		return err
	}
	defer watcher.Close() //nolint:errcheck // only watched
	if err := p.load(ctx); err != nil {
		return err
	}

	keys, names, developer, pro, err := newThrowawayKeys()
	if err != nil {
		return err
	}
	usage := quota.NewUsage(quota.UsageOptions{
		Store: &previewUsage{days: make(map[previewDay]quota.DayUsage)}, Logger: logger, Every: 100 * time.Millisecond,
	})
	options := api.Options{Catalog: p.node, Callers: api.NewKeyring(keys), Usage: usage, KeyNames: names}
	if c.Quota {
		options.Meter = quota.New(quota.Options{Secret: []byte(rand.Text()), Logger: logger})
	}
	if handler, err = api.New(options); err != nil {
		return err
	}
	observer := web.NewObserver(web.ObserverOptions{Logger: logger, WriteError: handler.WriteError})
	fmt.Fprintf(con.err, "\nServing %s on http://%s, reloading when a file is saved. Stop with Ctrl-C. Try:\n\n  curl 'http://%s/api/v1/tools?limit=3'\n\n",
		c.Dir, listener.Addr(), listener.Addr())
	fmt.Fprintf(con.err, "Keys that work until it stops:\n\n  developer key: %s\n  pro key: %s\n\n", developer.Reveal(), pro.Reveal())

	go p.follow(ctx, watcher)
	go usage.Run(ctx)
	server := web.NewServer(web.ServerOptions{Name: "preview", Listeners: []net.Listener{listener}, Logger: logger, Handler: observer.Wrap(handler)})
	return server.Run(ctx)
}

// A preview is a catalog that follows its files.
type preview struct {
	dir    string
	con    *console
	node   *live.Node
	broken bool // the files had faults when they were last read
}

// load reads the files and swaps in what changed. Faults are printed, not
// returned: the editor is about to mend them.
func (p *preview) load(ctx context.Context) error {
	snapshot := p.node.Current()
	current := snapshot.Contents()
	result, err := content.Load(ctx, p.dir, content.Options{Known: current})
	if err != nil {
		return fmt.Errorf("reading the content: %w", err)
	}
	faults(p.con.err, p.dir, result.Faults)
	first := snapshot.Edition().Number == 0
	mended := p.broken
	p.broken = result.HasErrors()
	if p.broken {
		if first {
			fmt.Fprintln(p.con.err, "Nothing is served until this is mended.")
		} else {
			fmt.Fprintln(p.con.err, "The last good state is served until this is mended.")
		}
		return nil
	}
	now := time.Now().UTC()
	changes := catalog.Diff(current, result.Contents, catalog.DateOf(now))
	if changes.Empty() && !first {
		if mended {
			fmt.Fprintln(p.con.err, "Mended: the files are again as they are served.")
		}
		return nil
	}
	number := snapshot.Edition().Number + 1
	delta := changes.Delta(catalog.Edition{Number: number, ID: "preview-" + strconv.FormatInt(number, 10), PublishedAt: now})
	delta.From = number - 1
	p.node.Swap(delta)
	if first {
		fmt.Fprintf(p.con.err, "%d tools, %d comparisons, %d retired\n", changes.After.Tools, changes.After.Comparisons, changes.After.Retired)
		return nil
	}
	return publish.Print(p.con.err, changes, publish.Style{Color: p.con.color(p.con.err), Most: plannedLines})
}

// settle is how long files must be quiet before they are read: editors save in
// several steps, and a checkout touches many files.
const settle = 100 * time.Millisecond

// follow loads again after changes, until ctx is done.
func (p *preview) follow(ctx context.Context, w *fsnotify.Watcher) {
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
			fmt.Fprintln(p.con.err, "watching the files:", err)
		case <-quiet.C:
			if err := p.load(ctx); err != nil && ctx.Err() == nil {
				fmt.Fprintln(p.con.err, err)
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
		w.Close() //nolint:errcheck,gosec // the first error is the one to tell
		return nil, fmt.Errorf("watching the files: %w", err)
	}
	return w, nil
}
