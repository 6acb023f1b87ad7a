package guide

import (
	"errors"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strconv"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/markdown"
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
	w := newWriter(g.lang, g.source)
	w.lib, w.guide, w.values, w.labels = lib, g, v, labels
	first := w.Parse().FirstChild()
	w.Inlines(first)
	page := Page{Lede: w.HTML()}
	for n := first.NextSibling(); n != nil; n = n.NextSibling() {
		w.Block(n)
	}
	w.endProgram(false)
	page.HTML, page.Contents = w.HTML(), w.contents
	if w.err != nil {
		return Page{}, fmt.Errorf("the guide %s/%s: %w", g.lang, g.Slug, w.err)
	}
	return page, nil
}

// Prose renders Markdown that is part of the program but not a guide. It fails if that has headings or links.
func Prose(l locale.Language, source string) (template.HTML, error) {
	w := newWriter(l, source)
	w.Blocks(w.Parse())
	return w.HTML(), w.err
}

// A writer writes a guide as HTML: what it has of its own, and the rest as reviews are written. It keeps the first error.
type writer struct {
	*markdown.Writer

	lib      *Library // nil for prose
	guide    *Guide
	language locale.Language
	values   Values
	labels   Labels
	contents []Heading
	section  string // the anchor of the last heading
	program  bool   // the section is about one programming language, in a group of such sections
	err      error
}

func newWriter(l locale.Language, source string) *writer {
	w := &writer{Writer: markdown.NewWriter(source, l.Typeset), language: l}
	w.Own, w.Fill = w.own, w.filled
	return w
}

func (w *writer) filled(s string) string {
	s, err := w.values.fill(s, asItIs)
	w.fail(err)
	return s
}

func (w *writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// own writes what guides have otherwise than reviews. Whatever guides do not have is an error.
func (w *writer) own(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Heading:
		w.heading(n)
	case *ast.FencedCodeBlock:
		w.code(n)
	case *extast.Table:
		w.table(n)
	case *ast.Link:
		w.link(n)
	case *ast.Paragraph, *ast.TextBlock, *ast.List, *ast.ListItem, *ast.Text, *ast.String, *ast.CodeSpan, *ast.Emphasis:
		return false
	default:
		w.fail(fmt.Errorf("there is a node of the kind %s", n.Kind()))
	}
	return true
}

var anchorAtEnd = regexp.MustCompile(`^(.*) \{#([a-z0-9-]+)\}$`)

// heading writes a heading that links to itself, and adds one of level 2 to the contents.
func (w *writer) heading(n *ast.Heading) {
	line := w.Lines(n)
	m := anchorAtEnd.FindStringSubmatch(line)
	if m == nil || n.Level < 2 || w.lib == nil {
		w.fail(fmt.Errorf("a heading has no anchor, or is a title: %s", line))
		return
	}
	tag, title := "h"+strconv.Itoa(n.Level), w.filled(w.language.Typeset(m[1]))
	if n.Level == 2 {
		w.contents = append(w.contents, Heading{ID: m[2], Text: title})
	}
	w.section = m[2]
	if n.Level == 2 {
		one := slices.Contains(programs, m[2])
		first := one && !w.program
		w.endProgram(one)
		if one {
			w.beginProgram(m[2], title, first)
			return
		}
	}
	w.Raw("<", tag, ` id="`, m[2], `"><a href="#`, m[2], `">`, template.HTMLEscapeString(title), "</a></", tag, ">\n")
}

// programs are the anchors of sections that show the same in one programming language. Those that follow each other are
// tabs: a reader wants one of them.
var programs = []string{"go", "typescript", "python", "shell"}

// beginProgram opens the tab of a programming language; the first opens their group, and is the one that is shown.
func (w *writer) beginProgram(id, title string, first bool) {
	open := ""
	if first {
		w.Raw(`<div class="programs told">`)
		open = " open"
	}
	w.Raw(`<details name="program" id="`, id, `"`, open, `><summary>`, template.HTMLEscapeString(title), "</summary><div>\n")
	w.program = true
}

// endProgram closes the tab that is open, if there is one, and the group unless another tab follows.
func (w *writer) endProgram(another bool) {
	if !w.program {
		return
	}
	w.Raw("</div></details>\n")
	if !another {
		w.Raw("</div>\n")
	}
	w.program = false
}

// code writes a fenced block as a highlighted sample.
func (w *writer) code(n *ast.FencedCodeBlock) {
	s, err := parseInfo(w.Info(n))
	if err != nil {
		w.fail(err)
		return
	}
	s.Text = w.filled(w.Lines(n))
	w.Raw(string(Figure(s, w.labels)))
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
	case name == "": // what a program prints that no test runs
		name = labels.Output
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
func (w *writer) table(n *extast.Table) {
	if w.section == "" {
		w.Raw(`<div class="scroll"><table>`)
	} else {
		w.Raw(`<div class="scroll" tabindex="0" role="group" aria-labelledby="`, w.section, `"><table>`)
	}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		head := row.Kind() == extast.KindTableHeader
		if head {
			w.Raw("<thead>")
		}
		w.Raw("<tr>")
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			opening, closing := "<td>", "</td>"
			switch {
			case c.FirstChild() == nil: // an empty corner is no heading
			case head:
				opening, closing = `<th scope="col">`, "</th>"
			case c == row.FirstChild():
				opening, closing = `<th scope="row">`, "</th>"
			}
			w.Raw(opening)
			w.Inlines(c)
			w.Raw(closing)
		}
		w.Raw("</tr>")
		if head {
			w.Raw("</thead>\n<tbody>")
		}
		w.Raw("\n")
	}
	w.Raw("</tbody></table></div>\n")
}

func (w *writer) link(n *ast.Link) {
	if w.lib == nil {
		w.fail(errors.New("there is a link"))
		return
	}
	address, err := w.lib.address(w.guide, string(n.Destination), w.values)
	w.fail(err)
	w.Mark("a", ` href="`+template.HTMLEscapeString(address)+`"`, n)
}
