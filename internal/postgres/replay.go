package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// failedAt is when an exhausted delivery was given up. Before ended_at was, nobody noted
// when that of an endpoint that ceased to be active was.
const failedAt = `coalesce(d.ended_at, d.done_at, d.made_at)`

// again makes a delivery as if it had never been attempted, due at $2. It keeps its id.
const again = `state = 'pending', attempts = 0, next_at = $2, done_at = NULL, status = NULL, error = NULL, response = NULL, took_ms = NULL,
	ended = NULL, ended_at = NULL`

// ReplayDelivery implements webhook.DeliveryStore.
func (db *DB) ReplayDelivery(ctx context.Context, by account.Actor, endpoint, id string, r webhook.Replay) error {
	return pgx.BeginTxFunc(ctx, db.pool, readCommitted, func(tx pgx.Tx) error {
		var published time.Time
		err := tx.QueryRow(ctx, `
			SELECT n.published_at
			FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id JOIN events v ON v.seq = d.seq JOIN editions n ON n.number = v.edition
			WHERE d.id = $1 AND d.endpoint_id = $2 AND ($3::uuid IS NULL OR e.account_id = $3)`, id, endpoint, ownerOf(by)).Scan(&published)
		if errors.Is(err, pgx.ErrNoRows) {
			return webhook.ErrNoDelivery
		}
		if err != nil {
			return fmt.Errorf("looking for the delivery: %w", explain(err))
		}
		if err := lockActive(ctx, tx, by, endpoint); err != nil {
			return err
		}
		if published.Before(r.Oldest) {
			return webhook.ErrTooOld
		}
		n, err := replay(ctx, tx, []string{id}, r.Now)
		if err != nil {
			return err
		}
		if n == 0 { // it was pruned meanwhile
			return webhook.ErrNoDelivery
		}
		return setDue(ctx, tx, endpoint)
	})
}

// replay makes deliveries of a locked endpoint once more, and counts them. Their last
// attempts stay to be seen.
func replay(ctx context.Context, tx pgx.Tx, ids []string, now time.Time) (int, error) {
	tag, err := tx.Exec(ctx, `WITH kept AS (`+keepLast+`d.id = ANY($1)) UPDATE deliveries SET `+again+` WHERE id = ANY($1)`, ids, now)
	if err != nil {
		return 0, fmt.Errorf("replaying deliveries: %w", err)
	}
	return int(tag.RowsAffected()), nil
}

// ReplayRange implements webhook.DeliveryStore.
func (db *DB) ReplayRange(ctx context.Context, by account.Actor, endpoint string, from, to int64, r webhook.Replay) (made int, err error) {
	err = pgx.BeginTxFunc(ctx, db.pool, readCommitted, func(tx pgx.Tx) error {
		if err := lockActive(ctx, tx, by, endpoint); err != nil {
			return err
		}
		// The edition says how old the first event is, also when the log has lost it.
		var tooOld bool
		err := tx.QueryRow(ctx, `
			SELECT coalesce((SELECT published_at < $2 FROM editions WHERE last_seq >= $1 ORDER BY number LIMIT 1), false)`,
			from, r.Oldest).Scan(&tooOld)
		if err != nil {
			return fmt.Errorf("reading the log: %w", err)
		}
		if tooOld {
			return webhook.ErrTooOld
		}
		rows, err := tx.Query(ctx, `
			SELECT v.seq, v.type FROM endpoints e JOIN events v ON v.seq BETWEEN $2 AND $3
			WHERE e.id = $1 AND `+wanted+` ORDER BY v.seq LIMIT $4`, endpoint, from, to, r.Most+1)
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
		if len(batch.seqs) > r.Most {
			return webhook.ErrTooManyAsked
		}
		if _, err := tx.Exec(ctx, keepLast+`d.endpoint_id = $1 AND d.seq = ANY($2)`, endpoint, batch.seqs); err != nil {
			return fmt.Errorf("keeping the attempts so far: %w", err)
		}
		if made, err = batch.insert(ctx, tx, endpoint, r.Now, `DO UPDATE SET `+again); err != nil {
			return err
		}
		return setDue(ctx, tx, endpoint)
	})
	if err != nil {
		return 0, err
	}
	return made, nil
}

// ReplayFailed implements webhook.DeliveryStore: those that are exhausted, and those whose
// next attempt may be hours away although the receiver is repaired.
func (db *DB) ReplayFailed(ctx context.Context, by account.Actor, endpoint string, since time.Time, r webhook.Replay) (made int, err error) {
	err = pgx.BeginTxFunc(ctx, db.pool, readCommitted, func(tx pgx.Tx) error {
		if err := lockActive(ctx, tx, by, endpoint); err != nil {
			return err
		}
		if since.Before(r.Oldest) {
			return webhook.ErrTooOld
		}
		failed, err := collect(ctx, tx, pgx.RowTo[string], `
			SELECT d.id FROM deliveries d JOIN events v ON v.seq = d.seq JOIN editions n ON n.number = v.edition
			WHERE d.endpoint_id = $1 AND n.published_at >= $3
			  AND (d.state = 'exhausted' AND `+failedAt+` >= $2 OR d.state = 'pending' AND d.attempts > 0 AND d.done_at >= $2)
			LIMIT $4`, endpoint, since, r.Oldest, r.Most+1)
		if err != nil {
			return fmt.Errorf("looking for what failed: %w", err)
		}
		if len(failed) > r.Most {
			return webhook.ErrTooManyAsked
		}
		if made, err = replay(ctx, tx, failed, r.Now); err != nil {
			return err
		}
		return setDue(ctx, tx, endpoint)
	})
	if err != nil {
		return 0, err
	}
	return made, nil
}

// readMissed tells what an endpoint that is not active yet has missed.
func readMissed(ctx context.Context, tx pgx.Tx, endpoint string, now time.Time) (m webhook.Missed, err error) {
	var since *time.Time
	err = tx.QueryRow(ctx, `
		SELECT e.cursor + 1, `+endOfLog+`,
		    coalesce((SELECT v.seq FROM events v JOIN editions n ON n.number = v.edition
		              WHERE v.seq > e.cursor AND n.published_at >= $2 ORDER BY v.seq LIMIT 1), 0),
		    f.number, f.since
		FROM endpoints e, LATERAL (
		    SELECT count(*) AS number, min(`+failedAt+`) AS since
		    FROM deliveries d WHERE d.endpoint_id = e.id AND d.state = 'exhausted') f
		WHERE e.id = $1`, endpoint, webhook.ReplayAt(now).Oldest).Scan(&m.From, &m.To, &m.Replayable, &m.Failed, &since)
	if err != nil {
		return m, fmt.Errorf("reading what the endpoint missed: %w", err)
	}
	m.FailedSince = known(since)
	return m, nil
}

func setDue(ctx context.Context, tx pgx.Tx, endpoint string) error {
	if _, err := tx.Exec(ctx, `UPDATE endpoints SET due_at = `+firstDue+` WHERE id = $1`, endpoint); err != nil {
		return fmt.Errorf("noting what is due: %w", err)
	}
	return nil
}

// lockActive locks an endpoint that must be active.
func lockActive(ctx context.Context, tx pgx.Tx, by account.Actor, endpoint string) error {
	state, err := lockEndpoint(ctx, tx, by, endpoint)
	if err == nil && state != webhook.Active {
		return webhook.ErrNotReady
	}
	return err
}
