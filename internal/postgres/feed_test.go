package postgres_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/postgres"
)

// long is more than any answer takes, and soon less than a test may.
const (
	long = 2 * time.Minute
	soon = time.Minute
)

// wakes runs Wait and reports whether it came back before its time was up.
func wakes(t *testing.T, f *postgres.Feed, d time.Duration) bool {
	t.Helper()
	started := time.Now()
	if err := f.Wait(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	return time.Since(started) < d
}

// meanwhile does something a moment from now; what it returns waits for the end.
func meanwhile(do func()) (wait func()) {
	var wg sync.WaitGroup
	wg.Go(func() {
		time.Sleep(50 * time.Millisecond)
		do()
	})
	return wg.Wait
}

func TestWaitHearsOfAnEdition(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	f := b.feed()

	// Announced while nobody waits: heard all the same.
	e1 := b.publish(contents(tool("a")))
	if !wakes(t, f, long) {
		t.Error("an edition from before Wait went unheard")
	}
	latest, err := f.Latest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "the latest edition", latest, e1)

	// Announced while waiting.
	started := time.Now()
	wait := meanwhile(func() { b.publish(contents(tool("b"))) })
	if !wakes(t, f, long) || time.Since(started) > soon {
		t.Error("an edition during Wait went unheard")
	}
	wait()

	// Announced during a query on the same connection, which must not swallow it.
	b.publish(contents(tool("c")))
	if _, err := f.Since(t.Context(), e1); err != nil {
		t.Fatal(err)
	}
	if !wakes(t, f, long) {
		t.Error("an edition announced during a query went unheard")
	}
}

func TestWaitTimesOutAndTheConnectionStaysUsable(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	f := b.feed()
	for _, d := range []time.Duration{80 * time.Millisecond, time.Millisecond, 0, 80 * time.Millisecond} {
		if d > 0 && wakes(t, f, d) {
			t.Errorf("Wait(%s) came back early, with nothing announced", d)
		} else if d == 0 {
			wakes(t, f, d)
		}
		if _, err := f.Latest(t.Context()); err != nil {
			t.Fatalf("after Wait(%s): %v", d, err)
		}
	}
	b.publish(contents(tool("a")))
	if !wakes(t, f, long) {
		t.Error("an edition went unheard after waits that timed out")
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	f := b.feed()
	ctx, cancel := context.WithCancel(t.Context())
	defer meanwhile(cancel)()
	if err := f.Wait(ctx, long); !errors.Is(err, context.Canceled) {
		t.Errorf("Wait with a context that ends: %v", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := b.feed().Wait(ctx, long); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Wait with a context whose time is up: %v", err)
	}
}

func TestWaitTellsThatTheConnectionDied(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	f := b.feed()
	defer meanwhile(func() {
		b.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1`, postgres.FeedName)
	})()
	started := time.Now()
	if err := f.Wait(t.Context(), long); err == nil || time.Since(started) > soon {
		t.Errorf("Wait on a dead connection: %v after %s", err, time.Since(started))
	}
	if _, err := f.Latest(t.Context()); err == nil {
		t.Error("Latest on a dead connection: no error")
	}
}

// A commit is announced once, with its number; a rollback never.
func TestOnlyACommitIsAnnounced(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	conn := b.conn()
	if _, err := conn.Exec(t.Context(), `LISTEN palmares_edition`); err != nil {
		t.Fatal(err)
	}
	b.publish(contents(tool("a")))

	b.exec(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the commit failed'; END $$`)
	b.exec(`CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON editions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail()`)
	if _, err := b.db.Publish(t.Context(), b.clock, b.toward(contents(tool("b")))); err == nil {
		t.Fatal("the commit did not fail")
	}
	b.exec(`DROP TRIGGER fail ON editions`)
	b.publish(contents(tool("a"))) // nothing changes: nothing to announce
	b.publish(contents(tool("c")))
	b.exec(`NOTIFY palmares_edition, 'end'`)

	heard := []string{}
	for {
		ctx, cancel := context.WithTimeout(t.Context(), long)
		n, err := conn.WaitForNotification(ctx)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if n.Payload == "end" {
			break
		}
		heard = append(heard, n.Payload)
	}
	wantSame(t, "the announcements", heard, []string{"1", "2"})
}

func TestAFeedHasAConnectionOfItsOwn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	f := b.feed()
	b.publish(contents(tool("a")))
	names := ask[string](b, `
		SELECT application_name FROM pg_stat_activity
		WHERE datname = current_database() AND application_name = $1`, postgres.FeedName)
	wantEqual(t, "connections with the feed's name", len(names), 1)

	// Closing the pool does not end it, and it reads one state as a whole.
	b.db.Close()
	d, err := f.Since(t.Context(), catalog.Edition{})
	if err != nil {
		t.Fatal(err)
	}
	wantSame(t, "the tools", toolSlugs(d), []string{"a"})
	f.Close()
	if _, err := f.Latest(t.Context()); err == nil {
		t.Error("a closed feed still answers")
	}
	f.Close() // twice is no harm
}

func TestAFeedWithoutADatabase(t *testing.T) {
	t.Parallel()
	db, err := postgres.Open(t.Context(), "postgres://nobody@127.0.0.1:1/nowhere?sslmode=disable", postgres.Options{})
	if err != nil {
		t.Fatalf("Open must not need the database: %v", err)
	}
	defer db.Close()
	if _, err := db.Feed(t.Context()); err == nil {
		t.Error("no error")
	}
	if _, err := postgres.Open(t.Context(), "postgres://a b", postgres.Options{}); err == nil {
		t.Error("a URL that is none: no error")
	}
}
