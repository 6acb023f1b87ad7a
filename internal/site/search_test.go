package site_test

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Pages with a query are kept by nobody, and four are made at a time: whoever comes next is told to come back, and other
// pages are not held up.
func TestSearch_IsNobodysToKeep(t *testing.T) {
	t.Parallel()
	r := sitetest.Example(t)
	const private, shared = "private, no-cache", "s-maxage=3600, stale-while-revalidate=86400"
	for path, want := range map[string]string{
		"/recherche": shared, "/recherche?q=": shared, "/recherche?q=code": private, "/en/search?q=code": private,
		"/outils?q=code": private, "/outils?price_max=20": shared, "/comparatifs?q=code": private, "/cimetiere?q=a": private,
		"/recherche?q=%F0%9F%92%A9": private, "/comparer": private, "/en/compare?tools=zebre": private,
	} {
		got := r.Get(path)
		testkit.Equal(t, path, got.Status, 200)
		testkit.Equal(t, path, got.Header.Get("Cache-Control"), want)
	}
	_, pages := r.CacheStats()
	for range 3 {
		r.Get("/recherche?q=code")
		r.Get("/outils?q=code&sort=name_asc")
		r.Get("/comparer?outils=oeuvre,zebre")
	}
	_, after := r.CacheStats()
	testkit.Equal(t, "pages that are kept", after, pages)

	var leave []func()
	for _, from := range []string{"192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"} {
		done, err := r.HoldSearch(t.Context(), netip.MustParseAddr(from))
		testkit.Must(t, err)
		leave = append(leave, done)
	}
	busy := r.Get("/recherche?q=image")
	testkit.Equal(t, "the fifth", busy.Status, 503)
	testkit.Equal(t, "when to come back", busy.Header.Get("Retry-After"), "2")
	testkit.Equal(t, "kept by", busy.Header.Get("Cache-Control"), "no-store")
	testkit.Equal(t, "tools side by side", r.Get("/comparer?outils=oeuvre,zebre").Status, 503)
	testkit.Equal(t, "a page without a query", r.Get("/prix").Status, 200)
	for _, done := range leave {
		done()
	}
	testkit.Equal(t, "afterwards", r.Get("/recherche?q=image").Status, 200)
	_, _, refused := r.SearchStats()
	testkit.Equal(t, "refused", refused, int64(2))
}

// The page shows the three lists together, the query in its field, and what to do when there is nothing.
func TestSearch_Page(t *testing.T) {
	t.Parallel()
	r := sitetest.Example(t)
	r.Check(t, []sitetest.Wanted{
		{Path: "/recherche?q=%C3%82ME", Says: []string{
			`value="ÂME"`, `href="/outils/ame"`, `href="/comparatifs/ame-ou-ame"`, "/api/v1/tools?q=ame",
		}},
		{Path: "/recherche?q=feu+piv", Says: []string{`value="feu piv"`, `href="/outils/feu-pivot"`}},
		{Path: "/recherche?q=zbere", Says: []string{"Rien ne porte exactement ces mots", `href="/outils/zebre"`}},
		{Path: "/en/search?q=zzzzzz", Says: []string{"Nothing in the catalogue matches “zzzzzz”", `href="/en/categories/code"`}},
		{Path: "/outils?q=code&price_max=20&score_min=8&category=code,chat", Says: []string{`value="code"`, `<option value="20" selected>`, "retirer ce filtre"}},
		{Path: "/outils?category=code", Says: []string{`Toutes <span class="n num">15<`}},
		{Path: "/outils?q=zzzzzz", Says: []string{"Aucun outil ne correspond"}, Silent: []string{`<span class="n num">`}},
		{Path: "/outils?price_max=20&category=code", Silent: []string{`<span class="n num">`}},
		{Path: "/outils?slugs=zebre,oeuvre&updated_since=2020-01-01", Says: []string{"2 outils choisis", "Mis à jour depuis"}},
	})
	hostile := r.Get("/en/search?q=" + url.QueryEscape(`"><script>alert(1)</script>`)).Body
	testkit.Equal(t, "markup in a query", strings.Contains(hostile, "<script>alert"), false)
	testkit.Equal(t, "noindex", strings.Contains(hostile, `content="noindex"`), true)
	testkit.Equal(t, "too long", r.Get("/recherche?q="+strings.Repeat("a", 101)).Status, 400)
	names := r.Get("/noms.json", "Accept-Encoding", "gzip")
	testkit.Equal(t, "names", names.Status, 200)
	if len(names.Body) > 60<<10 {
		t.Errorf("the names have %d bytes", len(names.Body))
	}
	testkit.Equal(t, "not in the sitemap", strings.Contains(r.Get("/sitemap-1.xml").Body, "/recherche<"), false)
}
