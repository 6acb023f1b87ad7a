package postgres_test

import (
	"encoding/hex"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func (db *testDB) keyFeed() *postgres.KeyFeed {
	db.Helper()
	f, err := db.Keys.Feed(db.Context())
	db.must(err)
	db.Cleanup(f.Close)
	return f
}

// latest is the last change of access.
func (db *testDB) latest() account.Change {
	db.Helper()
	f := db.keyFeed()
	defer f.Close()
	latest, _, err := f.Latest(db.Context(), account.Change{})
	db.must(err)
	return latest
}

// live reads what keys grant, by their hash in hexadecimal: all keys, or those of accounts
// that changed since.
func (db *testDB) live(since account.Change) map[string]account.Grant {
	db.Helper()
	f := db.keyFeed()
	defer f.Close()
	all := map[string]account.Grant{}
	_, _, err := f.Since(db.Context(), since, db.now, func(k account.LiveKey) { all[hexOf(k.Hash)] = k.Grant() })
	db.must(err)
	return all
}

func hexOf(h account.Hash) string { return hex.EncodeToString(h[:]) }

// Whatever program makes it, a change of access names its account, is announced, and is
// marked for nodes of the version before, which read the mark.
func TestAccess_ChangesAreNumberedAndAnnounced(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	f := db.keyFeed()
	ids := map[string]string{}
	for _, name := range []string{"ada", "bob", "eve"} {
		ids[name] = strings.ReplaceAll(db.signUp(name+"@example.org", account.Developer).ID, "-", "")
	}
	have := db.latest()
	wantEqual(t, "the number before any change", have.Number, 0)
	var one, two, old aKey
	for _, step := range []struct {
		what   string
		change func()
		who    string // "" when nothing changes for nodes
	}{
		{"a key", func() { one = db.newKey("ada@example.org") }, "ada"},
		{"another's key", func() { two = db.newKey("bob@example.org") }, "bob"},
		{"another plan", func() { db.setPlan("ada@example.org", account.Pro) }, "ada"},
		{"the same plan", func() { db.setPlan("ada@example.org", account.Pro) }, ""},
		{"a revocation", func() { db.revoke(two.ID) }, "bob"},
		{"a second revocation of the same", func() { db.revoke(two.ID) }, ""},
		{"a rotation with a grace", func() { old = one; one = db.mustRotate(old.ID, time.Hour) }, "ada"},
		{"the end of the grace, by hand", func() { db.exec(`UPDATE keys SET revoked_at = revoked_at + interval '1 hour' WHERE id = $1`, old.ID) }, "ada"},
		{"a revocation in the grace", func() { db.revoke(old.ID) }, "ada"},
		{"a second one", func() { db.revoke(old.ID) }, ""},
		{"a rotation without a grace", func() { one = db.mustRotate(one.ID, 0) }, "ada"},
		{"sleep, by hand", func() { db.exec(`UPDATE keys SET asleep = true WHERE id = $1`, one.ID) }, "ada"},
		{"the same plan, which wakes it", func() { db.setPlan("ada@example.org", account.Pro) }, "ada"},
		{"a choice", func() { db.exec(`UPDATE keys SET kept_at = now()`) }, ""},
		{"a use", func() { db.exec(`UPDATE keys SET last_used_on = current_date`) }, ""},
		{"an account", func() { db.signUp("joe@example.org", account.Pro) }, ""},
		{"the first account again", func() { db.revoke(one.ID) }, "ada"},
		{"a deletion", func() { db.deleteAccount("eve@example.org") }, "eve"},
		{"a key, by hand", func() {
			db.exec(`INSERT INTO keys (id, account_id, slot, name, preview, hash) SELECT 'raw', id, 1, '', '', sha256('raw') FROM accounts WHERE email = 'bob@example.org'`)
		}, "bob"},
		{"another hash, by hand", func() { db.exec(`UPDATE keys SET hash = sha256('cooked') WHERE id = 'raw'`) }, "bob"},
		{"no key any more, by hand", func() { db.exec(`DELETE FROM keys WHERE id = 'raw'`) }, "bob"},
		{"a revocation, by the program from before the table of changes", func() {
			db.exec(`UPDATE keys SET revoked_at = NULL WHERE id = $1`, two.ID)
			have = db.latest()
			db.exec(`UPDATE current_access SET number = number + 1`)
			db.exec(`WITH revoked AS (UPDATE keys SET revoked_at = now() WHERE id = $1 RETURNING account_id)
				UPDATE accounts SET change = (SELECT number FROM current_access) FROM revoked WHERE accounts.id = revoked.account_id`, two.ID)
		}, "bob"},
	} {
		step.change()
		want := []string{}
		if step.who != "" {
			want = append(want, ids[step.who])
		}
		_, changed, err := f.Since(t.Context(), have, db.now, func(account.LiveKey) {})
		db.must(err)
		wantSame(t, "whom "+step.what+" concerns", each(changed, func(id [16]byte) string { return hex.EncodeToString(id[:]) }), want)
		latest, follows, err := f.Latest(t.Context(), have)
		if err != nil || !follows || (latest.Number > have.Number) != (step.who != "") || latest != db.latest() {
			t.Errorf("%s: %+v leads to %+v: %v, %v", step.what, have, latest, follows, err)
		}
		if step.who != "" {
			wantError(t, step.what, f.Wait(t.Context(), long), nil)
			marked := ask[string](db, `SELECT replace(id::text, '-', '') FROM accounts WHERE change > $1`, have.Number)
			wantSame(t, "who is marked by "+step.what, marked, want)
			wantSame(t, "the number for the version before", ask[int64](db, `SELECT number FROM current_access`), []int64{latest.Number})
		}
		have = latest
	}
}

// Nodes read the live keys, and nothing of revoked ones.
func TestKeyFeed_ReadsLiveKeys(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	first := db.latest()
	ada, eve := db.signUp("ada@example.org", account.Pro), db.signUp("eve@example.org", account.Developer)
	db.signUp("gone@example.org", account.Developer)
	live, revoked, other := db.newKey("ada@example.org"), db.newKey("ada@example.org"), db.newKey("eve@example.org")
	db.newKey("gone@example.org")
	db.revoke(revoked.ID)
	db.deleteAccount("gone@example.org")
	want := map[string]account.Grant{
		hexOf(live.Hash()):  {KeyID: live.ID, AccountID: ada.ID, Plan: account.Pro},
		hexOf(other.Hash()): {KeyID: other.ID, AccountID: eve.ID, Plan: account.Developer},
	}
	wantSame(t, "all keys", db.live(account.Change{}), want)
	wantSame(t, "those of accounts that changed since the beginning", db.live(first), want)
}

// A statement that changes many keys takes their numbers at once. Old changes are deleted: a
// node that knows no later one reads everything.
func TestAccess_ManyChanges(t *testing.T) {
	testkit.Night(t) // 120,000 keys
	t.Parallel()
	db := newDB(t)
	f := db.keyFeed()
	start := db.latest()
	db.exec(`INSERT INTO accounts (email, plan) SELECT i || '@example.org', 'developer' FROM generate_series(1, 60000) i`)
	for slot, prefix := range []string{"a", "b"} {
		db.exec(`INSERT INTO keys (id, account_id, slot, name, preview, hash)
			SELECT $1::text || row_number() OVER (), id, $2::integer, '', '', sha256(($1 || id::text)::bytea) FROM accounts`, prefix, slot+1)
	}
	wantEqual(t, "the number", db.latest().Number, 120_000)
	wantSame(t, "the changes that are left", ask[int64](db, `SELECT number FROM access_changes ORDER BY number LIMIT 2`), []int64{20_001, 20_002})
	if _, follows, err := f.Latest(t.Context(), start); follows || err != nil {
		t.Errorf("a deleted change leads on: %v", err)
	}
	if _, _, err := f.Since(t.Context(), start, db.now, func(account.LiveKey) {}); err == nil {
		t.Error("changes since a deleted one")
	}
	wantEqual(t, "the keys", len(db.live(account.Change{})), 120_000)
}

// Nodes ask for what came after the last change that they saw. Were numbers not in commit
// order, a change could become visible under a number already passed, and a node would hold a
// revoked key for good. This follower does as a node does while four processes change plans.
func TestAccess_AFollowerMissesNothing(t *testing.T) {
	t.Parallel()
	const accounts, rounds = 6, 12
	db := newDB(t)
	email := func(i int) string { return fmt.Sprintf("a%d@example.org", i%accounts) }
	for i := range accounts {
		db.signUp(email(i), account.Developer)
		db.newKey(email(i))
	}
	f := db.keyFeed()
	have, known := db.latest(), db.live(account.Change{})
	follow := func() {
		latest, _, err := f.Since(t.Context(), have, db.now, func(k account.LiveKey) { known[hexOf(k.Hash)] = k.Grant() })
		if err != nil || latest.Number < have.Number {
			t.Errorf("from %d to %d: %v", have.Number, latest.Number, err)
		}
		have = latest
	}
	var processes []*postgres.DB
	for _, level := range []string{"read committed", "serializable", "read committed", "serializable"} {
		processes = append(processes, db.isolated(level))
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		atOnce(len(processes), func(p int) {
			for i := range rounds {
				plan := account.Developer + account.Plan((i/accounts+p+1)%2)
				wantError(t, "setting a plan", pgtest.ByEmail(processes[p]).SetPlan(t.Context(), email(i+p), plan), nil)
			}
		})
	}()
	for running := true; running; follow() {
		select {
		case <-done:
			running = false
		default:
		}
	}
	wantSame(t, "what the follower knows", known, db.live(account.Change{}))
	wantEqual(t, "its last change", have, db.latest())
	wantEqual(t, "the highest mark", ask[int64](db, `SELECT max(change) FROM accounts`)[0], have.Number)
}

// pg_restore fills one table after the other while nodes go on asking. They must not take the
// keys that are there so far for all keys.
func TestKeyFeed_DuringARestore(t *testing.T) {
	t.Parallel()
	run := func(name string, args ...string) {
		t.Helper()
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is needed: %v", name, err)
		}
		if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
	}
	source, target := newDB(t), newDB(t)
	source.signUp(owner, account.Pro)
	have := source.latest()
	source.newKey(owner)
	url := func(db *testDB) string { u, _, _ := strings.Cut(db.url, "?"); return u }
	dump := filepath.Join(t.TempDir(), "dump")
	run("pg_dump", "-Fc", "-f", dump, url(source))

	f := target.keyFeed()
	target.exec(`DROP SCHEMA public CASCADE`)
	target.exec(`CREATE SCHEMA public`)
	none := func(account.LiveKey) { t.Error("a key of a half-restored database") }
	for _, section := range []string{"pre-data", "data"} {
		run("pg_restore", "--section="+section, "-d", url(target), dump)
		for _, since := range []account.Change{{}, have} {
			if _, _, err := f.Since(t.Context(), since, target.now, none); err == nil {
				t.Errorf("after %s the keys since %d are read", section, since.Number)
			}
		}
		if _, err := target.Keys.Feed(t.Context()); err == nil || !strings.Contains(err.Error(), "being restored") {
			t.Errorf("a new connection after %s: %v", section, err)
		}
	}
	run("pg_restore", "--section=post-data", "-d", url(target), dump)
	all := source.live(account.Change{})
	wantSame(t, "the keys of the whole database", target.live(account.Change{}), all)
	wantSame(t, "those that changed", target.live(have), all)

	// A restored database goes on counting, and can be restored over itself.
	target.newKey(owner)
	run("pg_restore", "--clean", "--if-exists", "--exit-on-error", "-d", url(target), dump)
	wantEqual(t, "the last change of the restored database", target.latest(), source.latest())
	target.newKey(owner)
	wantEqual(t, "the number of the change after", target.latest().Number, source.latest().Number+1)
}
