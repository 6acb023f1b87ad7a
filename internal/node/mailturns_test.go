package node

import (
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Behind a flood of mails to strangers, the mail to a known address goes before they are all gone. None is lost, and none is sent twice: neither when PostgreSQL goes away and comes back,
// nor when the worker is replaced.
func TestWorker_AFloodDelaysNobodyElse(t *testing.T) {
	t.Parallel()
	server, box := pgtest.NewServer(t), testkit.NewMailbox(t)
	settings := []string{
		"PALMARES_SMTP_URL=" + box.URL, "PALMARES_MAIL_FROM=noreply@palmares.test", "PALMARES_BASE_URL=https://palmares.test",
	}
	s := openServices(t, server.URL())
	_, err := s.Accounts.Create(t.Context(), account.Operator(), "known@example.org", account.Developer)
	must(t, err)
	ask := func(email, from string) {
		t.Helper()
		must(t, s.SignIns.Ask(t.Context(), email, account.French, "a cookie", netip.MustParseAddr(from)))
	}
	const flood = 50
	for i := range flood {
		ask(fmt.Sprintf("stranger-%d@example.org", i), fmt.Sprintf("2001:db8:1:%x::1", i))
	}
	ask("known@example.org", "2001:db8:1:1::1") // from the same network, even
	n := startRoles(t, []string{Worker}, server.URL(), settings...)
	// Mails are numbered as they come.
	if at := box.Wait(t, "known@example.org").Number; at > flood/2 {
		t.Errorf("the mail to the known address is number %d, with %d asked for before it", at, flood)
	}

	server.Stop()
	n.readyz(503, "")
	server.Start()
	n.readyz(200, "")
	waited := n.metric(`palmares_signin_mails_total{outcome="waiting"}`)
	n.stop()
	later := startRoles(t, []string{Worker}, server.URL(), settings...)
	testkit.EventuallyTrue(t, "all mails are sent", func() bool { return len(box.All("")) > flood })
	later.metrics(map[string]float64{
		`palmares_signin_mails_waiting{address="known"}`: 0, `palmares_signin_mails_waiting{address="new"}`: 0,
		`palmares_signin_mails_total{outcome="limited"}`: 0, `palmares_signin_mails_oldest_seconds`: 0,
	})
	for i := range flood {
		if got := len(box.All(fmt.Sprintf("stranger-%d@example.org", i))); got != 1 {
			t.Errorf("stranger %d got %d mails", i, got)
		}
	}
	if waited+later.metric(`palmares_signin_mails_total{outcome="waiting"}`) == 0 {
		t.Error("no mail is counted as one that waited")
	}
}

// How long mails take while one /48 asks for as many as it can: to an address with an account, and to
// one without from another network. With PALMARES_LONG=1 there are 4,000 requests, and both take less
// than 5 seconds; they took 56. It measures, so it is not parallel.
func TestSignIn_DelayDuringAFlood(t *testing.T) { //nolint:paralleltest // as said
	requests, sockets := 60, 4
	if testkit.Long() {
		requests, sockets = 4000, 32
	}
	db, box := pgtest.Migrated(t), testkit.NewMailbox(t)
	n := startRoles(t, []string{API, Site, Worker}, db, "PALMARES_REDIS_URL="+redistest.NewServer(t).URL(), "PALMARES_TRUSTED_PROXIES=127.0.0.1",
		"PALMARES_BASE_URL=http://localhost:8080", "PALMARES_SMTP_URL="+box.URL, "PALMARES_MAIL_FROM=noreply@palmares.test")
	n.metrics(map[string]float64{"palmares_jobs_running": 1})
	s := openServices(t, db)
	for i := range 10 {
		_, err := s.Accounts.Create(t.Context(), account.Operator(), fmt.Sprintf("known-%d@example.org", i), account.Developer)
		must(t, err)
	}
	delay := func(email, from string) time.Duration {
		t.Helper()
		b := testkit.NewBrowser(t, n.public)
		b.From = from
		b.Get("/compte/connexion")
		began := time.Now()
		if a := b.Submit("/compte/connexion", "ask", map[string]string{"email": email}); !a.OK() {
			t.Fatalf("asking: %v", a)
		}
		box.Wait(t, email)
		return time.Since(began)
	}
	t.Logf("alone: known %v, new %v", delay("known-9@example.org", "192.0.2.9"), delay("new-9@example.org", "192.0.2.10"))
	var next, refused atomic.Int64
	var flooding sync.WaitGroup
	began := time.Now()
	for range sockets {
		flooding.Go(func() {
			b := testkit.NewBrowser(t, n.public)
			b.Get("/compte/connexion")
			for i := next.Add(1); i <= int64(requests); i = next.Add(1) {
				b.From = fmt.Sprintf("2001:db8:1:%x::1", i)
				if a := b.Submit("/compte/connexion", "ask", map[string]string{"email": fmt.Sprintf("flood-%d@example.org", i)}); !a.OK() {
					refused.Add(1)
				}
			}
		})
	}
	for i := range 9 {
		// Half of them once the flood has been asked for and waits.
		if i == 5 {
			flooding.Wait()
			t.Logf("%d requests took %v, %d were refused", requests, time.Since(began), refused.Load())
		}
		known, stranger := delay(fmt.Sprintf("known-%d@example.org", i), fmt.Sprintf("192.0.2.%d", 20+i)),
			delay(fmt.Sprintf("new-%d@example.org", i), fmt.Sprintf("2001:db8:%x::1", 16+i))
		t.Logf("after %d requests: known %v, new %v", next.Load(), known, stranger)
		if testkit.Long() && max(known, stranger) > 5*time.Second {
			t.Errorf("a mail took too long: %v, %v", known, stranger)
		}
	}
	testkit.Equal(t, "refused", refused.Load(), int64(0))
}
