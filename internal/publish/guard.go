package publish

import (
	"fmt"
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
}

// guard refuses what an editor hardly means: a published item that is just not
// there any more, and a catalog that suddenly lost a fifth of its items.
func guard(c catalog.Changes, next *catalog.Contents, o Options) error {
	var e GuardError
	if !o.AllowRemoval {
		e.Vanished = vanished(c, next)
	}
	before, after := c.Before.Total(), c.After.Total()
	if !o.AllowShrink && (before-after)*100 > before*maxShrink {
		e.Before, e.After = before, after
	}
	if len(e.Vanished) == 0 && e.Before == 0 {
		return nil
	}
	return &e
}

func vanished(c catalog.Changes, next *catalog.Contents) []string {
	here := make(map[string]bool)
	for _, t := range next.Tools {
		here["tool "+t.Slug] = true
	}
	for _, r := range next.Retired {
		here["tool "+r.Slug] = true // retired is not vanished, and neither is revived
	}
	for _, x := range next.Comparisons {
		here["comparison "+x.Slug] = true // as a draft, perhaps
	}
	var files []string
	for _, ch := range c.Tools {
		if ch.Removed() && !here["tool "+ch.Slug] {
			files = append(files, "tools/"+ch.Slug+".md")
		}
	}
	for _, ch := range c.Comparisons {
		if ch.Removed() && !here["comparison "+ch.Slug] {
			files = append(files, "comparatifs/"+ch.Slug+".md")
		}
	}
	for _, ch := range c.Retired {
		if ch.Removed() && !here["tool "+ch.Slug] {
			files = append(files, "cimetiere/"+ch.Slug+".md")
		}
	}
	return files
}

func (e *GuardError) Error() string {
	var b strings.Builder
	if n := len(e.Vanished); n > 0 {
		const most = 10
		fmt.Fprintf(&b, "%d published %s vanished:\n", n, plural(n, "item has", "items have"))
		for _, f := range e.Vanished[:min(n, most)] {
			fmt.Fprintf(&b, "  %s\n", f)
		}
		if n > most {
			fmt.Fprintf(&b, "  and %d more\n", n-most)
		}
		b.WriteString("Retire a tool by moving it to cimetiere/, unpublish a comparison with status: draft,\n" +
			"or allow the removal with --allow-removal.")
	}
	if e.Before > 0 {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "the catalog would shrink from %d items to %d, by more than %d %%: if that is meant, allow it with --allow-shrink.",
			e.Before, e.After, maxShrink)
	}
	return b.String()
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
