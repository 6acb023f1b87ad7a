package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/checkout"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/publish"
	"github.com/palmares-hq/palmares/internal/site"
)

type publishCommand struct {
	Dir          string `arg:"" help:"The content directory."`
	DryRun       bool   `help:"Print what would change and write nothing."`
	AllowRemoval bool   `help:"Remove published items that were not retired."`
	AllowShrink  bool   `help:"Allow the catalogue to lose more than 20% of its items."`
	All          bool   `help:"Print every change and every warning, however many there are."`

	AllowStale     bool     `help:"Let files go back to what they were before their last change."`
	Correct        []string `placeholder:"SLUG" help:"Take back the last price or score change of these tools: it was a slip."`
	AllowPriceJump bool     `help:"Allow prices to change more than fivefold."`

	At            string `placeholder:"DATE" help:"Publish as if on that day: YYYY-MM-DD."`
	ExpectEdition *int64 `placeholder:"N" help:"Refuse unless edition N is the published one (0: none yet)."`
}

// Help is shown by palmares publish --help.
func (publishCommand) Help() string {
	return `Checks the content, compares it with what is published, and prints the difference on
standard output: items added (+), changed (~, field by field) and removed (-), and how prices
move. It commits the difference as the next edition, in one transaction with its events. Nodes
serve it within two seconds. Publishing the same content again writes no edition.

Publications at the same time wait for each other. What looks like an accident is refused: a published
item that is missing, a catalogue that loses more than a fifth of its items, a price that moves by more
than five times, or a file that would be again what it was before its last change, as in a checkout
that nobody has pulled. The last is taken as intended where the directory is in a git checkout that
contains the commit of that change. To publish a plan
exactly as --dry-run printed it, or not at all, pass the edition it named as --expect-edition.

A slip that was published is taken back with --correct and the slugs of its tools, once their files
are right: the last entry of the price history gets the right price, or goes when that is the price
before it, and the journal, the charts and the feeds no longer show the slip. The events of the
correction name those that they correct. What is corrected is what this publication moves, price or
score; --dry-run shows it. Prices of these tools may move by any amount, and their files may go back.

With --at, everything gets the date of an earlier day: the edition, the prices that change, what is
updated. The day is not before the last edition and not in the future. Where history/ says how files
were on that day, those are published (see docs/content-format.md); its folders may also be named
like 3-days-ago, and so may the day.

PALMARES_DATABASE_URL names the database. PALMARES_BASE_URL, if it is set as on the nodes, is where
the site is: addresses in catalog.yaml that lead elsewhere are a warning. Exit status: 0 done, 1 refused or failed, with nothing
written.`
}

// plannedLines is how many lines of each list a plan shows without --all.
const plannedLines = 40

func (c *publishCommand) Run(ctx context.Context, con *console) error {
	cfg, err := config.ReadPublish(os.Environ())
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	if err := directory(c.Dir); err != nil {
		return err
	}
	var at catalog.Date
	if c.At != "" {
		if at, err = content.ParseDay(c.At, time.Now()); err != nil {
			return fmt.Errorf("--at: %w", err)
		}
	}
	draw, wipe := con.progress("Reading")
	drawWriting, wipeWriting := con.progress("Writing")
	db, err := postgres.Open(ctx, cfg.URL.Reveal(), postgres.Options{Writing: drawWriting})
	if err != nil {
		return err
	}
	defer db.Close()
	warn := func(message string) { fmt.Fprintln(con.err, "warning:", message) }
	if err := db.CheckSchema(ctx, warn); err != nil {
		return reached(err)
	}

	started := time.Now()
	var files publish.Checkout
	if git, found := checkout.Open(ctx, c.Dir); found {
		files = git
	}
	out, err := publish.Run(ctx, db.Catalog, c.Dir, publish.Options{
		DryRun: c.DryRun, AllowRemoval: c.AllowRemoval, AllowShrink: c.AllowShrink, AllowPriceJump: c.AllowPriceJump,
		AllowStale: c.AllowStale, Checkout: files, Correct: c.Correct,
		ExpectEdition: c.ExpectEdition, At: at, Now: time.Now, Progress: draw,
	})
	wipe()
	wipeWriting()
	var refused *publish.GuardError
	if err != nil && !errors.As(err, &refused) {
		return c.failed(con, err)
	}
	warnings(con, c.Dir, out, cfg.Base(), c.All)
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
	c.tell(con, out, time.Since(started))
	return nil
}

// failed says why there is not even a plan.
func (c *publishCommand) failed(con *console, err error) error {
	if bad, ok := errors.AsType[*publish.FaultsError](err); ok {
		faults(con.out, c.Dir, bad.Faults)
		fmt.Fprintln(con.err, bad)
		return errReported
	}
	if other, ok := errors.AsType[*publish.EditionError](err); ok {
		return fmt.Errorf("refused, nothing was written: %w", other)
	}
	if day, ok := errors.AsType[*publish.DayError](err); ok {
		return fmt.Errorf("refused, nothing was written: --at: %w", day)
	}
	if slip, ok := errors.AsType[*publish.CorrectionError](err); ok {
		return fmt.Errorf("refused, nothing was written: --correct: %w", slip)
	}
	return reached(err)
}

// warnings prints what may be wrong with the content of dir, and with the addresses that it gives to the
// pages of the site at base. Unless all are asked for, many that are alike are one.
func warnings(con *console, dir string, out publish.Outcome, base string, all bool) {
	for _, line := range warningLines(dir, out, base, all) {
		fmt.Fprintln(con.err, line)
	}
}

func warningLines(dir string, out publish.Outcome, base string, all bool) []string {
	told := out.Warnings
	if !all {
		told = fewer(told)
	}
	lines := faultLines(dir, told)
	if elsewhere := site.Elsewhere(out.Changes.Service, base); elsewhere != "" {
		lines = append(lines, "warning: "+elsewhere)
	}
	return lines
}

// tell says what has become of the publication.
func (c *publishCommand) tell(con *console, out publish.Outcome, took time.Duration) {
	switch {
	case c.DryRun:
		fmt.Fprintf(con.err, "dry run: nothing was written, edition %d stays\n", out.Edition.Number)
	case out.Written():
		fmt.Fprintf(con.err, "edition %d published in %s: %d files read, %d of them known already\n",
			out.Edition.Number, took.Round(time.Millisecond), out.Files, out.Files-out.Decoded)
	default:
		fmt.Fprintf(con.err, "edition %d stays\n", out.Edition.Number)
	}
}
