package throttle

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// Work of one step or more is followed by a pause twice as long, less by none, and none is left once the
// throttle is stopped.
func TestThrottle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stop := make(chan struct{})
		throttle := New(stop)
		paused := func(worked time.Duration) time.Duration {
			time.Sleep(worked)
			began := time.Now()
			throttle.Pause()
			return time.Since(began)
		}
		testkit.Equal(t, "after half a step", paused(step/2), time.Duration(0))
		testkit.Equal(t, "after another half", paused(step/2), 2*step)
		testkit.Equal(t, "after a long step", paused(time.Second), 2*time.Second)
		close(stop)
		testkit.Equal(t, "once stopped", paused(time.Second), time.Duration(0))
		testkit.Equal(t, "calls", throttle.Calls(), 4)
		throttle = nil
		testkit.Equal(t, "without a throttle", paused(time.Second), time.Duration(0))
	})
}
