package main

import (
	"context"
	"fmt"

	"github.com/palmares-hq/palmares/internal/content"
)

type checkCommand struct {
	Dir    string `arg:"" help:"The content directory."`
	Format string `enum:"text,github,gitlab" default:"text" help:"text, github (annotations) or gitlab (a Code Quality report)."`
}

// Help is shown by palmares check --help.
func (checkCommand) Help() string {
	return `Reads every file of a content directory and prints every fault, one per line, as
file:line:column: message, on standard output. The message says what to write instead. It needs no
engine. Once the files of today are sound, it looks at the older ones in history/.

For checks of a repository, run in its root: --format github prints the faults so that GitHub shows them
beside the lines of a pull request (ten errors and ten warnings of a step, at most), and --format gitlab
prints a Code Quality report for GitLab, which is JSON.

Exit status: 0 without a fault (there may be warnings), 1 with one, 2 for a wrong command line.`
}

func (c *checkCommand) Run(ctx context.Context, con *console) error {
	if err := directory(c.Dir); err != nil {
		return err
	}
	draw, wipe := con.progress("Checking")
	result, err := content.Load(ctx, c.Dir, content.Options{Progress: draw})
	if err == nil && !result.HasErrors() {
		var older []content.Fault
		older, err = content.CheckHistory(ctx, c.Dir, content.Options{Known: result.Contents})
		result.Faults = append(result.Faults, older...)
	}
	wipe()
	if err != nil {
		return fmt.Errorf("checking: %w", err)
	}
	if err := c.print(con, result.Faults); err != nil {
		return err
	}
	errors, warnings, files := 0, 0, make(map[string]bool)
	for _, f := range result.Faults {
		if f.Warning {
			warnings++
			continue
		}
		errors++
		files[f.File] = true
	}
	note := ""
	if warnings > 0 {
		note = ", " + counted(warnings, "warning", "warnings")
	}
	if errors > 0 {
		fmt.Fprintf(con.err, "%s in %s%s\n", counted(errors, "fault", "faults"), counted(len(files), "file", "files"), note)
		return errReported
	}
	x := result.Contents
	fmt.Fprintf(con.err, "No fault: %s, %s, %d retired, %s%s\n",
		counted(len(x.Tools), "tool", "tools"), counted(len(x.Comparisons), "comparison", "comparisons"), len(x.Retired),
		counted(len(x.Categories), "category", "categories"), note)
	return nil
}

// print prints the faults in the format asked for.
func (c *checkCommand) print(con *console, list []content.Fault) error {
	switch c.Format {
	case "github":
		annotations(con.out, c.Dir, list)
	case "gitlab":
		return con.json(codeQualities(c.Dir, list))
	default:
		faults(con.out, c.Dir, list)
	}
	return nil
}
