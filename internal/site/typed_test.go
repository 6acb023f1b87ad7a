package site_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// What people type leads to the page that is meant, if there is one, and nowhere else.
func TestTyped(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, catalogtest.Snapshot(
		catalogtest.Tool("alpha"), catalogtest.Tool("beta"), catalogtest.Retired("gamma"), catalogtest.Comparison("alpha-vs-beta", "alpha", "beta"),
	))
	for path, to := range map[string]string{
		"/en": "/en/", "/en?lang=go": "/en/?lang=go", "/outils/": "/outils", "/en/tools/": "/en/tools", "/docs/": "/docs",
		"/outils/?category=code&page=2": "/outils?category=code&page=2", "/outils/?limit=x": "/outils?limit=x", "/outils/alpha/": "/outils/alpha",
		"/outils/gamma/": "/outils/gamma", "/comparatifs/alpha-vs-beta/": "/comparatifs/alpha-vs-beta", "/docs/demarrage/": "/docs/demarrage",
		"/statut/": "/statut", "/openapi.json": "/api/v1/openapi.json",
		"/outils%2F": "/outils", "/outils/?//evil.example": "/outils?//evil.example",
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			got := r.Do(method, path)
			testkit.Equal(t, path, got.Status, 308)
			testkit.Equal(t, path, got.Header.Get("Location"), to)
			testkit.Equal(t, path, got.Header.Get("Cache-Control"), "no-store")
			testkit.Equal(t, path, got.Body, "")
		}
		testkit.Equal(t, "POST "+path, r.Do(http.MethodPost, path).Status, 405)
	}
	for _, path := range []string{
		"//", "//outils/", "///", "//evil.example/", "//evil.example/..", "/%2Fevil.example/", "/outils//", "/outils/delta/", "/outils/alpha//",
		"/comparatifs/nope/", "/\\evil.example/", "/outils/../outils/", "/nulle-part/", "/en//", "/docs/nope/", "/./outils/", "/favicon.ico/",
	} {
		got := r.Get("http://palmares.example" + path)
		testkit.Equal(t, path, got.Status, 404)
		testkit.Equal(t, path, got.Header.Get("Location"), "")
	}
	testkit.Equal(t, "before the first edition", sitetest.New(t, catalog.Empty()).Get("/outils/alpha/").Status, 404)
	testkit.Equal(t, "before the first edition", sitetest.New(t, catalog.Empty()).Get("/en").Status, 308)
}

func TestTyped_Favicon(t *testing.T) {
	t.Parallel()
	r := sitetest.Example(t)
	got := r.Get("/favicon.ico")
	testkit.Equal(t, "the status", got.Status, 302)
	icon := r.Get(got.Header.Get("Location"))
	testkit.Equal(t, "the icon", icon.Header.Get("Content-Type"), "image/svg+xml")
	if !strings.Contains(r.Get("/").Body, `<link rel="icon" href="`+got.Header.Get("Location")) {
		t.Errorf("it is not that of pages: %s", got.Header.Get("Location"))
	}
}

// security.txt has the contact that pages have, and holds for less than a year.
func TestSecurity(t *testing.T) {
	t.Parallel()
	const path = "/.well-known/security.txt"
	with := func(contact, node string) *sitetest.Reader {
		s := catalogtest.Amend(catalogtest.Fixture(t), func(c *catalog.Contents) { c.Service.Words.Contact = catalog.Localized{French: contact} })
		return sitetest.New(t, s, func(o *site.Options) { o.Contact = node })
	}
	for _, w := range []struct{ catalog, node, want string }{
		{"redaction@example.org", "node@example.org", "mailto:redaction@example.org"},
		{"", "node@example.org", "mailto:node@example.org"},
		{"https://example.org/contact", "", "https://example.org/contact"},
		{"http://example.org/contact", "", ""},
		{"", "", ""},
	} {
		r := with(w.catalog, w.node)
		got := r.Get(path)
		if w.want == "" {
			testkit.Equal(t, "without a contact", got.Status, 404)
			continue
		}
		fields := make(map[string]string)
		for line := range strings.Lines(got.Body) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			fields[name] = value
		}
		testkit.Equal(t, "the type", got.Header.Get("Content-Type"), "text/plain; charset=utf-8")
		testkit.Equal(t, "the contact", fields["Contact"], w.want)
		testkit.Equal(t, "where it is", fields["Canonical"], sitetest.Own+path)
		testkit.Equal(t, "the languages", fields["Preferred-Languages"], "fr, en")
		expires, err := time.Parse(time.RFC3339, fields["Expires"])
		testkit.Must(t, err)
		if left := expires.Sub(r.Now()); left < 30*24*time.Hour || left > 364*24*time.Hour {
			t.Errorf("it holds for %v", left)
		}
		testkit.Equal(t, "its tag on the same day", r.Get(path, "If-None-Match", got.Header.Get("Etag")).Status, 304)
	}
}

// Scripts of other sites read what is made for programs, also when they have it already. Pages are
// for browsers.
func TestCORS(t *testing.T) {
	t.Parallel()
	r := sitetest.Example(t)
	tool := r.Current().Tools(catalog.ToolQuery{Paging: catalog.Paging{Page: 1, Limit: 1}}).Items[0].Slug
	for path, open := range map[string]bool{
		"/flux/prix.atom": true, "/llms.txt": true, "/en/llms.txt": true, "/docs/demarrage.md": true, "/docs.md": true, "/en/docs/api.md": true,
		"/badge/" + tool + ".svg?theme=dark": true, "/": false, "/outils/" + tool: false, "/statut": false,
	} {
		want := ""
		if open {
			want = "*"
		}
		got := r.Get(path, "Origin", "https://a.example")
		testkit.Equal(t, path, got.Status, 200)
		testkit.Equal(t, path, got.Header.Get("Access-Control-Allow-Origin"), want)
		testkit.Equal(t, "HEAD "+path, r.Do(http.MethodHead, path).Header.Get("Access-Control-Allow-Origin"), want)
		preflight := r.Do(http.MethodOptions, path, "Origin", "https://a.example", "Access-Control-Request-Headers", "if-none-match")
		testkit.Equal(t, "OPTIONS "+path, preflight.Header.Get("Access-Control-Allow-Origin"), want)
		if !open {
			testkit.Equal(t, "OPTIONS "+path, preflight.Status, 405)
			continue
		}
		testkit.Equal(t, "OPTIONS "+path, preflight.Status, 204)
		testkit.Equal(t, "OPTIONS "+path, preflight.Header.Get("Access-Control-Allow-Headers"), "If-None-Match")
		same := r.Get(path, "If-None-Match", got.Header.Get("Etag"))
		testkit.Equal(t, path+" again", same.Status, 304)
		testkit.Equal(t, path+" again", same.Header.Get("Access-Control-Allow-Origin"), "*")
	}
}
