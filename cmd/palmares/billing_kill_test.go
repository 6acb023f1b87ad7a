package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/services"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/stripetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// sells is the environment of a node that sells Pro.
func sells(fake *stripefake.Server) []string {
	return []string{
		"PALMARES_STRIPE_KEY=" + fake.Key, "PALMARES_STRIPE_WEBHOOK_SECRET=" + fake.Secret, "PALMARES_STRIPE_PRICE=" + fake.Price,
		"PALMARES_STRIPE_URL=" + fake.URL, "PALMARES_BASE_URL=http://localhost:8080",
	}
}

// A node that is killed with -9 while it asks the provider about an event loses nothing: the next one
// asks again, and what follows from the event happens once.
func TestBilling_KilledNodeLosesNothing(t *testing.T) {
	t.Parallel()
	db, mail := pgtest.Migrated(t), testkit.NewMailbox(t)
	fake := stripetest.New(t, stripefake.Options{})
	palmares(t, database(db), "publish", fixtureCatalog)
	key := newKey(t, db, "ada@example.org", "developer")
	settings := append(sells(fake), "PALMARES_SMTP_URL="+mail.URL, "PALMARES_MAIL_FROM=noreply@palmares.test")
	checkOut(t, fake, db, "ada@example.org")

	n := serve(t, db, settings...)
	n.ready()
	testkit.EventuallyTrue(t, "the first reconciliation", func() bool {
		value, found := testkit.FindMetric(t, n.admin, "palmares_billing_reconcile_age_seconds")
		return found && value >= 0
	})
	sub := fake.Subscriptions(fake.Customers()[0].ID)[0]
	must(t, fake.SetStatus(sub.ID, "canceled")) // the reconciliation may have found that she paid
	fake.Delay(func() time.Duration { return time.Hour })
	asked := len(fake.Requests())
	must(t, fake.Deliver(t.Context(), n.public+"/stripe/events", fake.Events()...))
	testkit.EventuallyTrue(t, "the provider is asked", func() bool { return len(fake.Requests()) > asked })
	must(t, n.cmd.Process.Kill())
	<-n.exited
	fake.Delay(func() time.Duration { return 0 })
	conn, err := pgx.Connect(t.Context(), db)
	must(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	count := func(rows string) (n int) {
		t.Helper()
		must(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM "+rows).Scan(&n))
		return n
	}
	if waiting := count("billing_events WHERE processed_at IS NULL"); waiting != len(fake.Events()) {
		t.Errorf("%d events wait after the kill, want %d", waiting, len(fake.Events()))
	}

	n = serve(t, db, settings...)
	n.ready()
	testkit.EventuallyTrue(t, "the events are worked off", func() bool { return count("billing_events WHERE processed_at IS NULL") == 0 })
	testkit.EventuallyTrue(t, "she is on Developer", func() bool {
		a, err := testkit.Fetch(n.public+"/api/v1/tools?page=zero", testkit.Bearer(key))
		return err == nil && a.Header.Get("X-RateLimit-Tier") == "free"
	})
	shown, _ := palmares(t, append(database(db), sells(fake)...), "billing", "show", "ada@example.org")
	if !strings.Contains(shown, "canceled") || !strings.Contains(shown, "0 wait") {
		t.Errorf("billing show:\n%s", shown)
	}
	testkit.Equal(t, "events", count("billing_events"), len(fake.Events()))
	testkit.EventuallyTrue(t, "mails are sent", func() bool { return count("billing_notices WHERE sent_at IS NULL AND kind = 'ended'") == 0 })
	testkit.Equal(t, "mails of the end", count("billing_notices WHERE kind = 'ended'"), 1)
}

// checkOut takes an account through checkout. Nobody is told of it.
func checkOut(t *testing.T, fake *stripefake.Server, db, email string) stripefake.Subscription {
	t.Helper()
	s, err := services.OpenWithBilling(t.Context(), append(database(db), sells(fake)...))
	must(t, err)
	defer s.Close()
	a, err := s.Accounts.Find(t.Context(), account.Operator(), email)
	must(t, err)
	c, err := stripetest.Order(t.Context(), db, fake, a.ID)
	must(t, err)
	sub, err := fake.Complete(c.ID)
	must(t, err)
	return sub
}
