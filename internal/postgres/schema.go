package postgres

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A Schema is what a database says of its schema.
type Schema struct {
	Level  int64 // the number of its newest migration; 0 before the first
	Oldest int64 // the lowest level of the programs that work on it
}

// Program is the schema that this program knows: its level is the program's.
func Program() (Schema, error) {
	known, err := schemaOf(migrations)
	if err != nil {
		return Schema{}, fmt.Errorf("reading the migrations: %w", err)
	}
	return known, nil
}

// compatibleLine begins the first line of a migration. A number follows: the lowest
// level of the programs that work on the schema it leads to.
const compatibleLine = "-- compatible: "

// schemaOf reads what the migrations in dir say. One that says nothing counts as one
// that only programs who know it can work on.
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

// ErrProgramTooOld says that a migration has made the schema one that this program does
// not understand.
var ErrProgramTooOld = errors.New("this program is too old for the database")

// Schema reads what the database says of its schema. Before palmares migrate it says
// nothing, which refuses nobody.
func (db *DB) Schema(ctx context.Context) (Schema, error) { return readSchema(ctx, db.pool) }

func readSchema(ctx context.Context, q querier) (s Schema, err error) {
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
			return Schema{}, fmt.Errorf("reading the version of the schema: %w", err)
		}
	}
	return s, nil
}

// Refuses says why a program that knows the given schema cannot work on this one; nil
// when it can.
func (s Schema) Refuses(program Schema) error {
	if s.Oldest <= program.Level {
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
	return s.Refuses(program)
}
