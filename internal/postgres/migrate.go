package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// Migrate brings the schema and the tables of River up to date. It returns the names of the migrations that it ran,
// even with an error, because they stay. Only one process migrates at a time. busy, which may be nil, is called each
// time that a table is in use and the migration waits to try again; notice, which may be nil, with what a migration has to
// say.
func Migrate(ctx context.Context, url string, busy func(error), notice func(string)) (ran []string, err error) {
	cfg, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	cfg.MaxConns = 4 // one holds the lock, another one migrates
	cfg.ConnConfig.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		if notice != nil && n.Code == raised {
			notice(n.Message)
		}
	}
	limitLocks(cfg)
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

	// River's come first: a worker waits until our schema is there, and then starts River on its tables.
	var theirs []string
	err = untilUnlocked(ctx, busy, func() error {
		some, err := migrateRiver(ctx, pool)
		theirs = append(theirs, some...)
		return err
	})
	if err != nil {
		return theirs, err
	}
	err = untilUnlocked(ctx, busy, func() error {
		some, err := migrateOurs(ctx, db)
		ran = append(ran, some...)
		return err
	})
	return append(ran, theirs...), err
}

// raised is the code of what a migration has to say. The server's own notices have others.
const raised = "PLM00"

// lockPatience is how long a migration waits for a table that is in use. All others that need the table queue behind
// the migration meanwhile, so it gives up soon, lets them pass, and tries again.
const lockPatience = 500 * time.Millisecond

// lockTries is how often a migration is tried, and lockPause how long it pauses between tries. A transaction that holds
// a table for longer, such as a backup, must end first.
const (
	lockTries = 100
	lockPause = time.Second
)

// limitLocks makes statements fail that wait for a lock for longer than lockPatience. It sets that limit on open
// connections, because poolers refuse connections that ask for it.
func limitLocks(cfg *pgxpool.Config) {
	cfg.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `SELECT set_config('lock_timeout', $1, false)`, strconv.FormatInt(lockPatience.Milliseconds(), 10))
		if err != nil {
			return fmt.Errorf("limiting how long migrations wait for locks: %w", err)
		}
		return nil
	}
}

// untilUnlocked calls migrate, and again while others hold a lock that it needs, lockTries times at most. Migrations
// that have run stay.
func untilUnlocked(ctx context.Context, busy func(error), migrate func() error) error {
	for try := 1; ; try++ {
		err := migrate()
		if !isViolation(err, lockNotAvailable) {
			return err
		}
		if try == lockTries {
			return fmt.Errorf("somebody has used a table all the time that a migration is to change: "+
				"look for long transactions in pg_stat_activity, then run palmares migrate again: %w", err)
		}
		if busy != nil {
			busy(err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockPause):
		}
	}
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
	if partial, ok := errors.AsType[*goose.PartialError](err); ok {
		results = partial.Applied
	}
	for _, r := range results {
		ran = append(ran, r.Source.Path)
	}
	if err != nil {
		return ran, fmt.Errorf("migrating: %w", err)
	}
	known, err := Program()
	if err != nil {
		return ran, err
	}
	// An older program that migrates must not lower it.
	_, err = db.ExecContext(ctx, `
		INSERT INTO schema_compatibility (oldest) VALUES ($1)
		ON CONFLICT (only_row) DO UPDATE SET oldest = greatest(schema_compatibility.oldest, excluded.oldest)`, known.Oldest)
	if err != nil {
		return ran, fmt.Errorf("writing down who may work on the schema: %w", err)
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
