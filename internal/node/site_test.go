package node

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

var link = regexp.MustCompile(`(?:href|src)="(/[^"#]*)`)

// crawl follows the links from both front pages and gives every page by its path.
func (r *running) crawl() map[string]testkit.Response {
	r.t.Helper()
	const most = 3 // of one kind: lists have links to every order and part of them
	kinds := make(map[string]int)
	found, queue := make(map[string]testkit.Response), []string{"/", "/en/", "/sitemap.xml", "/robots.txt", "/llms.txt"}
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		u, err := url.Parse(strings.ReplaceAll(path, "&amp;", "&"))
		if _, seen := found[path]; err != nil || seen || strings.HasPrefix(path, "/api/") || kinds[kindOf(u)] >= most {
			continue
		}
		kinds[kindOf(u)]++
		page := r.get(strings.ReplaceAll(path, "&amp;", "&"), "")
		found[path] = page
		if !strings.HasPrefix(page.Header.Get("Content-Type"), "text/html") {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(page.Body, -1) {
			queue = append(queue, m[1])
		}
	}
	return found
}

// sized waits until the page of downloads shows the size of every file: a file that is late is left out.
func (r *running) sized() {
	r.t.Helper()
	testkit.EventuallyTrue(r.t, "the sizes of all files are shown", func() bool {
		page := r.get("/donnees", "")
		return page.OK() && !strings.Contains(page.Body, "en préparation")
	})
}

// A site needs no engine: with all of them down, a node that starts from its disk copy has every
// page that links lead to, byte for byte.
func TestSite_NeedsNoEngine(t *testing.T) {
	t.Parallel()
	if testkit.Raced {
		t.Skip("one reader looks at every page")
	}
	server := pgtest.NewServer(t)
	dir := t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS(fixtureCatalog)))
	must(t, os.CopyFS(filepath.Join(dir, "pages"), os.DirFS(filepath.Join(exampleCatalog, "pages"))))
	publishDir(t, server.URL(), dir)
	settings := []string{
		"PALMARES_SNAPSHOT_FILE=" + filepath.Join(t.TempDir(), "catalog.snapshot"),
		"PALMARES_REDIS_URL=redis://" + testkit.FreeAddress(t), "PALMARES_BASE_URL=https://banc.test",
	}
	n := startRoles(t, []string{Site}, server.URL(), settings...)
	n.ready()
	n.sized()
	want := n.crawl()
	for path, page := range want {
		switch page.Status {
		case http.StatusOK, http.StatusPermanentRedirect, http.StatusGone:
		default:
			t.Errorf("a link leads to %s: %v", path, page)
		}
	}
	if len(want) < 60 {
		t.Errorf("only %d pages found", len(want))
	}
	for path, says := range map[string]string{
		"/comment-nous-testons": "Nous achetons", "/en/how-we-test": "We buy the tool",
		"/confidentialite": "<td>90\u00a0jours</td>", "/en/legal": `class="logo drawn"`,
	} {
		if !strings.Contains(want[path].Body, says) {
			t.Errorf("%s does not say %q: %v", path, says, want[path])
		}
	}
	const status, lag = "/statut", "<dt>Retard</dt><dd>"
	if page := want[status].Body; !strings.Contains(page, "ne répond pas aux requêtes d’API") {
		t.Errorf("%s with engines: %v", status, want[status])
	}
	// The page that was read first may be from before the node knew.
	testkit.EventuallyTrue(t, "the status page knows of no lag", func() bool { return strings.Contains(n.get(status, "").Body, lag+"Aucun<") })
	testkit.Equal(t, "the API on a node without it", n.get("/api/v1/tools", "").Status, http.StatusNotFound)
	n.metrics(map[string]float64{"palmares_snapshot_copy_edition": 1})
	n.stop()
	server.Stop()

	n = startRoles(t, []string{Site}, server.URL(), settings...)
	n.ready()
	n.sized()
	got := n.crawl()
	testkit.Equal(t, "pages without engines", len(got), len(want))
	if page := got[status].Body; !strings.Contains(page, lag+"Inconnu<") {
		t.Errorf("%s without engines: %v", status, got[status])
	}
	for path, page := range got {
		if path == status || path == "/en/status" {
			continue // says what is so now
		}
		if page.Body != want[path].Body || page.Status != want[path].Status {
			t.Errorf("%s differs without engines: %v", path, page)
		}
	}
}
