package postgres_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/webhook"
)

func TestReplay(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	ctx := t.Context()
	id := db.newEndpoint()
	db.logMany(3)
	db.advance(id)
	d := db.deliveries(id)
	for i := range d {
		d[i].State, d[i].Attempts, d[i].AttemptedAt, d[i].Status, d[i].Response = webhook.Delivered, 3, db.now, 200, "merci"
	}
	db.record(id, d...)
	made := db.now
	db.now = db.now.Add(time.Hour)
	one := func(at time.Time, delivery string) error {
		return db.Webhooks.ReplayDelivery(ctx, operator, id, delivery, webhook.ReplayAt(at))
	}
	many := func(what string, at time.Time, from, to int64, want int, wantErr error) {
		t.Helper()
		n, err := db.Webhooks.ReplayRange(ctx, operator, id, from, to, webhook.ReplayAt(at))
		wantError(t, what, err, wantErr)
		wantEqual(t, what, n, want)
	}
	wantError(t, "replaying one", one(db.now, d[0].ID), nil)
	again, err := db.Webhooks.Delivery(ctx, operator, id, d[0].ID)
	db.must(err)
	wantSame(t, "the delivery", again, webhook.Delivery{
		ID: d[0].ID, Endpoint: id, Seq: 3, Type: catalog.ToolUpdated, Slug: "outil", State: webhook.Pending, NextAt: db.now, CreatedAt: made,
	})
	wantEqual(t, "endpoints to enqueue", db.enqueue(), 1)

	// A range brings back what was pruned, and leaves the ids of what is there.
	db.exec(`DELETE FROM deliveries WHERE seq = 2`)
	db.logMany(2) // the cursor is before them
	many("a range", db.now, 2, 4, 3, nil)
	db.advance(id)
	wantSame(t, "the deliveries", db.states(id), []string{"1 delivered", "2 pending", "3 pending", "4 pending", "5 pending"})
	wantEqual(t, "the id of the third", db.deliveries(id)[2].ID, d[0].ID)
	db.wantFirstDue()
	many("the future", db.now, 6, 99, 0, nil)

	late := made.Add(30*24*time.Hour + time.Second)
	wantError(t, "too late", one(late, d[0].ID), webhook.ErrTooOld)
	many("too late", late, 3, 5, 0, webhook.ErrTooOld)
	many("not too late for the last", late, 4, 5, 2, nil)
	db.logMany(10_001)
	many("10,001 at once", db.now, 6, 10_006, 0, webhook.ErrTooManyAsked)
	many("10,000 at once", db.now, 7, 10_006, 10_000, nil)
	db.disable(id, "")
	wantError(t, "disabled", one(db.now, d[0].ID), webhook.ErrNotActive)
	many("disabled", db.now, 1, 2, 0, webhook.ErrNotActive)
}

// Deliveries that failed since a time are replayed, exhausted or waiting for another attempt,
// and no others.
func TestReplayFailed(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	id := db.newEndpoint()
	begin := db.now
	db.logMany(7)
	db.advance(id)
	d := db.deliveries(id) // 7 first
	for i, state := range []webhook.DeliveryState{webhook.Delivered, webhook.Exhausted, webhook.Exhausted, webhook.Pending, webhook.Pending} {
		d[i].State, d[i].Attempts, d[i].Status, d[i].Error = state, 3, 500, inWords("oops")
		d[i].AttemptedAt, d[i].NextAt = begin.Add(-time.Duration(i%2)*3*time.Hour), begin.Add(5*time.Hour)
	}
	d[4].AttemptedAt = begin.Add(-3 * time.Hour)
	db.record(id, d[:5]...) // 2 and 1 were never attempted
	failed := func(back time.Duration, want int, wantErr error) {
		t.Helper()
		n, err := db.Webhooks.ReplayFailed(t.Context(), operator, id, db.now.Add(-back), db.replay())
		wantError(t, fmt.Sprint("replaying ", back), err, wantErr)
		wantEqual(t, fmt.Sprint("replayed after ", back), n, want)
		db.wantFirstDue()
	}
	// states are those of the deliveries 1 to 7; now marks what is due now.
	states := func(want ...string) {
		t.Helper()
		wantSame(t, "the deliveries", ask[string](db, `
			SELECT state || ' ' || attempts || CASE WHEN next_at = $1 THEN ' now' ELSE '' END FROM deliveries ORDER BY seq`, db.now), want)
	}
	db.now = db.now.Add(time.Minute)
	failed(2*time.Hour, 1, nil)
	states("pending 0", "pending 0", "pending 3", "pending 3", "pending 0 now", "exhausted 3", "delivered 3")
	failed(4*time.Hour, 3, nil)
	states("pending 0", "pending 0", "pending 0 now", "pending 0 now", "pending 0 now", "pending 0 now", "delivered 3")
	failed(4*time.Hour, 0, nil)

	// What was given up because the endpoint was disabled failed then, however old it is.
	db.now = db.now.Add(5 * time.Hour)
	db.disable(id, "by its owner")
	failed(time.Hour, 0, webhook.ErrNotActive)
	db.now = db.now.Add(time.Hour)
	db.enable(id)
	failed(2*time.Hour, 6, nil)
	states("pending 0 now", "pending 0 now", "pending 0 now", "pending 0 now", "pending 0 now", "pending 0 now", "delivered 3")
	wantEqual(t, "reasons left", db.count(`deliveries WHERE ended IS NOT NULL OR ended_at IS NOT NULL`), 0)

	failed(webhook.ReplayFor+time.Second, 0, webhook.ErrTooOld)
	db.logMany(10_001)
	db.advance(id)
	db.exec(`UPDATE deliveries SET state = 'exhausted', ended_at = $1 WHERE seq > 7`, db.now)
	db.exec(`UPDATE deliveries SET state = 'delivered' WHERE seq <= 7`)
	db.exec(`UPDATE endpoints SET due_at = NULL`)
	failed(0, 0, webhook.ErrTooManyAsked)
}

// Every attempt can be seen, whether it failed, was given up or was replayed, and is deleted
// with its delivery.
func TestAttempts(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	id := db.newEndpoint()
	db.logMany(3)
	db.advance(id)
	begin := db.now
	attempt := func(seq int64, state webhook.DeliveryState, status int, err string) {
		t.Helper()
		db.now = db.now.Add(time.Minute)
		d := db.deliveries(id)[3-seq]
		d.State, d.Attempts, d.AttemptedAt, d.Took = state, d.Attempts+1, db.now, time.Duration(status)*time.Millisecond
		d.Status, d.Error, d.Response = status, webhook.StoredReason(err, "", ""), fmt.Sprint("said ", status)
		db.record(id, d)
	}
	attempts := func(what string, want ...string) {
		t.Helper()
		list := db.deliveries(id)
		by, err := db.Webhooks.Attempts(t.Context(), operator, list)
		db.must(err)
		all := []string{}
		for _, d := range slices.Backward(list) {
			for _, a := range by[d.ID] {
				all = append(all, fmt.Sprintf("%d at %v: %d %s, %q after %v", d.Seq, a.At.Sub(begin), a.Status, a.Error, a.Response, a.Took))
			}
		}
		wantSame(t, what, all, want)
	}
	rows := func() int { return db.count(`attempts`) }

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
	attempts("the attempts", want...)

	// The end of a delivery says why, and leaves what its last attempt met.
	db.disable(id, "by its owner")
	attempts("the attempts of a disabled endpoint", want...)
	d := db.deliveries(id)[0]
	wantEqual(t, "the end", fmt.Sprint(d.State, " ", d.EndReason, " ", d.EndedAt.Sub(begin)), "exhausted by its owner 5m0s")

	db.enable(id)
	db.must(db.Webhooks.ReplayDelivery(t.Context(), operator, id, d.ID, db.replay()))
	attempt(3, webhook.Delivered, 201, "")
	_, err := db.Webhooks.ReplayRange(t.Context(), operator, id, 1, 2, db.replay())
	db.must(err)
	want = append(want, `3 at 6m0s: 201 , "said 201" after 201ms`)
	attempts("the attempts after replays", want...)
	attempt(1, webhook.Exhausted, 410, "gone")
	attempts("the attempts after a replay that failed", slices.Insert(want, 1, `1 at 7m0s: 410 gone, "said 410" after 410ms`)...)

	// A delivery stays until its last attempt is old enough too.
	db.now = begin.Add(7 * time.Minute)
	db.prune(db.now, 10, 1) // that of 3: that of 2 is pending, and 1 was attempted just now
	db.prune(db.now.Add(time.Second), 10, 1)
	wantEqual(t, "rows of the delivery that is left", rows(), 3)
	db.must(db.Webhooks.DeleteEndpoint(t.Context(), operator, id, db.now))
	wantEqual(t, "rows of no delivery", rows(), 0)
}
