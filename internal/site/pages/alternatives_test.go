package pages_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/sitetest"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
)

func TestAlternatives(t *testing.T) {
	t.Parallel()
	priced := func(price string) func(*catalog.Tool) { return catalogtest.Priced(catalog.Paid, price) }
	r := sitetest.New(t, catalogtest.Snapshot(
		catalogtest.Tool("a", catalogtest.Scored(800)),
		catalogtest.Tool("b", catalogtest.Named(sitetest.Hostile), catalogtest.Scored(825), priced("100 €/an")),
		catalogtest.Tool("c", catalogtest.Scored(800), priced("240 €/an"), func(t *catalog.Tool) { t.ICP = catalog.VibeCoder }),
		catalogtest.Tool("d", catalogtest.Scored(600), priced("5 €/image")),
		catalogtest.Tool("e", catalogtest.Unscored, catalogtest.Priced(catalog.Free, "0 €/mois")),
		catalogtest.Tool("solo", catalogtest.In("image")),
		catalogtest.Comparison("a-d", "a", "d"),
		catalogtest.Retired("x", func(x *catalog.Retired) { x.Name = sitetest.Hostile }),
		catalogtest.Retired("y", func(x *catalog.Retired) { x.Category = "vide" }),
	))
	r.Check(t, []sitetest.Wanted{
		{Path: "/alternatives/a", Says: []string{
			"Alternatives à Outil a</h1>", "<b>GET</b> /api/v1/tools?category=code<",
			`<tr class="first"><th scope="row" class="who"><a href="/outils/a">Outil a</a>`, "l'outil à remplacer",
			"&lt;b&gt;\"O'Reilly", "8,25</b><small>0,25 de plus<", "100 €/an<small>soit 8,33 € par mois</small><small>11,67 € de moins par mois<",
			"<small>même note<", "240 €/an<small>soit 20 € par mois</small><small>même prix<", "Créateurs sans code (vibe coders)<small>autre public<",
			"<small>2,0 de moins<", "5 €/image<small>autre unité de facturation<", `href="/comparatifs/a-d">Le face-à-face<`,
			"<small>pas de note à comparer<", "0 €/mois<small>ne coûte rien<", "Tout le monde<small>même public<", `href="/categories/code"`,
		}},
		{Path: "/alternatives/e", Says: []string{"n'est pas gratuit", "20 € de plus par mois"}},
		{Path: "/alternatives/solo", Says: []string{"c'est lui ou rien", `content="Outil solo n'a pas encore d'alternative`}, Silent: []string{"<table"}},
		{Path: "/alternatives/x", Says: []string{
			`<a href="/cimetiere" aria-current="page">`, `class="notice"`, "Que prendre à la place", "<b>GET</b> /api/v1/tools?category=code&amp;limit=12<", `href="/outils/d"`,
		}, Silent: []string{`class="first"`, "même public"}},
		{Path: "/alternatives/y", Says: []string{"il n'y a rien à prendre à la place"}, Silent: []string{"<table"}},
		{Path: "/en/alternatives/a", Says: []string{"Alternatives to Outil a</h1>", "€11.67 less a month", "different audience"}},
		{Path: "/en/alternatives/y", Says: []string{`<span lang="fr">Fermé.</span>`, "nothing to use instead"}},
		{Path: "/alternatives/nobody", Status: 404},
	})
}
