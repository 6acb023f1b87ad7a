package content

import (
	"iter"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/palmares-hq/palmares/internal/catalog"
)

const (
	summaryID      = catalog.SummaryID
	summaryHeading = "Résumé"
)

// A Part is a section of a review with the Markdown it is made of.
type Part struct {
	catalog.Section
	Title  *ast.Heading // nil before the first heading
	Blocks []ast.Node   // below the title
}

// Outline gives the parts of a review as NewParser read it. Their ids are those of the chunks of
// a review that was published. Of a text that Load refuses, parts may have the same id, or none;
// the part before the first heading has none if it has no text.
func Outline(root ast.Node, source []byte) []Part {
	p := &plainText{source: source}
	var parts []Part
	for title, blocks := range sections(root) {
		part := Part{Section: p.heading(title), Title: title, Blocks: blocks}
		if part.Text = p.body(blocks); part.Text == "" && title == nil {
			part.ID = ""
		}
		parts = append(parts, part)
	}
	return parts
}

// sections cuts a review: what stands before the first heading of level 2, with no heading, and
// what stands between each of them and the next.
func sections(root ast.Node) iter.Seq2[*ast.Heading, []ast.Node] {
	return func(yield func(*ast.Heading, []ast.Node) bool) {
		var title *ast.Heading
		var blocks []ast.Node
		for n := root.FirstChild(); n != nil; n = n.NextSibling() {
			h, ok := n.(*ast.Heading)
			if !ok || h.Level != 2 {
				blocks = append(blocks, n)
				continue
			}
			if !yield(title, blocks) {
				return
			}
			title, blocks = h, nil
		}
		yield(title, blocks)
	}
}

// heading is the section that a heading opens, without its text.
func (p *plainText) heading(title *ast.Heading) catalog.Section {
	if title == nil {
		return catalog.Section{ID: summaryID, Heading: summaryHeading}
	}
	heading := strings.Join(strings.Fields(p.inline(title)), " ")
	return catalog.Section{ID: anchor(heading), Heading: heading}
}

// body is the text of a section below its heading.
func (p *plainText) body(blocks []ast.Node) string {
	for _, n := range blocks {
		p.want("\n\n")
		p.block(n)
	}
	return p.take()
}
