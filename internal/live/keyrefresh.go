package live

import (
	"context"
	"slices"
	"sync"
	"time"
)

// A refresh is one read of the changes of access from the database, for all requests that asked for
// it before it began.
type refresh struct {
	done     chan struct{} // closed at its end
	err      error
	failures int
}

func (r *refresh) end(err error) {
	r.err = err
	close(r.done)
}

// maxFailures is the number of failed attempts after which a refresh fails. One failure may be an
// accident: a single terminated server process does not mean that the database is down.
const maxFailures = 3

// refreshes are the refreshes that requests wait for.
type refreshes struct {
	wake chan struct{} // holds a token when a refresh is wanted

	mu    sync.Mutex
	next  *refresh   // has not begun; nil if nobody wants one
	begun []*refresh // have begun and not ended
	last  time.Time  // when the last one was due
}

func newRefreshes() refreshes { return refreshes{wake: make(chan struct{}, 1)} }

// join returns the refresh that begins next, and requests one if nobody has.
func (q *refreshes) join() *refresh {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == nil {
		q.next = &refresh{done: make(chan struct{})}
		select {
		case q.wake <- struct{}{}:
		default:
		}
	}
	return q.next
}

// begin records that a read of the database begins. Requests that join later wait for the next
// refresh.
func (q *refreshes) begin() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next != nil {
		q.begun = append(q.begun, q.next)
		q.next = nil
	}
}

// end records that the keys are up to date, which ends all refreshes that have begun.
func (q *refreshes) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range q.begun {
		r.end(nil)
	}
	q.begun = nil
}

// failed records a failed attempt. A refresh that has seen maxFailures of them fails, too.
func (q *refreshes) failed(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.begun = slices.DeleteFunc(q.begun, func(r *refresh) bool {
		r.failures++
		if r.failures < maxFailures {
			return false
		}
		r.end(err)
		return true
	})
}

// abandon ends all refreshes with context.Canceled, because there will be no more.
func (q *refreshes) abandon() {
	q.begin()
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range q.begun {
		r.end(context.Canceled)
	}
	q.begun = nil
}

// due waits until a refresh is wanted and at least the given time has passed since it last returned
// true. It returns false if ctx is done first.
func (q *refreshes) due(ctx context.Context, every time.Duration) bool {
	for !q.wanted() {
		select {
		case <-ctx.Done():
			return false
		case <-q.wake:
		}
	}
	q.mu.Lock()
	last := q.last
	q.mu.Unlock()
	if wait := every - time.Since(last); wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-ctx.Done(): // an announcement came first, and its update serves them too
			return false
		case <-timer.C:
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.last = time.Now()
	return true
}

func (q *refreshes) wanted() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.next != nil || len(q.begun) > 0
}
