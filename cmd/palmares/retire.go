package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
)

type retireCommand struct {
	Dir    string         `arg:"" help:"The content directory."`
	Slug   string         `arg:"" help:"The tool, as its file is named."`
	Reason catalog.Reason `required:"" enum:"${reasons}" placeholder:"REASON" help:"Why: ${enum}."`
	Date   string         `placeholder:"YYYY-MM-DD" help:"The day of the retirement; today by default."`
	Note   string         `placeholder:"TEXT" help:"What happened, in French. It can be written into the file afterwards."`
}

// Help is shown by palmares retire --help.
func (retireCommand) Help() string {
	return `Replaces tools/SLUG.md with cimetiere/SLUG.md. The name and the category stay; the
review does not, because the note of a retired tool says something else. Then it lists, as
palmares check does, what is left to fill in and the comparisons that name the tool: a published
comparison needs two living tools, so set its status to draft or remove it.

Example:
  palmares retire examples/catalog tournevis --reason acquis --note "Racheté, puis fermé."`
}

// reasons returns the values of --reason, for kong.
func reasons() string {
	words := make([]string, 0, len(catalog.Reasons()))
	for _, r := range catalog.Reasons() {
		words = append(words, string(r))
	}
	return strings.Join(words, ",")
}

func (c *retireCommand) Run(con *console) error {
	if err := directory(c.Dir); err != nil {
		return err
	}
	day := catalog.DateOf(time.Now())
	if c.Date != "" {
		var err error
		if day, err = catalog.ParseDate(c.Date); err != nil {
			return fmt.Errorf("--date: %w", err)
		}
	}
	r, err := content.Retire(c.Dir, c.Slug, content.Retirement{Reason: c.Reason, Date: day, Note: c.Note})
	if err != nil {
		return err
	}
	faults(con.out, c.Dir, r.Left)
	faults(con.out, c.Dir, r.Compared)
	faults(con.out, c.Dir, r.Unchecked)
	look, mend := "", ""
	if n := len(r.Compared); n > 0 {
		look = fmt.Sprintf("%d %s to be looked at", n, plural(n, "comparison is", "comparisons are"))
	}
	if n := len(r.Unchecked); n > 0 {
		mend = fmt.Sprintf("%d %s not be read", n, plural(n, "comparison could", "comparisons could"))
	}
	dir := strings.TrimRight(c.Dir, "/")
	left := todo(". ", c.Dir, toFill(r.Left), look, mend)
	fmt.Fprintf(con.err, "%s/%s is now %s/%s%s\n", dir, r.From, dir, r.File, left)
	return nil
}
