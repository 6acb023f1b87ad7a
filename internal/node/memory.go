package node

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
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

// leaveHeadroom keeps the garbage collector to that, until ctx is done. An operator
// who has set GOGC or GOMEMLIMIT has the last word.
func leaveHeadroom(ctx context.Context) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	set := 100
	for {
		metrics.Read(live)
		if want := gcPercent(live[0].Value.Uint64()); want*4 < set*3 || want*3 > set*4 {
			set = want
			debug.SetGCPercent(set)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(2 * time.Second):
		}
	}
}

// gcPercent is the setting of the collector that leaves headroom above a live heap.
func gcPercent(live uint64) int {
	const smallest = 4 << 20                                        // what Go takes for the least
	return int(max(leastPercent, headroom*100/max(live, smallest))) //nolint:gosec // at most 3,200
}
