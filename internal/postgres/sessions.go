package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/palmares-hq/palmares/internal/account"
)

// Sessions holds the sessions of signed-in browsers for scs: it is a scs.CtxStore. The tokens that it
// gets from scs are hashes. Accounts shows sessions to their owners and ends them.
type Sessions struct {
	pool *pgxpool.Pool
	now  func() time.Time
}

// keepEnded is how long the row of an ended session stays, so that a request under way when the session
// ended cannot store it again. No request takes that long.
const keepEnded = time.Hour

// FindCtx implements scs.CtxStore. It finds no session that has expired or was ended, and none of a
// deleted account. Once a day it stores that the session was seen.
func (s *Sessions) FindCtx(ctx context.Context, token string) (data []byte, found bool, err error) {
	now := s.now()
	var seen time.Time
	err = s.pool.QueryRow(ctx, `
		SELECT s.data, s.seen_on FROM sessions s JOIN accounts a ON a.id = s.account_id
		WHERE s.token_hash = $1 AND s.expires_at > $2 AND s.ended_at IS NULL AND a.email IS NOT NULL`, token, now).Scan(&data, &seen)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("looking for the session: %w", explain(err))
	}
	if today := dayOf(now); seen.Before(today) {
		_, err := s.pool.Exec(ctx, `UPDATE sessions SET seen_on = $2 WHERE token_hash = $1 AND seen_on < $2`, token, today)
		if err != nil {
			return nil, false, fmt.Errorf("noting the use of the session: %w", err)
		}
	}
	return data, true, nil
}

// dayOf returns the day of a time, in UTC.
func dayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// CommitCtx implements scs.CtxStore. The data is JSON with the account's id in account and the
// browser's name in browser. It returns account.ErrNoSession for a session that was ended
// meanwhile, and for an account that does not exist.
func (s *Sessions) CommitCtx(ctx context.Context, token string, data []byte, expires time.Time) error {
	var of struct {
		Account string `json:"account"`
		Browser string `json:"browser"`
	}
	if err := json.Unmarshal(data, &of); err != nil {
		return fmt.Errorf("storing the session: its data is not JSON: %w", err)
	}
	now := s.now()
	var stored int
	err := s.pool.QueryRow(ctx, `
		WITH owner AS (SELECT id FROM accounts WHERE id = $3 AND email IS NOT NULL FOR SHARE),
		stored AS (
			INSERT INTO sessions (id, token_hash, account_id, data, browser, created_at, seen_on, expires_at)
			SELECT $1, $2, owner.id, $4, $5, $6, $8, $7 FROM owner
			ON CONFLICT (token_hash) DO UPDATE SET data = excluded.data, browser = excluded.browser, expires_at = excluded.expires_at
			WHERE sessions.ended_at IS NULL AND sessions.account_id = excluded.account_id
			RETURNING account_id, xmax = 0 AS started),
		recorded AS (
			INSERT INTO activity (account_id, at, action, subject) SELECT account_id, $6, $9, $5 FROM stored WHERE started)
		SELECT count(*) FROM stored`,
		account.NewSessionID(), token, uuidOf(of.Account), data, of.Browser, now, expires, dayOf(now),
		account.SessionStarted).Scan(&stored)
	if err != nil {
		return fmt.Errorf("storing the session: %w", explain(err))
	}
	if stored == 0 {
		return account.ErrNoSession
	}
	return nil
}

// DeleteCtx implements scs.CtxStore. It locks the account before its session, as CommitCtx does, so that
// the two cannot deadlock when they run at the same time.
func (s *Sessions) DeleteCtx(ctx context.Context, token string) error {
	return changeAccess(ctx, s.pool, func(tx pgx.Tx) error {
		var owner string
		err := tx.QueryRow(ctx, `
			SELECT a.id::text FROM sessions s JOIN accounts a ON a.id = s.account_id
			WHERE s.token_hash = $1 AND s.ended_at IS NULL FOR NO KEY UPDATE OF a`, token).Scan(&owner)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("looking for the session: %w", explain(err))
		}
		tag, err := tx.Exec(ctx, endSessions+`WHERE s.token_hash = $3 AND s.ended_at IS NULL`, s.now(), s.now().Add(keepEnded), token)
		if err != nil {
			return fmt.Errorf("ending the session: %w", explain(err))
		}
		if tag.RowsAffected() == 0 {
			return nil
		}
		return noteSessions(ctx, tx, owner)
	})
}

// Find implements scs.Store, which scs does not use where there is a context.
func (s *Sessions) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit implements scs.Store.
func (s *Sessions) Commit(token string, data []byte, expires time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expires)
}

// Delete implements scs.Store.
func (s *Sessions) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }

// Prune deletes up to limit sessions that have expired or were ended keepEnded ago, and returns how many.
func (s *Sessions) Prune(ctx context.Context, limit int) (int, error) {
	tag, err := s.pool.Exec(ctx, `
		DELETE FROM sessions WHERE id IN (
			SELECT id FROM sessions WHERE expires_at < $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)`, s.now(), limit)
	if err != nil {
		return 0, fmt.Errorf("deleting expired sessions: %w", explain(err))
	}
	return int(tag.RowsAffected()), nil
}

// endSessions ends sessions at $1. Their rows stay until $2.
const endSessions = `UPDATE sessions s SET ended_at = $1, expires_at = least(s.expires_at, $2), data = '' `

// noteSessions stores the end of an account's sessions as a change of access, of which nodes are told. If
// the database is then restored from an earlier backup, they know a change that it lacks: see EndRestored.
func noteSessions(ctx context.Context, tx pgx.Tx, accountID string) error {
	if _, err := tx.Exec(ctx, `SELECT note_access_changes(ARRAY[$1::uuid])`, accountID); err != nil {
		return fmt.Errorf("noting the end of sessions: %w", err)
	}
	return nil
}

// Sessions implements account.SessionStore.
func (s *Accounts) Sessions(
	ctx context.Context, by account.Actor, accountID string, now time.Time,
) ([]account.Session, error) {
	if _, err := findAccount(ctx, s.pool, byID, uuidOf(accountID), ownerOf(by)); err != nil {
		return nil, err
	}
	list, err := collect(ctx, s.pool, func(row pgx.CollectableRow) (x account.Session, err error) {
		err = row.Scan(&x.ID, &x.TokenHash, &x.Browser, &x.CreatedAt, &x.SeenOn, &x.ExpiresAt)
		return x, err
	}, `
		SELECT s.id, s.token_hash, s.browser, s.created_at, s.seen_on, s.expires_at FROM sessions s
		WHERE s.account_id = $1 AND ($2::uuid IS NULL OR s.account_id = $2) AND s.expires_at > $3 AND s.ended_at IS NULL
		ORDER BY s.created_at DESC, s.id`, uuidOf(accountID), ownerOf(by), now)
	if err != nil {
		return nil, fmt.Errorf("listing the sessions: %w", err)
	}
	return list, nil
}

// EndSession implements account.SessionStore. It locks the account first, as a deletion does, and as
// strongly as noteSessions needs it.
func (s *Accounts) EndSession(ctx context.Context, by account.Actor, id string, now time.Time) error {
	return changeAccess(ctx, s.pool, func(tx pgx.Tx) error {
		var owner, browser string
		err := tx.QueryRow(ctx, `
			SELECT a.id::text, s.browser FROM sessions s JOIN accounts a ON a.id = s.account_id
			WHERE s.id = $1 AND ($2::uuid IS NULL OR s.account_id = $2) FOR NO KEY UPDATE OF a`, id, ownerOf(by)).Scan(&owner, &browser)
		if errors.Is(err, pgx.ErrNoRows) {
			return account.ErrNoSession
		}
		if err != nil {
			return fmt.Errorf("looking for the session: %w", explain(err))
		}
		tag, err := tx.Exec(ctx, endSessions+`
			WHERE s.id = $3 AND ($4::uuid IS NULL OR s.account_id = $4) AND s.expires_at > $1 AND s.ended_at IS NULL`,
			now, now.Add(keepEnded), id, ownerOf(by))
		if err != nil {
			return fmt.Errorf("ending the session: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return account.ErrNoSession
		}
		if err := noteSessions(ctx, tx, owner); err != nil {
			return err
		}
		return record(ctx, tx, by, owner, account.SessionEnded, browser, now)
	})
}

// EndSessions implements account.SessionStore.
func (s *Accounts) EndSessions(
	ctx context.Context, by account.Actor, accountID, except string, now time.Time,
) (n int, err error) {
	err = changeAccess(ctx, s.pool, func(tx pgx.Tx) error {
		if err := lockAccount(ctx, tx, by, accountID); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, endSessions+`
			WHERE s.account_id = $3 AND ($4::uuid IS NULL OR s.account_id = $4) AND s.id <> $5 AND s.expires_at > $1 AND s.ended_at IS NULL`,
			now, now.Add(keepEnded), uuidOf(accountID), ownerOf(by), except)
		if err != nil {
			return fmt.Errorf("ending the sessions: %w", err)
		}
		if n = int(tag.RowsAffected()); n == 0 {
			return nil
		}
		if err := noteSessions(ctx, tx, accountID); err != nil {
			return err
		}
		return record(ctx, tx, by, accountID, account.SessionEnded, "", now)
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}
