package webhook

import (
	"context"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// Deliveries returns deliveries of an endpoint, the newest event first, and, if the filter asks for
// them, their attempts by delivery. It returns ErrNoDelivery if the filter names one that the
// endpoint does not have.
//
// Only the endpoint's account and the operator may see them. Returns ErrNoEndpoint otherwise.
func (s *Endpoints) Deliveries(ctx context.Context, by account.Actor, id string, f DeliveryFilter) (
	[]Delivery, map[string][]Attempt, error,
) {
	if _, err := s.o.Store.Endpoint(ctx, by, id); err != nil {
		return nil, nil, err
	}
	list, err := s.deliveries(ctx, by, id, f)
	if err != nil || !f.Attempts {
		return list, nil, err
	}
	attempts, err := s.o.Store.Attempts(ctx, by, list)
	return list, attempts, err
}

func (s *Endpoints) deliveries(ctx context.Context, by account.Actor, id string, f DeliveryFilter) (
	[]Delivery, error,
) {
	if f.ID == "" {
		return s.o.Store.Deliveries(ctx, by, id, f)
	}
	d, err := s.o.Store.Delivery(ctx, by, id, f.ID)
	if err != nil {
		return nil, err
	}
	return []Delivery{d}, nil
}

// Payload returns the body of a delivery, the same bytes that every attempt sends.
//
// Only the endpoint's account and the operator may see it. Returns ErrNoDelivery otherwise.
func (s *Endpoints) Payload(ctx context.Context, by account.Actor, id, delivery string) ([]byte, error) {
	d, err := s.o.Store.Delivery(ctx, by, id, delivery)
	if err != nil {
		return nil, err
	}
	events, err := s.o.Store.Events(ctx, []int64{d.Seq})
	if err != nil {
		return nil, err
	}
	if len(events) == 0 { // after a restore from a backup
		return nil, ErrNoDelivery
	}
	return events[0].Payload(), nil
}

const (
	// statsFor is the time that Stats sums up.
	statsFor = 24 * time.Hour
	// MaxStats is how many deliveries Stats reads at most: a page must not take longer because an
	// endpoint has more of them.
	MaxStats = 10_000
)

// Stats sums up the deliveries of an endpoint that were attempted in the last 24 hours: the latest
// MaxStats of them, if there are more. It counts MaxStats pending ones at most.
//
// Only the endpoint's account and the operator may see it. Returns ErrNoEndpoint otherwise.
func (s *Endpoints) Stats(ctx context.Context, by account.Actor, id string) (DeliveryStats, error) {
	if _, err := s.o.Store.Endpoint(ctx, by, id); err != nil {
		return DeliveryStats{}, err
	}
	return s.o.Store.DeliveryStats(ctx, by, id, s.o.Now().Add(-statsFor), MaxStats)
}

// ReplayDelivery replays a delivery of an endpoint, under its id, for 30 days after the event was
// published: ErrTooOld after that. The endpoint must be active, or the error is ErrNotActive.
//
// Only the endpoint's account and the operator may replay it. Returns ErrNoDelivery otherwise.
func (s *Endpoints) ReplayDelivery(ctx context.Context, by account.Actor, id, delivery string) error {
	return s.o.Store.ReplayDelivery(ctx, by, id, delivery, ReplayAt(s.o.Now()))
}

// ReplayRange delivers again all events from one to another, both included, that the endpoint
// subscribes to, and returns how many. ErrTooOld and ErrTooManyAsked say that 30 days or 10,000
// events are exceeded, ErrNotActive that the endpoint is not active.
//
// Only the endpoint's account and the operator may replay them. Returns ErrNoEndpoint otherwise.
func (s *Endpoints) ReplayRange(ctx context.Context, by account.Actor, id string, from, to int64) (
	int, error,
) {
	return s.o.Store.ReplayRange(ctx, by, id, from, to, ReplayAt(s.o.Now()))
}

// ReplayFailed replays the deliveries of an endpoint that failed within that time before now, and
// returns how many. It has the limits and errors of ReplayRange.
//
// Only the endpoint's account and the operator may replay them. Returns ErrNoEndpoint otherwise.
func (s *Endpoints) ReplayFailed(
	ctx context.Context, by account.Actor, id string, within time.Duration,
) (int, error) {
	r := ReplayAt(s.o.Now())
	return s.o.Store.ReplayFailed(ctx, by, id, r.Now.Add(-within), r)
}
