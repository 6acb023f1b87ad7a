package about

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// An answer that comes late is for those who come later, and one that does not come is not asked for
// again at once. Time is that of the bubble.
func TestWatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked, takes atomic.Int64
		w := &cachedQuery[time.Duration]{now: time.Now, ask: func(ctx context.Context) (time.Duration, error) {
			asked.Add(1)
			select {
			case <-time.After(time.Duration(takes.Load())):
				return 42 * time.Second, nil
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		}}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		for _, c := range []struct {
			name         string
			ctx          context.Context
			wait, takes  time.Duration
			known, asked int64
		}{
			{"the first", t.Context(), 0, 100 * time.Millisecond, 50, 1},
			{"soon after", t.Context(), 14 * time.Second, 0, 50, 1},
			{"late", t.Context(), time.Second, time.Second, 0, 2},
			{"once it is there", t.Context(), time.Second, 0, 50, 2},
			{"never", t.Context(), 14 * time.Second, time.Hour, 0, 3},
			{"soon after none came", t.Context(), 10 * time.Second, 0, 0, 3},
			{"readers who went away", gone, 5 * time.Second, 300 * time.Millisecond, 0, 4},
			{"those who wait on", t.Context(), 0, 0, 50, 4},
		} {
			time.Sleep(c.wait)
			takes.Store(int64(c.takes))
			var known atomic.Int64
			var all sync.WaitGroup
			for range 50 {
				all.Go(func() {
					if a := w.read(c.ctx); a != nil && a.value == 42*time.Second {
						known.Add(1)
					}
				})
			}
			all.Wait()
			synctest.Wait() // the question has begun, though nobody waits for it
			testkit.Equal(t, c.name+": readers who know", known.Load(), c.known)
			testkit.Equal(t, c.name+": questions", asked.Load(), c.asked)
		}
	})
}
