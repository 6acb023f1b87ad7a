package quota

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"
)

// rueidis queues commands in a ring with a place for each that has no answer yet. One
// that finds the ring full waits for a place, whatever its context says, for as long as
// it takes to find the connection dead. So none is sent that might not find a place.
const (
	ringScale = 15   // 2¹⁵ = 32,768 places, at a cost of 13 MB for each connection
	ringSpare = 1024 // for rueidis's own pings
	ringPlace = 1<<ringScale - ringSpare
	// abandoned is for how long a command keeps its place that nobody waits for any more.
	// rueidis looks for a sign of life every second, at the second time in vain it
	// asks for one, and half a second later the connection is dead.
	abandoned = 3 * time.Second
)

var errNoRoom = errors.New("Redis owes too many answers")

// A room has places for commands without an answer.
type room struct{ taken atomic.Int64 }

// enter takes a place, if there is one.
func (r *room) enter() bool {
	if r.taken.Add(1) <= ringPlace {
		return true
	}
	r.taken.Add(-1)
	return false
}

// leave gives the place back: at once if Redis has answered or the connection is gone,
// which is when err does not come from the context.
func (r *room) leave(err error) {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		time.AfterFunc(abandoned, func() { r.taken.Add(-1) })
		return
	}
	r.taken.Add(-1)
}

// A boundedClient is a client whose commands never wait for a place in the ring.
type boundedClient struct {
	rueidis.Client
	room room
}

func (c *boundedClient) Do(ctx context.Context, cmd rueidis.Completed) rueidis.RedisResult {
	if !c.room.enter() {
		return rueidis.NewErrorResult(errNoRoom)
	}
	result := c.Client.Do(ctx, cmd)
	c.room.leave(result.NonRedisError())
	return result
}

// DoMulti sends commands that share one place.
func (c *boundedClient) DoMulti(ctx context.Context, cmds ...rueidis.Completed) []rueidis.RedisResult {
	if !c.room.enter() {
		results := make([]rueidis.RedisResult, len(cmds))
		for i := range results {
			results[i] = rueidis.NewErrorResult(errNoRoom)
		}
		return results
	}
	results := c.Client.DoMulti(ctx, cmds...)
	c.room.leave(results[0].NonRedisError())
	return results
}
