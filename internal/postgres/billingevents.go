package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
)

// Receive implements billing.Inbox.
func (b *Billing) Receive(ctx context.Context, e billing.Event, now time.Time) (added bool, err error) {
	err = pgx.BeginTxFunc(ctx, b.takes, readCommitted, func(tx pgx.Tx) error {
		var accountID *string
		err := tx.QueryRow(ctx, `
			INSERT INTO billing_events (id, type, account_id, received_at, processed_at)
			SELECT $1, $2, c.account_id, $4, CASE WHEN c.account_id IS NULL THEN $4::timestamptz END
			FROM (VALUES (1)) v LEFT JOIN billing_customers c ON c.customer = $3
			ON CONFLICT (id) DO NOTHING RETURNING account_id::text`, e.ID, e.Type, e.Customer, now).Scan(&accountID)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return explain(err)
		}
		if added = true; accountID == nil {
			return nil
		}
		return insertJob(ctx, tx, billing.SyncAccount{Account: *accountID})
	})
	if err != nil {
		return false, fmt.Errorf("storing an event of the payment provider: %w", err)
	}
	return added, nil
}

// Oldest implements billing.Inbox.
func (b *Billing) Oldest(ctx context.Context) (time.Time, error) {
	var at *time.Time
	err := b.pool.QueryRow(ctx, `SELECT min(received_at) FROM billing_events WHERE processed_at IS NULL`).Scan(&at)
	if err != nil {
		return time.Time{}, fmt.Errorf("looking for events that wait: %w", explain(err))
	}
	return fromNull(at), nil
}

// PruneEvents implements billing.Inbox.
func (b *Billing) PruneEvents(ctx context.Context, before time.Time, limit int) (int, error) {
	return prune(ctx, b.pool, "events of the payment provider", `
		DELETE FROM billing_events WHERE id IN (
			SELECT id FROM billing_events WHERE received_at < $1 AND processed_at IS NOT NULL LIMIT $2)`, before, limit)
}

// Notice implements billing.Outbox.
func (b *Billing) Notice(ctx context.Context, id int64) (n billing.StoredNotice, err error) {
	err = pgx.BeginTxFunc(ctx, b.pool, readOnly, func(tx pgx.Tx) error {
		var accountID string
		err := tx.QueryRow(ctx, `
			SELECT n.account_id::text, n.subscription, n.kind, n.occasion, n.sent_at IS NOT NULL,
			    greatest((SELECT count(*) FROM keys k WHERE k.account_id = n.account_id AND k.revoked_at IS NULL) - $2, 0),
			    (SELECT count(*) FROM endpoints e WHERE e.account_id = n.account_id AND e.state = 'paused')
			FROM billing_notices n WHERE n.id = $1`, id, account.Developer.Limits().Keys).
			Scan(&accountID, &n.Subscription, &n.Kind, &n.Occasion, &n.Sent, &n.ExtraKeys, &n.PausedEndpoints)
		if err != nil {
			return err
		}
		found, err := collect(ctx, tx, scanRecord, records+`WHERE a.id = $1`, accountID)
		if err == nil && len(found) > 0 {
			n.Record = found[0]
			n.Order, err = orderOf(ctx, tx, accountID, n.Subscription)
		}
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return n, billing.ErrNoNotice
	}
	if err != nil {
		return n, fmt.Errorf("reading the notice: %w", explain(err))
	}
	return n, nil
}

// Sent implements billing.Outbox.
func (b *Billing) Sent(ctx context.Context, id int64, now time.Time) error {
	if _, err := b.pool.Exec(ctx, `UPDATE billing_notices SET sent_at = $2 WHERE id = $1 AND sent_at IS NULL`, id, now); err != nil {
		return fmt.Errorf("noting that a notice was sent: %w", explain(err))
	}
	return nil
}
