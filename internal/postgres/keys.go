package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
)

// CreateKey implements account.KeyStore.
func (db *DB) CreateKey(ctx context.Context, by account.Actor, accountID string, key account.KeyInfo, hash account.Hash) (created time.Time, err error) {
	err = db.changeAccess(ctx, func(tx pgx.Tx) error {
		var plan string
		// The lock makes this wait for a creation by a program that does not take the
		// lock of changes; the index on the slots would refuse one of them otherwise.
		err := tx.QueryRow(ctx, `
			SELECT plan FROM accounts WHERE id = $1 AND email IS NOT NULL AND ($2::uuid IS NULL OR id = $2) FOR UPDATE`,
			uuidOf(accountID), ownerOf(by)).Scan(&plan)
		if errors.Is(err, pgx.ErrNoRows) {
			return account.ErrNoAccount
		}
		if err != nil {
			return fmt.Errorf("looking for the account: %w", explain(err))
		}
		p, err := account.ParsePlan(plan)
		if err != nil {
			return err
		}
		err = tx.QueryRow(ctx, `
			INSERT INTO keys (id, account_id, slot, name, preview, hash)
			SELECT $1, $2, min(slot), $3, $4, $5 FROM generate_series(1, $6::integer) slot
			WHERE NOT EXISTS (SELECT FROM keys k WHERE k.account_id = $2 AND k.slot = slot.slot AND k.revoked_at IS NULL)
			  AND (SELECT count(*) FROM keys k WHERE k.account_id = $2 AND k.revoked_at IS NULL) < $6::integer
			HAVING min(slot) IS NOT NULL
			RETURNING created_at`, key.ID, accountID, key.Name, key.Preview, hash[:], p.Limits().Keys).Scan(&created)
		if errors.Is(err, pgx.ErrNoRows) {
			return account.ErrTooManyKeys
		}
		if err != nil {
			return fmt.Errorf("creating the key: %w", err)
		}
		return nil
	})
	return created, err
}

// Keys implements account.KeyStore.
func (db *DB) Keys(ctx context.Context, by account.Actor, accountID string) ([]account.KeyInfo, error) {
	if _, err := db.Account(ctx, by, accountID); err != nil {
		return nil, err
	}
	return db.AccountKeys(ctx, accountID)
}

// AccountKeys lists the keys of the account with that id, the revoked ones last.
func (db *DB) AccountKeys(ctx context.Context, accountID string) ([]account.KeyInfo, error) {
	list, err := collect(ctx, db.pool, func(row pgx.CollectableRow) (k account.KeyInfo, err error) {
		var used, revoked *time.Time
		err = row.Scan(&k.ID, &k.Name, &k.Preview, &k.CreatedAt, &used, &revoked)
		if used != nil {
			k.LastUsed = *used
		}
		if revoked != nil {
			k.RevokedAt = *revoked
		}
		return k, err
	}, `
		SELECT k.id, k.name, k.preview, k.created_at, k.last_used_on, k.revoked_at
		FROM keys k WHERE k.account_id = $1::uuid
		ORDER BY k.revoked_at IS NOT NULL, k.created_at`, accountID)
	if err != nil {
		return nil, fmt.Errorf("listing the keys: %w", err)
	}
	return list, nil
}

// RevokeKey implements account.KeyStore.
func (db *DB) RevokeKey(ctx context.Context, by account.Actor, id string, now time.Time) error {
	return db.changeAccess(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			UPDATE keys SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1 AND ($3::uuid IS NULL OR account_id = $3)`, id, now, ownerOf(by))
		if err != nil {
			return fmt.Errorf("revoking the key: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return account.ErrNoKey
		}
		return nil
	})
}

// TouchKeys notes the day, in UTC, on which keys were used. Many nodes do so at
// once: they lock keys in one order, so that none waits for another in a circle.
func (db *DB) TouchKeys(ctx context.Context, ids []string, day time.Time) error {
	_, err := db.pool.Exec(ctx, `
		WITH locked AS (
			SELECT id FROM keys WHERE id = ANY($1) AND (last_used_on IS NULL OR last_used_on < $2::date)
			ORDER BY id FOR NO KEY UPDATE)
		UPDATE keys SET last_used_on = $2::date FROM locked WHERE keys.id = locked.id`, ids, day.UTC())
	if err != nil {
		return fmt.Errorf("noting the use of keys: %w", err)
	}
	return nil
}
