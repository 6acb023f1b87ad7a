package postgres

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

//go:embed migrations/*.sql
var migrations embed.FS

// A Schema says which version a schema has and which programs work on it.
type Schema struct {
	Level  int64 // the number of its newest migration, 0 before the first
	Oldest int64 // the lowest level of a program that works on it
}

// A BehindError means that the database must be migrated before this program can work on it.
type BehindError struct {
	Level, Needed int64 // Level is 0 where nothing was ever migrated
}

func (e *BehindError) Error() string {
	if e.Level == 0 {
		return "the database has no schema yet: run palmares migrate"
	}
	return fmt.Sprintf("the schema is at %d, this program needs %d: run palmares migrate", e.Level, e.Needed)
}

// ErrNoSchema is the BehindError of a database that has never been migrated.
var ErrNoSchema error = &BehindError{}

// errSchemaRestoring means that the version of the schema cannot be relied on yet.
var errSchemaRestoring = errors.New("the database is being restored: its schema is not all there yet")

// Program returns the schema that this program knows. Its Level is also the level of the program.
func Program() (Schema, error) {
	known, err := schemaOf(migrations)
	if err != nil {
		return Schema{}, fmt.Errorf("reading the migrations: %w", err)
	}
	return known, nil
}

// compatibleLine begins the first line of a migration. The lowest level of a program that
// works on the migrated schema follows it.
const compatibleLine = "-- compatible: "

// schemaOf reads the schema that the migrations in dir lead to. A migration without a
// compatibleLine needs a program that knows it.
func schemaOf(dir fs.FS) (Schema, error) {
	var s Schema
	names, err := fs.Glob(dir, "migrations/*.sql")
	if err != nil {
		return s, err
	}
	for _, name := range names {
		number, _, _ := strings.Cut(strings.TrimPrefix(name, "migrations/"), "_")
		level, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return s, fmt.Errorf("%s has no number: %w", name, err)
		}
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return s, err
		}
		oldest := level
		first, _ := bufio.NewReader(bytes.NewReader(text)).ReadString('\n')
		if said, ok := strings.CutPrefix(first, compatibleLine); ok {
			if oldest, err = strconv.ParseInt(strings.TrimSpace(said), 10, 64); err != nil || oldest < 1 || oldest > level {
				return s, fmt.Errorf("%s begins with %q: a level from 1 to %d follows %q", name, strings.TrimSpace(first), level, compatibleLine)
			}
		}
		s.Level, s.Oldest = max(s.Level, level), max(s.Oldest, oldest)
	}
	return s, nil
}

// ErrProgramTooOld means that this program does not understand the schema of the database.
var ErrProgramTooOld = errors.New("this program is too old for the database")

// readSchema reads the version of the schema from its tables; it is zero before the first migration. While
// pg_restore fills the tables, the version is missing, or is there before the rest. Tables get their
// primary keys last: readSchema returns errSchemaRestoring as long as its own lacks one.
func readSchema(ctx context.Context, q querier) (s Schema, err error) {
	var there, whole bool
	err = q.QueryRow(ctx, `
		SELECT to_regclass('goose_db_version') IS NOT NULL,
		    EXISTS (SELECT FROM pg_index WHERE indrelid = to_regclass('goose_db_version') AND indisprimary)`).Scan(&there, &whole)
	switch {
	case err != nil:
		return s, fmt.Errorf("reading the version of the schema: %w", explainPooler(err))
	case !there:
		return s, nil
	case !whole:
		return s, errSchemaRestoring
	}
	for _, read := range []struct {
		into *int64
		sql  string
	}{
		{&s.Level, `SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied`},
		{&s.Oldest, `SELECT oldest FROM schema_compatibility`},
	} {
		err := q.QueryRow(ctx, read.sql).Scan(read.into)
		var pg *pgconn.PgError
		if errors.As(err, &pg) && pg.Code == undefinedTable || errors.Is(err, pgx.ErrNoRows) {
			continue
		}
		if err != nil {
			return Schema{}, fmt.Errorf("reading the version of the schema: %w", explainPooler(err))
		}
	}
	return s, nil
}

// Check returns nil if a program that knows the given schema can work on this one, or else
// an error that says why not.
func (s Schema) Check(program Schema) error {
	switch {
	case s.Level == 0:
		return ErrNoSchema
	case s.Level < program.Level:
		return &BehindError{s.Level, program.Level}
	case s.Oldest <= program.Level:
		return nil
	}
	return fmt.Errorf("%w: its schema is at migration %d, which needs a program that knows migration %d, and this one ends at %d: install the newer version",
		ErrProgramTooOld, s.Level, s.Oldest, program.Level)
}

// checkSchema refuses a database whose schema this program does not understand.
func checkSchema(ctx context.Context, q querier) error {
	program, err := Program()
	if err != nil {
		return err
	}
	s, err := readSchema(ctx, q)
	if err != nil {
		return err
	}
	return s.Check(program)
}
