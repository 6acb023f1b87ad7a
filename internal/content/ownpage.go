package content

import (
	"bytes"
	"regexp"

	"github.com/yuin/goldmark/text"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// leftToWrite matches the mark that templates put where the operator must write something.
var leftToWrite = regexp.MustCompile(`\bTODO\b`)

// ownPage checks a page that the operator wrote: Markdown without a front matter.
func (d *document) ownPage() {
	p := &plainText{doc: d, source: d.data, title: "already there"}
	lines := map[string]int{}
	ids := []string{summaryID}
	written := false
	for title, blocks := range sections(d.markdown.Parse(text.NewReader(d.data))) {
		if title != nil {
			p.checkHeading(title)
			d.checkOwnHeading(p.heading(title), p.position(title), lines)
			ids = append(ids, p.heading(title).ID)
		}
		written = p.body(blocks) != "" || written
	}
	p.checkAnchors(ids, nil)
	if !written && !d.failed {
		d.fault(fileStart, "the page has no text: write some, or remove the file")
	}
	if bytes.HasPrefix(d.data, []byte(fence+"\n")) {
		d.fault(fileStart, "a page has no front matter: begin with its text")
	}
	for _, at := range leftToWrite.FindAllIndex(d.data, -1) {
		d.warn(d.positionOf(at[0]), "TODO is left: write what it asks for, and remove the mark")
	}
}

// checkOwnHeading checks a section's heading; lines holds the lines of the IDs so far.
func (d *document) checkOwnHeading(s catalog.Section, pos position, lines map[string]int) {
	first, taken := lines[s.ID]
	switch {
	case s.Heading == "":
		d.fault(pos, "heading without text: write the section's title after ##")
	case s.ID == "":
		d.fault(pos, "heading %q has no letter a to z and no digit to make an anchor of: add one", s.Heading)
	case taken:
		d.fault(pos, "heading %q has the anchor %q, as the heading on line %d: rename one", s.Heading, s.ID, first)
	default:
		lines[s.ID] = pos.line
	}
}
