package main

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/pgtest"
)

// newWorker starts a node that only works on jobs.
func newWorker(t *testing.T, environ []string) *node {
	t.Helper()
	n := &node{process: start(t, environ, "serve", "--roles", "worker")}
	n.admin = n.address("admin")
	return n
}

// notReady wants the node not to be ready, for the reason.
func (n *node) notReady(reason string) {
	n.t.Helper()
	eventually(n.t, n.admin+"/readyz", time.Minute, func(a answer) bool {
		return a.status == http.StatusServiceUnavailable && strings.Contains(a.body, reason)
	})
	if running := n.metric("palmares_jobs_running"); running != 0 {
		n.t.Errorf("palmares_jobs_running is %v: %s", running, reason)
	}
}

// running wants the node to be ready and at its jobs.
func (n *node) running() {
	n.t.Helper()
	n.ready(time.Minute)
	if running := n.metric("palmares_jobs_running"); running != 1 {
		n.t.Errorf("palmares_jobs_running is %v on a worker that is ready", running)
	}
}

// troubles are the warnings and errors that the node printed after the mark.
func (n *node) troubles(mark int) (told []string) {
	n.t.Helper()
	for line := range strings.Lines(n.stderr.from(mark)) {
		if strings.Contains(line, `"msg":"no mail is sent`) {
			continue
		}
		if strings.Contains(line, `"level":"WARN"`) || strings.Contains(line, `"level":"ERROR"`) {
			told = append(told, line)
		}
	}
	return told
}

// A worker that starts while PostgreSQL is away, or before its schema, works as soon as
// it can, and so does one that loses its database. It says so once each.
func TestWorker_WaitsForItsDatabase(t *testing.T) {
	t.Parallel()
	server, h := pgtest.NewServer(t), newHook(t)
	conn, err := pgx.Connect(t.Context(), server.URL())
	must(t, err)
	_, err = conn.Exec(t.Context(), `CREATE DATABASE late`)
	must(t, err)
	must(t, conn.Close(t.Context()))
	server.Stop()

	a := &access{t, append(database(strings.Replace(server.URL(), "/postgres?", "/late?", 1)),
		"PALMARES_SECRET="+secret, "PALMARES_WEBHOOK_NETWORKS=127.0.0.0/8", "PALMARES_ADMIN_LISTEN=127.0.0.1:0")}
	n := newWorker(t, a.environ)
	n.notReady("jobs do not run: ")
	server.Start()
	n.notReady("run palmares migrate")
	a.run("migrate")
	n.running()
	n.once(0)

	a.run("account", "create", owner, "--plan", "pro")
	id, _ := a.endpoint(h.url, "--vouch")
	content := copyOf(t, exampleCatalog)
	a.run("publish", content)
	heard := a.delivered(id, 1)
	for _, metric := range []string{"behind_events", "behind_seconds", "saturated_endpoints", "pending"} {
		eventually(t, n.admin+"/metrics", time.Minute, says("\npalmares_webhook_"+metric+" 0\n"))
	}

	begun := n.stderr.mark()
	server.Stop()
	n.notReady("jobs do not run: ")
	time.Sleep(2 * time.Second) // River would say the same a dozen times
	server.Start()
	n.running()
	edit(t, filepath.Join(content, "tools", "archivette.md"), "trente ans", "quarante ans")
	a.run("publish", content)
	a.delivered(id, heard+1)
	n.once(begun)
	n.stop()
}

// once wants the end of a trouble to be told once, after the trouble itself, and nothing else.
func (n *node) once(mark int) {
	n.t.Helper()
	const again = "webhooks are delivered again"
	printed := n.await(mark, again, time.Minute)
	if told := n.troubles(mark); len(told) != 1 || !strings.Contains(told[0], "webhooks are not delivered") {
		n.t.Errorf("the trouble is told in %d lines:\n%s", len(told), strings.Join(told, ""))
	}
	if strings.Count(printed, again) != 1 || strings.Index(printed, "webhooks are not delivered") > strings.Index(printed, again) {
		n.t.Errorf("the end of it:\n%s", printed)
	}
}

// A node that answers requests is ready when it can, and says that its jobs do not run.
func TestServe_IsReadyWithoutItsJobs(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	palmares(t, database(server.URL()), "publish", fixtureCatalog)
	setting := "PALMARES_SNAPSHOT_FILE=" + filepath.Join(t.TempDir(), "catalog.snapshot")
	n := serve(t, server.URL(), setting)
	jobs := func(text string, running float64) {
		t.Helper()
		eventually(t, n.admin+"/readyz", time.Minute, func(a answer) bool { return ok(a) && strings.HasPrefix(a.body, text) })
		if got := n.metric("palmares_jobs_running"); got != running {
			t.Errorf("%s: palmares_jobs_running is %v", text, got)
		}
	}
	eventually(t, n.admin+"/readyz", time.Minute, func(a answer) bool { return ok(a) && a.body == "ready" })
	jobs("ready", 1)
	n.stop()
	server.Stop()
	n = serve(t, server.URL(), setting)
	jobs("ready, but jobs do not run: ", 0)
	server.Start()
	eventually(t, n.admin+"/readyz", time.Minute, func(a answer) bool { return ok(a) && a.body == "ready" })
	jobs("ready", 1)
	n.stop()
}

// delivered waits until an endpoint has that many deliveries at least, and all are made.
func (a *access) delivered(id string, least int) int {
	a.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		list := a.deliveries(id, "--limit", "1000")
		if len(list) >= least && !slices.ContainsFunc(list, func(d jsonDelivery) bool { return d.State != "delivered" }) {
			return len(list)
		}
		if time.Now().After(end) {
			a.Fatalf("%d deliveries, want %d: %+v", len(list), least, list)
		}
	}
}
