package pgtest_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/pgtest"
)

func TestAServerStopsAndStartsAgain(t *testing.T) {
	t.Parallel()
	s := pgtest.NewServer(t)
	db := s.Open()
	if _, e, err := db.Catalog.Current(t.Context()); err != nil || e.Number != 0 {
		t.Fatalf("a new server has edition %d: %v", e.Number, err)
	}
	conn := connect(t, s.URL())
	if _, err := conn.Exec(t.Context(), `CREATE TABLE kept AS SELECT 7 AS n`); err != nil {
		t.Fatal(err)
	}

	s.Stop()
	if _, err := conn.Exec(t.Context(), `SELECT 1`); err == nil {
		t.Error("a connection survives the server")
	}
	if c, err := pgx.Connect(t.Context(), s.URL()); err == nil {
		c.Close(t.Context())
		t.Error("a stopped server still answers")
	}
	s.Kill() // it is down already: nothing to do

	s.Start()
	if n := one[int](t, connect(t, s.URL()), `SELECT n FROM kept`); n != 7 {
		t.Errorf("the server came back with %d", n)
	}
}

func TestAFrozenBackendNeitherAnswersNorEnds(t *testing.T) {
	t.Parallel()
	s := pgtest.NewServer(t)
	frozen, other := connect(t, s.URL()), connect(t, s.URL())
	thaw := s.Freeze(one[int](t, frozen, `SELECT pg_backend_pid()`))
	answered := make(chan error, 1)
	go func() { _, err := frozen.Exec(context.WithoutCancel(t.Context()), `SELECT 1`); answered <- err }()
	select {
	case err := <-answered:
		t.Errorf("a frozen backend answered: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	if n := one[int](t, other, `SELECT 1`); n != 1 {
		t.Error("the other backends are frozen too")
	}
	thaw()
	if err := <-answered; err != nil {
		t.Errorf("after the thaw: %v", err)
	}
	thaw() // twice is no harm
}

func TestNothingOfAServerIsLeft(t *testing.T) {
	t.Parallel()
	var s *pgtest.Server
	var data string
	t.Run("a test", func(t *testing.T) {
		s = pgtest.NewServer(t)
		data = one[string](t, connect(t, s.URL()), `SHOW data_directory`)
		if _, err := os.Stat(data); err != nil {
			t.Fatal(err)
		}
	})
	if c, err := pgx.Connect(t.Context(), s.URL()); err == nil {
		c.Close(t.Context())
		t.Error("the server outlives its test")
	}
	if _, err := os.Stat(data); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left behind: %v", data, err)
	}
}

func TestServers_AreToldApart(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for range 2 {
		conn := connect(t, pgtest.NewServer(t).URL())
		seen[one[string](t, conn, `SELECT system_identifier::text FROM pg_control_system()`)] = true
		seen[one[string](t, conn, `SELECT id::text FROM access_changes`)] = true
		if n := one[int](t, conn, `SELECT count(*)::int FROM goose_db_version`); n < 2 {
			t.Errorf("the schema is not there: %d migrations", n)
		}
	}
	if len(seen) != 4 {
		t.Errorf("two servers are one: %v", seen)
	}
}
