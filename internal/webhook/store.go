package webhook

import (
	"context"
	"time"
)

// A Store keeps endpoints and deliveries. Every time is given by the caller: the
// database's clock decides nothing.
type Store interface {
	SealStore
	// Enqueue finds active endpoints that have something to do and that no job is at:
	// a delivery that is due, or events after their cursor. It claims each of them until
	// then and inserts its Deliver job, in one transaction, for at most limit endpoints.
	// It gives how many.
	Enqueue(ctx context.Context, now, until time.Time, limit int) (int, error)
	// Start takes up a claimed endpoint, until then; ok is false when the claim is not
	// the last one or the endpoint is not active.
	Start(ctx context.Context, endpoint string, claim int64, until time.Time) (e Endpoint, ok bool, err error)
	// Advance makes deliveries of events after the cursor, reading at most limit of
	// them, unless the endpoint has mostPending deliveries to make already. It gives how
	// many it made, and whether the log goes on after the new cursor.
	Advance(ctx context.Context, endpoint string, now time.Time, limit, mostPending int) (made int, more bool, err error)
	// Due lists the deliveries to attempt now, those that have waited longest first.
	Due(ctx context.Context, endpoint string, now time.Time, limit int) ([]Delivery, error)
	// EventEditions gives the edition of each event that is in the log, by an identity that
	// no other edition has, not even one of the same number.
	EventEditions(ctx context.Context, seqs []int64) (map[int64]string, error)
	// Events reads entries of the log.
	Events(ctx context.Context, seqs []int64) ([]Event, error)
	// Record writes down attempts, keeping those that were the last until then, how the
	// endpoint fares, and renews its claim.
	Record(ctx context.Context, endpoint string, outcomes []Outcome, health Health, until time.Time) error
	// Release gives up the claim: the next Enqueue may take the endpoint again, not
	// before then.
	Release(ctx context.Context, endpoint string, claim int64, notBefore time.Time) error
	// SetReason notes why nothing is delivered to an active endpoint; "" when that is over.
	// It reports whether that is new.
	SetReason(ctx context.Context, endpoint, reason string) (changed bool, err error)
	// Disable ends an endpoint's deliveries for a reason, and inserts the TellDisabled
	// job in the same transaction.
	Disable(ctx context.Context, endpoint, reason string, now time.Time) error
	// Backlog tells how many deliveries are pending at active endpoints, and since when
	// the oldest of them has been due.
	Backlog(ctx context.Context, now time.Time) (pending int, oldest time.Time, err error)
	// Prune deletes deliveries that were made and last attempted before then and are over,
	// with their attempts, at most limit.
	Prune(ctx context.Context, before time.Time, limit int) (int, error)
	// PruneEvents deletes the beginning of the log, at most limit events: those that were
	// published before then, up to where an active or a paused endpoint has come, and to
	// the first event that a delivery names.
	PruneEvents(ctx context.Context, before time.Time, limit int) (int, error)
}

// Health is how an endpoint fares after a run.
type Health struct {
	Failing time.Time // as in Endpoint
	Slow    bool
}
