package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/billing"
)

// orders selects orders without the bodies of their texts. A condition follows it.
const orders = `
	SELECT o.id, o.account_id::text, o.ordered_at, o.business, o.accepted, o.net, o.tax,
	       o.terms, o.language, o.legal, o.legal_language, o.subscription,
	       o.name, o.number, o.country, o.line1, o.line2, o.postcode, o.city, o.region, o.email, o.reference
	FROM billing_orders o `

func scanOrder(row pgx.CollectableRow) (o billing.Order, err error) {
	err = row.Scan(append([]any{
		&o.ID, &o.Account, &o.At, &o.Business, &o.Accepted, &o.Net, &o.Tax,
		&o.Terms.Hash, &o.Terms.Language, &o.Legal.Hash, &o.Legal.Language, &o.Subscription,
	}, partsOf(&o.Details)...)...)
	o.At = o.At.UTC()
	return o, err
}

// addOrder stores an order, and its texts unless they are stored already.
func addOrder(ctx context.Context, tx pgx.Tx, o billing.Order) error {
	for _, text := range []billing.Text{o.Terms, o.Legal} {
		// PruneOrders may be about to delete the text, with the last order that had it: locking the row keeps it.
		_, err := tx.Exec(ctx, `
			INSERT INTO billing_texts (hash, body) VALUES ($1, $2) ON CONFLICT (hash) DO UPDATE SET body = excluded.body`, text.Hash, text.Body)
		if err != nil {
			return fmt.Errorf("storing an accepted text: %w", explain(err))
		}
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO billing_orders (account_id, id, ordered_at, business, accepted, net, tax,
		    terms, language, legal, legal_language, compared_at,
		    name, number, country, line1, line2, postcode, city, region, email, reference)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, NULL, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)`,
		append([]any{
			o.Account, o.ID, o.At, o.Business, o.Accepted, o.Net, o.Tax,
			o.Terms.Hash, o.Terms.Language, o.Legal.Hash, o.Legal.Language,
		}, partsOf(&o.Details)...)...)
	switch {
	case isViolation(err, uniqueViolation):
		return billing.ErrOrdered
	case err != nil:
		return fmt.Errorf("storing the order: %w", explain(err))
	}
	return nil
}

// fulfilOrder stores which subscription an order led to.
func fulfilOrder(ctx context.Context, tx pgx.Tx, accountID string, sub *billing.Subscription) error {
	if sub == nil || sub.Order == "" {
		return nil
	}
	_, err := tx.Exec(ctx, `
		UPDATE billing_orders SET subscription = $3 WHERE account_id = $1 AND id = $2 AND subscription = ''`, accountID, sub.Order, sub.ID)
	if err != nil {
		return fmt.Errorf("noting the order of the subscription: %w", explain(err))
	}
	return nil
}

// uncompared returns the newest order of an account that was not compared with an invoice yet; nil for none.
func uncompared(ctx context.Context, q querier, accountID string) (*billing.Order, error) {
	found, err := collect(ctx, q, scanOrder, orders+`
		WHERE o.account_id = $1 AND o.compared_at IS NULL ORDER BY o.ordered_at DESC LIMIT 1`, uuidOf(accountID))
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// orderOf returns the order of a subscription with its texts; nil for none.
func orderOf(ctx context.Context, q querier, accountID, subscription string) (*billing.Order, error) {
	found, err := collect(ctx, q, scanOrder, orders+`
		WHERE o.account_id = $1 AND o.subscription = $2 ORDER BY o.ordered_at DESC LIMIT 1`, uuidOf(accountID), subscription)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	o := &found[0]
	for _, text := range []*billing.Text{&o.Terms, &o.Legal} {
		if err := q.QueryRow(ctx, `SELECT body FROM billing_texts WHERE hash = $1`, text.Hash).Scan(&text.Body); err != nil {
			return nil, err
		}
	}
	return o, nil
}
