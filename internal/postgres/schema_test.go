package postgres_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/postgres"
)

// Without that line nobody could say which nodes may stay while the schema moves on.
func TestEveryMigrationSaysWhoCanWorkOnIt(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("migrations/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no migration found: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), "-- compatible: ") {
			t.Errorf("%s does not begin with the line\n-- compatible: N\nwhere N is the number of the newest migration"+
				" that the oldest program which can work on it knows", file)
		}
	}
	if _, err := postgres.Program(); err != nil {
		t.Error(err)
	}
}

// A program that is too old for the schema does not touch the database, one that is
// merely older does as ever, and an older program's migrate does not hide it.
func TestProgramsThatAreTooOld(t *testing.T) {
	t.Parallel()
	program, err := postgres.Program()
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	schema := func() postgres.Schema {
		t.Helper()
		s, err := b.db.Schema(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	wantEqual(t, "the schema after migrate", schema(), program)

	// A later program has migrated, compatibly.
	b.exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES ($1, true)`, program.Level+2)
	wantEqual(t, "the newer schema", schema(), postgres.Schema{Level: program.Level + 2, Oldest: program.Oldest})
	b.feed()

	b.exec(`UPDATE schema_compatibility SET oldest = $1`, program.Level+1)
	if _, err := postgres.Migrate(t.Context(), b.url); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "the schema after this program's migrate", schema().Oldest, program.Level+1)
	_, err = b.db.Feed(t.Context())
	wantTooOld(t, "a feed", err)
	jobs, err := b.db.Jobs(&river.Config{})
	if err != nil {
		t.Fatal(err)
	}
	wantTooOld(t, "jobs", jobs.Start(t.Context()))
}

func wantTooOld(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, postgres.ErrProgramTooOld) || !strings.Contains(err.Error(), "install the newer version") {
		t.Errorf("%s on a schema that needs a newer program: %v", what, err)
	}
}

// A database that was never migrated refuses nobody: whoever starts early waits for it.
func TestNoSchemaRefusesNobody(t *testing.T) {
	t.Parallel()
	b := benchAt(t, emptyDatabase(t))
	s, err := b.db.Schema(t.Context())
	if err != nil || s != (postgres.Schema{}) {
		t.Errorf("%+v %v", s, err)
	}
	b.feed()
}
