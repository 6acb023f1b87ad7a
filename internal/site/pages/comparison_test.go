package pages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/sitetest"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
)

func TestComparisons(t *testing.T) {
	t.Parallel()
	const noindex = `<meta name="robots" content="noindex">`
	items := []any{
		catalogtest.Tool("a", catalogtest.Named(sitetest.Hostile), catalogtest.Scored(910)),
		catalogtest.Tool("b", catalogtest.Unscored),
		catalogtest.Tool("c", catalogtest.In("image")),
		catalogtest.Comparison("c-b", "c", "b", func(c *catalog.Comparison) {
			c.Winner = "b"
			c.Note = strings.Repeat("mot ", 100) + "pour finir.\n\nLa fin."
		}),
	}
	for i := range 60 {
		items = append(items, catalogtest.Comparison(fmt.Sprintf("a-b-%02d", i), "a", "b"))
	}
	r := sitetest.New(t, catalogtest.Snapshot(items...))
	r.Check(t, []sitetest.Wanted{
		{Path: "/comparatifs", Silent: []string{noindex, "La fin"}, Says: []string{
			"<h1", "61 comparatifs", "<b>GET</b> /api/v1/comparatifs?limit=16<", `href="/comparatifs/a-b-00"`,
			`<span class="mark">&lt;b&gt;"O'Reilly &amp; Fils"&lt;/b&gt;`, `<b class="num">9,1</b>`, `<b class="num">–</b>`,
			`<a href="/comparatifs?category=image">Image`, `<a href="/comparatifs">Toutes`,
			`href="/comparatifs?page=2" rel="next"`,
		}},
		{Path: "/comparatifs?page=4", Says: []string{
			noindex, "/api/v1/comparatifs?limit=16&amp;page=4<", `rel="prev"`, "mot pour finir.</p>", `<span class="mark">Outil b</span>`,
		}},
		{Path: "/comparatifs?category=image&page=", Says: []string{
			noindex, "1 comparatif<", "/api/v1/comparatifs?category=image<", `href="/comparatifs/c-b"`,
			`<a href="/comparatifs?category=image" aria-current="true">Image`,
		}, Silent: []string{"a-b-00"}},
		{Path: "/comparatifs?category=vide", Says: []string{"Aucun comparatif ne porte encore", "Tous les comparatifs"}},
		{Path: "/comparatifs?q=introuvable", Says: []string{"Aucun comparatif ne répond à cette recherche.", "Tous les comparatifs"}},
		{Path: "/en/comparisons?q=unfindable", Says: []string{"No comparison matches this search."}},
		{Path: "/comparatifs?category=<x>", Says: []string{"category=%3Cx%3E"}},
		{Path: "/comparatifs?page=9", Says: []string{"La liste s'arrête avant cette page"}},
		{Path: "/comparatifs?limit=0", Status: 400, Says: []string{"un nombre entier de 1 à 200"}},
		{Path: "/en/comparisons", Says: []string{
			"61 comparisons", `<span lang="fr">Match a-b-00</span>`, `href="/en/comparisons/a-b-00"`,
		}},
	})
	none := sitetest.New(t, catalogtest.Snapshot(catalogtest.Tool("a")))
	none.Check(t, []sitetest.Wanted{
		{Path: "/comparatifs", Says: []string{"Aucun comparatif n'est encore paru"}, Silent: []string{"Tous les"}},
		{Path: "/en/comparisons", Says: []string{"No comparison has been published yet"}},
	})
}

func TestComparison(t *testing.T) {
	t.Parallel()
	priced := func(price string) func(*catalog.Tool) { return catalogtest.Priced(catalog.Paid, price) }
	r := sitetest.New(t, catalogtest.Snapshot(
		catalogtest.Tool("a", catalogtest.Named(sitetest.Hostile), catalogtest.Scored(910), catalogtest.Reviewed("x"), func(t *catalog.Tool) {
			t.ICP, t.Obsolescence = catalog.VibeCoder, catalog.Hundredths(325)
		}),
		catalogtest.Tool("b", priced("180 €/an")),
		catalogtest.Tool("c", priced("30 €/siège"), catalogtest.Unscored, catalogtest.In("image")),
		catalogtest.Tool("d", catalogtest.Priced(catalog.Free, "0 €/mois")),
		catalogtest.Tool("e", priced("240 €/an"), catalogtest.Scored(704)), catalogtest.Tool("f", priced("20 €/mois")),
		catalogtest.Comparison("a-b", "a", "b", func(c *catalog.Comparison) {
			c.Title, c.Note = "A ou B : lequel ?", "Parce que.\n\nEt voilà <i>."
		}),
		catalogtest.Comparison("b-c", "b", "c"), catalogtest.Comparison("c-d", "c", "d"),
		catalogtest.Comparison("e-f", "e", "f"), catalogtest.Comparison("f-f", "f", "f"),
	))
	r.Check(t, []sitetest.Wanted{
		{Path: "/comparatifs/a-b", Says: []string{
			"<title>A ou B : lequel ? | ", "<b>GET</b> /api/v1/comparatifs/a-b<", `<a href="/categories/code">Code</a>`,
			`<span class="mark">&lt;b&gt;"O'Reilly`, "<p>Parce que.</p>", "<p>Et voilà &lt;i&gt;.</p>",
			`href="/avis/a"`, `href="/alternatives/b"`, `href="/comparatifs/b-c"`,
			`<b class="mark">9,1</b>`, ` : 2,1 de plus</small>`, `Fraîcheur<small>Outil b : 1,2 de plus</small>`,
			`<b>20 €/mois</b>`, `<b class="mark">180 €/an</b>`, "Outil b : 5 € de moins par mois", "Créateurs sans code (vibe coders)",
			"Vérifiabilité<small>à égalité</small>", "ils se valent : formule, catégorie.", "Mis à jour le 20 janvier 2026",
		}, Silent: []string{`href="/avis/b"`, `href="/comparatifs/a-b"><`}},
		{Path: "/comparatifs/b-c", Says: []string{
			"Pas encore noté", "mesuré pour un seul des deux", "autre unité de facturation", "<b>Image</b>",
		}},
		{Path: "/comparatifs/c-d", Says: []string{"Outil d : ne coûte rien"}},
		{Path: "/comparatifs/e-f", Says: []string{">même prix</small>", `<b class="mark">7,0</b>`, "Outil e : un rien de plus", "<b>240 €/an</b>", "<b>20 €/mois</b>"}},
		{Path: "/comparatifs/f-f", Says: []string{"rien ne les sépare"}, Silent: []string{"<table class=\"duel"}},
		{Path: "/en/comparisons/a-b", Says: []string{
			`<span lang="fr">A ou B : lequel ?</span>`, "€5 less a month", "€180/year", "Scores, prices and verdict", "Updated on 20 January 2026",
		}},
		{Path: "/comparatifs/x", Status: 404, Says: []string{"Rien à cette adresse"}},
		{Path: "/en/comparisons/x", Status: 404, Says: []string{"Nothing here"}},
	})
	only := sitetest.New(t, catalogtest.Snapshot(catalogtest.Tool("a"), catalogtest.Tool("b"), catalogtest.Comparison("a-b", "a", "b")))
	only.Check(t, []sitetest.Wanted{{Path: "/comparatifs/a-b", Says: []string{"C'est le seul comparatif"}}})
}
