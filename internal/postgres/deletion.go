package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
)

// Delete implements account.Changer.
func (s *Accounts) Delete(
	ctx context.Context, by account.Actor, id string, now time.Time,
) error {
	return changeAccess(ctx, s.pool, func(tx pgx.Tx) error {
		var email string
		err := tx.QueryRow(ctx, `
			WITH was AS (
				SELECT a.id, a.email FROM accounts a
				WHERE a.id = $1 AND a.email IS NOT NULL AND ($3::uuid IS NULL OR a.id = $3) FOR UPDATE)
			UPDATE accounts SET email = NULL, deleted_at = $2 FROM was WHERE accounts.id = was.id
			RETURNING was.id::text, was.email`, uuidOf(id), now, ownerOf(by)).Scan(&id, &email)
		if errors.Is(err, pgx.ErrNoRows) {
			return account.ErrNoAccount
		}
		if err != nil {
			return fmt.Errorf("deleting the account: %w", err)
		}
		_, err = tx.Exec(ctx, `
			WITH locked AS (SELECT id FROM keys WHERE account_id = $1 ORDER BY id FOR NO KEY UPDATE) -- as Keys.Touch does
			UPDATE keys SET revoked_at = least(revoked_at, $2), grace = false, name = '' FROM locked WHERE keys.id = locked.id`, id, now)
		if err != nil {
			return fmt.Errorf("revoking the account's keys: %w", err)
		}
		return erase(ctx, tx, id, email)
	})
}

// erase deletes all rows of a locked account but those of its keys.
func erase(ctx context.Context, tx pgx.Tx, id, email string) error {
	for _, table := range []string{"endpoints", "sessions", "activity", "email_changes", "usage_notices"} {
		if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE account_id = $1`, id); err != nil {
			return fmt.Errorf("deleting the account's %s: %w", table, err)
		}
	}
	if _, err := tx.Exec(ctx, `DELETE FROM sign_ins WHERE email = $1`, email); err != nil {
		return fmt.Errorf("deleting the account's sign-ins: %w", err)
	}
	return nil
}
