package webhook_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/webhook"
)

func TestRetries_ToTheSecond(t *testing.T) {
	t.Parallel()
	for _, jitter := range []float64{-1, 0, 1} {
		t.Run(fmt.Sprint("jitter ", jitter), func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			o.jitter = jitter
			in := newInbox(t)
			in.answers(status(http.StatusInternalServerError))
			e := o.subscribe(in)
			o.publish(1)
			w := o.worker()
			id := ""
			for attempt := 1; ; attempt++ {
				now := o.clock.Now()
				o.turn(w)
				got := in.take()
				if len(got) != 1 {
					t.Fatalf("attempt %d: %d requests", attempt, len(got))
				}
				if id == "" {
					id = got[0].id()
				}
				if got[0].id() != id || !got[0].sentAt().Equal(now) || !got[0].signedWith(t, e.secret) {
					t.Errorf("attempt %d of %s at %v: %v", attempt, id, now, got[0].header)
				}
				d := o.delivery(e.ID, 1)
				if d.ID != id || d.Attempts != attempt || !d.Done.Equal(now) || d.Status != 500 || d.Error != "the receiver answered 500 Internal Server Error" {
					t.Errorf("after attempt %d: %+v", attempt, d)
				}
				next, again := webhook.Next(attempt, now, 0, jitter)
				if !again {
					wantEqual(t, "attempts", attempt, 10)
					wantEqual(t, "the state at the end", d.State, webhook.Exhausted)
					break
				}
				if d.State != webhook.Pending || !d.NextAt.Equal(next) {
					t.Errorf("after attempt %d: %s, next at %v, want %v", attempt, d.State, d.NextAt, next)
				}
				o.clock.Set(next.Add(-time.Second))
				wantEqual(t, "jobs a second early", len(o.turn(w)), 0)
				o.clock.Set(next)
			}
			o.clock.Add(30 * 24 * time.Hour)
			wantEqual(t, "jobs afterwards", len(o.turn(w)), 0)
			wantEqual(t, "requests afterwards", len(in.take()), 0)
			wantEqual(t, "the endpoint", o.endpoint(e.ID).State, webhook.Active)
		})
	}
}

func TestRetryAfterIsHonoured(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"120": 2 * time.Minute,
		begin.Add(150 * time.Second).Format(http.TimeFormat): 150 * time.Second,
		"3":      5 * time.Second, // the schedule asks for more
		"999999": 24 * time.Hour,
	} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			in := newInbox(t)
			in.answers(func(w http.ResponseWriter, _ arrival) {
				w.Header().Set("Retry-After", value)
				w.WriteHeader(http.StatusServiceUnavailable)
			})
			o.subscribe(in)
			o.publish(1)
			w := o.worker()
			o.turn(w)
			o.clock.Set(begin.Add(want - time.Second))
			o.turn(w)
			wantEqual(t, "requests before its time", len(in.all()), 1)
			o.clock.Set(begin.Add(want))
			o.turn(w)
			wantEqual(t, "requests at its time", len(in.all()), 2)
		})
	}
}

func TestSporadicFailuresDoNotDisable(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in := newInbox(t)
	e := o.subscribe(in)
	w := o.worker()
	for range 20 {
		in.answers(status(http.StatusServiceUnavailable))
		o.publish(1)
		o.turn(w)
		in.answers(status(http.StatusNoContent))
		o.clock.Add(5 * time.Second)
		o.turn(w)
		o.clock.Add(24 * time.Hour)
	}
	got := o.endpoint(e.ID)
	if got.State != webhook.Active || !got.Failing.IsZero() || o.tellings(e.ID) != 0 {
		t.Errorf("%+v", got)
	}
	o.wantDeliveries(e.ID, webhook.Delivered, 20)
	wantEqual(t, "requests", len(in.all()), 40)
}

func TestADowngradePausesAndAnUpgradeResumes(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in := newInbox(t)
	e := o.subscribe(in)
	w := o.worker()
	in.answers(status(http.StatusInternalServerError))
	o.publish(2)
	o.turn(w)
	in.take()

	in.answers(status(http.StatusOK))
	o.must(pgtest.ByEmail(o.db).SetPlan(t.Context(), owner, account.Developer))
	paused := o.endpoint(e.ID)
	if paused.State != webhook.Paused || !strings.Contains(paused.Reason, "Pro") {
		t.Errorf("after the downgrade: %s: %s", paused.State, paused.Reason)
	}
	o.publish(3) // 3 to 5
	o.clock.Add(time.Hour)
	wantEqual(t, "jobs while paused", len(o.turn(w)), 0)
	wantEqual(t, "requests while paused", len(in.take()), 0)
	o.wantDeliveries(e.ID, webhook.Exhausted, 2)
	if _, err := o.db.ReplayRange(t.Context(), account.Operator(), e.ID, 3, 5, webhook.ReplayAt(o.clock.Now())); !errors.Is(err, webhook.ErrNotReady) {
		t.Errorf("replaying while paused: %v", err)
	}

	o.must(pgtest.ByEmail(o.db).SetPlan(t.Context(), owner, account.Pro))
	if got := o.endpoint(e.ID); got.State != webhook.Active || got.Reason != "" || got.Cursor != 5 {
		t.Errorf("after the upgrade: %+v", got)
	}
	o.turn(w)
	wantEqual(t, "what arrives of the time between", in.takeSeqs(), []int64{})
	o.publish(1)
	o.turn(w)
	wantEqual(t, "what arrives after the upgrade", in.takeSeqs(), []int64{6})
	n, err := o.db.ReplayRange(t.Context(), account.Operator(), e.ID, 1, 5, webhook.ReplayAt(o.clock.Now()))
	o.must(err)
	wantEqual(t, "events to replay", n, 5)
	o.turn(w)
	wantEqual(t, "what arrives of the replay", in.takeSeqs(), numbers(1, 5))
}

func TestARotatedSecretSignsForADay(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in := newInbox(t)
	e := o.subscribe(in)
	w := o.worker()
	next := webhook.NewSecret()
	begin := o.clock.Now()
	check := func(at time.Time, signatures int, old, current bool) {
		t.Helper()
		o.clock.Set(at)
		o.publish(1)
		o.turn(w)
		got := in.take()
		if len(got) != 1 {
			t.Fatalf("%d requests", len(got))
		}
		wantEqual(t, "signatures", len(strings.Fields(got[0].header.Get("webhook-signature"))), signatures)
		wantEqual(t, "signed with the old one", got[0].signedWith(t, e.secret), old)
		wantEqual(t, "signed with the new one", got[0].signedWith(t, next), current)
	}
	check(begin, 1, true, false)
	_, err := o.db.RotateSecret(t.Context(), account.Operator(), e.ID, o.box.Seal(next, e.ID), webhook.Rotation{Now: begin, Until: begin.Add(24 * time.Hour)})
	o.must(err)
	check(begin, 2, true, true)
	check(begin.Add(24*time.Hour-time.Second), 2, true, true)
	check(begin.Add(24*time.Hour), 1, false, true)
	check(begin.Add(48*time.Hour), 1, false, true)
}

func TestFilters(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	w := o.worker()
	prices, voices := []catalog.EventType{catalog.PriceChanged, catalog.ToolRetired}, []string{"voix", "image"}
	var inboxes []*inbox
	var subscriptions []subscription
	for _, f := range []struct {
		types      []catalog.EventType
		categories []string
	}{{nil, nil}, {prices, nil}, {nil, voices}, {prices, voices}} {
		in := newInbox(t)
		inboxes = append(inboxes, in)
		subscriptions = append(subscriptions, o.subscribe(in, func(e *webhook.Endpoint) { e.Types, e.Categories = f.types, f.categories }))
	}
	o.publishEvents(
		catalog.Event{Type: catalog.ToolUpdated, Categories: []string{"code"}},
		catalog.Event{Type: catalog.PriceChanged, Categories: []string{"code"}},
		catalog.Event{Type: catalog.ToolRetired, Categories: []string{"voix"}},
		catalog.Event{Type: catalog.ToolUpdated, Categories: []string{"code", "voix"}},
		catalog.Event{Type: catalog.PriceChanged, Categories: []string{"image"}},
		catalog.Event{Type: catalog.ComparisonUpdated, Categories: []string{}},
	)
	wants := [][]int64{numbers(1, 6), {2, 3, 5}, {3, 4, 5}, {3, 5}}
	o.turn(w)
	for i, want := range wants {
		wantEqual(t, fmt.Sprint("what arrives at ", i), inboxes[i].takeSeqs(), want)
	}
	for i, s := range subscriptions { // a range sends those that match
		n, err := o.db.ReplayRange(t.Context(), account.Operator(), s.ID, 2, 4, webhook.ReplayAt(o.clock.Now()))
		o.must(err)
		o.turn(w)
		var want []int64
		for _, seq := range wants[i] {
			if seq >= 2 && seq <= 4 {
				want = append(want, seq)
			}
		}
		wantEqual(t, fmt.Sprint("replayed to ", i), n, len(want))
		wantEqual(t, fmt.Sprint("what arrives once more at ", i), inboxes[i].takeSeqs(), want)
	}
}

func TestAReplayKeepsItsID(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in := newInbox(t)
	e := o.subscribe(in)
	w := o.worker()
	o.publish(3)
	o.turn(w)
	ids := map[int64]string{}
	for _, a := range in.take() {
		ids[a.Data.Seq] = a.id()
	}
	again := func(want ...int64) {
		t.Helper()
		o.turn(w)
		got := in.take()
		wantEqual(t, "requests", len(got), len(want))
		for _, a := range got {
			if ids[a.Data.Seq] != a.id() || !a.sentAt().Equal(o.clock.Now()) || !a.signedWith(t, e.secret) {
				t.Errorf("event %d was %s, is %v", a.Data.Seq, ids[a.Data.Seq], a.header)
			}
		}
	}
	o.clock.Add(29 * 24 * time.Hour)
	o.must(o.db.ReplayDelivery(t.Context(), account.Operator(), e.ID, ids[2], webhook.ReplayAt(o.clock.Now())))
	again(2)
	_, err := o.db.ReplayRange(t.Context(), account.Operator(), e.ID, 1, 3, webhook.ReplayAt(o.clock.Now()))
	o.must(err)
	again(1, 2, 3)
	again()
	o.clock.Add(24*time.Hour + time.Second)
	if err := o.db.ReplayDelivery(t.Context(), account.Operator(), e.ID, ids[2], webhook.ReplayAt(o.clock.Now())); !errors.Is(err, webhook.ErrTooOld) {
		t.Errorf("after 30 days: %v", err)
	}
}

// A worker forgets what is old enough, and the log goes on.
func TestAWorkerForgets(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in := newInbox(t)
	o.subscribe(in)
	w := o.worker(func(w *webhook.WorkerOptions) { w.EventsKeep = 31 * 24 * time.Hour })
	left := func(table string) int {
		o.must(w.Prune(t.Context()))
		return o.count(`SELECT count(*) FROM ` + table)
	}
	o.publish(3)
	o.turn(w)
	o.clock.Add(30*24*time.Hour - time.Second)
	wantEqual(t, "deliveries before 30 days", left("deliveries"), 3)
	o.clock.Add(2 * time.Second)
	wantEqual(t, "deliveries after 30 days", left("deliveries"), 0)
	wantEqual(t, "events after 30 days", left("events"), 3)
	o.clock.Add(24 * time.Hour)
	wantEqual(t, "events after 31 days", left("events"), 0)
	o.publish(2)
	o.turn(w)
	wantEqual(t, "what arrived", in.takeSeqs(), numbers(1, 5))
}

func TestAnObsoleteClaimDoesNothing(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in := newInbox(t)
	e := o.subscribe(in)
	w := o.worker()
	o.publish(3)
	first := o.enqueue(w)
	o.clock.Add(5*time.Minute - time.Second)
	wantEqual(t, "jobs while one waits", len(o.enqueue(w)), 0)
	o.clock.Add(time.Second)
	second := o.enqueue(w)
	if len(first) != 1 || len(second) != 1 {
		t.Fatalf("%v, then %v", first, second)
	}
	o.must(w.Deliver(t.Context(), first[0].Deliver))
	wantEqual(t, "requests of the obsolete job", len(in.all()), 0)
	wantEqual(t, "the cursor", o.endpoint(e.ID).Cursor, int64(0))
	o.must(w.Deliver(t.Context(), second[0].Deliver))
	wantEqual(t, "what arrives", in.takeSeqs(), numbers(1, 3))
	for _, gone := range []webhook.Deliver{{Endpoint: "ep_nobody", Claim: 1}, {Endpoint: e.ID, Claim: 99}} {
		o.must(w.Deliver(t.Context(), gone))
	}
	wantEqual(t, "requests of jobs for nothing", len(in.all()), 0)
}

// Deliveries that wait for another attempt count towards the bound too.
func TestTheBoundHoldsForAReceiverThatFailsOften(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in := newInbox(t)
	in.answers(func(w http.ResponseWriter, a arrival) {
		if a.Data.Seq%3 != 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	o.subscribe(in)
	o.publish(5000)
	o.turn(o.worker())
	if n := o.count(`SELECT count(*) FROM deliveries WHERE state = 'pending'`); n > 1000 {
		t.Errorf("%d deliveries wait", n)
	}
}
