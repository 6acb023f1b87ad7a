package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/publish"
)

type planCommand struct {
	Old    string `arg:"" help:"The content directory as it was."`
	New    string `arg:"" help:"The content directory as it is to be."`
	Format string `enum:"text,markdown" default:"text" help:"text, or markdown for the summary of a check."`
	All    bool   `help:"Print every change and every warning, however many there are."`
}

// Help is shown by palmares plan --help.
func (planCommand) Help() string {
	return `Prints what publishing NEW would change in a service that publishes OLD: on standard output
exactly what palmares publish NEW --dry-run prints there once OLD is published. It needs no engine, so
that a check can show it to reviewers. Of both directories it reads the files of today; history/ makes
no difference.

What publish would refuse (a tool that is missing, a price that moves by more than five times) is told
as well, and is not a fault. What only the database knows is not told: what earlier editions changed,
and so files that are stale.

With --format markdown everything is on standard output, warnings and refusals included, and what files
say is quoted so that it is neither a link, nor a mention, nor HTML.

Exit status: 0 when both directories are sound, 1 when one has faults, which are printed with its name,
2 for a wrong command line.

Example:
  palmares plan /tmp/base/catalog catalog`
}

func (c *planCommand) Run(ctx context.Context, con *console) error {
	if err := errors.Join(directory(c.Old), directory(c.New)); err != nil {
		return err
	}
	draw, wipe := con.progress("Reading")
	out, err := publish.Compare(ctx, c.Old, c.New, publish.Options{Now: time.Now, Progress: draw})
	wipe()
	var refused *publish.GuardError
	if unsound, ok := errors.AsType[*publish.InvalidError](err); ok {
		return c.unsound(con, unsound)
	}
	if err != nil && !errors.As(err, &refused) {
		return err
	}
	most := plannedLines
	if c.All {
		most = 0
	}
	if c.Format == "markdown" {
		return c.markdown(con.out, out, refused, most)
	}
	warnings(con, c.New, out, "", c.All)
	if err := publish.Print(con.out, out.Changes, publish.Style{Color: con.color(con.out), Most: most}); err != nil {
		return err
	}
	if refused != nil {
		fmt.Fprintf(con.err, "%s: %v\n", wouldRefuse, refused)
	}
	return nil
}

const wouldRefuse = "palmares publish would refuse this"

// markdown prints the plan, what publish would refuse, and the warnings, in Markdown.
func (c *planCommand) markdown(w io.Writer, out publish.Outcome, refused *publish.GuardError, most int) error {
	if err := publish.Markdown(w, out.Changes, most); err != nil {
		return err
	}
	if refused != nil {
		fmt.Fprintf(w, "\n**%s:**\n\n%s", wouldRefuse, publish.CodeBlock(refused.Error()))
	}
	if told := warningLines(c.New, out, "", c.All); len(told) > 0 {
		fmt.Fprintf(w, "\n**Warnings**\n\n%s", publish.CodeBlock(strings.Join(told, "\n")))
	}
	return nil
}

// unsound prints the faults of both directories, and says which of them cannot be compared. It returns
// errReported.
func (c *planCommand) unsound(con *console, bad *publish.InvalidError) error {
	for _, side := range []struct {
		dir    string
		faults []content.Fault
	}{{c.Old, bad.Old}, {c.New, bad.New}} {
		errs := slices.DeleteFunc(slices.Clone(side.faults), func(f content.Fault) bool { return f.Warning })
		if len(errs) == 0 {
			continue
		}
		said := fmt.Sprintf("%s has %s: nothing can be compared", side.dir, counted(len(errs), "fault", "faults"))
		if c.Format == "markdown" {
			fmt.Fprintf(con.out, "%s\n", publish.CodeBlock(strings.Join(append([]string{said, ""}, faultLines(side.dir, errs)...), "\n")))
		} else {
			faults(con.out, side.dir, errs)
		}
		fmt.Fprintln(con.err, said)
	}
	return errReported
}
