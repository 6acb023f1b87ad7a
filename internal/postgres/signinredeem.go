package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
)

// Redeem implements account.SignInRedeemer. If several calls claim a sign-in at once, the first locks
// and spends it, and the others no longer find it.
func (s *SignIns) Redeem(
	ctx context.Context, c account.Claim, now time.Time, decide func([]account.SignIn) account.Redemption,
) (a account.Account, err error) {
	var refused error
	err = pgx.BeginTxFunc(ctx, s.pool, readCommitted, func(tx pgx.Tx) error {
		found, err := lockClaimed(ctx, tx, c, now)
		if err != nil {
			return fmt.Errorf("looking for the sign-in: %w", explain(err))
		}
		if c.Address != nil {
			if err := countWrongCodes(ctx, tx, c.Address, found, now); err != nil {
				return err
			}
		}
		r := decide(found)
		if len(r.Missed) > 0 {
			if err := miss(ctx, tx, c.Address, r.Missed, now); err != nil {
				return err
			}
		}
		if len(r.Spend) == 0 {
			refused = r.Err
			return nil // what was counted stays
		}
		var email, language string
		var mailed bool
		err = tx.QueryRow(ctx, `
			WITH spent AS (UPDATE sign_ins SET spent_at = $2, waiting = false WHERE id = ANY($1::uuid[]) RETURNING id, email, language, code_hash)
			SELECT email, language, code_hash IS NOT NULL FROM spent WHERE id = $3`, r.Spend, now, uuidOf(r.Spend[0])).Scan(&email, &language, &mailed)
		if err != nil {
			return fmt.Errorf("spending the sign-in: %w", err)
		}
		if a, err = findOrCreate(ctx, tx, newcomer{email, language, c.Networks, r.Create}, now); err != nil || !mailed || a.Confirmed {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE accounts SET confirmed = true WHERE id = $1 AND email = $2`, a.ID, email)
		a.Confirmed = err == nil
		return err
	})
	return a, errors.Join(err, refused)
}

// lockClaimed locks the sign-ins of a claim, always in the same order.
func lockClaimed(ctx context.Context, tx pgx.Tx, c account.Claim, now time.Time) ([]account.SignIn, error) {
	var token []byte
	if c.Token != nil {
		token = c.Token[:]
	}
	return collect(ctx, tx, func(row pgx.CollectableRow) (in account.SignIn, err error) {
		fields, done := signInFields(&in)
		err = row.Scan(fields...)
		done()
		return in, err
	}, `
		WITH asked AS (
			SELECT s.id, s.email, s.limited FROM sign_ins s
			WHERE s.browser_hash = ANY($2) AND s.browser_hash IS NOT NULL AND s.created_at > $3 AND s.spent_at IS NULL),
		last AS (
			SELECT (`+lastMail+` AND m.email = a.email ORDER BY m.sent_at DESC LIMIT 1) AS id
			FROM (SELECT DISTINCT email FROM asked WHERE limited) AS a)
		SELECT `+signInColumns+` FROM sign_ins s
		WHERE s.id IN (
			SELECT id FROM asked UNION ALL SELECT id FROM last UNION ALL SELECT id FROM sign_ins WHERE token_hash = $1)
		    AND s.spent_at IS NULL
		ORDER BY s.id FOR UPDATE`, token, c.Browsers, now.Add(-account.KeepSignIns), now)
}

// countWrongCodes sets the WrongCodes of sign-ins to the number of wrong codes for their address. It
// locks these numbers until the transaction ends.
func countWrongCodes(
	ctx context.Context, tx pgx.Tx, address func(string) []byte, found []account.SignIn, now time.Time,
) error {
	all := addressesOf(found, address)
	if err := lockHashes(ctx, tx, all); err != nil {
		return err
	}
	counts := make(map[string]int)
	_, err := collect(ctx, tx, func(row pgx.CollectableRow) (struct{}, error) {
		var hash []byte
		var n int
		err := row.Scan(&hash, &n)
		counts[string(hash)] = n
		return struct{}{}, err
	}, `SELECT w.address, count(*) FROM wrong_codes w WHERE w.address = ANY($1) AND w.at > $2 GROUP BY 1`, all, now.Add(-account.CodeDay))
	if err != nil {
		return fmt.Errorf("counting wrong codes: %w", explain(err))
	}
	for i := range found {
		found[i].WrongCodes = counts[string(address(found[i].Email))]
	}
	return nil
}

// miss counts a wrong code, for sign-ins and once for each of their addresses.
func miss(
	ctx context.Context, tx pgx.Tx, address func(string) []byte, missed []account.SignIn, now time.Time,
) error {
	ids := make([]string, 0, len(missed))
	for _, in := range missed {
		ids = append(ids, in.ID)
	}
	_, err := tx.Exec(ctx, `
		WITH counted AS (INSERT INTO wrong_codes (address, at) SELECT a, $3::timestamptz FROM unnest($2::bytea[]) AS a)
		UPDATE sign_ins SET tries = tries + 1 WHERE id = ANY($1::uuid[])`, ids, addressesOf(missed, address), now)
	if err != nil {
		return fmt.Errorf("counting a wrong code: %w", err)
	}
	return nil
}

// addressesOf returns the pseudonyms of the addresses of sign-ins, sorted and each once.
func addressesOf(all []account.SignIn, address func(string) []byte) [][]byte {
	hashes := make([][]byte, 0, len(all))
	for _, in := range all {
		hashes = append(hashes, address(in.Email))
	}
	slices.SortFunc(hashes, bytes.Compare)
	return slices.CompactFunc(hashes, bytes.Equal)
}

// A newcomer is somebody who signs in, and may have no account yet.
type newcomer struct {
	email, language string
	networks        []account.NetworkLimit
	create          bool // the account may be created
}

// findOrCreate returns the account of an address. Without one it creates it, or returns
// ErrNoSignIn if it may not, or ErrTooManyAccounts.
func findOrCreate(ctx context.Context, tx pgx.Tx, who newcomer, now time.Time) (account.Account, error) {
	service := ownerOf(account.Operator())
	a, err := findAccount(ctx, tx, byEmail, who.email, service)
	if !errors.Is(err, account.ErrNoAccount) {
		return a, err
	}
	if !who.create {
		return a, account.ErrNoSignIn
	}
	if err := countSignUp(ctx, tx, who.networks, now); err != nil {
		return a, err
	}
	tag, err := tx.Exec(ctx, `
		INSERT INTO accounts (email, plan, language, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT (email) DO NOTHING`,
		who.email, account.Developer.String(), who.language, now)
	if err != nil {
		return a, fmt.Errorf("creating the account: %w", err)
	}
	a, err = findAccount(ctx, tx, byEmail, who.email, service)
	if err != nil || tag.RowsAffected() == 0 {
		return a, err
	}
	return a, record(ctx, tx, account.ByAccount(a.ID), a.ID, account.AccountCreated, a.Plan.String(), now)
}

// countSignUp counts a new account with its networks, or returns ErrTooManyAccounts.
func countSignUp(ctx context.Context, tx pgx.Tx, networks []account.NetworkLimit, now time.Time) error {
	hashes := make([][]byte, 0, len(networks))
	for _, n := range networks {
		hashes = append(hashes, n.Network)
	}
	if err := lockHashes(ctx, tx, hashes); err != nil { // always the widest first, which avoids deadlocks
		return err
	}
	for _, n := range networks {
		var full bool
		err := tx.QueryRow(ctx, `
			SELECT count(*) >= $3 FROM (SELECT FROM sign_ups u WHERE u.network = $1 AND u.at > $2 LIMIT $3) AS made`,
			n.Network, now.Add(-account.SignUpDay), n.Limit).Scan(&full)
		if err != nil {
			return fmt.Errorf("counting new accounts: %w", explain(err))
		}
		if full {
			return account.ErrTooManyAccounts
		}
	}
	if _, err := tx.Exec(ctx, `INSERT INTO sign_ups (network, at) SELECT n, $2::timestamptz FROM unnest($1::bytea[]) AS n`, hashes, now); err != nil {
		return fmt.Errorf("counting a new account: %w", err)
	}
	return nil
}

// PruneSignIns implements account.SignInStore.
func (s *SignIns) PruneSignIns(ctx context.Context, before time.Time, limit int) (n, waiting int, err error) {
	err = s.pool.QueryRow(ctx, `
		WITH old AS (
			DELETE FROM sign_ins WHERE id IN (
				SELECT id FROM sign_ins WHERE created_at < $1 ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)
			RETURNING waiting)
		SELECT count(*), count(*) FILTER (WHERE waiting) FROM old`, before, limit).Scan(&n, &waiting)
	if err != nil {
		return 0, 0, fmt.Errorf("deleting old sign-ins: %w", explain(err))
	}
	return n, waiting, nil
}
