package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
)

// SignIns holds requests for sign-in mails and the operator's links. The account that signs in is
// not known yet: whoever has the token or the code, and the browser's cookie, is its owner.
type SignIns struct{ pool *pgxpool.Pool }

// mailAttempts is more than there is time for: the job itself gives up when the mail would be too
// late.
const mailAttempts = 100

// Ask implements account.SignInMaker.
func (s *SignIns) Ask(ctx context.Context, in account.SignIn) error {
	return pgx.BeginTxFunc(ctx, s.pool, readCommitted, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			INSERT INTO sign_ins (id, email, language, token_hash, code_hash, browser_hash, limited, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
			in.ID, in.Email, string(in.Language), in.TokenHash[:], in.CodeHash, in.Browser, in.Limited, in.CreatedAt)
		if err != nil {
			return fmt.Errorf("storing the request for a sign-in: %w", explain(err))
		}
		return insertJobs(ctx, tx, []river.InsertManyParams{{
			Args:       account.SendSignIn{ID: in.ID},
			InsertOpts: &river.InsertOpts{Queue: account.MailQueue, MaxAttempts: mailAttempts},
		}})
	})
}

// Link implements account.SignInMaker.
func (s *SignIns) Link(ctx context.Context, by account.Actor, in account.SignIn) error {
	tag, err := s.pool.Exec(ctx, `
		INSERT INTO sign_ins (id, email, language, token_hash, limited, created_at, sent_at)
		SELECT $1, a.email, a.language, $3, false, $4, $5 FROM accounts a WHERE a.email = $2 AND ($6::uuid IS NULL OR a.id = $6)`,
		in.ID, in.Email, in.TokenHash[:], in.CreatedAt, toNull(in.SentAt), ownerOf(by))
	if err != nil {
		return fmt.Errorf("storing the link: %w", explain(err))
	}
	if tag.RowsAffected() == 0 {
		return account.ErrNoAccount
	}
	return nil
}

const signInColumns = `s.id::text, s.email, s.language, s.token_hash, s.code_hash, s.browser_hash,
	s.limited, s.tries, s.created_at, s.sent_at, s.spent_at`

// signInFields are where to scan the columns of a sign-in; done completes it.
func signInFields(in *account.SignIn) (fields []any, done func()) {
	var (
		language    string
		token       []byte
		sent, spent *time.Time
	)
	fields = []any{
		&in.ID, &in.Email, &language, &token, &in.CodeHash, &in.Browser, &in.Limited, &in.Tries, &in.CreatedAt, &sent, &spent,
	}
	return fields, func() {
		in.Language, in.SentAt, in.SpentAt = account.Language(language), fromNull(sent), fromNull(spent)
		copy(in.TokenHash[:], token)
	}
}

// SignIn implements account.SignInMailer.
func (s *SignIns) SignIn(ctx context.Context, id string) (in account.SignIn, known bool, err error) {
	fields, done := signInFields(&in)
	err = s.pool.QueryRow(ctx, `
		SELECT `+signInColumns+`, EXISTS (SELECT FROM accounts a WHERE a.email = s.email)
		FROM sign_ins s WHERE s.id = $1`, uuidOf(id)).Scan(append(fields, &known)...)
	if errors.Is(err, pgx.ErrNoRows) {
		return in, false, account.ErrNoSignIn
	}
	if err != nil {
		return in, false, fmt.Errorf("looking for the sign-in: %w", explain(err))
	}
	done()
	return in, known, nil
}

// MarkSent implements account.SignInMailer.
func (s *SignIns) MarkSent(ctx context.Context, id string, now time.Time) error {
	_, err := s.pool.Exec(ctx, `UPDATE sign_ins SET sent_at = $2 WHERE id = $1 AND sent_at IS NULL`, uuidOf(id), now)
	if err != nil {
		return fmt.Errorf("noting that the mail of a sign-in is sent: %w", err)
	}
	return nil
}

// Redeem implements account.SignInRedeemer. Of several that claim one sign-in at once, the first
// locks it, and the others no longer find it.
func (s *SignIns) Redeem(
	ctx context.Context, c account.Claim, now time.Time, decide func([]account.SignIn) account.Redemption,
) (a account.Account, err error) {
	var refused error
	err = pgx.BeginTxFunc(ctx, s.pool, readCommitted, func(tx pgx.Tx) error {
		found, err := lockClaimed(ctx, tx, c)
		if err != nil {
			return fmt.Errorf("looking for the sign-in: %w", explain(err))
		}
		r := decide(found)
		if len(r.Missed) > 0 {
			if _, err := tx.Exec(ctx, `UPDATE sign_ins SET tries = tries + 1 WHERE id = ANY($1::uuid[])`, r.Missed); err != nil {
				return fmt.Errorf("counting a wrong code: %w", err)
			}
		}
		if r.Spend == "" {
			refused = r.Err
			return nil // what was counted stays
		}
		var email, language string
		err = tx.QueryRow(ctx, `UPDATE sign_ins SET spent_at = $2 WHERE id = $1 RETURNING email, language`,
			uuidOf(r.Spend), now).Scan(&email, &language)
		if err != nil {
			return fmt.Errorf("spending the sign-in: %w", err)
		}
		a, err = findOrCreate(ctx, tx, email, language, now, r.Create)
		return err
	})
	return a, errors.Join(err, refused)
}

// lockClaimed locks the sign-ins of a claim, always in the same order.
func lockClaimed(ctx context.Context, tx pgx.Tx, c account.Claim) ([]account.SignIn, error) {
	which, hash := `s.token_hash = $1`, any(c.Token[:])
	if c.Browsers != nil {
		which, hash = `s.browser_hash = ANY($1) AND s.browser_hash IS NOT NULL`, c.Browsers
	}
	return collect(ctx, tx, func(row pgx.CollectableRow) (in account.SignIn, err error) {
		fields, done := signInFields(&in)
		err = row.Scan(fields...)
		done()
		return in, err
	}, `
		SELECT `+signInColumns+` FROM sign_ins s
		WHERE `+which+` AND s.created_at > $2 AND s.sent_at IS NOT NULL AND s.spent_at IS NULL AND s.tries < $3
		ORDER BY s.id FOR UPDATE`, hash, c.After, account.CodeTries)
}

// findOrCreate returns the account of an address. Without one it creates it, or returns
// ErrNoSignIn if it may not.
func findOrCreate(
	ctx context.Context, tx pgx.Tx, email, language string, now time.Time, create bool,
) (account.Account, error) {
	service := ownerOf(account.Operator())
	a, err := findAccount(ctx, tx, byEmail, email, service)
	if !errors.Is(err, account.ErrNoAccount) {
		return a, err
	}
	if !create {
		return a, account.ErrNoSignIn
	}
	tag, err := tx.Exec(ctx, `
		INSERT INTO accounts (email, plan, language, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT (email) DO NOTHING`,
		email, account.Developer.String(), language, now)
	if err != nil {
		return a, fmt.Errorf("creating the account: %w", err)
	}
	a, err = findAccount(ctx, tx, byEmail, email, service)
	if err != nil || tag.RowsAffected() == 0 {
		return a, err
	}
	return a, record(ctx, tx, account.ByAccount(a.ID), a.ID, account.AccountCreated, a.Plan.String(), now)
}

// PruneSignIns implements account.SignInStore.
func (s *SignIns) PruneSignIns(ctx context.Context, before time.Time, limit int) (int, error) {
	tag, err := s.pool.Exec(ctx, `
		DELETE FROM sign_ins WHERE id IN (
			SELECT id FROM sign_ins WHERE created_at < $1 ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)`, before, limit)
	if err != nil {
		return 0, fmt.Errorf("deleting old sign-ins: %w", explain(err))
	}
	return int(tag.RowsAffected()), nil
}
