package live

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A key that sleeps is known and does not work, and asking for it is no use of it: on a node that
// follows the database, and on one that starts from its disk copy alone. An upgrade wakes it.
func TestKeys_Sleep(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	db := server.Open()
	path := filepath.Join(t.TempDir(), "snapshot.keys")
	var mu sync.Mutex
	var touched []string
	connected := runKeys(t, KeysOptions{
		Open: keyFeedOf(db), File: path, RefreshEvery: time.Microsecond,
		Touch: func(_ context.Context, ids []string, _ time.Time) error {
			mu.Lock()
			defer mu.Unlock()
			touched = append(touched, ids...)
			return nil
		},
	})
	testkit.Eventually(t, connected.Ready)
	const email = "ada@example.org"
	_, err := db.Accounts.Create(t.Context(), email, account.Pro)
	must(t, err)
	var keys []account.Key
	var ids []string
	for range 5 {
		key, id := aKey(t, db, email)
		keys, ids = append(keys, key), append(ids, id)
	}
	wantActive := func(k *runningKeys, when string, from int) {
		t.Helper()
		for i, key := range keys {
			_, works := k.Find(key.Hash())
			testkit.Equal(t, when+": works, sleeps", []bool{works, k.Suspended(key.Hash())}, []bool{i >= from, i < from})
		}
		if k.Suspended(account.NewKey().Hash()) {
			t.Error(when + ": a key that nobody has sleeps")
		}
	}
	setPlan := func(plan account.Plan) {
		t.Helper()
		must(t, pgtest.ByEmail(db).SetPlan(t.Context(), email, plan))
		connected.refresh(t)
	}
	setPlan(account.Developer)
	wantActive(connected, "after a downgrade", 2)
	must(t, connected.Flush(t.Context()))
	slices.Sort(touched)
	testkit.Equal(t, "keys whose use was noted", touched, slices.Sorted(slices.Values(ids[2:])))
	setPlan(account.Pro)
	wantActive(connected, "after an upgrade", 0)
	setPlan(account.Developer)
	testkit.Equal(t, "loads of all keys", connected.loads.Load(), int64(1))

	server.Stop()
	connected.stop() // and writes its copy
	alone := runKeys(t, KeysOptions{Open: noDatabase, File: path, RefreshTimeout: 100 * time.Millisecond})
	testkit.Eventually(t, alone.Ready)
	wantActive(alone, "from the disk copy", 2)
	if err := alone.Refresh(t.Context(), keys[0].Hash()); err != nil {
		t.Errorf("a node knows of a key that sleeps, and says %v", err)
	}
}

// Copies of older versions are read. Version 1 lacks keys in their grace, and neither tells which keys
// sleep, so all keys are read when the database is there, although no change followed.
func TestKeysCopy_OlderVersions(t *testing.T) {
	t.Parallel()
	for version, size := range map[string]int{"1": keySize1, "2": keySize2} {
		t.Run("version "+version, func(t *testing.T) {
			t.Parallel()
			url := pgtest.Migrated(t)
			db := open(t, url)
			accounts := account.NewService(db.Accounts, db.Keys, nil)
			old, oldID := aKey(t, db, "ada@example.org")
			next, _, err := accounts.RotateKey(t.Context(), account.Operator(), oldID, time.Hour)
			must(t, err)
			sleeping, sleepingID := aKey(t, db, "ada@example.org")
			must(t, execute(url, `UPDATE keys SET asleep = true WHERE id = '`+sleepingID+`'`))
			path := filepath.Join(t.TempDir(), "snapshot.keys")
			k := runKeys(t, KeysOptions{Open: keyFeedOf(db), File: path})
			testkit.Eventually(t, k.Ready)
			k.stop()

			written := testkit.ReadFile(t, path)
			payload, isCopy := bytes.CutPrefix([]byte(written[:len(written)-32]), []byte("palmares keys 3\n"))
			testkit.Equal(t, "the copy is one, of three keys", isCopy && len(payload) == keysHead+3*keySize, true)
			older := append([]byte("palmares keys "+version+"\n"), payload[:keysHead]...)
			for b := payload[keysHead:]; len(b) > 0; b = b[keySize:] {
				if size > keySize1 || bytes.Equal(b[keySize1:keySize2], make([]byte, 4)) { // version 1 knows no end
					older = append(older, b[:size]...)
				}
			}
			must(t, os.WriteFile(path, withSum(older), 0o600))

			alone := runKeys(t, KeysOptions{Open: noDatabase, File: path})
			testkit.Eventually(t, alone.Ready)
			for key, want := range map[account.Key]bool{next: true, sleeping: true, old: version == "2"} {
				_, held := alone.Find(key.Hash())
				testkit.Equal(t, "without the database "+key.Preview()+" works", held, want)
			}
			alone.stop()
			again := runKeys(t, KeysOptions{Open: keyFeedOf(db), File: path})
			testkit.Eventually(t, func() error { return again.Connected() })
			for key, want := range map[account.Key]bool{next: true, old: true, sleeping: false} {
				testkit.Equal(t, "with it "+key.Preview()+" works", again.good(t, key), want)
			}
			testkit.Equal(t, "loads of all keys", again.loads.Load(), int64(1))

			if _, err := readKeys(withSum([]byte("palmares keys 4\n" + string(payload)))); err == nil {
				t.Error("a copy of a version to come is read")
			}
		})
	}
}
