package catalog

import (
	"slices"
	"strconv"
	"strings"
)

// Changes is what publishing one state of the catalog over another changes. It
// holds nothing of what stays the same, but for the counts.
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
	Reviews           int                     // that there will be, changed or not

	// Sources are the new digests of files that say the same as before in other
	// bytes. They change nothing that is published.
	Sources Sources

	// Corrections are what the changes of tools correct, by slug: see Correct.
	Corrections map[string]Correction

	// Provenance and FileChanges are what the edition keeps of the files it was published from, and
	// Rewritten are those of Sources. Whoever read the files sets them.
	Provenance  Provenance
	FileChanges []FileChange
	Rewritten   []FileChange

	Before, After Counts

	// The tools that a changed comparison or event must be able to name.
	oldTools, newTools map[string]*Tool
	oldService         Service
	oldCategories      []Category
}

// Sources are digests of files by slug.
type Sources struct{ Tools, Comparisons, Retired map[string]Digests }

// Digests are those of the two files of an item; English is "" where there is one.
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

// Counts says how many items a state of the catalog has published.
type Counts struct{ Tools, Comparisons, Retired int }

// Total is the number of all items.
func (c Counts) Total() int { return c.Tools + c.Comparisons + c.Retired }

// A Change is one item before and after; the zero value stands for not there.
type Change[T comparable] struct {
	Slug     string
	Old, New T
	Fields   []FieldChange // of an item that is on both sides

	// Visible says that what the API shows of the item changed. What only
	// editors see (a tier) changes the row, but neither its date nor the events.
	Visible bool
}

// Added reports whether the item is new.
func (c Change[T]) Added() bool { var none T; return c.Old == none }

// Removed reports whether the item is gone.
func (c Change[T]) Removed() bool { var none T; return c.New == none }

// A FieldChange is one field before and after, as text.
type FieldChange struct{ Name, Old, New string }

// Empty reports whether nothing changes at all.
func (c Changes) Empty() bool {
	return !c.ServiceChanged && !c.CategoriesChanged && !c.IncidentsChanged &&
		len(c.Tools)+len(c.Comparisons)+len(c.Retired)+len(c.Files) == 0
}

// Diff tells what publishing next over current on the given day changes. Neither
// is modified: items that change are copied, with their date, their price history
// and their place in the embeddings set decided.
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
	c.CategoriesChanged = !slices.Equal(current.Categories, c.Categories)
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

// publishedCategories are the categories with what is decided of their translations.
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
			c.Tools = append(c.Tools, Change[*Tool]{Slug: old.Slug, Old: old, Visible: true})
			return
		}
		if old == tool && old.Embedded == embedded[tool.Slug] && !moved {
			return
		}
		ch := Change[*Tool]{Slug: tool.Slug, Old: old, Visible: true}
		t := *tool
		t.Embedded, t.UpdatedAt, t.History = embedded[t.Slug], day, nil
		var was ToolEnglish
		if old != nil {
			was = old.English
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
			t.History = old.History
			if old.Pricing != t.Pricing || old.Price != t.Price {
				t.History = append([]PriceChange{{day, old.Pricing, old.Price, t.Pricing, t.Price}}, old.History...)
			}
		}
		ch.New = &t
		c.newTools[t.Slug] = &t
		c.Tools = append(c.Tools, ch)
	})
}

// toolFields lists what differs, apart what the API shows and what it does not.
func toolFields(a, b *Tool) (visible, hidden []FieldChange) {
	visible = differing(
		FieldChange{"name", a.Name, b.Name},
		FieldChange{"domain", a.Domain, b.Domain},
		FieldChange{"category", a.Category, b.Category},
		FieldChange{"icp", string(a.ICP), string(b.ICP)},
		FieldChange{"pricing", string(a.Pricing), string(b.Pricing)},
		FieldChange{"price", a.Price, b.Price},
		FieldChange{"score", a.Score.String(), b.Score.String()},
		FieldChange{"verifiability", a.Verifiability.String(), b.Verifiability.String()},
		FieldChange{"obsolescence", a.Obsolescence.String(), b.Obsolescence.String()},
		FieldChange{"tagline", a.Tagline, b.Tagline},
		FieldChange{"review", a.Review.Hash, b.Review.Hash},
	)
	hidden = differing(
		FieldChange{"tier", strconv.Itoa(a.Tier), strconv.Itoa(b.Tier)},
		FieldChange{"mainstream", strconv.FormatBool(a.Mainstream), strconv.FormatBool(b.Mainstream)},
		packagesField(a.Packages, b.Packages),
		FieldChange{"tested.by", a.Tested.By, b.Tested.By},
		FieldChange{"tested.on", string(a.Tested.On), string(b.Tested.On)},
		FieldChange{"ends_at", string(a.Ending.At), string(b.Ending.At)},
		FieldChange{"ends_source", a.Ending.Source, b.Ending.Source},
		FieldChange{"successor", a.Ending.Successor, b.Ending.Successor},
		FieldChange{"embeddings", strconv.FormatBool(a.Embedded), strconv.FormatBool(b.Embedded)},
		FieldChange{"tagline.en", a.English.Tagline.Text, b.English.Tagline.Text},
		FieldChange{"review.en", a.English.Review.Markdown.Hash, b.English.Review.Markdown.Hash},
	)
	hidden = append(hidden, factFields(a.FactList(), b.FactList())...)
	if a.Review.Hash == b.Review.Hash { // else the review has changed, which says it all
		hidden = append(hidden, differing(FieldChange{"markdown", a.Review.Markdown.Hash, b.Review.Markdown.Hash})...)
	}
	return visible, hidden
}

func packagesField(a, b []string) FieldChange {
	return FieldChange{"packages", strings.Join(a, " "), strings.Join(b, " ")}
}

// factFields lists what differs in the sources of two items of a kind.
func factFields(a, b []FieldFact) []FieldChange {
	var changes []FieldChange
	for i, was := range a {
		is, name := b[i], "sources."+string(was.Field)
		changes = append(changes, differing(
			FieldChange{name + ".url", was.Source, is.Source},
			FieldChange{name + ".checked", string(was.Checked), string(is.Checked)},
			FieldChange{name + ".text", was.Text, is.Text},
			FieldChange{name + ".note", was.Note, is.Note},
		)...)
	}
	return changes
}

// urlFields lists the URLs that differ. A pattern moves only the URLs made of it,
// and a tool without a review has no avis_url to move.
func urlFields(before, after Service, a, b *Tool) []FieldChange {
	return differing(
		FieldChange{"canonical_url", expand(before.Site.Tool, a.Slug), expand(after.Site.Tool, b.Slug)},
		FieldChange{"avis_url", reviewURL(before, a), reviewURL(after, b)},
		FieldChange{"alternatives_url", expand(before.Site.Alternatives, a.Slug), expand(after.Site.Alternatives, b.Slug)},
	)
}

func differing(fields ...FieldChange) []FieldChange {
	return slices.DeleteFunc(fields, func(f FieldChange) bool { return f.Old == f.New })
}

func (c *Changes) diffComparisons(current, next *Contents, day Date) {
	published := slices.DeleteFunc(slices.Clone(next.Comparisons), func(x *Comparison) bool { return x.Draft })
	c.Drafts = len(next.Comparisons) - len(published)
	moved := current.Service.Site.Comparison != next.Service.Site.Comparison

	pair(current.Comparisons, published, func(x *Comparison) string { return x.Slug }, func(old, cmpn *Comparison) {
		switch {
		case cmpn == nil:
			c.Comparisons = append(c.Comparisons, Change[*Comparison]{Slug: old.Slug, Old: old, Visible: true})
			return
		case old == nil:
			n := publishedComparison(cmpn, ComparisonEnglish{})
			n.UpdatedAt = day
			c.Comparisons = append(c.Comparisons, Change[*Comparison]{Slug: n.Slug, New: n, Visible: true})
			return
		}
		fields := c.comparisonFields(old, cmpn)
		if moved {
			fields = append(fields, FieldChange{"canonical_url", expand(current.Service.Site.Comparison, old.Slug), expand(next.Service.Site.Comparison, old.Slug)})
		}
		visible := len(fields) > 0
		fields = append(fields, differing(
			FieldChange{"title.en", old.English.Title.Text, cmpn.English.Title.Text},
			FieldChange{"winner_note.en", old.English.Note.Text, cmpn.English.Note.Text},
		)...)
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

// publishedComparison is a copy of a comparison with what is decided of its translations.
func publishedComparison(x *Comparison, was ComparisonEnglish) *Comparison {
	n := *x
	n.English.Title = n.English.Title.published(was.Title, n.Title)
	n.English.Note = n.English.Note.published(was.Note, n.Note)
	return &n
}

// publishedRetired is a copy of a retired tool with what is decided of its translation.
func publishedRetired(r *Retired, was RetiredEnglish) *Retired {
	n := *r
	n.English.Note = n.English.Note.published(was.Note, n.Note)
	return &n
}

// comparisonFields lists what differs in a comparison as the API shows it, so the
// names and scores of its tools count too.
func (c *Changes) comparisonFields(a, b *Comparison) []FieldChange {
	oldA, oldB, newA, newB := c.oldTools[a.ToolA], c.oldTools[a.ToolB], c.newTools[b.ToolA], c.newTools[b.ToolB]
	if a == b && oldA == newA && oldB == newB {
		return nil
	}
	name := func(t *Tool) string { return t.Name + " (" + t.Slug + ")" }
	return differing(
		FieldChange{"title", a.Title, b.Title},
		FieldChange{"tool_a", name(oldA), name(newA)},
		FieldChange{"tool_b", name(oldB), name(newB)},
		FieldChange{"tool_a.score", oldA.Score.String(), newA.Score.String()},
		FieldChange{"tool_b.score", oldB.Score.String(), newB.Score.String()},
		FieldChange{"winner", name(Matchup{a, oldA, oldB}.Winning()), name(Matchup{b, newA, newB}.Winning())},
		FieldChange{"winner_note", a.Note, b.Note},
	)
}

func (c *Changes) diffRetired(current, next *Contents) {
	pair(current.Retired, next.Retired, func(r *Retired) string { return r.Slug }, func(old, retired *Retired) {
		ch := Change[*Retired]{Old: old, New: retired, Visible: true}
		switch {
		case retired == nil:
			ch.Slug = old.Slug
		case old == nil:
			ch.Slug, ch.New = retired.Slug, publishedRetired(retired, RetiredEnglish{})
		case old == retired:
			return
		default:
			ch.Slug = old.Slug
			ch.Fields = differing(
				FieldChange{"name", old.Name, retired.Name},
				FieldChange{"category", old.Category, retired.Category},
				FieldChange{"reason", string(old.Reason), string(retired.Reason)},
				FieldChange{"retired_at", string(old.RetiredAt), string(retired.RetiredAt)},
				FieldChange{"note", old.Note, retired.Note},
			)
			ch.Visible = len(ch.Fields) > 0
			ch.Fields = append(ch.Fields, differing(
				FieldChange{"domain", old.Domain, retired.Domain},
				packagesField(old.Packages, retired.Packages),
				FieldChange{"successor", old.Successor, retired.Successor},
				FieldChange{"note.en", old.English.Note.Text, retired.English.Note.Text},
			)...)
			ch.Fields = append(ch.Fields, factFields(old.FactList(), retired.FactList())...)
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

// pair walks two lists in slug order side by side; the zero value stands for the
// side that lacks the slug.
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

// Delta is what brings a snapshot of the state before to the given edition.
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
