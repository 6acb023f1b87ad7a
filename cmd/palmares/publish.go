package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/publish"
)

type publishCommand struct {
	Dir          string `arg:"" help:"The content directory."`
	DryRun       bool   `help:"Print what would change and write nothing."`
	AllowRemoval bool   `help:"Let published items vanish without being retired."`
	AllowShrink  bool   `help:"Let the catalog lose more than 20 % of its items."`
	All          bool   `help:"Print every change, however many there are."`

	ExpectEdition *int64 `placeholder:"N" help:"Refuse if another edition than N is published (0: none yet)."`
}

// Help is shown by palmares publish --help.
func (publishCommand) Help() string {
	return `Checks the content, compares it with what is published, prints the difference on standard output (added +, changed ~
field by field, removed -, how prices move) and commits it as the next edition, in one transaction with its events. Nodes
show it within two seconds. Publishing the same content again changes nothing and writes no edition.

Two publications at once wait for each other. What looks like an accident is refused: an item that was published and is
just not there any more, and a catalog that loses more than a fifth of its items. A plan that was looked at before is published
as it was, or not at all, with --expect-edition and the edition that --dry-run named.

PALMARES_DATABASE_URL names the database. Exit status: 0 done, 1 refused or failed (nothing is written then).`
}

// plannedLines is how much of each list a plan shows without --all.
const plannedLines = 40

func (c *publishCommand) Run(ctx context.Context, con *console) error {
	cfg, err := config.ReadDatabase(os.Environ())
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	if err := directory(c.Dir); err != nil {
		return err
	}
	draw, wipe := con.progress("Reading")
	drawWriting, wipeWriting := con.progress("Writing")
	db, err := postgres.Open(ctx, cfg.URL.Reveal(), postgres.Options{Writing: drawWriting})
	if err != nil {
		return err
	}
	defer db.Close()
	if err := checkSchema(ctx, db, func(message string) { fmt.Fprintln(con.err, "warning:", message) }); err != nil {
		return reached(err)
	}

	started := time.Now()
	out, err := publish.Run(ctx, db, c.Dir, publish.Options{
		DryRun: c.DryRun, AllowRemoval: c.AllowRemoval, AllowShrink: c.AllowShrink,
		ExpectEdition: c.ExpectEdition, Now: time.Now, Progress: draw,
	})
	wipe()
	wipeWriting()
	var bad *publish.FaultsError
	if errors.As(err, &bad) {
		faults(con.out, c.Dir, bad.Faults)
		fmt.Fprintln(con.err, bad)
		return errReported
	}
	var refused *publish.GuardError
	var other *publish.EditionError
	if errors.As(err, &other) {
		return fmt.Errorf("refused, nothing was written: %w", other)
	}
	if err != nil && !errors.As(err, &refused) {
		return reached(err)
	}
	faults(con.err, c.Dir, out.Warnings)
	style := publish.Style{Color: con.color(con.out), Most: plannedLines}
	if c.All {
		style.Most = 0
	}
	if perr := publish.Print(con.out, out.Changes, style); perr != nil {
		return perr
	}
	if refused != nil {
		return fmt.Errorf("refused, nothing was written: %w", refused)
	}
	switch {
	case c.DryRun:
		fmt.Fprintf(con.err, "dry run: nothing was written, edition %d stays\n", out.Edition.Number)
	case out.Written():
		fmt.Fprintf(con.err, "edition %d published in %s: %d files read, %d of them known already\n",
			out.Edition.Number, time.Since(started).Round(time.Millisecond), out.Files, out.Files-out.Decoded)
	default:
		fmt.Fprintf(con.err, "edition %d stays\n", out.Edition.Number)
	}
	return nil
}
