package postgres_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
)

const (
	nobody = "7a3c1f0e-0000-4000-8000-000000000000" // the id of no account
	owner  = "ada@example.org"
)

func (db *testDB) signUp(email string, plan account.Plan) account.Account {
	db.Helper()
	a, err := db.Accounts.Create(db.Context(), email, plan)
	db.must(err)
	return a
}

func (db *testDB) account(email string) account.Account {
	db.Helper()
	a, err := db.Accounts.Find(db.Context(), operator, email)
	db.must(err)
	return a
}

func (db *testDB) setPlan(email string, plan account.Plan) {
	db.Helper()
	db.must(pgtest.ByEmail(db.DB).SetPlan(db.Context(), email, plan))
}

func (db *testDB) deleteAccount(email string) {
	db.Helper()
	db.must(pgtest.ByEmail(db.DB).DeleteAccount(db.Context(), email, db.now))
}

func TestAccount(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	ctx := t.Context()
	earlier := time.Now().Add(-time.Minute)
	ada := db.signUp(owner, account.Developer)
	wantEqual(t, "the account", db.account(owner), ada)
	if ada.ID == "" || ada.CreatedAt.Before(earlier) || ada.Keys != 0 || ada.Plan != account.Developer {
		t.Errorf("the account: %+v", ada)
	}
	db.newKey(owner)
	db.revoke(db.newKey(owner).ID)
	wantEqual(t, "live keys", db.account(owner).Keys, 1)
	_, err := db.Accounts.Create(ctx, owner, account.Pro)
	wantError(t, "the same address again", err, account.ErrEmailTaken)
	wantEqual(t, "the plan after that", db.account(owner).Plan, account.Developer)
	db.setPlan(owner, account.Pro)
	wantEqual(t, "the plan", db.account(owner).Plan, account.Pro)

	// The schema has no anonymous accounts.
	if _, err := db.Accounts.Create(ctx, "bob@example.org", account.Anonymous); err == nil {
		t.Error("an anonymous account")
	}
	if err := db.Accounts.SetPlan(ctx, ada.ID, account.Anonymous, db.now); err == nil {
		t.Error("an account becomes anonymous")
	}

	// After a deletion the address is free for another account.
	db.deleteAccount(owner)
	for what, err := range db.missing(nobody, "nobody@example.org") {
		wantError(t, what+" of nobody", err, account.ErrNoAccount)
	}
	for what, err := range db.missing(ada.ID, owner) {
		wantError(t, what+" of a deleted account", err, account.ErrNoAccount)
	}
	again := db.signUp(owner, account.Developer)
	if again.ID == ada.ID || db.account(owner).Keys != 0 {
		t.Errorf("the new account has something of the old one: %+v", again)
	}
}

// missing tries everything with an account that is not there.
func (db *testDB) missing(id, email string) map[string]error {
	ctx := db.Context()
	_, get := db.Accounts.Get(ctx, operator, id)
	_, find := db.Accounts.Find(ctx, operator, email)
	_, list := db.Keys.List(ctx, operator, id, account.KeyFilter{}, db.now)
	_, create := db.Keys.Create(ctx, operator, id, account.KeyInfo{}, account.Hash{}, db.now)
	return map[string]error{
		"Get": get, "Find": find, "Keys.List": list, "Keys.Create": create,
		"SetPlan": db.Accounts.SetPlan(ctx, id, account.Pro, db.now), "Delete": db.Accounts.Delete(ctx, operator, id, nil, db.now),
	}
}

// However an address is spelled, and however many ask at once, it has one account.
func TestAccounts_OnePerAddress(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	spellings := []string{"ada@example.org", "Ada@example.org", "ADA@EXAMPLE.ORG", "ada@Example.Org"}
	processes := []*postgres.DB{db.DB, db.process(), db.process()}
	var made, taken atomic.Int64
	atOnce(24, func(i int) {
		email, err := account.ParseEmail(spellings[i%4])
		wantError(t, "parsing", err, nil)
		switch _, err := processes[i%3].Accounts.Create(t.Context(), email, account.Developer); {
		case err == nil:
			made.Add(1)
		case errors.Is(err, account.ErrEmailTaken):
			taken.Add(1)
		default:
			t.Error(err)
		}
	})
	wantEqual(t, "accounts made", made.Load(), 1)
	wantEqual(t, "refused as taken", taken.Load(), 23)
	wantSame(t, "the accounts", ask[string](db, `SELECT email FROM accounts`), []string{owner})
}

func TestAccounts_ByPages(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	list := func(after string, limit int) []string {
		t.Helper()
		page, err := db.Accounts.List(t.Context(), operator, after, limit)
		db.must(err)
		return each(page, func(a account.Account) string { return a.Email })
	}
	wantSame(t, "no account", list("", 10), []string{})
	want := []string{}
	for i := range 20 {
		email := fmt.Sprintf("a%02d@example.org", (i*7)%20) // not in order
		db.signUp(email, account.Developer)
		if email == "a11@example.org" {
			db.deleteAccount(email)
		} else {
			want = append(want, email)
		}
	}
	slices.Sort(want)
	all, page := []string{}, list("", 6)
	for ; len(page) == 6; page = list(page[5], 6) {
		all = append(all, page...)
	}
	wantSame(t, "all pages", append(all, page...), want)
	wantSame(t, "one page of all", list("", 100), want)
	wantSame(t, "after an address that nobody has", list("a11@example.org", 1), []string{"a12@example.org"})
	wantSame(t, "after the last", list("a19@example.org", 5), []string{})
	db.newKey("a03@example.org")
	db.setPlan("a03@example.org", account.Pro)
	found, err := db.Accounts.List(t.Context(), operator, "a02@example.org", 1)
	db.must(err)
	wantEqual(t, "an account of the list", found[0], db.account("a03@example.org"))
	wantEqual(t, "its keys", found[0].Keys, 1)
}

// A change that is refused, cancelled or fails to commit leaves no number, no mark and no
// announcement.
func TestAccess_FailedChange(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	ctx := t.Context()
	ada := db.signUp(owner, account.Developer)
	announced := db.announced("palmares_access", func() {
		key := db.newKey(owner)
		want := db.dump()
		db.missing(nobody, "nobody@example.org")
		wantError(t, "revoking no key", db.Keys.Revoke(ctx, operator, "key_nothing", db.now), account.ErrNoKey)
		ended, cancel := context.WithCancel(ctx)
		cancel()
		wantError(t, "a cancelled revocation", db.Keys.Revoke(ended, operator, key.ID, db.now), context.Canceled)
		db.failing("COMMIT UPDATE ON accounts", func() {
			for what, err := range map[string]error{
				"SetPlan": db.Accounts.SetPlan(ctx, ada.ID, account.Pro, db.now),
				"Revoke":  db.Keys.Revoke(ctx, operator, key.ID, db.now),
				"Delete":  db.Accounts.Delete(ctx, operator, ada.ID, nil, db.now),
			} {
				if err == nil || !strings.Contains(err.Error(), "it failed") {
					t.Errorf("%s whose commit fails: %v", what, err)
				}
			}
		})
		wantEqual(t, "the database after failures", db.dump(), want)
		db.setPlan(owner, account.Pro)
		db.revoke(key.ID)
	})
	wantSame(t, "the announcements", announced, []string{"1", "2", "3"}) // the first is the key's creation
}

// The database holds no key, only its hash, and nothing of an address after a deletion.
func TestAccounts_WhatIsStored(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	const email = "canary@example.org"
	a := db.signUp(email, account.Pro)
	create := func(name string) (account.Key, account.KeyInfo) {
		key, info, err := pgtest.ByEmail(db.DB).CreateKey(t.Context(), email, name+email)
		db.must(err)
		return key, info
	}
	key, info := create("the key of ")
	_, revoked := create("the old key of ")
	db.revoke(revoked.ID)
	db.signUp("other@example.org", account.Developer)

	hash, text := key.Hash(), key.Reveal()
	noKey := func(when string) {
		t.Helper()
		all := db.dump()
		for form, s := range map[string]string{
			"as it is": text, "without its prefix": text[4:], "without its checksum": text[4:34], "but for its beginning": text[8:],
			"in hexadecimal": hex.EncodeToString([]byte(text)), "in base 64": base64.StdEncoding.EncodeToString([]byte(text)),
		} {
			if strings.Contains(all, s) {
				t.Errorf("%s: the key is in the database %s", when, form)
			}
		}
		wantEqual(t, when+": how often its SHA-256 is there", strings.Count(all, hex.EncodeToString(hash[:])), 1)
	}
	noKey("a live key")
	wantEqual(t, "how often the address is there", strings.Count(db.dump(), email), 6) // the account, its keys, their log
	db.deleteAccount(email)
	noKey("a deleted account's key")
	if all := db.dump(); strings.Contains(all, "canary") || !strings.Contains(all, "other@example.org") {
		t.Errorf("the address is still there, or another's is not:\n%s", all)
	}
	wantEqual(t, "live keys after the deletion", len(db.live(account.Change{})), 0)
	wantEqual(t, "when its key was revoked", ask[time.Time](db, `SELECT revoked_at FROM keys WHERE id = $1`, info.ID)[0].UTC(), db.now)
	wantEqual(t, "when it was deleted", ask[time.Time](db, `SELECT deleted_at FROM accounts WHERE id::text = $1`, a.ID)[0].UTC(), db.now)
	for _, wrong := range []string{`email = 'canary@example.org'`, `deleted_at = NULL`} {
		if _, err := db.conn().Exec(t.Context(), `UPDATE accounts SET `+wrong+` WHERE id::text = $1`, a.ID); err == nil {
			t.Errorf("%s alone: no error", wrong)
		}
	}
}
