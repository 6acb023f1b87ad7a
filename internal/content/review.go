package content

import (
	"bytes"
	"cmp"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Bounds of a review.
const (
	chunkWarning   = 2000 // characters; beyond, a 512-token model cuts the chunk
	chunkLimit     = 8000
	headingLimit   = 160
	noteLimit      = 4000
	noteBytesLimit = 8000 // an event that holds a note twice stays under 20 KB
)

// review splits the body that begins at offset start into sections, for the tool of that name. It returns the
// zero Review for a body of white space, and when the file has errors.
func (d *document) review(name string, start int) catalog.Review {
	source := d.data[start:]
	if len(bytes.TrimSpace(source)) == 0 {
		return catalog.Review{}
	}
	p := &plainText{doc: d, source: source, start: start}
	r := sectioner{doc: d, name: name, lines: map[string]int{}}
	for title, blocks := range sections(d.markdown.Parse(text.NewReader(source))) {
		pos := position{d.positionOf(start).line, 1}
		if title != nil {
			pos = p.position(title)
			p.checkHeading(title)
		}
		r.open(p.heading(title), pos, title != nil)
		r.close(p.body(blocks))
	}
	p.checkAnchors(sectionIDs(catalog.Review{Sections: r.sections}), nil)
	if d.failed {
		return catalog.Review{}
	}
	review := catalog.NewReview(name, r.sections)
	if review.Exists() {
		review.Markdown = catalog.NewMarkdown(string(source)) // a copy: the buffer is used again
	}
	return review
}

// sectionIDs returns the anchors of a review's sections.
func sectionIDs(r catalog.Review) []string {
	ids := make([]string, len(r.Sections))
	for i, s := range r.Sections {
		ids[i] = s.ID
	}
	return ids
}

// note reads the body that begins at offset start as plain text without sections.
func (d *document) note(key string, start int) string {
	return d.plainNote(key, start, "write it below the front matter, after the second ---")
}

// plainNote is like note, with the advice to give when there is no text.
func (d *document) plainNote(key string, start int, advice string) string {
	p := &plainText{doc: d, source: d.data[start:], start: start}
	p.blocks(d.markdown.Parse(text.NewReader(p.source)), "\n\n")
	s := p.take()
	p.checkAnchors(nil, nil)
	pos := position{d.positionOf(start).line, 1}
	switch n := utf8.RuneCountInString(s); {
	case !visible(s):
		d.fault(pos, "%s is missing: %s", key, advice)
	case n > noteLimit:
		d.fault(pos, "%s is %d characters long: at most %d are allowed; shorten it", key, n, noteLimit)
	case len(s) > noteBytesLimit:
		d.fault(pos, "%s is %d bytes long: at most %d are allowed; shorten it", key, len(s), noteBytesLimit)
	}
	d.checkReferences(s, pos)
	return s
}

// checkReferences refuses forbidden characters that were written as character references (&#7;).
func (d *document) checkReferences(s string, pos position) {
	if i, r := forbiddenIn([]byte(s)); i >= 0 {
		d.fault(pos, "the text holds the %s %U, written as a character reference: remove it", characterKind(r), r)
	}
}

func (p *plainText) position(n ast.Node) position {
	return p.doc.positionOf(p.start + n.Pos())
}

// checkHeading refuses headings of level 1, which is the page title's, and underlined ones, which are often
// meant as a rule.
func (p *plainText) checkHeading(h *ast.Heading) {
	if p.doc == nil {
		return
	}
	pos := p.position(h)
	switch {
	case h.Pos() < len(p.source) && p.source[h.Pos()] != '#':
		p.doc.fault(pos, "heading underlined with === or ---: write ## before it instead; if a rule was meant, leave an empty line above it")
	case h.Level == 1:
		p.doc.fault(pos, "heading of level 1: the page's title is %s; write ## instead of #", cmp.Or(p.title, "the tool's name"))
	}
}

// A sectioner collects the sections of a review and checks them.
type sectioner struct {
	doc      *document
	name     string
	sections []catalog.Section
	lines    map[string]int // line of each section's heading, by ID
	summary  bool           // a section precedes the first heading

	current catalog.Section
	pos     position
	headed  bool // the current section has a heading of its own
}

func (r *sectioner) open(s catalog.Section, pos position, headed bool) {
	r.current, r.pos, r.headed = s, pos, headed
	switch n := utf8.RuneCountInString(s.Heading); {
	case s.Heading == "":
		r.doc.fault(pos, "heading without text: write the section's title after ##")
	case s.ID == "":
		r.doc.fault(pos, "heading %q has no letter a to z and no digit to make an anchor of: add one", s.Heading)
	case n > headingLimit:
		r.doc.fault(pos, "heading is %d characters long: at most %d are allowed; shorten it", n, headingLimit)
	}
}

func (r *sectioner) close(body string) {
	s := r.current
	s.Text = body
	switch {
	case body == "" && !r.headed:
		return // nothing before the first heading
	case body == "" && s.Heading != "":
		r.doc.fault(r.pos, "section %q has no text: write some, or remove its heading", s.Heading)
	}
	r.summary = r.summary || !r.headed
	r.doc.checkReferences(s.Heading+s.Text, r.pos)
	r.checkAnchor(s)
	r.checkLength(s)
	r.sections = append(r.sections, s)
}

func (r *sectioner) checkAnchor(s catalog.Section) {
	first, taken := r.lines[s.ID]
	switch {
	case s.ID == "":
	case !taken:
		r.lines[s.ID] = r.pos.line
	case s.ID == summaryID && r.summary:
		r.doc.fault(r.pos, "heading %q has the anchor %q, which the text before the first heading has: move that text under this heading, or rename it", s.Heading, s.ID)
	default:
		r.doc.fault(r.pos, "heading %q has the anchor %q, as the heading on line %d: rename one", s.Heading, s.ID, first)
	}
}

func (r *sectioner) checkLength(s catalog.Section) {
	if len(r.name)+len(s.Heading)+len(s.Text) < chunkWarning-10 {
		return // short in bytes is shorter in characters
	}
	switch n := utf8.RuneCountInString(catalog.ChunkText(r.name, s)); {
	case n > chunkLimit:
		r.doc.fault(r.pos, "section %q makes a chunk of %d characters: at most %d are allowed; split it with another ## heading", s.Heading, n, chunkLimit)
	case n > chunkWarning:
		r.doc.warn(r.pos, "section %q makes a chunk of %d characters: over %d a 512-token model cuts it; split it with another ## heading", s.Heading, n, chunkWarning)
	}
}
