package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// urlHost is the host of an endpoint's URL, which ParseURL has put into canonical form. The index
// endpoints_verified_host has the same expression.
const urlHost = `substring(url from '^[a-z]+://(\[[^]]*\]|[^/:?#]*)')`

// CountSend implements webhook.SendStore. It locks the account, and the host if nobody has verified it,
// so that concurrent sends are counted one after the other.
func (w *Webhooks) CountSend(
	ctx context.Context, by account.Actor, id string, s webhook.Sending,
) (e webhook.Endpoint, err error) {
	err = pgx.BeginTxFunc(ctx, w.pool, readCommitted, func(tx pgx.Tx) error {
		var plan string
		err := tx.QueryRow(ctx, `
			SELECT a.plan FROM endpoints e JOIN accounts a ON a.id = e.account_id
			WHERE e.id = $1 AND ($2::uuid IS NULL OR e.account_id = $2) FOR NO KEY UPDATE OF a`, id, ownerOf(by)).Scan(&plan)
		if errors.Is(err, pgx.ErrNoRows) {
			return webhook.ErrNoEndpoint
		}
		if err != nil {
			return fmt.Errorf("looking for the endpoint's account: %w", explain(err))
		}
		found, err := collect(ctx, tx, scanEndpoint, `SELECT `+endpointColumns+` FROM endpoints WHERE id = $1`, id)
		switch {
		case err != nil:
			return fmt.Errorf("reading the endpoint: %w", err)
		case len(found) == 0: // deleted since
			return webhook.ErrNoEndpoint
		case endpointsOf(plan) == 0:
			return webhook.ErrNotPro
		case s.Sample && found[0].VerifiedAt.IsZero():
			return webhook.ErrNotVerified
		}
		e = found[0]
		if by.IsOperator() {
			return nil
		}
		return countSend(ctx, tx, e, s)
	})
	return e, err
}

// countSend counts what is sent to an endpoint of a locked account, or returns a limit.ReachedError.
func countSend(ctx context.Context, tx pgx.Tx, e webhook.Endpoint, s webhook.Sending) error {
	var host string
	var known bool // somebody has verified an endpoint on it
	err := tx.QueryRow(ctx, `
		SELECT h.host, EXISTS (SELECT FROM endpoints WHERE `+urlHost+` = h.host AND verified_at IS NOT NULL)
		FROM (SELECT `+urlHost+` AS host FROM endpoints WHERE id = $1) h`, e.ID).Scan(&host, &known)
	if err != nil {
		return fmt.Errorf("reading the endpoint's host: %w", err)
	}
	err = limitActs(ctx, tx, webhook.SendLimit, s.Now, `account_id = $3 AND act = $4`, e.Account, sendAct)
	if err != nil {
		return err
	}
	err = limitActs(ctx, tx, webhook.SendHostLimit, s.Now, `account_id = $3 AND act = $4 AND host = $5`, e.Account, sendAct, host)
	if err != nil {
		return err
	}
	if !known {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('palmares challenge ' || $1, 0))`, host); err != nil {
			return fmt.Errorf("waiting for other challenges: %w", err)
		}
		err = limitActs(ctx, tx, webhook.ChallengeLimit, s.Now, `account_id IS NULL AND act = $3 AND host = $4`, challengeAct, host)
		if err != nil {
			return err
		}
		if err := noteAct(ctx, tx, "", challengeAct, host, s.Now); err != nil {
			return err
		}
	}
	return noteAct(ctx, tx, e.Account, sendAct, host, s.Now)
}
