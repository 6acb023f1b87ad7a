package workers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	build "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/digest"
	"github.com/palmares-hq/palmares/internal/mail/mailbox"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A moodyServer is a mail server that answers by the mailbox: gone@ is refused for good, busy@ the first time, and to
// mute@ it says nothing once it has the message.
type moodyServer struct {
	at string

	mu    sync.Mutex
	tried map[string]int
	texts map[string][]mailbox.Message
}

func newMoodyServer(t *testing.T) *moodyServer {
	t.Helper()
	s := &moodyServer{tried: make(map[string]int), texts: make(map[string][]mailbox.Message)}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.Must(t, err)
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) { return &moodySession{moodyServer: s, conn: c}, nil }))
	server.ErrorLog = quiet{}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) })
	t.Cleanup(func() { _ = server.Close(); serving.Wait() })
	s.at = "smtp://" + listener.Addr().String() + "?tls=none"
	return s
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}

type moodySession struct {
	*moodyServer
	conn *smtp.Conn
	name string
}

func (*moodySession) Reset()                               {}
func (*moodySession) Logout() error                        { return nil }
func (*moodySession) Mail(string, *smtp.MailOptions) error { return nil }

func (s *moodySession) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.name, _, _ = strings.Cut(to, "@")
	s.tried[s.name]++
	switch {
	case s.name == "gone":
		return &smtp.SMTPError{Code: 550, Message: "no mailbox " + to}
	case s.name == "busy" && s.tried[s.name] == 1:
		return &smtp.SMTPError{Code: 451, Message: "later, " + to}
	}
	return nil
}

func (s *moodySession) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	m, err := mailbox.Parse(raw)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.texts[s.name] = append(s.texts[s.name], m)
	if s.name == "mute" {
		_ = s.conn.Conn().Close()
	}
	return err
}

func (s *moodyServer) mails(name string) []mailbox.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.texts[name]
}

// day publishes prices a day later, and sends what is due an hour after six.
func (f *following) day(s *digestSender, edits ...func(*catalog.Contents)) error {
	f.Helper()
	f.now = time.Date(2026, 3, f.now.Day()+1, 5, 0, 0, 0, time.UTC)
	f.publish(edits...)
	testkit.Must(f, s.read(f.Context()))
	f.now = f.now.Add(2 * time.Hour)
	return f.send(s)
}

func (f *following) send(s *digestSender) (err error) {
	f.Helper()
	for pause := time.Duration(0); pause == 0; {
		var failed error
		pause, failed = s.sendDue(f.Context())
		err = errors.Join(err, failed)
	}
	return err
}

func (f *following) sender(at string) *digestSender {
	f.Helper()
	s, err := senderOfDigests(f.db, at, func() time.Time { return f.now })
	testkit.Must(f, err)
	return s
}

// What a mail server answers decides: it is tried again only if the server certainly has not accepted the digest, and
// three refusals end it, until the owner turns it on again.
func TestDigests_Outcomes(t *testing.T) {
	t.Parallel()
	f, server := newFollowing(t), newMoodyServer(t)
	s := f.sender(server.at)
	accounts := make(map[string]account.Account)
	for _, name := range []string{"well", "gone", "busy", "mute", "other", "new"} {
		slug := "outil-0"
		if name == "other" {
			slug = "outil-1"
		}
		accounts[name] = f.account(name, account.Daily, slug)
	}
	_, err := f.admin.Exec(t.Context(), `UPDATE accounts SET confirmed = false WHERE email LIKE 'new@%'`)
	testkit.Must(t, err)
	dearer := func() { f.prices["outil-0"]++ }
	dearer()
	if err := f.day(s); err == nil || !strings.Contains(err.Error(), accounts["busy"].ID) || strings.Contains(err.Error(), "@example.org") {
		t.Errorf("a mail that is to be tried again: %v", err)
	}
	testkit.Equal(t, "busy@, at first", len(server.mails("busy")), 0)
	f.now = f.now.Add(10 * time.Minute)
	testkit.Must(t, f.send(s))
	testkit.Equal(t, "busy@, then", len(server.mails("busy")), 1)
	testkit.Equal(t, "without a second one the same day", len(server.mails("well")), 1)
	for range 4 {
		dearer()
		testkit.Must(t, f.day(s))
	}
	for name, want := range map[string][2]int{ // tries and mails
		"well": {5, 5}, "busy": {6, 5}, "gone": {account.DigestRefusals, 0}, "mute": {5, 5}, "other": {0, 0}, "new": {0, 0},
	} {
		testkit.Equal(t, name+"@: tries and mails", [2]int{server.tried[name], len(server.mails(name))}, want)
	}
	testkit.Equal(t, "with an unknown outcome", f.count(`watchlists WHERE lost = 5`), 1)
	for i, m := range server.mails("well") {
		testkit.Equal(t, "the subject", m.Subject, "Votre liste\u00a0: 1 outil a changé")
		if want := fmt.Sprintf("outil-0\u00a0: %d\u00a0€/mois, contre %d\u00a0€/mois.", 101+i, 100+i); !strings.Contains(m.Text, want) {
			t.Errorf("the mail has no %q:\n%s", want, m.Text)
		}
	}
	service := account.NewService(f.db.Accounts, f.db.Keys, func() time.Time { return f.now })
	gone := accounts["gone"]
	w, err := service.Watchlist(t.Context(), account.ByAccount(gone.ID), gone.ID)
	testkit.Must(t, err)
	testkit.Equal(t, "stopped", w.StoppedAt.IsZero(), false)
	log, err := service.Activity(t.Context(), account.ByAccount(gone.ID), gone.ID, 1)
	testkit.Must(t, err)
	testkit.Equal(t, "said to the owner", [2]string{string(log[0].Action), string(log[0].By)}, [2]string{"digest.stopped", "service"})
	testkit.Must(t, service.SetDigest(t.Context(), account.ByAccount(gone.ID), gone.ID, account.Daily))
	dearer()
	testkit.Must(t, f.day(s))
	testkit.Equal(t, "tried again", server.tried["gone"], account.DigestRefusals+1)
}

// A list keeps a tool under another name, and one that is retired or removed, which it is told of once.
func TestDigests_ToolsThatGo(t *testing.T) {
	t.Parallel()
	f, server := newFollowing(t), newMoodyServer(t)
	s := f.sender(server.at)
	a := f.account("well", account.Daily, "outil-0", "outil-1", "outil-2")
	rename := func(c *catalog.Contents) {
		tool := build.Find(c, "outil-0")
		tool.Slug, tool.Formerly = "neuf", []string{"outil-0"}
		c.Sort()
	}
	go2 := func(c *catalog.Contents) { build.Retire(c, "outil-1") }
	f.prices["outil-0"]++
	delete(f.prices, "outil-2")
	for range 3 {
		testkit.Must(t, f.day(s, rename, go2))
	}
	f.prices["outil-0"]++
	testkit.Must(t, f.day(s, rename, go2))
	mails := server.mails("well")
	testkit.Equal(t, "mails", len(mails), 2)
	for _, want := range []string{
		"outil-0\u00a0: 101\u00a0€/mois, contre 100\u00a0€/mois.\n    https://palmares.example/outils/neuf", "outil-1\u00a0: retiré le 10\u00a0novembre\u00a02026", "outil-2\u00a0: n’est plus au catalogue.",
	} {
		if !strings.Contains(mails[0].Text, want) {
			t.Errorf("the first mail has no %q:\n%s", want, mails[0].Text)
		}
	}
	if text := mails[1].Text; !strings.Contains(text, "102\u00a0€/mois, contre 101\u00a0€/mois") || strings.Contains(text, "outil-1") || strings.Contains(text, "outil-2") {
		t.Errorf("the second mail:\n%s", text)
	}
	w, err := f.db.Accounts.Watchlist(t.Context(), account.ByAccount(a.ID), a.ID)
	testkit.Must(t, err)
	testkit.Equal(t, "the list", []string{w.Tools[0].Slug, w.Tools[1].Slug, w.Tools[2].Slug}, []string{"neuf", "outil-1", "outil-2"})
}

// After a restore nothing is told twice: neither by a worker that knows a later state of the database, nor by a new one,
// once a node has noticed.
func TestDigests_AfterARestore(t *testing.T) {
	t.Parallel()
	for _, fresh := range []bool{false, true} {
		f, server := newFollowing(t), newMoodyServer(t)
		s := f.sender(server.at)
		f.account("well", account.Daily, "outil-0", "outil-1")
		tables := []string{"digests", "watchlists"}
		f.prices["outil-0"]++
		f.now = f.now.AddDate(0, 0, 1)
		f.publish()
		testkit.Must(t, s.read(t.Context()))
		for _, table := range tables { // the backup
			_, err := f.admin.Exec(t.Context(), `CREATE TABLE backup_`+table+` AS TABLE `+table)
			testkit.Must(t, err)
		}
		f.now = f.now.Add(2 * time.Hour)
		testkit.Must(t, f.send(s))
		testkit.Equal(t, "mails before", len(server.mails("well")), 1)
		_, err := f.admin.Exec(t.Context(), `
			UPDATE watchlists w SET cursor = b.cursor, pending = b.pending, next_at = b.next_at, sent_at = NULL FROM backup_watchlists b;
			UPDATE digests d SET turn = b.turn, turn_id = b.turn_id, read_to = b.read_to FROM backup_digests b;`)
		testkit.Must(t, err)
		if fresh {
			s = f.sender(server.at)
			_, err := f.admin.Exec(t.Context(), `
				INSERT INTO lineage (cluster, database, relation, restored_at) SELECT NULL, oid, 'sessions'::regclass::oid, now() FROM pg_database WHERE datname = current_database()
				ON CONFLICT (only_row) DO UPDATE SET restored_at = now()`)
			testkit.Must(t, err)
		}
		testkit.Must(t, f.send(s))
		testkit.Must(t, s.read(t.Context()))
		testkit.Must(t, f.send(s))
		testkit.Equal(t, "mails after the restore", len(server.mails("well")), 1)
		f.prices["outil-1"]++
		testkit.Must(t, f.day(s))
		mails := server.mails("well")
		testkit.Equal(t, "mails of a later edition", len(mails), 2)
		if strings.Contains(mails[len(mails)-1].Text, "outil-0") {
			t.Errorf("it is told twice:\n%s", mails[1].Text)
		}
	}
}

// All workers together send so many digests in a minute, and few at a time while sign-in mail waits.
func TestDigests_AMinute(t *testing.T) {
	t.Parallel()
	f := newFollowing(t)
	f.account("well", account.Daily, "outil-0")
	_, err := f.admin.Exec(t.Context(), `
		WITH made AS (INSERT INTO accounts (email, plan) SELECT 'a' || n || '@example.org', 'developer' FROM generate_series(1, $1) n RETURNING id),
		lists AS (INSERT INTO watchlists (account_id, every, cursor, next_at) SELECT id, 'daily', 0, $2 FROM made)
		SELECT`, account.DigestsPerMinute+100, f.now)
	testkit.Must(t, err)
	_, err = f.admin.Exec(t.Context(), `
		INSERT INTO watched (account_id, slug, added_at, after) SELECT account_id, 'outil-0', $1, 0 FROM watchlists ON CONFLICT DO NOTHING`, f.now)
	testkit.Must(t, err)
	services := make([]*digest.Service, 2)
	for i := range services {
		services[i] = f.sender("smtp://127.0.0.1:1?tls=none").digests
	}
	f.now = f.now.AddDate(0, 0, 1)
	f.prices["outil-0"]++
	f.publish()
	_, _, err = services[0].Read(t.Context())
	testkit.Must(t, err)
	f.now = f.now.Add(2 * time.Hour)
	claimed := func() (n int) {
		for more := true; more; {
			more = false
			for _, s := range services {
				mails, again, err := s.Claim(t.Context())
				testkit.Must(t, err)
				n, more = n+len(mails), more || again
			}
		}
		return n
	}
	testkit.Equal(t, "in a minute", claimed(), account.DigestsPerMinute)
	f.now = f.now.Add(time.Minute)
	_, err = f.admin.Exec(t.Context(), `INSERT INTO river_job (state, kind, queue, args, max_attempts) VALUES ('available', 'x', $1, '{}', 1)`, account.MailQueue)
	testkit.Must(t, err)
	mails, _, err := services[0].Claim(t.Context())
	testkit.Must(t, err)
	testkit.Equal(t, "at once, beside sign-in mail", len(mails), 1)
	testkit.Equal(t, "in the next minute", claimed(), 100)
	backlog, err := services[0].Backlog(context.WithoutCancel(t.Context()))
	testkit.Must(t, err)
	testkit.Equal(t, "what waits", backlog, digest.Backlog{})
}
