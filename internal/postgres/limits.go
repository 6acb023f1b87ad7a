package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/limit"
)

// Acts that are counted in limited_acts.
const (
	keyAct       = "key"       // a key was created or rotated
	sendAct      = "send"      // a test or a challenge was sent
	challengeAct = "challenge" // the same challenge, counted over all accounts
)

// limitActs returns a limit.ReachedError if limited_acts has as many rows as the limit allows within its
// period. The parameters of where begin with $3. The caller must hold a lock that concurrent acts of the
// same kind wait for, and write its own row before it releases the lock.
func limitActs(
	ctx context.Context, tx pgx.Tx, l limit.Limit, now time.Time, where string, args ...any,
) error {
	var oldest time.Time
	args = append([]any{now.Add(-l.Within), l.Most - 1}, args...)
	err := tx.QueryRow(ctx, `SELECT at FROM limited_acts WHERE at > $1 AND `+where+` ORDER BY at DESC OFFSET $2 LIMIT 1`, args...).
		Scan(&oldest)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("counting what was done: %w", explain(err))
	}
	return &limit.ReachedError{Limit: l, Until: oldest.Add(l.Within)}
}

// noteAct counts an act. accountID is "" for an act that is counted over all accounts.
func noteAct(ctx context.Context, tx pgx.Tx, accountID, act, host string, now time.Time) error {
	_, err := tx.Exec(ctx, `INSERT INTO limited_acts (account_id, act, host, at) VALUES (nullif($1, '')::uuid, $2, $3, $4)`,
		accountID, act, host, now)
	if err != nil {
		return fmt.Errorf("counting what is done: %w", explain(err))
	}
	return nil
}

// noteKey counts a key that is created or rotated, or returns a limit.ReachedError. The account must be locked.
// The operator's commands are not counted.
func noteKey(ctx context.Context, tx pgx.Tx, by account.Actor, accountID string, now time.Time) error {
	if by.IsOperator() {
		return nil
	}
	err := limitActs(ctx, tx, account.KeyLimit, now, `account_id = $3 AND act = $4`, uuidOf(accountID), keyAct)
	if err != nil {
		return err
	}
	return noteAct(ctx, tx, accountID, keyAct, "", now)
}
