package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// PruneEvents implements webhook.Store. Nearly always the oldest event is too young,
// and a look at the beginning of the log is all.
//
// The log loses its beginning only, so an event is kept for a younger one's sake, too:
// a replay can tell by the editions, which stay, what there is no more.
func (db *DB) PruneEvents(ctx context.Context, before time.Time, limit int) (pruned int, err error) {
	err = pgx.BeginTxFunc(ctx, db.pool, readCommitted, func(tx pgx.Tx) error {
		old, err := lastOld(ctx, tx, before)
		if err != nil || old == 0 {
			return err
		}
		// What holds events is read by the statement that deletes them: deliveries are made
		// and the cursor is moved in one transaction, so it sees the one or the other. An
		// endpoint that becomes active begins at the end of the log.
		tag, err := tx.Exec(ctx, `
			DELETE FROM events WHERE ctid = ANY (ARRAY(
				SELECT ctid FROM events WHERE seq <= least($1::bigint,
				    (SELECT min(cursor) FROM endpoints WHERE state IN ('active', 'paused')),
				    (SELECT min(kept.seq) - 1 FROM endpoints e CROSS JOIN LATERAL (
				        SELECT d.seq FROM deliveries d WHERE d.endpoint_id = e.id ORDER BY d.seq LIMIT 1) kept))
				ORDER BY seq LIMIT $2 FOR UPDATE SKIP LOCKED))`, old, limit)
		pruned = int(tag.RowsAffected())
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("deleting old events: %w", explain(err))
	}
	return pruned, nil
}

// lastOld is the last event before the first edition that was not published before
// then; 0 when the log begins after it.
func lastOld(ctx context.Context, tx pgx.Tx, before time.Time) (seq int64, err error) {
	err = tx.QueryRow(ctx, `
		WITH oldest AS (SELECT seq, edition FROM events ORDER BY seq LIMIT 1),
		young AS (
			SELECT n.number FROM editions n WHERE n.number >= (SELECT edition FROM oldest) AND n.published_at >= $1
			ORDER BY n.number LIMIT 1),
		last AS (
			SELECT CASE WHEN EXISTS (SELECT FROM young)
			       THEN (SELECT n.last_seq FROM editions n WHERE n.number = (SELECT number - 1 FROM young))
			       ELSE `+endOfLog+` END AS seq)
		SELECT last.seq FROM last, oldest WHERE oldest.seq <= last.seq`, before).Scan(&seq)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return seq, err
}
