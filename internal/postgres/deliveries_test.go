package postgres_test

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/webhook"
)

func (db *testDB) deliveries(id string) []webhook.Delivery {
	db.Helper()
	list, err := db.Webhooks.Deliveries(db.Context(), operator, id, webhook.DeliveryFilter{Limit: 1000})
	db.must(err)
	return list
}

func (db *testDB) record(id string, outcomes ...webhook.Outcome) {
	db.Helper()
	db.must(db.Webhooks.Record(db.Context(), id, outcomes, webhook.Health{}, db.now))
}

func TestAdvance_ByTypesAndCategories(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	id := db.newEndpoint()
	db.log("tool.created", "tool.updated", "price.changed", "tool.updated")
	db.exec(`UPDATE events SET categories = '{voix}' WHERE seq = 2`)
	db.exec(`UPDATE events SET categories = '{code,voix}' WHERE seq = 3`)
	for _, c := range []struct {
		types      []catalog.EventType
		categories []string
		want       []int64
	}{
		{nil, nil, []int64{1, 2, 3, 4}},
		{[]catalog.EventType{"tool.updated"}, nil, []int64{2, 4}},
		{[]catalog.EventType{"tool.created", "price.changed"}, nil, []int64{1, 3}},
		{nil, []string{"voix"}, []int64{2, 3}},
		{nil, []string{"voix", "image"}, []int64{2, 3}},
		{[]catalog.EventType{"tool.updated"}, []string{"code"}, []int64{4}},
		{[]catalog.EventType{"embeddings.updated"}, nil, []int64{}},
	} {
		db.exec(`DELETE FROM deliveries`)
		db.exec(`UPDATE endpoints SET cursor = 0`)
		_, err := db.Webhooks.UpdateEndpoint(t.Context(), operator, id, webhook.Change{NewTypes: true, Types: c.types, NewCategories: true, Categories: c.categories}, db.now)
		db.must(err)
		db.advance(id)
		name := fmt.Sprint(c.types, c.categories)
		wantSame(t, name, ask[int64](db, `SELECT seq FROM deliveries ORDER BY seq`), c.want)
		wantEqual(t, "the cursor for "+name, db.endpoint(id).Cursor, 4)
		n, err := db.Webhooks.ReplayRange(t.Context(), operator, id, 1, 4, db.replay())
		db.must(err)
		wantEqual(t, "how many are replayed for "+name, n, len(c.want))
	}
}

func TestAdvance_ByBatches(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	id := db.newEndpoint("price.changed")
	db.log("tool.updated", "tool.updated", "price.changed", "tool.updated", "price.changed")
	advance := func(limit, most int) string {
		t.Helper()
		made, more, err := db.Webhooks.Advance(t.Context(), id, db.now, limit, most)
		db.must(err)
		db.wantFirstDue()
		return fmt.Sprint("made ", made, ", more ", more, ", cursor ", db.endpoint(id).Cursor)
	}
	wantEqual(t, "nothing that it subscribes to", advance(2, 1), "made 0, more true, cursor 2")
	wantEqual(t, "one of two", advance(2, 1), "made 1, more true, cursor 4")
	wantEqual(t, "endpoints to enqueue", db.enqueue(), 1)

	// With the most pending deliveries no event is read, and the endpoint is not enqueued for
	// more before one of them has ended.
	wantEqual(t, "with one pending", advance(2, 1), "made 0, more false, cursor 4")
	d := db.deliveries(id)[0]
	d.NextAt = db.now.Add(time.Hour)
	db.exec(`UPDATE deliveries SET next_at = $1`, d.NextAt)
	db.exec(`UPDATE endpoints SET due_at = $1, claimed_until = NULL`, d.NextAt)
	wantEqual(t, "endpoints to enqueue that are saturated", db.enqueue(), 0)
	d.State = webhook.Delivered
	db.record(id, d)
	wantEqual(t, "endpoints to enqueue that are not", db.enqueue(), 1)
	wantEqual(t, "the rest", advance(2, 1), "made 1, more false, cursor 5")
	wantEqual(t, "the end", advance(2, 10), "made 0, more false, cursor 5")

	// A failure leaves the cursor and makes no delivery.
	db.log("price.changed")
	db.exec(`ALTER TABLE endpoints ADD CONSTRAINT stuck CHECK (cursor < 6)`) // the last step fails
	if _, _, err := db.Webhooks.Advance(t.Context(), id, db.now, 10, 10); err == nil {
		t.Error("no error")
	}
	db.exec(`ALTER TABLE endpoints DROP CONSTRAINT stuck`)
	wantEqual(t, "deliveries after a failure", db.count(`deliveries`), 2)
	wantEqual(t, "after a failure", advance(2, 10), "made 1, more false, cursor 6")

	db.disable(id, "")
	db.log("price.changed")
	wantEqual(t, "a disabled one", advance(2, 10), "made 0, more false, cursor 6")
	made, more, err := db.Webhooks.Advance(t.Context(), "ep_nobody", db.now, 1, 1)
	wantEqual(t, "nobody's", fmt.Sprint(made, more, err), "0 false <nil>")
}

func TestAdvance_AtOnce(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	id := db.newEndpoint()
	db.logMany(50)
	processes := []*postgres.DB{db.isolated("serializable"), db.isolated("serializable"), db.isolated("serializable"), db.isolated("serializable")}
	var total atomic.Int64
	atOnce(5, func(i int) {
		if i == 4 {
			db.logMany(50)
			return
		}
		for more := true; more; {
			var made int
			var err error
			made, more, err = processes[i].Webhooks.Advance(t.Context(), id, db.now, 3, 1000)
			wantError(t, "advancing", err, nil)
			total.Add(int64(made))
		}
	})
	db.advance(id)
	wantEqual(t, "events that have a delivery", ask[int](db, `SELECT count(DISTINCT seq) FROM deliveries`)[0], 100)
	wantEqual(t, "deliveries", len(db.deliveries(id)), 100)
	if total.Load() < 50 {
		t.Errorf("%d made at once", total.Load())
	}
}

func TestRecord(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	id := db.newEndpoint()
	db.logMany(4)
	db.advance(id)
	d := db.deliveries(id)
	wantSame(t, "as it was made", d[3], webhook.Delivery{
		ID: d[3].ID, Endpoint: id, Seq: 1, Type: catalog.ToolUpdated, Slug: "outil", State: webhook.Pending, NextAt: db.now, CreatedAt: db.now,
	})
	filtered := func(f webhook.DeliveryFilter) []int64 {
		t.Helper()
		list, err := db.Webhooks.Deliveries(t.Context(), operator, id, f)
		db.must(err)
		return each(list, func(d webhook.Delivery) int64 { return d.Seq })
	}
	wantSame(t, "the one before 3", filtered(webhook.DeliveryFilter{Before: 3, Limit: 1}), []int64{2})

	d[0].State, d[0].Attempts, d[0].Status, d[0].Response = webhook.Delivered, 1, 204, "merci"
	d[1].Attempts, d[1].Error, d[1].NextAt = 1, webhook.Reason{Code: webhook.ConnectionRefused}, db.now.Add(time.Hour)
	d[2].State, d[2].Attempts, d[2].Status, d[2].Response = webhook.Exhausted, 10, 500, "a\x00b\xff"
	for i := range d[:3] {
		d[i].AttemptedAt, d[i].Took = db.now.Add(time.Second), time.Duration(i+1)*120*time.Millisecond
	}
	db.must(db.Webhooks.Record(t.Context(), id, d[:3], webhook.Health{FailingSince: db.now, Slow: true}, db.now.Add(time.Minute)))
	d[2].Response = "a\uFFFDb\uFFFD"
	wantSame(t, "the deliveries", db.deliveries(id), d)
	for f, want := range map[webhook.DeliveryFilter][]int64{
		{State: webhook.Delivered}: {4}, {State: webhook.Pending}: {3, 1}, {State: webhook.Exhausted}: {2},
		{Type: catalog.ToolUpdated}: {4, 3, 2, 1}, {Type: catalog.ToolCreated}: {},
		{State: webhook.Pending, Type: catalog.ToolUpdated, Before: 3}: {1},
	} {
		f.Limit = 10
		wantSame(t, fmt.Sprintf("deliveries of %+v", f), filtered(f), want)
	}
	for since, want := range map[time.Duration]webhook.DeliveryStats{
		time.Second:     {Attempted: 3, Delivered: 1, Pending: 2, MedianTook: 240 * time.Millisecond, Failed: 2}, // one had no response
		2 * time.Second: {Pending: 2, Failed: 2},
	} {
		got, err := db.Webhooks.DeliveryStats(t.Context(), operator, id, db.now.Add(since), 10)
		db.must(err)
		if since == time.Second {
			want.Hours[0] = webhook.HourStats{Attempted: 3, Delivered: 1}
		}
		wantEqual(t, fmt.Sprint("stats since ", since), got, want)
	}
	e := db.endpoint(id)
	wantEqual(t, "failing since", e.FailingSince, db.now)
	wantEqual(t, "slow", e.Slow, true)
	wantEqual(t, "claimed until", ask[time.Time](db, `SELECT claimed_until FROM endpoints`)[0].UTC(), db.now.Add(time.Minute))
	due, err := db.Webhooks.Due(t.Context(), id, db.now.Add(time.Hour), 10)
	db.must(err)
	wantSame(t, "what is due then", each(due, func(d webhook.Delivery) string { return d.ID }), []string{d[3].ID, d[1].ID})
	db.wantFirstDue()

	// An endpoint that is disabled during an attempt gets no further one. What was delivered
	// is delivered.
	db.disable(id, "off")
	d[3].State, d[3].Attempts, d[3].Status = webhook.Delivered, 1, 200
	d[1].Attempts = 2
	db.record(id, d[3], d[1])
	wantSame(t, "after the end", db.states(id), []string{"1 delivered", "2 exhausted", "3 exhausted off", "4 delivered"})
	db.wantFirstDue()
	db.record("ep_nobody", d...)
}

func (db *testDB) prune(before time.Time, limit, want int) {
	db.Helper()
	n, err := db.Webhooks.Prune(db.Context(), before, limit)
	db.must(err)
	wantEqual(db, "deliveries pruned", n, want)
}

func TestBacklogAndPrune(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	id := db.newEndpoint()
	backlog := func(what, want string) {
		t.Helper()
		n, err := db.Webhooks.Pending(t.Context())
		db.must(err)
		oldest, err := db.Webhooks.Overdue(t.Context(), db.now)
		db.must(err)
		wantEqual(t, what, fmt.Sprint(n, " ", oldest.Format(time.DateTime)), want)
	}
	backlog("no backlog", "0 0001-01-01 00:00:00")
	db.logMany(3)
	db.advance(id)
	d := db.deliveries(id)
	d[0].State = webhook.Delivered
	d[1].NextAt, d[2].NextAt = db.now.Add(time.Minute), db.now.Add(2*time.Minute)
	db.record(id, d...)
	backlog("nothing due", "2 0001-01-01 00:00:00")
	db.now = db.now.Add(time.Hour)
	backlog("the backlog", "2 2026-03-01 09:01:00")

	db.prune(d[0].CreatedAt, 2, 0)
	db.prune(db.now, 2, 1) // pending ones stay
	wantSame(t, "what is left", db.states(id), []string{"1 pending", "2 pending"})
	db.disable(id, "gone")
	backlog("after the end", "0 0001-01-01 00:00:00")
	db.exec(`INSERT INTO deliveries (id, endpoint_id, seq, type, state, next_at, made_at) SELECT 'msg_' || i, $1, i, 'tool.updated', 'delivered', $2, $2
		FROM generate_series(10, 12) i`, id, db.now.Add(-time.Minute))
	db.prune(db.now, 2, 2)
	wantSame(t, "the oldest go first", ask[int64](db, `SELECT seq FROM deliveries ORDER BY seq`), []int64{10, 11, 12})
	for _, want := range []int{2, 1, 0} {
		db.prune(db.now, 2, want)
	}
}

// Whatever happens to deliveries, due_at of their endpoint is that of the first pending one:
// no job would come for them otherwise.
func TestDueAt_UnderRandomChanges(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	id := db.newEndpoint()
	r := rand.New(rand.NewPCG(3, 7))
	for range 150 {
		db.now = db.now.Add(time.Duration(r.IntN(60)) * time.Minute)
		list := db.deliveries(id)
		switch r.IntN(7) {
		case 0:
			db.logMany(1 + r.IntN(4))
		case 1:
			_, _, err := db.Webhooks.Advance(t.Context(), id, db.now, 3, 5)
			db.must(err)
		case 2, 3:
			for i := range list {
				list[i].State = []webhook.DeliveryState{webhook.Pending, webhook.Delivered, webhook.Exhausted}[r.IntN(3)]
				list[i].NextAt = db.now.Add(time.Duration(r.IntN(90)-30) * time.Minute)
			}
			db.record(id, list[:min(len(list), r.IntN(5))]...)
		case 4:
			if len(list) > 0 && db.endpoint(id).State == webhook.Active {
				db.must(db.Webhooks.ReplayDelivery(t.Context(), operator, id, list[r.IntN(len(list))].ID, db.replay()))
			}
		case 5:
			db.disable(id, "")
		case 6:
			db.enable(id)
		}
		db.wantFirstDue()
	}
}
