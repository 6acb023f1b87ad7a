package postgres_test

import (
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	ct "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/digest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A list holds present slugs, whenever a tool is renamed: before it is added, while it is, and in the list.
func TestWatchlists_FollowRenames(t *testing.T) {
	t.Parallel()
	s := newServices(t)
	a := s.signUp(owner, account.Developer)
	by := account.ByAccount(a.ID)
	s.publish(ct.Contents(ct.Tool("ancien"), ct.Tool("autre"), ct.Retired("feu")))
	added, err := s.accounts.Watch(t.Context(), by, a.ID, []string{"ancien", "feu", "rien", "ancien"})
	s.must(err)
	wantEqual(t, "added", added, 2)
	renamed := func(now, was string, formerly ...string) {
		s.nextDay()
		s.publish(ct.Contents(ct.Tool(now, func(x *catalog.Tool) { x.Formerly = slices.Concat(formerly, []string{was}) }), ct.Tool("autre"), ct.Retired("feu")))
	}
	renamed("neuf", "ancien")
	added, err = s.accounts.Watch(t.Context(), by, a.ID, []string{"ancien"}) // the log was not read yet: the list has it twice
	s.must(err)
	wantEqual(t, "added by a former slug", added, 1)
	renamed("tout-neuf", "neuf", "ancien")
	digests := digest.NewService(digest.Options{Store: s.Digests, Secrets: s.ring, Now: s.clock})
	_, _, err = digests.Read(t.Context())
	s.must(err)
	slugs := func() string { return strings.Join(ask[string](s.testDB, `SELECT slug FROM watched ORDER BY 1`), " ") }
	wantEqual(t, "the list", slugs(), "feu tout-neuf")
	wantEqual(t, "lists with news", s.count(`watchlists WHERE pending`), 0)
	removed, err := s.accounts.Unwatch(t.Context(), by, a.ID, []string{"feu", "autre"})
	s.must(err)
	wantEqual(t, "removed", removed, 1)
}

// An address that the operator typed is not confirmed until somebody signs in by a mail that arrived there.
func TestAccounts_ConfirmedAddresses(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	made, err := d.Accounts.Create(t.Context(), owner, account.Developer)
	d.must(err)
	confirmed := func(what string, want bool) {
		t.Helper()
		a, err := d.Accounts.Get(t.Context(), operator, made.ID)
		d.must(err)
		wantEqual(t, what, a.Confirmed, want)
	}
	confirmed("made by the operator", false)
	token, err := d.signIns().Link(t.Context(), operator, owner)
	d.must(err)
	_, err = d.signIns().RedeemLink(t.Context(), token, mine, netip.Addr{})
	d.must(err)
	confirmed("signed in by the operator's link", false)
	_, err = d.signIns().RedeemLink(t.Context(), d.asked(owner, mine).Token, mine, netip.Addr{})
	d.must(err)
	confirmed("signed in by mail", true)
	d.must(d.Accounts.SetEmail(t.Context(), operator, made.ID, "other@example.org", d.now))
	confirmed("changed by the operator", false)
}

// manyLists makes accounts that follow 50 of as many tools each.
func (db *testDB) manyLists(accounts, tools int) {
	db.Helper()
	db.exec(`INSERT INTO accounts (email, plan) SELECT 'a' || n || '@example.org', 'developer' FROM generate_series(1, $1) n`, accounts)
	db.exec(`INSERT INTO watchlists (account_id, every, cursor, next_at) SELECT id, 'daily', 0, $1 FROM accounts`, db.now)
	db.exec(`
		INSERT INTO watched (account_id, slug, added_at, after)
		SELECT account_id, 'outil-' || (hashtextextended(account_id::text || n, 0) % $1 + $1) % $1, $2, 0
		FROM watchlists, generate_series(1, 50) n ON CONFLICT DO NOTHING`, tools, db.now)
	db.exec(`ANALYZE`)
}

// dearer publishes, as far as the log is concerned, an edition in which tools cost more.
func (db *testDB) dearer(tools int) {
	db.Helper()
	db.nextDay()
	db.exec(`
		WITH e AS (INSERT INTO editions (number, published_at, last_seq) SELECT coalesce(max(number), 0) + 1, $1, coalesce(max(last_seq), 0) + $2 FROM editions RETURNING number, last_seq),
		c AS (INSERT INTO current_edition (number) SELECT number FROM e ON CONFLICT (only_row) DO UPDATE SET number = excluded.number)
		INSERT INTO events (seq, edition, type, slug, categories, object, previous)
		SELECT e.last_seq - $2 + n, e.number, 'price.changed', 'outil-' || n, '{}', json_build_object('slug', 'outil-' || n, 'name', 'Outil ' || n, 'price', '24 €/mois'),
		    json_build_object('slug', 'outil-' || n, 'name', 'Outil ' || n, 'price', '20 €/mois') FROM e, generate_series(1, $2) n`, db.now, tools)
}

// An edition is read once, and only the lists that have a tool of it. In the long form 100,000 lists say what it costs.
func TestDigests_FanOutBySlug(t *testing.T) {
	t.Parallel()
	lists, tools, changes := 200, 5_000, 10
	if testkit.Long() {
		lists, tools, changes = 100_000, 100_000, 500
	}
	s := newServices(t)
	s.manyLists(lists, tools)
	p, seen := s.traced()
	digests := digest.NewService(digest.Options{Store: p.Digests, Secrets: s.ring, Now: s.clock})
	_, _, err := digests.Read(t.Context())
	s.must(err)
	s.dearer(changes)
	began, used := time.Now(), cpu()
	ran := seen.during(func() {
		_, _, err := digests.Read(t.Context())
		s.must(err)
	})
	pending := s.count(`watchlists WHERE pending`)
	want := s.count(`(SELECT DISTINCT account_id FROM watched WHERE slug = ANY(ARRAY(SELECT DISTINCT slug FROM events))) x`)
	t.Logf("%d lists of 50 tools, an edition of %d changes: read in %v with %d statements and %v of CPU; it matters to %d lists",
		lists, changes, time.Since(began), len(ran), cpu()-used, pending)
	wantEqual(t, "lists with news", pending, want)
	if len(ran) > 20 {
		t.Errorf("%d statements", len(ran))
	}
	s.exec(`UPDATE watchlists SET pending = false`)
	for _, statement := range ran {
		if !strings.Contains(statement.sql, "UPDATE watchlists l") {
			continue
		}
		tx, err := s.conn().Begin(t.Context())
		s.must(err)
		rows, err := tx.Query(t.Context(), `EXPLAIN `+statement.sql, statement.args...)
		s.must(err)
		var plan strings.Builder
		for rows.Next() {
			var line string
			s.must(rows.Scan(&line))
			plan.WriteString(line + "\n")
		}
		s.must(rows.Err())
		s.must(tx.Rollback(t.Context()))
		if strings.Contains(plan.String(), "Seq Scan on watched ") {
			t.Errorf("it reads the tools of all lists:\n%s", plan.String())
		}
	}
	s.exec(`UPDATE watchlists l SET pending = true WHERE account_id IN (SELECT account_id FROM watched WHERE slug = ANY(ARRAY(SELECT DISTINCT slug FROM events)))`)
	s.now = s.now.AddDate(0, 0, 1)
	began, used = time.Now(), cpu()
	claimed, statements := 0, 0
	var peak uint64
	for more := true; more; {
		var mails []digest.Mail
		statements += len(seen.during(func() {
			var err error
			mails, more, err = digests.Claim(t.Context())
			s.must(err)
			for _, m := range mails {
				if len(m.Changes) == 0 {
					t.Fatalf("a digest of nothing: %+v", m)
				}
				_, err := digests.Settle(t.Context(), m, digest.Sent)
				s.must(err)
			}
		}))
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		peak = max(peak, m.HeapInuse)
		if claimed += len(mails); claimed%account.DigestsPerMinute == 0 {
			s.now, more = s.now.Add(time.Minute), len(mails) > 0
		}
	}
	wantEqual(t, "digests", claimed, want)
	if claimed > 0 {
		t.Logf("%d digests claimed and settled, without mail: %v, %d statements each, %v of CPU each, %d MB of heap",
			claimed, time.Since(began), statements/claimed, (cpu()-used)/time.Duration(claimed), peak>>20)
	}
}

// cpu is the time that this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
