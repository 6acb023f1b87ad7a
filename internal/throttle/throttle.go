// Package throttle slows down work that nobody waits for, because the requests that are answered meanwhile
// come first. Whoever builds something in the background holds a Throttle and calls Pause between small
// steps. A nil Throttle never pauses: it is for work that somebody waits for.
package throttle

import "time"

const (
	// step is the work after which a pause is due: where all processors are busy, a request that comes
	// meanwhile waits that long.
	step = 300 * time.Microsecond
	// pauseFactor makes a pause twice as long as the work before it, which so takes a third of one
	// processor.
	pauseFactor = 2
)

// A Throttle is for one goroutine.
type Throttle struct {
	stop    <-chan struct{}
	resumed time.Time // when the last pause ended
	calls   int
}

// New makes a throttle that pauses until stop is closed.
func New(stop <-chan struct{}) *Throttle { return &Throttle{stop: stop, resumed: time.Now()} }

// Pause is called between small steps of the work, as often as is convenient. Most calls return at
// once.
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

// Calls is how often Pause was called.
func (t *Throttle) Calls() int { return t.calls }
