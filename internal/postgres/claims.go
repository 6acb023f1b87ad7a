package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/webhook"
)

// deliverAttempts is how often River tries a Deliver job. A few times will do: the endpoint
// is enqueued again when its claim ends.
const deliverAttempts = 3

// unclaimed is true for active endpoints that no job works on at the time $1.
const unclaimed = `state = 'active' AND (claimed_until IS NULL OR claimed_until <= $1)`

// Enqueue implements webhook.WorkerStore. It runs every second and nearly always finds nothing;
// then it reads the beginning of two indexes.
func (w *Webhooks) Enqueue(ctx context.Context, now, until time.Time, limit int) (int, error) {
	var jobs []river.InsertManyParams
	err := pgx.BeginTxFunc(ctx, w.pool, readCommitted, func(tx pgx.Tx) (err error) {
		jobs, err = collect(ctx, tx, func(row pgx.CollectableRow) (river.InsertManyParams, error) {
			var job webhook.Deliver
			var slow bool
			err := row.Scan(&job.Endpoint, &job.Claim, &slow)
			queue := webhook.Queue
			if slow {
				queue = webhook.SlowQueue
			}
			return river.InsertManyParams{Args: job, InsertOpts: &river.InsertOpts{Queue: queue, MaxAttempts: deliverAttempts}}, err
		}, `
			WITH todo AS (
				SELECT id FROM endpoints WHERE cursor < `+endOfLog+` AND NOT saturated AND `+unclaimed+`
				UNION
				SELECT id FROM endpoints WHERE due_at <= $1 AND `+unclaimed+`),
			free AS (
				SELECT id FROM endpoints WHERE id IN (SELECT id FROM todo) AND `+unclaimed+`
				LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED)
			UPDATE endpoints e SET claim = claim + 1, claimed_until = $2 FROM free WHERE e.id = free.id
			RETURNING e.id, e.claim, e.slow`, now, until, limit)
		if err != nil || len(jobs) == 0 {
			return explain(err)
		}
		return insertJobs(ctx, tx, jobs)
	})
	if err != nil {
		return 0, fmt.Errorf("enqueuing deliveries: %w", err)
	}
	return len(jobs), nil
}

// Start implements webhook.WorkerStore.
func (w *Webhooks) Start(
	ctx context.Context, endpoint string, claim int64, until time.Time,
) (webhook.Endpoint, bool, error) {
	found, err := collect(ctx, w.pool, scanEndpoint, `
		UPDATE endpoints SET claimed_until = $3 WHERE id = $1 AND claim = $2 AND state = 'active'
		RETURNING `+endpointColumns, endpoint, claim, until)
	if err != nil {
		return webhook.Endpoint{}, false, fmt.Errorf("taking up the endpoint: %w", err)
	}
	if len(found) == 0 {
		return webhook.Endpoint{}, false, nil
	}
	return found[0], true, nil
}

// Release implements webhook.WorkerStore.
func (w *Webhooks) Release(
	ctx context.Context, endpoint string, claim int64, notBefore time.Time,
) error {
	_, err := w.pool.Exec(ctx, `
		UPDATE endpoints SET claimed_until = $3 WHERE id = $1 AND claim = $2 RETURNING `+asyncCommit, endpoint, claim, notBefore)
	if err != nil {
		return fmt.Errorf("releasing the endpoint: %w", err)
	}
	return nil
}
