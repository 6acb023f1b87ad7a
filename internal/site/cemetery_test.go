package site_test

import (
	"fmt"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
)

func TestCemetery(t *testing.T) {
	t.Parallel()
	const noindex = `<meta name="robots" content="noindex">`
	items := []any{
		catalogtest.Retired("y", func(x *catalog.Retired) {
			x.Name, x.Reason, x.RetiredAt, x.Category = hostile, catalog.Pivoted, "2026-08-01", "image"
			x.Note = "Il vendait <i>.\n\nIl ne vend plus."
		}),
	}
	for i := range 50 {
		items = append(items, catalogtest.Retired(fmt.Sprintf("z-%02d", i)))
	}
	r := newReader(t, catalogtest.Snapshot(items...))
	r.check(t, []wanted{
		{path: "/cimetiere", silent: []string{noindex}, says: []string{
			"51 outils retirés", "<b>GET</b> /api/v1/cimetiere<", "<h2>2026</h2>", "<h2>2025</h2>",
			`<a href="/outils/y">&lt;b&gt;"O'Reilly`, `1er août 2026, <span class="low">Pivot</span>`,
			"<p>Il vendait &lt;i&gt;.</p><p>Il ne vend plus.</p>", `href="/cimetiere?page=2" rel="next"`,
			`<a href="/cimetiere" aria-current="true">Toutes les raisons`,
			`<a href="/cimetiere?reason=pivot">Pivot <span class="num">1</span>`,
			`<a href="/cimetiere?reason=acquis">Racheté <span class="num">0</span>`,
		}},
		{path: "/cimetiere?reason=mort&page=1", silent: []string{"O'Reilly", `category=image`}, says: []string{
			noindex, "50 outils retirés", "/api/v1/cimetiere?reason=mort<",
			`<a href="/cimetiere?reason=mort" aria-current="true">Mort`, `<a href="/cimetiere?category=code&amp;reason=mort">Code`,
		}},
		{path: "/cimetiere?page=2", says: []string{noindex, "/api/v1/cimetiere?page=2<", "z-49"}},
		{path: "/cimetiere?page=3", says: []string{"La liste s'arrête avant cette page", "Tout le cimetière"}},
		{path: "/cimetiere?reason=acquis", says: []string{"Aucun outil n'a été retiré pour cette raison."}},
		{path: "/cimetiere?category=vide", says: []string{"Aucun outil de cette catégorie n'a été retiré."}},
		{path: "/cimetiere?category=image&reason=mort", says: []string{"pour cette raison dans cette catégorie"}},
		{path: "/cimetiere?reason=ennui", status: 400, says: []string{`reason: "ennui" is not allowed`}},
		{path: "/en/cemetery?reason=pivot", says: []string{
			"1 retired tool<", `1 August 2026, <span class="low">Pivoted</span>`, `<span lang="fr">Il ne vend plus.</span>`,
		}},
	})
	none := newReader(t, catalogtest.Snapshot(catalogtest.Tool("a")))
	none.check(t, []wanted{
		{path: "/cimetiere", says: []string{"Personne. Aucun outil du catalogue"}, silent: []string{"Tout le cimetière"}},
		{path: "/en/cemetery", says: []string{"Nobody. No tool of the catalog"}},
	})
}
