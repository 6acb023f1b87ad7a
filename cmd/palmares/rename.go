package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/palmares-hq/palmares/internal/content"
)

type renameCommand struct {
	Dir  string       `arg:"" help:"The content directory."`
	Kind content.Kind `arg:"" enum:"tool,comparatif" help:"tool, living or retired, or comparatif."`
	Old  string       `arg:"" help:"The slug it has, as its file is named."`
	New  string       `arg:"" help:"The slug it is to have."`
}

// Help is shown by palmares rename --help.
func (renameCommand) Help() string {
	return `Moves the file of a tool or a comparison to its new name, with the English one and those of older
days in history/, and lists the old slug in its key formerly, so that everything that leads to it leads
to the new one. Whatever names it is mended: tool_a, tool_b and winner of comparisons, successor of
tools, links to its pages in reviews, notes and pages, in both languages and in history/. Nothing else
in a file changes: comments, quotes and line ends stay as they are.

The directory is checked before and after. If it has faults, or would have some, nothing is renamed. An old slug
is nobody else's; the item itself may take it back. A comparison whose slug has that of the tool keeps
it, and the command that renames it is printed.

What was moved and mended is printed on standard output.

Example:
  palmares rename examples/catalog tool tournevis tournevis-pro`
}

// Run renames an item.
func (c *renameCommand) Run(ctx context.Context, con *console) error {
	if err := directory(c.Dir); err != nil {
		return err
	}
	renamed, err := content.Rename(ctx, c.Dir, c.Kind, c.Old, c.New)
	if err != nil {
		return err
	}
	dir := strings.TrimRight(c.Dir, "/")
	moved, mended, references := 0, 0, 0
	for _, f := range renamed.Files {
		line := fmt.Sprintf("%s/%s", dir, f.From)
		if f.From != f.To {
			moved++
			line += fmt.Sprintf(" is now %s/%s", dir, f.To)
		}
		if f.References > 0 {
			mended++
			references += f.References
			line += ": " + counted(f.References, "reference is", "references are") + " mended"
		}
		fmt.Fprintln(con.out, line)
	}
	fmt.Fprintf(con.err, "%s is now %s: %s moved, %s in %s mended\n", c.Old, c.New,
		counted(moved, "file", "files"), counted(references, "reference", "references"), counted(mended, "file", "files"))
	for _, x := range renamed.Named {
		fmt.Fprintf(con.err, "The comparison %s keeps its slug. To rename it as well: palmares rename %s comparatif %s %s\n",
			x.From, c.Dir, x.From, x.To)
	}
	return nil
}
