package markdown_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/markdown"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// What is written as Markdown again is rendered as the review itself is.
func TestSource_MeansTheSame(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		"Un texte.\n\n## Titre\n\nSuite *douce* et **forte**, `code` et ~~rayé~~.\n",
		"- un\n- deux\n  - deux un\n    - deux un un\n  - deux deux\n- trois\n\nfin\n",
		"- un\n\n  suite\n\n- deux\n\n      code\n\n1. a\n2. b\n   - c\n\nfin\n",
		"3. trois\n4. quatre\n\n* un\n\n- autre liste\n",
		"> cité\n> encore\n>\n> - liste\n\nfin\n",
		"```go\nif a < b && c { <b>fence ``` inside</b> }\n```\n\n````\n```\n````\n",
		"| a | b |\n|:-:|--:|\n| 1 \\| x | `2` |\n\nfin\n",
		"[lien](https://example.org/a_b?x=1&y=2 \"titre\") <https://example.org> ![image](https://example.org/i.png)\n",
		"une ligne\nune autre\\\net une fin  \nici\n",
		"1\\. pas une liste\n\n\\# pas un titre\n\n\\- ni ceci, 2 + 2 = 4, a_b_c, 3 * 4 * 5 & &amp; &lt;b&gt;\n",
		"`` a`b `` et `` `x` ``\n",
		"Un\n\n***\n\n## Deux\n\n###### Six\n",
	} {
		again := markdown.Source(source, "", nil)
		if got, want := markdown.Render(again, nil).HTML, markdown.Render(source, nil).HTML; got != want {
			t.Errorf("%q is written as\n%s\nwhich is\n%s\nwant\n%s", source, again, got, want)
		}
	}
}

func TestSource(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"Vraiment ? Oui : non ; si":    "Vraiment\u202f? Oui\u00a0: non\u202f; si\n\n",
		"[a](https://e.example/a_(b))": "[a](https://e.example/a_%28b%29)\n\n",
		"[ici](/outils/a) [là](#b)":    "[ici](https://p.example/outils/a) là\n\n",
		"- a\n  - b\n- c":              "- a\n  - b\n- c\n\n",
	} {
		if got := markdown.Source(source, "https://p.example", locale.FrenchText); got != want {
			t.Errorf("%q is written as %q, want %q", source, got, want)
		}
	}
}

// Nothing hostile survives: whoever renders what is written, with raw HTML allowed, gets none, and no
// link that leads to anything but a page or a mailbox.
func TestSource_Hostile(t *testing.T) {
	t.Parallel()
	deep, size := strings.Repeat("> ", 3000)+"x", catalog.MaxMarkdown/32
	if testkit.Raced {
		size /= 8
	}
	for _, source := range append(slices.Collect(maps.Values(hostile(size))),
		"<script>alert(1)</script>", "a <img src=x onerror=alert(1)> b", "<div>\n*x*\n\n</div>", "[x](javascript:alert(1))",
		"[x](<javascript:alert(1)>)", "[x](data:text/html,x)", "![x](javascript:alert(1))", "<javascript:alert(1)>", "&lt;script&gt;alert(1)&lt;/script&gt;",
		"\\<script>", "`<b>`<script>", "```\n</code><script>\n```\n<script>", "[a](https://e.example/?<script>)", "[a](//evil.example)", "[a]: javascript:x\n\n[a]",
		"[a](https://e.example/\\)[b](javascript:x)", "x\n<!-- -->\ny", "- <b>\n- > <i>", "| <b> |\n|---|\n| <i> |", deep, strings.Repeat("*a **b ", 2000), strings.Repeat("- ", 2000)+"x",
		"&#60;script&#62;", "a\u0000b<script>", "<a href=\"javascript:x\">y</a>", "[![x](javascript:a)](javascript:b)", "\\`<script>\\`",
	) {
		again := markdown.Source(source, "https://p.example", locale.FrenchText)
		if len(again) > 60*len(source)+1<<16 {
			t.Errorf("%.40q: %d bytes of %d", source, len(again), len(source))
		}
		tree := []byte(again)
		_ = ast.Walk(content.NewParser().Parse(text.NewReader(tree)), func(n ast.Node, _ bool) (ast.WalkStatus, error) {
			var to string
			switch n := n.(type) {
			case *ast.RawHTML, *ast.HTMLBlock, *ast.Image:
				t.Errorf("%.60q is written as %.200q, with a %s in it", source, again, n.Kind())
			case *ast.Link:
				to = string(n.Destination)
			case *ast.AutoLink:
				to = string(n.URL(tree))
			}
			if ok := to == "" || strings.HasPrefix(to, "http://") || strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "mailto:"); !ok {
				t.Errorf("%.60q is written as %.200q, with a link to %s", source, again, to)
			}
			return ast.WalkContinue, nil
		})
	}
}
