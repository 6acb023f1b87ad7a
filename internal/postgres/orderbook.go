package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
)

// Ordered implements billing.OrderBook.
func (b *Billing) Ordered(ctx context.Context, by account.Actor, accountID, id string) (is bool, err error) {
	err = b.reads.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM billing_orders WHERE account_id = $1 AND id = $2 AND ($3::uuid IS NULL OR account_id = $3))`,
		uuidOf(accountID), id, ownerOf(by)).Scan(&is)
	if err != nil {
		return false, fmt.Errorf("looking for the order: %w", explain(err))
	}
	return is, nil
}

// Orders implements billing.OrderBook.
func (b *Billing) Orders(ctx context.Context, by account.Actor, accountID string) (list []billing.Order, err error) {
	err = pgx.BeginTxFunc(ctx, b.reads, readOnly, func(tx pgx.Tx) error {
		var is bool
		err := tx.QueryRow(ctx, `
			SELECT EXISTS (SELECT FROM accounts a WHERE a.id = $1 AND a.email IS NOT NULL AND ($2::uuid IS NULL OR a.id = $2))`,
			uuidOf(accountID), ownerOf(by)).Scan(&is)
		switch {
		case err != nil:
			return fmt.Errorf("looking for the account: %w", explain(err))
		case !is:
			return account.ErrNoAccount
		}
		list, err = collect(ctx, tx, scanOrder, orders+`WHERE o.account_id = $1 ORDER BY o.ordered_at DESC, o.id`, uuidOf(accountID))
		if err != nil {
			return fmt.Errorf("reading the orders: %w", explain(err))
		}
		return nil
	})
	return list, err
}

// PruneOrders implements billing.OrderBook. A contract ends with its subscription, and at the latest when the account
// is deleted or places another order that leads to a subscription. Only the end of the newest subscription is stored.
func (b *Billing) PruneOrders(ctx context.Context, ended, unpaid time.Time, limit int) (n int, err error) {
	err = pgx.BeginTxFunc(ctx, b.pool, readCommitted, func(tx pgx.Tx) error {
		texts, err := collect(ctx, tx, pgx.RowTo[[]string], `
			WITH old AS (
				SELECT o.account_id, o.id FROM billing_orders o
				WHERE o.ordered_at < $2 AND o.subscription = '' OR o.ordered_at < $1 AND least(
					(SELECT c.ended_at FROM billing_customers c WHERE c.account_id = o.account_id AND c.subscription = o.subscription),
					(SELECT min(later.ordered_at) FROM billing_orders later WHERE later.account_id = o.account_id
						AND later.ordered_at > o.ordered_at AND later.subscription <> ''),
					(SELECT a.deleted_at FROM accounts a WHERE a.id = o.account_id)) < $1 -- of no end is null
				ORDER BY o.ordered_at LIMIT $3)
			DELETE FROM billing_orders o USING old WHERE o.account_id = old.account_id AND o.id = old.id
			RETURNING ARRAY[o.terms, o.legal]`, ended, unpaid, limit)
		if err != nil || len(texts) == 0 {
			return explain(err)
		}
		n = len(texts)
		_, err = tx.Exec(ctx, `
			WITH unused AS (
				SELECT t.hash FROM billing_texts t
				WHERE NOT EXISTS (SELECT FROM billing_orders WHERE terms = t.hash)
				    AND NOT EXISTS (SELECT FROM billing_orders WHERE legal = t.hash) FOR UPDATE SKIP LOCKED)
			DELETE FROM billing_texts t USING unused WHERE t.hash = unused.hash`)
		return explain(err)
	})
	if err != nil {
		return 0, fmt.Errorf("deleting old orders: %w", err)
	}
	return n, nil
}
