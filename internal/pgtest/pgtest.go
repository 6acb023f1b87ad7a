// Package pgtest gives tests a real PostgreSQL: a throwaway database each on the
// shared server, or a server of their own that they may stop, freeze and kill.
// Only tests import it.
package pgtest

import (
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

// Missing ends a test whose engine is not there: with CI=true it fails, elsewhere
// it is skipped, and in both cases it says what to start.
func Missing(tb testing.TB, format string, args ...any) {
	tb.Helper()
	if os.Getenv("CI") == "true" {
		tb.Fatalf(format, args...)
	}
	tb.Skipf(format, args...)
}

// URL makes a database for the test alone, without a schema, and gives its URL.
func URL(tb testing.TB) string {
	tb.Helper()
	base := os.Getenv(variable)
	if base == "" {
		base = defaultURL
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	admin, err := pgx.Connect(ctx, base)
	if err != nil {
		Missing(tb, "no PostgreSQL at %s (%s): start one, for instance with\n"+
			"  docker compose up -d postgres\n"+
			"or name one in %s\n(%v)", redact(base), "the default or "+variable, variable, err)
	}
	defer admin.Close(ctx)
	name := "palmares_test_" + strings.ToLower(rand.Text()[:12])
	if _, err := admin.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		tb.Fatalf("creating the test's database: %v", err)
	}
	tb.Cleanup(func() { drop(tb, base, name) })
	u, err := url.Parse(base)
	if err != nil {
		tb.Fatalf("%s: %v", variable, err)
	}
	u.Path = "/" + name
	q := u.Query()
	q.Set("synchronous_commit", "off") // a throwaway database need not survive a crash
	u.RawQuery = q.Encode()
	return u.String()
}

func drop(tb testing.TB, base, name string) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	admin, err := pgx.Connect(ctx, base)
	if err != nil {
		tb.Errorf("dropping the test's database: %v", err)
		return
	}
	defer admin.Close(ctx)
	if _, err := admin.Exec(ctx, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
		tb.Errorf("dropping the test's database: %v", err)
	}
}

// Migrated makes a database for the test alone, with the schema, and gives its URL.
func Migrated(tb testing.TB) string {
	tb.Helper()
	u := URL(tb)
	migrate(tb, u)
	return u
}

// Open is Migrated, opened.
func Open(tb testing.TB) *postgres.DB {
	tb.Helper()
	return open(tb, Migrated(tb))
}

func migrate(tb testing.TB, u string) {
	tb.Helper()
	if _, err := postgres.Migrate(context.Background(), u); err != nil {
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
