package pages_test

import (
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestReview(t *testing.T) {
	t.Parallel()
	written := func(markdown string) func(*catalog.Tool) {
		return func(t *catalog.Tool) {
			catalogtest.Reviewed("x")(t)
			catalogtest.Written(markdown)(t)
		}
	}
	older := func(t *catalog.Tool) { t.Review.Markdown = catalog.Markdown{} }
	r := sitetest.New(t, catalogtest.Snapshot(
		catalogtest.Tool("a", catalogtest.Named(sitetest.Hostile), catalogtest.Scored(910),
			written("Début.\n\n## Ce qui marche\n\n- **Tout** <script>\n\n## Verdict\n\nBon.\n\n## Prix\n\nCher.\n")),
		catalogtest.Tool("b", written("Début.\n\n## Verdict\n\nBon.\n\n## Prix\n\nCher.\n"), catalogtest.Unscored,
			func(t *catalog.Tool) { t.Embedded = true }),
		catalogtest.Tool("older", catalogtest.Reviewed("Un <i>.", "Deux.\n\nEncore.", "Trois.", "Quatre."), older),
		catalogtest.Tool("oldest", catalogtest.Reviewed("Un."), older, func(t *catalog.Tool) { t.Review.Sections = nil }),
		catalogtest.Tool("none"),
		catalogtest.Retired("x", func(x *catalog.Retired) { x.Name = sitetest.Hostile }),
	))
	r.Check(t, []sitetest.Wanted{
		{Path: "/avis/a", Says: []string{
			"Avis sur &lt;b&gt;", `<article class="review">`, `id="resume"`, `<h2 id="ce-qui-marche">Ce qui marche</h2>`,
			"<strong>Tout</strong> &lt;script&gt;", `<nav class="box contents"`, `<a href="#ce-qui-marche">Ce qui marche</a>`,
			`>9,1 <span>/ 10</span>`, `>6,0 <span>/ 10</span>`, "<b>GET</b> /api/v1/tools/a<", `href="/outils/a"`, `href="/alternatives/a"`,
			`<link rel="canonical" href="https://palmares.example/avis/a">`,
		}, Silent: []string{"<script>", "/api/embeddings/a"}},
		{Path: "/avis/b", Says: []string{"Pas encore de note", "/api/embeddings/b<", `<h2 id="verdict">`}, Silent: []string{"contents", "/ 10<"}},
		{Path: "/avis/older", Says: []string{
			"sans ses listes ni ses liens", `<div id="resume"><p>Un &lt;i&gt;.</p>`, `<h2 id="partie-1">`, "<p>Deux.</p>\n<p>Encore.</p>",
			`<a href="#partie-3">`,
		}, Silent: []string{`<a href="#resume">`}},
		{Path: "/avis/oldest", Says: []string{"Le texte des avis arrive avec la prochaine édition"}},
		{Path: "/avis/x", Status: 410, Says: []string{`<a href="/cimetiere" aria-current="page">`, "L'avis sur &lt;b&gt;", `class="notice"`, "<p>Fermé.</p>", `href="/alternatives/x"`}},
		{Path: "/avis/nobody", Status: 404},
		{Path: "/en/reviews/a", Says: []string{"Review: &lt;b&gt;", `<article class="review" lang="fr">`, ">9.1 <", `<span lang="fr">Verdict</span>`}},
		{Path: "/en/reviews/older", Says: []string{`<p class="missing" lang="en">Reviews in this edition are not formatted yet`}},
		{Path: "/en/reviews/x", Status: 410, Says: []string{"has been removed</h1>"}},
	})
	for path, to := range map[string]string{"/avis/none": "/outils/none", "/en/reviews/none": "/en/tools/none"} {
		got := r.Get(path)
		testkit.Equal(t, path, got.Status, 308)
		testkit.Equal(t, path, got.Header.Get("Location"), to)
	}
}

// The page of a tool says what its review comes to, under the headings that the review has.
func TestTool_ShowsTheVerdict(t *testing.T) {
	t.Parallel()
	written := func(markdown string) func(*catalog.Tool) {
		return func(t *catalog.Tool) {
			catalogtest.Reviewed("x")(t)
			catalogtest.Written(markdown)(t)
		}
	}
	var long strings.Builder
	for range 400 {
		long.WriteString("- un point de plus\n")
	}
	r := sitetest.New(t, catalogtest.Snapshot(
		catalogtest.Tool("a", written("Début.\n\n## Ce qui marche\n\n- **Tout** <script>\n\n## Limites\n\nRien.\n\n## Verdict\n\nBon ?\n")),
		catalogtest.Tool("b", written("Début.\n\n## Prix\n\nCher.\n")),
		catalogtest.Tool("c", written("Début.\n\n## Points forts\n\n"+long.String()), func(t *catalog.Tool) {
			t.Tested = catalog.Tested{By: "Ada <L.>", On: "2026-01-10"}
		}),
	))
	r.Check(t, []sitetest.Wanted{
		{Path: "/outils/a", Says: []string{
			`<div class="found"><h3>Verdict</h3><div class="review"><p>Bon ?</p>`, `<div><h3>Ce qui marche</h3>`, "<strong>Tout</strong> &lt;script&gt;",
			`<div><h3>Limites</h3><div class="review"><p>Rien.</p>`,
		}, Silent: []string{`id="verdict"`, "<script>"}},
		{Path: "/en/tools/a", Says: []string{`<h3><span lang="fr">Verdict</span></h3><div class="review" lang="fr">`}},
		{Path: "/outils/b", Says: []string{"<p>Début.</p>"}, Silent: []string{`class="found"`, `class="sides"`}},
		{Path: "/outils/a", Silent: []string{"Testé par"}},
		{Path: "/en/tools/c", Says: []string{"Tested by Ada &lt;L.&gt; on 10 January 2026"}},
		{Path: "/outils/c.md", Says: []string{"Testé par Ada"}},
		{Path: "/outils/c", Says: []string{"Testé par Ada &lt;L.&gt; le 10 janvier 2026", "Points forts</h3>", "…"}, Silent: []string{"<li></li>"}},
	})
	if n := strings.Count(r.Get("/outils/c").Body, "un point de plus"); n > 60 {
		t.Errorf("%d items of a long section are shown", n)
	}
}
