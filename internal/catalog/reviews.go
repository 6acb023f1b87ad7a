package catalog

import (
	"errors"
	"slices"
)

// The errors of Review and EnglishReview, besides ErrUnknownTool.
var (
	ErrNoReview = errors.New("tool without a review")
	// ErrNoMarkdown means that the edition lacks the Markdown of the review: it was published by a
	// version that did not store it. The next publication adds it.
	ErrNoMarkdown = errors.New("edition without the Markdown of the review")
)

// Review returns the Markdown of a living tool's review.
func (s *Snapshot) Review(slug string) (string, error) {
	e := s.tools.get(slug)
	switch {
	case e == nil:
		return "", ErrUnknownTool
	case !e.Review.Exists():
		return "", ErrNoReview
	}
	return s.text(e.Review.Markdown)
}

// EnglishReview returns the Markdown of a living tool's English review.
func (s *Snapshot) EnglishReview(slug string) (string, error) {
	e := s.tools.get(slug)
	switch {
	case e == nil:
		return "", ErrUnknownTool
	case !e.English.Review.Exists():
		return "", ErrNoReview
	}
	return s.text(e.English.Review.Markdown)
}

func (s *Snapshot) text(m Markdown) (string, error) {
	switch {
	case m.Text != "":
		return m.Text, nil
	case len(m.Compressed) > 0:
		return s.markdown.decompressor.Decompress(m.Compressed)
	}
	return "", ErrNoMarkdown
}

// HasReviews reports whether the edition has the Markdown of any review.
func (s *Snapshot) HasReviews() bool { return s.markdown.reviews > 0 }

// apply returns the state after removing the tools of gone and adding those of added and the
// dictionaries.
func (m markdownState) apply(gone, added []listedTool, dictionaries []Dictionary) markdownState {
	m.reviews += withMarkdown(added) - withMarkdown(gone)
	if len(dictionaries) > 0 || m.decompressor == nil {
		m.dictionaries = append(slices.Clip(m.dictionaries), dictionaries...)
		m.decompressor = NewDecompressor(m.dictionaries)
	}
	return m
}

func withMarkdown(tools []listedTool) (n int) {
	for _, t := range tools {
		if m := t.Review.Markdown; m.Text != "" || len(m.Compressed) > 0 {
			n++
		}
	}
	return n
}
