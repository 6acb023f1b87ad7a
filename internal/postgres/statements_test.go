package postgres_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A statement is SQL with its arguments.
type statement struct {
	sql  string
	args []any
}

// statements are those that a process runs.
type statements struct {
	mu  sync.Mutex
	all []statement
}

func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, statement{q.SQL, q.Args})
	return ctx
}

func (*statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// during returns the statements that do runs.
func (s *statements) during(do func()) []statement {
	s.mu.Lock()
	s.all = nil
	s.mu.Unlock()
	do()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

// traced is the database as a process has it whose statements are seen.
func (db *testDB) traced() (*postgres.DB, *statements) {
	db.Helper()
	seen := &statements{}
	p, err := postgres.OpenTraced(db.Context(), db.url, seen, postgres.Options{Now: db.clock})
	db.must(err)
	db.Cleanup(p.Close)
	return p, seen
}

// Whoever asks for a mail learns nothing about an address from how long the answer takes: the same
// statements run for all, with arguments of the same sizes.
func TestSignIns_AskTheSameOfEveryAddress(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	d.signUp("a-known@example.org", account.Pro)
	p, seen := d.traced()
	d.Store = p.SignIns
	d.must(d.signIns().Ask(t.Context(), owner, account.French, mine, netip.Addr{})) // connects, and prepares what it needs
	ran := func(email string) string {
		var text strings.Builder
		for _, s := range seen.during(func() { d.must(d.signIns().Ask(t.Context(), email, account.French, mine, netip.Addr{})) }) {
			fmt.Fprintln(&text, s.sql, len(s.args))
		}
		return text.String()
	}
	known := ran("a-known@example.org")
	if !strings.Contains(known, "INSERT INTO sign_ins") || strings.Contains(known, "river_job") || strings.Contains(known, "FROM") {
		t.Errorf("the statements:\n%s", known)
	}
	for what, other := range map[string]string{
		"an unknown address": ran("unknown@example.org"), "a blocked one": ran("new@blocked.example"),
		"a limited one": func() string {
			for range account.MailsPerRecipient {
				d.asked("a-limited@example.org", mine)
			}
			return ran("a-limited@example.org")
		}(),
	} {
		wantEqual(t, "the statements for "+what, other, known)
	}
}

// With many times the accounts, what a visitor waits for uses the same indexes and reads as many
// rows.
func TestAccounts_SameIndexesAtScale(t *testing.T) {
	t.Parallel()
	many := testkit.Size(5_000, 20_000)
	if testkit.Long() {
		many = 1_000_000
	}
	db := newDB(t)
	p, seen := db.traced()
	o := account.SignInsOptions{Store: p.SignIns, Secrets: testkit.Ring(t, strings.Repeat("secret", 6)), Open: true, Now: db.clock}
	signIns, service := account.NewSignIns(o), account.NewService(p.Accounts, p.Keys, db.clock)
	round := 0
	// plans are those of all statements of a visit, by what it does.
	plans := func() map[string]string {
		round++
		email, token := fmt.Sprintf("visitor-%d@example.org", round), fmt.Sprint("hash ", round)
		cookie := "the cookie of " + email
		var mail account.SignInMail
		var a account.Account
		all := make(map[string]string)
		step := func(what string, do func() error) {
			list := seen.during(func() { db.must(do()) })
			all[what] = db.explain(list)
		}
		db.must(signIns.Ask(t.Context(), email, account.French, cookie, netip.Addr{})) // it reads nothing
		id := ask[string](db, `SELECT id::text FROM sign_ins WHERE email = $1`, email)[0]
		step("mail", func() error {
			_, err := signIns.Mail(t.Context(), id, func(_ context.Context, m account.SignInMail) error { mail = m; return nil })
			return err
		})
		step("wrong code", func() error { _, _ = signIns.RedeemCode(t.Context(), wrong(mail), cookie, netip.Addr{}); return nil })
		step("code", func() (err error) {
			a, err = signIns.RedeemCode(t.Context(), mail.Code, cookie, netip.AddrFrom4([4]byte{10, 0, 0, byte(round)}))
			return err
		})
		step("link", func() error { _, _ = signIns.RedeemLink(t.Context(), mail.Token, cookie, netip.Addr{}); return nil })
		data := []byte(`{"account":"` + a.ID + `","browser":"Firefox"}`)
		step("start", func() error { return p.Sessions.CommitCtx(t.Context(), token, data, db.now.AddDate(0, 0, 30)) })
		step("find", func() error { _, _, err := p.Sessions.FindCtx(t.Context(), token); return err })
		by := account.ByAccount(a.ID)
		_, _, err := service.CreateKey(t.Context(), by, a.ID, "k")
		db.must(err)
		step("keys", func() error { _, err := service.Keys(t.Context(), by, a.ID); return err })
		step("sessions", func() error { _, err := service.Sessions(t.Context(), by, a.ID); return err })
		step("end", func() error { _, err := service.EndSessions(t.Context(), by, a.ID, ""); return err })
		return all
	}
	db.populate(0, 1000)
	few := plans()
	db.populate(1000, many)
	got := plans()
	for _, what := range slices.Sorted(maps.Keys(few)) {
		wantEqual(t, what+": the plan at scale", got[what], few[what])
		tables := strings.ReplaceAll(few[what], "Seq Scan on current_access", "") // of one row
		if strings.Contains(tables, "Seq Scan") || tables == "" {
			t.Errorf("%s: %s", what, few[what])
		}
	}
}

// populate adds accounts up to a number, each with a key, a session, a sign-in that is over,
// and what was counted at it.
func (db *testDB) populate(from, to int) {
	db.Helper()
	db.exec(`
		WITH numbers AS (SELECT n, gen_random_uuid() AS id FROM generate_series($1::int, $2::int - 1) n),
		owners AS (INSERT INTO accounts (id, email, plan) SELECT id, 'a' || n || '@example.org', 'developer' FROM numbers),
		owned AS (INSERT INTO keys (id, account_id, slot, name, preview, hash)
			SELECT 'key_' || n, id, 1, 'k', 'plm_', sha256(n::text::bytea) FROM numbers),
		asked AS (INSERT INTO sign_ins (id, email, language, token_hash, code_hash, browser_hash, limited, created_at, sent_at, spent_at)
			SELECT id, 'a' || n || '@example.org', 'fr', sha256(n::text::bytea), sha256('c'), sha256(n::text::bytea), false, now(), now(), now() FROM numbers),
		mailed AS (INSERT INTO address_mails (recipient, sent_at, change) SELECT sha256(n::text::bytea), now(), false FROM numbers),
		missed AS (INSERT INTO wrong_codes (address, at) SELECT sha256(n::text::bytea), now() FROM numbers),
		joined AS (INSERT INTO sign_ups (network, at) SELECT sha256(n::text::bytea), now() FROM numbers)
		INSERT INTO sessions (id, token_hash, account_id, data, created_at, seen_on, expires_at)
		SELECT 'ses_' || n, 't' || n, id, '{}', now(), now(), now() + interval '30 days' FROM numbers`, from, to)
	db.exec(`VACUUM ANALYZE`)
}

// explain runs statements again, in a transaction that is rolled back, and tells with which indexes
// and how many rows they read from our tables.
func (db *testDB) explain(list []statement) string {
	db.Helper()
	var text []string
	for _, s := range list {
		verb, _, _ := strings.Cut(strings.TrimSpace(s.sql), " ")
		if !slices.Contains([]string{"SELECT", "INSERT", "UPDATE", "WITH"}, verb) {
			continue // it begins or ends a transaction
		}
		tx, err := db.admin.Begin(db.Context())
		db.must(err)
		var raw []byte
		if err := tx.QueryRow(db.Context(), `EXPLAIN (ANALYZE, FORMAT JSON) `+s.sql, s.args...).Scan(&raw); err != nil {
			db.Fatalf("%s: %v", s.sql, err)
		}
		db.must(tx.Rollback(db.Context()))
		var plan []struct{ Plan map[string]any }
		db.must(json.Unmarshal(raw, &plan))
		text = append(text, scans(plan[0].Plan)...)
	}
	return strings.Join(text, "\n")
}

// scans lists the scans of a plan.
func scans(node map[string]any) (list []string) {
	if kind, _ := node["Node Type"].(string); strings.HasSuffix(kind, "Scan") && kind != "CTE Scan" {
		removed, _ := node["Rows Removed by Filter"].(float64)
		rows, _ := node["Actual Rows"].(float64)
		list = append(list, fmt.Sprintf("%s on %s by %v: %v rows", kind, node["Relation Name"], node["Index Name"], rows+removed))
	}
	children, _ := node["Plans"].([]any)
	for _, child := range children {
		list = append(list, scans(child.(map[string]any))...)
	}
	return list
}
