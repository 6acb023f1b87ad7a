package node

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/palmares-hq/palmares/internal/mcp"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// told waits until the cache was told of all editions.
func (r *running) told(edition int) {
	r.t.Helper()
	r.logs(fmt.Sprintf(`"msg":"the cache dropped what has changed","edition":%d,"pass":2`, edition))
	r.metrics(map[string]float64{"palmares_purge_lag_seconds": 0})
}

// A crowd asks for pages as one of many clients, so that none has used up its requests.
type crowd struct {
	t     *testing.T
	asked int
}

func (r *crowd) get(base, path string) testkit.Response {
	r.t.Helper()
	r.asked++
	from := fmt.Sprintf("127.80.%d.%d", r.asked/200, 1+r.asked%200)
	req, err := http.NewRequestWithContext(context.WithValue(r.t.Context(), sourceAddress{}, from), http.MethodGet, base+path, http.NoBody)
	must(r.t, err)
	a, err := testkit.Do(remote, req)
	must(r.t, err)
	return a
}

// served are the paths of what caches may keep: what links lead to, and what the API and the documents for programs have.
func served(t *testing.T, n *running) []string {
	t.Helper()
	paths := slices.DeleteFunc(slices.Collect(maps.Keys(n.crawl())), func(path string) bool { return strings.Contains(path, "?") }) // there are some of the API
	items := func(folder string) (slugs []string) {
		files, err := filepath.Glob(filepath.Join(fixtureCatalog, folder, "*.md"))
		must(t, err)
		for _, f := range files {
			slugs = append(slugs, strings.TrimSuffix(filepath.Base(f), ".md"))
		}
		return slugs
	}
	for _, slug := range items("tools") {
		paths = append(paths, "/api/v1/tools/"+slug, "/api/v1/pricing/"+slug, "/api/v1/facts/"+slug, "/outils/"+slug, "/en/tools/"+slug,
			"/outils/"+slug+".md", "/badges/"+slug+".svg")
	}
	for _, slug := range items("comparatifs") {
		paths = append(paths, "/api/v1/comparatifs/"+slug, "/comparatifs/"+slug)
	}
	for _, path := range []string{
		"tools", "tools?limit=3&page=2", "tools?category=code", "tools?sort=name_asc", "comparatifs", "comparatifs?limit=1", "pricing", "pricing?category=code",
		"cimetiere", "cimetiere?reason=mort", "facts", "endings", "findings", "categories", "stats", "changes?limit=1", "openapi.json",
		"export/tools.jsonl", "export/tools.csv", "export/datapackage.json",
	} {
		paths = append(paths, "/api/v1/"+path)
	}
	paths = append(paths, "/api/v1")
	paths = append(paths, mcp.DocumentPaths()...)
	slices.Sort(paths)
	return slices.Compact(paths)
}

// shared reports whether a cache keeps it for an hour.
func shared(a testkit.Response) bool {
	keep := a.Header.Get("Cache-Control")
	return strings.Contains(keep, "s-maxage") || keep == "public, max-age=3600"
}

// A cache in front is told what editions change: what it holds of them carried a tag that it was told, and then it has what the node
// has, while what did not change stays.
func TestPurge_OfVarnish(t *testing.T) {
	t.Parallel()
	if testkit.Raced {
		t.Skip("one reader looks at every page")
	}
	db, dir := pgtest.Migrated(t), testkit.CopyOf(t, fixtureCatalog)
	must(t, os.CopyFS(filepath.Join(dir, "pages"), os.DirFS(filepath.Join(exampleCatalog, "pages"))))
	publishDir(t, db, dir)
	settings := []string{"PALMARES_REDIS_URL=" + redistest.URL(t), "PALMARES_TRUSTED_PROXIES=127.0.0.1", "PALMARES_BASE_URL=https://banc.test"}
	n := startRoles(t, []string{API, Site}, db, append(settings, "PALMARES_PURGE_URL=http://127.0.0.1:1/")...)
	n.ready()
	varnish := startVarnish(t, "../../deploy/varnish/default.vcl", n.public)
	var mu sync.Mutex
	dropped := make(map[string]bool)
	told := between(t, varnish.url, httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		mu.Lock()
		defer mu.Unlock()
		for tag := range strings.FieldsSeq(r.In.Header.Get("Surrogate-Key")) {
			dropped[tag] = true
		}
	}})
	worker := func() *running {
		return startRoles(t, []string{Worker}, db, append(settings, "PALMARES_PURGE_URL="+told)...)
	}
	w := worker()
	w.told(1)
	type change struct {
		name  string
		edit  func()
		stays []string // what the cache still has
	}
	editions := []change{
		{
			"a price", func() { testkit.Edit(t, filepath.Join(dir, "tools/ame.md"), "5 €/mois", "6 €/mois") },
			[]string{"/api/v1/tools/zebre", "/api/v1/pricing/oeuvre", "/api/v1/cimetiere", "/api/v1/openapi.json", mcp.CardPath},
		},
		{
			"a comparison", func() { testkit.Edit(t, filepath.Join(dir, "comparatifs/eclair-ou-oeuvre.md"), "rapide", "vif") },
			[]string{"/api/v1/tools/eclair", "/api/v1/tools", "/api/v1/comparatifs/oeuvre-ou-zebre", "/api/v1/cimetiere"},
		},
		{"a tool that retires", func() {
			must(t, os.Remove(filepath.Join(dir, "tools/jumeau-b.md")))
			must(t, os.WriteFile(filepath.Join(dir, "cimetiere/jumeau-b.md"), []byte("---\nname: Jumeau B\ncategory: code\nreason: mort\nretired_at: 2026-01-02\n---\n\nFini.\n"), 0o600))
		}, []string{"/api/v1/tools/zebre"}},
		{"the name of the service", func() { testkit.Edit(t, filepath.Join(dir, "catalog.yaml"), "name: Palmarès", "name: Banc") }, nil},
		{"a category", func() { testkit.Edit(t, filepath.Join(dir, "categories.yaml"), "label: Image", "label: Images") }, nil},
		{"a page of the operator", func() {
			must(t, os.WriteFile(filepath.Join(dir, "pages/conditions.md"), []byte("Des mots.\n"), 0o600))
		}, nil},
	}
	every, looked := testkit.Size(3, 1), 0 // before a change lands a third of the paths, and all that must stay
	paths := slices.DeleteFunc(served(t, n), func(path string) bool {
		looked++
		return looked%every != 0 && !slices.ContainsFunc(editions, func(c change) bool { return slices.Contains(c.stays, path) })
	})
	client := &crowd{t: t}
	kept := make(map[string]testkit.Response) // with its tags, which the cache hides
	for _, path := range paths {
		kept[path] = client.get(n.public, path)
		client.get(varnish.url, path)
	}
	for edition, change := range editions {
		w.stop()
		mu.Lock()
		clear(dropped)
		mu.Unlock()
		change.edit()
		publishDir(t, db, dir)
		n.metrics(map[string]float64{"palmares_edition": float64(edition + 2)})
		w = worker()
		w.told(edition + 2)
		changed, found := 0, make(map[string]testkit.Response)
		for _, path := range paths {
			now := client.get(n.public, path)
			testkit.EventuallyTrue(t, "a file of this edition", func() bool { // that of the edition before is nobody's to keep
				if strings.HasPrefix(path, "/api/v1/export/") && !shared(now) {
					now = client.get(n.public, path)
					return false
				}
				return true
			})
			found[path] = now
			if now.Body != kept[path].Body && shared(kept[path]) || now.Status != kept[path].Status {
				changed++
				tags := strings.Fields(kept[path].Header.Get("Surrogate-Key"))
				if !slices.ContainsFunc(tags, func(tag string) bool { return dropped[tag] }) {
					t.Errorf("after %s %s is another; it had the tags %q, and %q were dropped", change.name, path, tags, slices.Sorted(maps.Keys(dropped)))
				}
			}
			if a := client.get(varnish.url, path); a.Body != now.Body && shared(kept[path]) {
				t.Errorf("after %s the cache still has the old %s", change.name, path)
			} else if stays := slices.Contains(change.stays, path); stays && !varnish.hit(a.Header) {
				t.Errorf("after %s the cache has dropped %s, which is as it was", change.name, path)
			}
		}
		kept = found
		t.Logf("after %s: %d of %d paths changed, %d tags dropped", change.name, changed, len(paths), len(dropped))
		if changed < 100/every {
			t.Errorf("after %s only %d paths have changed", change.name, changed)
		}
	}
	for _, path := range paths {
		a := client.get(n.public, path)
		if tags := a.Header.Get("Cache-Tag"); shared(a) && tags == "" || len(tags) > 512 || strings.ReplaceAll(tags, ",", " ") != a.Header.Get("Surrogate-Key") {
			t.Errorf("%s, %s: the tags are %q", path, a.Header.Get("Cache-Control"), tags)
		}
		if a := client.get(varnish.url, path); a.Header.Get("Cache-Tag") != "" || a.Header.Get("Surrogate-Key") != "" || a.Header.Get("xkey") != "" {
			t.Errorf("%s: the cache shows its tags: %v", path, a.Header)
		}
	}
}

// A cache that does not answer, or refuses, is told of by the log, by /readyz and by a metric, and told when it is back. The database
// may come late, too.
func TestPurge_OfACacheThatIsAway(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	publishDir(t, server.URL(), fixtureCatalog)
	var mu sync.Mutex
	status, asked := http.StatusForbidden, 0
	cache := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer a-secret-of-the-cache" {
			t.Errorf("it is asked with %v", r.Header)
		}
		asked++
		w.WriteHeader(status)
	}))
	t.Cleanup(cache.Close)
	file := filepath.Join(t.TempDir(), "token")
	must(t, os.WriteFile(file, []byte("a-secret-of-the-cache\n"), 0o600))
	server.Kill()
	n := startRoles(t, []string{API, Worker}, server.URL(), "PALMARES_PURGE_URL="+cache.URL, "PALMARES_PURGE_TOKEN_FILE="+file)
	n.logs("the cache was not told what has changed")
	server.Start()
	n.readyz(http.StatusOK, "ready, but the cache in front is not told what changes, and is out of date for an hour or longer: "+
		"the cache answers 403: it does not take PALMARES_PURGE_TOKEN")
	testkit.EventuallyTrue(t, "the lag grows", func() bool { return n.metric("palmares_purge_lag_seconds") > 0 })
	mu.Lock()
	status = http.StatusOK
	mu.Unlock()
	n.told(1)
	n.ready()
	testkit.EventuallyTrue(t, "nothing is missing", func() bool { return !strings.Contains(testkit.Get(t, n.admin+"/readyz").Body, "but") })
	if strings.Contains(n.log.String(), "a-secret-of-the-cache") {
		t.Error("the token is in the log")
	}
	server.Kill()
	testkit.EventuallyTrue(t, "the database is missed", func() bool { return strings.Count(n.log.String(), "the cache was not told") > 2 })
	server.Start()
	publishDir(t, server.URL(), sampleOf(t))
	n.told(2)
}

// sampleOf is the fixture with another price.
func sampleOf(t *testing.T) string {
	t.Helper()
	dir := testkit.CopyOf(t, fixtureCatalog)
	testkit.Edit(t, filepath.Join(dir, "tools/ame.md"), "5 €/mois", "6 €/mois")
	return dir
}
