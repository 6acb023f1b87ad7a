package postgres_test

import (
	"encoding/hex"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
)

func (b *bench) keyFeed() *postgres.KeyFeed {
	b.Helper()
	f, err := b.db.KeyFeed(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(f.Close)
	return f
}

// latest is the last change of access.
func (b *bench) latest() account.Change {
	b.Helper()
	f := b.keyFeed()
	defer f.Close()
	latest, _, err := f.Latest(b.Context(), account.Change{})
	if err != nil {
		b.Fatal(err)
	}
	return latest
}

// firstChange is the one that every database begins with.
func (b *bench) firstChange() (first account.Change) {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.admin.QueryRow(b.Context(), `SELECT number, id FROM access_changes WHERE account_id IS NULL`).Scan(&first.Number, &first.ID)
	if err != nil {
		b.Fatal(err)
	}
	return first
}

// live reads what keys grant, by the hash in hexadecimal, as nodes do: all of them, or those of accounts that changed.
func (b *bench) live(since *account.Change) map[string]account.Grant {
	b.Helper()
	var have account.Change
	if since != nil {
		have = *since
	}
	all := map[string]account.Grant{}
	if _, _, err := b.keyFeed().Since(b.Context(), have, func(k account.LiveKey) { all[hexOf(k.Hash)] = k.Grant() }); err != nil {
		b.Fatal(err)
	}
	return all
}

func hexOf(h account.Hash) string { return hex.EncodeToString(h[:]) }

// changed are the ids of the accounts that changed, in order.
func (b *bench) changed(f *postgres.KeyFeed, since account.Change) []string {
	b.Helper()
	_, accounts, err := f.Since(b.Context(), since, func(account.LiveKey) {})
	if err != nil {
		b.Fatal(err)
	}
	ids := []string{}
	for _, a := range accounts {
		ids = append(ids, hex.EncodeToString(a[:]))
	}
	slices.Sort(ids)
	return ids
}

// Whatever program does it, a change of access is a row that concerns an account, is
// announced, and is marked for nodes that go by the mark.
func TestChangesOfAccessAreNumberedAndAnnounced(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	f := b.keyFeed()
	ids := map[string]string{}
	for _, name := range []string{"ada", "bob", "eve"} {
		ids[name] = strings.ReplaceAll(b.signUp(name+"@example.org", account.Developer).ID, "-", "")
	}
	have := b.latest()
	wantEqual(t, "the number before any change", have.Number, 0)
	var one, two aKey
	for _, step := range []struct {
		what   string
		change func()
		who    string // nobody, when nothing changes for nodes
	}{
		{"a key", func() { one = b.newKey("ada@example.org") }, "ada"},
		{"another's key", func() { two = b.newKey("bob@example.org") }, "bob"},
		{"another plan", func() { b.setPlan("ada@example.org", account.Pro) }, "ada"},
		{"the same plan", func() { b.setPlan("ada@example.org", account.Pro) }, ""},
		{"a revocation", func() { b.revoke(two.ID) }, "bob"},
		{"a second revocation of the same", func() { b.revoke(two.ID) }, ""},
		{"a use", func() { b.exec(`UPDATE keys SET last_used_on = current_date`) }, ""},
		{"an account", func() { b.signUp("joe@example.org", account.Pro) }, ""},
		{"the first account again", func() { b.revoke(one.ID) }, "ada"},
		{"a deletion", func() { b.deleteAccount("eve@example.org") }, "eve"},
		{"a key, by hand", func() {
			b.exec(`INSERT INTO keys (id, account_id, slot, name, preview, hash) SELECT 'raw', id, 1, '', '', sha256('raw') FROM accounts WHERE email = 'bob@example.org'`)
		}, "bob"},
		{"another hash, by hand", func() { b.exec(`UPDATE keys SET hash = sha256('cooked') WHERE id = 'raw'`) }, "bob"},
		{"no key any more, by hand", func() { b.exec(`DELETE FROM keys WHERE id = 'raw'`) }, "bob"},
		// As the program from before the table of changes did it.
		{"a revocation, by the last version", func() {
			b.exec(`UPDATE keys SET revoked_at = NULL WHERE id = $1`, two.ID)
			have = b.latest()
			b.exec(`UPDATE current_access SET number = number + 1`)
			b.exec(`WITH revoked AS (UPDATE keys SET revoked_at = now() WHERE id = $1 RETURNING account_id)
				UPDATE accounts SET change = (SELECT number FROM current_access) FROM revoked WHERE accounts.id = revoked.account_id`, two.ID)
		}, "bob"},
	} {
		step.change()
		want := []string{}
		if step.who != "" {
			want = append(want, ids[step.who])
		}
		wantSame(t, "whom "+step.what+" concerns", b.changed(f, have), want)
		latest, follows, err := f.Latest(t.Context(), have)
		if err != nil || !follows || (latest.Number > have.Number) != (step.who != "") || latest != b.latest() {
			t.Errorf("%s: %+v leads to %+v: %v, %v", step.what, have, latest, follows, err)
		}
		if step.who != "" {
			if err := f.Wait(t.Context(), long); err != nil {
				t.Errorf("%s: %v", step.what, err)
			}
			marked := ask[string](b, `SELECT replace(id::text, '-', '') FROM accounts WHERE change > $1`, have.Number)
			wantSame(t, "who is marked by "+step.what, marked, want)
			wantSame(t, "the number for the last version", ask[int64](b, `SELECT number FROM current_access`), []int64{latest.Number})
		}
		have = latest
	}
}

// A statement that changes many keys takes their numbers at once, and what is far behind
// is forgotten: whoever knows no more than that reads everything.
func TestManyChangesOfAccess(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	f := b.keyFeed()
	start := b.latest()
	b.exec(`INSERT INTO accounts (email, plan) SELECT i || '@example.org', 'developer' FROM generate_series(1, 60000) i`)
	many := `INSERT INTO keys (id, account_id, slot, name, preview, hash)
		SELECT $1::text || row_number() OVER (), id, $2::integer, '', '', sha256(($1 || id::text)::bytea) FROM accounts`
	b.exec(many, "a", 1)
	b.exec(many, "b", 2)
	wantEqual(t, "the number", b.latest().Number, 120_000)
	wantSame(t, "the rows that are kept", ask[int64](b, `SELECT number FROM access_changes ORDER BY number`)[:2], []int64{20_001, 20_002})
	if _, follows, err := f.Latest(t.Context(), start); follows || err != nil {
		t.Errorf("what was forgotten leads on: %v", err)
	}
	if _, _, err := f.Since(t.Context(), start, func(account.LiveKey) {}); err == nil {
		t.Error("changes since one that was forgotten")
	}
	wantEqual(t, "the keys", len(b.live(nil)), 120_000)
}

// Nodes ask for what came after the last change that they saw. Were numbers not in
// commit order, a change could become visible under a number already passed, and a
// revoked key would live on in a node for good. The follower here does as a node does,
// while several processes change plans; in the end it must know them all.
func TestAFollowerMissesNoChangeOfAccess(t *testing.T) {
	t.Parallel()
	const accounts, rounds = 6, 12
	levels := []string{"read committed", "serializable", "read committed", "serializable"} // one process each
	b := newBench(t)
	for i := range accounts {
		email := fmt.Sprintf("a%d@example.org", i)
		b.signUp(email, account.Developer)
		b.newKey(email)
	}
	f := b.keyFeed()
	have, known := b.latest(), b.live(nil)
	follow := func() {
		latest, _, err := f.Since(t.Context(), have, func(k account.LiveKey) { known[hexOf(k.Hash)] = k.Grant() })
		if err != nil || latest.Number < have.Number {
			t.Errorf("from %d to %d: %v", have.Number, latest.Number, err)
		}
		have = latest
	}
	var wg sync.WaitGroup
	for p, level := range levels {
		db := b.at(level)
		wg.Go(func() {
			for i := range rounds {
				email := fmt.Sprintf("a%d@example.org", (i+p)%accounts)
				if err := pgtest.ByEmail(db).SetPlan(t.Context(), email, account.Developer+account.Plan((i/accounts+p+1)%2)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		follow()
	}
	wantSame(t, "what the follower knows", known, b.live(nil))
	wantEqual(t, "its last change", have, b.latest())
	wantEqual(t, "the highest mark", ask[int64](b, `SELECT max(change) FROM accounts`)[0], have.Number)
}

// pg_restore fills one table after the other, under nodes that go on asking. They must
// not take what is there so far for all that there is.
func TestAHalfRestoredDatabaseIsNotRead(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"pg_dump", "pg_restore"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is needed: %v", tool, err)
		}
	}
	run := func(name string, args ...string) {
		t.Helper()
		if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
	}
	source, target := newBench(t), benchAt(t, emptyDatabase(t))
	source.signUp("ada@example.org", account.Pro)
	have := source.latest()
	source.newKey("ada@example.org")
	url := func(b *bench) string {
		u, _, _ := strings.Cut(b.url, "&synchronous_commit")
		return strings.Split(u, "?")[0]
	}
	dump := filepath.Join(t.TempDir(), "dump")
	run("pg_dump", "-Fc", "-f", dump, url(source))

	f := target.keyFeed()
	none := func(account.LiveKey) { t.Error("a key of a half-restored database") }
	for _, section := range []string{"pre-data", "data"} {
		run("pg_restore", "--section="+section, "-d", url(target), dump)
		for _, since := range []account.Change{{}, have} {
			if _, _, err := f.Since(t.Context(), since, none); err == nil {
				t.Errorf("after %s the keys since %d are read", section, since.Number)
			}
		}
	}
	run("pg_restore", "--section=post-data", "-d", url(target), dump)
	wantSame(t, "the keys of the whole database", target.live(nil), source.live(nil))
	wantSame(t, "those that changed", target.live(&have), source.live(nil))

	// What was restored goes on counting, and can be restored over itself.
	target.newKey("ada@example.org")
	run("pg_restore", "--clean", "--if-exists", "--exit-on-error", "-d", url(target), dump)
	wantEqual(t, "the last change of the restored database", target.latest(), source.latest())
	target.newKey("ada@example.org")
	if a, b := target.latest(), source.latest(); a.Number != b.Number+1 {
		t.Errorf("the change after a restore has the number %d, the last one %d", a.Number, b.Number)
	}
}
