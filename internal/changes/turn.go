package changes

import (
	"context"
	"sync"
)

// turns lets all who ask at a time share one question. Who comes while one is asked waits for the next: what
// they want to know may have become true since.
type turns[T any] struct {
	ask func() (T, error) // ends by itself

	mu   sync.Mutex
	busy bool
	next *turn[T]
}

type turn[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// get returns the answer to a question that was asked after the call.
func (t *turns[T]) get(ctx context.Context) (T, error) {
	t.mu.Lock()
	if t.next == nil {
		t.next = &turn[T]{done: make(chan struct{})}
	}
	mine := t.next
	if !t.busy {
		t.busy = true
		go t.run()
	}
	t.mu.Unlock()
	select {
	case <-mine.done:
		return mine.value, mine.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// run asks until nobody waits any more.
func (t *turns[T]) run() {
	for {
		t.mu.Lock()
		now := t.next
		t.next = nil
		t.busy = now != nil
		t.mu.Unlock()
		if now == nil {
			return
		}
		now.value, now.err = t.ask()
		close(now.done)
	}
}
