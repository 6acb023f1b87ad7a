package postgres_test

import (
	"context"
	"flag"
	"fmt"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
)

var seed = flag.Uint64("seed", 1, "of the random publications")

// Whatever edition a node has, the delta must bring it to the very snapshot that
// a node which starts from nothing builds.
func TestEveryDeltaLeadsToTheSameSnapshot(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	w := newWorld(*seed)
	feed := b.feed()
	since := func(e catalog.Edition) catalog.Delta {
		d, err := feed.Since(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}

	var snapshots []*catalog.Snapshot // of every edition, from nothing
	events := 0
	for range 30 {
		b.nextDay()
		for range 1 + w.IntN(4) {
			w.edit()
		}
		var changes catalog.Changes
		_, err := b.db.Publish(t.Context(), b.clock, func(ctx context.Context, current *catalog.Contents, e catalog.Edition) (_ catalog.Changes, err error) {
			changes, err = b.toward(w.next)(ctx, current, e)
			return changes, err
		})
		if err != nil {
			t.Fatal(err)
		}
		events += len(changes.Events())
		snapshots = append(snapshots, catalog.Empty().Apply(since(catalog.Edition{})))
		wantSame(t, "what the editors wrote and what is published", editorial(*snapshots[len(snapshots)-1].Contents()), w.written())
	}
	last := snapshots[len(snapshots)-1]
	if n := last.Edition().Number; n < 20 || events == 0 {
		t.Fatalf("the edits made %d editions and %d events: too tame to prove anything", n, events)
	}
	want := served(last)
	for _, s := range snapshots {
		d := since(s.Edition())
		wantEqual(t, "From", d.From, s.Edition().Number)
		wantSame(t, fmt.Sprintf("the snapshots from edition %d and from nothing", d.From), served(s.Apply(d)), want)
	}
	wantEqual(t, "events in the log", ask[int64](b, `SELECT count(*) FROM events`)[0], int64(events))
}
