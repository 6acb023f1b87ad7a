package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/palmares-hq/palmares/internal/account"
)

// Accounts holds accounts.
type Accounts struct{ pool *pgxpool.Pool }

// Create implements account.Changer.
func (s *Accounts) Create(
	ctx context.Context, email string, plan account.Plan,
) (account.Account, error) {
	a := account.Account{Email: email, Plan: plan}
	err := s.pool.QueryRow(ctx, `INSERT INTO accounts (email, plan) VALUES ($1, $2) RETURNING id::text, created_at`,
		email, plan.String()).Scan(&a.ID, &a.CreatedAt)
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == uniqueViolation {
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

// How findAccount finds an account. $2 is the actor, as ownerOf gives it.
const (
	byID    = `a.id = $1 AND a.email IS NOT NULL AND ($2::uuid IS NULL OR a.id = $2)`
	byEmail = `a.email = $1 AND ($2::uuid IS NULL OR a.id = $2)`
)

// Get implements account.Finder.
func (s *Accounts) Get(ctx context.Context, by account.Actor, id string) (account.Account, error) {
	return findAccount(ctx, s.pool, byID, uuidOf(id), ownerOf(by))
}

// Find implements account.Finder.
func (s *Accounts) Find(
	ctx context.Context, by account.Actor, email string,
) (account.Account, error) {
	return findAccount(ctx, s.pool, byEmail, email, ownerOf(by))
}

func findAccount(
	ctx context.Context, q querier, where string, args ...any,
) (account.Account, error) {
	found, err := collect(ctx, q, scanAccount, accountColumns+`WHERE `+where, args...)
	if err != nil {
		return account.Account{}, fmt.Errorf("looking for the account: %w", explain(err))
	}
	if len(found) == 0 {
		return account.Account{}, account.ErrNoAccount
	}
	return found[0], nil
}

// List implements account.Finder.
func (s *Accounts) List(
	ctx context.Context, by account.Actor, after string, limit int,
) ([]account.Account, error) {
	list, err := collect(ctx, s.pool, scanAccount, accountColumns+`
		WHERE a.email IS NOT NULL AND a.email > $1 AND ($3::uuid IS NULL OR a.id = $3) ORDER BY a.email LIMIT $2`, after, limit, ownerOf(by))
	if err != nil {
		return nil, fmt.Errorf("listing the accounts: %w", explain(err))
	}
	return list, nil
}

// SetPlan implements account.Changer.
func (s *Accounts) SetPlan(ctx context.Context, id string, plan account.Plan, now time.Time) error {
	return changeAccess(ctx, s.pool, func(tx pgx.Tx) error {
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

// Delete implements account.Changer.
func (s *Accounts) Delete(ctx context.Context, by account.Actor, id string, now time.Time) error {
	return changeAccess(ctx, s.pool, func(tx pgx.Tx) error {
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
			WITH locked AS (SELECT id FROM keys WHERE account_id = $1 ORDER BY id FOR NO KEY UPDATE) -- as Keys.Touch does
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
