package stripefake

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"
)

const (
	again   = 500 * time.Millisecond // before an event is sent again that was not taken, the first time
	late    = 100 * time.Millisecond // how late an event may be, at most
	giveUp  = 72 * time.Hour         // after which an event is not sent any more
	longest = 8 * time.Hour          // between two attempts
)

// backOff returns how long to wait after so many attempts that failed: twice as long each time.
func backOff(attempts int) time.Duration {
	wait := again
	for range attempts - 1 {
		if wait *= 2; wait >= longest {
			return longest
		}
	}
	return wait
}

// A sender sends events after they happened, late, twice and out of order: Stripe promises no order and no single
// delivery (https://docs.stripe.com/webhooks, event ordering and duplicate events). What is not taken is sent again,
// later each time, for three days (https://docs.stripe.com/webhooks, automatic retries). Others are sent meanwhile.
type sender struct {
	events func() []Event // all so far
	wanted func(kind string) bool
	send   func(ctx context.Context, e Event) error
	woken  chan struct{}
	stop   func()
}

// A delivery is an event that is to be sent.
type delivery struct {
	Event
	attempts   int
	next, over time.Time
}

func startSender(events func() []Event, wanted func(kind string) bool, send func(ctx context.Context, e Event) error) *sender {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	s := &sender{
		events: events, wanted: wanted, send: send, woken: make(chan struct{}, 1), stop: func() { cancel(); <-done },
	}
	go func() {
		defer close(done)
		s.run(ctx)
	}()
	return s
}

// run sends what is to be sent, each event after a while at random.
func (s *sender) run(ctx context.Context) {
	var waiting []*delivery
	for seen := 0; ctx.Err() == nil; {
		for _, e := range s.events()[seen:] {
			seen++
			for range 2 {
				if now := time.Now(); s.wanted(e.Type) {
					waiting = append(waiting, &delivery{e, 0, now.Add(rand.N(late)), now.Add(giveUp)}) //nolint:gosec // a delay
				}
			}
		}
		var timer <-chan time.Time
		var first *delivery
		for _, d := range waiting {
			if first == nil || d.next.Before(first.next) {
				first = d
			}
		}
		if first != nil {
			timer = time.After(time.Until(first.next))
		}
		select {
		case <-s.woken:
			continue
		case <-ctx.Done():
			return
		case <-timer:
		}
		if s.send(ctx, first.Event) != nil {
			first.attempts++
			first.next = time.Now().Add(backOff(first.attempts))
			if first.next.Before(first.over) {
				continue
			}
		}
		waiting = slices.DeleteFunc(waiting, func(d *delivery) bool { return d == first })
	}
}

// wake tells the sender that there is an event.
func (s *sender) wake() {
	select {
	case s.woken <- struct{}{}:
	default: // it is told already
	}
}
