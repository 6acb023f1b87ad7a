package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/webhook"
)

func TestReplay(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.newEndpoint()
	ctx := t.Context()
	b.logMany(3)
	b.advance(id)
	d := b.deliveries(id)
	for i := range d {
		d[i].State, d[i].Attempts, d[i].Done, d[i].Status, d[i].Response = webhook.Delivered, 3, b.now, 200, "merci"
	}
	b.record(id, d...)
	made := b.now
	b.now = b.now.Add(time.Hour)
	wantError(t, "replaying", b.db.ReplayDelivery(ctx, account.Operator(), id, d[0].ID, webhook.ReplayAt(b.now)), nil)
	again, err := b.db.Delivery(ctx, account.Operator(), id, d[0].ID)
	wantError(t, "finding it", err, nil)
	wantSame(t, "the delivery", again, webhook.Delivery{
		ID: d[0].ID, Endpoint: id, Seq: 3, Type: catalog.ToolUpdated, Slug: "outil", State: webhook.Pending, NextAt: b.now, Made: made,
	})
	wantEqual(t, "endpoints to enqueue", b.enqueue(), 1)

	// A range brings back what was pruned, and leaves the ids of what is there.
	b.exec(`DELETE FROM deliveries WHERE seq = 2`)
	b.logMany(2) // the cursor is before them
	n, err := b.db.ReplayRange(ctx, account.Operator(), id, 2, 4, webhook.ReplayAt(b.now))
	if n != 3 || err != nil {
		t.Errorf("%d replayed: %v", n, err)
	}
	b.advance(id)
	wantSame(t, "the deliveries", b.states(id), []string{"1 delivered", "2 pending", "3 pending", "4 pending", "5 pending"})
	wantEqual(t, "the id of the third", b.deliveries(id)[2].ID, d[0].ID)
	b.firstDueIsKnown()
	n, err = b.db.ReplayRange(ctx, account.Operator(), id, 6, 99, webhook.ReplayAt(b.now))
	if n != 0 || err != nil {
		t.Errorf("%d of the future replayed: %v", n, err)
	}

	late := made.Add(30*24*time.Hour + time.Second)
	wantError(t, "too late", b.db.ReplayDelivery(ctx, account.Operator(), id, d[0].ID, webhook.ReplayAt(late)), webhook.ErrTooOld)
	_, err = b.db.ReplayRange(ctx, account.Operator(), id, 3, 5, webhook.ReplayAt(late))
	wantError(t, "too late", err, webhook.ErrTooOld)
	_, err = b.db.ReplayRange(ctx, account.Operator(), id, 4, 5, webhook.ReplayAt(late))
	wantError(t, "not too late for the last", err, nil)
	wantError(t, "nobody's", b.db.ReplayDelivery(ctx, account.Operator(), id, "msg_nobody", webhook.ReplayAt(b.now)), webhook.ErrNoDelivery)
	_, err = b.db.Delivery(ctx, account.Operator(), id, "msg_nobody")
	wantError(t, "nobody's", err, webhook.ErrNoDelivery)
	_, err = b.db.ReplayRange(ctx, account.Operator(), "ep_nobody", 1, 2, webhook.ReplayAt(b.now))
	wantError(t, "nobody's", err, webhook.ErrNoEndpoint)

	b.logMany(10_001)
	_, err = b.db.ReplayRange(ctx, account.Operator(), id, 6, 10_006, webhook.ReplayAt(b.now))
	wantError(t, "10,001 at once", err, webhook.ErrTooManyAsked)
	n, err = b.db.ReplayRange(ctx, account.Operator(), id, 7, 10_006, webhook.ReplayAt(b.now))
	if n != 10_000 || err != nil {
		t.Errorf("%d replayed: %v", n, err)
	}

	b.setState(id, webhook.Disabled, "")
	wantError(t, "disabled", b.db.ReplayDelivery(ctx, account.Operator(), id, d[0].ID, webhook.ReplayAt(b.now)), webhook.ErrNotReady)
	_, err = b.db.ReplayRange(ctx, account.Operator(), id, 1, 2, webhook.ReplayAt(b.now))
	wantError(t, "disabled", err, webhook.ErrNotReady)
}

// What failed since is replayed, be it exhausted or waiting for another attempt, and
// nothing else.
func TestReplayFailed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx := t.Context()
	id := b.newEndpoint()
	begin := b.now
	b.logMany(7)
	b.advance(id)
	d := b.deliveries(id) // 7 first
	for i, state := range []webhook.DeliveryState{webhook.Delivered, webhook.Exhausted, webhook.Exhausted, webhook.Pending, webhook.Pending} {
		d[i].State, d[i].Attempts, d[i].Status, d[i].Error = state, 3, 500, "oops"
		d[i].Done, d[i].NextAt = begin.Add(-time.Duration(i%2)*3*time.Hour), begin.Add(5*time.Hour)
	}
	d[4].Done = begin.Add(-3 * time.Hour)
	b.record(id, d[:5]...) // 2 and 1 were never attempted
	replay := func(back time.Duration, want int, states ...string) {
		t.Helper()
		n, err := b.db.ReplayFailed(ctx, account.Operator(), id, b.now.Add(-back), webhook.ReplayAt(b.now))
		if n != want || err != nil {
			t.Errorf("%d replayed, not %d: %v", n, want, err)
		}
		got := ask[string](b, `SELECT seq || ' ' || state || ' ' || attempts || ' ' || (next_at = $1) FROM deliveries ORDER BY seq`, b.now)
		wantSame(t, fmt.Sprint("after ", back), got, states)
		b.firstDueIsKnown()
	}
	b.now = b.now.Add(time.Minute)
	replay(2*time.Hour, 1, "1 pending 0 false", "2 pending 0 false", "3 pending 3 false", "4 pending 3 false",
		"5 pending 0 true", "6 exhausted 3 false", "7 delivered 3 false")
	replay(4*time.Hour, 3, "1 pending 0 false", "2 pending 0 false", "3 pending 0 true", "4 pending 0 true",
		"5 pending 0 true", "6 pending 0 true", "7 delivered 3 false")
	replay(4*time.Hour, 0, "1 pending 0 false", "2 pending 0 false", "3 pending 0 true", "4 pending 0 true",
		"5 pending 0 true", "6 pending 0 true", "7 delivered 3 false")

	// What was given up because the endpoint stopped failed then, however old it is.
	b.now = b.now.Add(5 * time.Hour)
	b.setState(id, webhook.Disabled, "by its owner")
	_, err := b.db.ReplayFailed(ctx, account.Operator(), id, begin, webhook.ReplayAt(b.now))
	wantError(t, "disabled", err, webhook.ErrNotReady)
	b.now = b.now.Add(time.Hour)
	b.setState(id, webhook.Active, "")
	replay(2*time.Hour, 6, "1 pending 0 true", "2 pending 0 true", "3 pending 0 true", "4 pending 0 true",
		"5 pending 0 true", "6 pending 0 true", "7 delivered 3 false")
	wantEqual(t, "reasons left", ask[int](b, `SELECT count(*) FROM deliveries WHERE ended IS NOT NULL OR ended_at IS NOT NULL`)[0], 0)

	_, err = b.db.ReplayFailed(ctx, account.Operator(), id, b.now.Add(-webhook.ReplayFor-time.Second), webhook.ReplayAt(b.now))
	wantError(t, "more than 30 days", err, webhook.ErrTooOld)
	_, err = b.db.ReplayFailed(ctx, account.Operator(), "ep_nobody", b.now, webhook.ReplayAt(b.now))
	wantError(t, "nobody's", err, webhook.ErrNoEndpoint)
	b.logMany(10_001)
	b.advance(id)
	b.exec(`UPDATE deliveries SET state = 'exhausted', ended_at = $1 WHERE seq > 7`, b.now)
	b.exec(`UPDATE deliveries SET state = 'delivered' WHERE seq <= 7`)
	b.exec(`UPDATE endpoints SET due_at = NULL`)
	_, err = b.db.ReplayFailed(ctx, account.Operator(), id, b.now, webhook.ReplayAt(b.now))
	wantError(t, "10,001 at once", err, webhook.ErrTooManyAsked)
}

// Every attempt can be seen, whether it failed, was given up or was replayed, and goes
// with its delivery 30 days after the last.
func TestEveryAttemptIsKept(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx := t.Context()
	id := b.newEndpoint()
	b.logMany(3)
	b.advance(id)
	begin := b.now
	attempt := func(seq int64, state webhook.DeliveryState, status int, err string) {
		t.Helper()
		b.now = b.now.Add(time.Minute)
		for _, d := range b.deliveries(id) {
			if d.Seq == seq {
				d.State, d.Attempts, d.Done, d.Took = state, d.Attempts+1, b.now, time.Duration(status)*time.Millisecond
				d.Status, d.Error, d.Response = status, err, fmt.Sprint("said ", status)
				b.record(id, d)
			}
		}
	}
	attempts := func() []string {
		t.Helper()
		list := b.deliveries(id)
		by, err := b.db.Attempts(ctx, account.Operator(), list)
		if err != nil {
			t.Fatal(err)
		}
		all := []string{}
		for i := len(list) - 1; i >= 0; i-- {
			for _, a := range by[list[i].ID] {
				all = append(all, fmt.Sprintf("%d at %v: %d %s, %q after %v", list[i].Seq, a.At.Sub(begin), a.Status, a.Error, a.Response, a.Took))
			}
		}
		return all
	}
	rows := func() int { return ask[int](b, `SELECT count(*) FROM attempts`)[0] }

	attempt(1, webhook.Delivered, 204, "")
	wantEqual(t, "rows for what succeeds at once", rows(), 0)
	attempt(2, webhook.Pending, 500, "oops")
	attempt(2, webhook.Pending, 0, "connection refused")
	attempt(2, webhook.Delivered, 200, "")
	attempt(3, webhook.Pending, 503, "busy")
	wantEqual(t, "rows for two failures before the last attempt", rows(), 2)
	want := []string{
		`1 at 1m0s: 204 , "said 204" after 204ms`,
		`2 at 2m0s: 500 oops, "said 500" after 500ms`,
		`2 at 3m0s: 0 connection refused, "said 0" after 0s`,
		`2 at 4m0s: 200 , "said 200" after 200ms`,
		`3 at 5m0s: 503 busy, "said 503" after 503ms`,
	}
	wantSame(t, "the attempts", attempts(), want)

	// The end of a delivery says why, and leaves what its last attempt met.
	b.setState(id, webhook.Disabled, "by its owner")
	wantSame(t, "the attempts of a disabled endpoint", attempts(), want)
	d := b.deliveries(id)[0]
	wantEqual(t, "the end", fmt.Sprint(d.State, " ", d.Ended, " ", d.EndedAt.Sub(begin)), "exhausted by its owner 5m0s")

	b.setState(id, webhook.Active, "")
	wantError(t, "replaying one", b.db.ReplayDelivery(ctx, account.Operator(), id, d.ID, webhook.ReplayAt(b.now)), nil)
	attempt(3, webhook.Delivered, 201, "")
	_, err := b.db.ReplayRange(ctx, account.Operator(), id, 1, 2, webhook.ReplayAt(b.now))
	wantError(t, "replaying two", err, nil)
	want = append(want, `3 at 6m0s: 201 , "said 201" after 201ms`)
	wantSame(t, "the attempts after replays", attempts(), want)
	attempt(1, webhook.Exhausted, 410, "gone")
	want = append(want[:1], append([]string{`1 at 7m0s: 410 gone, "said 410" after 410ms`}, want[1:]...)...)
	wantSame(t, "the attempts after a replay that failed", attempts(), want)

	// The delivery of 1 goes 30 days after its last attempt, not after it was made.
	prune := func(want int) {
		t.Helper()
		n, err := b.db.Prune(ctx, b.now, 10)
		if n != want || err != nil {
			t.Errorf("%d pruned, not %d: %v", n, want, err)
		}
	}
	b.now = begin.Add(7 * time.Minute)
	prune(1) // the delivery of 3: that of 2 is pending, and 1 was attempted now
	b.now = b.now.Add(time.Second)
	prune(1)
	wantEqual(t, "rows of the delivery that is left", rows(), 3)
	wantError(t, "deleting", b.db.DeleteEndpoint(ctx, account.Operator(), id), nil)
	wantEqual(t, "rows of no delivery", rows(), 0)
}
