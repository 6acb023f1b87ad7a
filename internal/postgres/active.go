package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
)

// lockKeys reads the live keys of a locked account and locks them until the transaction ends: in the
// order of their ids, as Keys.Touch does.
func lockKeys(ctx context.Context, tx pgx.Tx, accountID string) ([]account.KeyInfo, error) {
	keys, err := collect(ctx, tx, func(row pgx.CollectableRow) (k account.KeyInfo, err error) {
		var used *time.Time
		err = row.Scan(&k.ID, &k.Name, &k.CreatedAt, &used, &k.Suspended, &k.Pinned)
		k.LastUsed = fromNull(used)
		return k, err
	}, `
		SELECT id, name, created_at, last_used_on, asleep, kept_at IS NOT NULL FROM keys
		WHERE account_id = $1 AND revoked_at IS NULL ORDER BY id FOR NO KEY UPDATE`, uuidOf(accountID))
	if err != nil {
		return nil, fmt.Errorf("locking the account's keys: %w", err)
	}
	return keys, nil
}

// setActive suspends keys and resumes others, so that those work that account.ActiveKeys names. The keys
// are those that lockKeys read. It reports whether any of them changed.
func setActive(ctx context.Context, tx pgx.Tx, keys []account.KeyInfo, plan account.Plan) (bool, error) {
	active := account.ActiveKeys(keys, plan.Limits().Keys)
	var changed []string
	for _, k := range keys {
		if k.Suspended == slices.Contains(active, k.ID) {
			changed = append(changed, k.ID)
		}
	}
	if len(changed) == 0 {
		return false, nil
	}
	// One statement is one change of access.
	if _, err := tx.Exec(ctx, `UPDATE keys SET asleep = NOT asleep WHERE id = ANY($1)`, changed); err != nil {
		return false, fmt.Errorf("putting keys to sleep or waking them: %w", err)
	}
	return true, nil
}
