package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A bench is a migrated database of the test's own, and the clock that its
// publications read.
type bench struct {
	*testing.T
	url string
	db  *postgres.DB
	now time.Time

	mu    sync.Mutex // guards admin
	admin *pgx.Conn  // behind the package's back
}

func newBench(t *testing.T) *bench {
	t.Helper()
	return benchAt(t, pgtest.Migrated(t))
}

func benchAt(t *testing.T, url string) *bench {
	t.Helper()
	b := &bench{T: t, url: url, now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	b.db, b.admin = b.open(), b.conn()
	return b
}

// open is one more process on the same database.
func (b *bench) open() *postgres.DB {
	b.Helper()
	db, err := postgres.Open(b.Context(), b.url, postgres.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(db.Close)
	return db
}

func (b *bench) clock() time.Time { return b.now }

// nextDay moves the clock to the same hour of the next day.
func (b *bench) nextDay() { b.now = b.now.AddDate(0, 0, 1) }

type decision = func(context.Context, *catalog.Contents, catalog.Edition) (catalog.Changes, error)

// toward decides to publish the contents.
func (b *bench) toward(next *catalog.Contents) decision {
	return func(_ context.Context, current *catalog.Contents, _ catalog.Edition) (catalog.Changes, error) {
		next.Sort()
		return catalog.Diff(current, next, catalog.DateOf(b.now)), nil
	}
}

func (b *bench) publish(next *catalog.Contents) catalog.Edition {
	b.Helper()
	e, err := b.db.Publish(b.Context(), b.clock, b.toward(next))
	if err != nil {
		b.Fatal(err)
	}
	return e
}

func (b *bench) feed() *postgres.Feed {
	b.Helper()
	f, err := b.db.Feed(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(f.Close)
	return f
}

// since reads a delta on a connection of its own.
func (b *bench) since(e catalog.Edition) catalog.Delta {
	b.Helper()
	f := b.feed()
	defer f.Close()
	d, err := f.Since(b.Context(), e)
	if err != nil {
		b.Fatal(err)
	}
	return d
}

func (b *bench) whole() catalog.Delta { b.Helper(); return b.since(catalog.Edition{}) }

// conn is a plain connection.
func (b *bench) conn() *pgx.Conn {
	b.Helper()
	conn, err := pgx.Connect(b.Context(), b.url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func (b *bench) exec(sql string, args ...any) {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, err := b.admin.Exec(b.Context(), sql, args...); err != nil {
		b.Fatalf("%s: %v", sql, err)
	}
}

// ask reads rows of one column.
func ask[T any](b *bench, sql string, args ...any) []T {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	rows, err := b.admin.Query(b.Context(), sql, args...)
	if err != nil {
		b.Fatalf("%s: %v", sql, err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil {
		b.Fatalf("%s: %v", sql, err)
	}
	return list
}

// tables are all that a publication may write.
func tables() []string {
	return []string{
		"editions", "current_edition", "service", "categories", "tools", "comparisons", "retired",
		"tombstones", "price_history", "events",
	}
}

// dump is every row of every table, so that two equal dumps mean that nothing was
// written in between.
func (b *bench) dump() string {
	b.Helper()
	var out strings.Builder
	for _, table := range tables() {
		for _, row := range ask[string](b, `SELECT r::text FROM `+table+` r ORDER BY 1`) {
			fmt.Fprintf(&out, "%s %s\n", table, row)
		}
	}
	return out.String()
}

func slugs[T any](items []T, slug func(T) string) []string {
	list := []string{}
	for _, x := range items {
		list = append(list, slug(x))
	}
	return list
}

func toolSlugs(d catalog.Delta) []string {
	return slugs(d.Tools, func(t *catalog.Tool) string { return t.Slug })
}

func findTool(t *testing.T, d catalog.Delta, slug string) *catalog.Tool {
	t.Helper()
	for _, x := range d.Tools {
		if x.Slug == slug {
			return x
		}
	}
	t.Fatalf("no tool %s in the delta", slug)
	return nil
}

var errRefused = errors.New("refused by the test")

func wantEqual[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}
