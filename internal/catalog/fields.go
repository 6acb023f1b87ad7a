package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A FieldChange is one field before and after, as text.
type FieldChange struct{ Name, Old, New string }

// toolFields returns the fields that differ: those that the API shows, and those that it does not.
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
		formerlyField(a.Formerly, b.Formerly),
		FieldChange{"tested.by", a.Tested.By, b.Tested.By},
		FieldChange{"tested.on", string(a.Tested.On), string(b.Tested.On)},
		FieldChange{"ends_at", string(a.Ending.At), string(b.Ending.At)},
		FieldChange{"ends_source", a.Ending.Source, b.Ending.Source},
		FieldChange{"successor", a.Ending.Successor, b.Ending.Successor},
		FieldChange{"since", string(a.Since), string(b.Since)},
		FieldChange{"price_next.pricing", string(a.Next.Pricing), string(b.Next.Pricing)},
		FieldChange{"price_next.price", a.Next.Price, b.Next.Price},
		FieldChange{"price_next.from", string(a.Next.From), string(b.Next.From)},
		FieldChange{"price_next.source", a.Next.Source, b.Next.Source},
		FieldChange{"embeddings", strconv.FormatBool(a.Embedded), strconv.FormatBool(b.Embedded)},
		FieldChange{"tagline.en", a.English.Tagline.Text, b.English.Tagline.Text},
		FieldChange{"review.en", a.English.Review.Markdown.Hash, b.English.Review.Markdown.Hash},
	)
	hidden = append(hidden, synonymFields("keywords", a.Keywords, b.Keywords)...)
	hidden = append(hidden, factFields(a.FactList(), b.FactList())...)
	if a.Review.Hash == b.Review.Hash { // otherwise the review field already reports the change
		hidden = append(hidden, differing(
			FieldChange{"markdown", a.Review.Markdown.Hash, b.Review.Markdown.Hash},
			FieldChange{"opening", a.Review.Opening, b.Review.Opening},
		)...)
	}
	if a.English.Review.Markdown.Hash == b.English.Review.Markdown.Hash {
		hidden = append(hidden, differing(FieldChange{"opening.en", a.English.Review.Opening, b.English.Review.Opening})...)
	}
	return visible, hidden
}

// synonymFields returns the languages in which synonyms differ.
func synonymFields(name string, a, b Synonyms) []FieldChange {
	return differing(
		FieldChange{name + ".fr", strings.Join(a.French, ", "), strings.Join(b.French, ", ")},
		FieldChange{name + ".en", strings.Join(a.English, ", "), strings.Join(b.English, ", ")},
	)
}

func packagesField(a, b []string) FieldChange {
	return FieldChange{"packages", strings.Join(a, " "), strings.Join(b, " ")}
}

func formerlyField(a, b []string) FieldChange {
	return FieldChange{"formerly", strings.Join(a, " "), strings.Join(b, " ")}
}

// factFields returns the fields that differ in the sources of two items of the same type.
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

// urlFields returns the URLs that differ. A changed pattern changes only the URLs made from it, and
// a tool without a review has no avis_url.
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

// hiddenComparisonFields returns the fields that differ, of those that the API does not show.
func hiddenComparisonFields(a, b *Comparison) []FieldChange {
	return differing(
		formerlyField(a.Formerly, b.Formerly),
		FieldChange{"title.en", a.English.Title.Text, b.English.Title.Text},
		FieldChange{"winner_note.en", a.English.Note.Text, b.English.Note.Text},
	)
}

// retiredFields returns the fields that differ: those that the API shows, and those that it does
// not.
func retiredFields(a, b *Retired) (visible, hidden []FieldChange) {
	visible = differing(
		FieldChange{"name", a.Name, b.Name},
		FieldChange{"category", a.Category, b.Category},
		FieldChange{"reason", string(a.Reason), string(b.Reason)},
		FieldChange{"retired_at", string(a.RetiredAt), string(b.RetiredAt)},
		FieldChange{"note", a.Note, b.Note},
	)
	hidden = differing(
		FieldChange{"domain", a.Domain, b.Domain},
		packagesField(a.Packages, b.Packages),
		formerlyField(a.Formerly, b.Formerly),
		FieldChange{"successor", a.Successor, b.Successor},
		FieldChange{"note.en", a.English.Note.Text, b.English.Note.Text},
	)
	return visible, append(hidden, factFields(a.FactList(), b.FactList())...)
}

// FileFields returns the names of the fields of tools/<slug>.md that differ, as an editor writes
// them. It leaves out what a publication decides, what other files hold, and the English file
// beside it.
func (t *Tool) FileFields(other *Tool) []string {
	visible, hidden := toolFields(t, other)
	return names(slices.Concat(visible, hidden), "embeddings", "review.en", "opening", "opening.en")
}

// FileFields returns the names of the fields of comparatifs/<slug>.md that differ.
func (c *Comparison) FileFields(other *Comparison) []string {
	return names(differing(
		FieldChange{"title", c.Title, other.Title},
		FieldChange{"title.en", c.English.Title.Text, other.English.Title.Text},
		FieldChange{"tool_a", c.ToolA, other.ToolA},
		FieldChange{"tool_b", c.ToolB, other.ToolB},
		FieldChange{"winner", c.Winner, other.Winner},
		FieldChange{"winner_note", c.Note, other.Note},
		formerlyField(c.Formerly, other.Formerly),
	))
}

// FileFields returns the names of the fields of cimetiere/<slug>.md that differ.
func (r *Retired) FileFields(other *Retired) []string {
	visible, hidden := retiredFields(r, other)
	return names(slices.Concat(visible, hidden), "note.en")
}

// FileFields returns the names of the fields of catalog.yaml that differ.
func (s Service) FileFields(other Service) []string {
	localized := func(name string, a, b Localized) []FieldChange {
		return []FieldChange{{name + ".fr", a.French, b.French}, {name + ".en", a.English, b.English}}
	}
	fields := []FieldChange{
		{"name", s.Name, other.Name},
		{"url", s.URL, other.URL},
		{"site.tool", s.Site.Tool, other.Site.Tool},
		{"site.review", s.Site.Review, other.Site.Review},
		{"site.alternatives", s.Site.Alternatives, other.Site.Alternatives},
		{"site.comparison", s.Site.Comparison, other.Site.Comparison},
		{"license", string(s.License), string(other.License)},
		{"powered_by", strconv.FormatBool(!s.Words.Unsigned), strconv.FormatBool(!other.Words.Unsigned)},
		{"pro.availability", s.Words.Pro.Availability, other.Words.Pro.Availability},
		{"pro.support", strconv.FormatBool(!s.Words.Pro.NoSupport), strconv.FormatBool(!other.Words.Pro.NoSupport)},
	}
	fields = append(fields, localized("promise", s.Words.Promise, other.Words.Promise)...)
	fields = append(fields, localized("colophon", s.Words.Colophon, other.Words.Colophon)...)
	fields = append(fields, localized("contact", s.Words.Contact, other.Words.Contact)...)
	for i, p := range s.Words.Proofs {
		name := fmt.Sprintf("proofs.%d", i+1)
		fields = append(fields, localized(name+".label", p.Label, other.Words.Proofs[i].Label)...)
		fields = append(fields, localized(name+".value", p.Value, other.Words.Proofs[i].Value)...)
	}
	return names(differing(fields...))
}

// CategoryFields returns what differs in categories.yaml: the slugs of categories that only one
// side has, changed labels as slug.label, and "order" if both have the same categories in another
// order.
func CategoryFields(a, b []Category) []string {
	bySlug := make(map[string]Category, len(a))
	for _, c := range a {
		bySlug[c.Slug] = c
	}
	var found []string
	both := 0
	for _, c := range b {
		was, there := bySlug[c.Slug]
		if !there {
			found = append(found, c.Slug)
			continue
		}
		both++
		delete(bySlug, c.Slug)
		found = append(found, names(differing(
			FieldChange{c.Slug + ".label", was.Label, c.Label},
			FieldChange{c.Slug + ".label.en", was.English.Text, c.English.Text},
		))...)
		found = append(found, names(synonymFields(c.Slug+".synonyms", was.Synonyms, c.Synonyms))...)
	}
	for slug := range bySlug {
		found = append(found, slug)
	}
	slugs := func(x, y Category) bool { return x.Slug == y.Slug }
	if both == len(a) && both == len(b) && !slices.EqualFunc(a, b, slugs) {
		found = append(found, "order")
	}
	slices.Sort(found)
	return found
}

// names returns the names of the fields, except some.
func names(fields []FieldChange, except ...string) []string {
	var found []string
	for _, f := range fields {
		if !slices.Contains(except, f.Name) {
			found = append(found, f.Name)
		}
	}
	return found
}
