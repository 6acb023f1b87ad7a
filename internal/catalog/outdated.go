package catalog

// A Kind is the kind of item that an English text belongs to.
type Kind int

// The kinds.
const (
	OfCategory Kind = iota
	OfTool
	OfComparison
	OfRetired
)

// An OutdatedText is an English text that was not changed along with its French.
type OutdatedText struct {
	Kind Kind
	Slug string // of its item, or of its category
	Key  string // of the text in the front matter; "" if the text has a file of its own
}

// Outdated returns the English texts that the changes make outdated, by changing the French but not
// them.
func (c Changes) Outdated() []OutdatedText {
	var list []OutdatedText
	add := func(outdated bool, kind Kind, slug, key string) {
		if outdated {
			list = append(list, OutdatedText{kind, slug, key})
		}
	}
	old := make(map[string]Category)
	for _, x := range c.oldCategories {
		old[x.Slug] = x
	}
	for _, x := range c.Categories {
		add(x.English.Outdated(x.Label) && old[x.Slug].Label != x.Label, OfCategory, x.Slug, "label")
	}
	for _, ch := range c.Tools {
		if was, is := ch.Before(), ch.New; was != nil && is != nil {
			add(is.English.Tagline.Outdated(is.Tagline) && was.Tagline != is.Tagline, OfTool, ch.Slug, "tagline")
			add(is.English.Review.Outdated(is.Review.Markdown) && was.Review.Markdown.Hash != is.Review.Markdown.Hash, OfTool, ch.Slug, "")
		}
	}
	for _, ch := range c.Comparisons {
		if was, is := ch.Before(), ch.New; was != nil && is != nil {
			add(is.English.Title.Outdated(is.Title) && was.Title != is.Title, OfComparison, ch.Slug, "title")
			add(is.English.Note.Outdated(is.Note) && was.Note != is.Note, OfComparison, ch.Slug, "")
		}
	}
	for _, ch := range c.Retired {
		if was, is := ch.Before(), ch.New; was != nil && is != nil {
			add(is.English.Note.Outdated(is.Note) && was.Note != is.Note, OfRetired, ch.Slug, "")
		}
	}
	return list
}

// An UncheckedFact is a value that changed without a new check of its source.
type UncheckedFact struct {
	Slug    string
	Field   FactField
	Checked Date
}

// Unchecked lists the sourced values of tools that change without a new check.
func (c Changes) Unchecked() []UncheckedFact {
	var list []UncheckedFact
	for _, ch := range c.Tools {
		if ch.Before() == nil || ch.Removed() {
			continue
		}
		was := ch.Before().FactList()
		for i, is := range ch.New.FactList() {
			if is.Known() && is.Value != was[i].Value && is.Checked == was[i].Checked {
				list = append(list, UncheckedFact{ch.Slug, is.Field, is.Checked})
			}
		}
	}
	return list
}
