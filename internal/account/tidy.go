package account

import (
	"context"
	"errors"
	"time"
)

// ActivityFor is how long the log of an account's actions goes back.
const ActivityFor = 90 * 24 * time.Hour

// A Pruner deletes rows that are older than a time, limit at most, and returns how many it deleted.
type Pruner interface {
	PruneActivity(ctx context.Context, before time.Time, limit int) (int, error)
	PruneEmailChanges(ctx context.Context, before time.Time, limit int) (int, error)
	PruneFarewells(ctx context.Context, before time.Time, limit int) (int, error)
	PruneActs(ctx context.Context, before time.Time, limit int) (int, error)
}

// Tidy deletes what is old. Call it every hour.
func Tidy(ctx context.Context, p Pruner, now time.Time) error {
	return errors.Join(
		pruneAll(ctx, p.PruneFarewells, now.Add(-DeletionNoticeFor)),
		pruneAll(ctx, p.PruneEmailChanges, now.Add(-ChangeFor)),
		pruneAll(ctx, p.PruneActs, now.Add(-KeyLimit.Within)), // the longest time that counts
		pruneAll(ctx, p.PruneActivity, now.Add(-ActivityFor)),
	)
}

func pruneAll(
	ctx context.Context, prune func(context.Context, time.Time, int) (int, error), before time.Time,
) error {
	const batch = 10_000 // rows per transaction
	for {
		n, err := prune(ctx, before, batch)
		if err != nil || n < batch {
			return err
		}
	}
}
