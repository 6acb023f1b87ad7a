package live

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Work of one step or more is followed by twice as long a rest, less by none, and none is left when
// nobody is served any more.
func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hurry := make(chan struct{})
		p := newPace(hurry)
		rested := func(worked time.Duration) time.Duration {
			time.Sleep(worked)
			began := time.Now()
			p.rest()
			return time.Since(began)
		}
		testkit.Equal(t, "after half a step", rested(step/2), time.Duration(0))
		testkit.Equal(t, "after another half", rested(step/2), 2*step)
		testkit.Equal(t, "after a long step", rested(time.Second), 2*time.Second)
		close(hurry)
		testkit.Equal(t, "in a hurry", rested(time.Second), time.Duration(0))
	})
}

// A node makes its first edition as fast as it can, and rests while it makes another.
func TestNode_RestsForThoseItServes(t *testing.T) {
	t.Parallel()
	rests, prepared := 0, 0
	rest := func() { rests++ }
	n := New(Options{Prepare: func(_ *catalog.Snapshot, rest func()) { rest(); prepared++ }})
	n.swap(snapshot(catalogtest.Generated(50), 1, "one").Whole(), rest)
	testkit.Equal(t, "rests before anybody is served", rests, 0)
	next := snapshot(catalogtest.Generated(60), 2, "two").Whole()
	n.swap(next, rest)
	if rests < 60 {
		t.Errorf("%d rests in an edition of %d tools", rests, len(next.Tools))
	}
	testkit.Equal(t, "preparations", prepared, 2)
}

// However long an edition takes to make, a node rests in the first second only.
func TestNode_RestsNoLongerThanAnEditionMayTake(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const steps, work = 100, 100 * time.Millisecond
		n := New(Options{
			Logger: slog.New(slog.DiscardHandler),
			Prepare: func(_ *catalog.Snapshot, rest func()) {
				for range steps {
					time.Sleep(work)
					rest()
				}
			},
		})
		feed := &sourceFeed{source: &source{}}
		for _, want := range []time.Duration{0, maxRests} {
			e := feed.add(3)
			began := time.Now()
			testkit.Must(t, n.update(t.Context(), feed))
			if rested := time.Since(began) - steps*work; rested < want/2 || rested > want {
				t.Errorf("edition %d: %v of rests, want at most %v", e.Number, rested, want)
			}
		}
	})
}
