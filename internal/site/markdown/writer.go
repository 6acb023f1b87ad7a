package markdown

import (
	"bytes"
	"html/template"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/palmares-hq/palmares/internal/content"
)

// maxMarks is how deep nested inlines get tags of their own. Browsers give up on documents that are nested too deep.
const maxMarks = 32

// A Writer writes the nodes of one text as HTML.
type Writer struct {
	// Own, if set, is called with each block and inline. It writes the node and returns true, or leaves it to the Writer.
	Own func(n ast.Node) bool
	// Fill, if set, is applied to all text, code too, before it is escaped.
	Fill func(string) string

	source  []byte
	typeset func(string) string // applied to prose
	out     strings.Builder
	id      string // of the next block
	page    bool   // this is the page of the review
	links   int    // bytes of addresses that may still be written
	marks   int    // inlines that are open
	linked  bool   // one of them is a link

	left int  // characters of text that may still be written
	cut  bool // text was left out
}

// blankLines matches more consecutive blank lines than have a meaning. In a list, the parser would keep a record of
// each.
var blankLines = regexp.MustCompile(`\n(?:[ \t]*\n){3,}`)

func newWriter(source string, characters int, typeset func(string) string) *Writer {
	if typeset == nil {
		typeset = func(s string) string { return s }
	}
	return &Writer{
		typeset: typeset,
		source:  blankLines.ReplaceAll([]byte(source), []byte("\n\n\n")),
		links:   len(source) + moreLinks, left: characters,
	}
}

// NewWriter returns a Writer of a whole text of the program. It passes prose, but no code, through typeset.
func NewWriter(source string, typeset func(string) string) *Writer {
	return newWriter(source, math.MaxInt, typeset)
}

// Parse returns the text as a tree, whose nodes the methods take.
func (w *Writer) Parse() ast.Node { return content.NewParser().Parse(text.NewReader(w.source)) }

// Lines returns the lines of a block.
func (w *Writer) Lines(n ast.Node) string { return string(n.Lines().Value(w.source)) }

// Info returns the line that opens a fenced block, without the fence.
func (w *Writer) Info(n *ast.FencedCodeBlock) string {
	if n.Info == nil {
		return ""
	}
	return string(n.Info.Segment.Value(w.source))
}

// HTML returns what was written since the last call.
func (w *Writer) HTML() template.HTML {
	defer w.out.Reset()
	return template.HTML(w.out.String()) //nolint:gosec // made of constants and escaped text
}

// open writes the opening tag of a block; the first one after a section began has its id.
func (w *Writer) open(tag string, attributes ...string) {
	w.Raw("<", tag)
	if w.id != "" {
		w.Raw(` id="`, w.id, `"`)
		w.id = ""
	}
	w.Raw(attributes...)
	w.Raw(">")
}

// Raw writes markup as it is.
func (w *Writer) Raw(markup ...string) {
	for _, s := range markup {
		w.out.WriteString(s)
	}
}

// text writes text, escaped and cut to the characters left.
func (w *Writer) text(s string) {
	if w.cut {
		return
	}
	if w.Fill != nil {
		s = w.Fill(s)
	}
	if n := utf8.RuneCountInString(s); n > w.left {
		s, w.cut = upTo(s, w.left, w.out.Len() > len("<p>"))+"…", true
	} else {
		w.left -= n
	}
	template.HTMLEscape(&w.out, []byte(s))
}

// upTo returns the whole words of s that fit in a number of characters. If not even the first word fits, it returns the
// beginning of that, or "" if after is set: s follows other text.
func upTo(s string, characters int, after bool) string {
	end := 0
	for range characters {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	if space := strings.LastIndexAny(s[:end+1], " \n"); space >= 0 || after {
		end = max(space, 0)
	}
	return strings.TrimRight(s[:end], " ")
}

// Blocks writes the blocks in a node.
func (w *Writer) Blocks(parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		w.Block(n)
	}
}

// Block writes a block.
func (w *Writer) Block(n ast.Node) {
	if w.Own != nil && w.Own(n) {
		return
	}
	switch n := n.(type) {
	case *ast.Heading:
		// The title of the page is its only h1.
		w.around("h"+strconv.Itoa(max(n.Level, 2)), n)
	case *ast.Paragraph:
		w.around("p", n)
	case *ast.TextBlock:
		w.Inlines(n)
	case *ast.List:
		w.list(n)
	case *ast.ListItem:
		w.nest("li", n)
	case *ast.Blockquote:
		w.nest("blockquote", n)
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		w.open("pre")
		w.Raw("<code>")
		w.text(w.Lines(n))
		w.Raw("</code></pre>\n")
	case *ast.HTMLBlock:
		w.open("p")
		w.text(w.Lines(n))
		if n.HasClosure() {
			w.text(string(n.ClosureLine.Value(w.source)))
		}
		w.Raw("</p>\n")
	case *ast.ThematicBreak:
		w.open("hr")
		w.Raw("\n")
	case *extast.Table:
		w.table(n)
	default:
		w.Blocks(n)
	}
}

// around writes a block that contains inlines.
func (w *Writer) around(tag string, n ast.Node) {
	w.open(tag)
	w.Inlines(n)
	w.Raw("</", tag, ">\n")
}

// nest writes a block that contains blocks.
func (w *Writer) nest(tag string, n ast.Node) {
	w.open(tag)
	w.Blocks(n)
	w.Raw("</", tag, ">\n")
}

func (w *Writer) list(n *ast.List) {
	switch {
	case !n.IsOrdered():
		w.nest("ul", n)
	case n.Start == 1:
		w.nest("ol", n)
	default:
		w.open("ol", ` start="`, strconv.Itoa(n.Start), `"`)
		w.Blocks(n)
		w.Raw("</ol>\n")
	}
}

func (w *Writer) table(n *extast.Table) {
	w.open("table")
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		cell, attributes := "td", ""
		if row.Kind() == extast.KindTableHeader {
			cell, attributes = "th", ` scope="col"`
			w.Raw("<thead>")
		}
		w.Raw("<tr>")
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			w.open(cell, attributes, alignment(c))
			w.Inlines(c)
			w.Raw("</", cell, ">")
		}
		w.Raw("</tr>")
		if row.Kind() == extast.KindTableHeader {
			w.Raw("</thead>\n<tbody>")
		}
		w.Raw("\n")
	}
	w.Raw("</tbody></table>\n")
}

// alignment returns the class attribute for the alignment of a cell; "" for the default. It is a class, because a
// strict content security policy refuses styles.
func alignment(cell ast.Node) string {
	c, ok := cell.(*extast.TableCell)
	switch {
	case ok && c.Alignment == extast.AlignRight:
		return ` class="right"`
	case ok && c.Alignment == extast.AlignCenter:
		return ` class="center"`
	}
	return ""
}

// Inlines writes the inlines in a block.
func (w *Writer) Inlines(parent ast.Node) {
	for n := parent.FirstChild(); n != nil && !w.cut; n = n.NextSibling() {
		w.inline(n)
	}
}

func (w *Writer) inline(n ast.Node) {
	if w.Own != nil && w.Own(n) {
		return
	}
	switch n := n.(type) {
	case *ast.Text:
		w.line(n)
	case *ast.String:
		w.text(string(n.Value))
	case *ast.CodeSpan:
		w.Mark("code", "", n)
	case *ast.Emphasis:
		w.Mark(emphasis(n.Level), "", n)
	case *extast.Strikethrough:
		w.Mark("del", "", n)
	case *ast.Link:
		w.link(n.Destination, n)
	case *ast.Image:
		w.link(n.Destination, n)
	case *ast.AutoLink:
		n.AppendChild(n, ast.NewString(n.Label(w.source)))
		w.link(autoLink(n, w.source), n)
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			segment := n.Segments.At(i)
			w.text(string(segment.Value(w.source)))
		}
	default:
		w.Inlines(n)
	}
}

// line writes a run of text, which ends at the end of its line at the latest.
func (w *Writer) line(n *ast.Text) {
	raw := n.Segment.Value(w.source)
	switch {
	case n.Parent().Kind() == ast.KindCodeSpan:
		w.text(string(bytes.ReplaceAll(raw, []byte("\n"), []byte(" "))))
	case n.IsRaw():
		w.text(string(raw))
	default:
		w.text(w.typeset(content.Unescape(raw)))
	}
	switch {
	case n.HardLineBreak():
		w.Raw("<br>\n")
	case n.SoftLineBreak():
		w.text("\n")
	}
}

func emphasis(level int) string {
	if level == 1 {
		return "em"
	}
	return "strong"
}

// Mark writes an element with the inlines in a node. Those nested too deep are written without it.
func (w *Writer) Mark(tag, attributes string, n ast.Node) {
	if w.marks >= maxMarks {
		w.Inlines(n)
		return
	}
	w.marks++
	w.Raw("<", tag, attributes, ">")
	w.Inlines(n)
	w.Raw("</", tag, ">")
	w.marks--
}
