package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// EnableEndpoint implements webhook.StateStore.
func (w *Webhooks) EnableEndpoint(
	ctx context.Context, by account.Actor, id string, r webhook.Replay,
) (missed webhook.Missed, err error) {
	verified := false
	c := change{by, id, account.EndpointEnabled, r.Now}
	err = w.changeState(ctx, c, func(tx pgx.Tx, state webhook.State, plan string) (bool, error) {
		err := tx.QueryRow(ctx, `SELECT verified_at IS NOT NULL FROM endpoints WHERE id = $1`, id).Scan(&verified)
		switch {
		case err != nil:
			return false, fmt.Errorf("reading the endpoint: %w", err)
		case state == webhook.Active:
			missed.From = 1 // an empty range: To is 0
			return false, nil
		case endpointsOf(plan) == 0:
			return false, webhook.ErrNotPro
		case !verified:
			return false, deactivate(ctx, tx, id, webhook.Unverified, webhook.Reason{Code: webhook.NotVerified}, r.Now)
		}
		if missed, err = readMissed(ctx, tx, by, id, r.Oldest); err != nil {
			return false, err
		}
		return true, activateEndpoint(ctx, tx, id, r.Now)
	})
	if err == nil && !verified {
		err = webhook.ErrNotVerified
	}
	return missed, err
}

// VerifyEndpoint implements webhook.StateStore.
func (w *Webhooks) VerifyEndpoint(
	ctx context.Context, by account.Actor, id string, now time.Time,
) error {
	c := change{by, id, account.EndpointVerified, now}
	return w.changeState(ctx, c, func(tx pgx.Tx, state webhook.State, plan string) (bool, error) {
		if endpointsOf(plan) == 0 {
			return false, webhook.ErrNotPro
		}
		if _, err := tx.Exec(ctx, `UPDATE endpoints SET verified_at = $2 WHERE id = $1`, id, now); err != nil {
			return false, fmt.Errorf("verifying the endpoint: %w", err)
		}
		if state == webhook.Active {
			return true, nil
		}
		return true, activateEndpoint(ctx, tx, id, now)
	})
}

// DisableEndpoint implements webhook.StateStore.
func (w *Webhooks) DisableEndpoint(
	ctx context.Context, by account.Actor, id string, reason webhook.Reason, now time.Time,
) error {
	c := change{by, id, account.EndpointDisabled, now}
	return w.changeState(ctx, c, func(tx pgx.Tx, _ webhook.State, _ string) (bool, error) {
		return true, deactivate(ctx, tx, id, webhook.Disabled, reason, now)
	})
}

// changeState is change.run, but it also locks the endpoint and passes its state to do.
func (w *Webhooks) changeState(
	ctx context.Context, c change, do func(tx pgx.Tx, state webhook.State, plan string) (bool, error),
) error {
	return c.run(ctx, w.pool, func(tx pgx.Tx, plan string) (bool, error) {
		state, err := lockEndpoint(ctx, tx, c.by, c.endpoint)
		if err != nil {
			return false, err
		}
		return do(tx, state, plan)
	})
}

// activateEndpoint makes a locked endpoint active.
func activateEndpoint(ctx context.Context, tx pgx.Tx, id string, now time.Time) error {
	if _, err := tx.Exec(ctx, activate+`id = $1`, id, now); err != nil {
		return fmt.Errorf("activating the endpoint: %w", err)
	}
	return nil
}

// Statements that change the state of endpoints, to be completed by a condition. $2 is until when no
// job may claim the endpoint, and $4 to $6 are the reason of the new state $3. Both end the claim that a
// job may have, which makes the job stop.
const (
	activate = `UPDATE endpoints SET state = 'active', cursor = ` + endOfLog + `, saturated = false, failing_since = NULL,
		claim = claim + 1, reason = '', reason_code = NULL, reason_detail = NULL, claimed_until = $2 WHERE `
	leaveActive = `UPDATE endpoints SET state = $3, due_at = NULL, saturated = false,
		claim = claim + 1, reason = $4, reason_code = nullif($5, ''), reason_detail = nullif($6, ''), claimed_until = $2 WHERE `
)

// deactivate moves a locked endpoint to a state in which nothing is delivered to it, and ends its pending deliveries.
func deactivate(
	ctx context.Context, tx pgx.Tx, id string, state webhook.State, reason webhook.Reason, now time.Time,
) error {
	if _, err := tx.Exec(ctx, leaveActive+`id = $1`, id, now, state, reason.String(), string(reason.Code), reason.Detail); err != nil {
		return fmt.Errorf("changing the endpoint's state: %w", err)
	}
	return exhaust(ctx, tx, []string{id}, reason, now)
}

// exhaust ends the pending deliveries of endpoints that were just deactivated.
func exhaust(ctx context.Context, tx pgx.Tx, ids []string, reason webhook.Reason, now time.Time) error {
	_, err := tx.Exec(ctx, `
		UPDATE deliveries SET state = 'exhausted', ended = nullif($2, ''), ended_code = nullif($4, ''), ended_detail = nullif($5, ''), ended_at = $3
		WHERE endpoint_id = ANY($1) AND state = 'pending'`, ids, reason.String(), now, string(reason.Code), reason.Detail)
	if err != nil {
		return fmt.Errorf("ending the pending deliveries: %w", err)
	}
	return nil
}

// pauseOrResumeEndpoints pauses or resumes the endpoints of a locked account whose plan has changed.
// Those that resume get what is published from then on.
func pauseOrResumeEndpoints(
	ctx context.Context, tx pgx.Tx, accountID string, plan account.Plan, now time.Time,
) error {
	if plan.Limits().Endpoints > 0 {
		if _, err := tx.Exec(ctx, activate+`account_id = $1 AND state = 'paused'`, accountID, nil); err != nil {
			return fmt.Errorf("resuming the account's webhooks: %w", err)
		}
		return nil
	}
	reason := webhook.Reason{Code: webhook.NotPro}
	paused, err := collect(ctx, tx, pgx.RowTo[string], leaveActive+`account_id = $1 AND state = 'active' RETURNING id`,
		accountID, nil, webhook.Paused, reason.String(), string(reason.Code), reason.Detail)
	if err != nil {
		return fmt.Errorf("pausing the account's webhooks: %w", err)
	}
	return exhaust(ctx, tx, paused, reason, now)
}

// Missed implements webhook.StateStore.
func (w *Webhooks) Missed(
	ctx context.Context, by account.Actor, id string, r webhook.Replay,
) (webhook.Missed, error) {
	return readMissed(ctx, w.pool, by, id, r.Oldest)
}

// readMissed reads what an endpoint missed while it was not active. Events published before
// oldest cannot be replayed.
func readMissed(
	ctx context.Context, q querier, by account.Actor, endpoint string, oldest time.Time,
) (m webhook.Missed, err error) {
	var state webhook.State
	var since *time.Time
	err = q.QueryRow(ctx, `
		SELECT e.state, e.cursor + 1, `+endOfLog+`,
		    coalesce((SELECT v.seq FROM events v JOIN editions n ON n.number = v.edition
		              WHERE v.seq > e.cursor AND n.published_at >= $2 ORDER BY v.seq LIMIT 1), 0),
		    f.number, f.since
		FROM endpoints e, LATERAL (
		    SELECT count(*) AS number, min(`+failedAt+`) AS since
		    FROM deliveries d WHERE d.endpoint_id = e.id AND d.state = 'exhausted') f
		WHERE e.id = $1 AND ($3::uuid IS NULL OR e.account_id = $3)`, endpoint, oldest, ownerOf(by)).
		Scan(&state, &m.From, &m.To, &m.Replayable, &m.Failed, &since)
	if errors.Is(err, pgx.ErrNoRows) {
		return m, webhook.ErrNoEndpoint
	}
	if err != nil {
		return m, fmt.Errorf("reading what the endpoint missed: %w", explain(err))
	}
	if state == webhook.Active { // what comes after its cursor is still to be delivered
		m.From, m.To, m.Replayable = 1, 0, 0
	}
	m.FailedSince = fromNull(since)
	return m, nil
}

// Disable implements webhook.WorkerStore. It does nothing to an endpoint that is not active.
func (w *Webhooks) Disable(
	ctx context.Context, endpoint string, reason webhook.Reason, now time.Time,
) error {
	c := change{account.ByService(), endpoint, account.EndpointDisabled, now}
	err := w.changeState(ctx, c, func(tx pgx.Tx, state webhook.State, _ string) (bool, error) {
		if state != webhook.Active {
			return false, nil
		}
		if err := deactivate(ctx, tx, endpoint, webhook.Disabled, reason, now); err != nil {
			return false, err
		}
		return true, insertJob(ctx, tx, webhook.NotifyDisabled{Endpoint: endpoint})
	})
	if err != nil && !errors.Is(err, webhook.ErrNoEndpoint) {
		return fmt.Errorf("disabling the endpoint: %w", err)
	}
	return nil
}

// SetReason implements webhook.WorkerStore.
func (w *Webhooks) SetReason(
	ctx context.Context, endpoint string, reason webhook.Reason,
) (changed bool, err error) {
	tag, err := w.pool.Exec(ctx, `
		UPDATE endpoints SET reason = $2, reason_code = nullif($3, ''), reason_detail = nullif($4, '')
		WHERE id = $1 AND state = 'active' AND reason <> $2`, endpoint, reason.String(), string(reason.Code), reason.Detail)
	if err != nil {
		return false, fmt.Errorf("noting why nothing is delivered: %w", err)
	}
	return tag.RowsAffected() == 1, nil
}
