// Package memory says how often a process collects garbage: rarely enough for requests not to feel it, often
// enough for the memory that a node has. Begin with Collector.Own. It sets nothing before that: a test, or a
// program that holds several nodes, keeps Go's own setting.
package memory

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// headroom is how much a node may allocate between two collections of garbage. By
// default Go collects whenever the heap has doubled. That is every 20 MB or so with a
// small catalog: dozens of times a second under load, for a fifth of the processor.
const headroom = 128 << 20

// leastPercent is what a large catalog may allocate between two collections, in percent of its live
// heap. A node that starts takes three times that heap anyway, so the memory is there; and requests
// feel a collection of a large heap.
const leastPercent = 200

// loadPercent is the setting while a disk copy is loaded. Nearly all that is allocated then stays:
// collecting over and over as it grows would take a third of the time to readiness.
const loadPercent = 800

// A Collector is the only one that sets the garbage collector (GOGC) of the process. Until it owns the
// process it sets nothing.
type Collector struct {
	mu      sync.Mutex
	set     func(percent int) // nil while the process is not this node's
	live    func() uint64     // the live heap at the last collection
	heap    func() uint64     // the heap now, with what has become garbage since then
	loads   int               // under way
	percent int               // as it was set

	limit uint64 // of memory, as it was set; 0 is none
	tight bool   // it was too little when it was last looked at

	// TooLittle, when set, is told that the limit is less than twice the live heap, once each time it becomes so: the process then
	// collects garbage all the time, or ends.
	TooLittle func(live, limit uint64)
}

// New returns a collector that sets nothing yet.
func New() *Collector {
	return &Collector{live: heapMetric("/gc/heap/live:bytes"), heap: heapMetric("/memory/classes/heap/objects:bytes")}
}

func heapMetric(name string) func() uint64 {
	return func() uint64 {
		sample := []metrics.Sample{{Name: name}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
}

// share is what Go may have of the memory that the kernel allows the process: the rest is for what is not Go's.
const share = 0.9

// Own sets the garbage collector from now on, until ctx is done. An operator who has set GOGC or
// GOMEMLIMIT has the last word.
//
// Where the kernel limits the memory of the process, Go collects more often before it reaches that.
func (c *Collector) Own(ctx context.Context) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	c.mu.Lock()
	c.set = func(percent int) { debug.SetGCPercent(percent) }
	if allowed := cgroupLimit("/"); allowed > 0 {
		c.limit = uint64(share * float64(allowed))
		debug.SetMemoryLimit(int64(c.limit)) //nolint:gosec // less than noLimit
	}
	c.mu.Unlock()
	for {
		c.adjust()
		select {
		case <-ctx.Done():
			return
		case <-time.After(2 * time.Second):
		}
	}
}

// adjust follows the live heap.
func (c *Collector) adjust() {
	c.mu.Lock()
	defer c.mu.Unlock()
	live := c.live()
	c.choose(live)
	tight := c.limit > 0 && c.limit < 2*live
	if tight && !c.tight && c.TooLittle != nil {
		c.TooLittle(live, c.limit)
	}
	c.tight = tight
}

// Loading says that a disk copy is being loaded, until done is called.
func (c *Collector) Loading() (done func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.loads++
	c.choose(c.live())
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.loads--
		c.choose(c.heap()) // most of it stays, and the last collection has not seen it
	})
}

// choose sets what is right for a live heap of that size, and for what is under way.
func (c *Collector) choose(live uint64) {
	want := gcPercent(live)
	near := want*4 >= c.percent*3 && want*3 <= c.percent*4
	if c.loads > 0 {
		want, near = loadPercent, false
	}
	if c.set == nil || near || want == c.percent {
		return
	}
	c.percent = want
	c.set(want)
}

// gcPercent is the setting of the collector that leaves headroom above a live heap.
func gcPercent(live uint64) int {
	const smallest = 4 << 20                                        // what Go takes for the least
	return int(max(leastPercent, headroom*100/max(live, smallest))) //nolint:gosec // at most 3,200
}
