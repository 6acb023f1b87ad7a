package site_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	files "github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// previewing reads the site as editors do.
func previewing(tb testing.TB, s *catalog.Snapshot) (*sitetest.Reader, *site.Preview) {
	tb.Helper()
	p := site.NewPreview(site.PreviewKeys{})
	return sitetest.New(tb, s, func(o *site.Options) { o.Preview = p }), p
}

const (
	bar    = `<aside class="file-faults`
	script = `<script src="/static/preview.`
)

func fault(n int, warning bool) files.Fault {
	return files.Fault{
		File: "tools/a.md", Line: n, Column: 3, Message: fmt.Sprintf("<b>message</b> %d", n), Warning: warning,
	}
}

func TestPreview_ShowsFaults(t *testing.T) {
	t.Parallel()
	r, p := previewing(t, catalogtest.Snapshot(catalogtest.Tool("a")))
	r.Check(t, []sitetest.Wanted{{Path: "/", Says: []string{script}, Silent: []string{bar}}})

	p.Show([]files.Fault{fault(1, true), fault(2, false)}, nil)
	r.Check(t, []sitetest.Wanted{
		{Path: "/tarifs", Says: []string{
			bar + ` broken" aria-label="Erreurs dans les fichiers"`, "<b>1 erreur</b>, 1 avertissement. Ces pages montrent",
			`<ul><li><code>tools/a.md:2</code> <span lang="en">&lt;b&gt;message&lt;/b&gt; 2</span></li>` + "\n" +
				`<li><code>tools/a.md:1</code> avertissement, <span lang="en">`,
		}, Silent: []string{"autre"}},
		{Path: "/en/plans", Says: []string{"<b>1 error</b>, 1 warning. These pages show the last error-free state", " warning, <span lang"}},
		{Path: "/nulle-part", Status: 404, Says: []string{bar, script}},
	})

	var many []files.Fault
	for n := range 20 {
		many = append(many, fault(n, n < 10))
	}
	p.Show(many, nil)
	r.Check(t, []sitetest.Wanted{{Path: "/", Says: []string{
		"<b>10 erreurs</b>, 10 avertissements.", "a.md:17<", "<li>et 12 autres : « palmares check »",
	}, Silent: []string{"a.md:18<", "a.md:1<"}}})

	p.Show(many[:2], nil)
	r.Check(t, []sitetest.Wanted{{Path: "/", Says: []string{bar + `" `, "<b>2 avertissements</b>."}, Silent: []string{"dernier état"}}})
	p.Show(nil, nil)
	r.Check(t, []sitetest.Wanted{{Path: "/", Silent: []string{bar}}})
}

// Before the first state without errors there is nothing but the faults.
func TestPreview_OfNothing(t *testing.T) {
	t.Parallel()
	r, p := previewing(t, catalog.Empty())
	p.Show([]files.Fault{fault(4, false)}, nil)
	nothing := []string{bar, "a.md:4<", script}
	r.Check(t, []sitetest.Wanted{
		{
			Path: "/outils", Says: append(nothing, "<title>Rien à montrer pour l'instant</title>"),
			Silent: []string{"dernier état", `class="logo"`, "Source :"},
		},
		{Path: "/en/comparisons/x?page=0", Says: append(nothing, "<h1 class=\"page-h\">Nothing to show yet")},
		{Path: "/nulle-part", Status: 404, Says: nothing},
		{Path: "/sitemap.xml", Status: 503},
		{Path: "/flux/prix.atom", Status: 503},
		{Path: "/og.png", Status: 503},
	})
}

// Nobody keeps the pages of a preview, and they show what was read last.
func TestPreview_PagesAreNotKept(t *testing.T) {
	t.Parallel()
	r, p := previewing(t, catalogtest.Fixture(t))
	first := r.Get("/")
	testkit.Equal(t, "Cache-Control", first.Header.Get("Cache-Control"), "no-cache")
	if !first.Says(`<meta name="robots" content="noindex">`) {
		t.Error("a search engine may index it")
	}
	testkit.Equal(t, "the same page", r.Get("/").Header.Get("Etag"), first.Header.Get("Etag"))
	p.Show(nil, nil)
	if r.Get("/").Header.Get("Etag") == first.Header.Get("Etag") {
		t.Error("the page has the version of files that were read before")
	}
	if _, pages := r.CacheStats(); pages != 0 {
		t.Errorf("%d pages are kept", pages)
	}
	if public := sitetest.Example(t).Get("/").Body; strings.Contains(public, "preview") {
		t.Error("readers get the page of editors")
	}
}

func TestPreview_ShowsDrafts(t *testing.T) {
	t.Parallel()
	draft := func(c *catalog.Comparison) { c.Draft, c.UpdatedAt, c.Title = true, "", "Essai <i>" }
	r, p := previewing(t, catalogtest.Snapshot(
		catalogtest.Tool("a", catalogtest.Named(sitetest.Hostile)), catalogtest.Tool("b"),
		catalogtest.Tool("c", catalogtest.In("image"), catalogtest.Unscored),
		catalogtest.Retired("d"), catalogtest.Comparison("a-b", "a", "b"),
	))
	p.Show(nil, []*catalog.Comparison{
		catalogtest.Comparison("a-c", "a", "c", draft), catalogtest.Comparison("b-d", "b", "d", draft),
		catalogtest.Comparison("b-gone", "b", "gone", draft),
	})
	const drafts, stamp = ">Brouillons</h2>", `<p class="stamp">Brouillon</p>`
	r.Check(t, []sitetest.Wanted{
		{Path: "/comparatifs", Says: []string{
			drafts, stamp, `href="/comparatifs/a-c">Essai &lt;i&gt;`, "1 comparatif<", `href="/comparatifs/b-d"`,
		}, Silent: []string{"b-gone"}},
		{Path: "/en/comparisons", Says: []string{">Drafts</h2>", `<p class="stamp">Draft</p>`, `href="/en/comparisons/a-c"`}},
		{Path: "/comparatifs?category=image", Says: []string{drafts, "/comparatifs/a-c"}, Silent: []string{"/comparatifs/b-d"}},
		{Path: "/comparatifs?page=2", Silent: []string{drafts}},
		{
			Path: "/comparatifs/a-c", Says: []string{stamp, "Seul l'aperçu montre cette page", "Pas encore noté", "Ce qui les sépare"},
			Silent: []string{"/api/v1/comparatifs", "Mis à jour", "cimetière :"},
		},
		{
			Path: "/comparatifs/b-d", Says: []string{stamp, "Feu d est au cimetière : en l'état", `href="/outils/d"`},
			Silent: []string{"/api/v1/comparatifs", "Ce qui les sépare", "Pas encore noté"},
		},
		{Path: "/comparatifs/b-gone", Status: 404},
		{Path: "/comparatifs/a-b", Silent: []string{stamp}, Says: []string{"/api/v1/comparatifs/a-b"}},
	})
	public := sitetest.New(t, r.Current())
	public.Check(t, []sitetest.Wanted{
		{Path: "/comparatifs", Silent: []string{drafts, "/a-c"}}, {Path: "/comparatifs/a-c", Status: 404},
	})
}
