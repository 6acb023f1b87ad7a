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

// A secret that is not the one of the database is told wherever it would matter, and the
// one before it still opens what it sealed.
func TestWebhooks_AWrongSecret(t *testing.T) {
	t.Parallel()
	a, h := newHooks(t), newHook(t)
	const wrong = "PALMARES_SECRET is not the one that the webhook secrets of this database are sealed with"
	id, signing := a.endpoint(h.url, "--vouch")
	with := func(settings ...string) *access { return &access{t, append(slices.Clone(a.environ), settings...)} }
	next := "PALMARES_SECRET=" + strings.Repeat("next", 8)
	other, both := with(next), with(next, "PALMARES_SECRET_PREVIOUS="+secret)
	for _, args := range [][]string{{"create", owner, anyEndpoint}, {"rotate", id}, {"test", id}, {"reseal"}} {
		other.refuses(wrong, append([]string{"webhook"}, args...)...)
	}
	if e := other.shown(id); e.State != "active" || e.Reason != "" {
		t.Errorf("%+v", e)
	}
	without := with("PALMARES_SECRET=") // what needs no secret asks for none
	without.says("hears of nothing more", "webhook", "disable", id)
	without.says("hears of what is published from now on", "webhook", "enable", id)
	without.run("webhook", "list", owner)

	worker := newWorker(t, other.environ)
	worker.notReady("jobs do not run: " + wrong)
	a.run("publish", copyOf(t, exampleCatalog))
	node := &node{process: start(t, append(slices.Clone(other.environ), "PALMARES_LISTEN=127.0.0.1:0"), "serve", "--roles", "api")}
	node.admin = node.address("admin")
	node.ready(time.Minute)
	node.await(0, wrong, time.Minute)

	both.run("webhook", "test", id)
	both.says("1 of 1 endpoints are sealed with PALMARES_SECRET, 1 of them anew\nPALMARES_SECRET_PREVIOUS is not needed any more", "webhook", "reseal")
	worker.running() // by itself
	a.delivered(id, 1)
	for _, r := range h.await(1) {
		r.signed(t, signing)
	}
	a.refuses(wrong, "webhook", "rotate", id)
	worker.once(0)
	worker.stop()

	// The secret is lost: what it sealed waits for a rotation.
	lost := with("PALMARES_SECRET=" + strings.Repeat("lost", 8))
	if errs := lost.refused("webhook", "reseal", "--force"); !strings.Contains(errs, "0 of 1 endpoints") || !strings.Contains(errs, "cannot be opened") {
		t.Errorf("reseal --force: %s", errs)
	}
	worker = newWorker(t, lost.environ)
	worker.running()
	eventually(t, worker.admin+"/metrics", time.Minute, says("\npalmares_webhook_unreadable_endpoints 1\n"))
	if e := lost.shown(id); e.State != "active" || !strings.Contains(e.Reason, "its secret cannot be opened") {
		t.Errorf("%+v", e)
	}
	lost.run("webhook", "rotate", id)
	if e := lost.shown(id); e.State != "active" || e.Reason != "" {
		t.Errorf("after a rotation: %+v", e)
	}
	worker.stop()
}
