package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/digest"
)

// retryDigest is when a digest is tried again that the mail server has not accepted.
const retryDigest = 10 * time.Minute

// settleDigest ends a claim, as the outcome $3 says.
const settleDigest = `
	UPDATE watchlists SET claim = NULL, claimed_at = NULL, claimed_from = NULL,
	    sent_at = CASE WHEN $3 = 'sent' THEN $4 ELSE sent_at END,
	    refusals = CASE $3 WHEN 'sent' THEN 0 WHEN 'refused' THEN refusals + 1 ELSE refusals END,
	    stopped_at = CASE WHEN $3 = 'refused' AND refusals + 1 >= $5 THEN $4 ELSE stopped_at END,
	    lost = lost + CASE WHEN $3 = 'lost' THEN 1 ELSE 0 END,
	    cursor = CASE WHEN $3 = 'failed' THEN claimed_from ELSE cursor END,
	    pending = CASE WHEN $3 = 'failed' THEN every <> 'never' ELSE pending END,
	    next_at = CASE WHEN $3 = 'failed' THEN $6 ELSE next_at END
	WHERE account_id = $1 AND claim = $2 RETURNING $3 = 'refused' AND stopped_at IS NOT NULL`

// Settle implements digest.Store. It locks the account first, as a deletion does.
func (d *Digests) Settle(ctx context.Context, c digest.Claim, o digest.Outcome, now time.Time) (stopped bool, err error) {
	err = pgx.BeginTxFunc(ctx, d.pool, readCommitted, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT FROM accounts WHERE id = $1 FOR KEY SHARE`, c.Account); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, settleDigest, c.Account, c.Turn, string(o), now, account.DigestRefusals, now.Add(retryDigest)).Scan(&stopped)
		if errors.Is(err, pgx.ErrNoRows) { // the list was deleted, or the database restored
			return nil
		}
		if err != nil || !stopped {
			return err
		}
		return record(ctx, tx, account.ByService(), c.Account, account.DigestStopped, "", now)
	})
	if err != nil {
		return false, fmt.Errorf("noting what became of a digest: %w", explain(err))
	}
	return stopped, nil
}

// Abandon implements digest.Store.
func (d *Digests) Abandon(ctx context.Context, before time.Time) (int, error) {
	return prune(ctx, d.pool, "claims of digests", `
		UPDATE watchlists SET claim = NULL, claimed_at = NULL, claimed_from = NULL, lost = lost + 1 WHERE account_id IN (
			SELECT account_id FROM watchlists WHERE claim IS NOT NULL AND claimed_at < $1 ORDER BY claimed_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
		before, 1000)
}

// Backlog implements digest.Store.
func (d *Digests) Backlog(ctx context.Context, now time.Time) (b digest.Backlog, err error) {
	var since, unread *time.Time
	err = d.pool.QueryRow(ctx, `
		SELECT n.due, n.since, (
		    SELECT e.published_at FROM editions e, digests d WHERE e.last_seq > d.read_to ORDER BY e.last_seq LIMIT 1)
		FROM (SELECT count(*) AS due, min(next_at) AS since FROM (
		    SELECT l.next_at FROM watchlists l JOIN accounts a ON a.id = l.account_id WHERE `+dueLists+` ORDER BY l.next_at LIMIT $2) x) n`,
		now, digest.MaxCounted).Scan(&b.Due, &since, &unread)
	if err != nil {
		return b, fmt.Errorf("counting the digests that are due: %w", explain(err))
	}
	b.Since = fromNull(since)
	if unread != nil && (b.Since.IsZero() || unread.Before(b.Since)) {
		b.Since = unread.UTC()
	}
	return b, nil
}

// PruneWatchlists implements account.Pruner: an older program leaves the lists of accounts that it deletes.
func (s *Accounts) PruneWatchlists(ctx context.Context, before time.Time, limit int) (int, error) {
	return prune(ctx, s.pool, "lists of deleted accounts", `
		DELETE FROM watchlists WHERE account_id IN (
			SELECT l.account_id FROM watchlists l JOIN accounts a ON a.id = l.account_id WHERE a.deleted_at < $1 LIMIT $2)`, before, limit)
}
