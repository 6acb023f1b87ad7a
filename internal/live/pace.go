package live

import "time"

const (
	// step is the work after which a rest is due: where all processors are busy, a request that comes
	// meanwhile waits that long.
	step = 300 * time.Microsecond
	// restFactor makes a rest twice as long as the work before it, which so takes a third of one
	// processor.
	restFactor = 2
)

// A pace lets work in the background rest, because the requests that are being answered meanwhile
// come first.
type pace struct {
	hurry  <-chan struct{} // closed when there are to be no more rests
	rested time.Time
}

func newPace(hurry <-chan struct{}) *pace { return &pace{hurry, time.Now()} }

// rest is called between small steps of the work, as often as is convenient. Most calls return at
// once.
func (p *pace) rest() {
	worked := time.Since(p.rested)
	if worked < step {
		return
	}
	select {
	case <-p.hurry:
	case <-time.After(restFactor * worked):
	}
	p.rested = time.Now()
}

func noRest() {}
