package pgtest_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"github.com/palmares-hq/palmares/internal/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func one[T any](t *testing.T, conn *pgx.Conn, sql string, args ...any) (x T) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), sql, args...).Scan(&x); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return x
}

const tables = `SELECT count(*) FROM pg_tables WHERE schemaname = 'public'`

func TestEachTestHasADatabaseOfItsOwn(t *testing.T) {
	t.Parallel()
	a, b := connect(t, pgtest.URL(t)), connect(t, pgtest.Migrated(t))
	if n := one[int](t, a, tables); n != 0 {
		t.Errorf("URL gives a database with %d tables", n)
	}
	if n := one[int](t, b, tables); n == 0 {
		t.Error("Migrated gives a database without tables")
	}
	const name = `SELECT current_database()`
	if x := one[string](t, a, name); x == one[string](t, b, name) {
		t.Errorf("both are %s", x)
	}
	if _, e, err := pgtest.Open(t).Catalog.Current(t.Context()); err != nil || e.Number != 0 {
		t.Errorf("Open gives a database with edition %d: %v", e.Number, err)
	}
}

// Two databases are copies of one template, and differ nonetheless in all that is random.
func TestMigrated_DrawsItsOwnIDs(t *testing.T) {
	t.Parallel()
	const columns = `SELECT array_agg(format('SELECT %I::text FROM %I', column_name, table_name))
		FROM information_schema.columns
		WHERE table_schema = 'public' AND column_default LIKE '%random%'`
	a, b := connect(t, pgtest.Migrated(t)), connect(t, pgtest.Migrated(t))
	const list = `SELECT coalesce(array_agg(id), '{}') FROM (%s) AS ids (id)`
	ids := fmt.Sprintf(list, strings.Join(one[[]string](t, a, columns), " UNION ALL "))
	of, others := one[[]string](t, a, ids), one[[]string](t, b, ids)
	if len(of) == 0 {
		t.Error("migrations draw nothing at random any more")
	}
	for _, id := range of {
		if slices.Contains(others, id) {
			t.Errorf("both databases have %s", id)
		}
	}
}

// The database goes with its test, even while a connection is still open.
func TestADatabaseEndsWithItsTest(t *testing.T) {
	t.Parallel()
	const there = `SELECT count(*) FROM pg_database WHERE datname = $1`
	watch := connect(t, pgtest.URL(t))
	outer := t
	var name string
	t.Run("a test", func(t *testing.T) {
		name = one[string](t, connect(outer, pgtest.Migrated(t)), `SELECT current_database()`)
		if one[int](t, watch, there, name) != 1 {
			t.Errorf("there is no database %s", name)
		}
	})
	if one[int](t, watch, there, name) != 0 {
		t.Errorf("the database %s outlives its test", name)
	}
}

// A verdict is a test that notes how it was ended, instead of ending.
type verdict struct {
	testing.TB
	fatal, skip string
}

func (v *verdict) Helper() {}
func (v *verdict) Fatalf(format string, args ...any) {
	v.fatal = fmt.Sprintf(format, args...)
	panic(v)
}

func (v *verdict) Skipf(format string, args ...any) { v.skip = fmt.Sprintf(format, args...); panic(v) }

// judge runs f until it ends its test.
func judge(t *testing.T, f func(testing.TB)) (v *verdict) {
	t.Helper()
	v = &verdict{TB: t}
	defer func() {
		if r := recover(); r != nil && r != any(v) {
			panic(r)
		}
	}()
	f(v)
	return v
}

func TestAMissingEngine(t *testing.T) {
	t.Setenv("PALMARES_TEST_DATABASE_URL", "postgres://someone:hidden@127.0.0.1:1/nothing?sslmode=disable")
	for _, ci := range []string{"", "true"} {
		t.Setenv("CI", ci)
		v := judge(t, func(tb testing.TB) { pgtest.URL(tb) })
		said, unsaid := v.skip, v.fatal
		if ci == "true" {
			said, unsaid = v.fatal, v.skip
		}
		if said == "" || unsaid != "" {
			t.Fatalf("CI=%q: skipped with %q, failed with %q", ci, v.skip, v.fatal)
		}
		for _, want := range []string{"127.0.0.1:1", "docker compose up", "PALMARES_TEST_DATABASE_URL"} {
			if !strings.Contains(said, want) {
				t.Errorf("the message lacks %q:\n%s", want, said)
			}
		}
		if strings.Contains(said, "hidden") {
			t.Errorf("the message tells the password:\n%s", said)
		}
	}
}

func TestAURLThatIsNone(t *testing.T) {
	t.Setenv("CI", "true")
	t.Setenv("PALMARES_TEST_DATABASE_URL", "postgres://someone:hidden@[nowhere/x")
	v := judge(t, func(tb testing.TB) { pgtest.URL(tb) })
	if v.fatal == "" || strings.Contains(v.fatal, "hidden") {
		t.Errorf("failed with %q", v.fatal)
	}
}

// The template stays while the process lives, however often memory is collected: other processes drop
// those whose lock is free.
func TestMigrated_KeepsItsTemplate(t *testing.T) {
	t.Parallel()
	conn := connect(t, pgtest.Migrated(t))
	locks := func() int {
		return one[int](t, conn, `SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
			WHERE l.locktype = 'advisory' AND a.application_name = $1`, pgtest.LockName())
	}
	for range 20 {
		runtime.GC()
		if locks() == 0 {
			t.Fatal("the lock of the template is gone")
		}
	}
}
