package testkit

import (
	"encoding/xml"
	"mime"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

var (
	// unfilled matches what a reader sees of a text whose placeholders were not filled in, or were filled in with a
	// wrong value.
	unfilled = regexp.MustCompile(`%[sd!]|<nil>|map\[|\{\{`)
	// suspect matches the same in raw markup, as a quick first test. It also matches attributes, code samples and
	// addresses, where that may be right.
	suspect = regexp.MustCompile(`(?i)%[sd!]|(?:<|&lt;)nil|map\[|\{\{`)

	markdownCode  = regexp.MustCompile("(?s)(?m:^) {0,3}```.*?(?:(?m:^) {0,3}```|$)|``.+?``|`[^`\n]*`|(?m-s:^(?: {4}|\t).*$)")
	folded        = regexp.MustCompile(`\r?\n[ \t]`) // the break of a folded calendar line
	unreadMarkup  = []atom.Atom{atom.Code, atom.Pre, atom.Kbd, atom.Samp, atom.Style, atom.Textarea}
	readAttribute = []string{"alt", "aria-label", "content", "data-done", "data-l", "label", "placeholder", "title"}
)

// CheckRendered reports a test error for each raw format that RawFormats finds in a response. It skips compressed
// bodies, which may contain any bytes.
func CheckRendered(tb testing.TB, what string, r Response) {
	tb.Helper()
	if r.Header.Get("Content-Encoding") != "" {
		return
	}
	for _, fault := range RawFormats(r.Header.Get("Content-Type"), r.Body) {
		tb.Errorf("%s says %s", what, fault)
	}
}

// RawFormats returns the traces of failed formatting in a rendered text, each with the words around it: %s, %d, %!,
// <nil>, map[ and {{. kind is the media type. In HTML, XML, Markdown and calendars it looks at the text that a reader
// sees, without code samples; in plain text, at everything; in other types, such as JSON, at nothing.
func RawFormats(kind, rendered string) []string {
	media, _, _ := mime.ParseMediaType(kind)
	if media == "text/calendar" {
		rendered = folded.ReplaceAllString(rendered, "")
	}
	if !suspect.MatchString(rendered) {
		return nil
	}
	switch media {
	case "text/html", "application/xhtml+xml":
		return rawInHTML(rendered)
	case "application/atom+xml", "application/xml", "image/svg+xml", "text/xml":
		return rawInXML(rendered)
	case "text/markdown":
		return rawIn(markdownCode.ReplaceAllString(rendered, "`"))
	case "text/calendar", "text/plain":
		return rawIn(rendered)
	}
	return nil
}

// rawIn finds raw formats in a text without markup.
func rawIn(text string) (found []string) {
	for _, at := range unfilled.FindAllStringIndex(text, -1) {
		from, to := max(at[0]-40, 0), min(at[1]+40, len(text))
		found = append(found, "“…"+strings.ToValidUTF8(text[from:to], "")+"…”")
	}
	return found
}

func rawInHTML(page string) []string {
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return []string{err.Error()}
	}
	return rawInNode(root)
}

func rawInNode(n *html.Node) (found []string) {
	switch {
	case n.Type == html.TextNode:
		return rawIn(n.Data)
	case n.Type == html.ElementNode && n.Data == "nil": // "<nil>" that was not escaped, parsed as an element
		return []string{"“<nil>”"}
	case slices.Contains(unreadMarkup, n.DataAtom), n.DataAtom == atom.Script && attribute(n, "type") != "application/ld+json":
		return nil
	}
	for _, a := range n.Attr {
		if slices.Contains(readAttribute, a.Key) {
			found = append(found, rawIn(a.Val)...)
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		found = append(found, rawInNode(c)...)
	}
	return found
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// rawInXML returns the raw formats in the text of elements. It parses that text as HTML, because in a feed it may be
// escaped markup.
func rawInXML(document string) (found []string) {
	d := xml.NewDecoder(strings.NewReader(document))
	for {
		token, err := d.Token()
		if err != nil {
			return found // the end, or a syntax error, which other tests of the document find
		}
		if text, ok := token.(xml.CharData); ok {
			found = append(found, rawInHTML(string(text))...)
		}
	}
}
