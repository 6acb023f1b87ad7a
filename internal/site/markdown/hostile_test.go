package markdown_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/site/markdown"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// repeated are texts that take a parser without bounds to its knees, by what they repeat.
var repeated = []string{
	">", "> ", "- ", "1. ", "- > ", "*", "*a ", "*a **a ", "_a*b ", "a**b", "~~a ", "[", "![", "]", "[a](", "[a](b", "[a](<b",
	"[a](b \"", "[a][", "![a](", "<!--", "<?", "<!A", "<![CDATA[", "<a ", "<a b='", "<http:", "<a@b", "`a``b", "\\", "&", "&#", "&amp",
	"[a]: b\n", "[a]: \"\n", "[a]:\n", "[a\n", "- a\n", ">\n", "-\n", "*\n\n", "a\n", "a\n\n", "\n", "\t", "#", "## a\n", "```\n", "~~~\n> ",
	"<div>\n", "<!--\n", "|", "|a", "a|b\n-|-\n", "a  \n", "\"", "\x00", "\xff", "*[`<",
}

// hostile gives texts of about n bytes that are made to harm.
func hostile(n int) map[string]string {
	times := func(s string, bytes int) string { return strings.Repeat(s, max(bytes, 0)/len(s)) }
	texts := map[string]string{
		"brackets":         times("[", n/2) + times("]", n/2),
		"links in links":   times("[", n/5) + times("](a)", n*4/5),
		"emphasis":         times("*a ", n/2) + times("a* ", n/2),
		"lazy lines":       times(">", n/2) + "a\n" + times("a\n", n/2),
		"blank lines":      times("- ", n/2) + "a\n" + times("\n", n/2),
		"a wide table":     times("|a", n/4) + "\n" + times("|-", n/4) + "\n" + times("a\n", n/2),
		"a long address":   "[a]: https://x.example/" + times("é", n/2) + "\n\n" + times("[a]\n\n", n/2),
		"an address":       "[a]: https://x.example/" + times("x", 1900) + "\n\n" + times("[a]\n\n", n),
		"deep emphasis":    times("*a ", min(n, 1500)) + times("a* ", min(n, 1500)),
		"a long reference": "[" + times("a", 900) + "]: b\n\n" + times("["+times("a", 900)+"]\n\n", n),
		"nested lists":     "",
		"backticks":        "",
	}
	for i := 0; len(texts["nested lists"]) < n; i++ {
		texts["nested lists"] += strings.Repeat("  ", i) + "- a\n"
	}
	for i := 1; len(texts["backticks"]) < n; i++ {
		texts["backticks"] += "a" + strings.Repeat("`", i)
	}
	for _, s := range repeated {
		texts[s] = times(s, n)
		texts["## "+s] = "## " + times(s, n)
		texts["paragraphs of "+s] = times(times(s, 3000)+"\n\n", n)
	}
	return texts
}

// What a hostile text becomes is safe, no deeper than a browser reads, and in proportion to it. That
// the work is in proportion follows from the bounds of the parser, which content tests.
func TestRender_HostileTexts(t *testing.T) {
	t.Parallel()
	size := catalog.MaxMarkdown / 32
	if testkit.Raced {
		size /= 8
	}
	for name, source := range hostile(size) {
		got := markdown.Render(source, nil).HTML
		if most := 30*len(source) + 1<<16; len(got) > most {
			t.Errorf("%q: %d bytes of HTML of %d bytes, want at most %d", name, len(got), len(source), most)
		}
		read(t, string(got))
		beginning, _ := markdown.Beginning(source, 300, nil)
		if read(t, string(beginning)); len(beginning) > 30_000 {
			t.Errorf("%q: a beginning of %d bytes", name, len(beginning))
		}
	}
}

func FuzzRender(f *testing.F) {
	for _, source := range hostile(60) {
		f.Add(source)
	}
	f.Add("# a\n\n<b onclick=x>c</b>\n\n## [d](javascript:e)\n\n![f](data:g 'h')\n\n|i|\n|-:|\n|<j>|\n")
	f.Add("[a](/&#9;/b) [c](//d) <e:f> <g@h> [i](https://j@k) [l](#m) [n](HTTPS://o?p=\"q\")\n\n3. r\n\n   ```s\n   t\n")
	f.Fuzz(func(t *testing.T, source string) {
		read(t, string(markdown.Render(source, nil).HTML))
		beginning, _ := markdown.Beginning(source, len(source)/2, nil)
		if p := read(t, string(beginning)); len(p.ids) > 0 {
			t.Errorf("the beginning has the ids %q", p.ids)
		}
	})
}

// allowed are the elements and the attributes that a review may have.
var allowed = map[string][]string{
	"p": {"id"}, "h2": {"id"}, "h3": {"id"}, "h4": {"id"}, "h5": {"id"}, "h6": {"id"}, "hr": {"id"},
	"ul": {"id"}, "ol": {"id", "start"}, "li": nil, "blockquote": {"id"}, "pre": {"id"},
	"table": {"id"}, "thead": nil, "tbody": nil, "tr": nil, "th": {"scope", "class"}, "td": {"class"},
	"a": {"href", "rel"}, "em": nil, "strong": nil, "del": nil, "code": nil, "br": nil,
}

// A page is what a browser makes of HTML.
type page struct {
	ids  []string
	text strings.Builder
}

// read parses what was rendered, and checks that it holds only what it may.
func read(t *testing.T, rendered string) *page {
	t.Helper()
	root, err := html.Parse(strings.NewReader("<!doctype html><title></title><body><main>" + rendered + "</main>"))
	testkit.Must(t, err)
	p := &page{}
	for n := range root.Descendants() {
		switch {
		case n.Type == html.TextNode:
			p.text.WriteString(n.Data)
		case n.Type == html.ElementNode && slices.Contains([]string{"html", "head", "title", "body", "main"}, n.Data) && len(n.Attr) == 0:
		case n.Type == html.ElementNode:
			p.check(t, n)
		case n.Type != html.DoctypeNode:
			t.Errorf("there is a node %q", n.Data)
		}
	}
	return p
}

var idForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (p *page) check(t *testing.T, n *html.Node) {
	t.Helper()
	attributes, ok := allowed[n.Data]
	if !ok {
		t.Errorf("there is an element %s", n.Data)
	}
	depth := 0
	for within := range n.Ancestors() {
		if depth++; n.Data == "a" && within.Data == "a" {
			t.Error("there is a link within a link")
		}
	}
	if depth > 100 {
		t.Errorf("%s is %d deep", n.Data, depth)
	}
	for _, a := range n.Attr {
		switch {
		case !slices.Contains(attributes, a.Key):
			t.Errorf("%s has the attribute %s", n.Data, a.Key)
		case a.Key == "href":
			checkLink(t, n, a.Val)
		case a.Key == "id" && (!idForm.MatchString(a.Val) || slices.Contains(p.ids, a.Val)):
			t.Errorf("the id %q is twice there, or not that of a section", a.Val)
		case a.Key == "id":
			p.ids = append(p.ids, a.Val)
		case a.Key == "class" && a.Val != "right" && a.Val != "center":
			t.Errorf("%s has the class %q", n.Data, a.Val)
		}
	}
}

// checkLink resolves a link as a browser does.
func checkLink(t *testing.T, n *html.Node, href string) {
	t.Helper()
	base := &url.URL{Scheme: "https", Host: "site.example", Path: "/avis/lumen"}
	u, err := base.Parse(strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(strings.TrimSpace(href)))
	if err != nil {
		t.Errorf("the link %q: %v", href, err)
		return
	}
	external := slices.Contains(n.Attr, html.Attribute{Key: "rel", Val: "nofollow noopener"})
	switch {
	case u.Scheme == "mailto" && !external, u.Host == base.Host && u.Scheme == "https":
	case (u.Scheme == "https" || u.Scheme == "http") && external:
	default:
		t.Errorf("the link %q leads to %s, external: %v", href, u, external)
	}
}
