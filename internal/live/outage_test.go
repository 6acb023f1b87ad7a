package live

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// PostgreSQL goes away and comes back: nodes that run serve on and follow again, and
// a node that starts meanwhile serves its disk copy, which it keeps in step later.
func TestDatabaseGoesAndComesBack(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	db := server.Open()
	file := filepath.Join(t.TempDir(), "copy")
	first := publish(t, db, put(reviewed(510)))
	old := run(t, Options{Open: feedOf(db), File: file})
	old.wantEdition(t, first)
	old.wantEdition(t, publish(t, db, tagline(3, "Avant la panne.")))
	testkit.Eventually(t, old.Ready)
	testkit.Eventually(t, func() error { return copied(file, 2) })

	server.Stop()
	testkit.Eventually(t, func() error {
		return says(old.Connected(), "connecting to PostgreSQL", "refused")
	})
	before := time.Now()
	fresh := run(t, Options{Open: feedOf(db), File: file})
	testkit.Eventually(t, fresh.Ready)
	t.Logf("a node without its database was ready after %v", time.Since(before).Round(time.Millisecond))
	catalogtest.WantSame(t, old.Current(), fresh.Current())
	for until := time.Now().Add(2 * time.Second); time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		for _, n := range []*runningNode{old, fresh} {
			if err := n.Ready(); err != nil {
				t.Fatal(err)
			}
			if n.Connected() == nil {
				t.Fatal("the node claims to follow a database that is not there")
			}
			if tool, ok := n.Current().Tool("outil-00003"); !ok || tool.Tagline != "Avant la panne." {
				t.Fatalf("the node serves %v", tool)
			}
		}
	}

	server.Start()
	back := time.Now()
	for _, n := range []*runningNode{old, fresh} {
		testkit.Eventually(t, n.Connected)
	}
	t.Logf("both nodes followed again after %v", time.Since(back).Round(time.Millisecond))
	third := publish(t, server.Open(), tagline(4, "Après la panne."))
	for _, n := range []*runningNode{old, fresh} {
		n.wantEdition(t, third)
		if s := n.last(t); s.From != 2 || s.Items != 1 {
			t.Errorf("after the outage the node fetched %d items from edition %d, want 1 from 2", s.Items, s.From)
		}
	}
	if s := fresh.seen(); len(s) != 1 {
		t.Errorf("the node that started from its copy fetched %d times, want once", len(s))
	}
}

func copied(path string, number int64) error {
	s, err := ReadCopy(path)
	if err != nil {
		return err
	}
	if got := s.Edition().Number; got != number {
		return fmt.Errorf("the copy holds edition %d, want %d", got, number)
	}
	return nil
}

// The whole server freezes: connections are accepted by the kernel and nothing ever
// answers. Nodes serve on, say so, and follow as soon as it wakes.
func TestServerFreezes(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	db := server.Open()
	first := publish(t, db, put(catalogtest.Generated(50)))
	n := run(t, Options{Open: feedOf(db)})
	n.wantEdition(t, first)
	testkit.Eventually(t, n.Connected)

	thaw := freezeServer(t, server)
	testkit.Eventually(t, func() error { return says(n.Connected(), "asking for the edition", "timeout") })
	testkit.Eventually(t, func() error { return says(n.Connected(), "opening the feed") })
	if err := n.Ready(); err != nil {
		t.Errorf("the node does not serve: %v", err)
	}
	thaw()
	testkit.Eventually(t, n.Connected)
	n.wantEdition(t, publish(t, db, tagline(1, "Au réveil.")))
}

// freezeServer stops the postmaster, which answers to new connections, and every
// backend of a feed.
func freezeServer(t *testing.T, server *pgtest.Server) (thaw func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	pids := (&race{tb: t, admin: conn, cold: []int32{}}).feeds()
	if len(pids) == 0 {
		t.Fatal("there is no feed to freeze")
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pids[0]))
	if err != nil {
		t.Fatal(err)
	}
	var parent int32
	var state string
	_, rest, _ := strings.Cut(string(stat), ") ")
	if _, err := fmt.Sscan(rest, &state, &parent); err != nil {
		t.Fatal(err)
	}
	var thaws []func()
	for _, pid := range append(pids, parent) {
		thaws = append(thaws, server.Freeze(int(pid)))
	}
	thaw = func() {
		for _, f := range thaws {
			f()
		}
	}
	t.Cleanup(thaw)
	return thaw
}
