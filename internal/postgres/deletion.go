package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
)

// Delete implements account.Changer.
func (s *Accounts) Delete(
	ctx context.Context, by account.Actor, id string, seal account.Seal, now time.Time,
) error {
	return changeAccess(ctx, s.pool, func(tx pgx.Tx) error {
		var email string
		var language account.Language
		err := tx.QueryRow(ctx, `
			WITH was AS (
				SELECT a.id, a.email, a.language FROM accounts a
				WHERE a.id = $1 AND a.email IS NOT NULL AND ($3::uuid IS NULL OR a.id = $3) FOR UPDATE)
			UPDATE accounts SET email = NULL, deleted_at = $2 FROM was WHERE accounts.id = was.id
			RETURNING was.id::text, was.email, was.language`, uuidOf(id), now, ownerOf(by)).Scan(&id, &email, &language)
		if errors.Is(err, pgx.ErrNoRows) {
			return account.ErrNoAccount
		}
		if err != nil {
			return fmt.Errorf("deleting the account: %w", err)
		}
		if err := checkFresh(ctx, tx, by, id, now); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `
			WITH locked AS (SELECT id FROM keys WHERE account_id = $1 ORDER BY id FOR NO KEY UPDATE) -- as Keys.Touch does
			UPDATE keys SET revoked_at = least(revoked_at, $2), grace = false, name = '', kept_at = NULL FROM locked WHERE keys.id = locked.id`, id, now)
		if err != nil {
			return fmt.Errorf("revoking the account's keys: %w", err)
		}
		if err := tellProvider(ctx, tx, id, billing.LeaveProvider{Account: id}); err != nil {
			return err
		}
		if err := erase(ctx, tx, id, email); err != nil || seal == nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO farewells (account_id, sealed, language, created_at) VALUES ($1, $2, $3, $4)`,
			id, seal(email, id), language, now)
		if err != nil {
			return fmt.Errorf("keeping the address for the final mail: %w", err)
		}
		return insertJob(ctx, tx, account.MailDeletion{Account: id})
	})
}

// checkFresh returns ErrNotFresh unless the actor is the operator or acts in a session of the account
// that is Fresh.
func checkFresh(ctx context.Context, tx pgx.Tx, by account.Actor, id string, now time.Time) error {
	if by.IsOperator() {
		return nil
	}
	var fresh bool
	err := tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM sessions WHERE id = $1 AND account_id = $2 AND created_at > $3 AND expires_at > $4 AND ended_at IS NULL)`,
		by.Session(), uuidOf(id), now.Add(-account.FreshFor), now).Scan(&fresh)
	if err != nil {
		return fmt.Errorf("looking for the session: %w", err)
	}
	if !fresh {
		return account.ErrNotFresh
	}
	return nil
}

// erase deletes the rows of a locked account, except its keys, its orders, which only lose the address for
// invoices, and its customer at the payment provider, which goes when its subscriptions have ended there.
func erase(ctx context.Context, tx pgx.Tx, id, email string) error {
	for _, table := range []string{"endpoints", "sessions", "activity", "email_changes", "usage_notices", "billing_notices", "billing_details", "limited_acts", "watchlists"} {
		if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE account_id = $1`, id); err != nil {
			return fmt.Errorf("deleting the account's %s: %w", table, err)
		}
	}
	if _, err := tx.Exec(ctx, `DELETE FROM sign_ins WHERE email = $1`, email); err != nil {
		return fmt.Errorf("deleting the account's sign-ins: %w", err)
	}
	if _, err := tx.Exec(ctx, `UPDATE billing_orders SET email = '' WHERE account_id = $1 AND email <> ''`, id); err != nil {
		return fmt.Errorf("deleting the address for invoices: %w", err)
	}
	return nil
}

// DeletionNotice implements account.DeletionNoticeStore.
func (s *Accounts) DeletionNotice(ctx context.Context, accountID string) (account.DeletionNotice, error) {
	var f account.DeletionNotice
	err := s.pool.QueryRow(ctx, `
		SELECT sealed, language, created_at, EXISTS (SELECT FROM billing_orders o WHERE o.account_id = f.account_id AND o.subscription <> '')
		FROM farewells f WHERE account_id = $1`, uuidOf(accountID)).Scan(&f.Sealed, &f.Language, &f.CreatedAt, &f.Ordered)
	if errors.Is(err, pgx.ErrNoRows) {
		return f, account.ErrNoDeletionNotice
	}
	if err != nil {
		return f, fmt.Errorf("looking for the farewell: %w", explain(err))
	}
	return f, nil
}

// DropDeletionNotice implements account.DeletionNoticeStore.
func (s *Accounts) DropDeletionNotice(ctx context.Context, accountID string) error {
	if _, err := s.pool.Exec(ctx, `DELETE FROM farewells WHERE account_id = $1`, uuidOf(accountID)); err != nil {
		return fmt.Errorf("deleting the farewell: %w", explain(err))
	}
	return nil
}

// PruneDeletionNotices implements account.Pruner.
func (s *Accounts) PruneDeletionNotices(ctx context.Context, before time.Time, limit int) (int, error) {
	return prune(ctx, s.pool, "farewells", `
		DELETE FROM farewells WHERE account_id IN (SELECT account_id FROM farewells WHERE created_at < $1 LIMIT $2)`, before, limit)
}
