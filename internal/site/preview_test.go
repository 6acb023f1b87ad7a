package site_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	files "github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// previewing reads the site as editors do.
func previewing(tb testing.TB, s *catalog.Snapshot) (*reader, *site.Preview) {
	tb.Helper()
	p := site.NewPreview(site.PreviewKeys{})
	return newReader(tb, s, func(o *site.Options) { o.Preview = p }), p
}

const (
	bar    = `<aside class="faults`
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
	r.check(t, []wanted{{path: "/", says: []string{script}, silent: []string{bar}}})

	p.Show([]files.Fault{fault(1, true), fault(2, false)}, nil)
	r.check(t, []wanted{
		{path: "/tarifs", says: []string{
			bar + ` broken" aria-label="Fautes dans les fichiers"`, "<b>1 erreur</b>, 1 avertissement. Ces pages montrent",
			`<ul><li><code>tools/a.md:2</code> <span lang="en">&lt;b&gt;message&lt;/b&gt; 2</span></li>` + "\n" +
				`<li><code>tools/a.md:1</code> avertissement, <span lang="en">`,
		}, silent: []string{"autre"}},
		{path: "/en/plans", says: []string{"<b>1 error</b>, 1 warning. These pages show the last state", " warning, <span lang"}},
		{path: "/nulle-part", status: 404, says: []string{bar, script}},
	})

	var many []files.Fault
	for n := range 20 {
		many = append(many, fault(n, n < 10))
	}
	p.Show(many, nil)
	r.check(t, []wanted{{path: "/", says: []string{
		"<b>10 erreurs</b>, 10 avertissements.", "a.md:17<", "<li>et 12 autres : « palmares check »",
	}, silent: []string{"a.md:18<", "a.md:1<"}}})

	p.Show(many[:2], nil)
	r.check(t, []wanted{{path: "/", says: []string{bar + `" `, "<b>2 avertissements</b>."}, silent: []string{"dernier état"}}})
	p.Show(nil, nil)
	r.check(t, []wanted{{path: "/", silent: []string{bar}}})
}

// Before the first state without errors there is nothing but the faults.
func TestPreview_OfNothing(t *testing.T) {
	t.Parallel()
	r, p := previewing(t, catalog.Empty())
	p.Show([]files.Fault{fault(4, false)}, nil)
	nothing := []string{bar, "a.md:4<", script}
	r.check(t, []wanted{
		{
			path: "/outils", says: append(nothing, "<title>Rien à montrer pour l'instant</title>"),
			silent: []string{"dernier état", `class="logo"`, "Source :"},
		},
		{path: "/en/comparisons/x?page=0", says: append(nothing, "<h1 class=\"page-h\">Nothing to show yet")},
		{path: "/nulle-part", status: 404, says: nothing},
		{path: "/sitemap.xml", status: 503},
		{path: "/flux/prix.atom", status: 503},
		{path: "/og.png", status: 503},
	})
}

// Nobody keeps the pages of a preview, and they show what was read last.
func TestPreview_PagesAreNotKept(t *testing.T) {
	t.Parallel()
	r, p := previewing(t, catalogtest.Fixture(t))
	first := r.get("/")
	testkit.Equal(t, "Cache-Control", first.Header.Get("Cache-Control"), "no-cache")
	if !first.Says(`<meta name="robots" content="noindex">`) {
		t.Error("a search engine may index it")
	}
	testkit.Equal(t, "the same page", r.get("/").Header.Get("Etag"), first.Header.Get("Etag"))
	p.Show(nil, nil)
	if r.get("/").Header.Get("Etag") == first.Header.Get("Etag") {
		t.Error("the page has the version of files that were read before")
	}
	if _, pages := r.CacheStats(); pages != 0 {
		t.Errorf("%d pages are kept", pages)
	}
	if public := example(t).get("/").Body; strings.Contains(public, "preview") {
		t.Error("readers get the page of editors")
	}
}

func TestPreview_ShowsDrafts(t *testing.T) {
	t.Parallel()
	draft := func(c *catalog.Comparison) { c.Draft, c.UpdatedAt, c.Title = true, "", "Essai <i>" }
	r, p := previewing(t, catalogtest.Snapshot(
		catalogtest.Tool("a", catalogtest.Named(hostile)), catalogtest.Tool("b"),
		catalogtest.Tool("c", catalogtest.In("image"), catalogtest.Unscored),
		catalogtest.Retired("d"), catalogtest.Comparison("a-b", "a", "b"),
	))
	p.Show(nil, []*catalog.Comparison{
		catalogtest.Comparison("a-c", "a", "c", draft), catalogtest.Comparison("b-d", "b", "d", draft),
		catalogtest.Comparison("b-gone", "b", "gone", draft),
	})
	const drafts, stamp = ">Brouillons</h2>", `<p class="stamp">Brouillon</p>`
	r.check(t, []wanted{
		{path: "/comparatifs", says: []string{
			drafts, stamp, `href="/comparatifs/a-c">Essai &lt;i&gt;`, "1 comparatif<", `href="/comparatifs/b-d"`,
		}, silent: []string{"b-gone"}},
		{path: "/en/comparisons", says: []string{">Drafts</h2>", `<p class="stamp">Draft</p>`, `href="/en/comparisons/a-c"`}},
		{path: "/comparatifs?category=image", says: []string{drafts, "/comparatifs/a-c"}, silent: []string{"/comparatifs/b-d"}},
		{path: "/comparatifs?page=2", silent: []string{drafts}},
		{
			path: "/comparatifs/a-c", says: []string{stamp, "Seul l'aperçu montre cette page", "Pas encore noté", "Là où ils diffèrent"},
			silent: []string{"/api/v1/comparatifs", "Mis à jour", "cimetière :"},
		},
		{
			path: "/comparatifs/b-d", says: []string{stamp, "Feu d est au cimetière : en l'état", `href="/outils/d"`},
			silent: []string{"/api/v1/comparatifs", "Là où ils diffèrent", "Pas encore noté"},
		},
		{path: "/comparatifs/b-gone", status: 404},
		{path: "/comparatifs/a-b", silent: []string{stamp}, says: []string{"/api/v1/comparatifs/a-b"}},
	})
	public := newReader(t, r.Current())
	public.check(t, []wanted{
		{path: "/comparatifs", silent: []string{drafts, "/a-c"}}, {path: "/comparatifs/a-c", status: 404},
	})
}
