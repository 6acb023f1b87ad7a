package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
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

// Pending counts the deliveries that wait for an attempt at active endpoints. It reads them all.
func (w *Webhooks) Pending(ctx context.Context) (n int, err error) {
	err = w.pool.QueryRow(ctx, `
		SELECT count(*) FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id
		WHERE d.state = 'pending' AND e.state = 'active'`).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("counting what is pending: %w", explain(err))
	}
	return n, nil
}

// Overdue returns when the delivery to an active endpoint that has waited longest was due; zero if none
// is due. It reads the beginning of an index, however many deliveries there are.
func (w *Webhooks) Overdue(ctx context.Context, now time.Time) (time.Time, error) {
	var due *time.Time
	err := w.pool.QueryRow(ctx, `
		SELECT min(due_at) FROM endpoints WHERE state = 'active' AND due_at <= $1`, now).Scan(&due)
	if err != nil {
		return time.Time{}, fmt.Errorf("looking what is overdue: %w", explain(err))
	}
	return fromNull(due), nil
}

// Lag returns how far the slowest active endpoint that is not saturated is behind the log,
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

// CountUnreadable counts the active endpoints to which nothing is delivered because their secret cannot be opened.
func (w *Webhooks) CountUnreadable(ctx context.Context) (n int, err error) {
	err = w.pool.QueryRow(ctx, `SELECT count(*) FROM endpoints WHERE state = 'active' AND reason <> ''`).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("counting endpoints in trouble: %w", explain(err))
	}
	return n, nil
}

// failingSince is the time since which every attempt at the endpoint $1 has failed. It is a subquery, not a join,
// so that PostgreSQL reads the index only from that time on.
const failingSince = `(SELECT failing_since FROM endpoints WHERE id = $1)`

// DeliveryStats implements webhook.DeliveryReader. It reads the ends of two indexes, however many
// deliveries the endpoint has. It switches sorting off, because a plan that sorts would read all of
// them, and PostgreSQL prefers it when most endpoints have few.
func (w *Webhooks) DeliveryStats(
	ctx context.Context, by account.Actor, endpoint string, since time.Time, most int,
) (s webhook.DeliveryStats, err error) {
	var median float64
	var hours []int32   // of each delivery, twice, and one more for those that arrived
	var batch pgx.Batch // one transaction, one round trip
	batch.Queue(`SELECT set_config('enable_sort', 'off', true)`)
	batch.Queue(`
		SELECT count(*), count(*) FILTER (WHERE state = 'delivered'),
		    coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY took_ms) FILTER (WHERE status IS NOT NULL), 0),
		    (SELECT count(*) FROM (SELECT FROM deliveries WHERE `+ofOwner+`AND state = 'pending' ORDER BY next_at LIMIT $4) p),
		    (SELECT coalesce(sum(1 + (SELECT count(*) FROM attempts a WHERE a.delivery_id = f.id AND a.made_at >= `+failingSince+`)), 0)
		     FROM (SELECT id FROM deliveries WHERE `+ofOwner+`AND done_at >= `+failingSince+` AND state <> 'delivered'
		           ORDER BY done_at DESC LIMIT $5) f),
		    coalesce(array_agg(floor(extract(epoch FROM done_at - $3::timestamptz) / 3600)::integer * 2 + (state = 'delivered')::integer), '{}')
		FROM (SELECT state, took_ms, status, done_at FROM deliveries WHERE `+ofOwner+`AND done_at >= $3
		      ORDER BY done_at DESC LIMIT $4) latest`, endpoint, ownerOf(by), since, most, webhook.MaxFailed).QueryRow(func(row pgx.Row) error {
		return row.Scan(&s.Attempted, &s.Delivered, &median, &s.Pending, &s.Failed, &hours)
	})
	if err := w.pool.SendBatch(ctx, &batch).Close(); err != nil {
		return s, fmt.Errorf("summing up the deliveries: %w", explain(err))
	}
	s.MedianTook = time.Duration(median * float64(time.Millisecond))
	s.Hours = byHour(hours)
	return s, nil
}

// byHour counts deliveries by hour. One that ends while the page is made belongs to the last.
func byHour(list []int32) (hours [24]webhook.HourStats) {
	for _, n := range list {
		h := &hours[min(max(int(n/2), 0), len(hours)-1)]
		h.Attempted++
		h.Delivered += int(n % 2)
	}
	return hours
}
