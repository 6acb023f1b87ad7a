package postgres_test

import (
	"database/sql"
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver that goose speaks through
	"github.com/pressly/goose/v3"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
)

func emptyDatabase(t *testing.T) string { t.Helper(); return pgtest.URL(t) }

// migrationFiles are those of the directory, which are those of the binary.
func migrationFiles(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir("migrations")
	if err != nil || len(entries) == 0 {
		t.Fatalf("no migration found: %v", err)
	}
	names := slugs(entries, os.DirEntry.Name)
	for version := 1; version <= 8; version++ { // River's own come after them
		names = append(names, "river "+strconv.Itoa(version))
	}
	return names
}

func TestMigrateTwice(t *testing.T) {
	t.Parallel()
	url := emptyDatabase(t)
	ran, err := postgres.Migrate(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	wantSame(t, "the first run", ran, migrationFiles(t))
	if ran, err = postgres.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "migrations of the second run", len(ran), 0)
}

func TestMigrateAtOnce(t *testing.T) {
	t.Parallel()
	url := emptyDatabase(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	all := []string{}
	for range 3 {
		wg.Go(func() {
			ran, err := postgres.Migrate(t.Context(), url)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, ran...)
		})
	}
	wg.Wait()
	wantSame(t, "what three runs at once ran in all", all, migrationFiles(t))
}

func TestMigrateDownAndUpAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.publish(everything())

	db, err := sql.Open("pgx", b.url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, os.DirFS("migrations"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.DownTo(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	wantSame(t, "the tables left", ask[string](b, `SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'river%'`), []string{"goose_db_version"})
	_, _, err = b.open().Current(t.Context())
	wantNoSchema(t, "Current after going down", err)

	if _, err := postgres.Migrate(t.Context(), b.url); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "the edition after coming up again", b.publish(everything()).Number, 1)
}

// During a deployment this binary meets the schema of the next one, which may have
// columns more, with defaults. It must publish and read as before, also on a
// connection from before the migration, and leave alone what it does not know.
func TestThisBinaryOnANewerSchema(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	f := b.feed()
	e1 := b.publish(before())
	read := func(e catalog.Edition) catalog.Delta {
		t.Helper()
		d, err := f.Since(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	read(e1)
	for _, table := range tables() {
		b.exec(`ALTER TABLE ` + table + ` ADD COLUMN later text NOT NULL DEFAULT 'default'`)
	}
	b.exec(`UPDATE tools SET later = 'set by the next binary'`)
	b.nextDay()
	b.publish(after())
	wantSame(t, "the delta", toolSlugs(read(e1)), []string{"a", "b", "neuf"})
	wantSame(t, "the column that this binary does not know", ask[string](b, `SELECT later FROM tools ORDER BY slug`),
		[]string{"set by the next binary", "set by the next binary", "default"})
}

// Endpoints from before verified_at: those that were delivered to count as verified, and
// the rest have to answer a challenge.
func TestMigrationMarksVerifiedEndpoints(t *testing.T) {
	t.Parallel()
	b := benchAt(t, emptyDatabase(t))
	db, err := sql.Open("pgx", b.url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, os.DirFS("migrations"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	ada := b.signUp(owner, account.Pro)
	for i, state := range []string{"active", "paused", "unverified", "disabled", "disabled", "disabled"} {
		b.exec(`
			INSERT INTO endpoints (id, account_id, slot, url, description, types, categories, state, reason, secret, cursor, created_at)
			VALUES ($1, $2, $3, '', '', '{}', '{}', $4, '', '', 0, $5)`, fmt.Sprint("ep_", i), ada.ID, i+1, state, b.now)
	}
	b.exec(`INSERT INTO deliveries (id, endpoint_id, seq, type, state, next_at, made_at) VALUES ('msg_a', 'ep_4', 1, '', 'exhausted', $1, $1)`, b.now)
	b.exec(`UPDATE endpoints SET failing_since = $1 WHERE id = 'ep_5'`, b.now) // its deliveries are pruned
	if _, err := postgres.Migrate(t.Context(), b.url); err != nil {
		t.Fatal(err)
	}
	verified := ask[string](b, `SELECT id FROM endpoints WHERE verified_at = created_at ORDER BY id`)
	wantSame(t, "verified", verified, []string{"ep_0", "ep_1", "ep_4", "ep_5"})
	for _, state := range []string{"active", "paused"} {
		_, err := b.conn().Exec(t.Context(), `UPDATE endpoints SET state = $1 WHERE id IN ('ep_2', 'ep_3')`, state)
		wantRefused(t, state+" without a proof", err)
	}
}
