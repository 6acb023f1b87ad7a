package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
)

type checkedCommand struct {
	Dir   string            `arg:"" help:"The content directory."`
	Slug  string            `arg:"" help:"The tool, living or retired, as its file is named."`
	Field catalog.FactField `arg:"" help:"The value whose source you looked at: price, score or domain; retired_at of a retired tool."`
	On    string            `placeholder:"YYYY-MM-DD" help:"The day on which you looked; today (UTC) by default."`
}

// Help is shown by palmares checked --help.
func (checkedCommand) Help() string {
	return `Moves the date of a source, the key checked, in tools/SLUG.md or cimetiere/SLUG.md. Nothing else
in the file changes, and nothing is fetched: it says that you have looked.

Example:
  palmares checked examples/catalog tournevis price`
}

// Run sets the date on which a source was last checked.
func (c *checkedCommand) Run(con *console) error {
	if err := directory(c.Dir); err != nil {
		return err
	}
	day := catalog.DateOf(time.Now())
	if c.On != "" {
		var err error
		if day, err = catalog.ParseDate(c.On); err != nil {
			return fmt.Errorf("--on: %w", err)
		}
	}
	check, err := content.Checked(c.Dir, c.Slug, c.Field, day)
	if err != nil {
		return err
	}
	file := strings.TrimRight(c.Dir, "/") + "/" + check.File
	if check.From == check.To {
		fmt.Fprintf(con.err, "%s: %s was checked on %s already\n", file, c.Field, check.To)
		return nil
	}
	fmt.Fprintf(con.err, "%s: %s is checked on %s, before on %s\n", file, c.Field, check.To, check.From)
	return nil
}
