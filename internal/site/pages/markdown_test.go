package pages_test

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	files "github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Tools, reviews and comparisons are there as Markdown in each language, with what their page says.
// The page names its Markdown, whose links lead somewhere.
func TestMarkdown(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, catalogtest.Snapshot(
		catalogtest.Tool("alpha", catalogtest.Named("Alpha"), catalogtest.Scored(820), catalogtest.Priced(catalog.Paid, "24 €/mois"),
			catalogtest.Tagline("Vraiment ? Oui"), catalogtest.Reviewed("x"), catalogtest.Written("Un début : net.\n\n## Pour qui ?\n\n- un\n  - deux\n- [la fiche](/outils/alpha)\n\n<script>alert(1)</script>\n"),
			func(t *catalog.Tool) {
				t.History = []catalog.PriceChange{{OldPrice: "12 €/mois", NewPrice: "24 €/mois", OldPricing: catalog.Paid, NewPricing: catalog.Paid, ChangedAt: "2026-01-02"}}
			}),
		catalogtest.Tool("beta", catalogtest.Named("Beta")), catalogtest.Tool("nu", catalogtest.Unscored), catalogtest.Retired("gamma"),
		catalogtest.Comparison("alpha-vs-beta", "alpha", "beta"),
	))
	for page, says := range map[string][]string{
		"/outils/alpha": {
			"# Alpha\n", "Vraiment\u202f? Oui.\n", "- Note\u00a0: 8,2 / 10\n", "- Prix\u00a0: 24 €/mois\n", "## Le prix\n", "| Date | Avant | Après |\n|---|---|---|\n| 2\u00a0janvier 2026 | 12 €/mois | 24 €/mois |\n",
			"](" + sitetest.Own + "/avis/alpha.md)", "](" + sitetest.Own + "/comparatifs/alpha-vs-beta.md)", "](" + sitetest.Own + "/outils/beta.md)", "- `GET /api/v1/tools/alpha`\n", "](" + sitetest.Own + "/outils/alpha)",
		},
		"/en/tools/alpha":               {"# Alpha\n", "- Score: 8.2 / 10\n", "## The price\n", "](" + sitetest.Own + "/en/reviews/alpha.md)", "](" + sitetest.Own + "/en/tools/beta.md)"},
		"/outils/nu":                    {"- Note\u00a0: Pas encore noté\n", "L’avis n’est pas encore écrit."},
		"/outils/gamma":                 {"retiré du catalogue\n", "## Toujours en vie, dans la même catégorie\n"},
		"/avis/alpha":                   {"# Avis sur Alpha\n", "Un début\u00a0: net.\n", "## Pour qui\u202f?\n\n- un\n  - deux\n- [la fiche](" + sitetest.Own + "/outils/alpha)\n", "\\<script>alert(1)\\</script>"},
		"/en/reviews/alpha":             {"# Review: Alpha\n", "Un début\u00a0: net.\n"},
		"/comparatifs/alpha-vs-beta":    {"- Vainqueur\u00a0: ", "| Critère | Alpha | Beta | Écart |\n", "](" + sitetest.Own + "/outils/alpha.md)", "- `GET /api/v1/comparatifs/alpha-vs-beta`"},
		"/en/comparisons/alpha-vs-beta": {"- Winner: ", "| Criterion | Alpha | Beta | Difference |\n"},
	} {
		got := r.Get(page + ".md")
		testkit.Equal(t, page, got.Status, 200)
		testkit.Equal(t, page, got.Header.Get("Content-Type"), "text/markdown; charset=utf-8")
		testkit.Equal(t, page, got.Header.Get("Access-Control-Allow-Origin"), "*")
		for _, s := range says {
			if !strings.Contains(sitetest.PlainSpaces.Replace(got.Body), sitetest.PlainSpaces.Replace(s)) {
				t.Errorf("%s.md does not say %q:\n%.1500s", page, s, got.Body)
			}
		}
		html := r.Get(page)
		if !strings.Contains(html.Body, `<link rel="alternate" type="text/markdown" href="`+page+`.md">`) ||
			!strings.Contains(html.Header.Get("Link"), "<"+page+`.md>; rel="alternate"; type="text/markdown"`) {
			t.Errorf("%s does not name its Markdown: %s", page, html.Header.Get("Link"))
		}
		for _, m := range sitetest.MarkdownLink.FindAllStringSubmatch(got.Body, -1) {
			if to, ours := strings.CutPrefix(m[1], sitetest.Own); !ours || r.Get(to).Status != 200 {
				t.Errorf("%s.md leads to %s", page, m[1])
			}
		}
		testkit.Equal(t, page+" again", r.Get(page+".md", "If-None-Match", got.Header.Get("Etag")).Status, 304)
	}
	for path, want := range map[string]string{
		"/outils/alpha.md": "Vraiment\u202f? Oui.\n", "/avis/alpha.md": "## Pour qui\u202f?\n", "/en/reviews/alpha.md": "Un début\u00a0: net.\n",
	} {
		if got := r.Get(path); !strings.Contains(got.Body, want) {
			t.Errorf("%s does not say %q:\n%s", path, want, got.Body)
		}
	}
	for path, status := range map[string]int{
		"/avis/gamma.md": 410, "/en/reviews/gamma.md": 410, "/outils/delta.md": 404, "/avis/delta.md": 404, "/avis/nu.md": 404,
		"/comparatifs/nope.md": 404, "/outils/Alpha.md": 404, "/outils/.md": 404, "/outils/alpha.md.md": 404,
	} {
		testkit.Equal(t, path, r.Get(path).Status, status)
	}
	testkit.Equal(t, "a slash too many", r.Get("/outils/alpha.md/").Header.Get("Location"), "/outils/alpha.md")
}

// What the catalog says is text in Markdown: no name, note or review adds markup, a heading or a link.
func TestMarkdown_Hostile(t *testing.T) {
	t.Parallel()
	const bad = "# [x](javascript:alert(1)) <script>alert(1)</script> | **b** `c` &lt;i&gt;"
	r := sitetest.New(t, catalogtest.Snapshot(
		catalogtest.Tool("alpha", catalogtest.Named(bad), catalogtest.Tagline(bad), catalogtest.Reviewed("x"), catalogtest.Written(bad+"\n\n<div>\n\n"+bad+"\n\n</div>\n")),
		catalogtest.Tool("beta", catalogtest.Named(bad)), catalogtest.Retired("gamma", func(d *catalog.Retired) { d.Name, d.Note = bad, bad+"\n\n- "+bad }),
		catalogtest.Comparison("alpha-vs-beta", "alpha", "beta", func(c *catalog.Comparison) { c.Title, c.Note = bad, bad }),
	))
	for _, path := range []string{"/outils/alpha.md", "/outils/gamma.md", "/avis/alpha.md", "/comparatifs/alpha-vs-beta.md", "/en/tools/alpha.md"} {
		got := r.Get(path)
		testkit.Equal(t, path, got.Status, 200)
		source := []byte(got.Body)
		titles := 0
		_ = ast.Walk(files.NewParser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			switch n := n.(type) {
			case *ast.RawHTML, *ast.HTMLBlock, *ast.Image:
				t.Errorf("%s has a %s:\n%s", path, n.Kind(), got.Body)
			case *ast.Link:
				if !strings.HasPrefix(string(n.Destination), sitetest.Own+"/") {
					t.Errorf("%s leads to %s", path, n.Destination)
				}
			case *ast.Heading:
				if entering && n.Level == 1 {
					titles++
				}
			}
			return ast.WalkContinue, nil
		})
		testkit.Equal(t, path+": titles", titles, 1)
	}
}
