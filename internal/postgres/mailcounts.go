package postgres

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
)

// Send implements account.SignInMailer.
func (s *SignIns) Send(
	ctx context.Context, c account.MailClaim, now time.Time,
) (p account.MailPermit, err error) {
	err = pgx.BeginTxFunc(ctx, s.pool, readCommitted, func(tx pgx.Tx) error {
		if err := lockHashes(ctx, tx, [][]byte{c.Recipient}); err != nil {
			return err
		}
		var sent, expires *time.Time
		var wrong int
		var works bool
		err := tx.QueryRow(ctx, `
			SELECT s.sent_at, s.expires_at, s.limited,
			    (SELECT count(*) FROM (SELECT FROM wrong_codes w WHERE w.address = $2 AND w.at > $3 LIMIT $6) AS w),
			    EXISTS (`+lastMail+` AND m.email = $5)
			FROM sign_ins s WHERE s.id = $1 FOR UPDATE`,
			uuidOf(c.ID), c.Address, now.Add(-account.CodeDay), now, c.Email, account.WrongCodesPerDay).
			Scan(&sent, &expires, &p.Limited, &wrong, &works)
		if err != nil {
			return fmt.Errorf("looking for the sign-in: %w", explain(err))
		}
		p.NoCode = wrong >= account.WrongCodesPerDay
		if sent != nil && expires != nil { // the mail server refused it the last time
			p.ExpiresAt, p.Last = expires.UTC(), expires.Sub(*sent) > account.SignInFor
			return nil
		}
		times, err := mailTimes(ctx, tx, c.Recipient, now)
		if err != nil {
			return err
		}
		// The owner of an account always gets a mail that works: another one is sent if strangers used up
		// the recipient's mails for other addresses, or if the owner has spent the last one.
		if p.Limited = p.Limited || len(times) >= account.MailsPerRecipient && (!c.Known || works); p.Limited {
			return update(ctx, tx, `UPDATE sign_ins SET limited = true, waiting = false WHERE id = $1`, uuidOf(c.ID))
		}
		p.ExpiresAt = now.Add(account.SignInFor)
		if times = append([]time.Time{now}, times...); len(times) >= account.MailsPerRecipient {
			// Another can be sent when the oldest of these leaves the hour.
			if room := times[account.MailsPerRecipient-1].Add(account.MailHour); room.After(p.ExpiresAt) {
				p.ExpiresAt, p.Last = room.UTC(), true
			}
		}
		if err := countMail(ctx, tx, c.Recipient, false, now); err != nil {
			return err
		}
		return update(ctx, tx, `UPDATE sign_ins SET sent_at = $2, expires_at = $3, waiting = false WHERE id = $1`,
			uuidOf(c.ID), now, p.ExpiresAt)
	})
	return p, err
}

// CountEmail implements account.EmailConfirmer.
func (s *Accounts) CountEmail(
	ctx context.Context, change string, recipient []byte, now time.Time,
) (again time.Time, err error) {
	err = pgx.BeginTxFunc(ctx, s.pool, readCommitted, func(tx pgx.Tx) error {
		if err := lockHashes(ctx, tx, [][]byte{recipient}); err != nil {
			return err
		}
		var counted bool
		var released int
		err := tx.QueryRow(ctx, `
			SELECT c.mailed_at IS NOT NULL,
			    (SELECT count(*) FROM sign_ins s WHERE NOT s.known AND s.released_at > $2) +
			    (SELECT count(*) FROM address_mails m WHERE m.change AND m.sent_at > $2)
			FROM email_changes c WHERE c.id = $1 FOR UPDATE OF c`,
			uuidOf(change), now.Add(-rateSecond)).Scan(&counted, &released)
		switch {
		case errors.Is(err, pgx.ErrNoRows): // replaced or cancelled since the mail was written
			return account.ErrNoChange
		case err != nil:
			return fmt.Errorf("looking for the change of address: %w", explain(err))
		case counted: // the mail server refused it the last time
			return nil
		}
		times, err := mailTimes(ctx, tx, recipient, now)
		switch {
		case err != nil:
			return err
		case len(times) >= account.MailsPerRecipient:
			again = times[account.MailsPerRecipient-1].Add(account.MailHour)
			return nil
		case released >= account.NewMailsPerSecond:
			again = now.Add(time.Second)
			return nil
		}
		if err := countMail(ctx, tx, recipient, true, now); err != nil {
			return err
		}
		return update(ctx, tx, `UPDATE email_changes SET mailed_at = $2 WHERE id = $1`, uuidOf(change), now)
	})
	return again, err
}

func update(ctx context.Context, tx pgx.Tx, sql string, args ...any) error {
	if _, err := tx.Exec(ctx, sql, args...); err != nil {
		return fmt.Errorf("noting what became of a mail: %w", err)
	}
	return nil
}

// mailTimes returns when the last mails to a recipient were sent within the hour, the latest first.
func mailTimes(ctx context.Context, tx pgx.Tx, recipient []byte, now time.Time) ([]time.Time, error) {
	times, err := collect(ctx, tx, pgx.RowTo[time.Time], `
		SELECT m.sent_at FROM address_mails m WHERE m.recipient = $1 AND m.sent_at > $2 ORDER BY m.sent_at DESC LIMIT $3`,
		recipient, now.Add(-account.MailHour), account.MailsPerRecipient)
	if err != nil {
		return nil, fmt.Errorf("counting the mails of a recipient: %w", explain(err))
	}
	return times, nil
}

func countMail(ctx context.Context, tx pgx.Tx, recipient []byte, change bool, now time.Time) error {
	return update(ctx, tx, `INSERT INTO address_mails (recipient, sent_at, change) VALUES ($1, $2, $3)`, recipient, now, change)
}

// lockHashes locks the subjects with these hashes, in the order given: other transactions that count one
// of them wait until this one ends.
func lockHashes(ctx context.Context, tx pgx.Tx, hashes [][]byte) error {
	for _, h := range hashes {
		key := int64(binary.BigEndian.Uint64(h)) //nolint:gosec // any number will do
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, key); err != nil {
			return fmt.Errorf("waiting for others who count: %w", err)
		}
	}
	return nil
}

// PruneCounts implements account.SignInStore.
func (s *SignIns) PruneCounts(ctx context.Context, hour, day time.Time) error {
	for sql, before := range map[string]time.Time{
		`DELETE FROM address_mails WHERE sent_at < $1`: hour,
		`DELETE FROM wrong_codes WHERE at < $1`:        day,
		`DELETE FROM sign_ups WHERE at < $1`:           day,
	} {
		if _, err := s.pool.Exec(ctx, sql, before); err != nil {
			return fmt.Errorf("deleting old counts: %w", explain(err))
		}
	}
	return nil
}
