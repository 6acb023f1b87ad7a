package live_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
)

func open(tb testing.TB, url string) *postgres.DB {
	tb.Helper()
	db, err := postgres.Open(tb.Context(), url, postgres.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(db.Close)
	return db
}

// execute runs statements on a connection of their own.
func execute(url string, statements ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer conn.Close(ctx)
	for _, s := range statements {
		if _, err := conn.Exec(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

// cutFeeds ends the connections of the feeds to the database.
const cutFeeds = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
	WHERE application_name = '` + postgres.FeedName + `' AND datname = current_database()`

// wipe takes every edition from a database, in one commit.
const wipe = `TRUNCATE current_edition, editions, price_history, events, service, categories, tools, comparisons, retired, tombstones`

// A backup of edition 2 is restored under nodes that are at edition 3, and other
// editions are published over it: whatever number they reach, the nodes load them
// from nothing.
func TestRestoredDatabase(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	source := open(t, server.URL())
	publish(t, source, put(contents(40)))
	second := publish(t, source, tagline(2, "Deux."))
	source.Close() // a template must be left alone
	if err := execute(strings.Replace(server.URL(), "/postgres?", "/template1?", 1), `CREATE DATABASE restored TEMPLATE postgres`); err != nil {
		t.Fatal(err)
	}
	lost, restored := server.Open(), open(t, strings.Replace(server.URL(), "/postgres?", "/restored?", 1))

	var current atomic.Pointer[postgres.DB]
	current.Store(lost)
	n := run(t, live.Options{
		File: filepath.Join(t.TempDir(), "copy"),
		Open: func(ctx context.Context) (live.Feed, error) { return feedOf(current.Load())(ctx) },
	})
	third := publish(t, lost, func(next *catalog.Contents) {
		tagline(3, "Perdu.")(next)
		next.Tools = append(next.Tools, tool(9999, "code"))
	})
	n.wantEdition(t, third, 10*time.Second)
	// to moves the node to the other database, as a restore under its name does.
	to := func(db *postgres.DB) {
		from := server.URL()
		if db == lost {
			from = strings.Replace(from, "/postgres?", "/restored?", 1)
		}
		current.Store(db)
		if err := execute(from, cutFeeds); err != nil {
			t.Fatal(err)
		}
	}
	fromNothing := func() {
		t.Helper()
		if s := n.last(t); s.From != 0 || s.Items < 40 {
			t.Errorf("the node fetched %d items from edition %d, want all of them from nothing", s.Items, s.From)
		}
		wantSame(t, read(t, current.Load()), n.Current())
		if _, ok := n.Current().Tool("outil-09999"); ok != (current.Load() == lost) {
			t.Errorf("the node serves the tool that was lost: %v", ok)
		}
	}

	to(restored) // its edition is older than the node's
	n.wantEdition(t, second, 5*time.Second)
	fromNothing()

	to(lost) // from an edition that both have, it is a step like any other
	n.wantEdition(t, third, 5*time.Second)
	if s := n.last(t); s.From != 2 || s.Items != 2 {
		t.Errorf("the node fetched %d items from edition %d, want 2 from 2", s.Items, s.From)
	}

	other := publish(t, restored, tagline(4, "L'autre trois."))
	if other.Number != third.Number || other.ID == third.ID {
		t.Fatalf("the editions are %+v and %+v, want the same number twice", third, other)
	}
	to(restored) // the same number and another edition
	n.wantEdition(t, other, 5*time.Second)
	fromNothing()

	to(lost)
	n.wantEdition(t, third, 5*time.Second)
	fromNothing()

	fourth := publish(t, restored, tagline(5, "L'autre quatre."))
	to(restored) // a greater number that does not follow from the node's
	n.wantEdition(t, fourth, 5*time.Second)
	fromNothing()
}

// A database without any edition is an accident: the node keeps what it has, in
// memory and on disk, until there is an edition again.
func TestEmptiedDatabase(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	db := open(t, url)
	path := filepath.Join(t.TempDir(), "copy")
	publish(t, db, put(contents(20)))
	second := publish(t, db, tagline(0, "Deux."))
	n := run(t, live.Options{Open: feedOf(db), File: path})
	n.wantEdition(t, second, 10*time.Second)
	eventually(t, 5*time.Second, func() error { return copied(path, 2) })

	if err := execute(url, wipe); err != nil {
		t.Fatal(err)
	}
	eventually(t, 5*time.Second, func() error { return says(n.Connected(), "no edition at all; edition 2 is kept") })
	fresh := run(t, live.Options{Open: feedOf(db), File: path})
	eventually(t, 3*time.Second, fresh.Ready)
	eventually(t, 3*time.Second, func() error { return says(fresh.Connected(), "no edition at all; edition 2 is kept") })
	for _, n := range []*runningNode{n, fresh} {
		if got := n.Current().Edition().Number; got != 2 || n.Ready() != nil {
			t.Errorf("the node is at edition %d (%v), want it to keep 2", got, n.Ready())
		}
	}
	if err := copied(path, 2); err != nil {
		t.Error(err)
	}

	first := publish(t, db, put(contents(10))) // 1 again, and smaller
	for _, n := range []*runningNode{n, fresh} {
		n.wantEdition(t, first, 5*time.Second)
		if s := n.last(t); s.From != 0 {
			t.Errorf("the node fetched from edition %d, want from nothing", s.From)
		}
		wantSame(t, read(t, db), n.Current())
	}
}

// The same, when the editions vanish between the question for the latest and the
// reading of it.
func TestDatabaseEmptiedDuringFetch(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	db := open(t, url)
	path := filepath.Join(t.TempDir(), "copy")
	first := publish(t, db, put(contents(20)))
	var armed atomic.Bool
	f := &fetches{before: func() {
		if armed.CompareAndSwap(true, false) {
			if err := execute(url, wipe); err != nil {
				t.Error(err)
			}
		}
	}}
	n := run(t, live.Options{File: path, Open: func(ctx context.Context) (live.Feed, error) {
		feed, err := feedOf(db)(ctx)
		return &timedFeed{feed, f}, err
	}})
	n.wantEdition(t, first, 10*time.Second)
	armed.Store(true)
	publish(t, db, tagline(0, "Deux."))
	eventually(t, 5*time.Second, func() error {
		if armed.Load() {
			return fmt.Errorf("the node has not fetched: %w", n.Connected())
		}
		return says(n.Connected(), "no edition", "edition 1 is kept")
	})
	if err := n.Ready(); err != nil {
		t.Errorf("the node dropped what it had: %v", err)
	}
	n.stop()
	if err := copied(path, 1); err != nil {
		t.Error(err)
	}
}
