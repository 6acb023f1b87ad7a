package pages_test

import (
	"fmt"
	"testing"

	"github.com/palmares-hq/palmares/internal/sitetest"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
)

func TestCategory(t *testing.T) {
	t.Parallel()
	items := []any{
		catalogtest.Tool("a", catalogtest.Named(sitetest.Hostile), catalogtest.Scored(910)),
		catalogtest.Tool("b", catalogtest.Scored(500)), catalogtest.Tool("c", catalogtest.Unscored),
		catalogtest.Tool("d", catalogtest.Unscored, catalogtest.In("image")), catalogtest.Tool("g", catalogtest.In("voix")),
		catalogtest.Comparison("a-b", "a", "b"),
	}
	for i := range 5 {
		items = append(items, catalogtest.Retired(fmt.Sprint("z-", i)))
	}
	first := catalogtest.First(catalogtest.Contents(items...), catalogtest.Edition(1))
	sitetest.New(t, first).Check(t, []sitetest.Wanted{
		{Path: "/categories/code", Says: []string{
			`<h1 class="page-h">Code</h1>`, "En tête : &lt;b&gt;", "<b>GET</b> /api/v1/tools?category=code<",
			`outils suivis</dt><dd class="num">3<`, `>notés</dt><dd class="num">2<`, `<dd class="num">7,1<`,
			`au cimetière</dt><dd class="num">5<`, `<tr class="first"><td class="pos">1</td>`, `<td class="pos">2</td>`,
			"pas encore noté", "C'est la première édition", `href="/comparatifs/a-b"`, `href="/outils/z-2"`,
			`<a href="/outils?category=code">`, `<a href="/comparatifs?category=code">`, `<a href="/cimetiere?category=code">`,
		}, Silent: []string{`href="/outils/z-3"`, `<td class="pos">3</td>`}},
		{Path: "/categories/image", Says: []string{
			"Aucun outil de la catégorie n'a encore de note.", "Aucun outil de la catégorie n'est au cimetière.",
			`outil suivi</dt><dd class="num">1<`,
		}, Silent: []string{`class="first"`, "Face à face"}},
		{Path: "/categories/vide", Says: []string{"Aucun outil n'est suivi dans cette catégorie"}, Silent: []string{"<table", "n'a encore de note"}},
		{Path: "/en/categories/vide", Says: []string{`<span lang="fr">Catégorie sans outil</span>`, "No tool in this category"}},
		{Path: "/categories/x", Status: 404},
		{Path: "/en/categories/x", Status: 404},
	})

	// Moves are those since the first edition, of what is still there, newest first.
	s := catalogtest.Amend(first, func(c *catalog.Contents) {
		catalogtest.Find(c, "a").Price = "10 €/mois"
		catalogtest.Find(c, "b").Tagline = `"score":1,`
		catalogtest.Find(c, "c").Score = catalog.Hundredths(600)
		c.Tools = append(c.Tools, catalogtest.Tool("e", catalogtest.Scored(640)), catalogtest.Tool("f"))
	})
	s = catalogtest.Amend(s, func(c *catalog.Contents) {
		catalogtest.Find(c, "a").Price = "12 €/mois"
		catalogtest.Find(c, "b").Score = catalog.Hundredths(550)
		catalogtest.Find(c, "e").Score = catalog.Measure{}
		catalogtest.Find(c, "d").Category = "code"
		catalogtest.Retire(c, "f")
		c.Comparisons = append(c.Comparisons, catalogtest.Comparison("b-c", "b", "c"))
	})
	sitetest.New(t, s).Check(t, []sitetest.Wanted{
		{Path: "/categories/code", Says: []string{
			"passe à 12 €/mois", "+20 %", "10 €/mois jusqu'au 4 mars 2026",
			"Outil b</a> passe de 5,0 à 5,5 sur dix", "Outil c</a> reçoit sa note, 6,0 sur dix",
			"Outil e</a> entre au catalogue avec la note 6,4", "Outil e</a> n'a plus de note",
			"Match b-c</a> <br><span class=\"small dim\">comparatif paru le 4 mars 2026", `href="/outils/f">Outil f`,
		}, Silent: []string{"jusqu'au 3 mars", "Outil f</a> entre", "première édition", "Outil d</a> ", "20 €/mois jusqu'au"}},
		{Path: "/categories/image", Says: []string{"Aucun prix n'a changé", "Ni entrée, ni nouvelle note", "Aucun outil n'est suivi"}},
		{Path: "/categories/voix", Says: []string{"Outil g", "Ni entrée, ni nouvelle note"}},
		{Path: "/en/categories/code", Says: []string{
			"goes up to €12/month", "goes from 5.0 to 5.5", "on 4 March 2026", "no longer has a score",
		}},
	})
}
