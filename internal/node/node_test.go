package node

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/generate"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestNode_FollowsPublications(t *testing.T) {
	t.Parallel()
	db, dir := pgtest.Migrated(t), testkit.CopyOf(t, fixtureCatalog)
	n := start(t, db, "PALMARES_BASE_URL=https://api.example.org/")
	n.readyz(http.StatusServiceUnavailable, "no catalog to serve: none has been published yet")
	if a := n.get("/api/v1/tools", ""); a.Status != http.StatusServiceUnavailable || a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("tools without a catalog: %v", a)
	}
	if a := testkit.Get(t, n.admin+"/livez"); !a.OK() {
		t.Errorf("a node that is not ready is alive, but livez says %v", a)
	}
	publishDir(t, db, dir)
	n.ready()
	a := n.get("/api/v1/tools/ame", "")
	if !a.Says(`"price":"5 €/mois"`) || a.Header.Get("X-Attribution") == "" || a.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("ame: %v", a)
	}
	if link := n.get("/api/v1/tools?limit=1", "").Header.Get("Link"); !strings.Contains(link, "<https://api.example.org/api/v1/tools?") {
		t.Errorf("links do not begin with PALMARES_BASE_URL: %s", link)
	}
	testkit.Edit(t, filepath.Join(dir, "tools/ame.md"), "5 €/mois", "6 €/mois")
	publishDir(t, db, dir)
	testkit.EventuallyGet(t, n.public+"/api/v1/tools/ame", func(a testkit.Response) bool { return a.Says(`"price":"6 €/mois"`) })
	n.metrics(map[string]float64{"palmares_edition": 2, "palmares_feed_connected": 1, "palmares_jobs_running": 1})
	if n.metric("palmares_http_requests_total") < 3 || n.metric("palmares_edition_fetch_seconds_count") != 2 {
		t.Error("requests or editions are not counted")
	}
}

// A node that ends is not ready any more but answers on, so that load balancers have time to
// notice; then it finishes what it has begun.
func TestNode_Drains(t *testing.T) {
	t.Parallel()
	db, dir := pgtest.Migrated(t), filepath.Join(t.TempDir(), "catalog")
	_, err := generate.Write(t.Context(), dir, generate.Options{Tools: 300})
	must(t, err)
	publishDir(t, db, dir)
	n := start(t, db, "PALMARES_DRAIN_DELAY=8s")                              // for what comes meanwhile, on a busy machine too
	key, _ := newKey(t, openServices(t, db), "slow@example.org", account.Pro) // it asks for more than a quota allows
	n.ready()
	n.get("/api/v1/stats", "") // from here on requests are counted

	// One client does not read what it asked for: far more than a connection's buffers hold, asked
	// for in one packet, so that nothing is left unread when the server closes, which would be a
	// reset. Another has sent half a request.
	slow := dial(t, n.PublicAddr)
	const asked = 60
	send(t, slow, strings.Repeat("GET /api/v1/tools?limit=200 HTTP/1.1\r\nHost: palmares\r\nAuthorization: Bearer "+key+"\r\n\r\n", asked))
	before := -1.0
	testkit.EventuallyTrue(t, "a request is stuck", func() bool {
		time.Sleep(100 * time.Millisecond)
		answered := n.metric("palmares_http_requests_total")
		stuck := answered == before && n.metric("palmares_http_requests_in_flight") == 1
		before = answered
		return stuck
	})
	half := dial(t, n.PublicAddr) // not before: a node waits ten seconds for the rest of a header
	send(t, half, "GET /api/v1/stats HTTP/1.1\r\nHost: palmares\r\n")
	n.cancel()
	n.readyz(http.StatusServiceUnavailable, "draining")
	send(t, half, "\r\n")
	if got := answers(t, half); got != 1 {
		t.Errorf("the request that was half sent got %d answers", got)
	}
	testkit.EventuallyTrue(t, "the listener is closed", func() bool {
		a, err := testkit.Fetch(n.public+"/api/v1/stats", testkit.Bearer(key))
		if err == nil && !a.OK() {
			t.Errorf("while draining: %v", a)
		}
		return err != nil
	})
	select {
	case <-n.ended:
		t.Fatal("it ended with a request in flight")
	case <-time.After(100 * time.Millisecond):
	}
	if got := answers(t, slow); got == 0 || got == asked {
		t.Errorf("the client that did not read got %d answers of %d: it was not held up", got, asked)
	}
	<-n.ended
}

func dial(t *testing.T, address net.Addr) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address.String())
	must(t, err)
	t.Cleanup(func() { c.Close() })
	must(t, c.SetDeadline(time.Now().Add(10*time.Minute)))
	return c
}

func send(t *testing.T, w io.Writer, text string) {
	t.Helper()
	_, err := io.WriteString(w, text)
	must(t, err)
}

// answers reads answers until the server closes the connection, and counts them. All must be
// whole, and good.
func answers(t *testing.T, r io.Reader) (n int) {
	t.Helper()
	for b := bufio.NewReader(r); ; n++ {
		if _, err := b.Peek(1); errors.Is(err, io.EOF) {
			return n
		}
		resp, err := http.ReadResponse(b, nil)
		if err != nil {
			t.Fatalf("answer %d: %v", n+1, err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("answer %d: %d %v", n+1, resp.StatusCode, err)
		}
	}
}

// A node that is restarted while PostgreSQL is gone serves its disk copies: the same bytes, to
// every key that was good. It goes on as before when PostgreSQL is back.
func TestNode_StartsFromItsDiskCopies(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	publishDir(t, server.URL(), fixtureCatalog)
	s := openServices(t, server.URL())
	used, _ := newKey(t, s, "used@example.org", account.Developer)
	unused, revoked := newKey(t, s, "unused@example.org", account.Pro)
	file := filepath.Join(t.TempDir(), "catalog.snapshot")
	setting := "PALMARES_SNAPSHOT_FILE=" + file
	n := start(t, server.URL(), setting)
	n.ready()
	late, _ := newKey(t, s, "late@example.org", account.Developer)
	n.wantStatus(late, http.StatusOK) // at once
	n.wantStatus(used, http.StatusOK)
	n.readyz(http.StatusOK, "ready")
	n.metrics(map[string]float64{"palmares_keys": 3, "palmares_jobs_running": 1, "palmares_snapshot_copy_edition": 1})
	if a := testkit.Get(t, n.admin+"/readyz"); a.Body != "ready" {
		t.Errorf("readyz: %v", a)
	}
	want := n.get("/api/v1/tools", "")
	n.stop() // ends when the copies are written

	server.Stop()
	n = start(t, server.URL(), setting)
	n.readyz(http.StatusOK, "ready, but jobs do not run: ")
	if got := n.get("/api/v1/tools", ""); got.Body != want.Body || got.Header.Get("Etag") != want.Header.Get("Etag") {
		t.Errorf("from the disk copy: %v", got)
	}
	for _, key := range []string{used, unused, late} {
		n.wantStatus(key, http.StatusOK)
	}
	n.wantStatus("plm_IUXqnZQVzC9cJZ0YQWqBvQbCkXhJ5n3Vr3Fz", http.StatusUnauthorized) // its checksum is wrong
	n.metrics(map[string]float64{
		"palmares_edition": 1, "palmares_feed_connected": 0, "palmares_keys_connected": 0, "palmares_jobs_running": 0,
	})
	if n.metric("palmares_keys_age_seconds") <= 0 {
		t.Error("keys that nobody can confirm have no age")
	}
	server.Start()
	n.metrics(map[string]float64{"palmares_keys_connected": 1, "palmares_feed_connected": 1, "palmares_jobs_running": 1})
	testkit.Eventually(t, func() error { return s.Accounts.RevokeKey(t.Context(), account.Operator(), revoked.ID) })
	testkit.EventuallyTrue(t, "the key is revoked", func() bool {
		return n.get("/api/v1/openapi.json", unused).Status == http.StatusUnauthorized
	})
	n.stop()

	// A copy that went bad is never served, and readyz says which and why.
	server.Stop()
	data, err := os.ReadFile(file)
	must(t, err)
	data[len(data)/2] ^= 1
	must(t, os.WriteFile(file, data, 0o600))
	n = start(t, server.URL(), setting)
	a := testkit.EventuallyGet(t, n.admin+"/readyz", func(a testkit.Response) bool {
		return strings.Contains(a.Body, file) && strings.Contains(a.Body, "connect")
	})
	if a.Status != http.StatusServiceUnavailable || !strings.Contains(a.Body, "the disk copy is corrupt") || !strings.Contains(a.Body, "checksum") {
		t.Errorf("with a corrupt copy and no database: %v", a)
	}
	if a := n.get("/api/v1/tools", ""); a.Status != http.StatusServiceUnavailable {
		t.Errorf("with a corrupt copy and no database: %v", a)
	}
	server.Start() // it serves, and mends its copy
	n.ready()
	n.stop()
	server.Stop()
	start(t, server.URL(), setting).ready()
}

// A node on a schema that it is too old for does not start; one that learns of it later serves
// its disk copy, follows nothing, and says why.
func TestNode_TooOldForItsDatabase(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	publishDir(t, server.URL(), fixtureCatalog)
	migrated := func(statement string) {
		t.Helper()
		conn, err := pgx.Connect(t.Context(), server.URL())
		must(t, err)
		defer conn.Close(context.WithoutCancel(t.Context()))
		_, err = conn.Exec(t.Context(), statement)
		must(t, err)
	}
	migrated(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (90000, true)`)
	setting := "PALMARES_SNAPSHOT_FILE=" + t.TempDir() + "/copy"
	n := start(t, server.URL(), setting)
	n.ready()
	n.metrics(map[string]float64{"palmares_snapshot_copy_edition": 1})
	n.stop()
	if warned := strings.Count(n.log.String(), "schema is newer than this program"); warned != 1 {
		t.Errorf("warned %d times of a newer schema, want once", warned)
	}
	migrated(`UPDATE schema_compatibility SET oldest = 90000`)
	const tooOld = "this program is too old for the database"
	var log testkit.Log
	_, err := New(t.Context(), Options{Environ: environ(server.URL()), Roles: []string{API}, Log: &log})
	if err == nil || !strings.Contains(err.Error(), tooOld+": its schema is at migration 90000") {
		t.Errorf("a start on a schema that needs a newer program: %v", err)
	}

	server.Stop()
	n = start(t, server.URL(), setting)
	without := start(t, server.URL())
	n.ready()
	server.Start()
	testkit.EventuallyGet(t, without.admin+"/readyz", func(a testkit.Response) bool { return !a.OK() && strings.Contains(a.Body, tooOld) })
	n.logs(`"msg":"no edition is followed any more"`)
	if a := n.get("/api/v1/tools", ""); !a.OK() || n.metric("palmares_feed_connected") != 0 {
		t.Errorf("a node with a disk copy: %v", a)
	}
	n.ready()
}

// What is wrong with the settings is said before anything runs.
func TestNew_Refuses(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer taken.Close()
	busy := taken.Addr().String() + " is taken by another program: choose another address with "
	for setting, want := range map[string]string{
		"PALMARES_LISTEN=" + taken.Addr().String():       busy + "PALMARES_LISTEN",
		"PALMARES_ADMIN_LISTEN=" + taken.Addr().String(): busy + "PALMARES_ADMIN_LISTEN",
		"PALMARES_SNAPSHOT_FILE=/nowhere/at/all":         "configuration:\nPALMARES_SNAPSHOT_FILE: there is no folder /nowhere/at: make it, or name another file",
		"PALMARES_SNAPSHOT_FILE=/dev/null/copy":          "configuration:\nPALMARES_SNAPSHOT_FILE: /dev/null is a file, not a folder: name another file",
		"PALMARES_SNAPSHOT_FILE=" + t.TempDir():          "is a folder: name a file",
		"PALMARES_TRUSTED_PROXIES=all":                   "configuration:\nPALMARES_TRUSTED_PROXIES: \"all\" is neither a network such as 10.0.0.0/8 nor an address such as 192.0.2.1",
		"PALMARES_WEBHOOK_NETWORKS=all":                  "configuration:\nPALMARES_WEBHOOK_NETWORKS: ",
		"PALMARES_REDIS_URL=http://x":                    "configuration:\n",
		"PALMARES_DATABASE_URL=postgres://x:y:z":         "PALMARES_DATABASE_URL cannot be read: write it as postgres://user:password@host:5432/palmares; its port is no number",
	} {
		n, err := New(t.Context(), Options{Environ: environ("postgres://127.0.0.1:1/palmares", setting), Roles: []string{API, Worker}, Log: io.Discard})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", setting, err, want)
		}
		if err == nil {
			must(t, n.Close())
		}
	}
	// What a start that failed had opened is closed.
	free := testkit.FreeAddress(t)
	settings := environ("postgres://127.0.0.1:1/palmares", "PALMARES_LISTEN="+free, "PALMARES_ADMIN_LISTEN="+taken.Addr().String())
	if _, err := New(t.Context(), Options{Environ: settings, Roles: []string{API}, Log: io.Discard}); err == nil {
		t.Error("it starts on an address that is taken")
	}
	again, err := net.Listen("tcp", free)
	must(t, err)
	must(t, again.Close())
}

// A node tells which build it is, warns of a trust that is too wide, and answers operators only
// under names that no web page can have.
func TestNode_TellsOperators(t *testing.T) {
	t.Parallel()
	n := start(t, "postgres://127.0.0.1:1/palmares", "PALMARES_TRUSTED_PROXIES=10.0.0.0/8,128.0.0.0/1", "PALMARES_LISTEM=x")
	for _, want := range []string{"a very large network, 128.0.0.0/1", "PALMARES_LISTEM", "set PALMARES_REDIS_URL", "set PALMARES_SNAPSHOT_FILE", "set PALMARES_SMTP_URL"} {
		n.logs(want)
		if got := strings.Count(n.log.String(), want); got != 1 {
			t.Errorf("%s is logged %d times", want, got)
		}
	}
	if strings.Contains(n.log.String(), `"10.0.0.0/8"`) {
		t.Error("it warns of a network that is not too wide")
	}
	if !regexp.MustCompile(`(?m)^palmares_build_info\{commit="c0ffee",go="go1[^"]*",version="test"\} 1$`).MatchString(testkit.Get(t, n.admin+"/metrics").Body) {
		t.Error("the metrics do not tell the build")
	}
	for host, status := range map[string]int{"localhost:9090": 200, "evil.example": http.StatusMisdirectedRequest} {
		a, err := testkit.Fetch(n.admin+"/livez", http.Header{"Host": {host}})
		if err != nil || a.Status != status {
			t.Errorf("as %s: %v %v, want %d", host, a, err, status)
		}
	}
}

// The roles of a node have their own parts, and a node without a surface is ready when its jobs
// run.
func TestNode_Roles(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	publishDir(t, db, fixtureCatalog)
	worker, api := startRoles(t, []string{Worker}, db), startRoles(t, []string{API}, db)
	worker.ready()
	api.ready()
	if worker.PublicAddr != nil {
		t.Errorf("a worker listens on %v", worker.PublicAddr)
	}
	for metric, of := range map[string]*running{
		"palmares_jobs_running": worker, "palmares_webhook_pending": worker,
		"palmares_edition": api, "palmares_keys": api, "palmares_quota_shared": api, "palmares_cache_bytes": api, "palmares_http_requests_in_flight": api,
	} {
		for _, n := range []*running{worker, api} {
			if has := strings.Contains(testkit.Get(t, n.admin+"/metrics").Body, "\n"+metric+" "); has != (n == of) {
				t.Errorf("%s is shown by the worker: %v", metric, n == worker)
			}
		}
	}
	if a := testkit.Get(t, api.admin+"/readyz"); a.Body != "ready" {
		t.Errorf("the role api alone: %v", a)
	}
}
