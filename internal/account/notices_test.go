package account_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// counters are what accounts have used on any day, by id.
type counters struct {
	used  map[string]int
	asked int // pages
	err   error
}

func (c *counters) Charged(_ context.Context, accounts []string, _ time.Time) ([]int, error) {
	c.asked++
	charged := make([]int, len(accounts))
	for i, id := range accounts {
		charged[i] = c.used[id]
	}
	return charged, c.err
}

// A noticed is a database of the test's own, a clock, and Notices on both.
type noticed struct {
	*testing.T
	*account.Notices
	db    *postgres.DB
	admin *pgx.Conn
	clock *testkit.Clock
	c     *counters
}

var newSecret, oldSecret = strings.Repeat("new", 11), strings.Repeat("old", 11)

func newNoticed(t *testing.T) *noticed {
	t.Helper()
	url := pgtest.Migrated(t)
	n := &noticed{T: t, c: &counters{used: make(map[string]int)}}
	n.clock = testkit.NewClock(time.Date(2026, 3, 14, 9, 0, 0, 0, time.FixedZone("", 2*3600)))
	var err error
	n.db, err = postgres.Open(t.Context(), url, postgres.Options{})
	testkit.Must(t, err)
	t.Cleanup(n.db.Close)
	n.admin, err = pgx.Connect(t.Context(), url)
	testkit.Must(t, err)
	t.Cleanup(func() { n.admin.Close(context.Background()) })
	n.Notices = account.NewNotices(account.NoticesOptions{
		Store: n.db.Accounts, Counters: n.c, Secrets: testkit.Ring(t, newSecret, oldSecret), Now: n.clock.Now,
	})
	return n
}

// account makes an account with keys that are used today.
func (n *noticed) account(name string, plan account.Plan, keys int) account.Account {
	n.Helper()
	a, err := n.db.Accounts.Create(n.Context(), name+"@example.test", plan)
	testkit.Must(n, err)
	for range keys {
		_, key, err := account.NewService(n.db.Accounts, n.db.Keys, nil).CreateKey(n.Context(), account.Operator(), a.ID, "k")
		testkit.Must(n, err)
		testkit.Must(n, n.db.Keys.Touch(n.Context(), []string{key.ID}, n.clock.Now()))
	}
	return a
}

func (n *noticed) exec(sql string, args ...any) {
	n.Helper()
	_, err := n.admin.Exec(n.Context(), sql, args...)
	testkit.Must(n, err)
}

// jobs are the notices that jobs were inserted for since the last call, sorted: whose, when, which.
func (n *noticed) jobs() (found []string) {
	n.Helper()
	rows, err := n.admin.Query(n.Context(), `
		WITH taken AS (DELETE FROM river_job WHERE kind = 'account_usage_notice' RETURNING args)
		SELECT split_part(a.email, '@', 1) || ' ' || (args->>'day') || ' ' || (args->>'percent')
		FROM taken JOIN accounts a ON a.id = (args->>'account')::uuid`)
	testkit.Must(n, err)
	found, err = pgx.CollectRows(rows, pgx.RowTo[string])
	testkit.Must(n, err)
	slices.Sort(found)
	return found
}

// look looks, and wants these notices. No notice is one that there was before.
func (n *noticed) look(when string, want ...string) {
	n.Helper()
	added, err := n.Look(n.Context())
	testkit.Must(n, err)
	testkit.Equal(n, when+", notices", strings.Join(n.jobs(), ", "), strings.Join(want, ", "))
	testkit.Equal(n, when+", the number of notices", added, len(want))
}

// An account gets one notice a day and level, and after that of the limit none.
func TestNotices_Look(t *testing.T) {
	t.Parallel()
	n := newNoticed(t)
	ada, bob := n.account("ada", account.Developer, 3), n.account("bob", account.Developer, 1)
	pro, mute := n.account("pro", account.Pro, 1), n.account("mute", account.Developer, 1)
	gone, idle := n.account("gone", account.Developer, 1), n.account("idle", account.Developer, 0)
	for _, a := range []account.Account{pro, mute, gone, idle} {
		n.c.used[a.ID] = 5000
	}
	err := n.db.Accounts.SetSwitch(t.Context(), account.Operator(), mute.ID, account.UsageMail, false, n.clock.Now())
	testkit.Must(t, err)
	testkit.Must(t, n.db.Accounts.Delete(t.Context(), account.Operator(), gone.ID, nil, n.clock.Now()))

	n.look("at 0")
	n.c.used[ada.ID], n.c.used[bob.ID] = 799, 799
	n.look("at 799")
	n.c.used[ada.ID] = 800
	n.look("at 800", "ada 2026-03-14 80")
	n.c.used[ada.ID], n.c.used[bob.ID] = 999, 1000
	n.look("at 999 and 1000", "bob 2026-03-14 100")
	n.c.used[ada.ID] = 1400
	n.look("at 1400", "ada 2026-03-14 100")
	n.exec(`DELETE FROM usage_notices WHERE account_id = $1 AND percent = 80`, ada.ID)
	n.c.used[ada.ID], n.c.used[bob.ID] = 900, 900 // Redis has lost something
	n.look("below the limit again")
	late, err := n.db.Accounts.AddNotices(t.Context(), []account.UsageNotice{{Account: ada.ID, Day: "2026-03-14", Percent: 80}})
	if late != 0 || err != nil || len(n.jobs()) != 0 {
		t.Errorf("80 %% after 100 %%: %d, %v", late, err)
	}

	n.clock.Set(time.Date(2026, 3, 15, 0, 0, 1, 0, time.UTC))
	n.look("the next day, with no key used")
	n.exec(`UPDATE keys SET last_used_on = '2026-03-15'`)
	n.look("the next day", "ada 2026-03-15 80", "bob 2026-03-15 80")
}

// A look reads page after page, ends at an error without claiming to be complete, and what it found
// before that is not found again.
func TestNotices_LookInPages(t *testing.T) {
	t.Parallel()
	n := newNoticed(t)
	const total = 2500
	n.exec(`INSERT INTO accounts (email, plan) SELECT 'user' || i || '@example.test', 'developer' FROM generate_series(1, $1) i`, total)
	n.exec(`INSERT INTO keys (id, account_id, slot, name, preview, hash, last_used_on)
		SELECT 'key_' || left(md5(slot || id::text), 12), id, slot, 'k', 'p', sha256((slot || id::text)::bytea), '2026-03-14' FROM accounts, generate_series(1, 2) slot`)
	rows, err := n.admin.Query(t.Context(), `SELECT id::text FROM accounts`)
	testkit.Must(t, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	testkit.Must(t, err)
	for i, id := range ids {
		n.c.used[id] = 700 + i%2*150
	}
	n.c.err = errors.New("Redis is away")
	if _, err := n.Look(t.Context()); !errors.Is(err, n.c.err) || !errors.Is(err, account.ErrNoCounters) {
		t.Errorf("without counters: %v", err)
	}
	last, err := n.db.Accounts.LastUsageCheck(t.Context())
	if !last.IsZero() || err != nil {
		t.Errorf("the last complete look was at %v, %v", last, err)
	}
	n.c.err, n.c.asked = nil, 0
	for _, want := range []int{total / 2, 0} {
		added, err := n.Look(t.Context())
		testkit.Must(t, err)
		testkit.Equal(t, "notices", added, want)
		testkit.Equal(t, "jobs", len(n.jobs()), want)
	}
	testkit.Equal(t, "pages", n.c.asked, 2*3)
	last, err = n.db.Accounts.LastUsageCheck(t.Context())
	if !last.Equal(n.clock.Now()) || err != nil {
		t.Errorf("the last complete look was at %v, %v", last, err)
	}
}

// A notice becomes a mail, unless something has changed meanwhile.
func TestNotices_Mail(t *testing.T) {
	t.Parallel()
	n := newNoticed(t)
	a := n.account("ada", account.Developer, 1)
	n.c.used[a.ID] = 1234
	notice := account.UsageNotice{Account: a.ID, Day: "2026-03-14", Percent: 100}
	mail := func() string {
		m, wanted, err := n.Mail(t.Context(), notice)
		return fmt.Sprintf("%s %d/%d %d%% %s %t %v", m.Account.Email, m.Used, m.Limit, m.Percent, m.Resets.Format(time.RFC3339), wanted, err)
	}
	const sent, unwanted = "ada@example.test 1000/1000 100% 2026-03-15T00:00:00Z true <nil>", " 0/0 0% 0001-01-01T00:00:00Z false <nil>"
	testkit.Equal(t, "at once", mail(), sent)
	testkit.Must(t, n.db.Accounts.SetPlan(t.Context(), a.ID, account.Pro, n.clock.Now()))
	testkit.Equal(t, "on a plan without a limit", mail(), unwanted)
	testkit.Must(t, n.db.Accounts.SetPlan(t.Context(), a.ID, account.Developer, n.clock.Now()))
	n.c.err = errors.New("Redis is away")
	testkit.Equal(t, "without counters", mail(), " 0/0 0% 0001-01-01T00:00:00Z false "+account.ErrNoCounters.Error()+": Redis is away")
	n.c.err = nil
	n.clock.Advance(24 * time.Hour)
	testkit.Equal(t, "the next day", mail(), unwanted)
	n.clock.Advance(-24 * time.Hour)

	m, _, err := n.Mail(t.Context(), notice)
	testkit.Must(t, err)
	testkit.Must(t, n.Unsubscribe(t.Context(), m.Token))
	testkit.Must(t, n.Unsubscribe(t.Context(), m.Token)) // mail programs ask more than once
	testkit.Equal(t, "after the end of such mail", mail(), unwanted)
	n.look("after the end of such mail")
	var lines int
	testkit.Must(t, n.admin.QueryRow(t.Context(), `SELECT count(*) FROM activity WHERE action = 'mail.changed'`).Scan(&lines))
	testkit.Equal(t, "lines in the log of actions", lines, 1)

	testkit.Must(t, n.db.Accounts.Delete(t.Context(), account.Operator(), a.ID, nil, n.clock.Now()))
	testkit.Equal(t, "of a deleted account", mail(), unwanted)
	if err := n.Unsubscribe(t.Context(), m.Token); !errors.Is(err, account.ErrNoAccount) {
		t.Errorf("a deleted account: %v", err)
	}
}

// A token ends the mail of its own account, for as long as its secret is known.
func TestNotices_Unsubscribe(t *testing.T) {
	t.Parallel()
	n := newNoticed(t)
	ada, bob := n.account("ada", account.Developer, 0), n.account("bob", account.Developer, 0)
	token := account.UnsubscribeToken(testkit.Ring(t, oldSecret), ada.ID) // of the secret before this one
	id, signature, _ := strings.Cut(token, ".")
	for _, wrong := range []string{
		"", ".", id, id + ".", "." + signature, bob.ID + "." + signature, token + "A", token[1:], token + ".", id + "." + signature[1:],
		account.UnsubscribeToken(testkit.Ring(t, strings.Repeat("other", 7)), ada.ID),
	} {
		if err := n.Unsubscribe(t.Context(), wrong); !errors.Is(err, account.ErrNoUnsubscribe) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	want := func(when string, who account.Account, wants bool) {
		t.Helper()
		a, err := n.db.Accounts.Get(t.Context(), account.Operator(), who.ID)
		testkit.Must(t, err)
		testkit.Equal(t, when+", "+a.Email+" wants mail", []bool{a.MailUsage, a.MailEndpoints}, []bool{wants, true})
	}
	want("before", ada, true)
	testkit.Must(t, n.Unsubscribe(t.Context(), token))
	want("after", ada, false)
	want("after", bob, true)
	err := n.db.Accounts.SetSwitch(t.Context(), account.ByAccount(ada.ID), bob.ID, account.UsageMail, false, n.clock.Now())
	if !errors.Is(err, account.ErrNoAccount) {
		t.Errorf("of another: %v", err)
	}
	want("asked for by another", bob, true)
	if err := n.Unsubscribe(t.Context(), account.UnsubscribeToken(testkit.Ring(t, newSecret), "no account")); !errors.Is(err, account.ErrNoAccount) {
		t.Errorf("no account: %v", err)
	}
}

// Notices are kept as long as the counters are.
func TestNotices_Tidy(t *testing.T) {
	t.Parallel()
	n := newNoticed(t)
	a := n.account("ada", account.Developer, 0)
	n.exec(`INSERT INTO usage_notices SELECT $1, '2026-03-14'::date - i, 80 FROM generate_series(0, 99) i`, a.ID)
	testkit.Must(t, n.Tidy(t.Context()))
	var left int
	testkit.Must(t, n.admin.QueryRow(t.Context(), `SELECT count(*) FROM usage_notices`).Scan(&left))
	testkit.Equal(t, "notices left", left, 36)
}
