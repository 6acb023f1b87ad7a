package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/webhook"
)

var _ webhook.Store = (*DB)(nil)

// Jobs is a client of River.
type Jobs struct {
	*river.Client[pgx.Tx]
	db *DB
}

// Jobs makes a client of River on the database's connections. Without queues in its
// configuration it only inserts.
func (db *DB) Jobs(cfg *river.Config) (*Jobs, error) {
	client, err := river.NewClient(riverpgxv5.New(db.pool), cfg)
	if err != nil {
		return nil, fmt.Errorf("preparing the jobs: %w", err)
	}
	return &Jobs{client, db}, nil
}

// Start starts the jobs. It fails without the schema, as River's tables are part of it,
// and on one that this program does not understand.
func (j *Jobs) Start(ctx context.Context) error {
	if err := checkSchema(ctx, j.db.pool); err != nil {
		return err
	}
	return explain(j.Client.Start(ctx))
}

// inserter inserts jobs in transactions, of whatever database they are: it has no
// connection of its own.
var inserter = sync.OnceValues(func() (*river.Client[pgx.Tx], error) {
	return river.NewClient(riverpgxv5.New(nil), &river.Config{
		Logger: slog.New(slog.DiscardHandler), // what fails is returned
		// A client does not announce a job this soon after another, which would then wait
		// to be found.
		FetchCooldown: river.FetchCooldownMin,
	})
})

// insertJob inserts a job that commits with the transaction.
func insertJob(ctx context.Context, tx pgx.Tx, job river.JobArgs) error {
	return insertJobs(ctx, tx, []river.InsertManyParams{{Args: job}})
}

func insertJobs(ctx context.Context, tx pgx.Tx, jobs []river.InsertManyParams) error {
	client, err := inserter()
	if err != nil {
		return fmt.Errorf("preparing to insert jobs: %w", err)
	}
	if _, err := client.InsertManyTx(ctx, tx, jobs); err != nil {
		return fmt.Errorf("inserting jobs: %w", explain(err))
	}
	return nil
}

// readCommitted is what a transaction that waits for locks needs, whatever the
// server's default: it goes on from what the one before it left.
var readCommitted = pgx.TxOptions{IsoLevel: pgx.ReadCommitted}

// deliverAttempts is how often River tries a Deliver job. It need not try for long:
// the sweep finds what was left undone.
const deliverAttempts = 3

// unclaimed is true of endpoints that no job is at, at the time $1.
const unclaimed = `state = 'active' AND (claimed_until IS NULL OR claimed_until <= $1)`

// Enqueue implements webhook.Store. It runs every second, nearly always for nothing:
// then it looks at the beginning of two indexes.
func (db *DB) Enqueue(ctx context.Context, now, until time.Time, limit int) (int, error) {
	var jobs []river.InsertManyParams
	err := pgx.BeginTxFunc(ctx, db.pool, readCommitted, func(tx pgx.Tx) (err error) {
		jobs, err = collect(ctx, tx, func(row pgx.CollectableRow) (river.InsertManyParams, error) {
			var job webhook.Deliver
			var slow bool
			err := row.Scan(&job.Endpoint, &job.Claim, &slow)
			queue := webhook.Queue
			if slow {
				queue = webhook.SlowQueue
			}
			return river.InsertManyParams{Args: job, InsertOpts: &river.InsertOpts{Queue: queue, MaxAttempts: deliverAttempts}}, err
		}, `
			WITH todo AS (
				SELECT id FROM endpoints WHERE cursor < `+endOfLog+` AND NOT saturated AND `+unclaimed+`
				UNION
				SELECT id FROM endpoints WHERE due_at <= $1 AND `+unclaimed+`),
			free AS (
				SELECT id FROM endpoints WHERE id IN (SELECT id FROM todo) AND `+unclaimed+`
				LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED)
			UPDATE endpoints e SET claim = claim + 1, claimed_until = $2 FROM free WHERE e.id = free.id
			RETURNING e.id, e.claim, e.slow`, now, until, limit)
		if err != nil || len(jobs) == 0 {
			return explain(err)
		}
		return insertJobs(ctx, tx, jobs)
	})
	if err != nil {
		return 0, fmt.Errorf("enqueuing deliveries: %w", err)
	}
	return len(jobs), nil
}

// unsynced lets the transaction it stands in commit without waiting for the disk. It is
// for what may be forgotten by a server that loses power: who is at work on what, and
// attempts, which are then made again under the same id.
const unsynced = `set_config('synchronous_commit', 'off', true)`

// Start implements webhook.Store.
func (db *DB) Start(ctx context.Context, endpoint string, claim int64, until time.Time) (webhook.Endpoint, bool, error) {
	found, err := collect(ctx, db.pool, scanEndpoint, `
		UPDATE endpoints SET claimed_until = $3 WHERE id = $1 AND claim = $2 AND state = 'active'
		RETURNING `+endpointColumns, endpoint, claim, until)
	if err != nil {
		return webhook.Endpoint{}, false, fmt.Errorf("taking up the endpoint: %w", err)
	}
	if len(found) == 0 {
		return webhook.Endpoint{}, false, nil
	}
	return found[0], true, nil
}

// Release implements webhook.Store.
func (db *DB) Release(ctx context.Context, endpoint string, claim int64, notBefore time.Time) error {
	_, err := db.pool.Exec(ctx, `
		UPDATE endpoints SET claimed_until = $3 WHERE id = $1 AND claim = $2 RETURNING `+unsynced, endpoint, claim, notBefore)
	if err != nil {
		return fmt.Errorf("releasing the endpoint: %w", err)
	}
	return nil
}

// Disable implements webhook.Store. An endpoint that is not active stays as it is,
// and nobody is told.
func (db *DB) Disable(ctx context.Context, endpoint, reason string, now time.Time) error {
	err := pgx.BeginTxFunc(ctx, db.pool, readCommitted, func(tx pgx.Tx) error {
		state, err := lockEndpoint(ctx, tx, account.Operator(), endpoint)
		if errors.Is(err, webhook.ErrNoEndpoint) || err == nil && state != webhook.Active {
			return nil
		}
		if err != nil {
			return err
		}
		if err := deactivate(ctx, tx, endpoint, webhook.Disabled, reason, now); err != nil {
			return err
		}
		return insertJob(ctx, tx, webhook.TellDisabled{Endpoint: endpoint})
	})
	if err != nil {
		return fmt.Errorf("disabling the endpoint: %w", err)
	}
	return nil
}
