package site_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestHeaders(t *testing.T) {
	t.Parallel()
	r := sitetest.Example(t)
	for path, status := range map[string]int{
		"/": 200, "/en/": 200, "/tarifs": 200, "/en/plans": 200,
		"/nulle-part": 404, "/en/nowhere": 404, "/nulle-part/": 404, "//": 404,
	} {
		got := r.Get(path)
		testkit.Equal(t, path, got.Status, status)
		cache := "no-store"
		if status == http.StatusOK {
			cache = "s-maxage=3600, stale-while-revalidate=86400"
		}
		for name, want := range map[string]string{
			"Cache-Control":             cache,
			"Content-Type":              "text/html; charset=utf-8",
			"Referrer-Policy":           "strict-origin-when-cross-origin",
			"Set-Cookie":                "",
			"Strict-Transport-Security": "max-age=31536000",
			"Vary":                      "Accept-Encoding",
			"X-Content-Type-Options":    "nosniff",
		} {
			testkit.Equal(t, path+": "+name, got.Header.Get(name), want)
		}
		policy := got.Header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: the policy is %q", path, policy)
		}
		language := `<html lang="fr">`
		if strings.HasPrefix(path, "/en") {
			language = `<html lang="en">`
		}
		if !strings.Contains(got.Body, language) {
			t.Errorf("%s is not in its language: %s", path, got)
		}
	}
	below := sitetest.New(t, catalogtest.Fixture(t), func(o *site.Options) { o.Subdomains = true })
	testkit.Equal(t, "with subdomains", below.Get("/").Header.Get("Strict-Transport-Security"), "max-age=31536000; includeSubDomains")
	plain := sitetest.New(t, catalogtest.Fixture(t), func(o *site.Options) { o.BaseURL = "http://127.0.0.1" })
	testkit.Equal(t, "over http", plain.Get("/").Header.Get("Strict-Transport-Security"), "")
}

func TestMethods(t *testing.T) {
	t.Parallel()
	r := sitetest.Example(t)
	get, head := r.Get("/tarifs"), r.Do(http.MethodHead, "/tarifs")
	testkit.Equal(t, "HEAD", head.Status, 200)
	testkit.Equal(t, "the body of HEAD", head.Body, "")
	testkit.Equal(t, "the length", head.Header.Get("Content-Length"), get.Header.Get("Content-Length"))
	post := r.Do(http.MethodPost, "/tarifs")
	testkit.Equal(t, "POST", post.Status, 405)
	testkit.Equal(t, "what is allowed", post.Header.Get("Allow"), "GET, HEAD")
}

func TestTags(t *testing.T) {
	t.Parallel()
	r := sitetest.Example(t)
	first := r.Get("/tarifs", "Accept-Encoding", "gzip")
	testkit.Equal(t, "the encoding", first.Header.Get("Content-Encoding"), "gzip")
	tag := first.Header.Get("Etag")
	testkit.Equal(t, "a named tag", r.Get("/tarifs", "If-None-Match", tag, "Accept-Encoding", "gzip").Status, 304)
	testkit.Equal(t, "another tag", r.Get("/tarifs", "If-None-Match", `"x"`, "Accept-Encoding", "gzip").Status, 200)
	testkit.Equal(t, "the tag of an encoding that the client does not take", r.Get("/tarifs", "If-None-Match", tag).Status, 200)
	if other := r.Get("/tarifs").Header.Get("Etag"); other == tag {
		t.Error("two encodings have one tag")
	}
}

// Each page names its other language, which names it back, and the French one is the default.
func TestLanguages(t *testing.T) {
	t.Parallel()
	r := sitetest.Example(t)
	for _, pair := range [][2]string{{"/", "/en/"}, {"/tarifs", "/en/plans"}, {"/outils", "/en/tools"}} {
		links := []string{
			`<link rel="alternate" hreflang="fr" href="https://palmares.example` + pair[0] + `">`,
			`<link rel="alternate" hreflang="x-default" href="https://palmares.example` + pair[0] + `">`,
			`<link rel="alternate" hreflang="en" href="https://palmares.example` + pair[1] + `">`,
		}
		for _, path := range pair {
			page := r.Get(path).Body
			for _, want := range append(links, `<link rel="canonical" href="https://palmares.example`+path+`">`) {
				if !strings.Contains(page, want) {
					t.Errorf("%s has no %s", path, want)
				}
			}
		}
	}
}

// A page belongs to an edition and a day.
func TestPagesChangeWithTheEditionAndTheDay(t *testing.T) {
	t.Parallel()
	first := catalogtest.Fixture(t)
	r := sitetest.New(t, first)
	before := r.Get("/tarifs").Header.Get("Etag")
	testkit.Equal(t, "the same page", r.Get("/tarifs").Header.Get("Etag"), before)
	r.Swap(catalogtest.Amend(first, func(c *catalog.Contents) { c.Service.Name = "Autre nom" }))
	if after := r.Get("/tarifs"); after.Header.Get("Etag") == before || !after.Says("Autre nom") {
		t.Error("the page is that of the last edition")
	}
	bytes, pages := r.CacheStats()
	if pages != 1 || bytes == 0 {
		t.Errorf("%d pages in %d bytes are cached, want the one", pages, bytes)
	}
	r.Get("/journal")
	r.Advance(24 * time.Hour)
	testkit.EventuallyTrue(t, "the next day has its own pages, the popular one already", func() bool {
		_, pages := r.CacheStats()
		return pages == 1
	})
}

func TestBeforeTheFirstEdition(t *testing.T) {
	t.Parallel()
	got := sitetest.New(t, catalog.Empty()).Get("/")
	testkit.Equal(t, "the status", got.Status, 503)
	testkit.Equal(t, "when to come back", got.Header.Get("Retry-After"), "5")
}

var loaded = regexp.MustCompile(`(?:src|href)="(/static/[^"]+)"`)

// Files are kept for good under their hash. Another hash gets the file of this node, for once.
func TestStaticFiles(t *testing.T) {
	t.Parallel()
	r := sitetest.Example(t)
	found := loaded.FindAllStringSubmatch(r.Get("/").Body, -1)
	if len(found) < 4 {
		t.Fatalf("the page loads %v", found)
	}
	hash := regexp.MustCompile(`\.[a-z2-7]{12}\.`)
	for _, m := range found {
		path := m[1]
		got := r.Get(path)
		testkit.Equal(t, path, got.Status, 200)
		testkit.Equal(t, path, got.Header.Get("Cache-Control"), "public, max-age=31536000, immutable")
		other := r.Get(hash.ReplaceAllString(path, ".aaaaaaaaaaaa."))
		testkit.Equal(t, "another hash: the file", other.Body, got.Body)
		testkit.Equal(t, "another hash", other.Header.Get("Cache-Control"), "no-cache")
	}
	testkit.Equal(t, "no such file", r.Get("/static/other.css").Status, 404)
	script := r.Get("/static/site.js").Body
	if len(script) >= 2<<10 {
		t.Errorf("the script has %d bytes: it stays under 2 KB", len(script))
	}
}
