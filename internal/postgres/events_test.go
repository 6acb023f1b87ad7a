package postgres_test

import (
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/webhook"
)

const day = 24 * time.Hour

func (db *testDB) pruneEvents(before time.Time, limit, want int) {
	db.Helper()
	n, err := db.Webhooks.PruneEvents(db.Context(), before, limit)
	db.must(err)
	wantEqual(db, "events pruned", n, want)
}

func (db *testDB) seqs() []int64 {
	db.Helper()
	return ask[int64](db, `SELECT seq FROM events ORDER BY seq`)
}

func TestPruneEvents(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	first := db.now
	db.pruneEvents(first, 100, 0)
	ada := db.signUp(owner, account.Pro).ID
	active, disabled := db.endpointOf(ada), ""
	for _, state := range []string{"paused", "unverified", "disabled"} {
		disabled = db.endpointOf(ada)
		db.exec(`UPDATE endpoints SET state = $2 WHERE id = $1`, disabled, state)
	}
	cursors := func(active, paused int64) {
		t.Helper()
		db.exec(`UPDATE endpoints SET cursor = CASE state WHEN 'active' THEN $1::bigint ELSE $2::bigint END WHERE state IN ('active', 'paused')`, active, paused)
	}
	for range 3 { // 1 to 3 on the first day, 4 to 6 ten days later, 7 to 9 another ten
		db.logMany(3)
		db.now = db.now.Add(10 * day)
	}

	cursors(9, 9) // those of the other two are 0
	db.pruneEvents(first, 100, 0)
	wantSame(t, "what is too young", db.seqs(), []int64{1, 2, 3, 4, 5, 6, 7, 8, 9})
	cursors(4, 9)
	db.pruneEvents(first.Add(15*day), 100, 4)
	wantSame(t, "what an active endpoint has not read yet", db.seqs(), []int64{5, 6, 7, 8, 9})
	cursors(9, 5)
	db.pruneEvents(first.Add(15*day), 100, 2)
	wantSame(t, "a paused one holds nothing: it will start at the end of the log", db.seqs(), []int64{7, 8, 9})
	db.exec(`INSERT INTO deliveries (id, endpoint_id, seq, type, state, next_at, made_at) VALUES ('msg_kept', $1, 8, 'tool.updated', 'exhausted', $2, $2)`,
		disabled, db.now)
	for _, want := range []int{1, 0} {
		db.pruneEvents(db.now, 1, want)
	}
	wantSame(t, "what a delivery names", db.seqs(), []int64{8, 9})
	db.exec(`DELETE FROM deliveries`)
	db.pruneEvents(db.now, 100, 2)
	db.pruneEvents(db.now, 100, 0)

	// The log goes on where it was.
	db.publish(before())
	wantEqual(t, "the next event", db.seqs()[0], 10)
	db.advance(active)
	wantEqual(t, "the first delivery", ask[int64](db, `SELECT min(seq) FROM deliveries`)[0], 10)
	for _, c := range []struct {
		name     string
		from, to int64
		want     int
		err      error
	}{
		{"all of it pruned", 1, 3, 0, webhook.ErrTooOld},
		{"some of it pruned", 9, 12, 0, webhook.ErrTooOld},
		{"from before the beginning", 0, 12, 0, webhook.ErrTooOld},
		{"none of it pruned", 10, 12, 3, nil},
	} {
		n, err := db.Webhooks.ReplayRange(t.Context(), operator, active, c.from, c.to, webhook.ReplayAt(db.now.Add(21*day)))
		wantError(t, c.name, err, c.err)
		wantEqual(t, c.name, n, c.want)
	}
}

// A clock that was set back makes an edition older than the one before it: both stay until the
// younger of them may go.
func TestPruneEvents_ByTheYoungest(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	db.logMany(1)
	db.now = db.now.Add(-time.Hour)
	db.logMany(1)
	db.pruneEvents(db.now.Add(time.Minute), 100, 0)
	db.pruneEvents(db.now.Add(time.Hour), 100, 0)
	db.pruneEvents(db.now.Add(time.Hour+time.Minute), 100, 2)
}

// Workers prune while endpoints follow the log: no delivery loses its event.
func TestPruneEvents_AtOnce(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	id := db.newEndpoint()
	const events = 200
	db.logMany(events)
	db.now = db.now.Add(500 * day)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 3 {
		p := db.isolated("serializable")
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := p.Webhooks.PruneEvents(t.Context(), db.now, 7); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for more := true; more; {
		var err error
		_, more, err = db.Webhooks.Advance(t.Context(), id, db.now, 5, 1000)
		db.must(err)
		db.exec(`DELETE FROM deliveries WHERE seq < (SELECT max(seq) - 20 FROM deliveries)`)
	}
	close(stop)
	wg.Wait()
	wantEqual(t, "the cursor", db.endpoint(id).Cursor, events)
	wantSame(t, "deliveries without an event", ask[int64](db, `
		SELECT seq FROM deliveries d WHERE NOT EXISTS (SELECT FROM events v WHERE v.seq = d.seq)`), []int64{})
	db.pruneEvents(db.now, events, len(db.seqs())-21)
}
