package postgres_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/postgres"
)

// accountsOn is the service on a database, by the clock of the test.
func (db *testDB) accountsOn(p *postgres.DB) *account.Service {
	return account.NewService(p.Accounts, p.Keys, db.clock)
}

// rotate rotates a key, as the operator.
func (db *testDB) rotate(id string, grace time.Duration) (aKey, error) {
	key, info, err := db.accountsOn(db.DB).RotateKey(db.Context(), operator, id, grace)
	return aKey{key, info}, err
}

func (db *testDB) mustRotate(id string, grace time.Duration) aKey {
	db.Helper()
	k, err := db.rotate(id, grace)
	db.must(err)
	return k
}

// ends are the keys that nodes read, by id, with their ends; all of them, and those of accounts
// that changed since.
func (db *testDB) ends(since account.Change) map[string]uint32 {
	db.Helper()
	f := db.keyFeed()
	defer f.Close()
	ends := map[string]uint32{}
	_, _, err := f.Since(db.Context(), since, db.now, func(k account.LiveKey) { ends[k.Grant().KeyID] = k.End })
	db.must(err)
	return ends
}

// list is what the owner sees of the keys, with the clock of the test.
func (db *testDB) list(accountID string) []account.KeyInfo {
	db.Helper()
	list, err := db.accountsOn(db.DB).Keys(db.Context(), account.ByAccount(accountID), accountID)
	db.must(err)
	return list
}

// A rotated key is in nobody's way: its successor has its slot and its name. It works until the end
// of its grace, and a revocation ends that.
func TestKeys_Rotate(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	db.now = db.now.Add(300 * time.Millisecond)
	start := db.latest()
	a := db.signUp(owner, account.Developer)
	one, two, three := db.newKey(owner), db.newKey(owner), db.newKey(owner)
	db.must(db.Keys.Rename(t.Context(), operator, two.ID, "portable", db.now))
	end := db.now.Truncate(time.Second).Add(time.Hour + time.Second) // nodes count in seconds
	seconds := uint32(end.Unix())

	next := db.mustRotate(two.ID, time.Hour)
	wantEqual(t, "the name of the new key", next.Name, "portable")
	wantEqual(t, "live keys", db.account(owner).Keys, 3)
	db.tooMany("with a key in its grace", owner)
	list := db.list(a.ID)
	wantSame(t, "the keys, the rotated one last", each(list, keyID), []string{one.ID, three.ID, next.ID, two.ID})
	wantSame(t, "the new key in the list", list[2], next.KeyInfo)
	wantEqual(t, "the end of the old key", list[3].EndsAt, end)
	wantEqual(t, "the old key is revoked", list[3].RevokedAt.IsZero(), true)
	want := map[string]uint32{one.ID: 0, three.ID: 0, next.ID: 0, two.ID: seconds}
	wantSame(t, "what nodes read", db.ends(account.Change{}), want)
	wantSame(t, "what nodes read of what changed", db.ends(start), want)

	_, err := db.rotate(two.ID, time.Hour)
	wantError(t, "rotating a key in its grace", err, account.ErrKeyInGrace)
	_, err = db.rotate("key_nobody", 0)
	wantError(t, "rotating nothing", err, account.ErrNoKey)

	// As many keys are in their grace as the plan has keys, and no more.
	db.mustRotate(one.ID, 24*time.Hour)
	last := db.mustRotate(next.ID, 7*24*time.Hour)
	_, err = db.rotate(last.ID, time.Hour)
	wantError(t, "a fourth grace", err, account.ErrTooManyGracePeriods)
	final := db.mustRotate(last.ID, 0)
	wantEqual(t, "when a key without a grace was revoked", db.list(a.ID)[6].RevokedAt, db.now.Truncate(time.Microsecond))
	_, err = db.rotate(last.ID, 0)
	wantError(t, "rotating a revoked key", err, account.ErrKeyRevoked)

	// An end frees a grace, and so does a revocation.
	db.now = end.Add(-time.Microsecond)
	wantEqual(t, "the end of the old key, just before it", db.ends(account.Change{})[two.ID], seconds)
	db.now = end
	if _, read := db.ends(account.Change{})[two.ID]; read {
		t.Error("nodes read a key whose grace is over")
	}
	_, err = db.rotate(two.ID, 0)
	wantError(t, "rotating a key whose grace is over", err, account.ErrKeyRevoked)
	final = db.mustRotate(final.ID, time.Hour)
	db.now = db.now.Add(time.Minute)
	db.revoke(one.ID)
	final = db.mustRotate(final.ID, time.Hour)
	db.now = db.now.Add(time.Minute)
	db.revoke(one.ID)
	for _, k := range db.list(a.ID) {
		switch k.ID {
		case one.ID:
			wantEqual(t, "when a grace was cut short", k.RevokedAt, end.Add(time.Minute))
		case two.ID:
			wantEqual(t, "when a grace was over", k.RevokedAt, end)
		case final.ID, three.ID:
			wantEqual(t, "a live key ends or is revoked", k.EndsAt.IsZero() && k.RevokedAt.IsZero(), true)
		}
	}
	if _, read := db.ends(account.Change{})[one.ID]; read {
		t.Error("nodes read a key whose grace was cut short")
	}
	db.deleteAccount(owner)
	wantEqual(t, "keys of the deleted account that nodes read", len(db.ends(account.Change{})), 0)
	wantEqual(t, "keys of the deleted account that have a grace", db.count(`keys WHERE grace OR revoked_at > $1`, db.now), 0)
}

// A grace that begins with a second ends with one, and not a second later.
func TestKeys_GraceOfWholeSeconds(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	db.signUp(owner, account.Developer)
	db.now = db.now.Truncate(time.Second)
	old := db.newKey(owner)
	db.mustRotate(old.ID, time.Hour)
	wantEqual(t, "the end of the old key", db.ends(account.Change{})[old.ID], uint32(db.now.Add(time.Hour).Unix()))
}

// Of many rotations of one key at once, one wins. Revocations at the same time leave no key that
// works on, and nothing deadlocks.
func TestKeys_RotateUnderRaces(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	db.signUp(owner, account.Pro)
	processes := []*postgres.DB{db.isolated("read committed"), db.isolated("serializable")}
	for range 5 {
		old := db.newKey(owner)
		var made atomic.Pointer[aKey]
		atOnce(20, func(i int) {
			key, info, err := db.accountsOn(processes[i%2]).RotateKey(t.Context(), operator, old.ID, time.Hour)
			if err != nil {
				wantError(t, "another rotation", err, account.ErrKeyInGrace)
			} else if !made.CompareAndSwap(nil, &aKey{key, info}) {
				t.Error("two rotations of one key")
			}
		})
		ends := db.ends(account.Change{})
		if made.Load() == nil || len(ends) != 2 || ends[old.ID] == 0 || ends[made.Load().ID] != 0 {
			t.Fatalf("after the race nodes read %v", ends)
		}
		var rotated atomic.Int64
		next := made.Load().ID
		atOnce(10, func(i int) {
			if i%2 == 0 {
				wantError(t, "revoking", db.accountsOn(processes[0]).RevokeKey(t.Context(), operator, next), nil)
				return
			}
			_, _, err := db.accountsOn(processes[1]).RotateKey(t.Context(), operator, next, time.Hour)
			switch {
			case err == nil:
				rotated.Add(1)
			case !errors.Is(err, account.ErrKeyInGrace) && !errors.Is(err, account.ErrKeyRevoked):
				t.Error(err)
			}
		})
		ends = db.ends(account.Change{})
		if _, works := ends[next]; works || int64(len(ends)) != 1+rotated.Load() {
			t.Errorf("after %d rotations and revocations nodes read %v", rotated.Load(), ends)
		}
		for id := range ends {
			db.revoke(id)
		}
	}
}

// A form that is sent again makes no second key, whatever became of the first, and says so even
// when there is no room for another.
func TestKeys_CreateOnce(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	a := db.signUp(owner, account.Developer)
	once := account.NewOnce()
	send := func(once string) (account.KeyInfo, error) {
		key, info, err := db.accountsOn(db.DB).CreateKeyOnce(t.Context(), account.ByAccount(a.ID), a.ID, "clé", once)
		wantEqual(t, "there is a key", key.Reveal() != "", err == nil)
		return info, err
	}
	var made atomic.Int64
	atOnce(20, func(int) {
		info, err := send(once)
		if err != nil {
			wantError(t, "sending it again", err, account.ErrKeyMade)
			return
		}
		made.Add(1)
		wantEqual(t, "the id", info.ID, "key_"+once)
	})
	wantEqual(t, "keys made", made.Load(), 1)
	wantEqual(t, "keys stored", db.count(`keys`), 1)
	for range 2 {
		_, err := send(account.NewOnce())
		db.must(err)
	}
	_, err := send(account.NewOnce())
	wantError(t, "a fourth key", err, account.ErrTooManyKeys)
	_, err = send(once)
	wantError(t, "sending it again, of an account that is full", err, account.ErrKeyMade)
	db.revoke("key_" + once)
	_, err = send(once)
	wantError(t, "sending it again after a revocation", err, account.ErrKeyMade)

	// An id is nobody else's to take, even by who guesses it.
	eve := db.signUp("eve@example.org", account.Developer)
	_, _, err = db.accountsOn(db.DB).CreateKeyOnce(t.Context(), account.ByAccount(eve.ID), eve.ID, "clé", once)
	wantError(t, "another account sends it", err, account.ErrKeyMade)
	wantEqual(t, "keys of the other account", db.account("eve@example.org").Keys, 0)
}
