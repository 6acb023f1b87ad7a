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

// reset makes a delivery as if it had never been attempted, due at $2.
const reset = `state = 'pending', attempts = 0, next_at = $2, done_at = NULL, status = NULL,
	error = NULL, error_code = NULL, error_detail = NULL, response = NULL, took_ms = NULL,
	ended = NULL, ended_code = NULL, ended_detail = NULL, ended_at = NULL`

// ReplayDelivery implements webhook.ReplayStore.
func (w *Webhooks) ReplayDelivery(
	ctx context.Context, by account.Actor, endpoint, id string, r webhook.Replay,
) error {
	err := replayed(by, endpoint, r).run(ctx, w.pool, func(tx pgx.Tx, _ string) (bool, error) {
		var published time.Time
		err := tx.QueryRow(ctx, `
			SELECT n.published_at
			FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id JOIN events v ON v.seq = d.seq JOIN editions n ON n.number = v.edition
			WHERE d.id = $1 AND d.endpoint_id = $2 AND ($3::uuid IS NULL OR e.account_id = $3)`, id, endpoint, ownerOf(by)).Scan(&published)
		if errors.Is(err, pgx.ErrNoRows) {
			return false, webhook.ErrNoDelivery
		}
		if err != nil {
			return false, fmt.Errorf("looking for the delivery: %w", explain(err))
		}
		if err := lockActive(ctx, tx, by, endpoint); err != nil {
			return false, err
		}
		if published.Before(r.Oldest) {
			return false, webhook.ErrTooOld
		}
		n, err := replay(ctx, tx, []string{id}, r.Now)
		if err != nil {
			return false, err
		}
		if n == 0 { // it was pruned meanwhile
			return false, webhook.ErrNoDelivery
		}
		return true, setDue(ctx, tx, endpoint)
	})
	if errors.Is(err, webhook.ErrNoEndpoint) {
		return webhook.ErrNoDelivery
	}
	return err
}

// replayed returns the change as which a replay is run and recorded.
func replayed(by account.Actor, endpoint string, r webhook.Replay) change {
	return change{by, endpoint, account.DeliveryReplayed, r.Now}
}

// replay resets deliveries of a locked endpoint, keeps their last attempts, and returns how
// many deliveries there were.
func replay(ctx context.Context, tx pgx.Tx, ids []string, now time.Time) (int, error) {
	tag, err := tx.Exec(ctx, `WITH kept AS (`+keepLast+`d.id = ANY($1)) UPDATE deliveries SET `+reset+` WHERE id = ANY($1)`, ids, now)
	if err != nil {
		return 0, fmt.Errorf("replaying deliveries: %w", err)
	}
	return int(tag.RowsAffected()), nil
}

// ReplayRange implements webhook.ReplayStore.
func (w *Webhooks) ReplayRange(
	ctx context.Context, by account.Actor, endpoint string, from, to int64, r webhook.Replay,
) (made int, err error) {
	err = replayed(by, endpoint, r).run(ctx, w.pool, func(tx pgx.Tx, _ string) (bool, error) {
		if err := lockActive(ctx, tx, by, endpoint); err != nil {
			return false, err
		}
		// The edition says how old the first event is, even after the event was pruned.
		var tooOld bool
		err := tx.QueryRow(ctx, `
			SELECT coalesce((SELECT published_at < $2 FROM editions WHERE last_seq >= $1 ORDER BY number LIMIT 1), false)`,
			from, r.Oldest).Scan(&tooOld)
		if err != nil {
			return false, fmt.Errorf("reading the log: %w", err)
		}
		if tooOld {
			return false, webhook.ErrTooOld
		}
		rows, err := tx.Query(ctx, `
			SELECT v.seq, v.type FROM endpoints e JOIN events v ON v.seq BETWEEN $2 AND $3
			WHERE e.id = $1 AND `+wanted+` ORDER BY v.seq LIMIT $4`, endpoint, from, to, r.Max+1)
		if err != nil {
			return false, fmt.Errorf("reading the log: %w", err)
		}
		var batch newDeliveries
		var seq int64
		var kind string
		_, err = pgx.ForEachRow(rows, []any{&seq, &kind}, func() error { batch.add(seq, kind); return nil })
		if err != nil {
			return false, fmt.Errorf("reading the log: %w", err)
		}
		if len(batch.seqs) > r.Max {
			return false, webhook.ErrTooManyAsked
		}
		if _, err := tx.Exec(ctx, keepLast+`d.endpoint_id = $1 AND d.seq = ANY($2)`, endpoint, batch.seqs); err != nil {
			return false, fmt.Errorf("keeping the attempts so far: %w", err)
		}
		if made, err = batch.insert(ctx, tx, endpoint, r.Now, `DO UPDATE SET `+reset); err != nil {
			return false, err
		}
		return made > 0, setDue(ctx, tx, endpoint)
	})
	if err != nil {
		return 0, err
	}
	return made, nil
}

// ReplayFailed implements webhook.ReplayStore. Failed deliveries are those that are
// exhausted, and those that wait for another attempt, which may be hours away although the
// receiver works again.
func (w *Webhooks) ReplayFailed(
	ctx context.Context, by account.Actor, endpoint string, since time.Time, r webhook.Replay,
) (made int, err error) {
	err = replayed(by, endpoint, r).run(ctx, w.pool, func(tx pgx.Tx, _ string) (bool, error) {
		if err := lockActive(ctx, tx, by, endpoint); err != nil {
			return false, err
		}
		if since.Before(r.Oldest) {
			return false, webhook.ErrTooOld
		}
		failed, err := collect(ctx, tx, pgx.RowTo[string], `
			SELECT d.id FROM deliveries d JOIN events v ON v.seq = d.seq JOIN editions n ON n.number = v.edition
			WHERE d.endpoint_id = $1 AND n.published_at >= $3
			  AND (d.state = 'exhausted' AND `+failedAt+` >= $2 OR d.state = 'pending' AND d.attempts > 0 AND d.done_at >= $2)
			LIMIT $4`, endpoint, since, r.Oldest, r.Max+1)
		if err != nil {
			return false, fmt.Errorf("looking for what failed: %w", err)
		}
		if len(failed) > r.Max {
			return false, webhook.ErrTooManyAsked
		}
		if made, err = replay(ctx, tx, failed, r.Now); err != nil {
			return false, err
		}
		return made > 0, setDue(ctx, tx, endpoint)
	})
	if err != nil {
		return 0, err
	}
	return made, nil
}
