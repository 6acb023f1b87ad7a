package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/webhook"
)

// EndpointStates counts endpoints by state.
func (w *Webhooks) EndpointStates(ctx context.Context) (map[webhook.State]int, error) {
	states := map[webhook.State]int{webhook.Unverified: 0, webhook.Active: 0, webhook.Paused: 0, webhook.Disabled: 0}
	rows, err := w.pool.Query(ctx, `SELECT state, count(*) FROM endpoints GROUP BY state`)
	if err != nil {
		return nil, fmt.Errorf("counting endpoints: %w", explain(err))
	}
	var state webhook.State
	var n int
	_, err = pgx.ForEachRow(rows, []any{&state, &n}, func() error { states[state] = n; return nil })
	if err != nil {
		return nil, fmt.Errorf("counting endpoints: %w", explain(err))
	}
	return states, nil
}

// Backlog implements webhook.WorkerStore.
func (w *Webhooks) Backlog(
	ctx context.Context, now time.Time,
) (pending int, oldest time.Time, err error) {
	var due *time.Time
	err = w.pool.QueryRow(ctx, `
		SELECT (SELECT count(*) FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id
		        WHERE d.state = 'pending' AND e.state = 'active'),
		       (SELECT min(due_at) FROM endpoints WHERE state = 'active' AND due_at <= $1)`, now).Scan(&pending, &due)
	if err != nil {
		return 0, time.Time{}, fmt.Errorf("counting what is pending: %w", explain(err))
	}
	return pending, fromNull(due), nil
}

// Lag tells how far the slowest active endpoint that is not saturated is behind the log,
// and how many endpoints are saturated. It reads the beginning of an index, one event, and
// the saturated endpoints.
func (w *Webhooks) Lag(ctx context.Context) (webhook.Lag, error) {
	var lag webhook.Lag
	var since *time.Time
	err := w.pool.QueryRow(ctx, `
		WITH slowest AS (
			SELECT cursor FROM endpoints
			WHERE state = 'active' AND NOT saturated AND cursor < `+endOfLog+` ORDER BY cursor LIMIT 1)
		SELECT coalesce((SELECT `+endOfLog+` - cursor FROM slowest), 0),
		       (SELECT n.published_at FROM events v JOIN editions n ON n.number = v.edition -- a join with slowest would read the whole log
		        WHERE v.seq > (SELECT cursor FROM slowest) ORDER BY v.seq LIMIT 1),
		       (SELECT count(*) FROM endpoints WHERE state = 'active' AND saturated)`).Scan(&lag.Events, &since, &lag.Saturated)
	if err != nil {
		return webhook.Lag{}, fmt.Errorf("looking how far endpoints are: %w", explain(err))
	}
	lag.Since = fromNull(since)
	return lag, nil
}

// Troubled counts the active endpoints to which nothing is delivered, for some reason.
func (w *Webhooks) Troubled(ctx context.Context) (n int, err error) {
	err = w.pool.QueryRow(ctx, `SELECT count(*) FROM endpoints WHERE state = 'active' AND reason <> ''`).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("counting endpoints in trouble: %w", explain(err))
	}
	return n, nil
}
