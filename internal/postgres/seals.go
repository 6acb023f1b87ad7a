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
func (db *DB) Canary(ctx context.Context) (canary []byte, err error) {
	err = db.pool.QueryRow(ctx, `SELECT sealed FROM secret_canary`).Scan(&canary)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("reading the canary of PALMARES_SECRET: %w", explain(err))
	}
	return canary, nil
}

// WriteCanary implements webhook.CanaryStore. The lock keeps every process, an older
// version's too, from sealing anything while this one looks; it is taken once in the life
// of a database.
func (db *DB) WriteCanary(ctx context.Context, canary []byte, now time.Time, opens func(webhook.Sealed) bool) error {
	err := pgx.BeginTxFunc(ctx, db.pool, readCommitted, func(tx pgx.Tx) error {
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
func (db *DB) ReplaceCanary(ctx context.Context, was, canary []byte, now time.Time) (bool, error) {
	sql := `INSERT INTO secret_canary (sealed, written_at) VALUES ($1, $2) ON CONFLICT (only_row) DO NOTHING`
	args := []any{canary, now}
	if was != nil {
		sql = `UPDATE secret_canary SET sealed = $1, written_at = $2 WHERE sealed = $3`
		args = append(args, was)
	}
	tag, err := db.pool.Exec(ctx, sql, args...)
	if err != nil {
		return false, fmt.Errorf("replacing the canary of PALMARES_SECRET: %w", explain(err))
	}
	return tag.RowsAffected() == 1, nil
}

const sealedColumns = `id, state, reason, secret, old_secret, old_secret_until`

func scanSealed(row pgx.CollectableRow) (e webhook.Sealed, err error) {
	var until *time.Time
	err = row.Scan(&e.Endpoint, &e.State, &e.Reason, &e.Secret, &e.Old, &until)
	e.OldTo = known(until)
	return e, err
}

// Sealed implements webhook.SealStore.
func (db *DB) Sealed(ctx context.Context, after string, limit int) ([]webhook.Sealed, error) {
	list, err := collect(ctx, db.pool, scanSealed,
		`SELECT `+sealedColumns+` FROM endpoints WHERE id > $1 ORDER BY id LIMIT $2`, after, limit)
	if err != nil {
		return nil, fmt.Errorf("reading sealed secrets: %w", explain(err))
	}
	return list, nil
}

// Reseal implements webhook.SealStore. It waits for no lock while it holds others, so that
// it cannot be in anybody's way for longer than it takes.
func (db *DB) Reseal(ctx context.Context, endpoints []string, change func(webhook.Sealed) (webhook.Sealed, bool)) (n int, err error) {
	err = pgx.BeginTxFunc(ctx, db.pool, readCommitted, func(tx pgx.Tx) error {
		list, err := collect(ctx, tx, scanSealed, `
			SELECT `+sealedColumns+` FROM endpoints WHERE id = ANY($1) FOR NO KEY UPDATE SKIP LOCKED`, endpoints)
		if err != nil {
			return err
		}
		var changes pgx.Batch
		for _, e := range list {
			if e, changed := change(e); changed {
				changes.Queue(`UPDATE endpoints SET secret = $2, old_secret = $3, old_secret_until = $4 WHERE id = $1`,
					e.Endpoint, e.Secret, e.Old, orNull(e.OldTo))
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

// SetReason implements webhook.Store.
func (db *DB) SetReason(ctx context.Context, endpoint, reason string) (changed bool, err error) {
	tag, err := db.pool.Exec(ctx,
		`UPDATE endpoints SET reason = $2 WHERE id = $1 AND state = 'active' AND reason <> $2`, endpoint, reason)
	if err != nil {
		return false, fmt.Errorf("noting why nothing is delivered: %w", err)
	}
	return tag.RowsAffected() == 1, nil
}

// Troubled counts the active endpoints that have a reason to deliver nothing.
func (db *DB) Troubled(ctx context.Context) (n int, err error) {
	err = db.pool.QueryRow(ctx, `SELECT count(*) FROM endpoints WHERE state = 'active' AND reason <> ''`).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("counting endpoints in trouble: %w", explain(err))
	}
	return n, nil
}
