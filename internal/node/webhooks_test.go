package node

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// troubles are the warnings and errors of a log, without those about settings, and without the line that
// asks for a migration: that is one of the node's, not of its jobs.
func troubles(log string) (told []string) {
	for line := range strings.Lines(log) {
		if (strings.Contains(line, `"level":"WARN"`) || strings.Contains(line, `"level":"ERROR"`)) && !strings.Contains(line, "; set PALMARES_") &&
			!strings.Contains(line, `run palmares migrate"}`) {
			told = append(told, line)
		}
	}
	return told
}

// A worker that starts while PostgreSQL is away, or before its schema, works as soon as it can,
// and so does one that loses its database. It says so once each time, and its end.
func TestWorker_WaitsForItsDatabase(t *testing.T) {
	t.Parallel()
	server, receiver := pgtest.NewServer(t), newReceiver(t)
	conn, err := pgx.Connect(t.Context(), server.URL())
	must(t, err)
	_, err = conn.Exec(t.Context(), `CREATE DATABASE late`)
	must(t, err)
	must(t, conn.Close(t.Context()))
	server.Stop()

	db := strings.Replace(server.URL(), "/postgres?", "/late?", 1)
	n := startRoles(t, []string{Worker}, db)
	from := 0
	// once waits for the end of a trouble, and wants both to be logged once since the last call.
	once := func() {
		t.Helper()
		n.readyz(http.StatusOK, "ready")
		n.metrics(map[string]float64{"palmares_jobs_running": 1})
		const began, ended = "webhooks are not delivered", "webhooks are delivered again"
		testkit.EventuallyTrue(t, ended, func() bool { return strings.Contains(n.log.String()[from:], ended) })
		log := n.log.String()[from:]
		from += len(log)
		if told := troubles(log); len(told) != 1 || !strings.Contains(told[0], began) ||
			strings.Count(log, ended) != 1 || strings.Index(log, began) > strings.Index(log, ended) {
			t.Errorf("the log of one trouble:\n%s", log)
		}
	}
	n.readyz(http.StatusServiceUnavailable, "jobs do not run: ")
	n.metrics(map[string]float64{"palmares_jobs_running": 0})
	server.Start()
	testkit.EventuallyGet(t, n.admin+"/readyz", func(a testkit.Response) bool { return strings.Contains(a.Body, "run palmares migrate") })
	_, err = postgres.Migrate(t.Context(), db, nil, nil)
	must(t, err)
	once()

	s := openServices(t, db)
	subscribe(t, s, receiver, "tool.created", "tool.updated")
	dir := testkit.CopyOf(t, exampleCatalog)
	publishDir(t, db, dir)
	receives(t, receiver, 43)
	for _, metric := range []string{"behind_events", "behind_seconds", "saturated_endpoints", "unreadable_endpoints", "pending"} {
		n.metrics(map[string]float64{"palmares_webhook_" + metric: 0})
	}

	server.Stop()
	n.readyz(http.StatusServiceUnavailable, "jobs do not run: ")
	time.Sleep(2 * time.Second) // River would log the same a dozen times
	server.Start()
	once()
	testkit.Edit(t, filepath.Join(dir, "tools", "archivette.md"), "trente ans", "quarante ans")
	publishDir(t, db, dir)
	receives(t, receiver, 44)
	// The receiver has the last request before the worker has its answer.
	testkit.EventuallyTrue(t, "attempts are counted", func() bool { return n.metric("palmares_webhook_attempts_total") >= 44 })
}

// The owner of an endpoint that is disabled because its receiver is gone gets one mail.
func TestWorker_TellsOwnersByMail(t *testing.T) {
	t.Parallel()
	db, receiver, mail := pgtest.Migrated(t), newReceiver(t), testkit.NewMailbox(t)
	receiver.Answer(func([]byte) (int, string) { return http.StatusGone, "" })
	id := subscribe(t, openServices(t, db), receiver)
	n := startRoles(t, []string{Worker}, db, "PALMARES_SMTP_URL="+mail.URL,
		"PALMARES_MAIL_FROM=Elsewhere <noreply@palmares.test>", "PALMARES_BASE_URL=https://banc.test")
	publishDir(t, db, fixtureCatalog)
	got := mail.Wait(t, "owner@example.org")
	n.stop() // ends when jobs have ended
	for _, want := range []string{id, "410 Gone", "https://banc.test/compte/webhooks/" + id, "Palmarès\nhttps://banc.test\n"} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("the mail lacks %q:\n%s", want, got.Text)
		}
	}
	testkit.Equal(t, "mails", len(mail.All("")), 1)
}

// A node without the role worker says that it has another secret, and serves all the same. A
// worker whose secret was lost shows how many endpoints wait for another.
func TestWorker_SecretsThatAreWrongOrLost(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	publishDir(t, db, fixtureCatalog)
	id := subscribe(t, openServices(t, db), newReceiver(t))
	lost := "PALMARES_SECRET=" + strings.Repeat("lost", 8)
	api, worker := startRoles(t, []string{API}, db, lost), startRoles(t, []string{Worker}, db, lost)
	api.ready()
	api.logs(webhook.ErrWrongSecret.Error())
	worker.readyz(http.StatusServiceUnavailable, "not all jobs run: "+webhook.ErrWrongSecret.Error())

	s := openServices(t, db, lost)
	if done, err := s.Reseal(t.Context(), true); err != nil || len(done.Unreadable) != 1 {
		t.Errorf("resealed by force: %+v, %v", done, err)
	}
	worker.ready() // by itself
	worker.metrics(map[string]float64{"palmares_webhook_unreadable_endpoints": 1})
	_, err := s.Endpoints.Rotate(t.Context(), account.Operator(), id, false)
	must(t, err)
	worker.metrics(map[string]float64{"palmares_webhook_unreadable_endpoints": 0})
}
