package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// A Reconciliation is a complete comparison of all subscriptions with what the provider says.
type Reconciliation struct {
	At            time.Time // when it began; zero for none
	Drift         int       // how many subscriptions differed
	NotCollecting int       // how many have no tax, for want of a registration
	VATNumbers    int       // how many VAT numbers the register does not know
	// Untaxed counts by country how many have no tax, for want of a registration outside the seller's tax union.
	Untaxed map[string]int
}

// NoteReconciliation stores a reconciliation as the last one, unless a later one is stored.
func (b *Billing) NoteReconciliation(ctx context.Context, r Reconciliation) error {
	untaxed := r.Untaxed
	if untaxed == nil {
		untaxed = map[string]int{}
	}
	_, err := b.pool.Exec(ctx, `
		INSERT INTO billing_reconciliations AS last (began_at, drift, not_collecting, vat_numbers, untaxed)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (only_row) DO UPDATE
		SET began_at = excluded.began_at, drift = excluded.drift, not_collecting = excluded.not_collecting,
		    vat_numbers = excluded.vat_numbers, untaxed = excluded.untaxed
		WHERE last.began_at < excluded.began_at`, r.At, r.Drift, r.NotCollecting, r.VATNumbers, untaxed)
	if err != nil {
		return fmt.Errorf("noting the reconciliation: %w", explain(err))
	}
	return nil
}

// LastReconciliation returns the last reconciliation; the zero Reconciliation if there was none.
func (b *Billing) LastReconciliation(ctx context.Context) (r Reconciliation, err error) {
	err = b.pool.QueryRow(ctx, `
		SELECT began_at, drift, not_collecting, vat_numbers, untaxed FROM billing_reconciliations`).
		Scan(&r.At, &r.Drift, &r.NotCollecting, &r.VATNumbers, &r.Untaxed)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return Reconciliation{}, fmt.Errorf("reading the last reconciliation: %w", explain(err))
	}
	if len(r.Untaxed) == 0 {
		r.Untaxed = nil
	}
	return r, nil
}
