package postgres_test

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
)

// aKey is a key, and what is known of it.
type aKey struct {
	account.Key
	account.KeyInfo
}

func (b *bench) newKey(email string) aKey {
	b.Helper()
	key, info, err := pgtest.ByEmail(b.db).CreateKey(b.Context(), email, "clé")
	if err != nil {
		b.Fatal(err)
	}
	return aKey{key, info}
}

func (b *bench) revoke(id string) {
	b.Helper()
	if err := b.db.RevokeKey(b.Context(), account.Operator(), id, b.now); err != nil {
		b.Fatal(err)
	}
}

// tooMany checks that the account gets no further key.
func (b *bench) tooMany(when, email string) {
	b.Helper()
	key, info, err := pgtest.ByEmail(b.db).CreateKey(b.Context(), email, "one more")
	wantError(b.T, when, err, account.ErrTooManyKeys)
	if key != (account.Key{}) || info != (account.KeyInfo{}) {
		b.Errorf("%s: a key was given all the same", when)
	}
}

// liveKeys are the ids of the account's live keys, in order.
func (b *bench) liveKeys(email string) []string {
	b.Helper()
	list, err := pgtest.ByEmail(b.db).Keys(b.Context(), email)
	if err != nil {
		b.Fatal(err)
	}
	ids := []string{}
	for _, k := range list {
		if k.RevokedAt.IsZero() {
			ids = append(ids, k.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// at opens one more process on the database, for which the server's default
// isolation is another.
func (b *bench) at(level string) *postgres.DB {
	b.Helper()
	db, err := postgres.Open(b.Context(), b.url+"&default_transaction_isolation="+url.PathEscape(level), postgres.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(db.Close)
	return db
}

// Fifty requests at once, from several processes, leave as many keys as the plan
// allows, whatever isolation the server gives by default.
func TestKeysUnderRaces(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, level := range []string{"read committed", "serializable"} {
		processes := []*postgres.DB{b.at(level), b.at(level)}
		for plan, limit := range map[account.Plan]int{account.Developer: 3, account.Pro: 10} {
			email := fmt.Sprintf("%s.%d@example.org", plan, len(level))
			b.signUp(email, plan)
			var wg sync.WaitGroup
			var mu sync.Mutex
			made, given := []string{}, map[account.Hash]string{}
			for i := range 50 {
				db := processes[i%len(processes)]
				wg.Go(func() {
					key, info, err := pgtest.ByEmail(db).CreateKey(t.Context(), email, "clé")
					if err != nil {
						wantError(t, level, err, account.ErrTooManyKeys)
						return
					}
					mu.Lock()
					defer mu.Unlock()
					made = append(made, info.ID)
					given[key.Hash()] = info.ID
				})
			}
			wg.Wait()
			slices.Sort(made)
			live := b.live(nil)
			for hash, id := range given {
				wantEqual(t, "what a key that was given grants", live[hexOf(hash)].KeyID, id)
			}
			what := fmt.Sprintf("of plan %s, %s", plan, level)
			wantEqual(t, "keys made "+what, len(made), limit)
			wantSame(t, "keys kept "+what, b.liveKeys(email), made)
			wantEqual(t, "keys counted "+what, b.account(email).Keys, limit)
			b.tooMany("after the race", email)
		}
	}
}

// Keys come and go at once, and the account goes in the end: no key outlives it,
// and nobody is told of a deadlock.
func TestKeysComeAndGoUntilTheAccountDoes(t *testing.T) {
	t.Parallel()
	const email = "ada@example.org"
	b := newBench(t)
	b.signUp(email, account.Developer)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var made []aKey
	for p := range 6 {
		wg.Go(func() {
			for i := range 12 {
				key, info, err := pgtest.ByEmail(b.db).CreateKey(t.Context(), email, "clé")
				switch {
				case err == nil:
					mu.Lock()
					made = append(made, aKey{key, info})
					mu.Unlock()
					if (p+i)%2 == 0 {
						break
					}
					if err := b.db.RevokeKey(t.Context(), account.Operator(), info.ID, b.now); err != nil {
						t.Error(err)
					}
				case errors.Is(err, account.ErrTooManyKeys):
					for _, id := range ask[string](b, `SELECT id FROM keys WHERE revoked_at IS NULL LIMIT 2`) {
						if err := b.db.RevokeKey(t.Context(), account.Operator(), id, b.now); err != nil {
							t.Error(err)
						}
					}
				case !errors.Is(err, account.ErrNoAccount):
					t.Error(err)
				}
				if p == 0 && i == 9 {
					b.deleteAccount(email)
				}
			}
		})
	}
	wg.Wait()
	if len(made) < 5 {
		t.Errorf("%d keys were made: this proves little", len(made))
	}
	wantEqual(t, "live keys of the deleted account", ask[int](b, `SELECT count(*)::integer FROM keys WHERE revoked_at IS NULL`)[0], 0)
	wantEqual(t, "live keys that nodes read", len(b.live(nil)), 0)
}

// The schema holds the limit by itself, against any program.
func TestTheSchemaRefusesWhatTheProgramWould(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	a := b.signUp("ada@example.org", account.Pro)
	for range 10 {
		b.newKey("ada@example.org")
	}
	conn := b.conn()
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
	taken := ask[string](b, `SELECT id FROM keys WHERE slot = 4`)[0]
	b.revoke(taken)
	living := ask[[]byte](b, `SELECT hash FROM keys WHERE slot = 5`)[0]
	for what, err := range map[string]error{
		"a live key's hash again":  insert(4, living, "raw"),
		"a hash that is too short": insert(4, fresh()[:31], "raw"),
		"a revoked key's id again": insert(4, fresh(), taken),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if err := insert(4, fresh(), "raw"); err != nil {
		t.Errorf("the free slot: %v: the refusals above prove nothing", err)
	}
	if _, err := conn.Exec(t.Context(), `UPDATE keys SET revoked_at = NULL WHERE id = $1`, taken); err == nil {
		t.Error("a revoked key came back into a slot that is taken")
	}
}

func TestRevokingFreesAPlace(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const email = "ada@example.org"
	b.signUp(email, account.Developer)
	one, two, three := b.newKey(email), b.newKey(email), b.newKey(email)
	b.tooMany("three keys", email)
	b.revoke(two.ID)
	four := b.newKey(email)
	b.tooMany("three keys again", email)
	want := []string{one.ID, three.ID, four.ID}
	slices.Sort(want)
	wantSame(t, "the live keys", b.liveKeys(email), want)

	// Revoking twice frees nothing more, and does not move the date.
	b.nextDay()
	b.revoke(two.ID)
	b.tooMany("after a second revocation", email)
	list, err := pgtest.ByEmail(b.db).Keys(t.Context(), email)
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "the revoked key comes last", list[3].ID, two.ID)
	wantEqual(t, "when it was revoked", list[3].RevokedAt.UTC(), b.now.AddDate(0, 0, -1))
	wantSame(t, "the others by age", slugs(list[:3], func(k account.KeyInfo) string { return k.ID }), []string{one.ID, three.ID, four.ID})
	wantError(t, "a key that nobody has", b.db.RevokeKey(t.Context(), account.Operator(), "key_nothing", b.now), account.ErrNoKey)
}

// After a downgrade keys go on working, on the new plan; no further one is given
// before there are fewer than it allows.
func TestADowngradeKeepsKeys(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const email = "ada@example.org"
	b.signUp(email, account.Pro)
	var keys []aKey
	for range 5 {
		keys = append(keys, b.newKey(email))
	}
	b.setPlan(email, account.Developer)
	live := b.live(nil)
	for _, k := range keys {
		wantEqual(t, "the plan of a key after the downgrade", live[hexOf(k.Hash())].Plan, account.Developer)
	}
	// From the front: the keys that stay are in places that the new plan does not have.
	for _, k := range keys[:3] {
		b.tooMany(fmt.Sprintf("with %d keys", b.account(email).Keys), email)
		b.revoke(k.ID)
	}
	b.newKey(email)
	b.tooMany("with 3 keys", email)
	b.setPlan(email, account.Pro)
	for range 7 {
		b.newKey(email)
	}
	b.tooMany("with 10 keys", email)
}

// What nodes read: the live keys, and nothing of those that were revoked.
func TestLiveKeys(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ada := b.signUp("ada@example.org", account.Pro)
	b.signUp("gone@example.org", account.Developer)
	eve := b.signUp("eve@example.org", account.Developer)
	live, revoked := b.newKey("ada@example.org"), b.newKey("ada@example.org")
	b.newKey("gone@example.org")
	other := b.newKey("eve@example.org")
	b.revoke(revoked.ID)
	b.deleteAccount("gone@example.org")
	want := map[string]account.Grant{
		hexOf(live.Hash()):  {KeyID: live.ID, AccountID: ada.ID, Plan: account.Pro},
		hexOf(other.Hash()): {KeyID: other.ID, AccountID: eve.ID, Plan: account.Developer},
	}
	wantSame(t, "all of them", b.live(nil), want)
	start := b.firstChange()
	wantSame(t, "those of accounts that changed since the beginning", b.live(&start), want)

	// An id that nodes cannot hold is refused where it is made.
	_, err := b.conn().Exec(t.Context(), `
		INSERT INTO keys (id, account_id, slot, name, preview, hash) VALUES ('key_17_characters', $1, 9, '', '', sha256('x'))`, ada.ID)
	if err == nil {
		t.Error("an id of 17 characters")
	}
}

func (b *bench) lastUsed(email string) []string {
	b.Helper()
	list, err := pgtest.ByEmail(b.db).Keys(b.Context(), email)
	if err != nil {
		b.Fatal(err)
	}
	return slugs(list, func(k account.KeyInfo) string {
		if k.LastUsed.IsZero() {
			return "never"
		}
		return k.LastUsed.UTC().Format(time.DateTime)
	})
}

func TestWhatIsKnownOfAKey(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const email = "ada@example.org"
	b.signUp(email, account.Developer)
	one := b.newKey(email)
	if !regexp.MustCompile(`^key_[a-z2-7]{12}$`).MatchString(one.ID) || one.Name != "clé" || one.KeyInfo.Preview != one.Key.Preview() || one.CreatedAt.IsZero() {
		t.Errorf("the key: %+v", one.KeyInfo)
	}
	list, err := pgtest.ByEmail(b.db).Keys(t.Context(), email)
	if err != nil {
		t.Fatal(err)
	}
	wantSame(t, "the list", list, []account.KeyInfo{one.KeyInfo})

	// The last use only moves forward.
	two := b.newKey(email)
	b.newKey(email)
	touch := func(day time.Time, ids ...string) {
		t.Helper()
		if err := b.db.TouchKeys(t.Context(), ids, day); err != nil {
			t.Fatal(err)
		}
	}
	day := func(n int) time.Time { return time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC) }
	made := b.latest()
	wantSame(t, "keys never used", b.lastUsed(email), []string{"never", "never", "never"})
	touch(day(5), one.ID, two.ID, "key_nobody")
	wantSame(t, "the first use", b.lastUsed(email), []string{"2026-03-05 00:00:00", "2026-03-05 00:00:00", "never"})
	touch(day(4), one.ID, two.ID)
	touch(day(6), two.ID, two.ID)
	wantSame(t, "an older day and a newer one", b.lastUsed(email), []string{"2026-03-05 00:00:00", "2026-03-06 00:00:00", "never"})
	touch(day(9))
	// In Nouméa it is the 8th already; days are those of UTC.
	touch(time.Date(2026, 3, 8, 6, 0, 0, 0, time.FixedZone("Nouméa", 11*60*60)), one.ID)
	wantSame(t, "a day from another zone", b.lastUsed(email), []string{"2026-03-07 00:00:00", "2026-03-06 00:00:00", "never"})
	wantEqual(t, "changes of access by use", b.latest(), made)
}

// Nodes note the use of the same keys at the same moment, just after midnight. Two
// of them must not wait for each other, also where their statements read the table
// in opposite orders: by the index, and as it lies.
func TestNodesNoteTheUseOfKeysAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	a := b.signUp("ada@example.org", account.Pro)
	const keys = 500
	b.exec(`INSERT INTO keys (id, account_id, slot, name, preview, hash, revoked_at)
		SELECT 'key_' || lpad((10000 - i)::text, 6, '0'), $1, 1, '', '', sha256(i::text::bytea), now() FROM generate_series(1, $2::integer) i`, a.ID, keys)
	ids := ask[string](b, `SELECT id FROM keys ORDER BY id`)
	byIndex, err := postgres.Open(t.Context(), b.url+"&enable_seqscan=off&enable_bitmapscan=off", postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer byIndex.Close()
	asItLies, err := postgres.Open(t.Context(), b.url+"&enable_indexscan=off&enable_bitmapscan=off", postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer asItLies.Close()
	var wg sync.WaitGroup
	for _, db := range []*postgres.DB{byIndex, asItLies} {
		wg.Go(func() {
			for day := range 10 {
				if err := db.TouchKeys(t.Context(), ids, b.now.AddDate(0, 0, day)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	wantEqual(t, "keys used on the last day", ask[int](b, `SELECT count(*)::integer FROM keys WHERE last_used_on = $1`, b.now.AddDate(0, 0, 9))[0], keys)
}
