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
}

// NoteReconciliation notes one, unless a later one is noted.
func (b *Billing) NoteReconciliation(ctx context.Context, r Reconciliation) error {
	_, err := b.pool.Exec(ctx, `
		INSERT INTO billing_reconciliations AS last (began_at, drift, not_collecting) VALUES ($1, $2, $3)
		ON CONFLICT (only_row) DO UPDATE
		SET began_at = excluded.began_at, drift = excluded.drift, not_collecting = excluded.not_collecting
		WHERE last.began_at < excluded.began_at`, r.At, r.Drift, r.NotCollecting)
	if err != nil {
		return fmt.Errorf("noting the reconciliation: %w", explain(err))
	}
	return nil
}

// LastReconciliation returns the last one; the zero Reconciliation if there was none.
func (b *Billing) LastReconciliation(ctx context.Context) (r Reconciliation, err error) {
	err = b.pool.QueryRow(ctx, `SELECT began_at, drift, not_collecting FROM billing_reconciliations`).
		Scan(&r.At, &r.Drift, &r.NotCollecting)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return Reconciliation{}, fmt.Errorf("reading the last reconciliation: %w", explain(err))
	}
	return r, nil
}
