package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
)

// AskEmail implements account.EmailAsker. It runs the same statements whether or not another account
// has the address: the job that sends the mail checks that.
func (s *Accounts) AskEmail(
	ctx context.Context, by account.Actor, accountID string, c account.ChangeRequest, since, now time.Time,
) error {
	return s.changeOwn(ctx, by, accountID, func(tx pgx.Tx) error {
		var same bool
		var asked int
		err := tx.QueryRow(ctx, `
			SELECT a.email = $2, (SELECT count(*) FROM activity t WHERE t.account_id = a.id AND t.action = $3 AND t.at > $4)
			FROM accounts a WHERE a.id = $1`, accountID, c.Email, account.EmailAsked, since).Scan(&same, &asked)
		switch {
		case err != nil:
			return fmt.Errorf("reading the account: %w", err)
		case same:
			return account.ErrSameEmail
		case asked >= account.MaxChangesAsked:
			return account.ErrTooManyAsked
		}
		_, err = tx.Exec(ctx, `
			INSERT INTO email_changes (id, account_id, email, old_token_hash, new_token_hash, created_at) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (account_id) DO UPDATE SET id = excluded.id, email = excluded.email, old_token_hash = excluded.old_token_hash,
			    new_token_hash = excluded.new_token_hash, old_confirmed_at = NULL, new_confirmed_at = NULL, mailed_at = NULL,
			    created_at = excluded.created_at`,
			c.ID, accountID, c.Email, c.OldHash, c.NewHash, now)
		if err != nil {
			return fmt.Errorf("storing the change of address: %w", err)
		}
		err = insertJobs(ctx, tx, []river.InsertManyParams{
			{Args: account.MailChange{Change: c.ID, Mailbox: account.OldMailbox}},
			{Args: account.MailChange{Change: c.ID, Mailbox: account.NewMailbox}},
		})
		if err != nil {
			return err
		}
		return record(ctx, tx, by, accountID, account.EmailAsked, "", now)
	})
}

const changeColumns = `c.email, c.old_confirmed_at IS NOT NULL, c.new_confirmed_at IS NOT NULL, c.created_at`

func scanChange(row pgx.CollectableRow) (c account.EmailChange, err error) {
	err = row.Scan(&c.Email, &c.OldConfirmed, &c.NewConfirmed, &c.AskedAt)
	c.AskedAt = c.AskedAt.UTC()
	c.ExpiresAt = c.AskedAt.Add(account.ChangeFor)
	return c, err
}

// PendingEmail implements account.EmailAsker.
func (s *Accounts) PendingEmail(
	ctx context.Context, by account.Actor, accountID string, after time.Time,
) (account.EmailChange, error) {
	if _, err := s.Get(ctx, by, accountID); err != nil {
		return account.EmailChange{}, err
	}
	found, err := collect(ctx, s.pool, scanChange, `
		SELECT `+changeColumns+` FROM email_changes c
		WHERE c.account_id = $1 AND c.created_at > $2 AND ($3::uuid IS NULL OR c.account_id = $3)`, uuidOf(accountID), after, ownerOf(by))
	if err != nil {
		return account.EmailChange{}, fmt.Errorf("looking for the change of address: %w", explain(err))
	}
	if len(found) == 0 {
		return account.EmailChange{}, account.ErrNoChange
	}
	return found[0], nil
}

// CancelEmail implements account.EmailAsker.
func (s *Accounts) CancelEmail(
	ctx context.Context, by account.Actor, accountID string, after, now time.Time,
) error {
	return s.changeOwn(ctx, by, accountID, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `DELETE FROM email_changes WHERE account_id = $1 AND created_at > $2`, accountID, after)
		if err != nil {
			return fmt.Errorf("cancelling the change of address: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return account.ErrNoChange
		}
		return record(ctx, tx, by, accountID, account.EmailCancelled, "", now)
	})
}

// EmailToSend implements account.EmailConfirmer.
func (s *Accounts) EmailToSend(ctx context.Context, job account.MailChange) (account.StoredChange, error) {
	var l account.StoredChange
	err := s.pool.QueryRow(ctx, `
		SELECT CASE WHEN $2 THEN c.email ELSE a.email END, c.email, a.language,
		    CASE WHEN $2 THEN c.new_token_hash ELSE c.old_token_hash END,
		    $2 AND EXISTS (SELECT FROM accounts o WHERE o.email = c.email), c.created_at
		FROM email_changes c JOIN accounts a ON a.id = c.account_id
		WHERE c.id = $1 AND a.email IS NOT NULL`, uuidOf(job.Change), job.Mailbox == account.NewMailbox).
		Scan(&l.To, &l.NewEmail, &l.Language, &l.TokenHash, &l.Taken, &l.AskedAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return l, account.ErrNoChange
	}
	if err != nil {
		return l, fmt.Errorf("reading the change of address: %w", explain(err))
	}
	return l, nil
}

// ConfirmEmail implements account.EmailConfirmer. It locks the account before the change, as a
// deletion does.
func (s *Accounts) ConfirmEmail(
	ctx context.Context, hash []byte, after, now time.Time,
) (c account.EmailChange, err error) {
	var taken bool
	err = pgx.BeginTxFunc(ctx, s.pool, readCommitted, func(tx pgx.Tx) error {
		var id string
		err := tx.QueryRow(ctx, `
			SELECT a.id::text FROM accounts a
			WHERE a.id = (SELECT account_id FROM email_changes WHERE old_token_hash = $1 OR new_token_hash = $1) FOR UPDATE`, hash).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return account.ErrNoChange
		}
		if err != nil {
			return fmt.Errorf("locking the account: %w", explain(err))
		}
		found, err := collect(ctx, tx, scanChange, `
			UPDATE email_changes AS c SET
			    old_confirmed_at = CASE WHEN old_token_hash = $1 THEN coalesce(old_confirmed_at, $3) ELSE old_confirmed_at END,
			    new_confirmed_at = CASE WHEN new_token_hash = $1 THEN coalesce(new_confirmed_at, $3) ELSE new_confirmed_at END
			WHERE account_id = $2 AND (old_token_hash = $1 OR new_token_hash = $1) AND created_at > $4
			RETURNING `+changeColumns, hash, id, now, after)
		if err != nil {
			return fmt.Errorf("confirming the change of address: %w", err)
		}
		if len(found) == 0 {
			return account.ErrNoChange
		}
		if c = found[0]; !c.Done() {
			return nil
		}
		err = setEmail(ctx, tx, account.ByAccount(id), id, c.Email, now)
		if taken = errors.Is(err, account.ErrEmailTaken); taken {
			_, err = tx.Exec(ctx, `DELETE FROM email_changes WHERE account_id = $1`, id)
		}
		return err
	})
	switch {
	case err != nil:
		return account.EmailChange{}, err
	case taken:
		return account.EmailChange{}, account.ErrEmailTaken
	}
	return c, nil
}

// PruneEmailChanges implements account.Pruner.
func (s *Accounts) PruneEmailChanges(ctx context.Context, before time.Time, limit int) (int, error) {
	return prune(ctx, s.pool, "changes of address", `
		DELETE FROM email_changes WHERE id IN (SELECT id FROM email_changes WHERE created_at < $1 LIMIT $2) AND created_at < $1`, before, limit)
}
