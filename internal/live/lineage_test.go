package live

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// cutFeeds ends the connections of the feeds to the database.
const cutFeeds = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
	WHERE application_name = '` + postgres.FeedName + `' AND datname = current_database()`

// wipe takes every edition from a database, in one commit.
const wipe = `TRUNCATE current_edition, editions, price_history, events, service, categories, tools, comparisons, retired, tombstones, review_dictionaries, file_changes, history`

// A backup of edition 2 is restored under nodes that are at edition 3, and other
// editions are published over it: whatever number they reach, the nodes load them
// from nothing.
func TestRestoredDatabase(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	source := open(t, server.URL())
	publish(t, source, put(reviewed(510))) // enough reviews for a dictionary
	second := publish(t, source, tagline(2, "Deux."))
	source.Close() // a template must be left alone
	if err := execute(strings.Replace(server.URL(), "/postgres?", "/template1?", 1), `CREATE DATABASE restored TEMPLATE postgres`); err != nil {
		t.Fatal(err)
	}
	lost, restored := server.Open(), open(t, strings.Replace(server.URL(), "/postgres?", "/restored?", 1))

	var current atomic.Pointer[postgres.DB]
	current.Store(lost)
	n := run(t, Options{
		File: filepath.Join(t.TempDir(), "copy"),
		Open: func(ctx context.Context) (Feed, error) { return feedOf(current.Load())(ctx) },
	})
	third := publish(t, lost, func(next *catalog.Contents) {
		tagline(3, "Perdu.")(next)
		next.Tools = append(next.Tools, catalogtest.GeneratedTool(9999, "code"))
	})
	n.wantEdition(t, third)
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
		if s := n.last(t); s.From != 0 || s.Items < 510 {
			t.Errorf("the node fetched %d items from edition %d, want all of them from nothing", s.Items, s.From)
		}
		wantWhole(t, read(t, current.Load()), n.Current())
		if _, ok := n.Current().Tool("outil-09999"); ok != (current.Load() == lost) {
			t.Errorf("the node serves the tool that was lost: %v", ok)
		}
	}

	to(restored) // its edition is older than the node's
	n.wantEdition(t, second)
	fromNothing()

	to(lost) // from an edition that both have, it is a step like any other
	n.wantEdition(t, third)
	if s := n.last(t); s.From != 2 || s.Items != 2 {
		t.Errorf("the node fetched %d items from edition %d, want 2 from 2", s.Items, s.From)
	}

	other := publish(t, restored, tagline(4, "L'autre trois."))
	if other.Number != third.Number || other.ID == third.ID {
		t.Fatalf("the editions are %+v and %+v, want the same number twice", third, other)
	}
	to(restored) // the same number and another edition
	n.wantEdition(t, other)
	fromNothing()

	to(lost)
	n.wantEdition(t, third)
	fromNothing()

	fourth := publish(t, restored, tagline(5, "L'autre quatre."))
	to(restored) // a greater number that does not follow from the node's
	n.wantEdition(t, fourth)
	fromNothing()
}

// pg_restore commits table by table, and the edition comes before the tools. A node waits for the
// whole of it, and does not take a half for the edition.
func TestHalfRestoredDatabase(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	db := open(t, url)
	n := run(t, Options{Open: feedOf(db)})
	first := publish(t, db, put(catalogtest.Generated(40)))
	n.wantEdition(t, first)
	second := publish(t, db, tagline(2, "Deux."))
	n.wantEdition(t, second)
	want := read(t, db)

	for _, table := range []string{"tools", "comparisons", "tombstones"} {
		// The backup is of another lineage, and half of it is there.
		err := execute(url, `BEGIN`,
			`CREATE TABLE left_to_do AS TABLE `+table,
			`DELETE FROM `+table,
			`ALTER TABLE `+table+` DROP CONSTRAINT `+table+`_pkey`,
			`UPDATE editions SET id = gen_random_uuid()`,
			`COMMIT`, cutFeeds)
		if err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(t, func() error { return says(n.Connected(), "the database is being restored") })
		catalogtest.WantSame(t, want, n.Current())
		fresh := run(t, Options{Open: feedOf(db)})
		testkit.Eventually(t, func() error { return says(fresh.Ready(), "the database is being restored") })

		err = execute(url, `BEGIN`,
			`INSERT INTO `+table+` SELECT * FROM left_to_do`,
			`DROP TABLE left_to_do`,
			`ALTER TABLE `+table+` ADD PRIMARY KEY (`+map[bool]string{true: "kind, "}[table == "tombstones"]+`slug)`,
			`COMMIT`)
		if err != nil {
			t.Fatal(err)
		}
		want = read(t, db)
		for _, n := range []*runningNode{n, fresh} {
			n.wantEdition(t, want.Edition())
			catalogtest.WantSame(t, want, n.Current())
		}
	}
}

// A database without any edition is an accident: the node keeps what it has, in
// memory and on disk, until there is an edition again.
func TestEmptiedDatabase(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	db := open(t, url)
	path := filepath.Join(t.TempDir(), "copy")
	publish(t, db, put(catalogtest.Generated(20)))
	second := publish(t, db, tagline(0, "Deux."))
	n := run(t, Options{Open: feedOf(db), File: path})
	n.wantEdition(t, second)
	testkit.Eventually(t, func() error { return copied(path, 2) })

	if err := execute(url, wipe); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, func() error { return says(n.Connected(), "no edition at all; edition 2 is kept") })
	fresh := run(t, Options{Open: feedOf(db), File: path})
	testkit.Eventually(t, fresh.Ready)
	testkit.Eventually(t, func() error { return says(fresh.Connected(), "no edition at all; edition 2 is kept") })
	for _, n := range []*runningNode{n, fresh} {
		if got := n.Current().Edition().Number; got != 2 || n.Ready() != nil {
			t.Errorf("the node is at edition %d (%v), want it to keep 2", got, n.Ready())
		}
	}
	if err := copied(path, 2); err != nil {
		t.Error(err)
	}

	first := publish(t, db, put(catalogtest.Generated(10))) // 1 again, and smaller
	for _, n := range []*runningNode{n, fresh} {
		n.wantEdition(t, first)
		if s := n.last(t); s.From != 0 {
			t.Errorf("the node fetched from edition %d, want from nothing", s.From)
		}
		catalogtest.WantSame(t, read(t, db), n.Current())
	}
}

// The same, when the editions vanish between the question for the latest and the
// reading of it.
func TestDatabaseEmptiedDuringFetch(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	db := open(t, url)
	path := filepath.Join(t.TempDir(), "copy")
	first := publish(t, db, put(catalogtest.Generated(20)))
	var armed atomic.Bool
	f := &fetches{before: func() {
		if armed.CompareAndSwap(true, false) {
			if err := execute(url, wipe); err != nil {
				t.Error(err)
			}
		}
	}}
	n := run(t, Options{File: path, Open: f.watch(db)})
	n.wantEdition(t, first)
	armed.Store(true)
	publish(t, db, tagline(0, "Deux."))
	testkit.Eventually(t, func() error {
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
