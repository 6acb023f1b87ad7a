package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/palmares-hq/palmares/internal/availability"
)

// Answers stores how many requests the API answered, and how many of them failed, by hour and node.
type Answers struct{ pool *pgxpool.Pool }

// WriteHours implements availability.Store.
func (a *Answers) WriteHours(ctx context.Context, node string, hours []availability.Hour, before time.Time) error {
	at, answered, failed := make([]time.Time, len(hours)), make([]int64, len(hours)), make([]int64, len(hours))
	for i, h := range hours {
		at[i], answered[i], failed[i] = h.At, h.Answered, h.Failed
	}
	_, err := a.pool.Exec(ctx, `
		WITH old AS (DELETE FROM answer_hours WHERE hour < $5)
		INSERT INTO answer_hours (hour, node, answered, failed)
		SELECT h, $2, n, f FROM unnest($1::timestamptz[], $3::bigint[], $4::bigint[]) AS x (h, n, f)
		ON CONFLICT (hour, node) DO UPDATE SET answered = excluded.answered, failed = excluded.failed`,
		at, node, answered, failed, before)
	if err != nil {
		return fmt.Errorf("writing down what was answered: %w", explain(err))
	}
	return nil
}

// Hours returns the sums of all nodes for each hour since a time, the oldest first. first is the first hour that was
// ever stored; zero for none.
func (a *Answers) Hours(ctx context.Context, since time.Time) (first time.Time, hours []availability.Hour, err error) {
	var began *time.Time
	if err := a.pool.QueryRow(ctx, `SELECT min(hour) FROM answer_hours`).Scan(&began); err != nil {
		return time.Time{}, nil, fmt.Errorf("reading what was answered: %w", explain(err))
	}
	hours, err = collect(ctx, a.pool, pgx.RowToStructByPos[availability.Hour], `
		SELECT hour, sum(answered)::bigint, sum(failed)::bigint FROM answer_hours WHERE hour >= $1 GROUP BY hour ORDER BY hour`, since)
	if err != nil {
		return time.Time{}, nil, fmt.Errorf("reading what was answered: %w", explain(err))
	}
	return fromNull(began), hours, nil
}
