package live

import (
	"context"
	"errors"
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
