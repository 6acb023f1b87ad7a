package live_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/pgtest"
)

// PostgreSQL goes away and comes back: nodes that run serve on and follow again, and
// a node that starts meanwhile serves its disk copy, which it keeps in step later.
func TestDatabaseGoesAndComesBack(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	db := server.Open()
	file := filepath.Join(t.TempDir(), "copy")
	first := publish(t, db, put(contents(200)))
	old := run(t, live.Options{Open: feedOf(db), File: file})
	old.wantEdition(t, first, 10*time.Second)
	old.wantEdition(t, publish(t, db, tagline(3, "Avant la panne.")), 5*time.Second)
	eventually(t, 5*time.Second, old.Ready)
	eventually(t, 5*time.Second, func() error { return copied(file, 2) })

	server.Stop()
	eventually(t, 5*time.Second, func() error {
		return says(old.Connected(), "connecting to PostgreSQL", "refused")
	})
	before := time.Now()
	fresh := run(t, live.Options{Open: feedOf(db), File: file})
	eventually(t, 2*time.Second, fresh.Ready)
	t.Logf("a node without its database was ready after %v", time.Since(before).Round(time.Millisecond))
	wantSame(t, old.Current(), fresh.Current())
	for until := time.Now().Add(2 * time.Second); time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		for _, n := range []*runningNode{old, fresh} {
			if err := n.Ready(); err != nil {
				t.Fatal(err)
			}
			if n.Connected() == nil {
				t.Fatal("the node claims to follow a database that is not there")
			}
			if doc, ok := n.Current().Tool("outil-00003"); !ok || !strings.Contains(string(doc.Body), "Avant la panne.") {
				t.Fatalf("the node serves %q", doc.Body)
			}
		}
	}

	server.Start()
	back := time.Now()
	for _, n := range []*runningNode{old, fresh} {
		eventually(t, 2*time.Second-time.Since(back), n.Connected)
	}
	t.Logf("both nodes followed again after %v", time.Since(back).Round(time.Millisecond))
	third := publish(t, server.Open(), tagline(4, "Après la panne."))
	for _, n := range []*runningNode{old, fresh} {
		n.wantEdition(t, third, 2*time.Second)
		if s := n.last(t); s.From != 2 || s.Items != 1 {
			t.Errorf("after the outage the node fetched %d items from edition %d, want 1 from 2", s.Items, s.From)
		}
	}
	if s := fresh.seen(); len(s) != 1 {
		t.Errorf("the node that started from its copy fetched %d times, want once", len(s))
	}
}

func copied(path string, number int64) error {
	s, err := live.ReadCopy(path)
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
	first := publish(t, db, put(contents(50)))
	n := run(t, live.Options{Open: feedOf(db)})
	n.wantEdition(t, first, 10*time.Second)
	eventually(t, 5*time.Second, n.Connected)

	thaw := freezeServer(t, server)
	eventually(t, 6*time.Second, func() error { return says(n.Connected(), "asking for the edition", "timeout") })
	eventually(t, 6*time.Second, func() error { return says(n.Connected(), "opening the feed") })
	if err := n.Ready(); err != nil {
		t.Errorf("the node does not serve: %v", err)
	}
	thaw()
	eventually(t, 2*time.Second, n.Connected)
	n.wantEdition(t, publish(t, db, tagline(1, "Au réveil.")), 2*time.Second)
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

// A node that cannot be started has to say why.
func TestNoDatabaseAndNoCopy(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{"none kept": "", "none yet": filepath.Join(t.TempDir(), "copy")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := run(t, live.Options{Open: nowhere(t), File: file, Patience: 50 * time.Millisecond})
			eventually(t, 2*time.Second, func() error {
				return says(n.Ready(), "no catalog to serve", "connecting to PostgreSQL", "refused")
			})
			time.Sleep(200 * time.Millisecond)
			if n.Ready() == nil {
				t.Error("the node is ready with nothing to serve")
			}
			n.stop()
			if file != "" {
				if _, err := os.Stat(file); err == nil {
					t.Error("a copy of nothing was written")
				}
			}
		})
	}
}

// A database that is there but has no edition: say what to do, and follow the first.
func TestFirstEdition(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	n := run(t, live.Options{Open: feedOf(db)})
	eventually(t, 10*time.Second, n.Connected)
	if err := says(n.Ready(), "none has been published yet", "palmares publish"); err != nil {
		t.Error(err)
	}
	n.wantEdition(t, publish(t, db, put(contents(20))), 5*time.Second)
	eventually(t, time.Second, n.Ready)
	wantSame(t, read(t, db), n.Current())
}

func TestDatabaseWithoutSchema(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	n := run(t, live.Options{Open: feedOf(open(t, url))})
	eventually(t, 10*time.Second, func() error { return says(n.Ready(), "run palmares migrate") })
}
