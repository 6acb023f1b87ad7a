package content

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/text"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// englishAdvice is what to do about an English file without a text.
const englishAdvice = "write it, or remove the file"

// english decodes <slug>.en.md, which translates the text below the front matter of <slug>.md, into the item of
// that file. The text is checked even when the item is nil because its own file has errors.
func (d *document) english(e entry, it item, source string) {
	if !d.clean() {
		return
	}
	if first, _ := cutLine(d.data); string(bytes.TrimRight(first, " \t")) == fence {
		d.fault(fileStart, "an English text has no front matter: begin with the text; the keys are those of %s%s", e.slug, itemExtension)
		return
	}
	switch e.folder {
	case toolFolder:
		review := d.englishReview(it.tool)
		if it.tool != nil && !d.failed {
			it.tool.English.Review, it.tool.English.Source = review, source
		}
	case comparisonFolder:
		note := d.plainNote("winner_note", 0, englishAdvice)
		if it.comparison != nil && !d.failed {
			it.comparison.English.Note.Text, it.comparison.English.Source = note, source
		}
	case retiredFolder:
		note := d.plainNote("note", 0, englishAdvice)
		if it.retired != nil && !d.failed {
			it.retired.English.Note.Text, it.retired.English.Source = note, source
		}
	}
}

// englishReview reads the English translation of a tool's review. It must have the same sections as the French
// one and takes their anchors, so that a link to a section works in both languages.
func (d *document) englishReview(t *catalog.Tool) catalog.TranslatedReview {
	p := &plainText{doc: d, source: d.data}
	parts, opening := 0, ""
	var own []string // the anchors that the English headings would give
	for title, blocks := range sections(d.markdown.Parse(text.NewReader(d.data))) {
		pos := fileStart
		if title != nil {
			pos = p.position(title)
			p.checkHeading(title)
		}
		s := p.heading(title)
		if s.Text = p.body(blocks); title == nil {
			opening = catalog.Opening(s.Text)
		}
		switch n := utf8.RuneCountInString(s.Heading); {
		case s.Heading == "":
			d.fault(pos, "heading without text: write the section's title after ##")
		case n > headingLimit:
			d.fault(pos, "heading is %d characters long: at most %d are allowed; shorten it", n, headingLimit)
		case s.Text == "" && title != nil:
			d.fault(pos, "section %q has no text: write some, or remove its heading", s.Heading)
		}
		d.checkReferences(s.Heading+s.Text, pos)
		if s.Text != "" || title != nil {
			parts++
			own = append(own, s.ID)
		}
	}
	switch {
	case parts == 0:
		d.fault(fileStart, "the review is missing: %s", englishAdvice)
	case t != nil && !d.failed:
		d.compareSections(parts, t)
	}
	if d.failed {
		return catalog.TranslatedReview{}
	}
	if t != nil {
		p.checkAnchors(sectionIDs(t.Review), own)
	}
	return catalog.TranslatedReview{Markdown: catalog.NewMarkdown(string(d.data)), Opening: opening}
}

// compareSections refuses an English review whose sections do not match the French ones.
func (d *document) compareSections(parts int, t *catalog.Tool) {
	french := []byte(t.Review.Markdown.Text)
	summary := d.begins(french)
	switch n := len(t.Review.Sections); {
	case n == 0:
		d.fault(fileStart, "there is no review in %s%s to translate: write the French one too", t.Slug, itemExtension)
	case n != parts:
		d.fault(fileStart, "the review has %d %s and the French one has %d: write the same sections, in the same order",
			parts, plural(parts, "section"), n)
	case summary && !d.begins(d.data):
		d.fault(fileStart, "the French review begins with a text before its first heading: begin with it here too")
	case !summary && d.begins(d.data):
		d.fault(fileStart, "the French review begins with a heading: begin with one here too")
	}
}

// begins reports whether a review has a text before its first heading.
func (d *document) begins(source []byte) bool {
	first := Outline(d.markdown.Parse(text.NewReader(source)), source)[0]
	return strings.TrimSpace(first.Text) != ""
}
