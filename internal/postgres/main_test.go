package postgres_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var operator = account.Operator()

// long is more than any test needs.
const long = 10 * time.Minute

// A testDB is a database of the test's own, and the clock of its publications.
type testDB struct {
	*testing.T
	*postgres.DB
	url string
	now time.Time

	mu    sync.Mutex // guards admin
	admin *pgx.Conn  // for what the package does not offer
}

// newDB makes a database with the schema.
func newDB(t *testing.T) *testDB { t.Helper(); return openDB(t, pgtest.Migrated(t)) }

// emptyDB makes a database without a schema.
func emptyDB(t *testing.T) *testDB { t.Helper(); return openDB(t, pgtest.URL(t)) }

func openDB(t *testing.T, url string) *testDB {
	t.Helper()
	db := &testDB{T: t, url: url, now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	db.DB, db.admin = db.process(), db.conn()
	return db
}

// process opens the database once more, as another process does, with the names and values
// of connection parameters.
func (db *testDB) process(params ...string) *postgres.DB {
	db.Helper()
	u := db.url
	for i := 0; i < len(params); i += 2 {
		u += "&" + params[i] + "=" + url.PathEscape(params[i+1])
	}
	p, err := postgres.Open(db.Context(), u, postgres.Options{})
	db.must(err)
	db.Cleanup(p.Close)
	return p
}

// isolated is a process for which the server defaults to that isolation level.
func (db *testDB) isolated(level string) *postgres.DB {
	db.Helper()
	return db.process("default_transaction_isolation", level)
}

func (db *testDB) conn() *pgx.Conn {
	db.Helper()
	conn, err := pgx.Connect(db.Context(), db.url)
	db.must(err)
	db.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func (db *testDB) clock() time.Time { return db.now }

// nextDay moves the clock to the same hour of the next day.
func (db *testDB) nextDay() { db.now = db.now.AddDate(0, 0, 1) }

func (db *testDB) must(err error) {
	db.Helper()
	if err != nil {
		db.Fatal(err)
	}
}

func (db *testDB) exec(sql string, args ...any) {
	db.Helper()
	db.mu.Lock()
	defer db.mu.Unlock()
	if _, err := db.admin.Exec(db.Context(), sql, args...); err != nil {
		db.Fatalf("%s: %v", sql, err)
	}
}

// ask reads rows of one column.
func ask[T any](db *testDB, sql string, args ...any) []T {
	db.Helper()
	db.mu.Lock()
	defer db.mu.Unlock()
	rows, err := db.admin.Query(db.Context(), sql, args...)
	if err != nil {
		db.Fatalf("%s: %v", sql, err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil {
		db.Fatalf("%s: %v", sql, err)
	}
	return list
}

// count counts rows.
func (db *testDB) count(from string, args ...any) int {
	db.Helper()
	return ask[int](db, `SELECT count(*) FROM `+from, args...)[0]
}

// dump is every row of the tables, or of all that there are. Equal dumps mean that nothing
// was written in between.
func (db *testDB) dump(tables ...string) string {
	db.Helper()
	if len(tables) == 0 {
		tables = ask[string](db, `SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`)
	}
	var all strings.Builder
	for _, table := range tables {
		for _, row := range ask[string](db, `SELECT r::text FROM `+table+` r ORDER BY 1`) {
			all.WriteString(table + " " + row + "\n")
		}
	}
	return all.String()
}

// failing runs do while a trigger fails what is done to a table: "BEFORE INSERT ON tools".
func (db *testDB) failing(event string, do func()) {
	db.Helper()
	db.exec(`CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'it failed'; END $$`)
	table := event[strings.LastIndex(event, " "):]
	if strings.HasPrefix(event, "COMMIT") {
		db.exec(`CREATE CONSTRAINT TRIGGER fail ` + strings.Replace(event, "COMMIT", "AFTER", 1) +
			` DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail()`)
	} else {
		db.exec(`CREATE TRIGGER fail ` + event + ` EXECUTE FUNCTION fail()`)
	}
	do()
	db.exec(`DROP TRIGGER fail ON ` + table)
}

// during runs change in a transaction, and f before its commit. The commit comes when f has
// ended or waits for a lock, after the looks at that.
func (db *testDB) during(change string, f func() error, looks ...func()) error {
	db.Helper()
	tx, err := db.conn().Begin(db.Context())
	db.must(err)
	_, err = tx.Exec(db.Context(), change)
	db.must(err)
	done := make(chan error, 1)
	go func() { done <- f() }()
	testkit.EventuallyTrue(db, "it has ended or waits", func() bool {
		return len(done) > 0 ||
			db.count(`pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) > 0
	})
	for _, look := range looks {
		look()
	}
	db.must(tx.Commit(db.Context()))
	return <-done
}

// announced listens on a channel while do runs, and returns what was announced.
func (db *testDB) announced(channel string, do func()) []string {
	db.Helper()
	conn := db.conn()
	_, err := conn.Exec(db.Context(), `LISTEN `+channel)
	db.must(err)
	do()
	db.exec(`NOTIFY ` + channel + `, 'end'`)
	ctx, cancel := context.WithTimeout(db.Context(), long)
	defer cancel()
	heard := []string{}
	for {
		n, err := conn.WaitForNotification(ctx)
		db.must(err)
		if n.Payload == "end" {
			return heard
		}
		heard = append(heard, n.Payload)
	}
}

// atOnce runs f n times at once and waits.
func atOnce(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

func each[T, R any](items []T, f func(T) R) []R {
	list := []R{}
	for _, x := range items {
		list = append(list, f(x))
	}
	return list
}

func wantEqual[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}

func wantError(t testing.TB, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}

// wantSame compares values as JSON, nil apart from empty, and shows the first lines that differ.
func wantSame(t testing.TB, what string, got, want any) {
	t.Helper()
	lines := func(x any) []string {
		text, err := json.MarshalIndent(x, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(string(text), "\n")
	}
	g, w := lines(got), lines(want)
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			near := func(lines []string) string {
				return strings.Join(lines[min(max(0, i-6), len(lines)):min(i+3, len(lines))], "\n")
			}
			t.Fatalf("%s differ at line %d:\n got\n%s\nwant\n%s", what, i+1, near(g), near(w))
		}
	}
}

// A column that a migration adds must not reach a program that does not know it.
func TestNoSelectStar(t *testing.T) {
	t.Parallel()
	everyColumn := regexp.MustCompile(`(?i)\b(select|returning)\s+(distinct\s+)?(\w+\.)?\*`)
	for sql, want := range map[string]bool{
		"SELECT * FROM tools": true, "select\n\t t.* from tools t": true, "INSERT INTO x RETURNING *": true,
		"SELECT count(*), score * 100 FROM tools": false,
	} {
		wantEqual(t, sql, everyColumn.MatchString(sql), want)
	}
	code, err := filepath.Glob("*.go")
	migrations, err2 := filepath.Glob("migrations/*.sql")
	if err := errors.Join(err, err2); err != nil || len(code) < 9 || len(migrations) < 8 {
		t.Fatalf("%d files and %d migrations: %v", len(code), len(migrations), err)
	}
	for _, file := range append(code, migrations...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if m := everyColumn.Find(text); m != nil && !strings.HasSuffix(file, "_test.go") {
			t.Errorf("%s: %q: name the columns", file, m)
		}
	}
}
