package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/webhook"
)

// Canary implements webhook.CanaryStore.
func (w *Webhooks) Canary(ctx context.Context) (canary []byte, err error) {
	err = w.pool.QueryRow(ctx, `SELECT sealed FROM secret_canary`).Scan(&canary)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("reading the canary of PALMARES_SECRET: %w", explain(err))
	}
	return canary, nil
}

// WriteCanary implements webhook.CanaryStore. The lock keeps every process from sealing
// anything meanwhile, older programs included. It is taken once in the life of a database.
func (w *Webhooks) WriteCanary(
	ctx context.Context, canary []byte, now time.Time, opens func(webhook.Sealed) bool,
) error {
	err := pgx.BeginTxFunc(ctx, w.pool, readCommitted, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `LOCK TABLE endpoints IN SHARE MODE`); err != nil {
			return err
		}
		list, err := collect(ctx, tx, scanSealed, `SELECT `+sealedColumns+` FROM endpoints`)
		if err != nil {
			return err
		}
		all := true
		for _, e := range list {
			all = opens(e) && all
		}
		if !all {
			return nil
		}
		_, err = tx.Exec(ctx, `
			INSERT INTO secret_canary (sealed, written_at) VALUES ($1, $2) ON CONFLICT (only_row) DO NOTHING`, canary, now)
		return err
	})
	if err != nil {
		return fmt.Errorf("writing the canary of PALMARES_SECRET: %w", explain(err))
	}
	return nil
}

// ReplaceCanary implements webhook.SealStore.
func (w *Webhooks) ReplaceCanary(
	ctx context.Context, was, canary []byte, now time.Time,
) (bool, error) {
	sql := `INSERT INTO secret_canary (sealed, written_at) VALUES ($1, $2) ON CONFLICT (only_row) DO NOTHING`
	args := []any{canary, now}
	if was != nil {
		sql = `UPDATE secret_canary SET sealed = $1, written_at = $2 WHERE sealed = $3`
		args = append(args, was)
	}
	tag, err := w.pool.Exec(ctx, sql, args...)
	if err != nil {
		return false, fmt.Errorf("replacing the canary of PALMARES_SECRET: %w", explain(err))
	}
	return tag.RowsAffected() == 1, nil
}

const sealedColumns = `id, state, ` + endpointReason + `, secret, old_secret, old_secret_until`

func scanSealed(row pgx.CollectableRow) (e webhook.Sealed, err error) {
	var until *time.Time
	var why reasonRow
	err = row.Scan(&e.Endpoint, &e.State, &why.text, &why.code, &why.detail, &e.Secret, &e.Old, &until)
	e.Reason, e.OldUntil = why.reason(), fromNull(until)
	return e, err
}

// Sealed implements webhook.SealStore.
func (w *Webhooks) Sealed(ctx context.Context, after string, limit int) ([]webhook.Sealed, error) {
	list, err := collect(ctx, w.pool, scanSealed,
		`SELECT `+sealedColumns+` FROM endpoints WHERE id > $1 ORDER BY id LIMIT $2`, after, limit)
	if err != nil {
		return nil, fmt.Errorf("reading sealed secrets: %w", explain(err))
	}
	return list, nil
}

// Reseal implements webhook.SealStore. It skips locked endpoints: holding the locks of
// others while it waits would stop deliveries.
func (w *Webhooks) Reseal(
	ctx context.Context, endpoints []string, change func(webhook.Sealed) (webhook.Sealed, bool),
) (n int, err error) {
	err = pgx.BeginTxFunc(ctx, w.pool, readCommitted, func(tx pgx.Tx) error {
		list, err := collect(ctx, tx, scanSealed, `
			SELECT `+sealedColumns+` FROM endpoints WHERE id = ANY($1) FOR NO KEY UPDATE SKIP LOCKED`, endpoints)
		if err != nil {
			return err
		}
		var changes pgx.Batch
		for _, e := range list {
			if e, changed := change(e); changed {
				changes.Queue(`UPDATE endpoints SET secret = $2, old_secret = $3, old_secret_until = $4 WHERE id = $1`,
					e.Endpoint, e.Secret, e.Old, toNull(e.OldUntil))
			}
		}
		if n = changes.Len(); n == 0 {
			return nil
		}
		return tx.SendBatch(ctx, &changes).Close()
	})
	if err != nil {
		return 0, fmt.Errorf("resealing secrets: %w", explain(err))
	}
	return n, nil
}
