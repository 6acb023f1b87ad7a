package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/palmares-hq/palmares/internal/account"
)

// Keys holds API keys. Its Feed is a live.KeyFeed.
type Keys struct{ pool *pgxpool.Pool }

// inGrace is true of a rotated key that still works at $2.
const inGrace = `(k.grace AND k.revoked_at > $2)`

// slots is how many keys an account can have at most, including suspended ones.
const slots = 10

// Create implements account.KeyStore.
func (k *Keys) Create(
	ctx context.Context, by account.Actor, accountID string, key account.KeyInfo, hash account.Hash, now time.Time,
) (created time.Time, err error) {
	err = changeAccess(ctx, k.pool, func(tx pgx.Tx) error {
		var plan string
		var made bool
		// Older programs lock nothing but the account. Without this lock the index
		// on slots would refuse one of two keys created at once.
		err := tx.QueryRow(ctx, `
			SELECT plan, EXISTS (SELECT FROM keys WHERE id = $3) FROM accounts
			WHERE id = $1 AND email IS NOT NULL AND ($2::uuid IS NULL OR id = $2) FOR UPDATE`,
			uuidOf(accountID), ownerOf(by), key.ID).Scan(&plan, &made)
		if errors.Is(err, pgx.ErrNoRows) {
			return account.ErrNoAccount
		}
		if err != nil {
			return fmt.Errorf("looking for the account: %w", explain(err))
		}
		if made {
			return account.ErrKeyMade
		}
		p, err := account.ParsePlan(plan)
		if err != nil {
			return err
		}
		err = tx.QueryRow(ctx, `
			INSERT INTO keys (id, account_id, slot, name, preview, hash)
			SELECT $1, $2, min(slot), $3, $4, $5 FROM generate_series(1, $7::integer) slot
			WHERE NOT EXISTS (SELECT FROM keys k WHERE k.account_id = $2 AND k.slot = slot.slot AND k.revoked_at IS NULL)
			  AND (SELECT count(*) FROM keys k WHERE k.account_id = $2 AND k.revoked_at IS NULL AND NOT k.asleep) < $6::integer
			HAVING min(slot) IS NOT NULL
			RETURNING created_at`, key.ID, accountID, key.Name, key.Preview, hash[:], p.Limits().Keys, slots).Scan(&created)
		if errors.Is(err, pgx.ErrNoRows) {
			return account.ErrTooManyKeys
		}
		if err != nil {
			return fmt.Errorf("creating the key: %w", err)
		}
		if err := noteKey(ctx, tx, by, accountID, now); err != nil {
			return err
		}
		return record(ctx, tx, by, accountID, account.KeyCreated, key.Name, created)
	})
	return created, err
}

// List implements account.KeyStore.
func (k *Keys) List(
	ctx context.Context, by account.Actor, accountID string, f account.KeyFilter, now time.Time,
) ([]account.KeyInfo, error) {
	if _, err := findAccount(ctx, k.pool, byID, uuidOf(accountID), ownerOf(by)); err != nil {
		return nil, err
	}
	list, err := collect(ctx, k.pool, func(row pgx.CollectableRow) (k account.KeyInfo, err error) {
		var used, revoked, ends *time.Time
		err = row.Scan(&k.ID, &k.Name, &k.Preview, &k.CreatedAt, &used, &revoked, &ends, &k.Suspended, &k.Pinned)
		k.LastUsed, k.RevokedAt, k.EndsAt = fromNull(used), fromNull(revoked), fromNull(ends)
		return k, err
	}, `
		SELECT k.id, k.name, k.preview, k.created_at, k.last_used_on,
		       CASE WHEN NOT `+inGrace+` THEN k.revoked_at END, CASE WHEN `+inGrace+` THEN k.revoked_at END,
		       k.asleep AND (k.revoked_at IS NULL OR `+inGrace+`), k.kept_at IS NOT NULL AND k.revoked_at IS NULL
		FROM keys k WHERE k.id IN (
		    SELECT k.id FROM keys k WHERE k.account_id = $1::uuid AND k.revoked_at IS NULL
		    UNION ALL SELECT k.id FROM keys k WHERE k.account_id = $1::uuid AND `+inGrace+`
		    UNION ALL (
		        SELECT k.id FROM keys k WHERE k.account_id = $1::uuid AND k.revoked_at IS NOT NULL AND NOT `+inGrace+`
		          AND ($3::date IS NULL OR k.last_used_on >= $3 OR k.revoked_at > $2 - interval '1 hour') -- nodes note uses later
		        ORDER BY k.revoked_at DESC LIMIT $4))
		ORDER BY k.revoked_at IS NOT NULL, NOT `+inGrace+`, k.created_at`, accountID, now, toNull(f.UsedSince), toNoLimit(f.Revoked))
	if err != nil {
		return nil, fmt.Errorf("listing the keys: %w", err)
	}
	return list, nil
}

// toNoLimit returns NULL for 0: a LIMIT of NULL is none.
func toNoLimit(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

// Rename implements account.KeyStore. It locks the account, so that no name is written after a
// deletion has erased it. Nodes do not hold names: nobody's access changes.
func (k *Keys) Rename(ctx context.Context, by account.Actor, id, name string, now time.Time) error {
	return pgx.BeginTxFunc(ctx, k.pool, readCommitted, func(tx pgx.Tx) error {
		var owner string
		err := tx.QueryRow(ctx, `
			WITH owner AS (
				SELECT a.id FROM accounts a JOIN keys k ON k.account_id = a.id
				WHERE k.id = $1 AND a.email IS NOT NULL AND ($3::uuid IS NULL OR a.id = $3) FOR KEY SHARE OF a)
			UPDATE keys SET name = $2 FROM owner WHERE keys.id = $1 AND keys.account_id = owner.id RETURNING owner.id::text`,
			id, name, ownerOf(by)).Scan(&owner)
		if errors.Is(err, pgx.ErrNoRows) {
			return account.ErrNoKey
		}
		if err != nil {
			return fmt.Errorf("renaming the key: %w", explain(err))
		}
		return record(ctx, tx, by, owner, account.KeyRenamed, name, now)
	})
}

// Revoke implements account.KeyStore. A key that was revoked before is not recorded again.
func (k *Keys) Revoke(ctx context.Context, by account.Actor, id string, now time.Time) error {
	return changeAccess(ctx, k.pool, func(tx pgx.Tx) error {
		var owner, name string
		var live bool
		err := tx.QueryRow(ctx, `
			WITH key AS (
				SELECT k.id, k.revoked_at IS NULL OR `+inGrace+` AS live FROM keys k
				WHERE k.id = $1 AND ($3::uuid IS NULL OR k.account_id = $3) FOR NO KEY UPDATE)
			UPDATE keys SET revoked_at = least(revoked_at, $2), grace = false FROM key WHERE keys.id = key.id
			RETURNING keys.account_id::text, keys.name, key.live`, id, now, ownerOf(by)).Scan(&owner, &name, &live)
		if errors.Is(err, pgx.ErrNoRows) {
			return account.ErrNoKey
		}
		if err != nil {
			return fmt.Errorf("revoking the key: %w", err)
		}
		if !live {
			return nil
		}
		return record(ctx, tx, by, owner, account.KeyRevoked, name, now)
	})
}

// Touch stores the day, in UTC, on which keys were used. Many nodes call it at once: they
// lock the keys in the order of their ids, so that they cannot deadlock.
func (k *Keys) Touch(ctx context.Context, ids []string, day time.Time) error {
	_, err := k.pool.Exec(ctx, `
		WITH locked AS (
			SELECT id FROM keys WHERE id = ANY($1) AND (last_used_on IS NULL OR last_used_on < $2::date)
			ORDER BY id FOR NO KEY UPDATE)
		UPDATE keys SET last_used_on = $2::date FROM locked WHERE keys.id = locked.id`, ids, day.UTC())
	if err != nil {
		return fmt.Errorf("noting the use of keys: %w", err)
	}
	return nil
}
