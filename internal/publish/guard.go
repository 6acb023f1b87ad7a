package publish

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// maxShrink is by how many percent a publication may shrink the catalog.
const maxShrink = 20

// GuardError says why changes that are valid in themselves were refused as a likely accident.
type GuardError struct {
	Vanished []string // published files that no longer exist
	Dropped  []string // old slugs that files no longer list
	Before   int
	After    int
	Jumps    []PriceJump
	Stale    []StaleFile
	NoGit    bool // the files are in no checkout
	Shallow  bool // the clone has too little history to tell how old its files are
}

// A PriceJump is a price change so large that it looks like a mistake.
type PriceJump struct{ Slug, Before, After string }

// guard returns a *GuardError for changes that an editor hardly means: a published item that is simply missing,
// an old slug that would lead nowhere, a catalog that loses more than a fifth of its items, a price that
// changes more than fivefold, and files that undo what somebody else has published. Options can allow each of
// them.
func guard(c catalog.Changes, current, next *catalog.Contents, stale staleness, o Options) error {
	e := GuardError{Stale: stale.files, NoGit: o.Checkout == nil, Shallow: stale.shallow}
	if !o.AllowRemoval {
		e.Dropped = dropped(c, current, next)
		// A stale checkout may never have had the file: that is reported as stale, not as vanished.
		e.Vanished = slices.DeleteFunc(vanished(c, next), func(file string) bool {
			return slices.ContainsFunc(stale.files, func(f StaleFile) bool { return f.File == file })
		})
	}
	before, after := c.Before.Total(), c.After.Total()
	if !o.AllowShrink && (before-after)*100 > before*maxShrink {
		e.Before, e.After = before, after
	}
	if !o.AllowPriceJump {
		e.Jumps = jumps(c, o.Correct)
	}
	if len(e.Vanished)+len(e.Dropped) == 0 && e.Before == 0 && len(e.Jumps)+len(e.Stale) == 0 {
		return nil
	}
	return &e
}

func jumps(c catalog.Changes, correct []string) []PriceJump {
	var found []PriceJump
	for _, ch := range c.Tools {
		before := ch.Before()
		if before != nil && !ch.Removed() && !slices.Contains(correct, ch.Slug) && priceJumps(before.Price, ch.New.Price) {
			found = append(found, PriceJump{ch.Slug, before.Price, ch.New.Price})
		}
	}
	return found
}

func vanished(c catalog.Changes, next *catalog.Contents) []string {
	// A retired, revived or renamed item has not vanished, nor has a comparison that is a draft.
	tool := func(slug string) bool {
		return find(next.Tools, slug, func(t *catalog.Tool) string { return t.Slug }) != nil ||
			find(next.Retired, slug, func(r *catalog.Retired) string { return r.Slug }) != nil
	}
	drafted := make(map[string]bool) // former slugs by whether a draft lists them
	for _, x := range next.Comparisons {
		for _, old := range x.Formerly {
			drafted[old] = drafted[old] || x.Draft
		}
	}
	var files []string
	for _, ch := range c.Tools {
		if ch.Removed() && ch.RenamedTo == "" && !tool(ch.Slug) {
			files = append(files, "tools/"+ch.Slug+".md")
		}
	}
	for _, ch := range c.Comparisons {
		there := drafted[ch.Slug] || find(next.Comparisons, ch.Slug, func(x *catalog.Comparison) string { return x.Slug }) != nil
		if ch.Removed() && ch.RenamedTo == "" && !there {
			files = append(files, "comparatifs/"+ch.Slug+".md")
		}
	}
	for _, ch := range c.Retired {
		if ch.Removed() && ch.RenamedTo == "" && !tool(ch.Slug) {
			files = append(files, "cimetiere/"+ch.Slug+".md")
		}
	}
	return files
}

// dropped describes the old slugs that would lead nowhere although their item still exists, one line each.
func dropped(c catalog.Changes, current, next *catalog.Contents) []string {
	tools := make(map[string]named)
	for _, t := range next.Tools {
		tools[t.Slug] = named{pathOf(toolsFolder, t.Slug), t.Formerly}
	}
	for _, r := range next.Retired {
		tools[r.Slug] = named{pathOf(retiredFolder, r.Slug), r.Formerly}
	}
	comparisons := make(map[string]named, len(next.Comparisons))
	for _, x := range next.Comparisons {
		comparisons[x.Slug] = named{pathOf(comparisonsFolder, x.Slug), x.Formerly}
	}
	var lines []string
	look := func(now map[string]named, renamed map[string]string, slug string, formerly []string) {
		to := cmp.Or(renamed[slug], slug)
		file, there := now[to]
		for _, old := range append(slices.Clone(formerly), slug) {
			if there && old != to && !slices.Contains(file.formerly, old) {
				lines = append(lines, fmt.Sprintf("%s  formerly lacks %s", file.path, old))
			}
		}
	}
	for _, t := range current.Tools {
		look(tools, c.RenamedTools(), t.Slug, t.Formerly)
	}
	for _, r := range current.Retired {
		look(tools, c.RenamedTools(), r.Slug, r.Formerly)
	}
	for _, x := range current.Comparisons {
		look(comparisons, c.RenamedComparisons(), x.Slug, x.Formerly)
	}
	return lines
}

// A named is the path of an item's file, with the item's former slugs.
type named struct {
	path     string
	formerly []string
}

func (e *GuardError) Error() string {
	var said []string
	if n := len(e.Vanished); n > 0 {
		said = append(said, fmt.Sprintf("%d published %s vanished:\n%s", n, plural(n, "item has", "items have"), few(e.Vanished))+
			"Retire a tool by moving it to cimetiere/, unpublish a comparison with status: draft,\n"+
			"rename either with \"palmares rename\", which lists the old slug under formerly,\n"+
			"or allow the removal with --allow-removal.")
	}
	if n := len(e.Dropped); n > 0 {
		said = append(said, fmt.Sprintf("%d old %s lead nowhere any more:\n%s", n, plural(n, "slug would", "slugs would"), few(e.Dropped))+
			plural(n, "Put it", "Put them")+" back under formerly, or allow the removal with --allow-removal.")
	}
	if e.Before > 0 {
		said = append(said, fmt.Sprintf(
			"the catalog would shrink from %d %s to %d, by more than %d %%: if that is meant, allow it with --allow-shrink.",
			e.Before, plural(e.Before, "item", "items"), e.After, maxShrink))
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
		said = append(said, fmt.Sprintf("%d %s take back what somebody else has published:\n%s", n,
			plural(n, "file would", "files would"), few(lines))+e.advice()+
			"If it is meant, allow it with --allow-stale, or take back a slip with --correct.")
	}
	return strings.Join(said, "\n")
}

// advice tells the editor how to get the newer changes.
func (e *GuardError) advice() string {
	if e.NoGit {
		return "The directory is older than that: get the newer files, and publish again.\n"
	}
	if e.Shallow {
		return "This clone is shallow, and has no commit that was published: fetch the others with git fetch --unshallow.\n"
	}
	return "This checkout is older than that: get the change with git pull --rebase, and publish again.\n"
}

// listed is the maximum number of lines that an error shows of each kind.
const listed = 10

// few formats the first lines of many, and the number of the others.
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
