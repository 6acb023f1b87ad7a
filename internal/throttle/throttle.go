// Package throttle slows background work down, so that it leaves the processors to requests. The worker
// has a Throttle and calls Pause between small steps. A nil Throttle never pauses: it is for work that
// somebody waits for.
package throttle

import "time"

const (
	// step is how long to work before a pause is due. If all processors are busy, a new request
	// waits that long.
	step = 300 * time.Microsecond
	// pauseFactor makes a pause twice as long as the work before it, which thus takes a third of
	// one processor.
	pauseFactor = 2
)

// A Throttle makes one goroutine pause.
type Throttle struct {
	stop    <-chan struct{}
	resumed time.Time // when the last pause ended
	calls   int
}

// New returns a throttle that pauses until stop is closed.
func New(stop <-chan struct{}) *Throttle { return &Throttle{stop: stop, resumed: time.Now()} }

// Pause sleeps if a pause is due. Call it between small steps of the work, as often as is
// convenient: most calls return at once.
func (t *Throttle) Pause() {
	if t == nil {
		return
	}
	t.calls++
	worked := time.Since(t.resumed)
	if worked < step {
		return
	}
	select {
	case <-t.stop:
	case <-time.After(pauseFactor * worked):
	}
	t.resumed = time.Now()
}

// Calls returns how often Pause was called.
func (t *Throttle) Calls() int { return t.calls }
