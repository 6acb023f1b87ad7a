package docs_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/docs/guides"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

var (
	guideHeading = regexp.MustCompile(`<h([1-6])`)
	guideLink    = regexp.MustCompile(`<a [^>]*href="([^"]+)"`)
)

// Every guide is a page of its own in each language, whole and within its size. Its links lead
// somewhere, anchors included.
func TestGuides(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, catalogtest.Fixture(t), func(o *site.Options) {
		o.Accounts = true
	})
	for _, names := range guides.Names {
		french, english := "/docs/"+names[0], "/en/docs/"+names[1]
		for path, nav := range map[string]string{french: "Sur cette page", english: "On this page"} {
			page := r.Get(path)
			testkit.Equal(t, path, page.Status, 200)
			if len(page.Body) > 60_000 {
				t.Errorf("%s has %d bytes", path, len(page.Body))
			}
			for _, want := range []string{
				nav, `<link rel="canonical" href="` + sitetest.Own + path + `">`,
				`hreflang="fr" href="` + sitetest.Own + french + `"`, `hreflang="en" href="` + sitetest.Own + english + `"`,
				`<a href="` + path + `" aria-current="page">`, `<meta name="description" content="`,
				`<link rel="alternate" type="text/markdown" href="` + path + `.md">`,
			} {
				if !strings.Contains(page.Body, want) {
					t.Errorf("%s has no %s", path, want)
				}
			}
			_, body, _ := strings.Cut(page.Body, "<main")
			wantHeadings(t, path, body)
			follow(t, r, path, body)
			source := r.Get(path + ".md")
			testkit.Equal(t, path+".md", source.Header.Get("Content-Type"), "text/markdown; charset=utf-8")
			if !source.Says("# ") || strings.Contains(page.Body+source.Body, "{{") {
				t.Errorf("%s.md or its page is not filled in: %v", path, source)
			}
		}
	}
	for _, path := range []string{"/docs/quick-start", "/en/docs/demarrage", "/docs/nope", "/docs/nope.md", "/docs//"} {
		testkit.Equal(t, path, r.Get(path).Status, 404)
	}
	for path, reference := range map[string]string{"/docs": `<a href="/docs/api">`, "/en/docs": `<a href="/en/docs/api">`} {
		_, list, _ := strings.Cut(r.Get(path).Body, "<main")
		wantHeadings(t, path, list)
		for i, names := range guides.Names {
			link := `<h3><a href="` + path + "/" + names[min(len(path)-5, 1)] + `">`
			if at := strings.Index(list, link); strings.Count(list, link) != 1 || at < strings.Index(list, reference) {
				t.Errorf("%s: guide %d is not once in a group, after the reference", path, i)
			}
		}
	}
	testkit.Equal(t, "the index as Markdown", strings.Count(r.Get("/en/docs.md").Body, sitetest.Own+"/en/docs/"), len(guides.Names)+1)
}

// wantHeadings wants one title, first, and no level left out after it.
func wantHeadings(t *testing.T, path, body string) {
	t.Helper()
	last := "0"
	for i, m := range guideHeading.FindAllStringSubmatch(body, -1) {
		if (m[1] == "1") != (i == 0) || m[1][0] > last[0]+1 {
			t.Errorf("%s: a heading of level %s comes after one of level %s", path, m[1], last)
		}
		last = m[1]
	}
}

// follow wants the links of a guide to lead somewhere.
func follow(t *testing.T, r *sitetest.Reader, from, body string) {
	t.Helper()
	for _, m := range guideLink.FindAllStringSubmatch(body, -1) {
		to, anchor, _ := strings.Cut(m[1], "#")
		if to == "" {
			to = from
		}
		if strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "/api/") || strings.Contains(to, "/compte/") ||
			strings.Contains(to, "/account/") {
			continue // of others
		}
		if page := r.Get(to); page.Status != 200 || anchor != "" && !strings.Contains(page.Body, ` id="`+anchor+`"`) {
			t.Errorf("%s leads to %s: %v", from, m[1], page)
		}
	}
}

// What the operator and the catalog say goes into guides, and does no harm there.
func TestGuides_Values(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, catalogtest.Amend(catalogtest.Fixture(t), func(c *catalog.Contents) {
		c.Service.Name, c.Service.Words.Unsigned = sitetest.Hostile, true
	}))
	r.Check(t, []sitetest.Wanted{
		{Path: "/docs/demarrage", Says: []string{
			"Demandez à &lt;b&gt;\"O'Reilly &amp; Fils\"&lt;/b&gt; Donau", "curl</span> -s https://palmares.example/api/v1/stats",
			"tools_total\"</span>:15",
		}, Silent: []string{"Palmarès"}},
	})
	if source := r.Get("/docs/demarrage.md"); !source.Says(`Demandez à \<b\>"O'Reilly \& Fils"\</b\> Donau`) {
		t.Errorf("as Markdown: %v", source)
	}
	empty := sitetest.New(t, catalogtest.Snapshot())
	testkit.Equal(t, "without a tool", empty.Get("/docs/demarrage").Says("/api/v1/tools/exemple"), true)
}
