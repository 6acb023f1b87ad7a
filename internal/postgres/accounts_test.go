package postgres_test

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
)

// nobody is the id of no account.
const nobody = "7a3c1f0e-0000-4000-8000-000000000000"

func (b *bench) signUp(email string, plan account.Plan) account.Account {
	b.Helper()
	a, err := b.db.CreateAccount(b.Context(), email, plan)
	if err != nil {
		b.Fatal(err)
	}
	return a
}

func (b *bench) account(email string) account.Account {
	b.Helper()
	a, err := b.db.FindAccount(b.Context(), account.Operator(), email)
	if err != nil {
		b.Fatalf("%s: %v", email, err)
	}
	return a
}

func (b *bench) setPlan(email string, plan account.Plan) {
	b.Helper()
	if err := pgtest.ByEmail(b.db).SetPlan(b.Context(), email, plan); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) deleteAccount(email string) {
	b.Helper()
	if err := pgtest.ByEmail(b.db).DeleteAccount(b.Context(), email, b.now); err != nil {
		b.Fatal(err)
	}
}

func wantError(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}

func TestAnAccount(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	before := time.Now().Add(-time.Minute)
	ada := b.signUp("ada@example.org", account.Developer)
	wantEqual(t, "the account", b.account("ada@example.org"), ada)
	if ada.ID == "" || ada.CreatedAt.Before(before) || ada.Keys != 0 || ada.Plan != account.Developer {
		t.Errorf("the account: %+v", ada)
	}
	b.newKey("ada@example.org")
	b.revoke(b.newKey("ada@example.org").ID)
	wantEqual(t, "live keys", b.account("ada@example.org").Keys, 1)

	_, err := b.db.CreateAccount(t.Context(), "ada@example.org", account.Pro)
	wantError(t, "the same address again", err, account.ErrEmailTaken)
	wantEqual(t, "the plan after that", b.account("ada@example.org").Plan, account.Developer)
	b.setPlan("ada@example.org", account.Pro)
	wantEqual(t, "the plan", b.account("ada@example.org").Plan, account.Pro)

	// Nobody signs up to be anonymous, and the schema knows.
	if _, err := b.db.CreateAccount(t.Context(), "bob@example.org", account.Anonymous); err == nil {
		t.Error("an anonymous account")
	}
	if err := pgtest.ByEmail(b.db).SetPlan(t.Context(), "ada@example.org", account.Anonymous); err == nil {
		t.Error("an account moved to anonymous")
	}
	_, err = b.db.FindAccount(t.Context(), account.Operator(), "bob@example.org")
	wantError(t, "Account of nobody", err, account.ErrNoAccount)
	wantError(t, "SetPlan of nobody", b.db.SetPlan(t.Context(), nobody, account.Pro, b.now), account.ErrNoAccount)
	wantError(t, "DeleteAccount of nobody", b.db.DeleteAccount(t.Context(), account.Operator(), nobody, b.now), account.ErrNoAccount)
	_, err = b.db.Keys(t.Context(), account.Operator(), nobody)
	wantError(t, "Keys of nobody", err, account.ErrNoAccount)
	_, err = b.db.CreateKey(t.Context(), account.Operator(), nobody, account.KeyInfo{}, account.Hash{})
	wantError(t, "CreateKey of nobody", err, account.ErrNoAccount)

	// The address is free again after a deletion, for another account.
	b.deleteAccount("ada@example.org")
	_, err = b.db.FindAccount(t.Context(), account.Operator(), "ada@example.org")
	wantError(t, "a deleted account", err, account.ErrNoAccount)
	wantError(t, "deleting twice", b.db.DeleteAccount(t.Context(), account.Operator(), ada.ID, b.now), account.ErrNoAccount)
	again := b.signUp("ada@example.org", account.Developer)
	if again.ID == ada.ID || b.account("ada@example.org").Keys != 0 {
		t.Errorf("the new account has something of the old one: %+v", again)
	}
}

// However an address is spelt, and however many ask at once, it has one account.
func TestOneAccountPerAddress(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	spellings := []string{"ada@example.org", "Ada@example.org", "ADA@EXAMPLE.ORG", "ada@Example.Org"}
	var wg sync.WaitGroup
	var mu sync.Mutex
	made, taken := 0, 0
	for p := range 3 {
		db := b.open()
		for i := range 8 {
			wg.Go(func() {
				email, err := account.ParseEmail(spellings[(p+i)%len(spellings)])
				if err != nil {
					t.Error(err)
				}
				_, err = db.CreateAccount(t.Context(), email, account.Developer)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					made++
				case errors.Is(err, account.ErrEmailTaken):
					taken++
				default:
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
	wantEqual(t, "accounts made", made, 1)
	wantEqual(t, "refused as taken", taken, 23)
	wantSame(t, "the accounts", ask[string](b, `SELECT email FROM accounts`), []string{"ada@example.org"})
}

func TestAccountsByPages(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	list := func(after string, limit int) []string {
		t.Helper()
		page, err := b.db.Accounts(t.Context(), account.Operator(), after, limit)
		if err != nil {
			t.Fatal(err)
		}
		return slugs(page, func(a account.Account) string { return a.Email })
	}
	wantSame(t, "no account", list("", 10), []string{})
	want := []string{}
	for i := range 20 {
		email := fmt.Sprintf("a%02d@example.org", (i*7)%20) // not in order
		b.signUp(email, account.Developer)
		want = append(want, email)
	}
	b.newKey("a03@example.org")
	b.setPlan("a03@example.org", account.Pro)
	b.deleteAccount("a11@example.org")
	slices.Sort(want)
	want = slices.DeleteFunc(want, func(s string) bool { return s == "a11@example.org" })

	all, after := []string{}, ""
	for {
		page := list(after, 6)
		all = append(all, page...)
		if len(page) < 6 {
			break
		}
		after = page[len(page)-1]
	}
	wantSame(t, "all pages", all, want)
	wantSame(t, "one page of all", list("", 100), want)
	wantSame(t, "after an address that nobody has", list("a11@example.org", 1), []string{"a12@example.org"})
	wantSame(t, "after the last", list("a19@example.org", 5), []string{})
	page, err := b.db.Accounts(t.Context(), account.Operator(), "a02@example.org", 1)
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "an account of the list", page[0], b.account("a03@example.org"))
	wantEqual(t, "its keys", page[0].Keys, 1)
}

// A change that fails, whether it is refused or its commit breaks, is no change: it
// leaves no number, no mark and no announcement.
func TestAFailedChangeOfAccessIsNone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	conn := b.conn()
	if _, err := conn.Exec(t.Context(), `LISTEN palmares_access`); err != nil {
		t.Fatal(err)
	}
	b.signUp("ada@example.org", account.Developer)
	key := b.newKey("ada@example.org")
	dump := func() string {
		return fmt.Sprint(ask[string](b, `SELECT a::text FROM accounts a UNION ALL SELECT k::text FROM keys k UNION ALL SELECT c::text FROM current_access c UNION ALL SELECT c::text FROM access_changes c ORDER BY 1`))
	}
	want := dump()

	wantError(t, "SetPlan", b.db.SetPlan(t.Context(), nobody, account.Pro, b.now), account.ErrNoAccount)
	wantError(t, "DeleteAccount", b.db.DeleteAccount(t.Context(), account.Operator(), nobody, b.now), account.ErrNoAccount)
	wantError(t, "RevokeKey", b.db.RevokeKey(t.Context(), account.Operator(), "key_nothing", b.now), account.ErrNoKey)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	wantError(t, "a cancelled revocation", b.db.RevokeKey(ended, account.Operator(), key.ID, b.now), context.Canceled)

	b.exec(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the commit failed'; END $$`)
	b.exec(`CREATE CONSTRAINT TRIGGER fail AFTER UPDATE ON accounts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail()`)
	for what, err := range map[string]error{
		"SetPlan": pgtest.ByEmail(b.db).SetPlan(t.Context(), "ada@example.org", account.Pro), "RevokeKey": b.db.RevokeKey(t.Context(), account.Operator(), key.ID, b.now),
		"DeleteAccount": pgtest.ByEmail(b.db).DeleteAccount(t.Context(), "ada@example.org", b.now),
	} {
		if err == nil || !strings.Contains(err.Error(), "the commit failed") {
			t.Errorf("%s whose commit fails: %v", what, err)
		}
	}
	b.exec(`DROP TRIGGER fail ON accounts`)
	wantEqual(t, "the database after failures", dump(), want)

	b.setPlan("ada@example.org", account.Pro)
	b.revoke(key.ID)
	b.exec(`NOTIFY palmares_access, 'end'`)
	heard := []string{}
	for len(heard) == 0 || heard[len(heard)-1] != "end" {
		ctx, cancel := context.WithTimeout(t.Context(), long)
		n, err := conn.WaitForNotification(ctx)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		heard = append(heard, n.Payload)
	}
	wantSame(t, "the announcements", heard, []string{"1", "2", "3", "end"}) // the first is the key's creation
}

// everyValue is the text of every column of every row of the database.
func (b *bench) everyValue() string {
	b.Helper()
	var all strings.Builder
	for _, table := range ask[string](b, `SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public'`) {
		for _, row := range ask[string](b, `SELECT r::text FROM `+table+` r`) {
			all.WriteString(row + "\n")
		}
	}
	return all.String()
}

func TestWhatIsKeptOfKeysAndOfTheDeleted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const email = "canary@example.org"
	a := b.signUp(email, account.Pro)
	key, info, err := pgtest.ByEmail(b.db).CreateKey(t.Context(), email, "the key of "+email)
	if err != nil {
		t.Fatal(err)
	}
	_, revoked, err := pgtest.ByEmail(b.db).CreateKey(t.Context(), email, "the old key of "+email)
	if err != nil {
		t.Fatal(err)
	}
	b.revoke(revoked.ID)
	b.signUp("other@example.org", account.Developer)

	hash := key.Hash()
	text, stored := key.Reveal(), hex.EncodeToString(hash[:])
	noKey := func(when string) {
		t.Helper()
		all := b.everyValue()
		for form, s := range map[string]string{
			"as it is": text, "without its prefix": text[4:], "without its checksum": text[4:34], "in hexadecimal": hex.EncodeToString([]byte(text)),
			"in base 64": base64.StdEncoding.EncodeToString([]byte(text)), "but for its beginning": text[8:],
		} {
			if strings.Contains(all, s) {
				t.Errorf("%s: the key is in the database %s", when, form)
			}
		}
		if strings.Count(all, stored) != 1 {
			t.Errorf("%s: the key's SHA-256 is there %d times: this proves nothing", when, strings.Count(all, stored))
		}
	}
	noKey("a live key")
	if n := strings.Count(b.everyValue(), email); n != 3 {
		t.Fatalf("the address is there %d times before the deletion: the check below proves nothing", n)
	}

	b.deleteAccount(email)
	noKey("a deleted account's key")
	if all := b.everyValue(); strings.Contains(all, "canary") || !strings.Contains(all, "other@example.org") {
		t.Errorf("the address is still there, or another's is not:\n%s", all)
	}
	wantEqual(t, "live keys after the deletion", len(b.live(nil)), 0)
	wantSame(t, "when its keys were revoked", ask[time.Time](b, `SELECT revoked_at FROM keys WHERE id = $1`, info.ID)[0].UTC(), b.now)
	wantSame(t, "when it was deleted", ask[time.Time](b, `SELECT deleted_at FROM accounts WHERE id::text = $1`, a.ID)[0].UTC(), b.now)

	// The schema itself ties the two together.
	for _, wrong := range []string{`UPDATE accounts SET email = 'canary@example.org'`, `UPDATE accounts SET deleted_at = NULL`} {
		if _, err := b.conn().Exec(t.Context(), wrong+` WHERE id::text = $1`, a.ID); err == nil {
			t.Errorf("%s: no error", wrong)
		}
	}
}

func TestMigration2DownAndUp(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.publish(before())
	b.signUp("ada@example.org", account.Pro)
	b.setPlan("ada@example.org", account.Developer)
	db, err := sql.Open("pgx", b.url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, os.DirFS("migrations"))
	if err != nil {
		t.Fatal(err)
	}
	ours := func() []string {
		return ask[string](b, `
			SELECT relname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
			WHERE nspname = 'public' AND relname ~ '^(accounts|keys|current_access|access_changes)' ORDER BY 1`)
	}
	up := ours()
	if !slices.Contains(up, "accounts") || !slices.Contains(up, "keys_slot") {
		t.Fatalf("the migration made %v", up)
	}
	if _, err := provider.DownTo(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	wantSame(t, "what going down leaves", ours(), []string{})
	wantEqual(t, "tools after going down", len(b.whole().Tools), len(before().Tools))
	if _, err := postgres.Migrate(t.Context(), b.url); err != nil {
		t.Fatal(err)
	}
	wantSame(t, "what coming up again makes", ours(), up)
	wantEqual(t, "the number then", b.latest().Number, 0)
	b.signUp("ada@example.org", account.Pro)
}

func TestAccountsWithoutASchema(t *testing.T) {
	t.Parallel()
	b := benchAt(t, emptyDatabase(t))
	ctx := t.Context()
	const email = "ada@example.org"
	_, err := b.db.CreateAccount(ctx, email, account.Pro)
	wantNoSchema(t, "CreateAccount", err)
	_, err = b.db.FindAccount(ctx, account.Operator(), email)
	wantNoSchema(t, "Account", err)
	_, err = b.db.Accounts(ctx, account.Operator(), "", 1)
	wantNoSchema(t, "Accounts", err)
	wantNoSchema(t, "SetPlan", b.db.SetPlan(ctx, nobody, account.Pro, b.now))
	wantNoSchema(t, "DeleteAccount", b.db.DeleteAccount(ctx, account.Operator(), nobody, b.now))
	_, err = b.db.CreateKey(ctx, account.Operator(), nobody, account.KeyInfo{}, account.Hash{})
	wantNoSchema(t, "CreateKey", err)
	_, err = b.db.Keys(ctx, account.Operator(), nobody)
	wantNoSchema(t, "Keys", err)
	wantNoSchema(t, "RevokeKey", b.db.RevokeKey(ctx, account.Operator(), "key_x", b.now))
	_, _, err = b.keyFeed().Latest(ctx, account.Change{})
	wantNoSchema(t, "Latest", err)
	_, _, err = b.keyFeed().Since(ctx, account.Change{}, func(account.LiveKey) {})
	wantNoSchema(t, "Since", err)
}
