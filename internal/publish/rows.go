package publish

import (
	"fmt"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

const (
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	cyan   = "\x1b[36m"
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	reset  = "\x1b[0m"
)

// A word is a piece of a line, with the colour that a terminal gives it.
type word struct{ color, text string }

// A row is an item that changes.
type row struct {
	mark   word // + for added, ~ for changed, - for removed
	slug   string
	title  string // "" for a file
	note   word
	fields []fieldRow
}

// A fieldRow is one field of an item that changes.
type fieldRow struct {
	name  string
	words []word
}

// A rowList holds the changed items of one kind.
type rowList struct {
	title string
	rows  []row
	left  int // how many changes the rows leave out
}

// changedFiles returns the names of changed files that hold no item: catalog.yaml, categories.yaml and
// incidents.yaml.
func changedFiles(c catalog.Changes) []string {
	var names []string
	for _, f := range []struct {
		name    string
		changed bool
	}{
		{catalogFile, c.ServiceChanged}, {categoriesFile, c.CategoriesChanged}, {incidentsFile, c.IncidentsChanged},
	} {
		if f.changed {
			names = append(names, f.name)
		}
	}
	return names
}

// changedItems returns the changed items of each kind, at most so many of a kind; 0 means all.
func changedItems(c catalog.Changes, most int) []rowList {
	retired := make(map[string]bool)
	for _, ch := range c.Retired {
		retired[ch.Slug] = !ch.Removed()
	}
	return []rowList{
		rowsOf("Tools", c.Tools, most, func(ch catalog.Change[*catalog.Tool]) (string, word) {
			switch {
			case ch.Former != nil:
				return ch.New.Name, renamedFrom(ch.RenamedFrom)
			case ch.Added():
				return ch.New.Name, word{dim, fmt.Sprintf("%s, %s, %s", ch.New.Category, ch.New.Price, orNone(ch.New.Score.String(), "no score"))}
			case ch.Removed() && retired[ch.Slug]:
				return ch.Old.Name, word{dim, "retired"}
			case ch.Removed():
				return ch.Old.Name, word{red, "removed"}
			}
			return ch.New.Name, word{}
		}),
		rowsOf("Comparisons", c.Comparisons, most, func(ch catalog.Change[*catalog.Comparison]) (string, word) {
			switch {
			case ch.Removed():
				return ch.Old.Title, word{dim, "unpublished"}
			case ch.Former != nil:
				return ch.New.Title, renamedFrom(ch.RenamedFrom)
			}
			return ch.New.Title, word{}
		}),
		rowsOf("Cemetery", c.Retired, most, func(ch catalog.Change[*catalog.Retired]) (string, word) {
			switch {
			case ch.Removed():
				return ch.Old.Name, word{}
			case ch.RenamedFrom != "":
				return ch.New.Name, renamedFrom(ch.RenamedFrom)
			}
			return ch.New.Name, word{dim, fmt.Sprintf("%s, %s", ch.New.Reason, ch.New.RetiredAt)}
		}),
		rowsOf("Pages", c.Files, most, func(ch catalog.Change[*catalog.OperatorFile]) (string, word) {
			switch {
			case ch.Added():
				return "", word{dim, "added"}
			case ch.Removed():
				return "", word{red, "removed"}
			}
			return "", word{dim, "rewritten"}
		}),
	}
}

func rowsOf[T comparable](
	title string, changes []catalog.Change[T], most int, describe func(catalog.Change[T]) (title string, note word),
) rowList {
	list := rowList{title: title}
	changes = slices.DeleteFunc(slices.Clone(changes), renamedAway)
	if most > 0 && len(changes) > most {
		changes, list.left = changes[:most], len(changes)-most
	}
	for _, ch := range changes {
		r := row{mark: word{yellow, "~"}, slug: ch.Slug}
		switch {
		case isRenamed(ch):
		case ch.Added():
			r.mark = word{green, "+"}
		case ch.Removed():
			r.mark = word{red, "-"}
		}
		r.title, r.note = describe(ch)
		for _, f := range ch.Fields {
			words := field(f)
			if slices.Contains(ch.Back, f.Name) {
				words = append(words, word{red, goesBack})
			}
			r.fields = append(r.fields, fieldRow{f.Name, words})
		}
		list.rows = append(list.rows, r)
	}
	return list
}

// goesBack follows a field that returns to an earlier value.
const goesBack = "  as it was before, is that meant?"

func renamedFrom(slug string) word { return word{dim, "renamed from " + slug} }

// isRenamed reports whether the changed item had another slug before.
func isRenamed[T comparable](ch catalog.Change[T]) bool { var none T; return ch.Former != none }

// renamedAway reports whether the change removes the old slug of a renamed item. Plans leave it out: the item's
// own change shows the renaming.
func renamedAway[T comparable](ch catalog.Change[T]) bool { return ch.Removed() && ch.RenamedTo != "" }

// field describes the change of one field. Texts too long to compare at a glance are only reported as
// rewritten.
func field(f catalog.FieldChange) []word {
	const long = 60
	if f.Name == "review" || f.Name == "markdown" || f.Name == "review.en" {
		switch {
		case f.Old == "":
			return []word{{green, "added"}}
		case f.New == "":
			return []word{{red, "removed"}}
		}
		return []word{{"", "rewritten"}}
	}
	if len([]rune(f.Old)) > long || len([]rune(f.New)) > long {
		return []word{{"", "rewritten "}, {dim, "«" + cut(f.New, long) + "»"}}
	}
	return []word{{red, orNone(f.Old, "none")}, {"", " → "}, {green, orNone(f.New, "none")}}
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

// A priceRow is a changed price, with the pricing model if that changes too.
type priceRow struct {
	slug, before, after string
	jumps               bool // by so much that it looks like a mistake
}

// changedPrices returns the changed prices, at most so many, and how many it leaves out; most 0 means all. A
// price that jumps is never left out: its warning must be seen.
func changedPrices(c catalog.Changes, most int) (rows []priceRow, left int) {
	n := 0
	for _, ch := range c.Tools {
		before := ch.Before()
		if before == nil || ch.Removed() || (before.Price == ch.New.Price && before.Pricing == ch.New.Pricing) {
			continue
		}
		r := priceRow{slug: ch.Slug, before: before.Price, after: ch.New.Price}
		if _, corrected := c.Corrections[ch.Slug]; !corrected {
			r.jumps = priceJumps(before.Price, ch.New.Price)
		}
		if n++; most > 0 && n > most && !r.jumps {
			left++
			continue
		}
		if before.Pricing != ch.New.Pricing {
			r.before, r.after = string(before.Pricing)+" "+r.before, string(ch.New.Pricing)+" "+r.after
		}
		rows = append(rows, r)
	}
	return rows, left
}

// jumpWarning follows a price that jumps.
const jumpWarning = "warning: it moves by more than five times, is that meant?"

// priceJumps reports whether a price changes by so much that it looks like a mistake.
func priceJumps(before, after string) bool {
	old, _ := catalog.ParsePrice(before) // both were validated when they were loaded
	now, _ := catalog.ParsePrice(after)
	return old.Jumps(now)
}

// total summarizes the changes of items in one line; "" when only files without items change.
func total(c catalog.Changes) string {
	var parts []string
	add := func(noun string, n counts, gone string) {
		var words []string
		for _, w := range []struct {
			n    int
			word string
		}{{n.added, "added"}, {n.changed, "changed"}, {n.renamed, "renamed"}, {n.removed, gone}} {
			if w.n > 0 {
				words = append(words, fmt.Sprintf("%d %s", w.n, w.word))
			}
		}
		if len(words) > 0 {
			parts = append(parts, noun+" "+strings.Join(words, ", "))
		}
	}
	add("tools", count(c.Tools), "gone")
	add("comparisons", count(c.Comparisons), "unpublished")
	add("cemetery", count(c.Retired), "gone")
	add("pages", count(c.Files), "removed")
	if c.Drafts > 0 {
		parts = append(parts, fmt.Sprintf("%d %s held back", c.Drafts, plural(c.Drafts, "draft", "drafts")))
	}
	return strings.Join(parts, "; ")
}

type counts struct{ added, changed, renamed, removed int }

func count[T comparable](changes []catalog.Change[T]) (n counts) {
	for _, ch := range changes {
		switch {
		case isRenamed(ch):
			n.renamed++
		case ch.Added():
			n.added++
		case !ch.Removed():
			n.changed++
		case ch.RenamedTo == "":
			n.removed++
		}
	}
	return n
}
