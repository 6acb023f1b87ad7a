package publish

import (
	"bufio"
	"fmt"
	"io"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A Style says how to print a plan.
type Style struct {
	Color bool
	Most  int // maximum number of lines per list; 0 for all
}

// A printer writes a plan. Write errors stay in the bufio.Writer and surface in flush.
type printer struct {
	*bufio.Writer
	Style
}

func (p printer) paint(color, s string) string {
	if !p.Color || color == "" {
		return s
	}
	return color + s + reset
}

// Print writes the plan as text: what is added, what changes field by field, what is retired, how prices move,
// and a total.
func Print(w io.Writer, c catalog.Changes, s Style) error {
	p := printer{bufio.NewWriter(w), s}
	if c.Empty() {
		fmt.Fprintln(p, nothingChanges)
		return flush(p)
	}
	for _, name := range changedFiles(c) {
		fmt.Fprintln(p, p.paint(yellow, "~"), name)
	}
	for _, list := range changedItems(c, p.Most) {
		items(p, list)
	}
	prices(p, c)
	corrections(p, c)
	if sum := total(c); sum != "" {
		fmt.Fprintf(p, "%s %s\n", p.paint(bold, "Total:"), sum)
	}
	return flush(p)
}

const nothingChanges = "Nothing changes."

func flush(p printer) error {
	if err := p.Flush(); err != nil {
		return fmt.Errorf("printing the plan: %w", err)
	}
	return nil
}

func items(p printer, list rowList) {
	if len(list.rows) == 0 {
		return
	}
	fmt.Fprintf(p, "%s\n", p.paint(bold, list.title))
	for _, r := range list.rows {
		text := r.title
		switch {
		case r.title == "":
			text = p.paint(r.note.color, r.note.text)
		case r.note.text != "":
			text += p.paint(r.note.color, "  "+r.note.text)
		}
		fmt.Fprintf(p, "  %s %s  %s\n", p.paint(r.mark.color, r.mark.text), r.slug, text)
		for _, f := range r.fields {
			fmt.Fprintf(p, "      %s: ", f.name)
			for _, w := range f.words {
				fmt.Fprint(p, p.paint(w.color, w.text))
			}
			fmt.Fprintln(p)
		}
	}
	more(p, list.left)
}

func more(p printer, left int) {
	if left > 0 {
		fmt.Fprintf(p, "  … and %d more\n", left)
	}
}

func prices(p printer, c catalog.Changes) {
	rows, left := changedPrices(c, p.Most)
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(p, "%s\n", p.paint(bold, "Prices"))
	for _, r := range rows {
		warning := ""
		if r.jumps {
			warning = p.paint(red, "  "+jumpWarning)
		}
		fmt.Fprintf(p, "  %s  %s → %s%s\n", r.slug, r.before, p.paint(cyan, r.after), warning)
	}
	more(p, left)
}
