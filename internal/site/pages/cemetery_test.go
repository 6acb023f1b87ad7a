package pages_test

import (
	"fmt"
	"testing"

	"github.com/palmares-hq/palmares/internal/sitetest"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
)

func TestCemetery(t *testing.T) {
	t.Parallel()
	const noindex = `<meta name="robots" content="noindex">`
	items := []any{
		catalogtest.Retired("y", func(x *catalog.Retired) {
			x.Name, x.Reason, x.RetiredAt, x.Category = sitetest.Hostile, catalog.Pivoted, "2026-08-01", "image"
			x.Note = "Il vendait <i>.\n\nIl ne vend plus."
		}),
	}
	for i := range 50 {
		items = append(items, catalogtest.Retired(fmt.Sprintf("z-%02d", i)))
	}
	r := sitetest.New(t, catalogtest.Snapshot(items...))
	r.Check(t, []sitetest.Wanted{
		{Path: "/cimetiere", Silent: []string{noindex}, Says: []string{
			"51 outils retirés", "<b>GET</b> /api/v1/cimetiere<", "Lignes de vie", "51 outils ont quitté le catalogue, dont ", "Les 24 plus récents sont dessinés",
			`<a href="/outils/z-00" tabindex="-1">`, "Autres options",
			`<a href="/outils/y">&lt;b&gt;"O'Reilly`, `1er août 2026, <span class="low">Reconverti</span>`,
			"<p>Il vendait &lt;i&gt;.</p><p>Il ne vend plus.</p>", `href="/cimetiere?page=2" rel="next"`,
			`<a href="/cimetiere">Toutes les raisons`,
			`<a href="/cimetiere?reason=pivot">Reconverti <span class="num">1</span>`,
			`<a href="/cimetiere?reason=acquis">Racheté <span class="num">0</span>`,
		}},
		{Path: "/cimetiere?reason=mort&page=1", Silent: []string{"O'Reilly", `category=image`}, Says: []string{
			noindex, "50 outils retirés", "/api/v1/cimetiere?reason=mort<",
			`<a href="/cimetiere?reason=mort" aria-current="true">Mort`, `<a href="/cimetiere?category=code&amp;reason=mort">Code`,
		}},
		{Path: "/cimetiere?page=2", Says: []string{noindex, "/api/v1/cimetiere?page=2<", "z-49"}},
		{Path: "/cimetiere?page=3", Says: []string{"La liste s'arrête avant cette page", "Tout le cimetière"}},
		{Path: "/cimetiere?reason=acquis", Says: []string{"Aucun outil n'a été retiré pour cette raison."}},
		{Path: "/cimetiere?category=vide", Says: []string{"Aucun outil de cette catégorie n'a été retiré."}},
		{Path: "/cimetiere?q=introuvable", Says: []string{"Aucun outil retiré ne répond à cette recherche.", "Tout le cimetière"}},
		{Path: "/en/cemetery?q=unfindable&reason=mort", Says: []string{"No retired tool matches this search."}},
		{Path: "/cimetiere?category=image&reason=mort", Says: []string{"pour cette raison dans cette catégorie"}},
		{Path: "/cimetiere?reason=ennui", Status: 400, Says: []string{"« reason » de l'adresse ne peut pas valoir « ennui »", `href="/cimetiere?reason=mort"`}},
		{Path: "/en/cemetery?reason=pivot", Says: []string{
			"1 retired tool<", `1 August 2026, <span class="low">Pivoted</span>`, `<span lang="fr">Il ne vend plus.</span>`,
		}},
	})
	none := sitetest.New(t, catalogtest.Snapshot(catalogtest.Tool("a")))
	none.Check(t, []sitetest.Wanted{
		{Path: "/cimetiere", Says: []string{"Personne. Aucun outil du catalogue"}, Silent: []string{"Tout le cimetière"}},
		{Path: "/en/cemetery", Says: []string{"Nobody. No tool in the catalogue"}},
	})
}
