package stripefake

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	again = 500 * time.Millisecond // before an event is sent again that was not taken
	late  = 100 * time.Millisecond // how late an event may be, at most
)

// A sender sends events after they happened, late, twice and out of order, each until it is taken: Stripe
// promises no order and no single delivery (https://docs.stripe.com/webhooks, event ordering and duplicate
// events).
type sender struct {
	events func() []Event // all so far
	send   func(ctx context.Context, e Event) error
	woken  chan struct{}
	stop   func()
}

func startSender(events func() []Event, send func(ctx context.Context, e Event) error) *sender {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	s := &sender{
		events: events, send: send, woken: make(chan struct{}, 1), stop: func() { cancel(); <-done },
	}
	go func() {
		defer close(done)
		s.run(ctx)
	}()
	return s
}

// run sends what is to be sent, an event at random after a while at random.
func (s *sender) run(ctx context.Context) {
	var waiting []Event
	for seen := 0; ctx.Err() == nil; {
		for _, e := range s.events()[seen:] {
			waiting = append(waiting, e, e)
			seen++
		}
		var next <-chan time.Time
		if len(waiting) > 0 {
			next = time.After(rand.N(late)) //nolint:gosec // a delay
		}
		select {
		case <-s.woken:
			continue
		case <-ctx.Done():
			return
		case <-next:
		}
		i := rand.IntN(len(waiting)) //nolint:gosec // an order
		if s.send(ctx, waiting[i]) == nil {
			waiting[i] = waiting[len(waiting)-1]
			waiting = waiting[:len(waiting)-1]
			continue
		}
		select {
		case <-time.After(again):
		case <-ctx.Done():
		}
	}
}

// wake tells the sender that there is an event.
func (s *sender) wake() {
	select {
	case s.woken <- struct{}{}:
	default: // it is told already
	}
}
