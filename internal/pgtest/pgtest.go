// Package pgtest gives tests a real PostgreSQL: each a throwaway database on the
// shared server, or a server of its own that it may stop, freeze and kill.
// Only tests import it.
package pgtest

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/postgres"
)

const (
	variable   = "PALMARES_TEST_DATABASE_URL"
	defaultURL = "postgres://postgres@127.0.0.1:5432/postgres?sslmode=disable"
)

// SkipOrFail skips a test that lacks an engine or a tool, or fails it if CI=true. The
// message says what to start or install.
func SkipOrFail(tb testing.TB, format string, args ...any) {
	tb.Helper()
	if os.Getenv("CI") == "true" {
		tb.Fatalf(format, args...)
	}
	tb.Skipf(format, args...)
}

// URL creates a database without a schema, for this test alone, and returns its URL.
func URL(tb testing.TB) string {
	tb.Helper()
	return create(tb, "")
}

// Migrated creates a database with the schema, for this test alone, and returns its URL.
func Migrated(tb testing.TB) string {
	tb.Helper()
	admin(tb).Close(context.Background())
	t, err := template()
	if err != nil {
		tb.Fatalf("migrating a template: %v", err)
	}
	u := create(tb, " TEMPLATE "+t.name)
	if err := randomizeIDs(u); err != nil {
		tb.Fatalf("copying the template: %v", err)
	}
	return u
}

// create creates a database for this test alone, drops it when the test ends, and returns its URL.
func create(tb testing.TB, options string) string {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	conn := admin(tb)
	defer conn.Close(ctx)
	name := "palmares_test_" + strings.ToLower(rand.Text()[:12])
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+name+options); err != nil {
		tb.Fatalf("creating the test's database: %v", err)
	}
	tb.Cleanup(func() { drop(tb, name) })
	u, err := named(name)
	if err != nil {
		tb.Fatal(err)
	}
	return u
}

func drop(tb testing.TB, name string) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, base())
	if err != nil {
		tb.Errorf("dropping the test's database: %v", err)
		return
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
		tb.Errorf("dropping the test's database: %v", err)
	}
}

// base returns the URL of the shared server.
func base() string { return cmp.Or(os.Getenv(variable), defaultURL) }

// named returns the URL of a database on the shared server.
func named(name string) (string, error) {
	u, err := url.Parse(base())
	if err != nil {
		return "", fmt.Errorf("%s: %w", variable, err)
	}
	u.Path = "/" + name
	q := u.Query()
	q.Set("synchronous_commit", "off") // a throwaway database need not survive a crash
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// admin connects to the shared server.
func admin(tb testing.TB) *pgx.Conn {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, base())
	if err != nil {
		SkipOrFail(tb, "no PostgreSQL at %s (%s): start one, for instance with\n"+
			"  docker compose up -d postgres\n"+
			"or name one in %s\n(%v)", redact(base()), "the default or "+variable, variable, err)
	}
	return conn
}

// Open opens a database that Migrated creates, and closes it when the test ends.
func Open(tb testing.TB) *postgres.DB {
	tb.Helper()
	return open(tb, Migrated(tb))
}

func migrate(tb testing.TB, u string) {
	tb.Helper()
	if _, err := postgres.Migrate(context.Background(), u, nil, nil); err != nil {
		tb.Fatal(err)
	}
}

func open(tb testing.TB, u string) *postgres.DB {
	tb.Helper()
	db, err := postgres.Open(context.Background(), u, postgres.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(db.Close)
	return db
}

func redact(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "the URL"
	}
	return fmt.Sprintf("%s://%s", u.Scheme, u.Host)
}
