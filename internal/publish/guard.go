package publish

import (
	"fmt"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// maxShrink is how much smaller, in percent, a publication may make the catalog.
const maxShrink = 20

// GuardError says why changes that are valid in themselves were refused.
type GuardError struct {
	Vanished []string // files that were published and are not there any more
	Before   int
	After    int
	Jumps    []PriceJump
	Stale    []StaleFile
}

// A PriceJump is a price that moves so far that it looks like a slip.
type PriceJump struct{ Slug, Before, After string }

// guard refuses what an editor hardly means: a published item that is just not
// there any more, a catalog that suddenly lost a fifth of its items, and a price
// that moves by more than five times, and files that somebody else has changed since.
func guard(c catalog.Changes, next *catalog.Contents, stale []StaleFile, o Options) error {
	e := GuardError{Stale: stale}
	if !o.AllowRemoval {
		e.Vanished = vanished(c, next)
	}
	before, after := c.Before.Total(), c.After.Total()
	if !o.AllowShrink && (before-after)*100 > before*maxShrink {
		e.Before, e.After = before, after
	}
	if !o.AllowPriceJump {
		e.Jumps = jumps(c, o.Correct)
	}
	if len(e.Vanished) == 0 && e.Before == 0 && len(e.Jumps)+len(e.Stale) == 0 {
		return nil
	}
	return &e
}

func jumps(c catalog.Changes, correct []string) []PriceJump {
	var found []PriceJump
	for _, ch := range c.Tools {
		if !ch.Added() && !ch.Removed() && !slices.Contains(correct, ch.Slug) && priceJumps(ch.Old.Price, ch.New.Price) {
			found = append(found, PriceJump{ch.Slug, ch.Old.Price, ch.New.Price})
		}
	}
	return found
}

func vanished(c catalog.Changes, next *catalog.Contents) []string {
	// Retired is not vanished, and neither is revived. A comparison may be there as a draft.
	tool := func(slug string) bool {
		return has(next.Tools, slug, func(t *catalog.Tool) string { return t.Slug }) ||
			has(next.Retired, slug, func(r *catalog.Retired) string { return r.Slug })
	}
	var files []string
	for _, ch := range c.Tools {
		if ch.Removed() && !tool(ch.Slug) {
			files = append(files, "tools/"+ch.Slug+".md")
		}
	}
	for _, ch := range c.Comparisons {
		if ch.Removed() && !has(next.Comparisons, ch.Slug, func(x *catalog.Comparison) string { return x.Slug }) {
			files = append(files, "comparatifs/"+ch.Slug+".md")
		}
	}
	for _, ch := range c.Retired {
		if ch.Removed() && !tool(ch.Slug) {
			files = append(files, "cimetiere/"+ch.Slug+".md")
		}
	}
	return files
}

// has reports whether one of the items, which are sorted, has the slug.
func has[T any](items []T, slug string, of func(T) string) bool {
	_, found := slices.BinarySearchFunc(items, slug, func(item T, slug string) int { return strings.Compare(of(item), slug) })
	return found
}

func (e *GuardError) Error() string {
	var said []string
	if n := len(e.Vanished); n > 0 {
		said = append(said, fmt.Sprintf("%d published %s vanished:\n%s", n, plural(n, "item has", "items have"), few(e.Vanished))+
			"Retire a tool by moving it to cimetiere/, unpublish a comparison with status: draft,\n"+
			"or allow the removal with --allow-removal.")
	}
	if e.Before > 0 {
		said = append(said, fmt.Sprintf(
			"the catalog would shrink from %d items to %d, by more than %d %%: if that is meant, allow it with --allow-shrink.",
			e.Before, e.After, maxShrink))
	}
	if n := len(e.Jumps); n > 0 {
		lines := make([]string, n)
		for i, j := range e.Jumps {
			lines[i] = fmt.Sprintf("%s  %s → %s", j.Slug, j.Before, j.After)
		}
		said = append(said, fmt.Sprintf("%d %s by more than five times:\n%s", n, plural(n, "price moves", "prices move"), few(lines))+
			"If that is meant, allow it with --allow-price-jump. A price that takes back a slip is published with --correct.")
	}
	if n := len(e.Stale); n > 0 {
		lines := make([]string, n)
		for i, f := range e.Stale {
			lines[i] = f.String()
		}
		said = append(said, fmt.Sprintf("%d %s be again what %s before the last change:\n%s", n,
			plural(n, "file would", "files would"), plural(n, "it was", "they were"), few(lines))+
			"This checkout does not have that change: pull first, and in a shallow clone fetch the history.\n"+
			"If it is meant, allow it with --allow-stale, or take back a slip with --correct.")
	}
	return strings.Join(said, "\n")
}

// listed is how many lines of each kind a refusal has.
const listed = 10

// few lists the first lines of many, each on its own.
func few(lines []string) string {
	var b strings.Builder
	for _, line := range lines[:min(len(lines), listed)] {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	if n := len(lines); n > listed {
		fmt.Fprintf(&b, "  and %d more\n", n-listed)
	}
	return b.String()
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
