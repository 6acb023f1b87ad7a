package webhook

import (
	"context"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// A Replay says how far a replay may go.
type Replay struct {
	Now    time.Time
	Oldest time.Time // when the first event was published, at the earliest
	Most   int       // events
}

// ReplayAt is what may be replayed at that time.
func ReplayAt(now time.Time) Replay {
	return Replay{Now: now, Oldest: now.Add(-ReplayFor), Most: mostReplay}
}

// A Selection says which deliveries to show.
type Selection struct {
	Delivery string // this one alone, unless it is ""
	Before   int64  // those of events before this one; all when 0
	Limit    int
	Attempts bool // with every attempt
}

// Deliveries lists deliveries of an endpoint, the newest event first, and their attempts
// by delivery when they are asked for. Only the endpoint's owner and the operator may;
// ErrNoEndpoint for others.
func (s *Endpoints) Deliveries(ctx context.Context, by account.Actor, id string, want Selection) ([]Delivery, map[string][]Attempt, error) {
	if _, err := s.o.Store.Endpoint(ctx, by, id); err != nil {
		return nil, nil, err
	}
	list, err := s.deliveries(ctx, by, id, want)
	if err != nil || !want.Attempts {
		return list, nil, err
	}
	attempts, err := s.o.Store.Attempts(ctx, by, list)
	return list, attempts, err
}

func (s *Endpoints) deliveries(ctx context.Context, by account.Actor, id string, want Selection) ([]Delivery, error) {
	if want.Delivery == "" {
		return s.o.Store.Deliveries(ctx, by, id, want.Before, want.Limit)
	}
	d, err := s.o.Store.Delivery(ctx, by, id, want.Delivery)
	if err != nil {
		return nil, err
	}
	return []Delivery{d}, nil
}

// ReplayDelivery makes a delivery of an endpoint once more, under its id. Only the
// endpoint's owner and the operator may; ErrNoDelivery for others.
func (s *Endpoints) ReplayDelivery(ctx context.Context, by account.Actor, id, delivery string) error {
	return s.o.Store.ReplayDelivery(ctx, by, id, delivery, ReplayAt(s.o.Now()))
}

// ReplayRange makes deliveries of all events between the two, both included, that the
// endpoint has asked for, and gives how many. Only the endpoint's owner and the operator
// may; ErrNoEndpoint for others.
func (s *Endpoints) ReplayRange(ctx context.Context, by account.Actor, id string, from, to int64) (int, error) {
	return s.o.Store.ReplayRange(ctx, by, id, from, to, ReplayAt(s.o.Now()))
}

// ReplayFailed makes the deliveries of an endpoint once more that failed in the time that
// lies back so far, and gives how many. Only the endpoint's owner and the operator may;
// ErrNoEndpoint for others.
func (s *Endpoints) ReplayFailed(ctx context.Context, by account.Actor, id string, back time.Duration) (int, error) {
	r := ReplayAt(s.o.Now())
	return s.o.Store.ReplayFailed(ctx, by, id, r.Now.Add(-back), r)
}
