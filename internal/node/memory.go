package node

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// headroom is how much a node may allocate between two collections of garbage. By default Go collects whenever the
// heap has doubled: with a small catalog every 20 MB or so, dozens of times a second under load, for a fifth of the
// processor.
const headroom = 128 << 20

// leastPercent is how much a large catalog may allocate between two collections, in percent of its live heap. A node
// that starts takes three times that heap anyway, so the memory is there; and requests feel a collection of a large
// heap.
const leastPercent = 200

// loadPercent is the setting while a disk copy is loaded. Nearly everything that is allocated then stays: collecting
// over and over as the heap grows would take a third of the time to readiness.
const loadPercent = 800

// A collector sets how often the process collects garbage (GOGC): rarely enough that requests do not feel it, often
// enough for the memory that a node has. Nothing else may set it. Until own is called it sets nothing: a test, or a
// program with several nodes, keeps Go's own setting.
type collector struct {
	mu      sync.Mutex
	set     func(percent int) // nil until own
	live    func() uint64     // the live heap at the last collection
	heap    func() uint64     // the heap now, including garbage since the last collection
	loads   int               // under way
	percent int               // as it was set

	limit uint64 // the memory limit that was set; 0 is none
	tight bool   // the limit was too low at the last check

	// tooLittle, when set, is called each time the limit becomes less than twice the live heap: the process then
	// collects garbage all the time, or is killed.
	tooLittle func(live, limit uint64)
}

// newCollector returns a collector that sets nothing yet.
func newCollector() *collector {
	return &collector{live: heapMetric("/gc/heap/live:bytes"), heap: heapMetric("/memory/classes/heap/objects:bytes")}
}

func heapMetric(name string) func() uint64 {
	return func() uint64 {
		sample := []metrics.Sample{{Name: name}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
}

// share is Go's share of the memory that the kernel allows the process: the rest is for memory outside the Go heap.
const share = 0.9

// own sets the garbage collector until ctx is done, and the memory limit if the kernel limits the process. It sets
// nothing if the operator has set GOGC or GOMEMLIMIT.
func (c *collector) own(ctx context.Context) {
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

// adjust sets the collector for the current live heap.
func (c *collector) adjust() {
	c.mu.Lock()
	defer c.mu.Unlock()
	live := c.live()
	c.choose(live)
	tight := c.limit > 0 && c.limit < 2*live
	if tight && !c.tight && c.tooLittle != nil {
		c.tooLittle(live, c.limit)
	}
	c.tight = tight
}

// loading sets the collector for the loading of a disk copy, until done is called. Loads may overlap.
func (c *collector) loading() (done func()) {
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

// choose sets the collector for a live heap of that size, or for loading while a load is in progress.
func (c *collector) choose(live uint64) {
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

// gcPercent returns the setting of the collector that leaves headroom above a live heap.
func gcPercent(live uint64) int {
	const smallest = 4 << 20                                        // Go's minimum heap
	return int(max(leastPercent, headroom*100/max(live, smallest))) //nolint:gosec // at most 3,200
}

// noLimit is the least value that means no limit in control groups v1.
const noLimit = 1 << 60

// cgroupLimit returns the smallest memory limit that the kernel sets for this process, by its control group or one
// around it, of v1 or v2; 0 if there is none. root is the root of the file system.
func cgroupLimit(root string) uint64 {
	text, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return 0 // not Linux, or /proc is not readable
	}
	var least uint64
	for line := range strings.Lines(string(text)) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, group, ok := strings.Cut(rest, ":")
		switch {
		case !ok:
		case controllers == "":
			least = smaller(least, groupLimit(filepath.Join(root, "sys/fs/cgroup"), group, "memory.max"))
		case slices.Contains(strings.Split(controllers, ","), "memory"):
			least = smaller(least, groupLimit(filepath.Join(root, "sys/fs/cgroup/memory"), group, "memory.limit_in_bytes"))
		}
	}
	return least
}

// groupLimit returns the smallest limit of a group and its ancestors; 0 if there is none. Groups outside of a
// container have no files here.
func groupLimit(mount, group, file string) (least uint64) {
	for group = path.Clean("/" + group); ; group = path.Dir(group) {
		if text, err := os.ReadFile(filepath.Join(mount, group, file)); err == nil {
			limit, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
			if err == nil && limit < noLimit { // the word max means no limit
				least = smaller(least, limit)
			}
		}
		if group == "/" {
			return least
		}
	}
}

// smaller returns the smaller of two limits, where 0 is none.
func smaller(a, b uint64) uint64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}
