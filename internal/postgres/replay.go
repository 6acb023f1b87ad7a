package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/webhook"
)

// What can be replayed.
const (
	replayFor  = 30 * 24 * time.Hour // after the publication
	mostReplay = 10_000              // at once
)

// again makes a delivery as if it had never been attempted, due at $2. It keeps its id.
const again = `state = 'pending', attempts = 0, next_at = $2, done_at = NULL, status = NULL, error = NULL, response = NULL, took_ms = NULL`

// ReplayDelivery makes a delivery once more, under its id.
func (db *DB) ReplayDelivery(ctx context.Context, id string, now time.Time) error {
	return pgx.BeginTxFunc(ctx, db.pool, readCommitted, func(tx pgx.Tx) error {
		var endpoint string
		var published time.Time
		err := tx.QueryRow(ctx, `
			SELECT d.endpoint_id, n.published_at
			FROM deliveries d JOIN events v ON v.seq = d.seq JOIN editions n ON n.number = v.edition WHERE d.id = $1`, id).
			Scan(&endpoint, &published)
		if errors.Is(err, pgx.ErrNoRows) {
			return webhook.ErrNoDelivery
		}
		if err != nil {
			return fmt.Errorf("looking for the delivery: %w", explain(err))
		}
		if err := lockActive(ctx, tx, endpoint); err != nil {
			return err
		}
		if published.Before(now.Add(-replayFor)) {
			return webhook.ErrTooOld
		}
		tag, err := tx.Exec(ctx, `UPDATE deliveries SET `+again+` WHERE id = $1`, id, now)
		if err != nil {
			return fmt.Errorf("replaying the delivery: %w", err)
		}
		if tag.RowsAffected() == 0 { // it was pruned meanwhile
			return webhook.ErrNoDelivery
		}
		return setDue(ctx, tx, endpoint)
	})
}

// ReplayRange makes deliveries of all events between the two, both included, that the
// endpoint has asked for: those that there are once more, under their ids. It gives
// how many.
func (db *DB) ReplayRange(ctx context.Context, endpoint string, from, to int64, now time.Time) (made int, err error) {
	err = pgx.BeginTxFunc(ctx, db.pool, readCommitted, func(tx pgx.Tx) error {
		if err := lockActive(ctx, tx, endpoint); err != nil {
			return err
		}
		var tooOld bool
		err := tx.QueryRow(ctx, `
			SELECT coalesce((SELECT n.published_at < $3 FROM events v JOIN editions n ON n.number = v.edition
			                 WHERE v.seq BETWEEN $1 AND $2 ORDER BY v.seq LIMIT 1), false)`,
			from, to, now.Add(-replayFor)).Scan(&tooOld)
		if err != nil {
			return fmt.Errorf("reading the log: %w", err)
		}
		if tooOld {
			return webhook.ErrTooOld
		}
		rows, err := tx.Query(ctx, `
			SELECT v.seq, v.type FROM endpoints e JOIN events v ON v.seq BETWEEN $2 AND $3
			WHERE e.id = $1 AND `+wanted+` ORDER BY v.seq LIMIT $4`, endpoint, from, to, mostReplay+1)
		if err != nil {
			return fmt.Errorf("reading the log: %w", err)
		}
		var batch newDeliveries
		var seq int64
		var kind string
		_, err = pgx.ForEachRow(rows, []any{&seq, &kind}, func() error { batch.add(seq, kind); return nil })
		if err != nil {
			return fmt.Errorf("reading the log: %w", err)
		}
		if len(batch.seqs) > mostReplay {
			return webhook.ErrTooManyAsked
		}
		if made, err = batch.insert(ctx, tx, endpoint, now, `DO UPDATE SET `+again); err != nil {
			return err
		}
		return setDue(ctx, tx, endpoint)
	})
	if err != nil {
		return 0, err
	}
	return made, nil
}

func setDue(ctx context.Context, tx pgx.Tx, endpoint string) error {
	if _, err := tx.Exec(ctx, `UPDATE endpoints SET due_at = `+firstDue+` WHERE id = $1`, endpoint); err != nil {
		return fmt.Errorf("noting what is due: %w", err)
	}
	return nil
}

// lockActive locks an endpoint that must be active.
func lockActive(ctx context.Context, tx pgx.Tx, endpoint string) error {
	state, err := lockEndpoint(ctx, tx, endpoint)
	if err == nil && state != webhook.Active {
		return webhook.ErrNotReady
	}
	return err
}
