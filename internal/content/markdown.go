package content

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// A plainText extracts the text of Markdown blocks without their markup: paragraphs separated by an empty line,
// list items as lines that begin with "- ", table rows as lines whose cells are joined by " | ".
type plainText struct {
	doc    *document // receives the faults; nil to check nothing
	source []byte
	start  int    // offset of source in the file
	title  string // for messages: what the page's title is; "" for the tool's name
	links  []link // within the site

	out  strings.Builder
	gap  string // line breaks due before the next text
	lead string // prefix of the next text, such as "- "
}

func (p *plainText) put(s string) {
	if s == "" {
		return
	}
	if p.out.Len() > 0 {
		p.out.WriteString(p.gap)
	}
	p.out.WriteString(p.lead)
	p.out.WriteString(s)
	p.gap, p.lead = "", ""
}

func (p *plainText) want(gap string) {
	if len(gap) > len(p.gap) {
		p.gap = gap
	}
}

// take returns the text so far and begins anew.
func (p *plainText) take() string {
	s := strings.TrimSpace(p.out.String())
	p.out.Reset()
	p.gap, p.lead = "", ""
	return s
}

func (p *plainText) blocks(parent ast.Node, gap string) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		p.want(gap)
		p.block(n)
	}
}

func (p *plainText) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		p.put(strings.TrimSpace(p.inline(n)))
	case *ast.Heading:
		p.checkHeading(n)
		p.put(strings.TrimSpace(p.inline(n)))
	case *ast.List:
		for item := n.FirstChild(); item != nil; item = item.NextSibling() {
			p.want("\n")
			p.lead = "- "
			p.blocks(item, "\n")
			p.lead = ""
		}
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		p.put(strings.Trim(string(n.Lines().Value(p.source)), "\n"))
	case *ast.HTMLBlock:
		p.refuseHTML(n.Pos())
	case *extast.Table:
		for row := n.FirstChild(); row != nil; row = row.NextSibling() {
			p.want("\n")
			p.put(p.cells(row))
		}
	case *ast.ThematicBreak:
	default:
		p.blocks(n, "\n\n")
	}
}

func (p *plainText) cells(row ast.Node) string {
	var cells []string
	for c := row.FirstChild(); c != nil; c = c.NextSibling() {
		cells = append(cells, strings.TrimSpace(p.inline(c)))
	}
	return strings.Join(cells, " | ")
}

func (p *plainText) inline(parent ast.Node) string {
	if t, ok := parent.FirstChild().(*ast.Text); ok && t.NextSibling() == nil {
		return p.text(t) // one line of bare words needs no builder
	}
	var b strings.Builder
	p.writeInline(&b, parent)
	return b.String()
}

func (p *plainText) writeInline(b *strings.Builder, parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			b.WriteString(p.text(n))
			switch {
			case n.HardLineBreak():
				b.WriteByte('\n')
			case n.SoftLineBreak():
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.CodeSpan:
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if t, ok := c.(*ast.Text); ok {
					b.Write(bytes.ReplaceAll(t.Segment.Value(p.source), []byte("\n"), []byte(" ")))
				}
			}
		case *ast.AutoLink:
			p.checkLink(n.URL(p.source), n.Pos())
			b.Write(n.Label(p.source))
		case *ast.RawHTML:
			p.refuseHTML(n.Segments.At(0).Start)
		case *ast.Link:
			if p.checkLink(n.Destination, n.Pos()) {
				p.follow(n.Destination, n.Pos())
			}
			p.writeInline(b, n)
		case *ast.Image:
			if p.checkLink(n.Destination, n.Pos()) {
				p.warnImage(n)
			}
			p.writeInline(b, n)
		default: // emphasis and the like: only their content counts
			p.writeInline(b, n)
		}
	}
}

func (p *plainText) text(t *ast.Text) string {
	raw := t.Segment.Value(p.source)
	if t.IsRaw() || bytes.IndexByte(raw, '\\') < 0 && bytes.IndexByte(raw, '&') < 0 {
		return string(raw)
	}
	return Unescape(raw)
}

// linkScheme matches the scheme of an absolute link.
var linkScheme = regexp.MustCompile(`^[a-z][a-z0-9+.-]*:`)

// checkLink reports a fault for a link whose scheme is not http, https or mailto, and returns whether the link
// may stay. The site would show only the text of such a link; this way the editor learns of it.
func (p *plainText) checkLink(destination []byte, offset int) bool {
	if p.doc == nil {
		return true
	}
	// Browsers leave out control characters and blanks before they look for the scheme.
	target := strings.Map(func(r rune) rune {
		if r <= ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, Unescape(destination))
	switch scheme := linkScheme.FindString(target); scheme {
	case "", "http:", "https:", "mailto:":
		return true
	default:
		p.doc.fault(p.doc.positionOf(p.start+offset),
			"the link begins with %s and leads to no page: begin it with https:// (or http://, mailto:)", scheme)
		return false
	}
}

// warnImage warns that an image is not shown and only its text is kept.
func (p *plainText) warnImage(n *ast.Image) {
	if p.doc == nil {
		return
	}
	p.doc.warn(p.doc.positionOf(p.start+n.Pos()),
		"the image %s is not shown, only its text is kept: remove it, or link to it, as in [text](https://…)", cutValue(string(n.Destination)))
}

func (p *plainText) refuseHTML(offset int) {
	if p.doc == nil {
		return
	}
	p.doc.fault(p.doc.positionOf(p.start+offset),
		"raw HTML is not kept: write it in Markdown, such as **bold** or [text](https://…), or put a tag you write about between backticks")
}

// Unescape resolves backslash escapes and character references. It does so in one pass, so that the result of
// one escape is never taken for the start of another.
func Unescape(raw []byte) string {
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '\\' && i+1 < len(raw) && util.IsPunct(raw[i+1]):
			i++
			b.WriteByte(raw[i])
		case c == '&':
			if end := bytes.IndexByte(raw[i:min(i+40, len(raw))], ';'); end > 1 {
				ref := raw[i : i+end+1]
				got := util.ResolveEntityNames(ref)
				if ref[1] == '#' {
					got = util.ResolveNumericReferences(ref)
				}
				if !bytes.Equal(got, ref) {
					b.Write(got)
					i += end
					continue
				}
			}
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
