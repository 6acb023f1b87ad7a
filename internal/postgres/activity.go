package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
)

// record logs what an actor did with an account, in the transaction that does it. No entry of a deleted
// account is left: the lock makes either this or a concurrent deletion wait for the other, record writes
// nothing after a deletion, and a deletion erases the log. A caller that locks other rows that a deletion
// locks, such as endpoints, must lock the account before them.
func record(
	ctx context.Context, tx pgx.Tx, by account.Actor, accountID string,
	action account.Action, subject string, now time.Time,
) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO activity (account_id, at, action, subject, by_operator, actor)
		SELECT a.id, $2, $3, $4, $5, $6 FROM accounts a WHERE a.id = $1 AND a.email IS NOT NULL FOR KEY SHARE`,
		uuidOf(accountID), now, action, subject, by.IsOperator(), by.Doer())
	if err != nil {
		return fmt.Errorf("recording what was done: %w", explain(err))
	}
	return nil
}

// activityColumns are the columns that scanActivity reads. A row without an actor is from before there
// was that column, or by an older program, which called the service the operator: for the actions that
// may have been the service's, the actor is "".
const activityColumns = `at, action, subject, coalesce(actor, CASE
	WHEN NOT by_operator THEN 'owner' WHEN action IN ('plan.changed', 'endpoint.disabled') THEN '' ELSE 'operator' END)`

func scanActivity(row pgx.CollectableRow) (a account.Activity, err error) {
	err = row.Scan(&a.At, &a.Action, &a.Subject, &a.By)
	a.At, a.ByOperator = a.At.UTC(), a.By == account.DoneByOperator
	return a, err
}

// prune runs a statement that deletes up to $2 rows from before $1.
func prune(ctx context.Context, q execer, what, sql string, before time.Time, limit int) (int, error) {
	tag, err := q.Exec(ctx, sql, before, limit)
	if err != nil {
		return 0, fmt.Errorf("deleting old %s: %w", what, explain(err))
	}
	return int(tag.RowsAffected()), nil
}

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

// setActive suspends and resumes keys so that exactly those that account.ActiveKeys names work. The keys
// must be those that lockKeys has read. It reports whether any of them changed.
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
