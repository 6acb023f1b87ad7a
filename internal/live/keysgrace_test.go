package live

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func noDatabase(context.Context) (KeyFeed, error) { return nil, errors.New("no database") }

// A rotated key works until the end of its grace and not a moment longer, on a node that has heard
// nothing since the rotation, and on one that starts from its disk copy alone.
func TestKeys_Grace(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	db := server.Open()
	clock := testkit.NewClock(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
	accounts := account.NewService(db.Accounts, db.Keys, clock.Now)
	path := filepath.Join(t.TempDir(), "snapshot.keys")
	connected := runKeys(t, KeysOptions{Open: keyFeedOf(db), File: path, Now: clock.Now, RefreshEvery: time.Microsecond})
	testkit.Eventually(t, connected.Ready)
	works := func(k *runningKeys, key account.Key) bool { _, held := k.Find(key.Hash()); return held }

	old, oldID := aKey(t, db, "ada@example.org")
	cut, cutID := aKey(t, db, "ada@example.org")
	next, _, err := accounts.RotateKey(t.Context(), account.Operator(), oldID, time.Hour)
	must(t, err)
	_, _, err = accounts.RotateKey(t.Context(), account.Operator(), cutID, time.Hour)
	must(t, err)
	connected.refresh(t)
	for what, key := range map[string]account.Key{"old": old, "new": next, "other": cut} {
		testkit.Equal(t, "in the grace, the "+what+" key works", works(connected, key), true)
	}
	must(t, accounts.RevokeKey(t.Context(), account.Operator(), cutID))
	connected.refresh(t)
	testkit.Equal(t, "a key works whose grace was cut short", works(connected, cut), false)
	testkit.Equal(t, "loads of all keys", connected.loads.Load(), int64(1))

	server.Stop()
	connected.stop() // and writes its copy
	late := KeysOptions{Open: noDatabase, File: path, Now: clock.Now, RefreshTimeout: 100 * time.Millisecond}
	restarted := runKeys(t, late)
	testkit.Eventually(t, restarted.Ready)
	nodes := map[string]*runningKeys{"the node that saw the rotation": connected, "the one that was started from its copy": restarted}
	for _, step := range []struct {
		after time.Duration
		works bool
	}{{0, true}, {time.Hour - time.Nanosecond, true}, {time.Nanosecond, false}, {24 * time.Hour, false}} {
		clock.Advance(step.after)
		for who, k := range nodes {
			testkit.Equal(t, who+": the old key works", works(k, old), step.works)
			testkit.Equal(t, who+": the new key works", works(k, next), true)
		}
		if err := restarted.Refresh(t.Context(), old.Hash()); err != nil {
			t.Errorf("a node knows of the key and its end, and says %v", err)
		}
		if err := restarted.Refresh(t.Context(), cut.Hash()); err == nil {
			t.Error("a node without its database judges a key that it does not hold")
		}
	}
}

// A copy that the version before wrote is read. It lacks keys in their grace, so all keys are read
// when the database is there, although no change followed.
func TestKeysCopy_Version1(t *testing.T) {
	t.Parallel()
	db := open(t, pgtest.Migrated(t))
	accounts := account.NewService(db.Accounts, db.Keys, nil)
	old, oldID := aKey(t, db, "ada@example.org")
	next, _, err := accounts.RotateKey(t.Context(), account.Operator(), oldID, time.Hour)
	must(t, err)
	path := filepath.Join(t.TempDir(), "snapshot.keys")
	k := runKeys(t, KeysOptions{Open: keyFeedOf(db), File: path})
	testkit.Eventually(t, k.Ready)
	k.stop()

	written := testkit.ReadFile(t, path)
	payload, isCopy := bytes.CutPrefix([]byte(written[:len(written)-32]), []byte("palmares keys 2\n"))
	testkit.Equal(t, "the copy is one, of two keys", isCopy && len(payload) == keysHead+2*keySize, true)
	first := append([]byte("palmares keys 1\n"), payload[:keysHead]...)
	for b := payload[keysHead:]; len(b) > 0; b = b[keySize:] {
		if bytes.Equal(b[keySize1:keySize], make([]byte, 4)) { // the version before knows no other
			first = append(first, b[:keySize1]...)
		}
	}
	must(t, os.WriteFile(path, withSum(first), 0o600))

	alone := runKeys(t, KeysOptions{Open: noDatabase, File: path})
	testkit.Eventually(t, alone.Ready)
	for key, want := range map[account.Key]bool{next: true, old: false} {
		_, held := alone.Find(key.Hash())
		testkit.Equal(t, "without the database "+key.Preview()+" is held", held, want)
	}
	alone.stop()
	again := runKeys(t, KeysOptions{Open: keyFeedOf(db), File: path})
	testkit.Eventually(t, again.Ready)
	testkit.Equal(t, "the old key works", again.good(t, old), true)
	testkit.Equal(t, "the new key works", again.good(t, next), true)
	testkit.Equal(t, "loads of all keys", again.loads.Load(), int64(1))

	if _, err := readKeys(withSum([]byte("palmares keys 3\n" + string(payload)))); err == nil {
		t.Error("a copy of a version to come is read")
	}
}
