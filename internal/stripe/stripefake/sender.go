package stripefake

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"
)

const (
	again   = 500 * time.Millisecond // the pause before the first retry
	late    = 100 * time.Millisecond // the longest delay of a new event
	giveUp  = 72 * time.Hour         // after which an event is not sent any more
	longest = 8 * time.Hour          // the longest pause between two attempts
)

// backOff returns the pause after that many failed attempts: twice as long each time, up to longest.
func backOff(attempts int) time.Duration {
	wait := again
	for range attempts - 1 {
		if wait *= 2; wait >= longest {
			return longest
		}
	}
	return wait
}

// A sender sends events late, twice and out of order, because Stripe promises neither order nor single delivery
// (https://docs.stripe.com/webhooks, event ordering and duplicate events). It retries an event that is not accepted
// with growing pauses for three days (https://docs.stripe.com/webhooks, automatic retries), and sends others
// meanwhile.
type sender struct {
	events func() []Event // all so far
	wanted func(kind string) bool
	send   func(ctx context.Context, e Event) error
	woken  chan struct{}
	stop   func()
}

// A delivery is an event that is to be sent, at next, until over.
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

// run sends events, each twice after random delays, until the context ends.
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
	default: // it has been told already
	}
}
