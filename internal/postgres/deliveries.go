package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/webhook"
)

const deliveryColumns = `id, endpoint_id, seq, type, state, attempts, next_at, made_at, done_at,
	coalesce(status, 0), ` + errorReason + `, coalesce(response, ''), coalesce(took_ms, 0), ` + endedReason + `, ended_at, `

// slugOf is the slug of a delivery's event.
const slugOf = `coalesce((SELECT v.slug FROM events v WHERE v.seq = deliveries.seq), '') `

func scanDelivery(row pgx.CollectableRow) (d webhook.Delivery, err error) {
	var done, ended *time.Time
	var took int64
	var failed, end reasonRow
	err = row.Scan(&d.ID, &d.Endpoint, &d.Seq, &d.Type, &d.State, &d.Attempts, &d.NextAt, &d.CreatedAt, &done,
		&d.Status, &failed.text, &failed.code, &failed.detail, &d.Response, &took, &end.text, &end.code, &end.detail, &ended, &d.Slug)
	d.Error, d.EndReason = failed.reason(), end.reason()
	d.NextAt, d.CreatedAt, d.AttemptedAt, d.Took = d.NextAt.UTC(), d.CreatedAt.UTC(), fromNull(done), time.Duration(took)*time.Millisecond
	d.EndedAt = fromNull(ended)
	return d, err
}

// failedAt is when an exhausted delivery d was given up. Rows written before migration 6
// have no ended_at.
const failedAt = `coalesce(d.ended_at, d.done_at, d.made_at)`

// ofOwner is true for the deliveries of the endpoint $1 if the actor $2 may see them.
const ofOwner = `endpoint_id = $1 AND EXISTS (
	SELECT FROM endpoints e WHERE e.id = $1 AND ($2::uuid IS NULL OR e.account_id = $2)) `

// Deliveries implements webhook.DeliveryReader.
func (w *Webhooks) Deliveries(
	ctx context.Context, by account.Actor, endpoint string, f webhook.DeliveryFilter,
) ([]webhook.Delivery, error) {
	list, err := collect(ctx, w.pool, scanDelivery, `
		SELECT `+deliveryColumns+slugOf+`FROM deliveries WHERE `+ofOwner+`AND ($3::bigint = 0 OR seq < $3::bigint)
		  AND ($4::text = '' OR state = $4) AND ($5::text = '' OR type = $5)
		ORDER BY seq DESC LIMIT $6`, endpoint, ownerOf(by), f.Before, f.State, f.Type, f.Limit)
	if err != nil {
		return nil, fmt.Errorf("listing the deliveries: %w", explain(err))
	}
	return list, nil
}

// Delivery implements webhook.DeliveryReader.
func (w *Webhooks) Delivery(
	ctx context.Context, by account.Actor, endpoint, id string,
) (webhook.Delivery, error) {
	found, err := collect(ctx, w.pool, scanDelivery,
		`SELECT `+deliveryColumns+slugOf+`FROM deliveries WHERE `+ofOwner+`AND id = $3`, endpoint, ownerOf(by), id)
	if err != nil {
		return webhook.Delivery{}, fmt.Errorf("looking for the delivery: %w", explain(err))
	}
	if len(found) == 0 {
		return webhook.Delivery{}, webhook.ErrNoDelivery
	}
	return found[0], nil
}

// Due implements webhook.WorkerStore.
func (w *Webhooks) Due(
	ctx context.Context, endpoint string, now time.Time, limit int,
) ([]webhook.Delivery, error) {
	list, err := collect(ctx, w.pool, scanDelivery, `
		SELECT `+deliveryColumns+`'' FROM deliveries WHERE endpoint_id = $1 AND state = 'pending' AND next_at <= $2
		ORDER BY next_at, seq LIMIT $3`, endpoint, now, limit)
	if err != nil {
		return nil, fmt.Errorf("listing what is due: %w", err)
	}
	return list, nil
}

// wanted is true for the events v that the endpoint e subscribes to.
const wanted = `(cardinality(e.types) = 0 OR v.type = ANY(e.types)) AND (cardinality(e.categories) = 0 OR v.categories && e.categories)`

// Advance implements webhook.WorkerStore. It marks an endpoint that has mostPending deliveries as
// saturated: Enqueue does not come back for its events until Record has ended a delivery.
func (w *Webhooks) Advance(
	ctx context.Context, endpoint string, now time.Time, limit, mostPending int,
) (made int, more bool, err error) {
	err = pgx.BeginTxFunc(ctx, w.pool, readCommitted, func(tx pgx.Tx) error {
		made, more = 0, false
		state, err := lockEndpoint(ctx, tx, account.Operator(), endpoint)
		if errors.Is(err, webhook.ErrNoEndpoint) || err == nil && state != webhook.Active {
			return nil
		}
		if err != nil {
			return err
		}
		var pending int
		err = tx.QueryRow(ctx, `
			SELECT count(*) FROM (SELECT FROM deliveries WHERE endpoint_id = $1 AND state = 'pending' LIMIT $2) p`,
			endpoint, mostPending).Scan(&pending)
		if err != nil {
			return fmt.Errorf("counting what is pending: %w", err)
		}
		if pending >= mostPending {
			_, err := tx.Exec(ctx, `UPDATE endpoints SET saturated = true WHERE id = $1`, endpoint)
			return err
		}
		made, more, err = deliverNext(ctx, tx, endpoint, now, limit)
		return err
	})
	if err != nil {
		return 0, false, fmt.Errorf("making deliveries: %w", err)
	}
	return made, more, nil
}

// deliverNext makes deliveries of the next events for a locked endpoint, and moves its cursor
// past all events it read, wanted or not.
func deliverNext(
	ctx context.Context, tx pgx.Tx, endpoint string, now time.Time, limit int,
) (made int, more bool, err error) {
	var batch newDeliveries
	var last, seq int64
	var kind string
	var matches bool
	rows, err := tx.Query(ctx, `
		SELECT v.seq, v.type, `+wanted+` FROM endpoints e JOIN events v ON v.seq > e.cursor
		WHERE e.id = $1 ORDER BY v.seq LIMIT $2`, endpoint, limit)
	if err != nil {
		return 0, false, fmt.Errorf("reading the log: %w", err)
	}
	_, err = pgx.ForEachRow(rows, []any{&seq, &kind, &matches}, func() error {
		last = seq
		if matches {
			batch.add(seq, kind)
		}
		return nil
	})
	if err != nil {
		return 0, false, fmt.Errorf("reading the log: %w", err)
	}
	made, err = batch.insert(ctx, tx, endpoint, now, `DO NOTHING`)
	if err != nil {
		return 0, false, err
	}
	err = tx.QueryRow(ctx, `
		UPDATE endpoints SET cursor = greatest(cursor, $2), saturated = false, due_at = `+firstDue+` WHERE id = $1
		RETURNING cursor < `+endOfLog, endpoint, last).Scan(&more)
	if err != nil {
		return 0, false, fmt.Errorf("moving the cursor: %w", err)
	}
	return made, more, nil
}

// newDeliveries are deliveries to insert.
type newDeliveries struct {
	ids, types []string
	seqs       []int64
}

func (n *newDeliveries) add(seq int64, kind string) {
	n.ids, n.seqs, n.types = append(n.ids, webhook.NewDeliveryID()), append(n.seqs, seq), append(n.types, kind)
}

// insert inserts the deliveries, due at once, and returns how many. onConflict says what to
// do with those that exist.
func (n *newDeliveries) insert(
	ctx context.Context, tx pgx.Tx, endpoint string, now time.Time, onConflict string,
) (int, error) {
	if len(n.ids) == 0 {
		return 0, nil
	}
	tag, err := tx.Exec(ctx, `
		INSERT INTO deliveries (endpoint_id, made_at, next_at, id, seq, type)
		SELECT $1, $2, $2, n.id, n.seq, n.type FROM unnest($3::text[], $4::bigint[], $5::text[]) AS n (id, seq, type)
		ON CONFLICT (endpoint_id, seq) `+onConflict, endpoint, now, n.ids, n.seqs, n.types)
	if err != nil {
		return 0, fmt.Errorf("inserting deliveries: %w", err)
	}
	return int(tag.RowsAffected()), nil
}

// Record implements webhook.WorkerStore. If the endpoint is no longer active, deliveries that would be
// attempted again become exhausted. Earlier attempts are kept in their own table.
func (w *Webhooks) Record(
	ctx context.Context, endpoint string, outcomes []webhook.Outcome, health webhook.Health, until time.Time,
) error {
	var (
		ids, states, responses   []string
		errs, codes, details     []string // why they failed
		again                    []string // the ids of those that had been attempted before
		attempts, statuses, took []int32
		next, done               []time.Time
		over                     bool // whether one of them ended: then the endpoint is not saturated
	)
	for _, o := range outcomes {
		ids, states = append(ids, o.ID), append(states, string(o.State))
		errs, codes, details = append(errs, storable(o.Error.String())), append(codes, string(o.Error.Code)), append(details, storable(o.Error.Detail))
		responses = append(responses, storable(o.Response))
		attempts, statuses = append(attempts, int32(o.Attempts)), append(statuses, int32(o.Status)) //nolint:gosec // small numbers
		took = append(took, int32(o.Took.Milliseconds()))                                           //nolint:gosec // of a request that has a time-out
		next, done = append(next, o.NextAt), append(done, o.AttemptedAt)
		if o.Attempts > 1 {
			again = append(again, o.ID)
		}
		over = over || o.State != webhook.Pending
	}
	err := pgx.BeginTxFunc(ctx, w.pool, readCommitted, func(tx pgx.Tx) error {
		var active bool
		var why reasonRow
		err := tx.QueryRow(ctx, `
			SELECT state = 'active', `+endpointReason+`, `+asyncCommit+` FROM endpoints WHERE id = $1 FOR NO KEY UPDATE`, endpoint).
			Scan(&active, &why.text, &why.code, &why.detail, nil)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil // it was deleted, with its deliveries
		}
		if err != nil {
			return err
		}
		end := why.reason()
		args := []any{
			endpoint, ids, states, attempts, next, done, statuses, errs, responses, took, active,
			end.String(), string(end.Code), end.Detail, codes, details,
		}
		sql := recordAttempts
		if len(again) > 0 { // one statement: keepLast sees the rows as they were
			sql, args = `WITH kept AS (`+keepLast+`d.endpoint_id = $1 AND d.id = ANY($17))`+sql, append(args, again)
		}
		if _, err = tx.Exec(ctx, sql, args...); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `
			UPDATE endpoints SET failing_since = $2, slow = $3, saturated = saturated AND NOT $5, due_at = `+firstDue+`,
			    claimed_until = CASE state WHEN 'active' THEN $4 ELSE claimed_until END
			WHERE id = $1`, endpoint, toNull(health.FailingSince), health.Slow, until, over)
		return err
	})
	if err != nil {
		return fmt.Errorf("recording attempts: %w", err)
	}
	return nil
}

const recordAttempts = `
	UPDATE deliveries d SET
	    state = CASE WHEN $11 OR o.state <> 'pending' THEN o.state ELSE 'exhausted' END,
	    ended = CASE WHEN $11 OR o.state <> 'pending' THEN NULL ELSE nullif($12, '') END,
	    ended_code = CASE WHEN $11 OR o.state <> 'pending' THEN NULL ELSE nullif($13, '') END,
	    ended_detail = CASE WHEN $11 OR o.state <> 'pending' THEN NULL ELSE nullif($14, '') END,
	    ended_at = CASE WHEN $11 OR o.state <> 'pending' THEN NULL ELSE o.done_at END,
	    attempts = o.attempts, next_at = o.next_at, done_at = o.done_at, status = nullif(o.status, 0),
	    error = nullif(o.error, ''), error_code = nullif(o.error_code, ''), error_detail = nullif(o.error_detail, ''),
	    response = nullif(o.response, ''), took_ms = o.took_ms
	FROM unnest($2::text[], $3::text[], $4::integer[], $5::timestamptz[], $6::timestamptz[], $7::integer[], $8::text[], $9::text[], $10::integer[],
	        $15::text[], $16::text[])
	    AS o (id, state, attempts, next_at, done_at, status, error, response, took_ms, error_code, error_detail)
	WHERE d.id = o.id AND d.endpoint_id = $1`

// storable replaces what PostgreSQL does not accept in a text: receivers may answer with any bytes.
func storable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// Prune implements webhook.WorkerStore. Deleting a delivery deletes its attempts, so it stays
// until its last attempt is old enough too.
func (w *Webhooks) Prune(ctx context.Context, before time.Time, limit int) (int, error) {
	tag, err := w.pool.Exec(ctx, `
		DELETE FROM deliveries WHERE ctid = ANY (ARRAY( -- locked rows keep their ctid
			SELECT ctid FROM deliveries WHERE made_at < $1 AND state <> 'pending' AND (done_at IS NULL OR done_at < $1)
			ORDER BY made_at LIMIT $2 FOR UPDATE SKIP LOCKED))`, before, limit)
	if err != nil {
		return 0, fmt.Errorf("deleting old deliveries: %w", explain(err))
	}
	return int(tag.RowsAffected()), nil
}

// setDue updates due_at after the deliveries of a locked endpoint changed.
func setDue(ctx context.Context, tx pgx.Tx, endpoint string) error {
	if _, err := tx.Exec(ctx, `UPDATE endpoints SET due_at = `+firstDue+` WHERE id = $1`, endpoint); err != nil {
		return fmt.Errorf("noting what is due: %w", err)
	}
	return nil
}
