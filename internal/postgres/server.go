package postgres

import (
	"context"
	"fmt"
	"time"
)

// Clock reads the clock of the server.
func (db *DB) Clock(ctx context.Context) (now time.Time, err error) {
	if err := db.pool.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&now); err != nil {
		return time.Time{}, fmt.Errorf("reading the clock of the server: %w", explain(err))
	}
	return now.UTC(), nil
}

// Archived reports whether the server archives its log (WAL), and how long ago it last did, by its own clock. Before
// the first segment, the age is that of the server's statistics.
func (db *DB) Archived(ctx context.Context) (age time.Duration, archives bool, err error) {
	var seconds float64
	err = db.pool.QueryRow(ctx, `
		SELECT current_setting('archive_mode') <> 'off',
		    extract(epoch FROM clock_timestamp() - coalesce(last_archived_time, stats_reset, pg_postmaster_start_time()))::float8
		FROM pg_stat_archiver`).Scan(&archives, &seconds)
	if err != nil {
		return 0, false, fmt.Errorf("reading when the server archived: %w", explain(err))
	}
	return time.Duration(seconds * float64(time.Second)), archives, nil
}

// BackedUp reports whether palmares-backup ever ran on this database, and how long ago it last succeeded, by the
// server's clock. Before the first success, the age is that of the first attempt.
func (db *DB) BackedUp(ctx context.Context) (age time.Duration, runs bool, err error) {
	var seconds *float64
	err = db.pool.QueryRow(ctx, `
		SELECT extract(epoch FROM clock_timestamp() - coalesce(max(ended), min(begun)))::float8 FROM backups`).Scan(&seconds)
	if err != nil {
		return 0, false, fmt.Errorf("reading when the database was backed up: %w", explain(err))
	}
	if seconds == nil {
		return 0, false, nil
	}
	return time.Duration(*seconds * float64(time.Second)), true, nil
}
