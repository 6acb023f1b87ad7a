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
		added = true
		if e.Charge != "" {
			if err := insertJob(ctx, tx, billing.TellCharge{Event: e.ID, Type: e.Type, Charge: e.Charge}); err != nil {
				return err
			}
		}
		if accountID == nil {
			return nil
		}
		if e.Document.ID != "" {
			if err := addDocuments(ctx, tx, []billing.OwnedDocument{{Account: *accountID, DocumentID: e.Document}}, now); err != nil {
				return err
			}
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

// AddForged implements billing.Inbox.
func (b *Billing) AddForged(ctx context.Context, n int, last time.Time) error {
	_, err := b.takes.Exec(ctx, `
		INSERT INTO billing_forged AS f (hour, events, last_at) VALUES (date_trunc('hour', $2::timestamptz, 'UTC'), $1, $2)
		ON CONFLICT (hour) DO UPDATE SET events = f.events + excluded.events, last_at = greatest(f.last_at, excluded.last_at)`, n, last)
	if err != nil {
		return fmt.Errorf("noting forged events: %w", explain(err))
	}
	return nil
}

// Heard implements billing.Inbox.
func (b *Billing) Heard(ctx context.Context, since time.Time) (h billing.Heard, err error) {
	var taken, forged *time.Time
	err = b.reads.QueryRow(ctx, `
		SELECT (SELECT max(received_at) FROM billing_events), coalesce(sum(events), 0)::bigint, max(last_at) FROM billing_forged
		WHERE last_at > $1`, since).Scan(&taken, &h.Forged, &forged)
	if err != nil {
		return h, fmt.Errorf("looking for the last event: %w", explain(err))
	}
	h.LastTaken, h.LastForged = fromNull(taken), fromNull(forged)
	return h, nil
}

// PruneForged implements billing.Inbox.
func (b *Billing) PruneForged(ctx context.Context, before time.Time, limit int) (int, error) {
	return prune(ctx, b.pool, "hours of forged events", `
		DELETE FROM billing_forged WHERE hour IN (SELECT hour FROM billing_forged WHERE last_at < $1 LIMIT $2)`, before, limit)
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

// Mailing implements billing.Mailings.
func (b *Billing) Mailing(ctx context.Context, id string) (d billing.StoredDocument, err error) {
	err = pgx.BeginTxFunc(ctx, b.pool, readOnly, func(tx pgx.Tx) error {
		var accountID string
		err := tx.QueryRow(ctx, `
			SELECT id, kind, account_id::text, found_at, done_at IS NOT NULL FROM billing_documents WHERE id = $1`, id).
			Scan(&d.ID, &d.Kind, &accountID, &d.FoundAt, &d.Done)
		if err != nil {
			return err
		}
		found, err := collect(ctx, tx, scanRecord, records+`WHERE a.id = $1`, accountID)
		if err == nil && len(found) > 0 {
			d.Record = found[0]
		}
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return d, billing.ErrNoDocument
	}
	if err != nil {
		return d, fmt.Errorf("reading the document: %w", explain(err))
	}
	d.FoundAt = d.FoundAt.UTC()
	return d, nil
}

// DocumentDone implements billing.Mailings.
func (b *Billing) DocumentDone(ctx context.Context, id string, now time.Time) error {
	if _, err := b.pool.Exec(ctx, `UPDATE billing_documents SET done_at = $2 WHERE id = $1 AND done_at IS NULL`, id, now); err != nil {
		return fmt.Errorf("noting that a document was mailed: %w", explain(err))
	}
	return nil
}

// NewDocuments implements billing.MailingList.
func (b *Billing) NewDocuments(ctx context.Context, list []billing.OwnedDocument) (added []billing.OwnedDocument, err error) {
	ids := make([]string, len(list))
	for i, d := range list {
		ids[i] = d.ID
	}
	kept, err := collect(ctx, b.pool, pgx.RowTo[string], `SELECT id FROM billing_documents WHERE id = ANY($1)`, ids)
	if err != nil {
		return nil, fmt.Errorf("looking for documents: %w", explain(err))
	}
	known := make(map[string]bool, len(kept))
	for _, id := range kept {
		known[id] = true
	}
	for _, d := range list {
		if !known[d.ID] {
			added = append(added, d)
		}
	}
	return added, nil
}

// AddDocuments implements billing.MailingList.
func (b *Billing) AddDocuments(ctx context.Context, list []billing.OwnedDocument, now time.Time) error {
	return pgx.BeginTxFunc(ctx, b.pool, readCommitted, func(tx pgx.Tx) error { return addDocuments(ctx, tx, list, now) })
}

// PruneDocuments implements billing.MailingList.
func (b *Billing) PruneDocuments(ctx context.Context, before time.Time, limit int) (int, error) {
	return prune(ctx, b.pool, "documents", `
		DELETE FROM billing_documents WHERE id IN (SELECT id FROM billing_documents WHERE found_at < $1 LIMIT $2)`, before, limit)
}
