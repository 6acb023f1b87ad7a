package live

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func keyFeedOf(db *postgres.DB) func(context.Context) (KeyFeed, error) {
	return func(ctx context.Context) (KeyFeed, error) {
		feed, err := db.Keys.Feed(ctx)
		if err != nil {
			return nil, err
		}
		return feed, nil
	}
}

// runningKeys are followed until the test ends.
type runningKeys struct {
	*Keys
	stop  func()
	loads atomic.Int64 // of all keys
	looks atomic.Int64 // that were asked for
}

func runKeys(tb testing.TB, o KeysOptions) *runningKeys {
	tb.Helper()
	k := &runningKeys{}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.RefreshTimeout == 0 { // a busy machine must not pass for a database that is gone
		o.RefreshTimeout = 20 * time.Second
	}
	o.Loaded, o.Refreshed = func(time.Duration) { k.loads.Add(1) }, func() { k.looks.Add(1) }
	k.Keys = NewKeys(o)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { k.Run(ctx) })
	k.stop = func() { cancel(); wg.Wait() }
	tb.Cleanup(k.stop)
	return k
}

// refresh brings the keys up to date.
func (k *runningKeys) refresh(tb testing.TB) {
	tb.Helper()
	if err := k.Refresh(tb.Context(), account.Hash{}); err != nil {
		tb.Fatal(err)
	}
}

// good tells whether a key works, once the keys are up to date.
func (k *runningKeys) good(tb testing.TB, key account.Key) bool {
	tb.Helper()
	_, held := k.Find(key.Hash())
	if !held {
		if err := k.Refresh(tb.Context(), key.Hash()); err != nil {
			tb.Fatal(err)
		}
		_, held = k.Find(key.Hash())
	}
	return held
}

// aKey makes a key of an account, which it makes too when there is none.
func aKey(tb testing.TB, db *postgres.DB, email string) (account.Key, string) {
	tb.Helper()
	if _, err := db.Accounts.Create(tb.Context(), email, account.Developer); err != nil && !errors.Is(err, account.ErrEmailTaken) {
		tb.Fatal(err)
	}
	key, info, err := pgtest.ByEmail(db).CreateKey(tb.Context(), email, "k")
	if err != nil {
		tb.Fatal(err)
	}
	return key, info.ID
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// cutKeyFeeds ends the connections on which keys are followed.
const cutKeyFeeds = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
	WHERE application_name = '` + postgres.KeyFeedName + `' AND datname = current_database()`

// What changes is read account by account, never everything anew.
func TestKeys_FollowChanges(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	db := open(t, url)
	k := runKeys(t, KeysOptions{Open: keyFeedOf(db), RefreshEvery: time.Microsecond})
	testkit.Eventually(t, k.Ready)
	for i := range 30 {
		email := fmt.Sprintf("a%d@example.org", i%3)
		key, id := aKey(t, db, email)
		if !k.good(t, key) {
			t.Fatal("a key that was just made does not work")
		}
		switch i % 3 {
		case 0:
			must(t, db.Keys.Revoke(t.Context(), account.Operator(), id, time.Now()))
		case 1:
			must(t, pgtest.ByEmail(db).DeleteAccount(t.Context(), email, time.Now()))
		case 2:
			must(t, pgtest.ByEmail(db).SetPlan(t.Context(), email, account.Pro))
			k.refresh(t)
			g, held := k.Find(key.Hash())
			if !held || g.Plan != account.Pro || g.KeyID != id {
				t.Errorf("after a change of plan: %+v, %v", g, held)
			}
			must(t, execute(url, `UPDATE keys SET revoked_at = now()`))
		}
		k.refresh(t)
		if k.good(t, key) {
			t.Errorf("a key works on after change %d", i%3)
		}
	}
	if n, at := k.Count(); n != 0 || at.Number == 0 || k.loads.Load() != 1 {
		t.Errorf("%d keys at change %d, %d loads of all keys", n, at.Number, k.loads.Load())
	}
	// A row that concerns everybody is an order to read everything.
	must(t, execute(url, `INSERT INTO access_changes (number) SELECT max(number) + 1 FROM access_changes`))
	k.refresh(t)
	if n := k.loads.Load(); n != 2 {
		t.Errorf("%d loads of all keys, want 2", n)
	}
}

// A backup is restored under keys that were revoked, or made, after it, and then the
// restored database changes, to fewer changes than the node has seen, to as many and to
// more, before the node looks again. What counts is what the restored one says.
func TestKeys_RestoredDatabase(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	named := func(name string) string { return strings.Replace(server.URL(), "/postgres?", "/"+name+"?", 1) }
	for _, changes := range []int64{0, 1, 2, 3, 7} {
		t.Run(fmt.Sprintf("%d changes after the restore", changes), func(t *testing.T) {
			before, after := fmt.Sprintf("before_%d", changes), fmt.Sprintf("after_%d", changes)
			must(t, execute(named("template1"), `CREATE DATABASE `+before+` TEMPLATE postgres`))
			source := open(t, named(before))
			kept, keptID := aKey(t, source, "r@example.org")
			bystander, _ := aKey(t, source, "other@example.org")
			revoked, revokedID := aKey(t, source, "back@example.org")
			source.Close()
			must(t, execute(named("template1"), `CREATE DATABASE `+after+` TEMPLATE `+before))
			lost, restored := open(t, named(before)), open(t, named(after))

			var current atomic.Pointer[postgres.DB]
			current.Store(lost)
			suspended := make(chan struct{}, 1) // held while the node does not look
			k := runKeys(t, KeysOptions{
				File: filepath.Join(t.TempDir(), "keys"),
				Open: func(ctx context.Context) (KeyFeed, error) {
					suspended <- struct{}{}
					defer func() { <-suspended }()
					return keyFeedOf(current.Load())(ctx)
				},
			})
			testkit.Eventually(t, k.Ready)
			gone, _ := aKey(t, lost, "r@example.org")
			must(t, pgtest.ByEmail(lost).SetPlan(t.Context(), "r@example.org", account.Pro))
			must(t, lost.Keys.Revoke(t.Context(), account.Operator(), revokedID, time.Now()))
			k.refresh(t)
			for key, want := range map[account.Key]bool{kept: true, gone: true, bystander: true, revoked: false} {
				if k.good(t, key) != want {
					t.Fatalf("before the restore %v is good: %v", key, !want)
				}
			}

			suspended <- struct{}{}
			current.Store(restored)
			must(t, execute(named(before), cutKeyFeeds))
			for i := range changes {
				if i == 0 {
					must(t, restored.Keys.Revoke(t.Context(), account.Operator(), keptID, time.Now()))
					continue
				}
				must(t, pgtest.ByEmail(restored).SetPlan(t.Context(), "other@example.org", account.Pro-account.Plan(1-i%2)))
			}
			<-suspended

			k.refresh(t)
			for key, want := range map[account.Key]bool{kept: changes == 0, gone: false, bystander: true, revoked: true} {
				if k.good(t, key) != want {
					t.Errorf("after the restore %v is good: %v", key, !want)
				}
			}
			if n := k.loads.Load(); n != 2 {
				t.Errorf("%d loads of all keys, want the first and one after the restore", n)
			}
		})
	}
}

// With a disk copy keys work without the database; the copy follows changes, at most so
// often, and is for nobody else to read.
func TestKeys_DiskCopy(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	db := open(t, url)
	path := filepath.Join(t.TempDir(), "snapshot.keys")
	nothing := func(context.Context) (KeyFeed, error) { return nil, errors.New("no database") }
	first, firstID := aKey(t, db, "ada@example.org")
	k := runKeys(t, KeysOptions{Open: keyFeedOf(db), File: path, CopyEvery: time.Hour})
	testkit.Eventually(t, k.Ready)
	testkit.Eventually(t, func() error { _, err := os.Stat(path); return err }) // before the first hour is over
	testkit.Eventually(t, func() error {
		if age := k.CopyAge(); age != 0 {
			return fmt.Errorf("the copy is behind by %v", age)
		}
		return nil
	})
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	written, err := os.ReadFile(path)
	must(t, err)

	second, _ := aKey(t, db, "ada@example.org")
	must(t, db.Keys.Revoke(t.Context(), account.Operator(), firstID, time.Now()))
	k.refresh(t)
	if b, err := os.ReadFile(path); err != nil || string(b) != string(written) || k.CopyAge() <= 0 {
		t.Errorf("the copy was written twice in an hour, or is behind and does not say so: %v, %v", k.CopyAge(), err)
	}
	k.stop()
	wantFiles(t, path)
	alone := runKeys(t, KeysOptions{Open: nothing, File: path, RefreshTimeout: 100 * time.Millisecond})
	testkit.Eventually(t, alone.Ready)
	if _, held := alone.Find(second.Hash()); !held {
		t.Error("a key does not work after a restart without the database")
	}
	if _, held := alone.Find(first.Hash()); held {
		t.Error("a key that was revoked before the end works after it")
	}
	if err := alone.Refresh(t.Context(), first.Hash()); err == nil {
		t.Error("a key that is not held is bad, and nobody asked the database")
	}
	if at := alone.Fresh(); at.IsZero() || alone.Connected() == nil {
		t.Errorf("fresh at %v, connected: %v", at, alone.Connected())
	}
	alone.stop()

	// Changes since then are read one by one.
	third, _ := aKey(t, db, "ada@example.org")
	again := runKeys(t, KeysOptions{Open: keyFeedOf(db), File: path})
	if !again.good(t, third) || !again.good(t, second) || again.loads.Load() != 0 {
		t.Errorf("%d loads of all keys after a start from a copy", again.loads.Load())
	}
	again.stop()

	// A copy that is not what was written is said and not used.
	must(t, os.WriteFile(path, append(written[:100:100], written[101:]...), 0o600))
	corrupt := runKeys(t, KeysOptions{Open: nothing, File: path})
	testkit.Eventually(t, func() error { return says(corrupt.Ready(), "no API keys to check by", "no database", "corrupt", path) })
	corrupt.stop()
	mended := runKeys(t, KeysOptions{Open: keyFeedOf(db), File: path})
	testkit.Eventually(t, mended.Ready)
	if !mended.good(t, third) {
		t.Error("a corrupt copy was used although the database is there")
	}
}

// However many ask for keys that nobody has, the database is asked so often and no more,
// and a key that is made meanwhile works at once.
func TestKeys_RefreshIsRare(t *testing.T) {
	t.Parallel()
	const every = 50 * time.Millisecond
	db := open(t, pgtest.Migrated(t))
	k := runKeys(t, KeysOptions{Open: keyFeedOf(db)}) // 50 ms is what it is by default
	testkit.Eventually(t, k.Ready)
	began := time.Now()
	ctx, stop := context.WithCancel(t.Context())
	var asked atomic.Int64
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			for ctx.Err() == nil {
				if err := k.Refresh(t.Context(), account.NewKey().Hash()); err != nil {
					t.Error(err)
				}
				asked.Add(1)
			}
		})
	}
	for i := range 20 {
		if key, _ := aKey(t, db, fmt.Sprintf("a%d@example.org", i)); !k.good(t, key) {
			t.Error("a key that was just made does not work")
		}
	}
	stop()
	wg.Wait()
	if most := int64(time.Since(began)/every) + 1; k.looks.Load() > most || asked.Load() < k.looks.Load() {
		t.Errorf("%d looks for %d requests, want %d at most", k.looks.Load(), asked.Load(), most)
	}
}

// A connection that breaks while requests wait is made anew, and they are answered all
// the same; only a database that is gone is an error, and a quick one.
func TestKeys_RefreshThroughFaults(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	db := server.Open()
	k := runKeys(t, KeysOptions{Open: keyFeedOf(db), RefreshEvery: time.Microsecond})
	testkit.Eventually(t, k.Ready)
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for ctx.Err() == nil {
				if err := k.Refresh(t.Context(), account.Hash{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 20 {
		must(t, execute(server.URL(), cutKeyFeeds))
		testkit.Eventually(t, k.Connected)
	}
	stop()
	wg.Wait()
	server.Stop()
	if err := k.Refresh(t.Context(), account.Hash{}); err == nil || errors.Is(err, errNoAnswer) {
		t.Errorf("without a database: %v, want what it failed of, before the time is over", err)
	}
	server.Start()
	testkit.Eventually(t, func() error { return k.Refresh(t.Context(), account.Hash{}) })
}
