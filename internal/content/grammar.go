package content

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Bounds of the Markdown that is parsed. Beyond them the parser's time grows with the square or the cube of the
// length of the text. No review that a person wrote comes near.
const (
	maxDepth = 24      // of blocks within blocks
	maxWork  = 8 << 20 // bytes of a paragraph, times the weight of its characters that may open something; see openers
)

// NewParser returns the parser of reviews and notes: CommonMark with tables and strikethrough. It is safe for
// concurrent use. Its time is linear in the length of the text: blocks nested too deep become text of the
// enclosing block, and a paragraph or a heading with too many brackets, backticks and the like becomes a code
// block.
func NewParser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(shallow{parser.NewListParser()}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(lightHeading{parser.NewATXHeadingParser()}, 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
			util.Prioritized(parser.NewHTMLBlockParser(), 900),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithInlineParsers(util.Prioritized(extension.NewStrikethroughParser(), 500)),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		parser.WithParagraphTransformers(
			util.Prioritized(heavyParagraph{}, 50), // before references are read
			util.Prioritized(fullTable{extension.NewTableParagraphTransformer()}, 200),
		),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)
}

// shallow is a block parser that opens no block deeper than maxDepth.
type shallow struct{ parser.BlockParser }

func (s shallow) Open(parent ast.Node, r text.Reader, c parser.Context) (ast.Node, parser.State) {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		depth++
	}
	if depth > maxDepth {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, r, c)
}

// lightHeading opens no heading that would exceed maxWork; the line then becomes a paragraph.
type lightHeading struct{ parser.BlockParser }

func (h lightHeading) Open(
	parent ast.Node, r text.Reader, c parser.Context,
) (ast.Node, parser.State) {
	if line, _ := r.PeekLine(); len(line)*openers(line) > maxWork {
		return nil, parser.NoChildren
	}
	return h.BlockParser.Open(parent, r, c)
}

// heavyParagraph turns a paragraph that would exceed maxWork into a code block, whose content is not parsed.
type heavyParagraph struct{}

func (heavyParagraph) Transform(p *ast.Paragraph, r text.Reader, _ parser.Context) {
	size, opening := 0, 0
	for _, line := range p.Lines().Sliced(0, p.Lines().Len()) {
		size += line.Len()
		opening += openers(line.Value(r.Source()))
	}
	if size*opening <= maxWork {
		return
	}
	code := ast.NewCodeBlock()
	code.SetLines(p.Lines())
	code.SetPos(p.Pos())
	p.Parent().ReplaceChild(p.Parent(), p, code)
}

// openers counts the characters that may make the parser scan the rest of the paragraph. A bracket counts four
// times, because a link takes several scans.
func openers(line []byte) (n int) {
	for _, c := range line {
		switch c {
		case '[':
			n += 4
		case '<', '*', '_', '~', '`':
			n++
		}
	}
	return n
}

// fullTable skips tables with more cells than characters. The parser pads every row to the width of the header,
// so a wide header above many short rows would use up all memory.
type fullTable struct{ parser.ParagraphTransformer }

func (t fullTable) Transform(p *ast.Paragraph, r text.Reader, c parser.Context) {
	size, width := 0, 0
	for _, line := range p.Lines().Sliced(0, p.Lines().Len()) {
		size += line.Len()
		width = max(width, bytes.Count(line.Value(r.Source()), []byte("|")))
	}
	if width*p.Lines().Len() <= size {
		t.ParagraphTransformer.Transform(p, r, c)
	}
}
