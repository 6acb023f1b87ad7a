package machine_test

import (
	"encoding/xml"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/palmares-hq/palmares/docs/guides"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

const sitemapSpace = "http://www.sitemaps.org/schemas/sitemap/0.9"

// A sitemapFile is what sitemaps.org allows: a list of addresses or of files, each with its date,
// and no other element.
type sitemapFile struct {
	XMLName xml.Name
	Pages   []sitemapEntry `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 url"`
	Files   []sitemapEntry `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 sitemap"`
	Other   []sitemapEntry `xml:",any"`
}

type sitemapEntry struct {
	Loc     string         `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 loc"`
	Lastmod string         `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 lastmod"`
	Other   []sitemapEntry `xml:",any"`
}

func readSitemap(t *testing.T, r *sitetest.Reader, path, root string) []sitemapEntry {
	t.Helper()
	got := r.Get(path)
	testkit.Equal(t, path, got.Status, 200)
	testkit.Equal(t, path, got.Header.Get("Content-Type"), "application/xml; charset=utf-8")
	var f sitemapFile
	testkit.Must(t, xml.Unmarshal([]byte(got.Body), &f))
	testkit.Equal(t, "the root of "+path, f.XMLName, xml.Name{Space: sitemapSpace, Local: root})
	entries := slices.Concat(f.Pages, f.Files)
	if len(f.Pages) > 0 == (len(f.Files) > 0) || len(f.Other) > 0 || len(entries) > 50_000 || len(got.Body) > 50<<20 {
		t.Errorf("%s has %d pages, %d files and %d other elements in %d bytes", path, len(f.Pages), len(f.Files), len(f.Other), len(got.Body))
	}
	seen := make(map[string]bool)
	for _, e := range entries {
		if _, err := catalog.ParseDate(e.Lastmod); e.Lastmod != "" && err != nil || len(e.Other) > 0 || seen[e.Loc] {
			t.Fatalf("%s has the entry %+v", path, e)
		}
		seen[e.Loc] = true
	}
	if _, err := exec.LookPath("xmllint"); err == nil {
		lint := exec.CommandContext(t.Context(), "xmllint", "--noout", "-")
		lint.Stdin = strings.NewReader(got.Body)
		if out, err := lint.CombinedOutput(); err != nil {
			t.Errorf("xmllint: %s", out)
		}
	}
	return entries
}

func locs(entries []sitemapEntry) (all []string) {
	for _, e := range entries {
		all = append(all, e.Loc)
	}
	return all
}

// The sitemap has every page that is its own canonical address, in both languages, and no other.
func TestSitemap(t *testing.T) {
	t.Parallel()
	s := catalogtest.Snapshot(
		catalogtest.Tool("lu", catalogtest.Reviewed("Un avis.")), catalogtest.Tool("nu"), catalogtest.Retired("mort"),
		catalogtest.Comparison("lu-ou-nu", "lu", "nu"),
	)
	r := sitetest.New(t, s)
	entries := readSitemap(t, r, "/sitemap.xml", "urlset")
	var want []string
	for _, a := range address.All() {
		page := r.Get(a.French)
		html := strings.HasPrefix(page.Header.Get("Content-Type"), "text/html")
		passing := a == address.Status // what it says holds for a moment
		if page.Status == 200 && html && !passing && !strings.Contains(page.Body, "noindex") {
			want = append(want, a.French)
		}
	}
	if len(want) < 12 {
		t.Errorf("only %q may be found", want)
	}
	for _, names := range guides.Names {
		want = append(want, "/docs/"+names[0])
	}
	for _, o := range sitetest.Operations(t) {
		want = append(want, "/docs/api/"+o.Slug)
	}
	for _, c := range catalogtest.Categories() {
		want = append(want, "/categories/"+c.Slug)
	}
	want = append(want, "/comparatifs/lu-ou-nu", "/outils/lu", "/alternatives/lu", "/avis/lu", "/outils/nu",
		"/alternatives/nu", "/outils/mort", "/alternatives/mort")
	var french []string
	for _, e := range entries {
		path, ours := strings.CutPrefix(e.Loc, sitetest.Own)
		page := r.Get(path)
		if !ours || !page.Says(`<link rel="canonical" href="`+e.Loc+`">`) || strings.Contains(page.Body, "noindex") {
			t.Errorf("the sitemap has %s, which is no page to be found: %v", e.Loc, page)
		}
		if !strings.HasPrefix(path, "/en/") {
			french = append(french, path)
		}
	}
	testkit.Equal(t, "the pages in French", french, want)
	testkit.Equal(t, "all pages", len(entries), 2*len(want))
	tool, _ := s.Tool("lu")
	i := slices.Index(locs(entries), sitetest.Own+"/outils/lu")
	testkit.Equal(t, "when a tool changed", entries[i].Lastmod, string(tool.UpdatedAt))
	testkit.Equal(t, "a part of a sitemap that has none", r.Get("/sitemap-1.xml").Status, 404)
}

// What the catalog says to be elsewhere is for the sitemap of that site. The English page is here.
func TestSitemap_Elsewhere(t *testing.T) {
	t.Parallel()
	s := catalogtest.Amend(catalogtest.Fixture(t), func(c *catalog.Contents) {
		c.Service.Site.Comparison = "https://duels.example/{slug}"
	})
	r := sitetest.New(t, s, func(o *site.Options) { o.BaseURL = sitetest.Own })
	for _, loc := range locs(readSitemap(t, r, "/sitemap.xml", "urlset")) {
		if strings.HasPrefix(loc, sitetest.Own+"/comparatifs/") || !strings.HasPrefix(loc, sitetest.Own+"/") {
			t.Errorf("the sitemap has %s", loc)
		}
	}
	all := s.Comparisons(catalog.ComparisonQuery{Paging: catalog.Paging{Page: 1, Limit: 1}})
	if !slices.Contains(locs(readSitemap(t, r, "/sitemap.xml", "urlset")), sitetest.Own+"/en/comparisons/"+all.Items[0].Slug) {
		t.Error("the sitemap has no English page of a comparison")
	}
	odd := sitetest.New(t, s, func(o *site.Options) { o.BaseURL = "https://a.example/b&c" })
	testkit.Equal(t, "an address to escape", locs(readSitemap(t, odd, "/sitemap.xml", "urlset"))[0], "https://a.example/b&c/")
}

// 50,000 addresses are one file, 50,001 are two.
func TestSitemap_Split(t *testing.T) {
	t.Parallel()
	if testkit.Raced {
		t.Skip("50,000 addresses are made and read without the race detector")
	}
	// Thirteen lists, the guides, the operations and four categories in two languages, four pages of a
	// tool, one of a comparison.
	room := 50_000 - 2*(13+len(guides.Names)+len(sitetest.Operations(t))+4)
	tools := (room - 2) / 4
	c := catalogtest.Contents()
	c.Service.Site.Comparison = "https://duels.example/{slug}"
	for i := range tools {
		c.Tools = append(c.Tools, catalogtest.Tool(fmt.Sprintf("outil-%05d", i)))
	}
	for i := range room - 4*tools {
		c.Comparisons = append(c.Comparisons, catalogtest.Comparison(fmt.Sprintf("duel-%d", i), "outil-00000", "outil-00001"))
	}
	full := catalogtest.First(c, catalogtest.Edition(1))
	r := sitetest.New(t, full)
	testkit.Equal(t, "a full file", len(readSitemap(t, r, "/sitemap.xml", "urlset")), 50_000)

	more := catalogtest.Amend(full, func(c *catalog.Contents) {
		c.Comparisons = append(c.Comparisons, catalogtest.Comparison("duel-9", "outil-00000", "outil-00001"))
	})
	r.Swap(more)
	files := readSitemap(t, r, "/sitemap.xml", "sitemapindex")
	testkit.Equal(t, "the files", locs(files), []string{sitetest.Own + "/sitemap-1.xml", sitetest.Own + "/sitemap-2.xml"})
	// The new comparison is among the first, the last tool alone in the second.
	testkit.Equal(t, "when the first changed", files[0].Lastmod, string(more.Edition().Date()))
	testkit.Equal(t, "when the second changed", files[1].Lastmod, string(full.Edition().Date()))
	first, second := readSitemap(t, r, "/sitemap-1.xml", "urlset"), readSitemap(t, r, "/sitemap-2.xml", "urlset")
	testkit.Equal(t, "a full file", len(first), 50_000)
	testkit.Equal(t, "the rest", locs(second), []string{fmt.Sprintf("%s/en/alternatives/outil-%05d", sitetest.Own, tools-1)})
	for _, path := range []string{"/sitemap-0.xml", "/sitemap-3.xml", "/sitemap-01.xml", "/sitemap--1.xml", "/sitemap-.xml", "/outils.xml", "/1.xml"} {
		testkit.Equal(t, path, r.Get(path).Status, 404)
	}

	// A large file is kept compressed alone, and is the same for those who do not take that.
	plain := r.Get("/sitemap-1.xml")
	packed := r.Get("/sitemap-1.xml", "Accept-Encoding", "gzip")
	testkit.Equal(t, "the encoding", packed.Header.Get("Content-Encoding"), "gzip")
	z, err := gzip.NewReader(strings.NewReader(packed.Body))
	testkit.Must(t, err)
	unpacked, err := io.ReadAll(z)
	testkit.Must(t, err)
	if string(unpacked) != plain.Body {
		t.Error("the encodings differ")
	}
	testkit.Equal(t, "the length", plain.Header.Get("Content-Length"), fmt.Sprint(len(plain.Body)))
	testkit.Equal(t, "HEAD", r.Do("HEAD", "/sitemap-1.xml").Body, "")
	if bytes, pages := r.CacheStats(); pages != 3 || bytes > len(plain.Body) {
		t.Errorf("%d files take %d bytes of the cache, and one has %d", pages, bytes, len(plain.Body))
	}
}
