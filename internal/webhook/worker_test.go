package webhook_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

const day = 24 * time.Hour

func TestWorker_RetriesToTheSecond(t *testing.T) {
	t.Parallel()
	e, r := newEnv(t), newReceiver(t)
	e.jitter = 1
	r.answers(status(http.StatusInternalServerError))
	s := e.subscribe(r)
	e.publish(1)
	w := e.worker()
	id := ""
	for attempt := 1; ; attempt++ {
		now := e.clock.Now()
		e.work(w)
		got := r.take()
		if len(got) != 1 {
			t.Fatalf("attempt %d: %d requests", attempt, len(got))
		}
		if id == "" {
			id = got[0].id()
		}
		if got[0].id() != id || !got[0].sentAt().Equal(now) || !got[0].signedWith(t, s.secret) {
			t.Errorf("attempt %d of %s at %v: %v", attempt, id, now, got[0].header)
		}
		d := e.delivery(s.ID, 1)
		if d.ID != id || d.Attempts != attempt || !d.AttemptedAt.Equal(now) || d.Status != 500 ||
			d.Error.String() != "the receiver answered 500 Internal Server Error" {
			t.Errorf("after attempt %d: %+v", attempt, d)
		}
		next, again := webhook.Next(attempt, now, 0, 1)
		if !again {
			e.equal("attempts", attempt, 10)
			e.equal("the state at the end", d.State, webhook.Exhausted)
			break
		}
		if d.State != webhook.Pending || !d.NextAt.Equal(next) {
			t.Errorf("after attempt %d: %s, next at %v, want %v", attempt, d.State, d.NextAt, next)
		}
		e.clock.Set(next.Add(-time.Second))
		e.equal("jobs a second early", len(e.work(w)), 0)
		e.clock.Set(next)
	}
	e.clock.Advance(30 * day)
	e.equal("jobs afterwards", len(e.work(w)), 0)
	e.equal("requests afterwards", len(r.take()), 0)
	e.equal("the endpoint", e.endpoint(s.ID).State, webhook.Active)
}

// Responses of all kinds, each to an endpoint of its own: what becomes of the delivery, and when it
// is attempted again.
func TestWorker_Responses(t *testing.T) {
	t.Parallel()
	e, elsewhere := newEnv(t), newReceiver(t)
	answer := func(code int, header, value string) func(http.ResponseWriter, request) {
		return func(w http.ResponseWriter, _ request) {
			w.Header().Set(header, value)
			w.WriteHeader(code)
		}
	}
	tests := map[string]struct {
		answer func(http.ResponseWriter, request)
		state  webhook.DeliveryState
		status int
		wait   time.Duration // until the next attempt
		err    string
	}{
		"accepted":   {status(202), webhook.Delivered, 202, 0, ""},
		"redirect":   {answer(308, "Location", elsewhere.url), webhook.Pending, 308, 5 * time.Second, "redirects are not followed"},
		"seconds":    {answer(503, "Retry-After", "120"), webhook.Pending, 503, 2 * time.Minute, "503"},
		"a date":     {answer(429, "Retry-After", begin.Add(150*time.Second).Format(http.TimeFormat)), webhook.Pending, 429, 150 * time.Second, "429"},
		"too short":  {answer(503, "Retry-After", "3"), webhook.Pending, 503, 5 * time.Second, "503"},
		"too long":   {answer(503, "Retry-After", "999999"), webhook.Pending, 503, day, "503"},
		"not asking": {status(404), webhook.Pending, 404, 5 * time.Second, "the receiver answered 404 Not Found"},
	}
	endpoints := map[string]string{}
	for name, tt := range tests {
		r := newReceiver(t)
		r.answers(tt.answer)
		endpoints[name] = e.subscribe(r).ID
	}
	e.publish(1)
	e.work(e.worker())
	for name, tt := range tests {
		d := e.delivery(endpoints[name], 1)
		if d.State != tt.state || d.Status != tt.status || d.Attempts != 1 || !strings.Contains(d.Error.String(), tt.err) ||
			d.NextAt.Sub(begin) != tt.wait {
			t.Errorf("%s: %+v", name, d)
		}
	}
	e.equal("redirects that were followed", len(elsewhere.all()), 0)
}

func TestWorker_TimeoutsMarkTheEndpointSlow(t *testing.T) {
	t.Parallel()
	e, r := newEnv(t), newReceiver(t)
	s := e.subscribe(r)
	var outcomes []string
	impatient := e.worker(func(w *webhook.WorkerOptions) {
		w.Sender = newSender(t, e.clock.Now, 100*time.Millisecond)
		w.Attempted = func(outcome string, _ time.Duration) { outcomes = append(outcomes, outcome) }
	})
	queues := func(w *webhook.Worker) (names []string) {
		for _, j := range e.work(w) {
			names = append(names, j.Queue)
		}
		return names
	}
	r.answers(hang)
	e.publish(1)
	e.equal("the first job's queue", queues(impatient), []string{webhook.Queue})
	d := e.delivery(s.ID, 1)
	if d.State != webhook.Pending || d.Status != 0 || d.Error.String() != "timed out after 0.1 s" {
		t.Errorf("%+v", d)
	}
	e.equal("what the metrics count", outcomes, []string{"timeout"})
	e.equal("slow", e.endpoint(s.ID).Slow, true)

	r.answers(status(http.StatusOK))
	e.clock.Set(d.NextAt)
	e.equal("the queue of a slow endpoint", queues(e.worker()), []string{webhook.SlowQueue})
	e.equal("the delivery", e.delivery(s.ID, 1).State, webhook.Delivered)
	e.equal("slow after a success", e.endpoint(s.ID).Slow, false)
	e.publish(1)
	e.equal("the queue after a success", queues(e.worker()), []string{webhook.Queue})
}

func TestWorker_GoneDisablesAtOnce(t *testing.T) {
	t.Parallel()
	e, r, other := newEnv(t), newReceiver(t), newReceiver(t)
	s, healthy := e.subscribe(r), e.subscribe(other)
	r.answers(func(w http.ResponseWriter, got request) {
		if got.Data.Seq >= 10 {
			w.WriteHeader(http.StatusGone)
		}
	})
	e.publish(200)
	w := e.worker()
	e.work(w)
	got := e.endpoint(s.ID)
	e.equal("the state", got.State, webhook.Disabled)
	e.equal("the reason", got.Reason.String(), "the receiver answered 410 Gone at 2026-03-01T09:00:00Z")
	if n := len(r.take()); n < 10 || n > 25 { // no more than what was under way when the first 410 was read
		t.Errorf("%d requests", n)
	}
	e.wantDeliveries(s.ID, webhook.Delivered, 9)
	e.wantDeliveries(s.ID, webhook.Exhausted, 191)

	other.take()
	e.publish(3)
	e.clock.Advance(time.Hour)
	e.work(w)
	e.equal("requests after it was disabled", len(r.take()), 0)
	e.equal("the other endpoint's", len(other.take()), 3)
	e.equal("notifications", e.notifications(s.ID), 1)
	e.equal("the other endpoint's notifications", e.notifications(healthy.ID), 0)
}

// Five days in which every attempt fails disable an endpoint; one success starts them over.
func TestWorker_FiveDaysOfFailuresDisable(t *testing.T) {
	t.Parallel()
	e, failing, recovering := newEnv(t), newReceiver(t), newReceiver(t)
	failing.answers(status(http.StatusBadGateway))
	s, other := e.subscribe(failing), e.subscribe(recovering)
	w := e.worker()
	for hours := range 5 * 24 / 6 { // each day something new, and what is due of the days before
		if hours%4 == 0 {
			e.publish(1)
		}
		recovering.answers(func(w http.ResponseWriter, got request) {
			if got.Data.Seq != 4 { // one of the fourth day is accepted
				w.WriteHeader(http.StatusBadGateway)
			}
		})
		e.work(w)
		e.equal("the state within five days", e.endpoint(s.ID).State, webhook.Active)
		e.clock.Advance(6 * time.Hour)
	}
	e.equal("failing since", e.endpoint(s.ID).FailingSince, begin)
	e.clock.Advance(-time.Second)
	e.publish(1)
	e.work(w)
	e.equal("the state a second early", e.endpoint(s.ID).State, webhook.Active)
	e.clock.Advance(time.Second)
	e.publish(1)
	e.work(w)
	got := e.endpoint(s.ID)
	e.equal("the state after five days", got.State, webhook.Disabled)
	e.equal("the reason", got.Reason.String(), "every attempt has failed since 2026-03-01T09:00:00Z")
	e.equal("notifications", e.notifications(s.ID), 1)
	e.wantDeliveries(s.ID, webhook.Pending, 0)

	e.equal("the other's state", e.endpoint(other.ID).State, webhook.Active)
	since := e.endpoint(other.ID).FailingSince
	if since.Before(begin.Add(3 * day)) {
		t.Errorf("the other has been failing since %v", since)
	}
	e.clock.Set(since.Add(5 * day))
	e.publish(1)
	e.work(w)
	e.equal("the other's state in the end", e.endpoint(other.ID).State, webhook.Disabled)
}

func TestWorker_OccasionalFailuresDoNotDisable(t *testing.T) {
	t.Parallel()
	e, r := newEnv(t), newReceiver(t)
	s := e.subscribe(r)
	w := e.worker()
	for range 20 {
		r.answers(status(http.StatusServiceUnavailable))
		e.publish(1)
		e.work(w)
		r.answers(status(http.StatusNoContent))
		e.clock.Advance(5 * time.Second)
		e.work(w)
		e.clock.Advance(day)
	}
	got := e.endpoint(s.ID)
	if got.State != webhook.Active || !got.FailingSince.IsZero() || e.notifications(s.ID) != 0 {
		t.Errorf("%+v", got)
	}
	e.wantDeliveries(s.ID, webhook.Delivered, 20)
	e.equal("requests", len(r.all()), 40)
}

func TestWorker_TenConsecutiveFailuresEndTheRun(t *testing.T) {
	t.Parallel()
	e, r, other := newEnv(t), newReceiver(t), newReceiver(t)
	r.answers(status(http.StatusServiceUnavailable))
	e.subscribe(r)
	e.subscribe(other)
	w := e.worker()
	e.publish(100)
	e.work(w)
	if n := len(r.take()); n < 10 || n > 25 { // those under way are not taken back
		t.Errorf("%d requests", n)
	}
	e.equal("what the other endpoint got", len(other.take()), 100)

	e.publish(10)
	e.clock.Set(begin.Add(29 * time.Second))
	e.work(w)
	e.equal("requests within 30 s", len(r.take()), 0)
	e.equal("what the other endpoint got", len(other.take()), 10)

	r.answers(status(http.StatusOK))
	e.clock.Set(begin.Add(30 * time.Second))
	e.work(w)
	e.equal("what arrives after 30 s", r.takeSeqs(), numbers(1, 110))
}

// At most 1,000 deliveries wait at an endpoint, whether it fails always or often; the others follow
// when there is room.
func TestWorker_PendingDeliveriesAreBounded(t *testing.T) {
	t.Parallel()
	e, r, often := newEnv(t), newReceiver(t), newReceiver(t)
	r.answers(status(http.StatusServiceUnavailable))
	often.answers(func(w http.ResponseWriter, got request) {
		if got.Data.Seq%3 != 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	s := e.subscribe(r)
	e.subscribe(often)
	w := e.worker()
	e.publish(5000)
	const most = `SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM deliveries WHERE state = 'pending' GROUP BY endpoint_id) p`
	for saturated := 0; saturated < 3; e.clock.Advance(30 * time.Second) {
		e.work(w)
		if n := e.count(most); n > 1000 {
			t.Fatalf("%d deliveries wait after %v", n, e.clock.Now().Sub(begin))
		}
		saturated += e.count(`SELECT count(*) FROM endpoints WHERE saturated AND id = $1`, s.ID)
		if e.clock.Now().Sub(begin) > day {
			t.Fatal("the bound is not reached in a day")
		}
	}
	e.wantDeliveries(s.ID, webhook.Pending, 1000)

	r.take()
	r.answers(status(http.StatusOK))
	for range 10 {
		e.clock.Advance(10 * time.Hour)
		e.work(w)
	}
	e.equal("what arrived, once each", r.takeSeqs(), numbers(1, 5000))
	e.wantDeliveries(s.ID, webhook.Delivered, 5000)
}

func TestWorker_AnObsoleteClaimDoesNothing(t *testing.T) {
	t.Parallel()
	e, r := newEnv(t), newReceiver(t)
	s := e.subscribe(r)
	w := e.worker()
	e.publish(3)
	first := e.enqueue(w)
	e.clock.Advance(5*time.Minute - time.Second)
	e.equal("jobs while one waits", len(e.enqueue(w)), 0)
	e.clock.Advance(time.Second)
	second := e.enqueue(w)
	for _, obsolete := range []webhook.Deliver{first[0].Deliver, {Endpoint: "ep_nobody", Claim: 1}, {Endpoint: s.ID, Claim: 99}} {
		e.must(w.Deliver(t.Context(), obsolete))
	}
	e.equal("requests of obsolete jobs", len(r.all()), 0)
	e.equal("the cursor", e.endpoint(s.ID).Cursor, int64(0))
	e.must(w.Deliver(t.Context(), second[0].Deliver))
	e.equal("what arrives", r.takeSeqs(), numbers(1, 3))
}

// What a worker gives up because it is being stopped is not the receiver's failure.
func TestWorker_StoppedDuringARun(t *testing.T) {
	t.Parallel()
	e, r := newEnv(t), newReceiver(t)
	s := e.subscribe(r)
	e.publish(20)
	r.answers(func(w http.ResponseWriter, got request) { // four are accepted, the next four are never answered
		if got.Data.Seq > 4 {
			hang(w, got)
		}
	})
	w := e.worker()
	jobs := e.enqueue(w)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	over := make(chan error, 1)
	go func() { over <- w.Deliver(ctx, jobs[0].Deliver) }()
	r.wait(t, 8)
	cancel()
	<-over // perhaps with an error: River tries again
	e.equal("failing since", e.endpoint(s.ID).FailingSince, time.Time{})
	e.wantDeliveries(s.ID, webhook.Delivered, 4)
	e.equal("attempts that count", e.count(`SELECT count(*) FROM deliveries WHERE state = 'pending' AND attempts = 0`), 16)

	r.take()
	r.answers(status(http.StatusOK))
	e.clock.Advance(30 * time.Second) // by then the claim has expired
	e.work(w)
	e.equal("what arrives then", r.takeSeqs(), numbers(5, 20))
}

// A receiver that hangs occupies a worker slot for two seconds only.
func TestWorker_HangingReceiversAreDetached(t *testing.T) {
	t.Parallel()
	e, hanging, other := newEnv(t), newReceiver(t), newReceiver(t)
	release := make(chan struct{})
	defer close(release)
	hanging.answers(func(_ http.ResponseWriter, got request) {
		select {
		case <-got.gone:
		case <-release:
		}
	})
	e.subscribe(hanging)
	w := e.worker(realTime, func(w *webhook.WorkerOptions) { w.Workers = 1 })
	e.river(e.db, w, true)
	e.publish(1)
	hanging.wait(t, 1)
	e.subscribe(other)
	e.publish(1)
	other.wait(t, 1)
	select {
	case <-hanging.all()[0].gone:
		t.Error("the other endpoint waited until the hanging one had timed out")
	default:
	}
}

func TestWorker_TwoWorkersDeliverEveryEventOnce(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	const endpoints, editions, each = 6, 5, 60
	var receivers []*receiver
	for range endpoints {
		r := newReceiver(t)
		e.subscribe(r)
		receivers = append(receivers, r)
	}
	for _, db := range []*postgres.DB{e.db, e.open()} {
		e.river(db, e.worker(realTime, func(w *webhook.WorkerOptions) { w.Store = db.Webhooks }), true)
	}
	for range editions {
		e.publish(each)
	}
	testkit.EventuallyTrue(t, "all are delivered", func() bool {
		return e.count(`SELECT count(*) FROM deliveries WHERE state = 'delivered'`) == endpoints*editions*each
	})
	for _, r := range receivers {
		e.equal("arrived", r.takeSeqs(), numbers(1, editions*each))
	}
}

func TestWorker_NotifiesTheOwnerOnce(t *testing.T) {
	t.Parallel()
	e, r := newEnv(t), newReceiver(t)
	s := e.subscribe(r)
	r.answers(status(http.StatusGone))
	notified := make(chan string, 8)
	e.river(e.db, e.worker(realTime), true, func(cfg *river.Config) {
		river.AddWorker(cfg.Workers, river.WorkFunc(func(_ context.Context, job *river.Job[webhook.NotifyDisabled]) error {
			notified <- job.Args.Endpoint
			return nil
		}))
	})
	e.publish(20)
	e.equal("notified of", <-notified, s.ID)
	e.publish(20)
	testkit.EventuallyTrue(t, "the job is done", func() bool {
		return e.count(`SELECT count(*) FROM river_job WHERE kind = 'webhook_tell_disabled' AND state = 'completed'`) == 1
	})
	e.equal("further notifications", len(notified)+e.notifications(s.ID), 1)
}
