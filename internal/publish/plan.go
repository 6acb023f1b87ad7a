package publish

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A Style says how to print a plan.
type Style struct {
	Color bool
	Most  int // lines per list; 0 is all
}

const (
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	cyan   = "\x1b[36m"
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	reset  = "\x1b[0m"
)

// A printer writes a plan; errors stay in the bufio.Writer until the end.
type printer struct {
	*bufio.Writer
	Style
}

func (p printer) paint(color, s string) string {
	if !p.Color {
		return s
	}
	return color + s + reset
}

// Print writes what the changes are, the way a good plan reads: what is added,
// what changes field by field, what is retired, how prices move, and the sum.
func Print(w io.Writer, c catalog.Changes, s Style) error {
	p := printer{bufio.NewWriter(w), s}
	if c.Empty() {
		fmt.Fprintln(p, "Nothing changes.")
		return flush(p)
	}
	if c.ServiceChanged {
		fmt.Fprintln(p, p.paint(yellow, "~"), "catalog.yaml")
	}
	if c.CategoriesChanged {
		fmt.Fprintln(p, p.paint(yellow, "~"), "categories.yaml")
	}
	if c.IncidentsChanged {
		fmt.Fprintln(p, p.paint(yellow, "~"), "pages/incidents.yaml")
	}
	retired := make(map[string]bool)
	for _, ch := range c.Retired {
		retired[ch.Slug] = !ch.Removed()
	}
	list(p, "Tools", c.Tools, func(ch catalog.Change[*catalog.Tool]) string {
		switch {
		case ch.Added():
			return ch.New.Name + p.paint(dim, fmt.Sprintf("  %s, %s, %s", ch.New.Category, ch.New.Price, orNone(ch.New.Score.String(), "no score")))
		case ch.Removed() && retired[ch.Slug]:
			return ch.Old.Name + p.paint(dim, "  retired")
		case ch.Removed():
			return ch.Old.Name + p.paint(red, "  removed")
		}
		return ch.New.Name
	})
	list(p, "Comparisons", c.Comparisons, func(ch catalog.Change[*catalog.Comparison]) string {
		if ch.Removed() {
			return ch.Old.Title + p.paint(dim, "  unpublished")
		}
		return ch.New.Title
	})
	list(p, "Cemetery", c.Retired, func(ch catalog.Change[*catalog.Retired]) string {
		if ch.Removed() {
			return ch.Old.Name
		}
		return ch.New.Name + p.paint(dim, fmt.Sprintf("  %s, %s", ch.New.Reason, ch.New.RetiredAt))
	})
	list(p, "Pages", c.Files, func(ch catalog.Change[*catalog.OperatorFile]) string {
		switch {
		case ch.Added():
			return p.paint(dim, "added")
		case ch.Removed():
			return p.paint(red, "removed")
		}
		return p.paint(dim, "rewritten")
	})
	prices(p, c)
	corrections(p, c)
	total(p, c)
	return flush(p)
}

func flush(p printer) error {
	if err := p.Flush(); err != nil {
		return fmt.Errorf("printing the plan: %w", err)
	}
	return nil
}

func list[T comparable](p printer, title string, changes []catalog.Change[T], describe func(catalog.Change[T]) string) {
	if len(changes) == 0 {
		return
	}
	fmt.Fprintf(p, "%s\n", p.paint(bold, title))
	for i, ch := range changes {
		if p.Most > 0 && i == p.Most {
			fmt.Fprintf(p, "  … and %d more\n", len(changes)-i)
			break
		}
		mark := p.paint(yellow, "~")
		switch {
		case ch.Added():
			mark = p.paint(green, "+")
		case ch.Removed():
			mark = p.paint(red, "-")
		}
		fmt.Fprintf(p, "  %s %s  %s\n", mark, ch.Slug, describe(ch))
		for _, f := range ch.Fields {
			fmt.Fprintf(p, "      %s: %s\n", f.Name, field(p, f))
		}
	}
}

// field shows a change of one field; texts too long to compare at a glance are
// only said to differ.
func field(p printer, f catalog.FieldChange) string {
	const long = 60
	if f.Name == "review" || f.Name == "markdown" || f.Name == "review.en" {
		switch {
		case f.Old == "":
			return p.paint(green, "added")
		case f.New == "":
			return p.paint(red, "removed")
		}
		return "rewritten"
	}
	if len([]rune(f.Old)) > long || len([]rune(f.New)) > long {
		return "rewritten " + p.paint(dim, "«"+cut(f.New, long)+"»")
	}
	return p.paint(red, orNone(f.Old, "none")) + " → " + p.paint(green, orNone(f.New, "none"))
}

func cut(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

func orNone(s, none string) string {
	if s == "" {
		return none
	}
	return s
}

func prices(p printer, c catalog.Changes) {
	n, left := 0, 0
	for _, ch := range c.Tools {
		if ch.Added() || ch.Removed() || (ch.Old.Price == ch.New.Price && ch.Old.Pricing == ch.New.Pricing) {
			continue
		}
		if n == 0 {
			fmt.Fprintf(p, "%s\n", p.paint(bold, "Prices"))
		}
		warning := ""
		if _, corrected := c.Corrections[ch.Slug]; !corrected && priceJumps(ch.Old.Price, ch.New.Price) {
			warning = p.paint(red, "  warning: it moves by more than five times, is that meant?")
		}
		if n++; p.Most > 0 && n > p.Most && warning == "" { // a warning is always worth its line
			left++
			continue
		}
		before, after := ch.Old.Price, ch.New.Price
		if ch.Old.Pricing != ch.New.Pricing {
			before, after = string(ch.Old.Pricing)+" "+before, string(ch.New.Pricing)+" "+after
		}
		fmt.Fprintf(p, "  %s  %s → %s%s\n", ch.Slug, before, p.paint(cyan, after), warning)
	}
	if left > 0 {
		fmt.Fprintf(p, "  … and %d more\n", left)
	}
}

// priceJumps reports whether a price moves so far that it looks like a slip.
func priceJumps(before, after string) bool {
	old, _ := catalog.ParsePrice(before) // checked when they were read
	now, _ := catalog.ParsePrice(after)
	return old.Jumps(now)
}

func total(p printer, c catalog.Changes) {
	var parts []string
	add := func(noun string, added, changed, removed int, gone string) {
		var words []string
		for _, w := range []struct {
			n    int
			word string
		}{{added, "added"}, {changed, "changed"}, {removed, gone}} {
			if w.n > 0 {
				words = append(words, fmt.Sprintf("%d %s", w.n, w.word))
			}
		}
		if len(words) > 0 {
			parts = append(parts, noun+" "+strings.Join(words, ", "))
		}
	}
	a, ch, r := count(c.Tools)
	add("tools", a, ch, r, "gone")
	a, ch, r = count(c.Comparisons)
	add("comparisons", a, ch, r, "unpublished")
	a, ch, r = count(c.Retired)
	add("cemetery", a, ch, r, "gone")
	a, ch, r = count(c.Files)
	add("pages", a, ch, r, "removed")
	if c.Drafts > 0 {
		parts = append(parts, fmt.Sprintf("%d %s held back", c.Drafts, plural(c.Drafts, "draft", "drafts")))
	}
	if len(parts) == 0 {
		return // catalog.yaml or categories.yaml alone
	}
	fmt.Fprintf(p, "%s %s\n", p.paint(bold, "Total:"), strings.Join(parts, "; "))
}

func count[T comparable](changes []catalog.Change[T]) (added, changed, removed int) {
	for _, ch := range changes {
		switch {
		case ch.Added():
			added++
		case ch.Removed():
			removed++
		default:
			changed++
		}
	}
	return added, changed, removed
}
