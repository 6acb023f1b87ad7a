package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate brings the schema up to date and returns the names of the migrations
// that it ran. Two that run at once wait for each other.
func Migrate(ctx context.Context, url string) ([]string, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("reading the database URL: %w", err)
	}
	db := stdlib.OpenDB(*cfg)
	defer db.Close() //nolint:errcheck // nothing was left to write

	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, fmt.Errorf("opening the migrations: %w", err)
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300)) // look every second, for five minutes
	if err != nil {
		return nil, fmt.Errorf("preparing the migration lock: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(locker))
	if err != nil {
		return nil, fmt.Errorf("reading the migrations: %w", err)
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return nil, fmt.Errorf("migrating: %w", err)
	}
	var ran []string
	for _, r := range results {
		ran = append(ran, r.Source.Path)
	}
	return ran, nil
}

// ErrNoSchema says that the database has not been migrated.
var ErrNoSchema = errors.New("the database has no schema yet: run palmares migrate")

// explain puts what the operator must do in place of PostgreSQL's own words.
func explain(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "42P01" { // undefined_table
		return fmt.Errorf("%w (%w)", ErrNoSchema, err)
	}
	return err
}
