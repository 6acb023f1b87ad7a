package preview

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/docs/guides"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// ownPreview runs a preview of the example, which is at palmares.example.
func ownPreview(t *testing.T, listen string) (*running, *Preview) {
	t.Helper()
	r := &running{t: t}
	p, err := New(t.Context(), Options{Dir: exampleCatalog, Listen: listen, Log: &r.log})
	must(t, err)
	_, err = p.Load(t.Context())
	must(t, err)
	r.run(p)
	return r, p
}

// Whatever a reader of a preview copies calls the preview, whoever he says that he asks.
func TestPreview_NamesItself(t *testing.T) {
	t.Parallel()
	r, _ := ownPreview(t, "127.0.0.1:0")
	get := func(path string) testkit.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.public+path, http.NoBody)
		must(t, err)
		req.Host = "elsewhere.example"
		page, err := testkit.Do(http.DefaultClient, req)
		must(t, err)
		if page.Status != http.StatusOK || page.Says("elsewhere.example") {
			t.Errorf("%s: %v", path, page)
		}
		return page
	}
	dead := regexp.MustCompile(`palmares\.example/(en/|api/|docs/|flux/|badge/|llms|sitemap|en$)`)
	paths := []string{
		"/", "/en/", "/outils", "/outils/tournevis", "/tarifs", "/docs.md", "/docs/api.md", "/docs/api/list-tools.md", "/llms.txt",
		"/robots.txt", "/sitemap.xml", "/flux/prix.atom", "/api/v1/openapi.json",
	}
	for _, names := range guides.Names {
		paths = append(paths, "/docs/"+names[0], "/docs/"+names[0]+".md", "/en/docs/"+names[1]+".md")
	}
	for _, path := range paths {
		if found := dead.FindString(get(path).Body); found != "" {
			t.Errorf("%s leads to %s", path, found)
		}
	}
	for path, want := range map[string]string{
		"/":                    r.public + "/api/v1/tools/",
		"/docs/demarrage.md":   "curl -s " + r.public + "/api/v1/stats",
		"/docs/api.md":         r.public,
		"/api/v1/openapi.json": `"servers": [{"url": "` + r.public + `",`,
		"/sitemap.xml":         r.public + "/outils/tournevis</loc>",
		"/outils/tournevis":    `<link rel="canonical" href="` + r.public + `/outils/tournevis">`,
	} {
		if page := get(path); !page.Says(want) {
			t.Errorf("%s does not name %s", path, want)
		}
	}
	if link := get("/api/v1/tools?limit=2").Header.Get("Link"); !strings.HasPrefix(link, "<"+r.public+"/api/v1/tools?") {
		t.Errorf("Link is %s", link)
	}
}

// On all addresses of a machine, this machine is one that works.
func TestPreview_OnEveryAddress(t *testing.T) {
	t.Parallel()
	r, p := ownPreview(t, ":0")
	_, port, _ := strings.Cut(strings.TrimPrefix(r.public, "http://[::]"), ":")
	if p.BaseURL() != "http://127.0.0.1:"+port {
		t.Errorf("on %s it calls itself %s", r.public, p.BaseURL())
	}
	if page := testkit.Get(t, p.BaseURL()+"/docs/demarrage.md"); !page.Says("curl -s " + p.BaseURL() + "/api/v1/stats") {
		t.Errorf("%v", page)
	}
}

var wholeKey = regexp.MustCompile(`plm_[0-9A-Za-z]{36}`)

// Pages that speak of keys have some that work, and say whose they are.
func TestPreview_ShowsItsKeys(t *testing.T) {
	t.Parallel()
	r, p := ownPreview(t, "127.0.0.1:0")
	for path, says := range map[string]string{
		"/tarifs": "clés de cet aperçu", "/en/plans": "preview’s keys", "/docs/demarrage": "clés de cet aperçu",
		"/docs/authentification": "clés de cet aperçu", "/en/docs/authentication": "preview’s keys",
		"/en/docs/embeddings": "preview’s keys", "/docs/quotas": "clés de cet aperçu", "/docs/synchronisation": "clés de cet aperçu",
		"/docs/api/list-embeddings": "clés de cet aperçu",
	} {
		page := r.get(path, "")
		if !page.Says(p.Developer.Reveal()) || !page.Says(p.Pro.Reveal()) || !page.Says(says) {
			t.Errorf("%s shows not both keys as those of the preview: %v", path, page)
		}
	}
	for _, path := range []string{"/docs/demarrage.md", "/docs/authentification.md", "/en/docs/quick-start.md", "/docs/api/list-embeddings.md"} {
		if page := r.get(path, ""); !page.Says("export KEY=" + p.Developer.Reveal() + "\n") {
			t.Errorf("%s has no key to paste: %v", path, page)
		}
	}
	for _, path := range []string{"/", "/outils", "/docs/cache", "/api/v1/openapi.json", "/llms.txt"} {
		if key := wholeKey.FindString(r.get(path, "").Body); key != "" {
			t.Errorf("%s shows the key %s", path, key)
		}
	}
}
