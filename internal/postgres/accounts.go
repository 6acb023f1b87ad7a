package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
)

// Accounts holds accounts.
type Accounts struct{ pool *pgxpool.Pool }

// Create implements account.Changer.
func (s *Accounts) Create(
	ctx context.Context, email string, plan account.Plan,
) (account.Account, error) {
	a := account.Account{Email: email, Plan: plan, Source: account.SourceOf(plan)}
	err := pgx.BeginTxFunc(ctx, s.pool, readCommitted, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `
			INSERT INTO accounts AS a (email, plan, plan_source, confirmed) VALUES ($1, $2, $3, false)
			RETURNING a.id::text, a.created_at, `+settings, email, plan.String(), a.Source).
			Scan(settingsOf(&a.Settings, &a.ID, &a.CreatedAt)...)
		if isViolation(err, uniqueViolation) {
			return account.ErrEmailTaken
		}
		if err != nil {
			return fmt.Errorf("creating the account: %w", explain(err))
		}
		return record(ctx, tx, account.Operator(), a.ID, account.AccountCreated, plan.String(), a.CreatedAt)
	})
	if err != nil {
		return account.Account{}, err
	}
	return a, nil
}

var accountColumns = `
	SELECT n.awake, n.asleep, a.id::text, a.email, a.plan, a.plan_source, a.created_at, a.confirmed, ` + settings + `
	FROM accounts a, LATERAL (
	    SELECT count(*) FILTER (WHERE NOT k.asleep) AS awake, count(*) FILTER (WHERE k.asleep) AS asleep
	    FROM keys k WHERE k.account_id = a.id AND k.revoked_at IS NULL) n `

func scanAccount(row pgx.CollectableRow) (a account.Account, err error) {
	var plan string
	err = row.Scan(settingsOf(&a.Settings, &a.Keys, &a.Suspended, &a.ID, &a.Email, &plan, &a.Source, &a.CreatedAt, &a.Confirmed)...)
	if err != nil {
		return a, err
	}
	a.Plan, err = account.ParsePlan(plan)
	return a, err
}

// byID and byEmail are conditions for findAccount. $1 is the id or the address, $2 the actor as ownerOf returns it.
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

// SetPlan implements account.Changer. No answer of the payment provider is written meanwhile, because
// that takes the lock on current_access, too.
func (s *Accounts) SetPlan(ctx context.Context, id string, plan account.Plan, now time.Time) error {
	return changeAccess(ctx, s.pool, func(tx pgx.Tx) error {
		source := account.SourceOf(plan)
		if source == account.FromProvider {
			switch subscribed, err := isSubscribed(ctx, tx, id); {
			case err != nil:
				return err
			case subscribed:
				return account.ErrSubscribed
			}
		}
		if err := setPlan(ctx, tx, account.Operator(), id, plan, source, now); err != nil || source != account.FromOperator {
			return err
		}
		return tellProvider(ctx, tx, id, billing.SyncAccount{Account: id, Due: now}) // a checkout may be open
	})
}

// setPlan changes the plan of an account, suspends or resumes its keys, and pauses or resumes its
// endpoints. The transaction must have locked current_access.
func setPlan(
	ctx context.Context, tx pgx.Tx, by account.Actor, id string, plan account.Plan, source account.PlanSource, now time.Time,
) error {
	tag, err := tx.Exec(ctx, `UPDATE accounts SET plan = $2, plan_source = $3 WHERE id = $1 AND email IS NOT NULL`,
		uuidOf(id), plan.String(), source)
	if err != nil {
		return fmt.Errorf("changing the plan: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return account.ErrNoAccount
	}
	keys, err := lockKeys(ctx, tx, id)
	if err != nil {
		return err
	}
	if _, err := setActive(ctx, tx, keys, plan); err != nil {
		return err
	}
	if err := pauseOrResumeEndpoints(ctx, tx, id, plan, now); err != nil {
		return err
	}
	return record(ctx, tx, by, id, account.PlanChanged, plan.String(), now)
}

// lockAccount locks an account until the transaction ends, or returns account.ErrNoAccount if the actor
// does not own it.
func lockAccount(ctx context.Context, tx pgx.Tx, by account.Actor, id string) error {
	err := tx.QueryRow(ctx, `SELECT a.id::text FROM accounts a WHERE `+byID+` FOR UPDATE`, uuidOf(id), ownerOf(by)).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return account.ErrNoAccount
	}
	if err != nil {
		return fmt.Errorf("locking the account: %w", explain(err))
	}
	return nil
}
