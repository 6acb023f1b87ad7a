package markdown

import (
	"html/template"
	"math"
	"regexp"
	"slices"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/palmares-hq/palmares/internal/content"
)

// A Review is a rendered review for its own page.
type Review struct {
	HTML     template.HTML // with headings from h2 on
	Headings []Heading     // the table of contents
}

// A Heading opens a section of a review.
type Heading struct {
	ID   string // its anchor on the page, and the id of its chunk
	Text string
}

// Render renders a whole review. It passes prose, but no code, through typeset, unless that is nil. The text before the
// first heading has the anchor catalog.SummaryID and no heading. If two sections have the same id, only the first gets
// the anchor.
func Render(source string, typeset func(string) string) Review {
	w := newWriter(source, math.MaxInt, typeset)
	return w.review(outline(w.source))
}

// RenderTranslation renders the translation of a review. Each section has the anchor of the section of the original at
// the same place, so that a link to a section works in both languages.
func RenderTranslation(source, of string) Review {
	w := newWriter(source, math.MaxInt, nil)
	return w.review(translated(w.source, of))
}

// translated returns the outline of source with the anchors of the sections of the original, of.
func translated(source []byte, of string) []content.Part {
	parts := outline(source)
	for i, part := range outline([]byte(of)) {
		if i < len(parts) {
			parts[i].ID = part.ID
		}
	}
	return parts
}

func (w *Writer) review(parts []content.Part) Review {
	w.page = true
	var headings []Heading
	taken := map[string]bool{"": true}
	for _, part := range parts {
		if !taken[part.ID] {
			taken[part.ID] = true
			w.id = part.ID
			if part.Title != nil {
				headings = append(headings, Heading{ID: part.ID, Text: w.typeset(part.Heading)})
			}
		}
		if part.Title != nil {
			w.Block(part.Title)
		}
		for _, n := range part.Blocks {
			w.Block(n)
		}
	}
	return Review{HTML: w.HTML(), Headings: headings}
}

// Beginning renders the first paragraphs of a review, for pages that link to the whole. It cuts them between two words,
// after at most the given number of characters; more reports whether text was left out. It writes no anchors, and links
// to sections as text.
func Beginning(
	source string, characters int, typeset func(string) string,
) (html template.HTML, more bool) {
	w := newWriter(source, characters, typeset)
	w.links = moreLinks
	parts := outline(w.source)
	for i, part := range parts {
		first := slices.IndexFunc(part.Blocks, ast.IsParagraph)
		if first < 0 {
			continue
		}
		rest := part.Blocks[first:]
		for len(rest) > 0 && ast.IsParagraph(rest[0]) && !w.cut && w.left > 0 {
			w.Block(rest[0])
			rest = rest[1:]
		}
		return w.HTML(), w.cut || len(rest) > 0 || i+1 < len(parts)
	}
	return "", len(parts) > 1 || len(parts[0].Blocks) > 0
}

// A Section is a rendered section of a review for another page.
type Section struct {
	Heading string
	HTML    template.HTML
}

// emptyItems matches the list items left empty after the text was cut.
var emptyItems = regexp.MustCompile(`<li>\s*</li>\s*`)

// First renders the first section of a review that has one of the given ids, cut between two words after at most the
// given number of characters. If source is a translation, of is the original, whose ids count; otherwise pass source as
// of. It writes no anchors, and links to sections as text. It reports whether there is such a section with text in it.
func First(source, of string, ids []string, characters int, typeset func(string) string) (Section, bool) {
	w := newWriter(source, characters, typeset)
	w.links = moreLinks
	for _, part := range translated(w.source, of) {
		if part.Title == nil || !slices.Contains(ids, part.ID) {
			continue
		}
		for _, n := range part.Blocks {
			if w.cut || w.left <= 0 {
				break
			}
			w.Block(n)
		}
		html := emptyItems.ReplaceAllString(string(w.HTML()), "")
		return Section{w.typeset(part.Heading), template.HTML(html)}, html != "" //nolint:gosec // it was HTML before
	}
	return Section{}, false
}

func outline(source []byte) []content.Part {
	return content.Outline(content.NewParser().Parse(text.NewReader(source)), source)
}
