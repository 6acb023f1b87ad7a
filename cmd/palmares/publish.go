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
	Dir          string `arg:"" optional:"" help:"The content directory."`
	DryRun       bool   `help:"Print what would change and write nothing."`
	AllowRemoval bool   `help:"Remove published items that were not retired."`
	AllowShrink  bool   `help:"Allow the catalogue to lose more than 20% of its items."`
	All          bool   `help:"Print every change and every warning, however many there are."`

	AllowStale     bool     `help:"Let files take back what somebody else has published."`
	Correct        []string `placeholder:"SLUG" help:"Take back the last price or score change of these tools: it was a slip."`
	AllowPriceJump bool     `help:"Allow prices to change more than fivefold."`

	At            string `placeholder:"DATE" help:"Publish as if on that day: YYYY-MM-DD."`
	ExpectEdition *int64 `placeholder:"N" help:"Refuse unless edition N is the published one (0: none yet)."`

	FromGit        *string       `placeholder:"URL" help:"Publish what a repository elsewhere has, instead of a directory: https://… or ssh://…"`
	Branch         string        `placeholder:"NAME" help:"With --from-git: the branch (main)."`
	Path           string        `placeholder:"DIR" help:"With --from-git: where the repository has the catalogue (catalog)."`
	Every          time.Duration `placeholder:"1m" help:"With --from-git: go on, and ask the repository so often."`
	Once           bool          `help:"With --from-git: publish once, and end."`
	AllowRewritten bool          `help:"With --once: publish a branch that does not contain the commit of the last edition."`
}

// Validate refuses flags that do not go together.
func (c publishCommand) Validate() error {
	if c.FromGit == nil {
		switch {
		case c.Branch != "" || c.Path != "" || c.Every != 0 || c.Once || c.AllowRewritten:
			return errors.New("--branch, --path, --every, --once and --allow-rewritten go with --from-git")
		case c.Dir == "":
			return errors.New(`expected "<dir>"`)
		}
		return nil
	}
	byHand := c.DryRun || c.AllowRemoval || c.AllowShrink || c.AllowStale || c.AllowPriceJump || c.AllowRewritten || c.All ||
		len(c.Correct) > 0 || c.At != "" || c.ExpectEdition != nil
	switch {
	case c.Dir != "":
		return fmt.Errorf("--from-git and the directory %s: name one of them", c.Dir)
	case c.Once && c.Every != 0:
		return errors.New("--once and --every: name one of them")
	case byHand && !c.Once:
		return errors.New("flags that allow something, or look at a plan, are for one publication: add --once")
	}
	return nil
}

// Help is shown by palmares publish --help.
func (publishCommand) Help() string {
	return `Checks the content, compares it with what is published, and prints the difference on
standard output: items added (+), changed (~, field by field) and removed (-), and how prices
move. It commits the difference as the next edition, in one transaction with its events. Nodes
serve it within two seconds. Publishing the same content again writes no edition.

Publications at the same time wait for each other. What looks like an accident is refused: a published
item that is missing, a catalogue that loses more than a fifth of its items, a price that moves by more
than five times, or a field that somebody else has published and that this checkout would take back
without knowing of it, as one that nobody has pulled does. Outside git, it is a file that would be
again what it was before its last change. To publish a plan
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

With --from-git the files come from a branch of a repository elsewhere, over https or ssh, for those who let nobody in:
palmares publish --from-git URL --every 1m goes on until it is interrupted, asks for the tip of the branch and publishes
what passes check. What looks like an accident it leaves for an operator to publish with --once, on the same settings. It stops
at a tip that does not contain the commit of the last edition. Nothing of the repository is run: its objects are read, and no work
tree, hook, filter, submodule or LFS file is. It needs the program git, and neither PALMARES_SECRET nor Redis.
Variables of --from-git:
  PALMARES_PUBLISH_URL         the repository, where --from-git is empty
  PALMARES_PUBLISH_BRANCH      the branch, without --branch (main)
  PALMARES_PUBLISH_PATH        where the repository has the catalogue, without --path (catalog)
  PALMARES_PUBLISH_EVERY       how often the repository is asked, without --every or --once: 10s to 24h (1m)
  PALMARES_PUBLISH_DIR         the folder of the mirror, of which nobody else has any use; with --once a temporary one will do
  PALMARES_PUBLISH_LISTEN      the operators' address, without --once: /livez /readyz /metrics (127.0.0.1:9093)
  PALMARES_PUBLISH_TOKEN       over https, a token that may read the repository; it can be in a file, as all secrets
  PALMARES_PUBLISH_USER        over https, the user that the token is of (git)
  PALMARES_PUBLISH_CA_FILE     over https, the certificates of the authorities that the server may have its own from (those of the machine)
  PALMARES_PUBLISH_KNOWN_HOSTS over ssh, the file with the keys of the server (required)
  PALMARES_PUBLISH_SSH_KEY     over ssh, the file of the key that may read the repository (required)
  PALMARES_PUBLISH_TIMEOUT     how long the server may take (5m)
  PALMARES_PUBLISH_MAX_MB      how large the mirror may be, and the files of the catalogue (1024)
  PALMARES_PUBLISH_MAX_FILES   how many files the catalogue may have (50000)

PALMARES_DATABASE_URL names the database. PALMARES_BASE_URL, if it is set as on the nodes, is where
the site is: addresses in catalog.yaml that lead elsewhere are a warning. Exit status: 0 done, 1 refused or failed, with nothing
written.`
}

// plannedLines is how many lines of each list a plan shows without --all.
const plannedLines = 40

func (c *publishCommand) Run(ctx context.Context, con *console) error {
	if c.FromGit != nil {
		return c.runFromGit(ctx, con)
	}
	cfg, err := config.ReadPublish(os.Environ())
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	if err := directory(c.Dir); err != nil {
		return err
	}
	return c.publish(ctx, con, cfg, func(context.Context, *postgres.DB) (publish.Checkout, error) {
		if git, found := checkout.Open(ctx, c.Dir); found {
			return git, nil
		}
		if err := checkout.Unread(ctx, c.Dir); err != nil {
			fmt.Fprintf(con.err, "warning: the checkout that %s is in is not read, so the edition has no commit, and files are stale as a whole or not at all: %v\n", c.Dir, err)
		}
		return nil, nil //nolint:nilnil // without git there is none
	})
}

// publish publishes the files of c.Dir. It calls open once the database answers, to get the git checkout they
// are in; nil for none.
func (c *publishCommand) publish(
	ctx context.Context, con *console, cfg config.Publish, open func(context.Context, *postgres.DB) (publish.Checkout, error),
) (err error) {
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
	files, err := open(ctx, db)
	if err != nil {
		return err
	}
	out, err := publish.Run(ctx, db.Catalog, c.Dir, publish.Options{
		DryRun: c.DryRun, AllowRemoval: c.AllowRemoval, AllowShrink: c.AllowShrink, AllowPriceJump: c.AllowPriceJump,
		AllowStale: c.AllowStale || c.AllowRewritten, Checkout: files, Correct: c.Correct,
		ExpectEdition: c.ExpectEdition, At: at, Now: time.Now, Progress: draw,
	})
	wipe()
	wipeWriting()
	var refused *publish.GuardError
	if err != nil && !errors.As(err, &refused) {
		return c.failed(con, err)
	}
	warnings(con, c.shown(), out, cfg.Base(), c.All)
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

// shown returns the directory as messages name it: the path in the repository with --from-git.
func (c *publishCommand) shown() string {
	if c.FromGit != nil {
		return c.Path
	}
	return c.Dir
}

// failed handles an error that left no plan to print: it prints faults in the content, and says of a refusal
// that nothing was written.
func (c *publishCommand) failed(con *console, err error) error {
	if bad, ok := errors.AsType[*publish.FaultsError](err); ok {
		faults(con.out, c.shown(), bad.Faults)
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

// warnings prints the warnings about the content of dir, and one if the addresses in it do not lead to the site
// at base. Unless all is set, similar warnings are merged.
func warnings(con *console, dir string, out publish.Outcome, base string, all bool) {
	for _, line := range warningLines(dir, out, base, all) {
		fmt.Fprintln(con.err, line)
	}
}

func warningLines(dir string, out publish.Outcome, base string, all bool) []string {
	told := out.Warnings
	if !all {
		told = mergeSimilar(told)
	}
	lines := faultLines(dir, told)
	if elsewhere := site.Elsewhere(out.Changes.Service, base); elsewhere != "" {
		lines = append(lines, "warning: "+elsewhere)
	}
	return lines
}

// tell prints the result of the publication.
func (c *publishCommand) tell(con *console, out publish.Outcome, took time.Duration) {
	switch {
	case c.DryRun:
		fmt.Fprintf(con.err, "dry run: nothing was written, edition %d stays\n", out.Edition.Number)
	case out.Written():
		fmt.Fprintf(con.err, "edition %d published in %s: %s read, %d of them known already\n",
			out.Edition.Number, took.Round(time.Millisecond), counted(out.Files, "file", "files"), out.Files-out.Decoded)
	default:
		fmt.Fprintf(con.err, "edition %d stays\n", out.Edition.Number)
	}
}
