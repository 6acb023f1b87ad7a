package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// Webhooks holds endpoints, their deliveries, and which job works on which endpoint. It is
// the store of webhook.Endpoints and of webhook.Worker.
type Webhooks struct{ pool *pgxpool.Pool }

// firstDue is when the first pending delivery of an endpoint is due. Every transaction that
// changes deliveries locks their endpoint, and sets its due_at to firstDue.
const firstDue = `(SELECT min(d.next_at) FROM deliveries d WHERE d.endpoint_id = endpoints.id AND d.state = 'pending')`

const endpointColumns = `id, account_id::text, url, description, types, categories, state, ` + endpointReason + `, cursor, created_at,
	verified_at, failing_since, slow, secret, old_secret, old_secret_until`

func scanEndpoint(row pgx.CollectableRow) (e webhook.Endpoint, err error) {
	var verified, failing, oldUntil *time.Time
	var why reasonRow
	err = row.Scan(&e.ID, &e.Account, &e.URL, &e.Description, &e.Types, &e.Categories, &e.State, &why.text, &why.code, &why.detail, &e.Cursor, &e.CreatedAt,
		&verified, &failing, &e.Slow, &e.Secret, &e.OldSecret, &oldUntil)
	e.Reason = why.reason()
	e.CreatedAt, e.VerifiedAt = e.CreatedAt.UTC(), fromNull(verified)
	e.FailingSince, e.OldSecretUntil = fromNull(failing), fromNull(oldUntil)
	return e, err
}

// CreateEndpoint implements webhook.EndpointWriter.
func (w *Webhooks) CreateEndpoint(
	ctx context.Context, by account.Actor, e webhook.Endpoint, now time.Time,
) error {
	return pgx.BeginTxFunc(ctx, w.pool, readCommitted, func(tx pgx.Tx) error {
		var plan string
		// As for keys, the lock serializes the creations of one account.
		err := tx.QueryRow(ctx, `
			SELECT plan FROM accounts WHERE id = $1 AND deleted_at IS NULL AND ($2::uuid IS NULL OR id = $2) FOR UPDATE`,
			uuidOf(e.Account), ownerOf(by)).Scan(&plan)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("looking for the account: %w", explain(err))
		}
		most := endpointsOf(plan)
		if most == 0 {
			return webhook.ErrNotPro
		}
		tag, err := tx.Exec(ctx, `
			INSERT INTO endpoints (id, account_id, slot, url, description, types, categories, state, reason, secret, cursor, created_at, verified_at,
			    reason_code, reason_detail)
			SELECT $1, $2, min(slot), $3, $4, coalesce($5::text[], '{}'), coalesce($6::text[], '{}'), $7::text, $8, $9, `+endOfLog+`, $10::timestamptz,
			    CASE WHEN $7 = 'active' THEN $10 END, nullif($12, ''), nullif($13, '')
			FROM generate_series(1, $11::integer) slot
			WHERE slot NOT IN (SELECT o.slot FROM endpoints o WHERE o.account_id = $2)
			HAVING min(slot) IS NOT NULL`,
			e.ID, e.Account, e.URL, e.Description, e.Types, e.Categories, e.State, e.Reason.String(), e.Secret, now, most,
			string(e.Reason.Code), e.Reason.Detail)
		if err != nil {
			return fmt.Errorf("creating the endpoint: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return webhook.ErrTooMany
		}
		return record(ctx, tx, by, e.Account, account.EndpointCreated, hostOf(e.URL), now)
	})
}

// hostOf returns the host of a URL, which is all that the owner's log shows of an endpoint: the rest may hold secrets.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// A change is what an actor does with an endpoint.
type change struct {
	by       account.Actor
	endpoint string
	action   account.Action
	now      time.Time
}

// run makes a change in a transaction, and records it unless do says that nothing changed. It locks
// the account before do locks the endpoint, as a deletion does, so that the plan cannot change
// meanwhile.
func (c change) run(
	ctx context.Context, pool *pgxpool.Pool, do func(tx pgx.Tx, plan string) (changed bool, err error),
) error {
	return pgx.BeginTxFunc(ctx, pool, readCommitted, func(tx pgx.Tx) error {
		var owner, plan, address string
		err := tx.QueryRow(ctx, `
			SELECT a.id::text, a.plan, e.url FROM endpoints e JOIN accounts a ON a.id = e.account_id
			WHERE e.id = $1 AND ($2::uuid IS NULL OR e.account_id = $2) FOR SHARE OF a`, c.endpoint, ownerOf(c.by)).
			Scan(&owner, &plan, &address)
		if errors.Is(err, pgx.ErrNoRows) {
			return webhook.ErrNoEndpoint
		}
		if err != nil {
			return fmt.Errorf("looking for the endpoint's account: %w", explain(err))
		}
		changed, err := do(tx, plan)
		if err != nil || !changed {
			return err
		}
		return record(ctx, tx, c.by, owner, c.action, hostOf(address), c.now)
	})
}

// endpointsOf returns how many endpoints a plan allows; 0 for an unknown plan.
func endpointsOf(plan string) int {
	p, err := account.ParsePlan(plan)
	if err != nil {
		return 0
	}
	return p.Limits().Endpoints
}

// Endpoint implements webhook.EndpointReader.
func (w *Webhooks) Endpoint(
	ctx context.Context, by account.Actor, id string,
) (webhook.Endpoint, error) {
	found, err := collect(ctx, w.pool, scanEndpoint,
		`SELECT `+endpointColumns+` FROM endpoints WHERE id = $1 AND ($2::uuid IS NULL OR account_id = $2)`, id, ownerOf(by))
	if err != nil {
		return webhook.Endpoint{}, fmt.Errorf("looking for the endpoint: %w", explain(err))
	}
	if len(found) == 0 {
		return webhook.Endpoint{}, webhook.ErrNoEndpoint
	}
	return found[0], nil
}

// Endpoints implements webhook.EndpointReader.
func (w *Webhooks) Endpoints(
	ctx context.Context, by account.Actor, accountID string,
) ([]webhook.Endpoint, error) {
	list, err := collect(ctx, w.pool, scanEndpoint, `
		SELECT `+endpointColumns+` FROM endpoints WHERE account_id = $1 AND ($2::uuid IS NULL OR account_id = $2)
		ORDER BY created_at, id`, uuidOf(accountID), ownerOf(by))
	if err != nil {
		return nil, fmt.Errorf("listing the endpoints: %w", explain(err))
	}
	return list, nil
}

// UpdateEndpoint implements webhook.EndpointWriter.
func (w *Webhooks) UpdateEndpoint(
	ctx context.Context, by account.Actor, id string, c webhook.Change, now time.Time,
) (e webhook.Endpoint, err error) {
	err = change{by, id, account.EndpointUpdated, now}.run(ctx, w.pool, func(tx pgx.Tx, _ string) (bool, error) {
		found, err := collect(ctx, tx, scanEndpoint, `
			UPDATE endpoints SET
			    description = coalesce($2, description),
			    types = CASE WHEN $3 THEN coalesce($4::text[], '{}') ELSE types END,
			    categories = CASE WHEN $5 THEN coalesce($6::text[], '{}') ELSE categories END
			WHERE id = $1 AND ($7::uuid IS NULL OR account_id = $7) RETURNING `+endpointColumns,
			id, c.Description, c.NewTypes, c.Types, c.NewCategories, c.Categories, ownerOf(by))
		if err != nil {
			return false, fmt.Errorf("updating the endpoint: %w", explain(err))
		}
		if len(found) == 0 {
			return false, webhook.ErrNoEndpoint
		}
		e = found[0]
		return true, nil
	})
	return e, err
}

// RotateSecret implements webhook.EndpointWriter. It clears the reason of an active endpoint,
// which can only be that its secret could not be opened.
func (w *Webhooks) RotateSecret(
	ctx context.Context, by account.Actor, id string, sealed []byte, r webhook.Rotation,
) (cut bool, err error) {
	err = change{by, id, account.EndpointRotated, r.Now}.run(ctx, w.pool, func(tx pgx.Tx, _ string) (bool, error) {
		var until *time.Time
		err := tx.QueryRow(ctx, `
			SELECT old_secret_until FROM endpoints WHERE id = $1 AND ($2::uuid IS NULL OR account_id = $2) FOR NO KEY UPDATE`,
			id, ownerOf(by)).Scan(&until)
		if errors.Is(err, pgx.ErrNoRows) {
			return false, webhook.ErrNoEndpoint
		}
		if err != nil {
			return false, fmt.Errorf("locking the endpoint: %w", explain(err))
		}
		if cut = fromNull(until).After(r.Now); cut && !r.Force {
			return false, &webhook.RotatingError{Until: fromNull(until)}
		}
		_, err = tx.Exec(ctx, `
			UPDATE endpoints SET old_secret = secret, old_secret_until = $3, secret = $2,
			    reason = CASE state WHEN 'active' THEN '' ELSE reason END,
			    reason_code = CASE state WHEN 'active' THEN NULL ELSE reason_code END,
			    reason_detail = CASE state WHEN 'active' THEN NULL ELSE reason_detail END
			WHERE id = $1`, id, sealed, r.Until)
		if err != nil {
			return false, fmt.Errorf("rotating the secret of the endpoint: %w", err)
		}
		return true, nil
	})
	return cut, err
}

// DeleteEndpoint implements webhook.EndpointWriter.
func (w *Webhooks) DeleteEndpoint(
	ctx context.Context, by account.Actor, id string, now time.Time,
) error {
	return change{by, id, account.EndpointDeleted, now}.run(ctx, w.pool, func(tx pgx.Tx, _ string) (bool, error) {
		tag, err := tx.Exec(ctx, `DELETE FROM endpoints WHERE id = $1 AND ($2::uuid IS NULL OR account_id = $2)`, id, ownerOf(by))
		if err != nil {
			return false, fmt.Errorf("deleting the endpoint: %w", explain(err))
		}
		if tag.RowsAffected() == 0 {
			return false, webhook.ErrNoEndpoint
		}
		return true, nil
	})
}

// lockEndpoint locks an actor's endpoint, and thereby its deliveries, until the transaction
// ends.
func lockEndpoint(
	ctx context.Context, tx pgx.Tx, by account.Actor, id string,
) (state webhook.State, err error) {
	err = tx.QueryRow(ctx, `
		SELECT state FROM endpoints WHERE id = $1 AND ($2::uuid IS NULL OR account_id = $2) FOR NO KEY UPDATE`, id, ownerOf(by)).Scan(&state)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", webhook.ErrNoEndpoint
	}
	if err != nil {
		return "", fmt.Errorf("locking the endpoint: %w", explain(err))
	}
	return state, nil
}

// lockActive locks an endpoint that must be active.
func lockActive(ctx context.Context, tx pgx.Tx, by account.Actor, endpoint string) error {
	state, err := lockEndpoint(ctx, tx, by, endpoint)
	if err == nil && state != webhook.Active {
		return webhook.ErrNotActive
	}
	return err
}

// asyncCommit lets its transaction commit without waiting for the disk. A server that loses
// power may then forget the claim of a job, or attempts, which are made again under the
// same id.
const asyncCommit = `set_config('synchronous_commit', 'off', true)`
