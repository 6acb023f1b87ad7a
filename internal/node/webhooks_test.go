package node

import (
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// troubles are the warnings and errors of a log, without those about settings.
func troubles(log string) (told []string) {
	for line := range strings.Lines(log) {
		if (strings.Contains(line, `"level":"WARN"`) || strings.Contains(line, `"level":"ERROR"`)) && !strings.Contains(line, "; set PALMARES_") {
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
	_, err = postgres.Migrate(t.Context(), db)
	must(t, err)
	once()

	s := services(t, db)
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
	if n.metric("palmares_webhook_attempts_total") < 44 {
		t.Error("attempts are not counted")
	}
}

// A mailbox is an SMTP server that remembers mail.
type mailbox struct {
	testkit.Log
	addr string
}

func newMailbox(t *testing.T) *mailbox {
	t.Helper()
	m := &mailbox{}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return m, nil }))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	m.addr = listener.Addr().String()
	var serving sync.WaitGroup
	serving.Go(func() { server.Serve(listener) })
	t.Cleanup(func() { server.Close(); serving.Wait() })
	return m
}

func (m *mailbox) Reset()                               {}
func (m *mailbox) Logout() error                        { return nil }
func (m *mailbox) Mail(string, *smtp.MailOptions) error { return nil }
func (m *mailbox) Rcpt(to string, _ *smtp.RcptOptions) error {
	_, err := io.WriteString(m, "TO "+to+"\n")
	return err
}
func (m *mailbox) Data(r io.Reader) error { _, err := io.Copy(m, r); return err }

// The owner of an endpoint that is disabled because its receiver is gone gets one mail.
func TestWorker_TellsOwnersByMail(t *testing.T) {
	t.Parallel()
	db, receiver, mail := pgtest.Migrated(t), newReceiver(t), newMailbox(t)
	receiver.Answer(func([]byte) (int, string) { return http.StatusGone, "" })
	id := subscribe(t, services(t, db), receiver)
	n := startRoles(t, []string{Worker}, db, "PALMARES_SMTP_URL=smtp://"+mail.addr, "PALMARES_MAIL_FROM=noreply@palmares.test")
	publishDir(t, db, fixtureCatalog)
	testkit.EventuallyTrue(t, "mail arrives", func() bool { return strings.Contains(mail.String(), "410 Gone") })
	n.stop() // ends when jobs have ended
	if got := mail.String(); strings.Count(got, "TO owner@example.org") != 1 || !strings.Contains(got, id) {
		t.Errorf("mail:\n%s", got)
	}
}

// A node without the role worker says that it has another secret, and serves all the same. A
// worker whose secret was lost shows how many endpoints wait for another.
func TestWorker_SecretsThatAreWrongOrLost(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	publishDir(t, db, fixtureCatalog)
	id := subscribe(t, services(t, db), newReceiver(t))
	lost := "PALMARES_SECRET=" + strings.Repeat("lost", 8)
	api, worker := startRoles(t, []string{API}, db, lost), startRoles(t, []string{Worker}, db, lost)
	api.ready()
	api.logs(webhook.ErrWrongSecret.Error())
	worker.readyz(http.StatusServiceUnavailable, "jobs do not run: "+webhook.ErrWrongSecret.Error())

	s := services(t, db, lost)
	if done, err := s.Reseal(t.Context(), true); err != nil || len(done.Unreadable) != 1 {
		t.Errorf("resealed by force: %+v, %v", done, err)
	}
	worker.ready() // by itself
	worker.metrics(map[string]float64{"palmares_webhook_unreadable_endpoints": 1})
	_, err := s.Endpoints.Rotate(t.Context(), account.Operator(), id, false)
	must(t, err)
	worker.metrics(map[string]float64{"palmares_webhook_unreadable_endpoints": 0})
}
