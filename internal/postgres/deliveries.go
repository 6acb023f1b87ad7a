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
	coalesce(status, 0), coalesce(error, ''), coalesce(response, ''), coalesce(took_ms, 0), coalesce(ended, ''), ended_at, `

// slugOf is the slug of a delivery's event.
const slugOf = `coalesce((SELECT v.slug FROM events v WHERE v.seq = deliveries.seq), '') `

func scanDelivery(row pgx.CollectableRow) (d webhook.Delivery, err error) {
	var done, ended *time.Time
	var took int64
	err = row.Scan(&d.ID, &d.Endpoint, &d.Seq, &d.Type, &d.State, &d.Attempts, &d.NextAt, &d.Made, &done,
		&d.Status, &d.Error, &d.Response, &took, &d.Ended, &ended, &d.Slug)
	d.NextAt, d.Made, d.Done, d.Took = d.NextAt.UTC(), d.Made.UTC(), known(done), time.Duration(took)*time.Millisecond
	d.EndedAt = known(ended)
	return d, err
}

// ofOwner is true of deliveries whose endpoint, $1, belongs to the owner $2.
const ofOwner = `endpoint_id = $1 AND EXISTS (
	SELECT FROM endpoints e WHERE e.id = $1 AND ($2::uuid IS NULL OR e.account_id = $2)) `

// Deliveries implements webhook.DeliveryStore.
func (db *DB) Deliveries(ctx context.Context, by account.Actor, endpoint string, before int64, limit int) ([]webhook.Delivery, error) {
	list, err := collect(ctx, db.pool, scanDelivery, `
		SELECT `+deliveryColumns+slugOf+`FROM deliveries WHERE `+ofOwner+`AND ($3::bigint = 0 OR seq < $3::bigint)
		ORDER BY seq DESC LIMIT $4`, endpoint, ownerOf(by), before, limit)
	if err != nil {
		return nil, fmt.Errorf("listing the deliveries: %w", explain(err))
	}
	return list, nil
}

// Delivery implements webhook.DeliveryStore.
func (db *DB) Delivery(ctx context.Context, by account.Actor, endpoint, id string) (webhook.Delivery, error) {
	found, err := collect(ctx, db.pool, scanDelivery,
		`SELECT `+deliveryColumns+slugOf+`FROM deliveries WHERE `+ofOwner+`AND id = $3`, endpoint, ownerOf(by), id)
	if err != nil {
		return webhook.Delivery{}, fmt.Errorf("looking for the delivery: %w", explain(err))
	}
	if len(found) == 0 {
		return webhook.Delivery{}, webhook.ErrNoDelivery
	}
	return found[0], nil
}

// Due implements webhook.Store.
func (db *DB) Due(ctx context.Context, endpoint string, now time.Time, limit int) ([]webhook.Delivery, error) {
	list, err := collect(ctx, db.pool, scanDelivery, `
		SELECT `+deliveryColumns+`'' FROM deliveries WHERE endpoint_id = $1 AND state = 'pending' AND next_at <= $2
		ORDER BY next_at, seq LIMIT $3`, endpoint, now, limit)
	if err != nil {
		return nil, fmt.Errorf("listing what is due: %w", err)
	}
	return list, nil
}

// Events implements webhook.Store.
func (db *DB) Events(ctx context.Context, seqs []int64) ([]webhook.Event, error) {
	list, err := collect(ctx, db.pool, func(row pgx.CollectableRow) (e webhook.Event, err error) {
		err = row.Scan(&e.Seq, &e.Edition, &e.At, &e.Type, &e.Slug, &e.Categories, &e.Object, &e.Previous)
		e.At = e.At.UTC()
		return e, err
	}, `
		SELECT v.seq, v.edition, n.published_at, v.type, v.slug, v.categories, v.object, v.previous
		FROM events v JOIN editions n ON n.number = v.edition WHERE v.seq = ANY($1) ORDER BY v.seq`, seqs)
	if err != nil {
		return nil, fmt.Errorf("reading events: %w", explain(err))
	}
	return list, nil
}

// EventEditions implements webhook.Store.
func (db *DB) EventEditions(ctx context.Context, seqs []int64) (map[int64]string, error) {
	rows, err := db.pool.Query(ctx, `
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

// wanted is true of the events v that the endpoint e has asked for.
const wanted = `(cardinality(e.types) = 0 OR v.type = ANY(e.types)) AND (cardinality(e.categories) = 0 OR v.categories && e.categories)`

// Advance implements webhook.Store. While the endpoint has mostPending deliveries to
// make it is marked, and Enqueue does not come back for the log before some are over.
func (db *DB) Advance(ctx context.Context, endpoint string, now time.Time, limit, mostPending int) (made int, more bool, err error) {
	err = pgx.BeginTxFunc(ctx, db.pool, readCommitted, func(tx pgx.Tx) error {
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
		made, more, err = follow(ctx, tx, endpoint, now, limit)
		return err
	})
	if err != nil {
		return 0, false, fmt.Errorf("making deliveries: %w", err)
	}
	return made, more, nil
}

// follow makes deliveries of the next events for a locked endpoint, and moves its
// cursor past all that were read, wanted or not.
func follow(ctx context.Context, tx pgx.Tx, endpoint string, now time.Time, limit int) (made int, more bool, err error) {
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

// insert makes the deliveries due at once and counts them; onConflict says what
// happens to those that exist.
func (n *newDeliveries) insert(ctx context.Context, tx pgx.Tx, endpoint string, now time.Time, onConflict string) (int, error) {
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

// Record implements webhook.Store. What was to be attempted again is over when the
// endpoint is no longer active. Attempts before the last one are kept.
func (db *DB) Record(ctx context.Context, endpoint string, outcomes []webhook.Outcome, health webhook.Health, until time.Time) error {
	var (
		ids, states, errs, responses []string
		again                        []string // were attempted before
		attempts, statuses, took     []int32
		next, done                   []time.Time
		over                         bool // one of them: there is room for another
	)
	for _, o := range outcomes {
		ids, states = append(ids, o.ID), append(states, string(o.State))
		errs, responses = append(errs, storable(o.Error)), append(responses, storable(o.Response))
		attempts, statuses = append(attempts, int32(o.Attempts)), append(statuses, int32(o.Status)) //nolint:gosec // small numbers
		took = append(took, int32(o.Took.Milliseconds()))                                           //nolint:gosec // of a request that has a time-out
		next, done = append(next, o.NextAt), append(done, o.Done)
		if o.Attempts > 1 {
			again = append(again, o.ID)
		}
		over = over || o.State != webhook.Pending
	}
	err := pgx.BeginTxFunc(ctx, db.pool, readCommitted, func(tx pgx.Tx) error {
		var active bool
		var reason string
		err := tx.QueryRow(ctx, `
			SELECT state = 'active', reason, `+unsynced+` FROM endpoints WHERE id = $1 FOR NO KEY UPDATE`, endpoint).Scan(&active, &reason, nil)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil // its deliveries are gone too
		}
		if err != nil {
			return err
		}
		args := []any{endpoint, ids, states, attempts, next, done, statuses, errs, responses, took, active, reason}
		sql := recordAttempts
		if len(again) > 0 { // both see the rows as they were
			sql, args = `WITH kept AS (`+keepLast+`d.endpoint_id = $1 AND d.id = ANY($13))`+sql, append(args, again)
		}
		if _, err = tx.Exec(ctx, sql, args...); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `
			UPDATE endpoints SET failing_since = $2, slow = $3, saturated = saturated AND NOT $5, due_at = `+firstDue+`,
			    claimed_until = CASE state WHEN 'active' THEN $4 ELSE claimed_until END
			WHERE id = $1`, endpoint, orNull(health.Failing), health.Slow, until, over)
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
	    ended_at = CASE WHEN $11 OR o.state <> 'pending' THEN NULL ELSE o.done_at END,
	    attempts = o.attempts, next_at = o.next_at, done_at = o.done_at, status = nullif(o.status, 0),
	    error = nullif(o.error, ''), response = nullif(o.response, ''), took_ms = o.took_ms
	FROM unnest($2::text[], $3::text[], $4::integer[], $5::timestamptz[], $6::timestamptz[], $7::integer[], $8::text[], $9::text[], $10::integer[])
	    AS o (id, state, attempts, next_at, done_at, status, error, response, took_ms)
	WHERE d.id = o.id AND d.endpoint_id = $1`

// storable is text that PostgreSQL takes: receivers may answer with anything.
func storable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// Backlog implements webhook.Store.
func (db *DB) Backlog(ctx context.Context, now time.Time) (pending int, oldest time.Time, err error) {
	var due *time.Time
	err = db.pool.QueryRow(ctx, `
		SELECT (SELECT count(*) FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id
		        WHERE d.state = 'pending' AND e.state = 'active'),
		       (SELECT min(due_at) FROM endpoints WHERE state = 'active' AND due_at <= $1)`, now).Scan(&pending, &due)
	if err != nil {
		return 0, time.Time{}, fmt.Errorf("counting what is pending: %w", explain(err))
	}
	return pending, known(due), nil
}

// Prune implements webhook.Store. The attempts go with their delivery, so that stays as
// long as its last attempt is to be seen.
func (db *DB) Prune(ctx context.Context, before time.Time, limit int) (int, error) {
	tag, err := db.pool.Exec(ctx, `
		DELETE FROM deliveries WHERE ctid = ANY (ARRAY( -- they are locked, and stay where they are
			SELECT ctid FROM deliveries WHERE made_at < $1 AND state <> 'pending' AND (done_at IS NULL OR done_at < $1)
			ORDER BY made_at LIMIT $2 FOR UPDATE SKIP LOCKED))`, before, limit)
	if err != nil {
		return 0, fmt.Errorf("deleting old deliveries: %w", explain(err))
	}
	return int(tag.RowsAffected()), nil
}
