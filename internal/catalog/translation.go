package catalog

import "cmp"

// A Translation is the English of a French text. Pages in English show it; the API, events, downloads and
// embeddings are French.
type Translation struct {
	Text string // "" where there is none

	// Of is the digest of the French text at the time this translation was published. It stays as
	// it is when only the French changes.
	Of string
}

// Outdated reports whether the French has changed since the translation was published.
func (t Translation) Outdated(french string) bool { return t.Text != "" && t.Of != textDigest(french) }

// published returns the translation as an edition publishes it. was is the translation that it
// replaces: if the text is the same, Of is kept.
func (t Translation) published(was Translation, french string) Translation {
	switch t.Text {
	case "":
		return Translation{}
	case was.Text:
		t.Of = cmp.Or(was.Of, textDigest(french))
	default:
		t.Of = textDigest(french)
	}
	return t
}

// A TranslatedReview is the English of a review. It has the sections of the French, in the same order,
// and takes their anchors.
type TranslatedReview struct {
	Markdown Markdown
	Opening  string // as Review.Opening
	Of       string // as Translation.Of: the hash of the French Markdown
}

// Exists reports whether there is an English review.
func (r TranslatedReview) Exists() bool { return r.Markdown.Hash != "" }

// Outdated reports whether the French review has changed since the translation was published.
func (r TranslatedReview) Outdated(french Markdown) bool { return r.Exists() && r.Of != french.Hash }

// published returns the review as an edition publishes it; see Translation.published.
func (r TranslatedReview) published(was TranslatedReview, french Markdown) TranslatedReview {
	switch {
	case !r.Exists():
		return TranslatedReview{}
	case r.Markdown.Hash == was.Markdown.Hash:
		r.Of = cmp.Or(was.Of, french.Hash)
	default:
		r.Of = french.Hash
	}
	return r
}

// ToolEnglish holds the English texts of a tool.
type ToolEnglish struct {
	Tagline Translation
	Review  TranslatedReview
	Source  string // the digest of the file of the review, as Tool.Source; "" without one
}

// ComparisonEnglish holds the English texts of a comparison.
type ComparisonEnglish struct {
	Title  Translation
	Note   Translation
	Source string // of the file of the note
}

// RetiredEnglish holds the English texts of a retired tool.
type RetiredEnglish struct {
	Note   Translation
	Source string // of the file of the note
}
