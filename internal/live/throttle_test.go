package live

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// A node makes its first edition as fast as it can, and pauses while it makes another.
func TestNode_PausesForThoseItServes(t *testing.T) {
	t.Parallel()
	prepared, slow := 0, throttle.New(t.Context().Done())
	n := New(Options{Prepare: func(_ *catalog.Snapshot, t *throttle.Throttle) { t.Pause(); prepared++ }})
	n.swap(snapshot(catalogtest.Generated(50), 1, "one").Whole(), slow)
	testkit.Equal(t, "pauses before anybody is served", slow.Calls(), 0)
	next := snapshot(catalogtest.Generated(60), 2, "two").Whole()
	n.swap(next, slow)
	if slow.Calls() < 60 {
		t.Errorf("%d pauses in an edition of %d tools", slow.Calls(), len(next.Tools))
	}
	testkit.Equal(t, "preparations", prepared, 2)
}

// However long an edition takes to make, a node pauses in the first second only.
func TestNode_PausesNoLongerThanAnEditionMayTake(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const steps, work = 100, 100 * time.Millisecond
		n := New(Options{
			Logger: slog.New(slog.DiscardHandler),
			Prepare: func(_ *catalog.Snapshot, t *throttle.Throttle) {
				for range steps {
					time.Sleep(work)
					t.Pause()
				}
			},
		})
		feed := &sourceFeed{source: &source{}}
		for _, want := range []time.Duration{0, maxPauses} {
			e := feed.add(3)
			began := time.Now()
			testkit.Must(t, n.update(t.Context(), feed))
			if paused := time.Since(began) - steps*work; paused < want/2 || paused > want {
				t.Errorf("edition %d: %v of pauses, want at most %v", e.Number, paused, want)
			}
		}
	})
}
