package markdown

import (
	"bytes"
	"html/template"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"github.com/palmares-hq/palmares/internal/content"
)

// maxMarks is how deep nested inlines get tags of their own. Browsers give up on documents that are nested too deep.
const maxMarks = 32

// An htmlWriter writes the nodes of one review as HTML.
type htmlWriter struct {
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

func newWriter(source string, characters int, typeset func(string) string) *htmlWriter {
	if typeset == nil {
		typeset = func(s string) string { return s }
	}
	return &htmlWriter{
		typeset: typeset,
		source:  blankLines.ReplaceAll([]byte(source), []byte("\n\n\n")),
		links:   len(source) + moreLinks, left: characters,
	}
}

func (w *htmlWriter) html() template.HTML {
	return template.HTML(w.out.String()) //nolint:gosec // made of constants and escaped text
}

// open writes the opening tag of a block; the first one after a section began has its id.
func (w *htmlWriter) open(tag string, attributes ...string) {
	w.raw("<", tag)
	if w.id != "" {
		w.raw(` id="`, w.id, `"`)
		w.id = ""
	}
	w.raw(attributes...)
	w.raw(">")
}

func (w *htmlWriter) raw(markup ...string) {
	for _, s := range markup {
		w.out.WriteString(s)
	}
}

// text writes text, escaped and cut to the characters left.
func (w *htmlWriter) text(s string) {
	if w.cut {
		return
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

func (w *htmlWriter) blocks(parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		w.block(n)
	}
}

func (w *htmlWriter) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		// The title of the page is its only h1.
		w.around("h"+strconv.Itoa(max(n.Level, 2)), n)
	case *ast.Paragraph:
		w.around("p", n)
	case *ast.TextBlock:
		w.inlines(n)
	case *ast.List:
		w.list(n)
	case *ast.ListItem:
		w.nest("li", n)
	case *ast.Blockquote:
		w.nest("blockquote", n)
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		w.open("pre")
		w.raw("<code>")
		w.text(string(n.Lines().Value(w.source)))
		w.raw("</code></pre>\n")
	case *ast.HTMLBlock:
		w.open("p")
		w.text(string(n.Lines().Value(w.source)))
		if n.HasClosure() {
			w.text(string(n.ClosureLine.Value(w.source)))
		}
		w.raw("</p>\n")
	case *ast.ThematicBreak:
		w.open("hr")
		w.raw("\n")
	case *extast.Table:
		w.table(n)
	default:
		w.blocks(n)
	}
}

// around writes a block that contains inlines.
func (w *htmlWriter) around(tag string, n ast.Node) {
	w.open(tag)
	w.inlines(n)
	w.raw("</", tag, ">\n")
}

// nest writes a block that contains blocks.
func (w *htmlWriter) nest(tag string, n ast.Node) {
	w.open(tag)
	w.blocks(n)
	w.raw("</", tag, ">\n")
}

func (w *htmlWriter) list(n *ast.List) {
	switch {
	case !n.IsOrdered():
		w.nest("ul", n)
	case n.Start == 1:
		w.nest("ol", n)
	default:
		w.open("ol", ` start="`, strconv.Itoa(n.Start), `"`)
		w.blocks(n)
		w.raw("</ol>\n")
	}
}

func (w *htmlWriter) table(n *extast.Table) {
	w.open("table")
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		cell, attributes := "td", ""
		if row.Kind() == extast.KindTableHeader {
			cell, attributes = "th", ` scope="col"`
			w.raw("<thead>")
		}
		w.raw("<tr>")
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			w.open(cell, attributes, alignment(c))
			w.inlines(c)
			w.raw("</", cell, ">")
		}
		w.raw("</tr>")
		if row.Kind() == extast.KindTableHeader {
			w.raw("</thead>\n<tbody>")
		}
		w.raw("\n")
	}
	w.raw("</tbody></table>\n")
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

func (w *htmlWriter) inlines(parent ast.Node) {
	for n := parent.FirstChild(); n != nil && !w.cut; n = n.NextSibling() {
		w.inline(n)
	}
}

func (w *htmlWriter) inline(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		w.line(n)
	case *ast.String:
		w.text(string(n.Value))
	case *ast.CodeSpan:
		w.mark("code", "", n)
	case *ast.Emphasis:
		w.mark(emphasis(n.Level), "", n)
	case *extast.Strikethrough:
		w.mark("del", "", n)
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
		w.inlines(n)
	}
}

// line writes a run of text, which ends at the end of its line at the latest.
func (w *htmlWriter) line(n *ast.Text) {
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
		w.raw("<br>\n")
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

func (w *htmlWriter) mark(tag, attributes string, n ast.Node) {
	if w.marks >= maxMarks {
		w.inlines(n)
		return
	}
	w.marks++
	w.raw("<", tag, attributes, ">")
	w.inlines(n)
	w.raw("</", tag, ">")
	w.marks--
}
