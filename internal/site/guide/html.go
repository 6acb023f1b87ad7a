package guide

import (
	"errors"
	"fmt"
	"html/template"
	"regexp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
)

// A Page is a rendered guide, without its title.
type Page struct {
	Lede     template.HTML // the first paragraph
	HTML     template.HTML // the rest, with headings from h2 on
	Contents []Heading     // those of level 2
}

// A Heading opens a section.
type Heading struct{ ID, Text string }

// Labels are the words around code, in the language of the guide.
type Labels struct{ Copy, Copied, Output string }

// HTML renders a guide. It fails if the guide has an element that this package does not know, a heading without an
// anchor, a broken link, or a placeholder without a value.
func (lib *Library) HTML(g *Guide, v Values, labels Labels) (Page, error) {
	source := []byte(g.source)
	w := &htmlWriter{lib: lib, guide: g, language: g.lang, values: v, labels: labels, source: source}
	root := content.NewParser().Parse(text.NewReader(source))
	w.inlines(root.FirstChild())
	page := Page{Lede: w.take()}
	for n := root.FirstChild().NextSibling(); n != nil; n = n.NextSibling() {
		w.block(n)
	}
	page.HTML, page.Contents = w.take(), w.contents
	if w.err != nil {
		return Page{}, fmt.Errorf("the guide %s/%s: %w", g.lang, g.Slug, w.err)
	}
	return page, nil
}

// Prose renders Markdown that is part of the program but not a guide. It fails if that has headings or links.
func Prose(l locale.Language, markdown string) (template.HTML, error) {
	w := &htmlWriter{language: l, source: []byte(markdown)}
	w.blocks(content.NewParser().Parse(text.NewReader(w.source)))
	return w.take(), w.err
}

// An htmlWriter writes a guide as HTML. It keeps the first error.
type htmlWriter struct {
	lib      *Library
	guide    *Guide
	language locale.Language
	values   Values
	labels   Labels
	source   []byte
	out      strings.Builder
	contents []Heading
	section  string // the anchor of the last heading
	err      error
}

func (w *htmlWriter) take() template.HTML {
	defer w.out.Reset()
	return template.HTML(w.out.String()) //nolint:gosec // our own texts, and escaped values
}

func (w *htmlWriter) raw(markup ...string) {
	for _, s := range markup {
		w.out.WriteString(s)
	}
}

// text fills in and escapes a text of the guide and writes it.
func (w *htmlWriter) text(s string) { w.raw(template.HTMLEscapeString(w.filled(s))) }

func (w *htmlWriter) filled(s string) string {
	s, err := w.values.fill(s, asItIs)
	w.fail(err)
	return s
}

func (w *htmlWriter) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *htmlWriter) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		w.heading(n)
	case *ast.Paragraph:
		w.around("p", n)
	case *ast.TextBlock:
		w.inlines(n)
	case *ast.List:
		w.list(n)
	case *ast.FencedCodeBlock:
		w.code(n)
	case *extast.Table:
		w.table(n)
	default:
		w.fail(fmt.Errorf("there is a block of the kind %s", n.Kind()))
	}
}

func (w *htmlWriter) blocks(parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		w.block(n)
	}
}

func (w *htmlWriter) around(tag string, n ast.Node) {
	w.raw("<", tag, ">")
	w.inlines(n)
	w.raw("</", tag, ">\n")
}

var anchorAtEnd = regexp.MustCompile(`^(.*) \{#([a-z0-9-]+)\}$`)

// heading writes a heading that links to itself, and adds one of level 2 to the contents.
func (w *htmlWriter) heading(n *ast.Heading) {
	m := anchorAtEnd.FindStringSubmatch(string(n.Lines().Value(w.source)))
	if m == nil || n.Level < 2 || w.lib == nil {
		w.fail(fmt.Errorf("a heading has no anchor, or is a title: %s", n.Lines().Value(w.source)))
		return
	}
	tag, title := "h"+strconv.Itoa(n.Level), w.filled(w.language.Typeset(m[1]))
	if n.Level == 2 {
		w.contents = append(w.contents, Heading{ID: m[2], Text: title})
	}
	w.section = m[2]
	w.raw("<", tag, ` id="`, m[2], `"><a href="#`, m[2], `">`, template.HTMLEscapeString(title), "</a></", tag, ">\n")
}

func (w *htmlWriter) list(n *ast.List) {
	tag := "ul"
	if n.IsOrdered() {
		tag = "ol"
	}
	w.raw("<", tag, ">")
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		w.raw("<li>")
		w.blocks(item)
		w.raw("</li>\n")
	}
	w.raw("</", tag, ">\n")
}

// code writes a fenced block as a highlighted sample.
func (w *htmlWriter) code(n *ast.FencedCodeBlock) {
	if n.Info == nil {
		w.fail(errors.New("a fenced block has no language"))
		return
	}
	s, err := parseInfo(string(n.Info.Segment.Value(w.source)))
	if err != nil {
		w.fail(err)
		return
	}
	s.Text = w.filled(string(n.Lines().Value(w.source)))
	w.raw(string(Figure(s, w.labels)))
}

// Figure returns a sample as HTML, with a button to copy it unless it is output. The keyboard can reach a box that may
// scroll.
func Figure(s Sample, labels Labels) template.HTML {
	l := lexers[s.Language]
	class, name := "code", l.name
	switch {
	case s.File != "":
		name = s.File
	case s.Output:
		class, name = "code out", labels.Output
	}
	caption := template.HTMLEscapeString(name)
	if s.File != "" {
		caption = "<code>" + caption + "</code>"
	}
	button := ""
	if !s.Output {
		button = `<button class="btn mini" type="button" data-copy data-done="` + template.HTMLEscapeString(labels.Copied) +
			`" hidden>` + template.HTMLEscapeString(labels.Copy) + `<span class="vh"> <samp>` +
			template.HTMLEscapeString(name+", "+layout.Copied(s.Text)) + "</samp></span></button>"
	}
	return template.HTML(`<figure class="` + class + `"><figcaption>` + caption + button + //nolint:gosec // escaped
		`</figcaption><pre` + string(layout.CodeStop(name, s.Text)) + `><code>` + string(l.colour(s.Text)) + "</code></pre></figure>\n")
}

// table writes a table in a box that scrolls. Below a heading, the box can take the focus and is named after its
// section.
func (w *htmlWriter) table(n *extast.Table) {
	if w.section == "" {
		w.raw(`<div class="scroll"><table>`)
	} else {
		w.raw(`<div class="scroll" tabindex="0" role="group" aria-labelledby="`, w.section, `"><table>`)
	}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		head := row.Kind() == extast.KindTableHeader
		if head {
			w.raw("<thead>")
		}
		w.raw("<tr>")
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			opening, closing := "<td>", "</td>"
			switch {
			case c.FirstChild() == nil: // an empty corner is no heading
			case head:
				opening, closing = `<th scope="col">`, "</th>"
			case c == row.FirstChild():
				opening, closing = `<th scope="row">`, "</th>"
			}
			w.raw(opening)
			w.inlines(c)
			w.raw(closing)
		}
		w.raw("</tr>")
		if head {
			w.raw("</thead>\n<tbody>")
		}
		w.raw("\n")
	}
	w.raw("</tbody></table></div>\n")
}

func (w *htmlWriter) inlines(parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		w.inline(n)
	}
}

func (w *htmlWriter) inline(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		if value := n.Segment.Value(w.source); n.Parent().Kind() == ast.KindCodeSpan {
			w.text(strings.ReplaceAll(string(value), "\n", " "))
		} else {
			w.text(w.language.Typeset(content.Unescape(value)))
		}
		if n.SoftLineBreak() {
			w.raw("\n")
		}
	case *ast.String:
		w.text(w.language.Typeset(string(n.Value)))
	case *ast.CodeSpan:
		w.mark("code", "", n)
	case *ast.Emphasis:
		w.mark([]string{"em", "strong"}[n.Level-1], "", n)
	case *ast.Link:
		if w.lib == nil {
			w.fail(errors.New("there is a link"))
			return
		}
		address, err := w.lib.address(w.guide, string(n.Destination), w.values)
		w.fail(err)
		w.mark("a", ` href="`+template.HTMLEscapeString(address)+`"`, n)
	default:
		w.fail(fmt.Errorf("there is text of the kind %s", n.Kind()))
	}
}

func (w *htmlWriter) mark(tag, attributes string, n ast.Node) {
	w.raw("<", tag, attributes, ">")
	w.inlines(n)
	w.raw("</", tag, ">")
}
