package quota

import (
	"context"
	"errors"
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"

	"github.com/palmares-hq/palmares/internal/engine"
)

// rueidis keeps every command that has no reply yet in a ring buffer. A command that finds the
// ring full waits for a slot whatever its context says, up to 2.5 s when the connection is dead.
// So a command is sent only if the ring has a slot for it.
const (
	slotsPerCPU = 12   // 2¹²: more charges than a processor makes in DefaultWait
	maxRing     = 15   // 2¹⁵ slots, 13 MB for each connection
	ringReserve = 1024 // slots for rueidis's own pings
	// abandonedFor is how long a command whose caller has given up may still hold its slot. rueidis
	// checks for life every second, pings when it finds none the second time, and half a second
	// later closes the connection.
	abandonedFor = 3 * time.Second
)

// ringScale returns the logarithm of the slots that a node with so many processors has.
func ringScale(cpus int) int { return min(slotsPerCPU+bits.Len(uint(cpus-1)), maxRing) }

var errTooManyInFlight = errors.New("too many commands wait for a reply from Redis")

// An inFlight counts commands that have no reply yet.
type inFlight struct {
	most int64
	n    atomic.Int64
}

// mostInFlight returns how many commands of ours a ring of that size takes.
func mostInFlight(ringScale int) int64 { return 1<<ringScale - ringReserve }

// acquire takes a slot and reports whether there was one.
func (f *inFlight) acquire() bool {
	if f.n.Add(1) <= f.most {
		return true
	}
	f.n.Add(-1)
	return false
}

// release frees the slot of a command that ended with err: at once if Redis has replied or the
// connection is closed, later if the caller's context ended first.
func (f *inFlight) release(err error) {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		time.AfterFunc(abandonedFor, func() { f.n.Add(-1) })
		return
	}
	f.n.Add(-1)
}

// A boundedClient is a client whose commands fail instead of waiting for a slot in the ring.
type boundedClient struct {
	rueidis.Client
	inFlight inFlight
}

func (c *boundedClient) Do(ctx context.Context, cmd rueidis.Completed) rueidis.RedisResult {
	engine.Check(ctx)
	if !c.inFlight.acquire() {
		return rueidis.NewErrorResult(errTooManyInFlight)
	}
	result := c.Client.Do(ctx, cmd)
	c.inFlight.release(result.NonRedisError())
	return result
}

// DoMulti sends commands that share one slot.
func (c *boundedClient) DoMulti(ctx context.Context, cmds ...rueidis.Completed) []rueidis.RedisResult {
	engine.Check(ctx)
	if !c.inFlight.acquire() {
		results := make([]rueidis.RedisResult, len(cmds))
		for i := range results {
			results[i] = rueidis.NewErrorResult(errTooManyInFlight)
		}
		return results
	}
	results := c.Client.DoMulti(ctx, cmds...)
	c.inFlight.release(results[0].NonRedisError())
	return results
}
