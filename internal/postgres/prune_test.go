package postgres_test

import (
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/webhook"
)

const day = 24 * time.Hour

func (b *bench) pruneEvents(before time.Time, limit, want int) {
	b.Helper()
	n, err := b.db.PruneEvents(b.Context(), before, limit)
	if n != want || err != nil {
		b.Errorf("%d events pruned, not %d: %v", n, want, err)
	}
}

func (b *bench) seqs() []int64 {
	b.Helper()
	return ask[int64](b, `SELECT seq FROM events ORDER BY seq`)
}

func TestPruneEvents(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx := t.Context()
	first := b.now
	b.pruneEvents(first, 100, 0)
	ada := b.signUp(owner, account.Pro).ID
	active, paused, disabled, unverified := b.endpointOf(ada), b.endpointOf(ada), b.endpointOf(ada), b.endpointOf(ada)
	b.exec(`UPDATE endpoints SET state = 'paused' WHERE id = $1`, paused)
	b.exec(`UPDATE endpoints SET state = 'disabled' WHERE id = $1`, disabled)
	b.exec(`UPDATE endpoints SET state = 'unverified' WHERE id = $1`, unverified)
	cursors := func(active, paused int64) {
		t.Helper()
		b.exec(`UPDATE endpoints SET cursor = CASE state WHEN 'active' THEN $1::bigint ELSE $2::bigint END WHERE state IN ('active', 'paused')`, active, paused)
	}
	for range 3 { // 1 to 3 on the first day, 4 to 6 ten days later, 7 to 9 another ten
		b.logMany(3)
		b.now = b.now.Add(10 * day)
	}

	cursors(9, 9) // those of the other two are 0
	b.pruneEvents(first, 100, 0)
	wantSame(t, "what is not older than the limit", b.seqs(), []int64{1, 2, 3, 4, 5, 6, 7, 8, 9})
	cursors(4, 9)
	b.pruneEvents(first.Add(15*day), 100, 4)
	wantSame(t, "what an active endpoint has not read yet", b.seqs(), []int64{5, 6, 7, 8, 9})
	cursors(9, 5)
	b.pruneEvents(first.Add(15*day), 100, 1)
	wantSame(t, "nor a paused one", b.seqs(), []int64{6, 7, 8, 9})
	cursors(9, 9)
	b.exec(`INSERT INTO deliveries (id, endpoint_id, seq, type, state, next_at, made_at) VALUES ('msg_kept', $1, 8, 'tool.updated', 'exhausted', $2, $2)`,
		disabled, b.now)
	b.pruneEvents(b.now, 1, 1)
	b.pruneEvents(b.now, 1, 1)
	b.pruneEvents(b.now, 1, 0)
	wantSame(t, "nor one that a kept delivery names", b.seqs(), []int64{8, 9})
	b.exec(`DELETE FROM deliveries`)
	b.pruneEvents(b.now, 100, 2)
	b.pruneEvents(b.now, 100, 0)

	// The log goes on where it was.
	b.publish(before())
	wantEqual(t, "the next event", b.seqs()[0], 10)
	b.advance(active)
	wantEqual(t, "the first delivery", ask[int64](b, `SELECT min(seq) FROM deliveries`)[0], 10)
	for name, of := range map[string][2]int64{"all of it pruned": {1, 3}, "some of it pruned": {9, 12}, "from before the beginning": {0, 12}} {
		_, err := b.db.ReplayRange(ctx, account.Operator(), active, of[0], of[1], webhook.ReplayAt(b.now.Add(21*day)))
		wantError(t, name, err, webhook.ErrTooOld)
	}
	n, err := b.db.ReplayRange(ctx, account.Operator(), active, 10, 12, webhook.ReplayAt(b.now.Add(21*day)))
	if n != 3 || err != nil {
		t.Errorf("%d replayed: %v", n, err)
	}
}

// A clock that was set back makes an edition older than the one before: both stay until
// the younger of them may go.
func TestPruneEvents_ByTheYoungest(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.logMany(1)
	b.now = b.now.Add(-time.Hour)
	b.logMany(1)
	b.pruneEvents(b.now.Add(time.Minute), 100, 0)
	b.pruneEvents(b.now.Add(time.Hour), 100, 0)
	b.pruneEvents(b.now.Add(time.Hour+time.Minute), 100, 2)
}

// Workers prune while endpoints follow the log: no delivery loses its event.
func TestPruneEvents_AtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.newEndpoint()
	const events = 200
	b.logMany(events)
	b.now = b.now.Add(500 * day)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 3 {
		db := b.at("serializable")
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := db.PruneEvents(t.Context(), b.now, 7); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for more := true; more; {
		var err error
		if _, more, err = b.db.Advance(t.Context(), id, b.now, 5, 1000); err != nil {
			t.Fatal(err)
		}
		b.exec(`DELETE FROM deliveries WHERE seq < (SELECT max(seq) - 20 FROM deliveries)`)
	}
	close(stop)
	wg.Wait()
	wantEqual(t, "the cursor", b.endpoint(id).Cursor, events)
	wantSame(t, "deliveries without an event", ask[int64](b, `
		SELECT seq FROM deliveries d WHERE NOT EXISTS (SELECT FROM events v WHERE v.seq = d.seq)`), []int64{})
	b.pruneEvents(b.now, events, len(b.seqs())-21)
}
