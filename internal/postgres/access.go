package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// changeAccess runs a transaction that changes who has access. Triggers number and announce
// the change, for which they lock current_access. changeAccess takes that lock first: two
// transactions that took it last, after rows that others wait for, could deadlock.
func changeAccess(ctx context.Context, pool *pgxpool.Pool, change func(tx pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, pool, readCommitted, func(tx pgx.Tx) error {
		if err := lockAccess(ctx, tx); err != nil {
			return err
		}
		return change(tx)
	})
}

func lockAccess(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `SELECT FROM current_access FOR UPDATE`); err != nil {
		return fmt.Errorf("waiting for other changes of access: %w", explain(err))
	}
	return nil
}
