package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/webhook"
)

// keepLast copies the last attempt of deliveries d, before their rows forget it.
const keepLast = `
	INSERT INTO attempts (delivery_id, made_at, took_ms, status, error, response)
	SELECT d.id, d.done_at, d.took_ms, d.status, d.error, d.response FROM deliveries d
	WHERE d.done_at IS NOT NULL AND `

// Attempts lists every attempt of the deliveries that is still known, by delivery, the
// first one first. The deliveries' own rows have the last.
func (db *DB) Attempts(ctx context.Context, list []webhook.Delivery) (map[string][]webhook.Attempt, error) {
	ids := make([]string, len(list))
	for i, d := range list {
		ids[i] = d.ID
	}
	rows, err := db.pool.Query(ctx, `
		SELECT delivery_id, made_at, coalesce(took_ms, 0), coalesce(status, 0), coalesce(error, ''), coalesce(response, '')
		FROM attempts WHERE delivery_id = ANY($1) ORDER BY delivery_id, id`, ids)
	if err != nil {
		return nil, fmt.Errorf("reading the attempts: %w", explain(err))
	}
	attempts := make(map[string][]webhook.Attempt, len(list))
	var id string
	var a webhook.Attempt
	var took int64
	_, err = pgx.ForEachRow(rows, []any{&id, &a.At, &took, &a.Status, &a.Error, &a.Response}, func() error {
		a.At, a.Took = a.At.UTC(), time.Duration(took)*time.Millisecond
		attempts[id] = append(attempts[id], a)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the attempts: %w", explain(err))
	}
	for _, d := range list {
		if last, ok := d.Last(); ok {
			attempts[d.ID] = append(attempts[d.ID], last)
		}
	}
	return attempts, nil
}
