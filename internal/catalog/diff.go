package catalog

import (
	"cmp"
	"slices"
)

// Changes is the difference between a published state of the catalog and the next. It holds the
// items that change, and only counts of the others.
type Changes struct {
	Service    Service    // as it will be
	Categories []Category // as they will be
	Incidents  []Incident // as they will be

	ServiceChanged    bool
	CategoriesChanged bool
	IncidentsChanged  bool
	Tools             []Change[*Tool]
	Comparisons       []Change[*Comparison]
	Retired           []Change[*Retired]
	Files             []Change[*OperatorFile] // Slug is the name
	Drafts            int                     // comparisons held back
	Reviews           int                     // of the next state, changed or not

	// Sources are the new digests of files whose bytes changed but whose content did not. They
	// change nothing that is published.
	Sources Sources

	// Corrections are what the changes of tools correct, by slug: see Correct.
	Corrections map[string]Correction

	// Provenance and FileChanges are stored with the edition, and Rewritten lists the files of
	// Sources. Whoever reads the files sets all three.
	Provenance  Provenance
	FileChanges []FileChange
	Rewritten   []FileChange

	Before, After Counts

	toolNames, comparisonNames renames

	// All tools before and after, for comparisons and events that name them.
	oldTools, newTools map[string]*Tool
	oldService         Service
	oldCategories      []Category
}

// Sources are digests of files by slug.
type Sources struct{ Tools, Comparisons, Retired map[string]Digests }

// Digests are the digests of an item's two files; English is "" without one.
type Digests struct{ French, English string }

func note(m *map[string]Digests, slug string, old, source Digests) {
	if old == source {
		return
	}
	if *m == nil {
		*m = make(map[string]Digests)
	}
	(*m)[slug] = source
}

// Counts holds the numbers of published items in a state of the catalog.
type Counts struct{ Tools, Comparisons, Retired int }

// Total returns the number of all items.
func (c Counts) Total() int { return c.Tools + c.Comparisons + c.Retired }

// A Change is one item before and after; the zero T means that it is absent.
type Change[T comparable] struct {
	Slug     string
	Old, New T
	Fields   []FieldChange // of an item that was there before
	Back     []string      // names of fields that get an earlier value again; set by callers with a Past

	// RenamedFrom is the former slug of an added item, and Former is the item under that slug, if
	// it was of the same type. RenamedTo is the new slug of an item that is removed under this one.
	RenamedFrom, RenamedTo string
	Former                 T

	// Visible reports whether the API shows the change. A change that only editors see (a tier)
	// updates the row, but neither its date nor the events.
	Visible bool
}

// Added reports whether the item is new.
func (c Change[T]) Added() bool { var none T; return c.Old == none }

// Before returns the item as it was, even under another slug; the zero value if it is new.
func (c Change[T]) Before() T {
	if c.Added() {
		return c.Former
	}
	return c.Old
}

// Removed reports whether the item is gone.
func (c Change[T]) Removed() bool { var none T; return c.New == none }

// Empty reports whether nothing changes at all.
func (c Changes) Empty() bool {
	return !c.ServiceChanged && !c.CategoriesChanged && !c.IncidentsChanged &&
		len(c.Tools)+len(c.Comparisons)+len(c.Retired)+len(c.Files) == 0
}

// Diff returns what publishing next over current on the given day changes. It modifies neither: it
// copies changed items and decides their date, their price history and their place in the
// embeddings set.
func Diff(current, next *Contents, day Date) Changes {
	c := Changes{
		Service:          next.Service,
		Categories:       publishedCategories(current.Categories, next.Categories),
		ServiceChanged:   current.Service != next.Service,
		Incidents:        next.Incidents,
		IncidentsChanged: !slices.EqualFunc(current.Incidents, next.Incidents, Incident.Equal),
		oldService:       current.Service,
		oldCategories:    current.Categories,
		oldTools:         bySlug(current.Tools),
		newTools:         bySlug(next.Tools),
	}
	c.CategoriesChanged = !slices.EqualFunc(current.Categories, c.Categories, Category.Equal)
	c.toolNames = renamesOf(toolBearers(current), toolBearers(next))
	c.diffTools(current, next, day)
	c.diffComparisons(current, next, day)
	c.diffRetired(current, next)
	c.diffFiles(current, next)
	c.Before = Counts{len(current.Tools), len(current.Comparisons), len(current.Retired)}
	c.After = Counts{len(next.Tools), len(next.Comparisons) - c.Drafts, len(next.Retired)}
	for _, t := range next.Tools {
		if t.Review.Exists() {
			c.Reviews++
		}
	}
	return c
}

func bySlug(tools []*Tool) map[string]*Tool {
	m := make(map[string]*Tool, len(tools))
	for _, t := range tools {
		m[t.Slug] = t
	}
	return m
}

// publishedCategories returns the next categories with their translations as they will be
// published.
func publishedCategories(current, next []Category) []Category {
	was := make(map[string]Category, len(current))
	for _, c := range current {
		was[c.Slug] = c
	}
	next = slices.Clone(next)
	for i, c := range next {
		next[i].English = c.English.published(was[c.Slug].English, c.Label)
	}
	return next
}

func (c *Changes) diffTools(current, next *Contents, day Date) {
	embedded := make(map[string]bool, EmbeddingsSize)
	for _, t := range EmbeddingsSet(next.Tools) {
		embedded[t.Slug] = true
	}
	oldSite, newSite := current.Service.Site, next.Service.Site
	oldSite.Comparison, newSite.Comparison = "", ""
	moved := oldSite != newSite // every tool's URLs, or most

	pair(current.Tools, next.Tools, func(t *Tool) string { return t.Slug }, func(old, tool *Tool) {
		if tool == nil {
			c.Tools = append(c.Tools, Change[*Tool]{Slug: old.Slug, Old: old, Visible: true, RenamedTo: c.toolNames.to[old.Slug]})
			return
		}
		if old == tool && old.Embedded == embedded[tool.Slug] && !moved {
			return
		}
		ch := Change[*Tool]{Slug: tool.Slug, Old: old, Visible: true}
		t := *tool
		t.Embedded, t.UpdatedAt, t.History = embedded[t.Slug], day, nil
		if old == nil {
			ch.RenamedFrom = c.toolNames.from[t.Slug]
			ch.Former = c.oldTools[ch.RenamedFrom]
		}
		var was ToolEnglish
		if before := ch.Before(); before != nil {
			was = before.English
		}
		t.English.Tagline = t.English.Tagline.published(was.Tagline, t.Tagline)
		t.English.Review = t.English.Review.published(was.Review, t.Review.Markdown)
		if old != nil {
			visible, hidden := toolFields(old, &t)
			if moved {
				visible = append(visible, urlFields(current.Service, next.Service, old, &t)...)
			}
			ch.Fields, ch.Visible = slices.Concat(visible, hidden), len(visible) > 0
			if len(ch.Fields) == 0 {
				note(&c.Sources.Tools, t.Slug, Digests{old.Source, old.English.Source}, Digests{t.Source, t.English.Source})
				return
			}
			if !ch.Visible {
				t.UpdatedAt = old.UpdatedAt
			}
		} else if ch.Former != nil {
			visible, hidden := toolFields(ch.Former, &t)
			ch.Fields = slices.Concat(visible, hidden)
		}
		if before := ch.Before(); before != nil {
			t.History = before.History
			if before.Pricing != t.Pricing || before.Price != t.Price {
				t.History = append([]PriceChange{{day, before.Pricing, before.Price, t.Pricing, t.Price}}, before.History...)
			}
		}
		ch.New = &t
		c.newTools[t.Slug] = &t
		c.Tools = append(c.Tools, ch)
	})
}

func (c *Changes) diffComparisons(current, next *Contents, day Date) {
	published := slices.DeleteFunc(slices.Clone(next.Comparisons), func(x *Comparison) bool { return x.Draft })
	c.Drafts = len(next.Comparisons) - len(published)
	moved := current.Service.Site.Comparison != next.Service.Site.Comparison
	c.comparisonNames = renamesOf(comparisonBearers(current.Comparisons), comparisonBearers(published))
	was := make(map[string]*Comparison, len(c.comparisonNames.to))
	for _, x := range current.Comparisons {
		if c.comparisonNames.to[x.Slug] != "" {
			was[x.Slug] = x
		}
	}

	pair(current.Comparisons, published, func(x *Comparison) string { return x.Slug }, func(old, cmpn *Comparison) {
		switch {
		case cmpn == nil:
			c.Comparisons = append(c.Comparisons, Change[*Comparison]{
				Slug: old.Slug, Old: old, Visible: true, RenamedTo: c.comparisonNames.to[old.Slug],
			})
			return
		case old == nil:
			c.Comparisons = append(c.Comparisons, c.newComparison(cmpn, was[c.comparisonNames.from[cmpn.Slug]], day))
			return
		}
		fields, visible := c.comparisonFields(old, cmpn)
		if moved {
			fields = append(fields, FieldChange{"canonical_url", expand(current.Service.Site.Comparison, old.Slug), expand(next.Service.Site.Comparison, old.Slug)})
			visible = true
		}
		fields = append(fields, hiddenComparisonFields(old, cmpn)...)
		if len(fields) == 0 {
			note(&c.Sources.Comparisons, old.Slug, Digests{old.Source, old.English.Source}, Digests{cmpn.Source, cmpn.English.Source})
			return
		}
		n := publishedComparison(cmpn, old.English)
		if n.UpdatedAt = old.UpdatedAt; visible {
			n.UpdatedAt = day
		}
		c.Comparisons = append(c.Comparisons, Change[*Comparison]{Slug: n.Slug, Old: old, New: n, Fields: fields, Visible: visible})
	})
}

// newComparison returns the change of a comparison whose slug is new. former is the comparison
// under its old slug, or nil.
func (c *Changes) newComparison(x, former *Comparison, day Date) Change[*Comparison] {
	ch := Change[*Comparison]{Slug: x.Slug, Visible: true, Former: former}
	var was ComparisonEnglish
	if former != nil {
		was, ch.RenamedFrom = former.English, former.Slug
		ch.Fields, _ = c.comparisonFields(former, x)
		ch.Fields = append(ch.Fields, hiddenComparisonFields(former, x)...)
	}
	ch.New = publishedComparison(x, was)
	ch.New.UpdatedAt = day
	return ch
}

// publishedComparison returns a copy of a comparison with its translations as they will be
// published.
func publishedComparison(x *Comparison, was ComparisonEnglish) *Comparison {
	n := *x
	n.English.Title = n.English.Title.published(was.Title, n.Title)
	n.English.Note = n.English.Note.published(was.Note, n.Note)
	return &n
}

// publishedRetired returns a copy of a retired tool with its translation as it will be published.
func publishedRetired(r *Retired, was RetiredEnglish) *Retired {
	n := *r
	n.English.Note = n.English.Note.published(was.Note, n.Note)
	return &n
}

// comparisonFields lists the fields of a comparison that differ in its events, which include the
// names and scores of its tools. visible is false if only slugs of renamed tools differ.
func (c *Changes) comparisonFields(a, b *Comparison) (fields []FieldChange, visible bool) {
	oldA, oldB, newA, newB := c.oldTools[a.ToolA], c.oldTools[a.ToolB], c.newTools[b.ToolA], c.newTools[b.ToolB]
	if a == b && oldA == newA && oldB == newB {
		return nil, false
	}
	list := func(slug func(*Tool) string) []FieldChange {
		name := func(t *Tool, slug string) string { return t.Name + " (" + slug + ")" }
		was, is := ComparisonWithTools{a, oldA, oldB}.Winning(), ComparisonWithTools{b, newA, newB}.Winning()
		return differing(
			FieldChange{"title", a.Title, b.Title},
			FieldChange{"tool_a", name(oldA, oldA.Slug), name(newA, slug(newA))},
			FieldChange{"tool_b", name(oldB, oldB.Slug), name(newB, slug(newB))},
			FieldChange{"tool_a.score", oldA.Score.String(), newA.Score.String()},
			FieldChange{"tool_b.score", oldB.Score.String(), newB.Score.String()},
			FieldChange{"winner", name(was, was.Slug), name(is, slug(is))},
			FieldChange{"winner_note", a.Note, b.Note},
		)
	}
	seen := list(func(t *Tool) string { return cmp.Or(c.toolNames.from[t.Slug], t.Slug) })
	return list(func(t *Tool) string { return t.Slug }), len(seen) > 0
}

func (c *Changes) diffRetired(current, next *Contents) {
	former := make(map[string]*Retired) // those that have another slug now
	for _, r := range current.Retired {
		if c.toolNames.to[r.Slug] != "" {
			former[r.Slug] = r
		}
	}
	pair(current.Retired, next.Retired, func(r *Retired) string { return r.Slug }, func(old, retired *Retired) {
		ch := Change[*Retired]{Old: old, New: retired, Visible: true}
		switch {
		case retired == nil:
			ch.Slug, ch.RenamedTo = old.Slug, c.toolNames.to[old.Slug]
		case old == nil:
			ch.Slug, ch.RenamedFrom = retired.Slug, c.toolNames.from[retired.Slug]
			var was RetiredEnglish
			if ch.Former = former[ch.RenamedFrom]; ch.Former != nil {
				visible, hidden := retiredFields(ch.Former, retired)
				was, ch.Fields = ch.Former.English, slices.Concat(visible, hidden)
			}
			ch.New = publishedRetired(retired, was)
		case old == retired:
			return
		default:
			ch.Slug = old.Slug
			visible, hidden := retiredFields(old, retired)
			ch.Fields, ch.Visible = slices.Concat(visible, hidden), len(visible) > 0
			if len(ch.Fields) == 0 {
				note(&c.Sources.Retired, old.Slug, Digests{old.Source, old.English.Source}, Digests{retired.Source, retired.English.Source})
				return
			}
			ch.New = publishedRetired(retired, old.English)
		}
		c.Retired = append(c.Retired, ch)
	})
}

func (c *Changes) diffFiles(current, next *Contents) {
	pair(current.Files, next.Files, func(f *OperatorFile) string { return f.Name }, func(old, file *OperatorFile) {
		switch {
		case file == nil:
			c.Files = append(c.Files, Change[*OperatorFile]{Slug: old.Name, Old: old, Visible: true})
		case old == nil || old.Hash != file.Hash:
			c.Files = append(c.Files, Change[*OperatorFile]{Slug: file.Name, Old: old, New: file, Visible: true})
		}
	})
}

// pair walks two lists in slug order side by side and calls visit for each slug, with the zero
// value for a list that lacks it.
func pair[T any](old, next []T, slug func(T) string, visit func(old, next T)) {
	var none T
	for len(old) > 0 || len(next) > 0 {
		switch {
		case len(next) == 0 || len(old) > 0 && slug(old[0]) < slug(next[0]):
			visit(old[0], none)
			old = old[1:]
		case len(old) == 0 || slug(next[0]) < slug(old[0]):
			visit(none, next[0])
			next = next[1:]
		default:
			visit(old[0], next[0])
			old, next = old[1:], next[1:]
		}
	}
}

// Delta returns the delta from a snapshot of the old state to the given edition.
func (c Changes) Delta(e Edition) Delta {
	d := Delta{Edition: e, Service: c.Service, Categories: c.Categories, Incidents: c.Incidents}
	d.Tools, d.GoneTools = split(c.Tools)
	d.Comparisons, d.GoneComparisons = split(c.Comparisons)
	d.Retired, d.GoneRetired = split(c.Retired)
	d.Files, d.GoneFiles = split(c.Files)
	return d
}

func split[T comparable](changes []Change[T]) (items []T, gone []string) {
	for _, ch := range changes {
		if ch.Removed() {
			gone = append(gone, ch.Slug)
		} else {
			items = append(items, ch.New)
		}
	}
	return items, gone
}

// RenamedTools maps the former slugs of renamed tools, living and retired, to their new ones.
func (c Changes) RenamedTools() map[string]string { return c.toolNames.to }

// RenamedComparisons maps the former slugs of renamed comparisons to their new ones.
func (c Changes) RenamedComparisons() map[string]string { return c.comparisonNames.to }
