package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// Jobs is a client of River.
type Jobs struct {
	*river.Client[pgx.Tx]
	pool *pgxpool.Pool
}

// Start starts the jobs. It fails without a schema, and on one that this program does not
// understand.
func (j *Jobs) Start(ctx context.Context) error {
	if err := checkSchema(ctx, j.pool); err != nil {
		return err
	}
	return explain(j.Client.Start(ctx))
}

// inserter inserts jobs in the transactions of any database: it has no connection of its own.
var inserter = sync.OnceValues(func() (*river.Client[pgx.Tx], error) {
	return river.NewClient(riverpgxv5.New(nil), &river.Config{
		Logger: slog.New(slog.DiscardHandler), // failures are returned
		// Within this time of another job of its queue, an inserted job is not announced, and
		// waits until a worker polls.
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
