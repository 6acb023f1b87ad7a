package site_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
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
	r := newReader(t, catalogtest.Snapshot(
		catalogtest.Tool("a", catalogtest.Named(hostile), catalogtest.Scored(910),
			written("Début.\n\n## Ce qui marche\n\n- **Tout** <script>\n\n## Verdict\n\nBon.\n\n## Prix\n\nCher.\n")),
		catalogtest.Tool("b", written("Début.\n\n## Verdict\n\nBon.\n\n## Prix\n\nCher.\n"), catalogtest.Unscored,
			func(t *catalog.Tool) { t.Embedded = true }),
		catalogtest.Tool("older", catalogtest.Reviewed("Un <i>.", "Deux.\n\nEncore.", "Trois.", "Quatre."), older),
		catalogtest.Tool("oldest", catalogtest.Reviewed("Un."), older, func(t *catalog.Tool) { t.Review.Sections = nil }),
		catalogtest.Tool("none"),
		catalogtest.Retired("x", func(x *catalog.Retired) { x.Name = hostile }),
	))
	r.check(t, []wanted{
		{path: "/avis/a", says: []string{
			"Avis sur &lt;b&gt;", `<article class="review">`, `id="resume"`, `<h2 id="ce-qui-marche">Ce qui marche</h2>`,
			"<strong>Tout</strong> &lt;script&gt;", `<nav class="box contents"`, `<a href="#ce-qui-marche">Ce qui marche</a>`,
			`>9,1 <span>/ 10</span>`, `>6,0 <span>/ 10</span>`, "<b>GET</b> /api/v1/tools/a<", `href="/outils/a"`, `href="/alternatives/a"`,
			`<link rel="canonical" href="https://palmares.example/avis/a">`,
		}, silent: []string{"<script>", "/api/embeddings/a"}},
		{path: "/avis/b", says: []string{"Pas encore de note", "/api/embeddings/b<", `<h2 id="verdict">`}, silent: []string{"contents", "/ 10<"}},
		{path: "/avis/older", says: []string{
			"sans ses listes ni ses liens", `<div id="resume"><p>Un &lt;i&gt;.</p>`, `<h2 id="partie-1">`, "<p>Deux.</p>\n<p>Encore.</p>",
			`<a href="#partie-3">`,
		}, silent: []string{`<a href="#resume">`}},
		{path: "/avis/oldest", says: []string{"ne contient pas encore le texte des avis"}},
		{path: "/avis/x", status: 410, says: []string{"L'avis sur &lt;b&gt;", `class="notice"`, "<p>Fermé.</p>", `href="/alternatives/x"`}},
		{path: "/avis/nobody", status: 404},
		{path: "/en/reviews/a", says: []string{"Review: &lt;b&gt;", `<article class="review" lang="fr">`, ">9.1 <", `<span lang="fr">Verdict</span>`}},
		{path: "/en/reviews/older", says: []string{`<p class="missing" lang="en">This edition is older`}},
		{path: "/en/reviews/x", status: 410, says: []string{"is gone</h1>"}},
	})
	for path, to := range map[string]string{"/avis/none": "/outils/none", "/en/reviews/none": "/en/tools/none"} {
		got := r.get(path)
		testkit.Equal(t, path, got.Status, 308)
		testkit.Equal(t, path, got.Header.Get("Location"), to)
	}
}
