package postgres_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver for goose
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func (db *testDB) migrate() []string {
	db.Helper()
	ran, err := postgres.Migrate(db.Context(), db.url, nil, nil)
	db.must(err)
	return ran
}

// migrations gives access to single migrations.
func (db *testDB) migrations() *goose.Provider {
	db.Helper()
	conn, err := sql.Open("pgx", db.url)
	db.must(err)
	db.Cleanup(func() { conn.Close() })
	provider, err := goose.NewProvider(goose.DialectPostgres, conn, os.DirFS("migrations"))
	db.must(err)
	return provider
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	db := emptyDB(t)
	var mu sync.Mutex
	all := []string{}
	atOnce(3, func(int) {
		ran, err := postgres.Migrate(t.Context(), db.url, nil, nil)
		wantError(t, "migrating", err, nil)
		mu.Lock()
		defer mu.Unlock()
		all = append(all, ran...)
	})
	entries, err := os.ReadDir("migrations")
	db.must(err)
	want := each(entries, os.DirEntry.Name)
	for version := 1; version <= 8; version++ { // River's come after ours
		want = append(want, fmt.Sprint("river ", version))
	}
	wantSame(t, "what three at once ran", all, want)
	wantEqual(t, "what one more runs", len(db.migrate()), 0)
}

// A migration waits for another one, also an older program's, until River's part is done.
func TestMigrate_WaitsForAnother(t *testing.T) {
	t.Parallel()
	db := emptyDB(t)
	db.exec(`SELECT pg_advisory_lock($1)`, lock.DefaultLockID)
	short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if ran, err := postgres.Migrate(short, db.url, nil, nil); err == nil {
		t.Errorf("it ran %v beside another", ran)
	}
	wantEqual(t, "tables", db.count(`pg_tables WHERE schemaname = 'public'`), 0)
	db.exec(`SELECT pg_advisory_unlock($1)`, lock.DefaultLockID)
	db.migrate()

	db.exec(`DELETE FROM river_migration WHERE version = 8`) // it does nothing to PostgreSQL
	err := db.during(`LOCK TABLE river_migration`, func() error {
		ran, err := postgres.Migrate(t.Context(), db.url, nil, nil)
		wantSame(t, "what was left to run", ran, []string{"river 8"})
		return err
	}, func() {
		wantEqual(t, "the lock is free during River's part", ask[bool](db, `SELECT pg_try_advisory_lock($1)`, lock.DefaultLockID)[0], false)
	})
	wantError(t, "migrating", err, nil)
}

// A migration whose table is in use lets the others pass who come after it, and runs once the table is free.
func TestMigrate_HoldsNobodyUp(t *testing.T) {
	t.Parallel()
	db := emptyDB(t)
	program, err := postgres.Program()
	db.must(err)
	_, err = db.migrations().UpTo(t.Context(), 32) // the next one changes tools
	db.must(err)
	var waited atomic.Int64
	err = db.during(`SELECT FROM tools`, func() error {
		ran, err := postgres.Migrate(t.Context(), db.url, func(error) { waited.Add(1) }, nil)
		if !slices.Contains(ran, "00033_packages.sql") {
			t.Errorf("it ran %v", ran)
		}
		return err
	}, func() {
		ctx, cancel := context.WithTimeout(t.Context(), long)
		defer cancel()
		if _, err := db.conn().Exec(ctx, `SELECT FROM tools`); err != nil {
			t.Errorf("a reader behind the migration: %v", err)
		}
		testkit.EventuallyTrue(t, "it says that it waits", func() bool { return waited.Load() > 0 })
	})
	wantError(t, "migrating", err, nil)
	s, err := db.Schema(t.Context())
	db.must(err)
	wantEqual(t, "the schema", s, program)
}

// grandfathered is the last migration that was written before the rules below.
const grandfathered = "00033"

// What migrations do to a table that exists takes no longer on a large one.
func TestMigrations_LockNoTableForLong(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir("migrations")
	testkit.Must(t, err)
	for _, entry := range entries {
		if entry.Name()[:5] <= grandfathered {
			continue
		}
		text := testkit.ReadFile(t, "migrations/"+entry.Name())
		for _, fault := range faultsOfMigration(text) {
			t.Errorf("%s: %s", entry.Name(), fault)
		}
	}
	for text, want := range map[string]int{
		"-- compatible: 1\n-- +goose Up\nCREATE TABLE a (b int);\nCREATE INDEX a_b ON a (b);":                                                                0,
		"-- compatible: 1\n-- +goose Up\nCREATE UNIQUE INDEX a_b ON tools (b);":                                                                              1,
		"-- compatible: 1\n-- +goose NO TRANSACTION\n-- +goose Up\nCREATE INDEX CONCURRENTLY a_b ON tools (b);":                                              2,
		"-- +goose NO TRANSACTION\n-- +goose Up\nSET lock_timeout = 0;\nDROP INDEX CONCURRENTLY IF EXISTS a_b;\nCREATE INDEX CONCURRENTLY a_b ON tools (b);": 0,
		"-- +goose Up\nALTER TABLE tools ADD CONSTRAINT c CHECK (b > 0);":                                                                                    1,
		"-- +goose Up\nALTER TABLE tools ADD CONSTRAINT c CHECK (b > 0) NOT VALID;":                                                                          0,
		"-- +goose Up\nALTER TABLE tools ALTER COLUMN b TYPE bigint;":                                                                                        1,
		"-- +goose Up\nALTER TABLE tools ADD COLUMN c int;\n-- +goose Down\nALTER TABLE tools DROP COLUMN c;":                                                0,
	} {
		if got := faultsOfMigration(text); len(got) != want {
			t.Errorf("%q: %v, want %d faults", text, got, want)
		}
	}
}

var (
	madeTable  = regexp.MustCompile(`(?i)CREATE TABLE (?:IF NOT EXISTS )?(\w+)`)
	madeIndex  = regexp.MustCompile(`(?i)CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?(?:IF NOT EXISTS )?(\w+)\s+ON (\w+)`)
	constraint = regexp.MustCompile(`(?i)ALTER TABLE (\w+)[^;]*ADD CONSTRAINT[^;]*;`)
	retyped    = regexp.MustCompile(`(?i)ALTER TABLE (\w+)[^;]*ALTER (?:COLUMN )?\w+ (?:SET DATA )?TYPE`)
)

// faultsOfMigration says what would hold others up for as long as the table is large, and what cannot be tried again.
func faultsOfMigration(text string) (faults []string) {
	text, _, _ = strings.Cut(text, "-- +goose Down") // no command takes it
	made := map[string]bool{}
	for _, m := range madeTable.FindAllStringSubmatch(text, -1) {
		made[m[1]] = true
	}
	for _, m := range madeIndex.FindAllStringSubmatch(text, -1) {
		concurrently, name, table := m[1] != "", m[2], m[3]
		switch {
		case made[table]:
		case !concurrently:
			faults = append(faults, name+": CREATE INDEX CONCURRENTLY, in a migration of its own with -- +goose NO TRANSACTION")
		default:
			if !strings.Contains(text, "DROP INDEX CONCURRENTLY IF EXISTS "+name) {
				faults = append(faults, name+": drop what a failed attempt left: DROP INDEX CONCURRENTLY IF EXISTS")
			}
			if !strings.Contains(text, "SET lock_timeout = 0") {
				faults = append(faults, name+": it waits for others without holding anybody up: SET lock_timeout = 0")
			}
		}
	}
	for _, m := range constraint.FindAllStringSubmatch(text, -1) {
		if !made[m[1]] && !strings.Contains(m[0], "NOT VALID") {
			faults = append(faults, m[1]+": add the constraint NOT VALID, and validate it in the next migration")
		}
	}
	for _, m := range retyped.FindAllStringSubmatch(text, -1) {
		if !made[m[1]] {
			faults = append(faults, m[1]+": another type writes the whole table anew: add a column instead")
		}
	}
	return faults
}

func TestMigrate_DownAndUpAgain(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	db.publish(before())
	db.signUp(owner, account.Pro)
	db.newKey(owner)
	objects := func(pattern string) []string {
		return ask[string](db, `
			SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE nspname = 'public' AND relname ~ $1
			UNION ALL SELECT proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE nspname = 'public' AND proname ~ $1
			ORDER BY 1`, pattern)
	}
	const accounts, ours = `accounts|keys|access`, `^(?!river|goose)`
	up := objects(ours)
	if !slices.Contains(up, "keys_slot") || !slices.Contains(up, "note_changed_keys") {
		t.Fatalf("the migrations made %v", up)
	}
	down := func(version int64) {
		t.Helper()
		_, err := db.migrations().DownTo(t.Context(), version)
		db.must(err)
	}
	down(1)
	wantSame(t, "what migration 2 leaves of accounts", objects(accounts), []string{})
	wantEqual(t, "tools without accounts", db.count(`tools`), 3)
	down(0)
	wantSame(t, "what is left", objects(ours), []string{})
	db.migrate()
	wantSame(t, "what coming up again makes", objects(ours), up)
	wantEqual(t, "the edition then", db.publish(before()).Number, 1)
	db.signUp(owner, account.Pro)
	db.newKey(owner)
	wantEqual(t, "the number of changes then", db.latest().Number, 1)
}

// During a deployment this program meets the schema of the next one, which may have more
// columns, with defaults. It must publish and read as before, also on a connection from before
// the migration, and leave alone what it does not know.
func TestMigrate_ThisProgramOnANewerSchema(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	f := db.feed()
	e1 := db.publish(before())
	read := func() catalog.Delta {
		t.Helper()
		d, err := f.Since(t.Context(), e1)
		db.must(err)
		return d
	}
	read()
	for _, table := range append(published(), "review_dictionaries") {
		db.exec(`ALTER TABLE ` + table + ` ADD COLUMN later text NOT NULL DEFAULT 'default'`)
	}
	db.exec(`UPDATE tools SET later = 'set by the next program'`)
	db.nextDay()
	db.publish(after())
	wantSame(t, "the delta", toolSlugs(read()), []string{"a", "b", "neuf"})
	wantSame(t, "the column that this program does not know", ask[string](db, `SELECT later FROM tools ORDER BY slug`),
		[]string{"set by the next program", "set by the next program", "default"})
}

// Migration 5 takes endpoints that were delivered to for verified.
func TestMigrate_VerifiedEndpoints(t *testing.T) {
	t.Parallel()
	db := emptyDB(t)
	_, err := db.migrations().UpTo(t.Context(), 3)
	db.must(err)
	ada := ask[string](db, `INSERT INTO accounts (email, plan) VALUES ($1, 'pro') RETURNING id::text`, owner)[0]
	for i, state := range []string{"active", "paused", "unverified", "disabled", "disabled", "disabled"} {
		db.exec(`
			INSERT INTO endpoints (id, account_id, slot, url, description, types, categories, state, reason, secret, cursor, created_at)
			VALUES ($1, $2, $3, '', '', '{}', '{}', $4, '', '', 0, $5)`, fmt.Sprint("ep_", i), ada, i+1, state, db.now)
	}
	db.exec(`INSERT INTO deliveries (id, endpoint_id, seq, type, state, next_at, made_at) VALUES ('msg_a', 'ep_4', 1, '', 'exhausted', $1, $1)`, db.now)
	db.exec(`UPDATE endpoints SET failing_since = $1 WHERE id = 'ep_5'`, db.now) // its deliveries were pruned
	db.migrate()
	verified := ask[string](db, `SELECT id FROM endpoints WHERE verified_at = created_at ORDER BY id`)
	wantSame(t, "verified", verified, []string{"ep_0", "ep_1", "ep_4", "ep_5"})
	for _, state := range []string{"active", "paused"} {
		_, err := db.conn().Exec(t.Context(), `UPDATE endpoints SET state = $1 WHERE id IN ('ep_2', 'ep_3')`, state)
		wantRefused(t, state+" without a proof", err)
	}
}

// A program that is too old for the schema does not touch the database. One that is merely
// older works as before, and its migrate hides nothing.
func TestSchema_ProgramsThatAreTooOld(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir("migrations")
	if err != nil || len(entries) == 0 {
		t.Fatalf("no migrations: %v", err)
	}
	for _, entry := range entries {
		text, err := os.ReadFile("migrations/" + entry.Name())
		if err != nil || !strings.HasPrefix(string(text), "-- compatible: ") {
			t.Errorf("%s does not begin with the line\n-- compatible: N\nwhere N is the number of the newest migration"+
				" that the oldest program which can work on it knows: %v", entry.Name(), err)
		}
	}
	db := newDB(t)
	program, err := postgres.Program()
	db.must(err)
	schema := func(what string, want postgres.Schema) {
		t.Helper()
		s, err := db.Schema(t.Context())
		db.must(err)
		wantEqual(t, what, s, want)
	}
	schema("the schema after migrate", program)

	// A later program has migrated, compatibly.
	newer := program
	newer.Level += 2
	db.exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES ($1, true)`, newer.Level)
	schema("the newer schema", newer)
	db.feed()

	// Now incompatibly. This program's migrate does not change that.
	newer.Oldest = program.Level + 1
	db.exec(`UPDATE schema_compatibility SET oldest = $1`, newer.Oldest)
	db.migrate()
	schema("the schema after this program's migrate", newer)
	_, feed := db.Catalog.Feed(t.Context())
	jobs, err := db.Jobs(&river.Config{})
	db.must(err)
	for what, err := range map[string]error{"a feed": feed, "jobs": jobs.Start(t.Context())} {
		if !errors.Is(err, postgres.ErrProgramTooOld) || !strings.Contains(err.Error(), "install the newer version") {
			t.Errorf("%s on a schema that needs a newer program: %v", what, err)
		}
	}
}

// A database that was never migrated tells every program what to do.
func TestSchema_None(t *testing.T) {
	t.Parallel()
	db := emptyDB(t)
	ctx := t.Context()
	s, err := db.Schema(ctx)
	db.must(err)
	wantEqual(t, "the schema", s, postgres.Schema{})
	failures := db.missing(nobody, owner)
	_, failures["Accounts.Create"] = db.Accounts.Create(ctx, owner, account.Pro)
	_, failures["Accounts.List"] = db.Accounts.List(ctx, operator, "", 1)
	failures["Revoke"] = db.Keys.Revoke(ctx, operator, "key_x", db.now)
	_, failures["KeyFeed"] = db.Keys.Feed(ctx)
	_, _, failures["Current"] = db.Catalog.Current(ctx)
	_, failures["Publish"] = db.tryPublish(before())
	_, failures["Feed"] = db.Catalog.Feed(ctx)
	for what, err := range failures {
		wantError(t, what, err, postgres.ErrNoSchema)
	}
}

// On a schema before its migration a program says which one it needs: not that a table is missing, and
// not that somebody restores a backup. While somebody does, it does not ask for a migration.
func TestSchema_Behind(t *testing.T) {
	t.Parallel()
	db := emptyDB(t)
	program, err := postgres.Program()
	db.must(err)
	follow := func() map[string]error {
		_, feed := db.Catalog.Feed(t.Context())
		_, keys := db.Keys.Feed(t.Context())
		jobs, err := db.Jobs(&river.Config{})
		db.must(err)
		return map[string]error{"a feed": feed, "a feed of keys": keys, "jobs": jobs.Start(t.Context())}
	}
	for _, level := range []int64{1, 3, 7, 10, program.Level - 1} {
		_, err := db.migrations().UpTo(t.Context(), level)
		db.must(err)
		schema, err := db.Schema(t.Context()) // numbers have gaps
		db.must(err)
		want := fmt.Sprintf("the schema is at %d, this program needs %d: run palmares migrate", schema.Level, program.Level)
		for what, err := range follow() {
			if err == nil || err.Error() != want {
				t.Errorf("%s at %d: %v", what, level, err)
			}
		}
	}
	// pg_restore makes primary keys once all rows are there.
	db.exec(`ALTER TABLE goose_db_version DROP CONSTRAINT goose_db_version_pkey`)
	for what, err := range follow() {
		if err == nil || !strings.Contains(err.Error(), "being restored") {
			t.Errorf("%s while a backup is restored: %v", what, err)
		}
	}
}
