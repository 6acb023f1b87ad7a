package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/palmares-hq/palmares/internal/preview"
	"github.com/palmares-hq/palmares/internal/publish"
)

type previewCommand struct {
	Dir    string `arg:"" help:"The content directory."`
	Listen string `default:"127.0.0.1:8080" help:"The address to listen on."`
	Quiet  bool   `help:"Log no requests."`
	Quota  bool   `default:"true" negatable:"" help:"Enforce daily quotas."`
}

// Help is shown by palmares preview --help.
func (previewCommand) Help() string {
	return `Serves the site and the API from content files alone: no PostgreSQL, no Redis. Editors see
their changes before they publish them; authors of clients have a local server. When a file is
saved, the preview reads the catalogue again, prints what changed, and open pages load themselves
again. While a file has a fault, it prints the fault, shows it on every page and keeps serving the
last good state. Draft comparisons are on the site, marked as drafts, and not in the API. A history/
of the files is replayed first: each of its days is an edition.

It prints one key for each plan, which work until it stops, and pages that speak of keys show them.
Addresses in pages and responses lead to the preview itself. Quotas are enforced as in production,
but counted by this process alone; --no-quota turns them off.`
}

func (c *previewCommand) Run(ctx context.Context, con *console) error {
	if err := directory(c.Dir); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(c.Dir, "catalog.yaml")); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s holds no catalog.yaml: name the directory that does", c.Dir)
	}
	p, err := preview.New(ctx, preview.Options{
		Dir: c.Dir, Listen: c.Listen, Quota: c.Quota, Quiet: c.Quiet, Log: con.err,
	})
	if err != nil {
		return err
	}
	tell := func(r preview.Reload, err error) {
		if err == nil {
			err = c.print(con, r)
		}
		if err != nil {
			fmt.Fprintln(con.err, err)
		}
	}
	if err := p.Follow(tell); err != nil {
		return errors.Join(err, p.Close())
	}
	loaded, err := p.Load(ctx)
	if err != nil {
		return errors.Join(err, p.Close())
	}
	tell(loaded, nil)
	fmt.Fprintf(con.err, "\nThe site: %s/\n\n"+
		"Serving %s on %s, reloading when a file is saved. Stop with Ctrl-C. Try:\n\n"+
		"  curl '%s/api/v1/tools?limit=3'\n\n", p.BaseURL(), c.Dir, p.BaseURL(), p.BaseURL())
	fmt.Fprintf(con.err, "Keys that work until it stops:\n\n  developer key: %s\n  pro key: %s\n\n",
		p.Developer.Reveal(), p.Pro.Reveal())
	return p.Run(ctx)
}

// print prints the result of reading the files.
func (c *previewCommand) print(con *console, r preview.Reload) error {
	faults(con.err, c.Dir, r.Faults)
	switch {
	case r.Broken && r.First:
		fmt.Fprintln(con.err, "Nothing is served until this is fixed.")
	case r.Broken:
		fmt.Fprintln(con.err, "The last good state is served until this is fixed.")
	case r.First:
		after := r.Changes.After
		fmt.Fprintf(con.err, "%s, %s, %d retired\n",
			counted(after.Tools, "tool", "tools"), counted(after.Comparisons, "comparison", "comparisons"), after.Retired)
	case r.Repaired:
		fmt.Fprintln(con.err, "Fixed: the files are as they are served again.")
	case !r.Changes.Empty():
		return publish.Print(con.err, r.Changes, publish.Style{Color: con.color(con.err), Most: plannedLines})
	}
	return nil
}
