package pages_test

import (
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// The sentences about the language of texts.
const (
	inFrench = "In French:"
	earlier  = "Translated from an earlier version."
)

// translated is a catalog of which some is in English: the tool a with all around it, and not b.
func translated() *catalog.Contents {
	c := catalogtest.Contents(
		catalogtest.Tool("a", catalogtest.Tagline("Il relit : tout"), catalogtest.Reviewed("x"),
			catalogtest.Written("Début.\n\n## Ce qui marche\n\nTout.\n\n## Prix\n\nCher : oui.\n"),
			catalogtest.Translated("It reads <all> : twice", "A start.\n\n## What works\n\nAll : twice.\n\n## Prix\n\nDear.\n")),
		catalogtest.Tool("b", catalogtest.Tagline("Il attend"), catalogtest.Reviewed("Rien.")),
		catalogtest.Tool("c", catalogtest.In("image"), catalogtest.Tagline("Il dessine")),
		catalogtest.Comparison("a-ou-b", "a", "b", func(x *catalog.Comparison) {
			x.English.Title.Text, x.English.Note.Text = "A or B", "Safer & faster.\n\nBy far."
		}),
		catalogtest.Comparison("b-ou-c", "b", "c"),
		catalogtest.Retired("feu", func(r *catalog.Retired) { r.English.Note.Text = "Closed.\n\nFor good." }),
		catalogtest.Retired("mort", func(r *catalog.Retired) { r.Category = "image" }),
	)
	c.Categories[0].Label, c.Categories[0].English.Text = "Code source", "Programming"
	return c
}

// An English page shows English where it is, and else French that is marked as such; then it says so
// where that begins. French pages know nothing of it.
func TestEnglish(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, catalogtest.First(translated(), catalogtest.Edition(1)))
	for _, x := range []struct {
		path         string
		says, silent []string
		french       int // times
	}{
		{"/en/tools/a", []string{">Programming</a>", "It reads &lt;all&gt; : twice.</p>", "<p>A start.</p>", `"inLanguage":"en"`, ">A or B</a>"}, []string{"Il relit", "Code source"}, 0},
		{"/en/tools/b", []string{`<span lang="fr">Il attend.</span>`, `<div class="review" lang="fr">`, `"inLanguage":"fr"`}, nil, 2},
		{"/en/reviews/a", []string{
			`<article class="review">`, `<p id="resume">A start.</p>`, `<h2 id="ce-qui-marche">What works</h2>`, "All : twice.", `<h2 id="prix">Prix</h2>`,
		}, []string{"Début", "Cher"}, 0},
		{"/en/reviews/b", []string{`<article class="review" lang="fr">`}, nil, 2},
		{"/en/comparisons/a-ou-b", []string{`<h1 class="page-h">A or B</h1>`, "<p>Safer &amp; faster.</p>\n<p>By far.</p>", "<title>A or B |"}, []string{"Plus sûr.</p>\n</div>"}, 1}, // b-ou-c beside it
		{"/en/comparisons/b-ou-c", []string{`<h1 class="page-h"><span class="tongue" lang="en">In French:</span> <span lang="fr">Match b-ou-c</span></h1>`, `<span lang="fr">Plus sûr.</span>`}, nil, 1},
		{"/en/tools/feu", []string{"<p>Closed.</p><p>For good.</p>"}, []string{"Fermé"}, 0},
		{"/en/tools/mort", []string{`<span lang="fr">Fermé.</span>`}, nil, 1},
		{"/en/categories/code", []string{`<h1 class="page-h">Programming</h1>`, "<title>Programming: "}, []string{"Code source"}, 1},
		{"/en/tools?category=code", []string{"Programming <span"}, []string{"Code source"}, 1},
		{"/en/cemetery?category=code", []string{"<p>Closed.</p>"}, []string{"Fermé"}, 0}, // a name in a list of links has no label
		{"/outils/a", []string{"Il relit\u00a0: tout.", "<p>Début.</p>", ">Code source</a>"}, []string{"Programming", "It reads", "lang=\"fr\">Il"}, 0},
		{"/avis/a", []string{`<h2 id="ce-qui-marche">Ce qui marche</h2>`}, []string{"What works"}, 0},
		{"/comparatifs/a-ou-b", []string{"Match a-ou-b", "Plus sûr."}, []string{"Safer"}, 0},
		{"/outils/feu", []string{"Fermé."}, []string{"Closed"}, 0},
	} {
		r.Wants(t, x.path, x.says, append(x.silent, earlier))
		testkit.Equal(t, x.path+" says that a text is in French", strings.Count(r.Get(x.path).Body, inFrench), x.french)
	}
}

// When only the French changes, the English page says that it is of an earlier version, as long as that
// is so.
func TestEnglish_OfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	first := catalogtest.First(translated(), catalogtest.Edition(1))
	changed := catalogtest.Amend(first, func(c *catalog.Contents) {
		catalogtest.Written("Début !\n\n## Ce qui marche\n\nTout.\n\n## Prix\n\nCher.\n")(catalogtest.Find(c, "a"))
		c.Comparisons[0].Note += " Oui."
		c.Retired[0].Note += " Oui."
		c.Categories[0].Label += " ouvert"
	})
	r := sitetest.New(t, changed)
	paths := []string{
		"/en/tools/a", "/en/reviews/a", "/en/comparisons/a-ou-b", "/en/tools/feu", "/en/categories/code", "/en/tools/a.md",
		"/en/reviews/a.md", "/en/comparisons/a-ou-b.md", "/en/tools/feu.md",
	}
	for _, path := range paths {
		testkit.Equal(t, path, min(strings.Count(r.Get(path).Body, earlier), 1), 1)
	}
	for _, path := range []string{"/en/tools/b", "/outils/a", "/avis/a", "/comparatifs/a-ou-b", "/outils/feu", "/outils/a.md", "/avis/a.md"} {
		testkit.Equal(t, path, strings.Count(r.Get(path).Body, "earlier version")+strings.Count(r.Get(path).Body, "antérieure"), 0)
	}
	r.Swap(catalogtest.Amend(changed, func(c *catalog.Contents) {
		catalogtest.Translated("It reads", "A start!\n\n## What works\n\nAll.\n\n## Price\n\nDear.\n")(catalogtest.Find(c, "a"))
	}))
	testkit.Equal(t, "translated anew", strings.Count(r.Get("/en/reviews/a").Body, earlier), 0)
}

// Markdown says the same as the page that it is of.
func TestEnglish_Markdown(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, catalogtest.First(translated(), catalogtest.Edition(1)))
	for _, x := range []struct {
		path         string
		says, silent []string
		french       int
	}{
		{"/en/reviews/a.md", []string{"# Review: Outil a\n\nIt reads \\<all> : twice.", "- Category: Programming", "A start.\n\n## What works\n\nAll : twice."}, []string{"Début"}, 0},
		{"/en/reviews/b.md", []string{"# Review: Outil b\n\n" + inFrench + " Il attend.\n", "\n\n" + inFrench + "\n\n**Rien.**\n"}, nil, 2},
		{"/en/comparisons/a-ou-b.md", []string{"# A or B\n", "Safer \\& faster.\n\nBy far."}, []string{"Plus sûr"}, 1},
		{"/en/tools/feu.md", []string{"Closed.\n\nFor good."}, []string{"Fermé"}, 0},
		{"/en/tools/mort.md", []string{"Fermé."}, nil, 1},
		{"/avis/a.md", []string{"Début.", "Code source"}, []string{"What works"}, 0},
	} {
		body := r.Get(x.path).Body
		for _, s := range x.says {
			if !strings.Contains(body, s) {
				t.Errorf("%s does not say %q:\n%s", x.path, s, body)
			}
		}
		for _, s := range x.silent {
			if strings.Contains(body, s) {
				t.Errorf("%s says %q:\n%s", x.path, s, body)
			}
		}
		testkit.Equal(t, x.path+" says that a text is in French", strings.Count(body, inFrench), x.french)
	}
}
