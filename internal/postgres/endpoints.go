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

var _ webhook.EndpointsStore = (*DB)(nil)

// endOfLog is the number of the last event.
const endOfLog = `(SELECT coalesce(max(last_seq), 0) FROM current_edition JOIN editions USING (number))`

// firstDue is when the first pending delivery of an endpoint is due. Whoever changes
// deliveries locks their endpoint, and sets its due_at to this afterwards.
const firstDue = `(SELECT min(d.next_at) FROM deliveries d WHERE d.endpoint_id = endpoints.id AND d.state = 'pending')`

const endpointColumns = `id, account_id::text, url, description, types, categories, state, reason, cursor, created_at,
	verified_at, failing_since, slow, secret, old_secret, old_secret_until`

func scanEndpoint(row pgx.CollectableRow) (e webhook.Endpoint, err error) {
	var verified, failing, oldUntil *time.Time
	err = row.Scan(&e.ID, &e.Account, &e.URL, &e.Description, &e.Types, &e.Categories, &e.State, &e.Reason, &e.Cursor, &e.CreatedAt,
		&verified, &failing, &e.Slow, &e.Secret, &e.OldSecret, &oldUntil)
	e.CreatedAt, e.VerifiedAt, e.Failing, e.OldSecretTo = e.CreatedAt.UTC(), known(verified), known(failing), known(oldUntil)
	return e, err
}

// known is the time, in UTC; the zero time for NULL.
func known(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// orNull is NULL for the zero time.
func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// CreateEndpoint implements webhook.EndpointStore.
func (db *DB) CreateEndpoint(ctx context.Context, e webhook.Endpoint, now time.Time) error {
	return pgx.BeginTxFunc(ctx, db.pool, readCommitted, func(tx pgx.Tx) error {
		var plan string
		// As for keys, the lock makes creations of one account wait for one another.
		err := tx.QueryRow(ctx, `SELECT plan FROM accounts WHERE id = $1 AND deleted_at IS NULL FOR UPDATE`, uuidOf(e.Account)).Scan(&plan)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("looking for the account: %w", explain(err))
		}
		most := endpointsOf(plan)
		if most == 0 {
			return webhook.ErrNotPro
		}
		tag, err := tx.Exec(ctx, `
			INSERT INTO endpoints (id, account_id, slot, url, description, types, categories, state, reason, secret, cursor, created_at, verified_at)
			SELECT $1, $2, min(slot), $3, $4, coalesce($5::text[], '{}'), coalesce($6::text[], '{}'), $7::text, $8, $9, `+endOfLog+`, $10::timestamptz,
			    CASE WHEN $7 = 'active' THEN $10 END
			FROM generate_series(1, $11::integer) slot
			WHERE slot NOT IN (SELECT o.slot FROM endpoints o WHERE o.account_id = $2)
			HAVING min(slot) IS NOT NULL`,
			e.ID, e.Account, e.URL, e.Description, e.Types, e.Categories, e.State, e.Reason, e.Secret, now, most)
		if err != nil {
			return fmt.Errorf("creating the endpoint: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return webhook.ErrTooMany
		}
		return nil
	})
}

// endpointsOf is how many endpoints a plan allows; none for an unknown one.
func endpointsOf(plan string) int {
	p, err := account.ParsePlan(plan)
	if err != nil {
		return 0
	}
	return p.Limits().Endpoints
}

// Endpoint implements webhook.EndpointStore.
func (db *DB) Endpoint(ctx context.Context, by account.Actor, id string) (webhook.Endpoint, error) {
	found, err := collect(ctx, db.pool, scanEndpoint,
		`SELECT `+endpointColumns+` FROM endpoints WHERE id = $1 AND ($2::uuid IS NULL OR account_id = $2)`, id, ownerOf(by))
	if err != nil {
		return webhook.Endpoint{}, fmt.Errorf("looking for the endpoint: %w", explain(err))
	}
	if len(found) == 0 {
		return webhook.Endpoint{}, webhook.ErrNoEndpoint
	}
	return found[0], nil
}

// EndpointStates counts endpoints by state.
func (db *DB) EndpointStates(ctx context.Context) (map[webhook.State]int, error) {
	states := map[webhook.State]int{webhook.Unverified: 0, webhook.Active: 0, webhook.Paused: 0, webhook.Disabled: 0}
	rows, err := db.pool.Query(ctx, `SELECT state, count(*) FROM endpoints GROUP BY state`)
	if err != nil {
		return nil, fmt.Errorf("counting endpoints: %w", explain(err))
	}
	var state webhook.State
	var n int
	_, err = pgx.ForEachRow(rows, []any{&state, &n}, func() error { states[state] = n; return nil })
	if err != nil {
		return nil, fmt.Errorf("counting endpoints: %w", explain(err))
	}
	return states, nil
}

// Endpoints implements webhook.EndpointStore.
func (db *DB) Endpoints(ctx context.Context, by account.Actor, accountID string) ([]webhook.Endpoint, error) {
	list, err := collect(ctx, db.pool, scanEndpoint, `
		SELECT `+endpointColumns+` FROM endpoints WHERE account_id = $1 AND ($2::uuid IS NULL OR account_id = $2)
		ORDER BY created_at, id`, uuidOf(accountID), ownerOf(by))
	if err != nil {
		return nil, fmt.Errorf("listing the endpoints: %w", explain(err))
	}
	return list, nil
}

// EndpointOwner is the e-mail address of an endpoint's account; "" when it is erased.
func (db *DB) EndpointOwner(ctx context.Context, id string) (email string, err error) {
	err = db.pool.QueryRow(ctx, `
		SELECT coalesce(a.email, '') FROM endpoints e JOIN accounts a ON a.id = e.account_id WHERE e.id = $1`, id).Scan(&email)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", webhook.ErrNoEndpoint
	}
	if err != nil {
		return "", fmt.Errorf("looking for the endpoint's owner: %w", explain(err))
	}
	return email, nil
}

// SetEndpointState implements webhook.StateStore.
func (db *DB) SetEndpointState(ctx context.Context, by account.Actor, id string, state webhook.State, reason string, now time.Time) error {
	if state == webhook.Active {
		_, err := db.EnableEndpoint(ctx, by, id, now)
		return err
	}
	return db.changeState(ctx, by, id, func(tx pgx.Tx, _ string) error {
		if _, err := lockEndpoint(ctx, tx, by, id); err != nil {
			return err
		}
		return deactivate(ctx, tx, id, state, reason, now)
	})
}

// EnableEndpoint implements webhook.StateStore.
func (db *DB) EnableEndpoint(ctx context.Context, by account.Actor, id string, now time.Time) (missed webhook.Missed, err error) {
	verified := false
	err = db.changeState(ctx, by, id, func(tx pgx.Tx, plan string) error {
		state, err := lockEndpoint(ctx, tx, by, id)
		if err != nil {
			return err
		}
		err = tx.QueryRow(ctx, `SELECT verified_at IS NOT NULL FROM endpoints WHERE id = $1`, id).Scan(&verified)
		switch {
		case err != nil:
			return fmt.Errorf("reading the endpoint: %w", err)
		case state == webhook.Active:
			missed.From = 1 // nothing
			return nil
		case endpointsOf(plan) == 0:
			return webhook.ErrNotPro
		case !verified:
			return deactivate(ctx, tx, id, webhook.Unverified, webhook.NotVerified, now)
		}
		if missed, err = readMissed(ctx, tx, id, now); err != nil {
			return err
		}
		return activateEndpoint(ctx, tx, id, now)
	})
	if err == nil && !verified {
		err = webhook.ErrNotVerified
	}
	return missed, err
}

// VerifyEndpoint implements webhook.StateStore.
func (db *DB) VerifyEndpoint(ctx context.Context, by account.Actor, id string, now time.Time) error {
	return db.changeState(ctx, by, id, func(tx pgx.Tx, plan string) error {
		state, err := lockEndpoint(ctx, tx, by, id)
		switch {
		case err != nil:
			return err
		case endpointsOf(plan) == 0:
			return webhook.ErrNotPro
		}
		if _, err := tx.Exec(ctx, `UPDATE endpoints SET verified_at = $2 WHERE id = $1`, id, now); err != nil {
			return fmt.Errorf("verifying the endpoint: %w", err)
		}
		if state == webhook.Active {
			return nil
		}
		return activateEndpoint(ctx, tx, id, now)
	})
}

// changeState runs what changes an endpoint's state, with the plan of its account. That
// is locked first, as SetPlan does: whoever comes second sees what the other did.
func (db *DB) changeState(ctx context.Context, by account.Actor, id string, change func(tx pgx.Tx, plan string) error) error {
	return pgx.BeginTxFunc(ctx, db.pool, readCommitted, func(tx pgx.Tx) error {
		var plan string
		err := tx.QueryRow(ctx, `
			SELECT a.plan FROM endpoints e JOIN accounts a ON a.id = e.account_id
			WHERE e.id = $1 AND ($2::uuid IS NULL OR e.account_id = $2) FOR SHARE OF a`, id, ownerOf(by)).Scan(&plan)
		if errors.Is(err, pgx.ErrNoRows) {
			return webhook.ErrNoEndpoint
		}
		if err != nil {
			return fmt.Errorf("looking for the endpoint's account: %w", explain(err))
		}
		return change(tx, plan)
	})
}

// activateEndpoint makes a locked endpoint active.
func activateEndpoint(ctx context.Context, tx pgx.Tx, id string, now time.Time) error {
	if _, err := tx.Exec(ctx, activate+`id = $1`, id, "", now); err != nil {
		return fmt.Errorf("activating the endpoint: %w", err)
	}
	return nil
}

// lockEndpoint keeps others from changing an actor's endpoint and its deliveries until
// the transaction ends.
func lockEndpoint(ctx context.Context, tx pgx.Tx, by account.Actor, id string) (state webhook.State, err error) {
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

// activate and end set what belongs to the states. Both end the claim there may be: a
// job that is still at the endpoint finds itself replaced.
const (
	activate = `UPDATE endpoints SET state = 'active', cursor = ` + endOfLog + `, saturated = false, failing_since = NULL,
		claim = claim + 1, reason = $2, claimed_until = $3 WHERE `
	end = `UPDATE endpoints SET state = $4, verified_at = CASE WHEN $4 <> 'unverified' THEN verified_at END, due_at = NULL, saturated = false, claim = claim + 1, reason = $2, claimed_until = $3 WHERE `
)

// deactivate moves a locked endpoint to a state in which it is not delivered to.
func deactivate(ctx context.Context, tx pgx.Tx, id string, state webhook.State, reason string, now time.Time) error {
	if _, err := tx.Exec(ctx, end+`id = $1`, id, reason, now, state); err != nil {
		return fmt.Errorf("changing the endpoint's state: %w", err)
	}
	return exhaust(ctx, tx, []string{id}, reason, now)
}

// exhaust ends the pending deliveries of endpoints that were just deactivated.
func exhaust(ctx context.Context, tx pgx.Tx, ids []string, reason string, now time.Time) error {
	_, err := tx.Exec(ctx, `
		UPDATE deliveries SET state = 'exhausted', ended = nullif($2, ''), ended_at = $3 WHERE endpoint_id = ANY($1) AND state = 'pending'`, ids, reason, now)
	if err != nil {
		return fmt.Errorf("ending the pending deliveries: %w", err)
	}
	return nil
}

// followPlan pauses or resumes the endpoints of a locked account that has another plan
// now. Those that resume hear of what is published from then on.
func followPlan(ctx context.Context, tx pgx.Tx, accountID string, plan account.Plan, now time.Time) error {
	if plan.Limits().Endpoints > 0 {
		if _, err := tx.Exec(ctx, activate+`account_id = $1 AND state = 'paused'`, accountID, "", nil); err != nil {
			return fmt.Errorf("resuming the account's webhooks: %w", err)
		}
		return nil
	}
	paused, err := collect(ctx, tx, pgx.RowTo[string],
		end+`account_id = $1 AND state = 'active' RETURNING id`, accountID, webhook.NotPro, nil, webhook.Paused)
	if err != nil {
		return fmt.Errorf("pausing the account's webhooks: %w", err)
	}
	return exhaust(ctx, tx, paused, webhook.NotPro, now)
}

// UpdateEndpoint implements webhook.EndpointStore.
func (db *DB) UpdateEndpoint(ctx context.Context, by account.Actor, id string, c webhook.Change) (webhook.Endpoint, error) {
	found, err := collect(ctx, db.pool, scanEndpoint, `
		UPDATE endpoints SET
		    description = coalesce($2, description),
		    types = CASE WHEN $3 THEN coalesce($4::text[], '{}') ELSE types END,
		    categories = CASE WHEN $5 THEN coalesce($6::text[], '{}') ELSE categories END
		WHERE id = $1 AND ($7::uuid IS NULL OR account_id = $7) RETURNING `+endpointColumns,
		id, c.Description, c.NewTypes, c.Types, c.NewCategories, c.Categories, ownerOf(by))
	if err != nil {
		return webhook.Endpoint{}, fmt.Errorf("updating the endpoint: %w", explain(err))
	}
	if len(found) == 0 {
		return webhook.Endpoint{}, webhook.ErrNoEndpoint
	}
	return found[0], nil
}

// RotateSecret implements webhook.StateStore. The secret before may have been one that
// could not be opened, and the reason why nothing was delivered: that is over.
func (db *DB) RotateSecret(ctx context.Context, by account.Actor, id string, sealed []byte, r webhook.Rotation) (cut bool, err error) {
	err = pgx.BeginTxFunc(ctx, db.pool, readCommitted, func(tx pgx.Tx) error {
		var until *time.Time
		err := tx.QueryRow(ctx, `
			SELECT old_secret_until FROM endpoints WHERE id = $1 AND ($2::uuid IS NULL OR account_id = $2) FOR NO KEY UPDATE`,
			id, ownerOf(by)).Scan(&until)
		if errors.Is(err, pgx.ErrNoRows) {
			return webhook.ErrNoEndpoint
		}
		if err != nil {
			return fmt.Errorf("locking the endpoint: %w", explain(err))
		}
		if cut = known(until).After(r.Now); cut && !r.Force {
			return &webhook.RotatingError{Until: known(until)}
		}
		_, err = tx.Exec(ctx, `
			UPDATE endpoints SET old_secret = secret, old_secret_until = $3, secret = $2, reason = CASE state WHEN 'active' THEN '' ELSE reason END
			WHERE id = $1`, id, sealed, r.Until)
		if err != nil {
			return fmt.Errorf("rotating the secret of the endpoint: %w", err)
		}
		return nil
	})
	return cut, err
}

// DeleteEndpoint implements webhook.EndpointStore.
func (db *DB) DeleteEndpoint(ctx context.Context, by account.Actor, id string) error {
	tag, err := db.pool.Exec(ctx, `DELETE FROM endpoints WHERE id = $1 AND ($2::uuid IS NULL OR account_id = $2)`, id, ownerOf(by))
	if err != nil {
		return fmt.Errorf("deleting the endpoint: %w", explain(err))
	}
	if tag.RowsAffected() == 0 {
		return webhook.ErrNoEndpoint
	}
	return nil
}
