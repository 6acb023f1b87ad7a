package account_test

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A lobby is where people sign in, on a database of its own.
type lobby struct {
	*testing.T
	*account.SignIns
	accounts *account.Service
	url      string
	unblock  atomic.Bool // nobody is blocked
}

func newLobby(t *testing.T) *lobby {
	t.Helper()
	url := pgtest.Migrated(t)
	db, err := postgres.Open(t.Context(), url, postgres.Options{})
	testkit.Must(t, err)
	t.Cleanup(db.Close)
	l := &lobby{T: t, url: url, accounts: account.NewService(db.Accounts, db.Keys, time.Now)}
	l.SignIns = account.NewSignIns(account.SignInsOptions{
		Store: db.SignIns, Secrets: testkit.Ring(t, "for-tests-only-0123456789abcdef0123456789"), Open: true,
		Blocked: func(email string) bool { return !l.unblock.Load() && strings.HasSuffix(email, "@blocked.example") },
	})
	return l
}

// home is where all of them ask from.
var home = netip.MustParseAddr("192.0.2.1")

// ask asks for a mail from a browser, and returns what became of it.
func (l *lobby) ask(email, browser string) (m account.SignInMail, outcome account.MailOutcome) {
	l.Helper()
	testkit.Must(l, l.Ask(l.Context(), email, account.French, browser, home))
	conn, err := pgx.Connect(l.Context(), l.url)
	testkit.Must(l, err)
	defer conn.Close(context.WithoutCancel(l.Context()))
	var id string
	testkit.Must(l, conn.QueryRow(l.Context(), `SELECT id::text FROM sign_ins ORDER BY created_at DESC LIMIT 1`).Scan(&id))
	outcome, err = l.Mail(l.Context(), id, func(_ context.Context, mail account.SignInMail) error { m = mail; return nil })
	testkit.Must(l, err)
	return m, outcome
}

func (l *lobby) known(email string) bool {
	l.Helper()
	_, err := l.accounts.Find(l.Context(), account.Operator(), email)
	if err != nil && !errors.Is(err, account.ErrNoAccount) {
		l.Fatal(err)
	}
	return err == nil
}

// A link that somebody asked for works in the browser that asked and in no other one; a link that the
// operator made works in any, once, and makes no account.
func TestSignIns_LinksAndBrowsers(t *testing.T) {
	t.Parallel()
	l := newLobby(t)
	m, outcome := l.ask("ada@example.org", "hers")
	testkit.Equal(t, "outcome", outcome, account.MailSent)
	for _, browser := range []string{"another", ""} {
		if _, err := l.RedeemLink(t.Context(), m.Token, browser, home); !errors.Is(err, account.ErrNoSignIn) || l.known("ada@example.org") {
			t.Errorf("her link in the browser %q: %v", browser, err)
		}
	}
	a, err := l.RedeemLink(t.Context(), m.Token, "hers", home)
	testkit.Must(t, err)
	testkit.Equal(t, "who", a.Email, "ada@example.org")

	for _, browser := range []string{"another", "", "hers"} {
		token, err := l.Link(t.Context(), account.Operator(), "ada@example.org")
		testkit.Must(t, err)
		got, err := l.RedeemLink(t.Context(), token, browser, home)
		if err != nil || got.ID != a.ID {
			t.Errorf("the operator's link in the browser %q: %v", browser, err)
		}
		if _, err := l.RedeemLink(t.Context(), token, browser, home); !errors.Is(err, account.ErrNoSignIn) {
			t.Errorf("the operator's link once more: %v", err)
		}
	}
	if _, err := l.Link(t.Context(), account.ByAccount(a.ID), "ada@example.org"); !errors.Is(err, account.ErrOperatorOnly) {
		t.Errorf("a link that an account makes: %v", err)
	}
	if _, err := l.Link(t.Context(), account.Operator(), "nobody@example.org"); !errors.Is(err, account.ErrNoAccount) {
		t.Errorf("a link for nobody: %v", err)
	}
}

// Nobody signs up with a blocked address: no mail is sent to it, and no link makes its account. Who has
// an account already signs in.
func TestSignIns_BlockedAddresses(t *testing.T) {
	t.Parallel()
	l := newLobby(t)
	const fresh, old = "new@blocked.example", "old@blocked.example"
	if m, outcome := l.ask(fresh, "hers"); outcome != account.MailBlocked || m.Token != "" {
		t.Errorf("a mail to a blocked address: %q, %v", outcome, m)
	}
	_, err := l.accounts.Create(t.Context(), account.Operator(), old, account.Developer)
	testkit.Must(t, err)
	m, outcome := l.ask(old, "hers")
	testkit.Equal(t, "outcome for an account", outcome, account.MailSent)
	_, err = l.RedeemLink(t.Context(), m.Token, "hers", home)
	testkit.Must(t, err)

	// The address is blocked after its mail was sent.
	const late = "late@blocked.example"
	l.unblock.Store(true)
	m, outcome = l.ask(late, "hers")
	testkit.Equal(t, "outcome before it is blocked", outcome, account.MailSent)
	l.unblock.Store(false)
	if _, err := l.RedeemLink(t.Context(), m.Token, "hers", home); err == nil || l.known(late) {
		t.Errorf("a link for an address that is blocked by now: %v", err)
	}
}
