package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/palmares-hq/palmares/internal/account"
)

var _ account.Store = (*DB)(nil)

// ownerOf is the account whose rows an actor may touch: NULL for the operator, who may
// touch all. A statement asks for ($2::uuid IS NULL OR account_id = $2).
func ownerOf(by account.Actor) pgtype.UUID {
	if by.IsOperator() {
		return pgtype.UUID{}
	}
	return uuidOf(by.AccountID())
}

// uuidOf is the id of an account. What is no UUID becomes one that nobody has.
func uuidOf(id string) pgtype.UUID {
	var u pgtype.UUID
	if err := u.Scan(id); err != nil {
		return pgtype.UUID{Valid: true}
	}
	return u
}

// CreateAccount implements account.Changer.
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

// Account implements account.Finder.
func (db *DB) Account(ctx context.Context, by account.Actor, id string) (account.Account, error) {
	return db.account(ctx, accountColumns+`WHERE a.id = $1 AND a.email IS NOT NULL AND ($2::uuid IS NULL OR a.id = $2)`, uuidOf(id), ownerOf(by))
}

// FindAccount implements account.Finder.
func (db *DB) FindAccount(ctx context.Context, by account.Actor, email string) (account.Account, error) {
	return db.account(ctx, accountColumns+`WHERE a.email = $1 AND ($2::uuid IS NULL OR a.id = $2)`, email, ownerOf(by))
}

func (db *DB) account(ctx context.Context, sql string, args ...any) (account.Account, error) {
	found, err := collect(ctx, db.pool, scanAccount, sql, args...)
	if err != nil {
		return account.Account{}, fmt.Errorf("looking for the account: %w", explain(err))
	}
	if len(found) == 0 {
		return account.Account{}, account.ErrNoAccount
	}
	return found[0], nil
}

// Accounts implements account.Finder.
func (db *DB) Accounts(ctx context.Context, by account.Actor, after string, limit int) ([]account.Account, error) {
	list, err := collect(ctx, db.pool, scanAccount, accountColumns+`
		WHERE a.email IS NOT NULL AND a.email > $1 AND ($3::uuid IS NULL OR a.id = $3) ORDER BY a.email LIMIT $2`, after, limit, ownerOf(by))
	if err != nil {
		return nil, fmt.Errorf("listing the accounts: %w", explain(err))
	}
	return list, nil
}

// SetPlan implements account.Changer.
func (db *DB) SetPlan(ctx context.Context, id string, plan account.Plan, now time.Time) error {
	return db.changeAccess(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE accounts SET plan = $2 WHERE id = $1 AND email IS NOT NULL`, uuidOf(id), plan.String())
		if err != nil {
			return fmt.Errorf("changing the plan: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return account.ErrNoAccount
		}
		return followPlan(ctx, tx, id, plan, now)
	})
}

// DeleteAccount implements account.Changer.
func (db *DB) DeleteAccount(ctx context.Context, by account.Actor, id string, now time.Time) error {
	return db.changeAccess(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			UPDATE accounts SET email = NULL, deleted_at = $2
			WHERE id = $1 AND email IS NOT NULL AND ($3::uuid IS NULL OR id = $3)`, uuidOf(id), now, ownerOf(by))
		if err != nil {
			return fmt.Errorf("deleting the account: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return account.ErrNoAccount
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
