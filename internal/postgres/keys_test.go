package postgres_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
)

// aKey is a key and its description.
type aKey struct {
	account.Key
	account.KeyInfo
}

func tryKey(db *testDB, p *postgres.DB, email string) (aKey, error) {
	key, info, err := pgtest.ByEmail(p).CreateKey(db.Context(), email, "clé")
	return aKey{key, info}, err
}

func (db *testDB) newKey(email string) aKey {
	db.Helper()
	k, err := tryKey(db, db.DB, email)
	db.must(err)
	return k
}

func (db *testDB) revoke(id string) {
	db.Helper()
	db.must(db.Keys.Revoke(db.Context(), operator, id, db.now))
}

// tooMany checks that the account gets no further key.
func (db *testDB) tooMany(when, email string) {
	db.Helper()
	k, err := tryKey(db, db.DB, email)
	wantError(db, when, err, account.ErrTooManyKeys)
	wantEqual(db, when+", the key", k, aKey{})
}

func (db *testDB) keys(email string) []account.KeyInfo {
	db.Helper()
	list, err := pgtest.ByEmail(db.DB).Keys(db.Context(), email)
	db.must(err)
	return list
}

func keyID(k account.KeyInfo) string { return k.ID }

// liveKeys are the ids of the account's live keys, sorted.
func (db *testDB) liveKeys(email string) []string {
	db.Helper()
	live := slices.DeleteFunc(db.keys(email), func(k account.KeyInfo) bool { return !k.RevokedAt.IsZero() })
	ids := each(live, keyID)
	slices.Sort(ids)
	return ids
}

// Fifty requests at once, from two processes, make as many keys as the plan allows, whatever
// isolation level the server defaults to.
func TestKeys_UnderRaces(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	for _, level := range []string{"read committed", "serializable"} {
		processes := []*postgres.DB{db.isolated(level), db.isolated(level)}
		for plan, limit := range map[account.Plan]int{account.Developer: 3, account.Pro: 10} {
			email := fmt.Sprintf("%s.%d@example.org", plan, len(level))
			db.signUp(email, plan)
			var mu sync.Mutex
			var made []aKey
			atOnce(50, func(i int) {
				k, err := tryKey(db, processes[i%2], email)
				if err != nil {
					wantError(t, level, err, account.ErrTooManyKeys)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				made = append(made, k)
			})
			live := db.live(account.Change{})
			for _, k := range made {
				wantEqual(t, "what a key that was made grants", live[hexOf(k.Hash())].KeyID, k.ID)
			}
			what := fmt.Sprintf("of plan %s, %s", plan, level)
			wantEqual(t, "keys made "+what, len(made), limit)
			ids := each(made, func(k aKey) string { return k.ID })
			slices.Sort(ids)
			wantSame(t, "keys stored "+what, db.liveKeys(email), ids)
			wantEqual(t, "keys counted "+what, db.account(email).Keys, limit)
			db.tooMany("after the race", email)
		}
	}
}

// Keys come and go at once, and in the end the account goes: no key outlives it, and nothing
// deadlocks.
func TestKeys_UntilTheAccountGoes(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	db.signUp(owner, account.Developer)
	atOnce(6, func(p int) {
		for i := range 12 {
			k, err := tryKey(db, db.DB, owner)
			var revoke []string
			switch {
			case err == nil && (p+i)%2 == 1:
				revoke = []string{k.ID}
			case errors.Is(err, account.ErrTooManyKeys):
				revoke = ask[string](db, `SELECT id FROM keys WHERE revoked_at IS NULL LIMIT 2`)
			case err != nil && !errors.Is(err, account.ErrNoAccount):
				t.Error(err)
			}
			for _, id := range revoke {
				wantError(t, "revoking", db.Keys.Revoke(t.Context(), operator, id, db.now), nil)
			}
			if p == 0 && i == 9 {
				db.deleteAccount(owner)
			}
		}
	})
	if made := db.count(`keys`); made < 5 {
		t.Errorf("%d keys were made: this proves little", made)
	}
	wantEqual(t, "live keys of the deleted account", db.count(`keys WHERE revoked_at IS NULL`), 0)
	wantEqual(t, "live keys that nodes read", len(db.live(account.Change{})), 0)
}

// The schema holds the limit by itself, against any program.
func TestKeys_TheSchemaRefuses(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	a := db.signUp(owner, account.Pro)
	for range 10 {
		db.newKey(owner)
	}
	conn := db.conn()
	insert := func(slot int, hash []byte, id string) error {
		_, err := conn.Exec(t.Context(), `INSERT INTO keys (id, account_id, slot, name, preview, hash) VALUES ($1, $2, $3, 'raw', 'plm_raw…', $4)`, id, a.ID, slot, hash)
		return err
	}
	fresh := func() []byte { h := account.NewKey().Hash(); return h[:] }
	for slot := -1; slot <= 12; slot++ {
		if err := insert(slot, fresh(), fmt.Sprint("raw", slot)); err == nil {
			t.Errorf("an 11th key, in slot %d", slot)
		}
	}
	taken := ask[string](db, `SELECT id FROM keys WHERE slot = 4`)[0]
	db.revoke(taken)
	living := ask[[]byte](db, `SELECT hash FROM keys WHERE slot = 5`)[0]
	for what, err := range map[string]error{
		"a live key's hash again":                insert(4, living, "raw"),
		"a hash that is too short":               insert(4, fresh()[:31], "raw"),
		"a revoked key's id again":               insert(4, fresh(), taken),
		"an id of more bytes than nodes provide": insert(4, fresh(), "key_17_characters"),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	wantError(t, "the free slot", insert(4, fresh(), "raw"), nil)
	if _, err := conn.Exec(t.Context(), `UPDATE keys SET revoked_at = NULL WHERE id = $1`, taken); err == nil {
		t.Error("a revoked key came back into a slot that is taken")
	}
}

func TestKeys_Revoke(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	db.signUp(owner, account.Developer)
	one, two, three := db.newKey(owner), db.newKey(owner), db.newKey(owner)
	db.tooMany("three keys", owner)
	db.revoke(two.ID)
	four := db.newKey(owner)
	// A second revocation frees no further slot, and does not move the date.
	db.nextDay()
	db.revoke(two.ID)
	db.tooMany("three keys again", owner)
	list := db.keys(owner)
	wantSame(t, "the keys by age, the revoked one last", each(list, keyID), []string{one.ID, three.ID, four.ID, two.ID})
	wantEqual(t, "when it was revoked", list[3].RevokedAt, db.now.AddDate(0, 0, -1))
}

func TestKeys_ListAndTouch(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	db.signUp(owner, account.Developer)
	one := db.newKey(owner)
	if !regexp.MustCompile(`^key_[a-z2-7]{12}$`).MatchString(one.ID) || one.Name != "clé" || one.KeyInfo.Preview != one.Key.Preview() || one.CreatedAt.IsZero() {
		t.Errorf("the key: %+v", one.KeyInfo)
	}
	wantSame(t, "the list", db.keys(owner), []account.KeyInfo{one.KeyInfo})

	two := db.newKey(owner)
	db.newKey(owner)
	made := db.latest()
	used := func(what string, want ...int) {
		t.Helper()
		days := each(db.keys(owner), func(k account.KeyInfo) int { return k.LastUsed.Day() })
		wantSame(t, what, days, want)
	}
	touch := func(day time.Time, ids ...string) {
		t.Helper()
		db.must(db.Keys.Touch(t.Context(), ids, day))
	}
	day := func(n int) time.Time { return time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC) }
	touch(day(5), one.ID, two.ID, "key_nobody")
	used("the first use", 5, 5, 1) // the zero time is a first
	touch(day(4), one.ID, two.ID)
	touch(day(6), two.ID, two.ID)
	used("an older day and a newer one", 5, 6, 1)
	touch(day(9))
	// In Nouméa it is the 8th already; days are those of UTC.
	touch(time.Date(2026, 3, 8, 6, 0, 0, 0, time.FixedZone("Nouméa", 11*60*60)), one.ID)
	used("a day from another zone", 7, 6, 1)
	wantEqual(t, "the use", db.keys(owner)[0].LastUsed, day(7))
	wantEqual(t, "changes of access by use", db.latest(), made)
}

// Nodes store the use of the same keys just after midnight. They must not deadlock, even when
// their statements read the table in opposite orders.
func TestKeys_TouchAtOnce(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	a := db.signUp(owner, account.Pro)
	const keys = 500
	db.exec(`INSERT INTO keys (id, account_id, slot, name, preview, hash, revoked_at)
		SELECT 'key_' || lpad((10000 - i)::text, 6, '0'), $1, 1, '', '', sha256(i::text::bytea), now() FROM generate_series(1, $2::integer) i`, a.ID, keys)
	ids := ask[string](db, `SELECT id FROM keys ORDER BY id`)
	processes := []*postgres.DB{
		db.process("enable_seqscan", "off", "enable_bitmapscan", "off"), db.process("enable_indexscan", "off", "enable_bitmapscan", "off"),
	}
	atOnce(2, func(i int) {
		for day := range 30 {
			wantError(t, "touching", processes[i].Keys.Touch(t.Context(), ids, db.now.AddDate(0, 0, day)), nil)
		}
	})
	wantEqual(t, "keys used on the last day", db.count(`keys WHERE last_used_on = $1`, db.now.AddDate(0, 0, 29)), keys)
}
