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
	// unfilled is what a reader sees of a text that nobody filled in, or filled in with a value that is no text.
	unfilled = regexp.MustCompile(`%[sd!]|<nil>|map\[|\{\{`)
	// suspect is the same before markup is read, where an attribute, a sample or an address may have it too.
	suspect = regexp.MustCompile(`(?i)%[sd!]|(?:<|&lt;)nil|map\[|\{\{`)

	markdownCode  = regexp.MustCompile("(?s)(?m:^) {0,3}```.*?(?:(?m:^) {0,3}```|$)|``.+?``|`[^`\n]*`|(?m-s:^(?: {4}|\t).*$)")
	folded        = regexp.MustCompile(`\r?\n[ \t]`) // a line of a calendar that goes on
	unreadMarkup  = []atom.Atom{atom.Code, atom.Pre, atom.Kbd, atom.Samp, atom.Style, atom.Textarea}
	readAttribute = []string{"alt", "aria-label", "content", "data-done", "data-l", "label", "placeholder", "title"}
)

// CheckRendered fails a test over a response whose text has a raw format: RawFormats says which. It passes over what is
// compressed, since any two bytes may stand there.
func CheckRendered(tb testing.TB, what string, r Response) {
	tb.Helper()
	if r.Header.Get("Content-Encoding") != "" {
		return
	}
	for _, fault := range RawFormats(r.Header.Get("Content-Type"), r.Body) {
		tb.Errorf("%s says %s", what, fault)
	}
}

// RawFormats finds what no reader may see in what was rendered: %s, %d, %!, <nil>, map[ and {{, with the words around
// each. Kinds are media types; of HTML, XML, Markdown and calendars it reads the text as a reader gets it, without
// samples of code, of other texts all, and nothing of what no one reads: JSON, pictures, scripts.
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
	case n.Type == html.ElementNode && n.Data == "nil": // a value that was not escaped
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

// rawInXML reads the text of elements. That of a feed may be markup, which is escaped once more.
func rawInXML(document string) (found []string) {
	d := xml.NewDecoder(strings.NewReader(document))
	for {
		token, err := d.Token()
		if err != nil {
			return found // its end, or what the tests of the document itself find
		}
		if text, ok := token.(xml.CharData); ok {
			found = append(found, rawInHTML(string(text))...)
		}
	}
}
