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

// Outline returns the parts of a review parsed by NewParser. Their IDs are those of the published review's
// chunks. For a text that Load refuses, IDs may repeat or be empty. The part before the first heading has no ID
// if it has no text.
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

// sections splits a review at its headings of level 2. The first pair holds what stands before any of them,
// with a nil heading.
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

// heading returns the section that a heading opens, without its text; for nil, the summary.
func (p *plainText) heading(title *ast.Heading) catalog.Section {
	if title == nil {
		return catalog.Section{ID: summaryID, Heading: summaryHeading}
	}
	heading := strings.Join(strings.Fields(p.inline(title)), " ")
	return catalog.Section{ID: anchor(heading), Heading: heading}
}

// body returns the text of a section below its heading.
func (p *plainText) body(blocks []ast.Node) string {
	for _, n := range blocks {
		p.want("\n\n")
		p.block(n)
	}
	return p.take()
}
