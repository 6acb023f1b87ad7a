package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
)

// SetLanguage implements account.Preferences.
func (s *Accounts) SetLanguage(
	ctx context.Context, by account.Actor, id string, l account.Language, now time.Time,
) error {
	return s.changeOwn(ctx, by, id, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE accounts SET language = $2 WHERE id = $1`, id, l); err != nil {
			return fmt.Errorf("setting the language: %w", err)
		}
		if err := tellProvider(ctx, tx, id, billing.UpdateCustomer{Account: id}); err != nil { // invoices are written in it
			return err
		}
		return record(ctx, tx, by, id, account.LanguageChanged, string(l), now)
	})
}

// SetSwitch implements account.Preferences. It writes the column of that switch alone: the others may be changed by
// another tab at the same time.
func (s *Accounts) SetSwitch(
	ctx context.Context, by account.Actor, id string, name account.Switch, on bool, now time.Time,
) error {
	if !slices.Contains(account.Switches(), name) {
		return fmt.Errorf("there is no setting %q that is on or off", name)
	}
	column := string(name)
	return s.changeOwn(ctx, by, id, func(tx pgx.Tx) error {
		changed, err := tx.Exec(ctx, `UPDATE accounts SET `+column+` = $2 WHERE id = $1 AND `+column+` <> $2`, id, on)
		if err != nil {
			return fmt.Errorf("setting %s: %w", name, err)
		}
		if changed.RowsAffected() == 0 {
			return nil
		}
		return record(ctx, tx, by, id, name.Action(), "", now)
	})
}

// SetEmail implements account.Changer.
func (s *Accounts) SetEmail(
	ctx context.Context, by account.Actor, id, email string, now time.Time,
) error {
	return s.changeOwn(ctx, by, id, func(tx pgx.Tx) error { return setEmail(ctx, tx, by, id, email, now) })
}

// changeOwn locks an actor's account and changes it. The lock is the strongest that a change of the
// row needs, because a stronger one taken later could deadlock.
func (s *Accounts) changeOwn(
	ctx context.Context, by account.Actor, id string, change func(tx pgx.Tx) error,
) error {
	return pgx.BeginTxFunc(ctx, s.pool, readCommitted, func(tx pgx.Tx) error {
		if err := lockAccount(ctx, tx, by, id); err != nil {
			return err
		}
		return change(tx)
	})
}

// setEmail gives a locked account another address, which is confirmed unless the operator typed it, and
// ends its pending change of address. After ErrEmailTaken the transaction can still go on.
func setEmail(
	ctx context.Context, tx pgx.Tx, by account.Actor, id, email string, now time.Time,
) error {
	err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE accounts SET email = $2, confirmed = $3 WHERE id = $1`, id, email, !by.IsOperator())
		return err
	})
	if isViolation(err, uniqueViolation) {
		return account.ErrEmailTaken
	}
	if err != nil {
		return fmt.Errorf("changing the e-mail address: %w", err)
	}
	if _, err := tx.Exec(ctx, `DELETE FROM email_changes WHERE account_id = $1`, id); err != nil {
		return fmt.Errorf("ending the change of address: %w", err)
	}
	if err := tellProvider(ctx, tx, id, billing.UpdateCustomer{Account: id}); err != nil {
		return err
	}
	return record(ctx, tx, by, id, account.EmailChanged, "", now)
}
