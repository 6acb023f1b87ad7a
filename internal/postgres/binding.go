package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/billing"
)

// Binding implements billing.Bindings.
func (b *Billing) Binding(ctx context.Context) (is billing.Binding, err error) {
	err = b.reads.QueryRow(ctx, `SELECT account, live, since FROM billing_provider`).Scan(&is.Account.ID, &is.Account.Live, &is.Since)
	if errors.Is(err, pgx.ErrNoRows) {
		return billing.Binding{}, nil
	}
	if err != nil {
		return billing.Binding{}, fmt.Errorf("reading the provider's account: %w", explain(err))
	}
	is.Since = is.Since.UTC()
	return is, nil
}

// AccountOf implements billing.Bindings.
func (b *Billing) AccountOf(ctx context.Context, customer string) (accountID string, err error) {
	err = b.reads.QueryRow(ctx, `SELECT account_id::text FROM billing_customers WHERE customer = $1`, customer).Scan(&accountID)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("looking for the account of a customer: %w", explain(err))
	}
	return accountID, nil
}

// AnyCustomer implements billing.Bindings.
func (b *Billing) AnyCustomer(ctx context.Context) (customer string, err error) {
	err = b.reads.QueryRow(ctx, `
		SELECT customer FROM billing_customers WHERE customer IS NOT NULL
		ORDER BY gives DESC, looked_at DESC NULLS LAST, account_id LIMIT 1`).Scan(&customer) // 'pro' sorts last
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("looking for a customer: %w", explain(err))
	}
	return customer, nil
}

// Bind implements billing.Bindings.
func (b *Billing) Bind(ctx context.Context, a billing.ProviderAccount, now time.Time) error {
	_, err := b.pool.Exec(ctx, `
		INSERT INTO billing_provider (account, live, since) VALUES ($1, $2, $3)
		ON CONFLICT (only_row) DO UPDATE SET account = excluded.account, live = excluded.live, since = excluded.since`, a.ID, a.Live, now)
	if err != nil {
		return fmt.Errorf("storing the provider's account: %w", explain(err))
	}
	return nil
}
