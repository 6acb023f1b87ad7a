package postgres_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/webhook"
)

func (b *bench) deliveries(id string) []webhook.Delivery {
	b.Helper()
	list, err := b.db.Deliveries(b.Context(), account.Operator(), id, 0, 1000)
	if err != nil {
		b.Fatal(err)
	}
	return list
}

func (b *bench) record(id string, outcomes ...webhook.Outcome) {
	b.Helper()
	if err := b.db.Record(b.Context(), id, outcomes, webhook.Health{}, b.now); err != nil {
		b.Fatal(err)
	}
}

func TestAnEndpointHearsOfWhatItAskedFor(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.newEndpoint()
	b.log("tool.created", "tool.updated", "price.changed", "tool.updated")
	b.exec(`UPDATE events SET categories = '{voix}' WHERE seq = 2`)
	b.exec(`UPDATE events SET categories = '{code,voix}' WHERE seq = 3`)
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
		b.exec(`DELETE FROM deliveries`)
		b.exec(`UPDATE endpoints SET cursor = 0`)
		change := webhook.Change{NewTypes: true, Types: c.types, NewCategories: true, Categories: c.categories}
		if _, err := b.db.UpdateEndpoint(t.Context(), account.Operator(), id, change); err != nil {
			t.Fatal(err)
		}
		b.advance(id)
		name := fmt.Sprint(c.types, c.categories)
		wantSame(t, name, ask[int64](b, `SELECT seq FROM deliveries ORDER BY seq`), c.want)
		wantEqual(t, "the cursor for "+name, b.endpoint(id).Cursor, 4)
		n, err := b.db.ReplayRange(t.Context(), account.Operator(), id, 1, 4, webhook.ReplayAt(b.now))
		if n != len(c.want) || err != nil {
			t.Errorf("%s: %d replayed, %v", name, n, err)
		}
	}
}

func TestAdvanceByBatches(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.newEndpoint("price.changed")
	b.log("tool.updated", "tool.updated", "price.changed", "tool.updated", "price.changed")
	type step struct {
		Made   int
		More   bool
		Cursor int64
	}
	advance := func(limit, most int) step {
		t.Helper()
		made, more, err := b.db.Advance(t.Context(), id, b.now, limit, most)
		if err != nil {
			t.Fatal(err)
		}
		b.firstDueIsKnown()
		return step{made, more, b.endpoint(id).Cursor}
	}
	wantEqual(t, "nothing that matters", advance(2, 1), step{0, true, 2})
	wantEqual(t, "one of two", advance(2, 1), step{1, true, 4})
	wantEqual(t, "endpoints to enqueue", b.enqueue(), 1)

	// With as many pending as there may be, nothing is read, and nobody comes back for
	// it before one is over.
	wantEqual(t, "with one pending", advance(2, 1), step{0, false, 4})
	d := b.deliveries(id)[0]
	d.NextAt = b.now.Add(time.Hour)
	b.exec(`UPDATE deliveries SET next_at = $1`, d.NextAt)
	b.exec(`UPDATE endpoints SET due_at = $1, claimed_until = NULL`, d.NextAt)
	wantEqual(t, "endpoints to enqueue that have enough", b.enqueue(), 0)
	d.State = webhook.Delivered
	b.record(id, d)
	wantEqual(t, "endpoints to enqueue that have room", b.enqueue(), 1)
	wantEqual(t, "the rest", advance(2, 1), step{1, false, 5})
	wantEqual(t, "the end", advance(2, 10), step{0, false, 5})

	b.setState(id, webhook.Disabled, "")
	b.log("price.changed")
	wantEqual(t, "a disabled one", advance(2, 10), step{0, false, 5})
	made, more, err := b.db.Advance(t.Context(), "ep_nobody", b.now, 1, 1)
	if made != 0 || more || err != nil {
		t.Errorf("nobody's: %d, %v, %v", made, more, err)
	}
}

func TestAdvanceAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.newEndpoint()
	b.logMany(50)
	var wg sync.WaitGroup
	var mu sync.Mutex
	total := 0
	for range 4 {
		db := b.at("serializable")
		wg.Go(func() {
			for more := true; more; {
				var made int
				var err error
				if made, more, err = db.Advance(t.Context(), id, b.now, 3, 1000); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				total += made
				mu.Unlock()
			}
		})
	}
	b.logMany(50)
	wg.Wait()
	b.advance(id)
	wantEqual(t, "deliveries", ask[int](b, `SELECT count(DISTINCT seq) FROM deliveries`)[0], 100)
	wantEqual(t, "rows", len(b.deliveries(id)), 100)
	if total < 50 {
		t.Errorf("%d made at once", total)
	}
}

func TestAFailedAdvanceLeavesTheCursor(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.newEndpoint()
	b.logMany(3)
	b.exec(`ALTER TABLE endpoints ADD CONSTRAINT stuck CHECK (cursor < 3)`) // the last step fails
	if _, _, err := b.db.Advance(t.Context(), id, b.now, 10, 10); err == nil {
		t.Fatal("no error")
	}
	b.exec(`ALTER TABLE endpoints DROP CONSTRAINT stuck`)
	wantSame(t, "deliveries", b.states(id), []string{})
	wantEqual(t, "the cursor", b.endpoint(id).Cursor, 0)
	b.advance(id)
	wantSame(t, "deliveries after all", b.states(id), []string{"1 pending", "2 pending", "3 pending"})
}

func TestRecord(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.newEndpoint()
	b.logMany(4)
	b.advance(id)
	d := b.deliveries(id)
	wantSame(t, "as it was made", d[3], webhook.Delivery{
		ID: d[3].ID, Endpoint: id, Seq: 1, Type: catalog.ToolUpdated, Slug: "outil", State: webhook.Pending, NextAt: b.now, Made: b.now,
	})
	page, err := b.db.Deliveries(t.Context(), account.Operator(), id, 3, 1)
	if err != nil || len(page) != 1 || page[0].Seq != 2 {
		t.Errorf("the one before 3: %+v, %v", page, err)
	}

	d[0].State, d[0].Attempts, d[0].Status, d[0].Response = webhook.Delivered, 1, 204, "merci"
	d[1].Attempts, d[1].Error, d[1].NextAt = 1, "connection refused", b.now.Add(time.Hour)
	d[2].State, d[2].Attempts, d[2].Status, d[2].Response = webhook.Exhausted, 10, 500, "a\x00b\xff"
	for i := range d[:3] {
		d[i].Done, d[i].Took = b.now.Add(time.Second), 120*time.Millisecond
	}
	health := webhook.Health{Failing: b.now, Slow: true}
	wantError(t, "recording", b.db.Record(t.Context(), id, d[:3], health, b.now.Add(time.Minute)), nil)
	d[2].Response = "a\uFFFDb\uFFFD"
	wantSame(t, "the deliveries", b.deliveries(id), d)
	e := b.endpoint(id)
	wantEqual(t, "failing since", e.Failing, b.now)
	wantEqual(t, "slow", e.Slow, true)
	wantEqual(t, "claimed until", ask[time.Time](b, `SELECT claimed_until FROM endpoints`)[0].UTC(), b.now.Add(time.Minute))
	due, err := b.db.Due(t.Context(), id, b.now.Add(time.Hour), 10)
	wantSame(t, "what is due then", slugs(due, func(d webhook.Delivery) string { return d.ID }), []string{d[3].ID, d[1].ID})
	wantError(t, "what is due then", err, nil)
	b.firstDueIsKnown()

	// An endpoint that went away during the attempt gets no further one, but what was
	// delivered was.
	b.setState(id, webhook.Paused, "paused")
	d[3].State, d[3].Attempts, d[3].Status = webhook.Delivered, 1, 200
	d[1].Attempts = 2
	b.record(id, d[3], d[1])
	wantSame(t, "after the end", b.states(id), []string{"1 delivered", "2 exhausted", "3 exhausted paused", "4 delivered"})
	b.firstDueIsKnown()
	b.record("ep_nobody", d...)
}

func TestEventsAreReadAsPublished(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.publish(before())
	b.nextDay()
	b.publish(after())
	list, err := b.db.Events(t.Context(), []int64{6, 1, 99})
	if err != nil || len(list) != 2 {
		t.Fatalf("%d events: %v", len(list), err)
	}
	wantEqual(t, "the first", fmt.Sprintf("%d %d %s %s %v", list[0].Seq, list[0].Edition, list[0].Type, list[0].Slug, list[0].Categories), "1 1 tool.created a [code]")
	wantEqual(t, "the second", fmt.Sprintf("%d %d %s %s %v", list[1].Seq, list[1].Edition, list[1].Type, list[1].Slug, list[1].At), "6 2 price.changed a "+b.now.String())
	if list[0].Previous != nil || len(list[0].Object) == 0 || len(list[1].Previous) == 0 {
		t.Errorf("the objects: %s, %s, %s", list[0].Object, list[0].Previous, list[1].Previous)
	}
}

func TestBacklogAndPrune(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.newEndpoint()
	backlog := func() string {
		t.Helper()
		n, oldest, err := b.db.Backlog(t.Context(), b.now)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(n, " ", oldest.Format(time.DateTime))
	}
	wantEqual(t, "no backlog", backlog(), "0 0001-01-01 00:00:00")
	b.logMany(3)
	b.advance(id)
	d := b.deliveries(id)
	d[0].State = webhook.Delivered
	d[1].NextAt, d[2].NextAt = b.now.Add(time.Minute), b.now.Add(2*time.Minute)
	b.record(id, d...)
	wantEqual(t, "nothing due", backlog(), "2 0001-01-01 00:00:00")
	b.now = b.now.Add(time.Hour)
	wantEqual(t, "the backlog", backlog(), "2 2026-03-01 09:01:00")

	prune := func(before time.Time, want int) {
		t.Helper()
		n, err := b.db.Prune(t.Context(), before, 2)
		if n != want || err != nil {
			t.Errorf("%d pruned, not %d: %v", n, want, err)
		}
	}
	prune(d[0].Made, 0)
	prune(b.now, 1) // what is pending stays
	wantSame(t, "what is left", b.states(id), []string{"1 pending", "2 pending"})
	b.setState(id, webhook.Disabled, "gone")
	wantEqual(t, "after the end", backlog(), "0 0001-01-01 00:00:00")
	b.exec(`INSERT INTO deliveries (id, endpoint_id, seq, type, state, next_at, made_at) SELECT 'msg_' || i, $1, i, 'tool.updated', 'delivered', $2, $2
		FROM generate_series(10, 12) i`, id, b.now.Add(-time.Minute))
	prune(b.now, 2)
	wantSame(t, "the oldest go first", ask[int64](b, `SELECT seq FROM deliveries ORDER BY seq`), []int64{10, 11, 12})
	prune(b.now, 2)
	prune(b.now, 1)
	prune(b.now, 0)
}

// Whatever happens to deliveries, their endpoint knows when the first of them is due:
// nobody would come for them otherwise.
func TestAnEndpointKnowsWhatIsDueFirst(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.newEndpoint()
	r := rand.New(rand.NewPCG(3, 7))
	for range 150 {
		b.now = b.now.Add(time.Duration(r.IntN(60)) * time.Minute)
		list := b.deliveries(id)
		switch r.IntN(6) {
		case 0:
			b.logMany(1 + r.IntN(4))
		case 1:
			if _, _, err := b.db.Advance(t.Context(), id, b.now, 3, 5); err != nil {
				t.Fatal(err)
			}
		case 2, 3:
			for i := range list {
				list[i].State = []webhook.DeliveryState{webhook.Pending, webhook.Delivered, webhook.Exhausted}[r.IntN(3)]
				list[i].NextAt = b.now.Add(time.Duration(r.IntN(90)-30) * time.Minute)
			}
			b.record(id, list[:min(len(list), r.IntN(5))]...)
		case 4:
			if len(list) > 0 && b.endpoint(id).State == webhook.Active {
				wantError(t, "replaying", b.db.ReplayDelivery(t.Context(), account.Operator(), id, list[r.IntN(len(list))].ID, webhook.ReplayAt(b.now)), nil)
			}
		case 5:
			b.setState(id, []webhook.State{webhook.Disabled, webhook.Active}[r.IntN(2)], "")
		}
		b.firstDueIsKnown()
	}
}
