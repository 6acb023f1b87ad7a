package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/palmares-hq/palmares/internal/account"
)

// SignIns holds requests for sign-in mails and the operator's links. There is no actor yet who could own
// them: the token or the code, with the browser's cookie, proves who the owner is.
type SignIns struct{ pool *pgxpool.Pool }

// Ask implements account.SignInMaker.
func (s *SignIns) Ask(ctx context.Context, in account.SignIn) error {
	_, err := s.pool.Exec(ctx, `
		INSERT INTO sign_ins (id, email, language, token_hash, code_hash, browser_hash, recipient, net48, net56, net64,
		    limited, waiting, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, false, true, $11)`,
		in.ID, in.Email, string(in.Language), in.TokenHash[:], in.CodeHash, in.Browser, in.Recipient,
		in.Networks[0], in.Networks[1], in.Networks[2], in.CreatedAt)
	if err != nil {
		return fmt.Errorf("storing the request for a sign-in: %w", explain(err))
	}
	return nil
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
	s.limited, s.tries, s.created_at, s.released_at, s.sent_at, s.expires_at, s.spent_at`

// signInFields returns where to scan signInColumns. done completes the sign-in after the scan.
func signInFields(in *account.SignIn) (fields []any, done func()) {
	var (
		language                       string
		token                          []byte
		released, sent, expires, spent *time.Time
	)
	fields = []any{
		&in.ID, &in.Email, &language, &token, &in.CodeHash, &in.Browser, &in.Limited, &in.Tries, &in.CreatedAt,
		&released, &sent, &expires, &spent,
	}
	return fields, func() {
		in.Language, in.SentAt, in.SpentAt = account.Language(language), fromNull(sent), fromNull(spent)
		in.Released, in.ExpiresAt = fromNull(released), fromNull(expires)
		if expires == nil { // a link of the operator, or a row of an older program
			in.ExpiresAt = in.CreatedAt.Add(account.SignInFor)
		}
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

// lastMail finds the mails whose link and code work at the time $4.
const lastMail = `SELECT m.id FROM sign_ins m
	WHERE m.sent_at IS NOT NULL AND m.browser_hash IS NOT NULL AND m.spent_at IS NULL AND m.expires_at > $4`
