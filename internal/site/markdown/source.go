package markdown

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"github.com/palmares-hq/palmares/internal/content"
)

// Source returns a review as safe Markdown, for programs that read it. It means what Render shows and no more: raw HTML
// becomes text, an image becomes a link, and links are those of the page. Paths of the site get the prefix base; links
// to sections become text.
func Source(source, base string, typeset func(string) string) string {
	s := &sourceWriter{Writer: newWriter(source, math.MaxInt, typeset), base: base}
	for _, part := range outline(s.source) {
		if part.Title != nil {
			s.block(part.Title)
		}
		for _, n := range part.Blocks {
			s.block(n)
		}
	}
	return s.text.String()
}

// Text returns a text on one line, escaped so that Markdown shows it literally.
func Text(s string) string { return lineStart(special.Replace(oneLine(s))) }

// oneLine returns a text on one line with single spaces. It keeps non-breaking spaces: they are typography.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' }), " ")
}

// special escapes the characters that have a meaning anywhere in a line.
var special = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `\<`, `&`, `\&`, `~`, `\~`, `|`, `\|`,
)

// marker matches the beginning of a heading, a quote, a list or the line under a heading.
var marker = regexp.MustCompile(`^(?:([#>+=-])|\d+([.)])(?:\s|$))`)

// lineStart escapes what has a meaning at the beginning of a line.
func lineStart(line string) string {
	at := marker.FindStringSubmatchIndex(line)
	if at == nil {
		return line
	}
	mark := max(at[2], at[4])
	return line[:mark] + `\` + line[mark:]
}

// maxNested is how deep nested blocks keep their marks. It bounds the prefix of each line, which has one mark per
// level.
const maxNested = 12

// A sourceWriter writes the nodes of one review as Markdown.
type sourceWriter struct {
	*Writer
	base   string
	text   strings.Builder
	prefix string // of each line: the marks of the blocks around it
	lead   string // replaces prefix on the next line, where an item begins
	nested int
}

// line writes a line with the marks of the enclosing blocks before it.
func (s *sourceWriter) line(text string) {
	prefix := s.prefix
	if s.lead != "" {
		prefix, s.lead = s.lead, ""
	}
	s.text.WriteString(strings.TrimRight(prefix+text, " ") + "\n")
}

func (s *sourceWriter) lines(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		s.line(line)
	}
}

// prose writes lines of text so that none reads as a list, a heading or code.
func (s *sourceWriter) prose(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		s.line(lineStart(strings.TrimLeft(line, " \t")))
	}
}

func (s *sourceWriter) blocks(parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		s.block(n)
	}
}

// block writes a block and an empty line after it, except in a tight list.
func (s *sourceWriter) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		text := oneLine(s.inlines(n))
		s.line(strings.Repeat("#", max(n.Level, 2)) + " " + strings.TrimRight(text, "#"))
	case *ast.Paragraph:
		s.prose(s.inlines(n))
	case *ast.TextBlock:
		s.prose(s.inlines(n))
		return // of an item of a tight list
	case *ast.List:
		s.list(n)
		return
	case *ast.Blockquote:
		s.nest("> ", "> ", n)
		return
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		s.code(strings.TrimSuffix(string(n.Lines().Value(s.source)), "\n"))
	case *ast.HTMLBlock:
		html := string(n.Lines().Value(s.source))
		if n.HasClosure() {
			html += string(n.ClosureLine.Value(s.source))
		}
		s.prose(special.Replace(strings.TrimSpace(html)))
	case *ast.ThematicBreak:
		s.line("***")
	case *extast.Table:
		s.table(n)
	default:
		s.blocks(n)
		return
	}
	s.line("")
}

// nest writes the children of a block, with first before their first line and rest before the others. Beyond maxNested
// it writes them without marks, as if they were in the enclosing block.
func (s *sourceWriter) nest(first, rest string, n ast.Node) {
	if s.nested >= maxNested {
		s.blocks(n)
		return
	}
	before := s.prefix
	lead := s.prefix
	if s.lead != "" {
		lead = s.lead
	}
	s.lead, s.prefix = lead+first, before+rest
	s.nested++
	s.blocks(n)
	s.nested--
	if s.lead != "" { // nothing was written
		s.line("")
	}
	s.prefix = before
}

func (s *sourceWriter) list(n *ast.List) {
	bullet, point := "-", "."
	if other, ok := n.PreviousSibling().(*ast.List); ok && other.IsOrdered() == n.IsOrdered() {
		bullet, point = "*", ")" // with the same mark, the two would merge
	}
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := bullet + " "
		if n.IsOrdered() {
			mark = strconv.Itoa(number) + point + " "
			number++
		}
		s.nest(mark, strings.Repeat(" ", len(mark)), item)
	}
	if n.IsTight && n.Parent().Kind() == ast.KindListItem {
		return // the list around it goes on
	}
	if n.IsTight {
		s.line("")
	}
}

// code writes a block of code between fences longer than any run of backticks in it.
func (s *sourceWriter) code(text string) {
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	s.line(fence)
	s.lines(text)
	s.line(fence)
}

func longestRun(s string, c rune) (longest int) {
	run := 0
	for _, r := range s {
		if run++; r != c {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

func (s *sourceWriter) table(n *extast.Table) {
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var line, rule strings.Builder
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			line.WriteString("| " + oneLine(s.inlines(c)) + " ")
			rule.WriteString(map[string]string{"": "|---", ` class="right"`: "|--:", ` class="center"`: "|:-:"}[alignment(c)])
		}
		s.line(line.String() + "|")
		if row.Kind() == extast.KindTableHeader {
			s.line(rule.String() + "|")
		}
	}
}

func (s *sourceWriter) inlines(parent ast.Node) string {
	var b strings.Builder
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		b.WriteString(s.inline(n))
	}
	return b.String()
}

func (s *sourceWriter) inline(n ast.Node) string {
	switch n := n.(type) {
	case *ast.Text:
		return s.run(n)
	case *ast.String:
		return special.Replace(string(n.Value))
	case *ast.CodeSpan:
		return codeSpan(string(n.Text(s.source))) //nolint:staticcheck // what it holds are runs of text
	case *ast.Emphasis:
		return s.around(strings.Repeat("*", min(n.Level, 2)), n)
	case *extast.Strikethrough:
		return s.around("~~", n)
	case *ast.Link:
		return s.link(n.Destination, n)
	case *ast.Image:
		return s.link(n.Destination, n)
	case *ast.AutoLink:
		n.AppendChild(n, ast.NewString(n.Label(s.source)))
		return s.link(autoLink(n, s.source), n)
	case *ast.RawHTML:
		var b strings.Builder
		for i := range n.Segments.Len() {
			segment := n.Segments.At(i)
			b.WriteString(special.Replace(string(segment.Value(s.source))))
		}
		return b.String()
	default:
		return s.inlines(n)
	}
}

// run returns a run of text, which ends at the end of its line at the latest.
func (s *sourceWriter) run(n *ast.Text) string {
	raw := n.Segment.Value(s.source)
	text := string(raw)
	if !n.IsRaw() {
		text = s.typeset(content.Unescape(raw))
	}
	text = special.Replace(text)
	switch {
	case n.HardLineBreak():
		return text + "\\\n"
	case n.SoftLineBreak():
		return text + "\n"
	}
	return text
}

func codeSpan(text string) string {
	text = string(bytes.ReplaceAll([]byte(text), []byte("\n"), []byte(" ")))
	fence := strings.Repeat("`", longestRun(text, '`')+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + strings.ReplaceAll(text, "|", `\|`) + fence
}

func (s *sourceWriter) around(mark string, n ast.Node) string {
	if s.marks >= maxMarks {
		return s.inlines(n)
	}
	s.marks++
	defer func() { s.marks-- }()
	inner := s.inlines(n)
	if strings.TrimSpace(inner) == "" {
		return inner
	}
	return mark + inner + mark
}

// inAddress escapes the characters that would end the address of a link.
var inAddress = strings.NewReplacer("(", "%28", ")", "%29", "<", "%3C", ">", "%3E", `\`, "%5C", " ", "%20", "\n", "", "\t", "%09", "|", "%7C")

// link returns a link, or its text alone if its address is refused, it is inside another link, or it is nested too
// deep.
func (s *sourceWriter) link(destination []byte, n ast.Node) string {
	address := ""
	if s.links -= len(destination); s.links >= 0 && len(destination) <= maxAddress {
		address, _ = s.address(destination, n.Kind() != ast.KindAutoLink)
	}
	if n.Kind() == ast.KindImage && n.FirstChild() == nil {
		n.AppendChild(n, ast.NewString([]byte(address))) // an image without a text
	}
	if address == "" || s.linked || s.marks >= maxMarks {
		return s.inlines(n)
	}
	if strings.HasPrefix(address, "/") {
		address = s.base + address
	}
	s.linked = true
	text := s.inlines(n)
	s.linked = false
	return "[" + text + "](" + inAddress.Replace(address) + ")"
}
