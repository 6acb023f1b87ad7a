package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
)

// Pin implements account.KeyStore. A choice that changes nothing is not recorded.
func (k *Keys) Pin(
	ctx context.Context, by account.Actor, accountID string, ids []string, now time.Time,
) error {
	return changeAccess(ctx, k.pool, func(tx pgx.Tx) error {
		if err := lockAccount(ctx, tx, by, accountID); err != nil {
			return err
		}
		a, err := findAccount(ctx, tx, byID, uuidOf(accountID), ownerOf(by))
		if err != nil {
			return err
		}
		keys, err := lockKeys(ctx, tx, a.ID)
		if err != nil {
			return err
		}
		names, chosen, err := choose(keys, ids)
		if err != nil {
			return err
		}
		if chosen {
			_, err = tx.Exec(ctx, `
				UPDATE keys SET kept_at = CASE WHEN id = ANY($2) THEN coalesce(kept_at, $3) END
				WHERE account_id = $1 AND revoked_at IS NULL`, a.ID, ids, now)
			if err != nil {
				return fmt.Errorf("choosing keys: %w", err)
			}
		}
		changed, err := setActive(ctx, tx, keys, a.Plan)
		if err != nil || !chosen && !changed {
			return err
		}
		return record(ctx, tx, by, a.ID, account.KeysPinned, strings.Join(names, ", "), now)
	})
}

// choose marks the keys with these ids as chosen, and no others. It returns their names, the oldest key
// first, and whether the choice differs from the earlier one, or ErrNoKey if an id is not among the keys.
func choose(keys []account.KeyInfo, ids []string) (names []string, news bool, err error) {
	slices.SortFunc(keys, func(a, b account.KeyInfo) int { return a.CreatedAt.Compare(b.CreatedAt) })
	for i := range keys {
		k := &keys[i]
		kept := slices.Contains(ids, k.ID)
		if kept {
			names = append(names, k.Name)
		}
		news = news || kept != k.Pinned
		k.Pinned = kept
	}
	if len(names) != len(ids) {
		return nil, false, account.ErrNoKey
	}
	return names, news, nil
}
