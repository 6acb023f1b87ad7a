package catalogtest

import (
	"maps"
	"slices"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// renamed returns the next slug of an item, either a new one or one that it had before, and its
// former slugs. At times it drops one of these.
func (w *World) renamed(slug string, formerly []string) (string, []string) {
	next := slug + "-bis"
	if len(next) > catalog.MaxSlug || w.IntN(3) == 0 {
		next = w.slug("renomme")
	}
	if len(formerly) > 0 && w.IntN(3) == 0 {
		next = pick(w, formerly)
	}
	if w.tools[next] != nil || w.retired[next] != nil || w.comparisons[next] != nil || w.had(next) && !slices.Contains(formerly, next) {
		next = w.slug("renomme")
	}
	list := slices.Clone(formerly)
	if i := slices.Index(list, next); i > 0 || i == 0 && w.IntN(2) == 0 { // else it stays the first
		list = slices.Delete(list, i, i+1)
	}
	if slices.Contains(list, slug) {
		return next, list
	}
	if len(list) == 10 {
		list = list[1:]
	}
	return next, append(list, slug)
}

// had reports whether a slug is a former one of an item.
func (w *World) had(slug string) bool {
	for _, t := range w.tools {
		if slices.Contains(t.Formerly, slug) {
			return true
		}
	}
	for _, r := range w.retired {
		if slices.Contains(r.Formerly, slug) {
			return true
		}
	}
	for _, c := range w.comparisons {
		if slices.Contains(c.Formerly, slug) {
			return true
		}
	}
	return false
}

// renameTool renames a tool and updates every reference to it. At times the same edit also changes
// its price, and at times it retires the tool.
func (w *World) renameTool() {
	old := w.tools[anyOf(w, w.tools)]
	if old == nil {
		return
	}
	t := *old
	t.Slug, t.Formerly = w.renamed(old.Slug, old.Formerly)
	t.Source, t.UpdatedAt = "digest-"+t.Slug, w.date()
	if w.IntN(3) == 0 {
		t.Price = "9 €/an"
	}
	delete(w.tools, old.Slug)
	w.touchedTools[old.Slug] = true
	w.putTool(&t)
	w.updateReferences(old.Slug, t.Slug)
	if w.IntN(5) == 0 {
		w.removeTool(t.Slug)
		w.retire(t.Slug)
		w.retired[t.Slug].Formerly = t.Formerly
	}
}

// updateReferences replaces a tool's slug in everything that names it.
func (w *World) updateReferences(from, to string) {
	follow := func(slug *string) bool {
		if *slug != from {
			return false
		}
		*slug = to
		return true
	}
	for _, slug := range slices.Sorted(maps.Keys(w.tools)) {
		if t := *w.tools[slug]; follow(&t.Ending.Successor) {
			w.putTool(&t)
		}
	}
	for _, slug := range slices.Sorted(maps.Keys(w.retired)) {
		if r := *w.retired[slug]; follow(&r.Successor) {
			w.retired[slug], w.touchedRetired[slug] = &r, true
		}
	}
	for _, slug := range slices.Sorted(maps.Keys(w.comparisons)) {
		c := *w.comparisons[slug]
		a, b := follow(&c.ToolA), follow(&c.ToolB)
		if follow(&c.Winner) || a || b {
			w.putComparison(&c)
		}
	}
}

// renameOther renames a comparison or a retired tool.
func (w *World) renameOther() {
	if old := w.comparisons[anyOf(w, w.comparisons)]; old != nil && w.IntN(2) == 0 {
		c := *old
		c.Slug, c.Formerly = w.renamed(old.Slug, old.Formerly)
		c.Source = "digest-" + c.Slug
		w.removeComparison(old.Slug)
		w.putComparison(&c)
		return
	}
	if old := w.retired[anyOf(w, w.retired)]; old != nil {
		r := *old
		r.Slug, r.Formerly = w.renamed(old.Slug, old.Formerly)
		r.Source = "digest-" + r.Slug
		w.removeRetired(old.Slug)
		w.retired[r.Slug], w.touchedRetired[r.Slug] = &r, true
	}
}

// editFormerly adds a slug that no item ever had to the former slugs of an item, or removes the
// first of these.
func (w *World) editFormerly() {
	edit := func(list []string) []string {
		if len(list) > 0 && w.IntN(2) == 0 {
			return slices.Clone(list[1:])
		}
		return append(slices.Clone(list[:min(len(list), 9)]), w.slug("jadis"))
	}
	switch w.IntN(3) {
	case 0:
		w.editTool(func(t *catalog.Tool) { t.Formerly = edit(t.Formerly) })
	case 1:
		w.editComparison(func(c *catalog.Comparison) { c.Formerly = edit(c.Formerly) })
	default:
		if old := w.retired[anyOf(w, w.retired)]; old != nil {
			r := *old
			r.Formerly = edit(r.Formerly)
			w.retired[r.Slug], w.touchedRetired[r.Slug] = &r, true
		}
	}
}
