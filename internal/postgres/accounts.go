package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/palmares-hq/palmares/internal/account"
)

// CreateAccount makes an account.
func (db *DB) CreateAccount(ctx context.Context, email string, plan account.Plan) (account.Account, error) {
	a := account.Account{Email: email, Plan: plan}
	err := db.pool.QueryRow(ctx, `INSERT INTO accounts (email, plan) VALUES ($1, $2) RETURNING id::text, created_at`,
		email, plan.String()).Scan(&a.ID, &a.CreatedAt)
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "23505" { // unique_violation
		return account.Account{}, account.ErrEmailTaken
	}
	if err != nil {
		return account.Account{}, fmt.Errorf("creating the account: %w", explain(err))
	}
	return a, nil
}

const accountColumns = `
	SELECT a.id::text, a.email, a.plan, a.created_at,
	       (SELECT count(*) FROM keys k WHERE k.account_id = a.id AND k.revoked_at IS NULL)
	FROM accounts a `

func scanAccount(row pgx.CollectableRow) (a account.Account, err error) {
	var plan string
	if err = row.Scan(&a.ID, &a.Email, &plan, &a.CreatedAt, &a.Keys); err != nil {
		return a, err
	}
	a.Plan, err = account.ParsePlan(plan)
	return a, err
}

// Account finds the account with that e-mail address.
func (db *DB) Account(ctx context.Context, email string) (account.Account, error) {
	found, err := collect(ctx, db.pool, scanAccount, accountColumns+`WHERE a.email = $1`, email)
	if err != nil {
		return account.Account{}, fmt.Errorf("looking for the account: %w", explain(err))
	}
	if len(found) == 0 {
		return account.Account{}, account.ErrNoAccount
	}
	return found[0], nil
}

// Accounts lists accounts by e-mail address, from after the given one.
func (db *DB) Accounts(ctx context.Context, after string, limit int) ([]account.Account, error) {
	list, err := collect(ctx, db.pool, scanAccount,
		accountColumns+`WHERE a.email IS NOT NULL AND a.email > $1 ORDER BY a.email LIMIT $2`, after, limit)
	if err != nil {
		return nil, fmt.Errorf("listing the accounts: %w", explain(err))
	}
	return list, nil
}

// SetPlan moves an account to another plan. Its keys go on working; an account that
// has more than the new plan allows gets no further one. Its endpoints are paused, or
// resumed, as the plan has webhooks or not.
func (db *DB) SetPlan(ctx context.Context, email string, plan account.Plan) error {
	return db.changeAccess(ctx, func(tx pgx.Tx) error {
		var id string
		err := tx.QueryRow(ctx, `UPDATE accounts SET plan = $2 WHERE email = $1 RETURNING id::text`, email, plan.String()).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return account.ErrNoAccount
		}
		if err != nil {
			return fmt.Errorf("changing the plan: %w", err)
		}
		return followPlan(ctx, tx, id, plan)
	})
}

// DeleteAccount revokes an account's keys, deletes its endpoints and erases its e-mail
// address.
func (db *DB) DeleteAccount(ctx context.Context, email string, now time.Time) error {
	return db.changeAccess(ctx, func(tx pgx.Tx) error {
		var id string
		err := tx.QueryRow(ctx, `
			UPDATE accounts SET email = NULL, deleted_at = $2 WHERE email = $1 RETURNING id::text`, email, now).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return account.ErrNoAccount
		}
		if err != nil {
			return fmt.Errorf("deleting the account: %w", err)
		}
		_, err = tx.Exec(ctx, `
			WITH locked AS (SELECT id FROM keys WHERE account_id = $1 ORDER BY id FOR NO KEY UPDATE) -- as TouchKeys does
			UPDATE keys SET revoked_at = coalesce(revoked_at, $2), name = '' FROM locked WHERE keys.id = locked.id`, id, now)
		if err != nil {
			return fmt.Errorf("revoking the account's keys: %w", err)
		}
		if _, err := tx.Exec(ctx, `DELETE FROM endpoints WHERE account_id = $1`, id); err != nil {
			return fmt.Errorf("deleting the account's endpoints: %w", err)
		}
		return nil
	})
}
