package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
)

// Rotate implements account.KeyStore. The new key takes the slot of the old one: a rotation never
// needs a free one. It is chosen to stay active if the old one was.
func (k *Keys) Rotate(
	ctx context.Context, by account.Actor, r account.Rotation,
) (made account.KeyInfo, err error) {
	made = r.New
	err = changeAccess(ctx, k.pool, func(tx pgx.Tx) error {
		old, err := rotatable(ctx, tx, by, r)
		if err != nil {
			return err
		}
		made.Name, made.Pinned = old.name, old.pinned != nil
		grace := r.End.After(r.Now)
		if grace && old.inGracePeriod >= old.plan.Limits().Keys {
			return account.ErrTooManyGracePeriods
		}
		if err := noteKey(ctx, tx, by, old.account, r.Now); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE keys SET revoked_at = $2, grace = $3 WHERE id = $1`, r.Old, r.End, grace)
		if err != nil {
			return fmt.Errorf("ending the old key: %w", err)
		}
		err = tx.QueryRow(ctx, `
			INSERT INTO keys (id, account_id, slot, name, preview, hash, kept_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
			RETURNING created_at`, made.ID, old.account, old.slot, made.Name, made.Preview, r.Hash[:], old.pinned).Scan(&made.CreatedAt)
		if err != nil {
			return fmt.Errorf("creating the new key: %w", err)
		}
		return record(ctx, tx, by, old.account, account.KeyRotated, made.Name, r.Now)
	})
	if err != nil {
		return account.KeyInfo{}, err
	}
	return made, nil
}

// A rotatableKey is a live key, with what a rotation needs to know about its account.
type rotatableKey struct {
	account       string
	plan          account.Plan
	slot          int
	name          string
	pinned        *time.Time // when the owner chose it to stay active
	inGracePeriod int        // keys of the account in their grace
}

// rotatable finds a live key and locks it and its account: the account first, as a deletion does.
func rotatable(
	ctx context.Context, tx pgx.Tx, by account.Actor, r account.Rotation,
) (k rotatableKey, err error) {
	var plan string
	err = tx.QueryRow(ctx, `
		SELECT a.id::text, a.plan FROM accounts a JOIN keys k ON k.account_id = a.id
		WHERE k.id = $1 AND a.email IS NOT NULL AND ($2::uuid IS NULL OR a.id = $2) FOR UPDATE OF a`,
		r.Old, ownerOf(by)).Scan(&k.account, &plan)
	if errors.Is(err, pgx.ErrNoRows) {
		return k, account.ErrNoKey
	}
	if err != nil {
		return k, fmt.Errorf("looking for the key: %w", explain(err))
	}
	if k.plan, err = account.ParsePlan(plan); err != nil {
		return k, err
	}
	var revoked *time.Time
	var graced, suspended bool
	err = tx.QueryRow(ctx, `
		SELECT k.slot, k.name, k.kept_at, k.asleep, k.revoked_at, `+inGrace+`,
		       (SELECT count(*) FROM keys k WHERE k.account_id = $3 AND `+inGrace+`)
		FROM keys k WHERE k.id = $1 FOR NO KEY UPDATE`, r.Old, r.Now, k.account).
		Scan(&k.slot, &k.name, &k.pinned, &suspended, &revoked, &graced, &k.inGracePeriod)
	switch {
	case err != nil:
		return k, fmt.Errorf("locking the key: %w", err)
	case graced:
		return k, account.ErrKeyInGrace
	case revoked != nil:
		return k, account.ErrKeyRevoked
	case suspended:
		return k, account.ErrKeySuspended
	}
	return k, nil
}
