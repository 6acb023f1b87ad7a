package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// Migrate brings the schema up to date, with the tables of River, and returns the names
// of the migrations that it ran. Only one process migrates at a time.
func Migrate(ctx context.Context, url string) (ran []string, err error) {
	cfg, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	cfg.MaxConns = 4 // one holds the lock, another one migrates
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("preparing the connections: %w", err)
	}
	defer pool.Close()
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close() //nolint:errcheck // nothing was left to write

	// This is the lock that goose takes for its own migrations, which older programs wait
	// for. It is taken here to hold for the migrations of River too.
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

	// First: a worker that waits for the schema asks for ours, and then starts River on its tables.
	theirs, err := migrateRiver(ctx, pool)
	if err != nil {
		return nil, err
	}
	if ran, err = migrateOurs(ctx, db); err != nil {
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
	// An older program that migrates must not lower it.
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
