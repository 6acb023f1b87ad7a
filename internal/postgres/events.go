package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/webhook"
)

// Events implements webhook.WorkerStore.
func (w *Webhooks) Events(ctx context.Context, seqs []int64) ([]webhook.Event, error) {
	list, err := collect(ctx, w.pool, func(row pgx.CollectableRow) (webhook.Event, error) {
		e, err := scanLogEntry(row)
		return webhook.Event{LogEntry: *e}, err
	}, selectLogEntries+`WHERE v.seq = ANY($1) ORDER BY v.seq`, seqs)
	if err != nil {
		return nil, fmt.Errorf("reading events: %w", explain(err))
	}
	return list, nil
}

// EventEditions implements webhook.WorkerStore.
func (w *Webhooks) EventEditions(ctx context.Context, seqs []int64) (map[int64]string, error) {
	rows, err := w.pool.Query(ctx, `
		SELECT v.seq, n.id::text FROM events v JOIN editions n ON n.number = v.edition WHERE v.seq = ANY($1)`, seqs)
	if err != nil {
		return nil, fmt.Errorf("finding the editions of events: %w", explain(err))
	}
	editions := make(map[int64]string, len(seqs))
	var seq int64
	var edition string
	_, err = pgx.ForEachRow(rows, []any{&seq, &edition}, func() error { editions[seq] = edition; return nil })
	if err != nil {
		return nil, fmt.Errorf("finding the editions of events: %w", explain(err))
	}
	return editions, nil
}

// PruneEvents implements webhook.WorkerStore. Nearly always the oldest event is too young to be
// deleted, and then nothing else is read.
//
// Only the beginning of the log is deleted, so that the log has no holes. Editions are
// kept, so that a replay can tell that its events are too old.
func (w *Webhooks) PruneEvents(
	ctx context.Context, before time.Time, limit int,
) (pruned int, err error) {
	err = pgx.BeginTxFunc(ctx, w.pool, readCommitted, func(tx pgx.Tx) error {
		old, err := lastOld(ctx, tx, before)
		if err != nil || old == 0 {
			return err
		}
		// One statement finds the events that are still needed and deletes older ones. Deliveries
		// are made and the cursor is moved in one transaction, so the statement sees either
		// the cursor before the event or its delivery. An endpoint that becomes active starts
		// at the end of the log.
		tag, err := tx.Exec(ctx, `
			DELETE FROM events WHERE ctid = ANY (ARRAY(
				SELECT ctid FROM events WHERE seq <= least($1::bigint,
				    (SELECT min(cursor) FROM endpoints WHERE state = 'active'),
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

// lastOld returns the last event that was published before a time, or 0 if the log begins
// later.
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
