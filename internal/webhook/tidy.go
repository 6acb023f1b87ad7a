package webhook

import (
	"context"
	"errors"
	"time"
)

// keepDeliveries is how long deliveries that are over are kept: as long as they can be replayed.
const keepDeliveries = ReplayFor

// Tidy deletes old deliveries and events, and finds endpoints whose secret cannot be opened. Call it
// every hour.
func (w *Worker) Tidy(ctx context.Context) error {
	return errors.Join(w.prune(ctx), w.findUnreadable(ctx))
}

// prune deletes old deliveries first: they keep their events from being deleted.
func (w *Worker) prune(ctx context.Context) error {
	if err := pruneAll(ctx, w.o.Store.Prune, w.o.Now().Add(-keepDeliveries)); err != nil {
		return err
	}
	return pruneAll(ctx, w.o.Store.PruneEvents, w.o.Now().Add(-w.o.EventsKeep))
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
