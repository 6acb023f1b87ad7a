package stripefake

import (
	"context"
	"time"
)

// again is how long a sender waits before it sends an event again that was not taken.
const again = 500 * time.Millisecond

// A sender sends events as they happen, in their order, each until it is taken.
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

func (s *sender) run(ctx context.Context) {
	for sent := 0; ctx.Err() == nil; {
		var retry <-chan time.Time
		if events := s.events(); sent < len(events) {
			if s.send(ctx, events[sent]) == nil {
				sent++
				continue
			}
			retry = time.After(again)
		}
		select {
		case <-s.woken:
		case <-retry:
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
