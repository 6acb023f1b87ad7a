package live

import (
	"context"
	"slices"
	"sync"
	"time"
)

// A refresh reads the changes of access from the database, for all requests that asked before it
// began.
type refresh struct {
	done     chan struct{} // closed at its end
	err      error
	failures int
}

func (r *refresh) end(err error) {
	r.err = err
	close(r.done)
}

// maxFailures is after how many attempts a refresh fails. One may break by accident: a server
// process that was ended is not a database that is gone.
const maxFailures = 3

// refreshes are those that requests wait for.
type refreshes struct {
	wake chan struct{} // holds a token when a refresh is wanted

	mu    sync.Mutex
	next  *refresh   // has not begun; nil when nobody wants it
	begun []*refresh // have begun and not ended
	last  time.Time  // when the last one was due
}

func newRefreshes() refreshes { return refreshes{wake: make(chan struct{}, 1)} }

// join gives the refresh that begins next.
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

// begin says that the database is asked from now on. Who joins later waits for the next refresh.
func (q *refreshes) begin() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next != nil {
		q.begun = append(q.begun, q.next)
		q.next = nil
	}
}

// end says that the keys are up to date: every refresh that has begun is over.
func (q *refreshes) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range q.begun {
		r.end(nil)
	}
	q.begun = nil
}

// failed says that an attempt failed. A refresh that has seen too many of them fails, too.
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

// abandon says that there will be no more refreshes.
func (q *refreshes) abandon() {
	q.begin()
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range q.begun {
		r.end(context.Canceled)
	}
	q.begun = nil
}

// due returns true when a refresh is wanted, and not before the given time has passed since it last
// did. It returns false when ctx is done.
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
