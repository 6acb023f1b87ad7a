package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// keepLast copies the last attempt of deliveries d to the table attempts, before their rows
// are overwritten. A condition on d must follow it.
const keepLast = `
	INSERT INTO attempts (delivery_id, made_at, took_ms, status, error, error_code, error_detail, response)
	SELECT d.id, d.done_at, d.took_ms, d.status, d.error, d.error_code, d.error_detail, d.response FROM deliveries d
	WHERE d.done_at IS NOT NULL AND `

// Attempts implements webhook.DeliveryReader. The last attempt of a delivery is in its own
// row.
func (w *Webhooks) Attempts(
	ctx context.Context, by account.Actor, list []webhook.Delivery,
) (map[string][]webhook.Attempt, error) {
	ids := make([]string, len(list))
	for i, d := range list {
		ids[i] = d.ID
	}
	rows, err := w.pool.Query(ctx, `
		SELECT t.delivery_id, t.made_at, coalesce(t.took_ms, 0), coalesce(t.status, 0),
		    coalesce(t.error, ''), coalesce(t.error_code, ''), coalesce(t.error_detail, ''), coalesce(t.response, '')
		FROM attempts t JOIN deliveries d ON d.id = t.delivery_id JOIN endpoints e ON e.id = d.endpoint_id
		WHERE t.delivery_id = ANY($1) AND ($2::uuid IS NULL OR e.account_id = $2) ORDER BY t.delivery_id, t.id`, ids, ownerOf(by))
	if err != nil {
		return nil, fmt.Errorf("reading the attempts: %w", explain(err))
	}
	attempts := make(map[string][]webhook.Attempt, len(list))
	var id string
	var a webhook.Attempt
	var failed reasonRow
	var took int64
	to := []any{&id, &a.At, &took, &a.Status, &failed.text, &failed.code, &failed.detail, &a.Response}
	_, err = pgx.ForEachRow(rows, to, func() error {
		a.At, a.Took, a.Error = a.At.UTC(), time.Duration(took)*time.Millisecond, failed.reason()
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
