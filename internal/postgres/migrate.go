package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate brings the schema up to date, with the tables of River, and returns the names
// of the migrations that it ran. Two that run at once wait for each other.
func Migrate(ctx context.Context, url string) (ran []string, err error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("reading the database URL: %w", err)
	}
	cfg.MaxConns = 4 // one holds the lock while others migrate
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("preparing the connections: %w", err)
	}
	defer pool.Close()
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close() //nolint:errcheck // nothing was left to write

	// The lock that goose would take for its own migrations, so that also an older
	// binary waits, around River's as well.
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300)) // look every second, for five minutes
	if err != nil {
		return nil, fmt.Errorf("preparing the migration lock: %w", err)
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("migrating: %w", err)
	}
	defer conn.Close() //nolint:errcheck // nothing was left to write
	if err := locker.SessionLock(ctx, conn); err != nil {
		return nil, fmt.Errorf("waiting for other migrations: %w", err)
	}
	defer locker.SessionUnlock(context.WithoutCancel(ctx), conn) //nolint:errcheck // it ends with the connection

	if ran, err = migrateOurs(ctx, db); err != nil {
		return nil, err
	}
	theirs, err := migrateRiver(ctx, pool)
	if err != nil {
		return nil, err
	}
	return append(ran, theirs...), nil
}

func migrateOurs(ctx context.Context, db *sql.DB) (ran []string, err error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, fmt.Errorf("opening the migrations: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files)
	if err != nil {
		return nil, fmt.Errorf("reading the migrations: %w", err)
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return nil, fmt.Errorf("migrating: %w", err)
	}
	for _, r := range results {
		ran = append(ran, r.Source.Path)
	}
	known, err := Program()
	if err != nil {
		return nil, err
	}
	// An older program that migrates again does not lower it.
	_, err = db.ExecContext(ctx, `
		INSERT INTO schema_compatibility (oldest) VALUES ($1)
		ON CONFLICT (only_row) DO UPDATE SET oldest = greatest(schema_compatibility.oldest, excluded.oldest)`, known.Oldest)
	if err != nil {
		return nil, fmt.Errorf("writing down who may work on the schema: %w", err)
	}
	return ran, nil
}

func migrateRiver(ctx context.Context, pool *pgxpool.Pool) (ran []string, err error) {
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, fmt.Errorf("reading the migrations of River: %w", err)
	}
	result, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	if err != nil {
		return nil, fmt.Errorf("migrating River: %w", err)
	}
	for _, v := range result.Versions {
		ran = append(ran, fmt.Sprintf("river %d", v.Version))
	}
	return ran, nil
}

// ErrNoSchema says that the database has not been migrated.
var ErrNoSchema = errors.New("the database has no schema yet: run palmares migrate")

const undefinedTable = "42P01"

// explain puts what the operator must do in place of PostgreSQL's own words.
func explain(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == undefinedTable {
		return fmt.Errorf("%w (%w)", ErrNoSchema, err)
	}
	return err
}
