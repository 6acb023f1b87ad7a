package postgres_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// enqueue claims endpoints for a minute.
func (db *testDB) enqueue() int {
	db.Helper()
	n, err := db.Webhooks.Enqueue(db.Context(), db.now, db.now.Add(time.Minute), 100)
	db.must(err)
	return n
}

// jobs are those of a kind, in the order of their insertion.
func (db *testDB) jobs(job river.JobArgs) []string {
	db.Helper()
	return ask[string](db, `SELECT args::text || ' ' || queue || ' ' || max_attempts FROM river_job WHERE kind = $1 ORDER BY id`, job.Kind())
}

func TestEnqueue(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	id := db.newEndpoint()
	starts := func(id string, claim int64) bool {
		t.Helper()
		e, ok, err := db.Webhooks.Start(t.Context(), id, claim, db.now.Add(time.Minute))
		db.must(err)
		wantEqual(t, "whether an endpoint comes with it", e.ID == id, ok)
		return ok
	}
	release := func(claim int64, notBefore time.Time) {
		t.Helper()
		db.must(db.Webhooks.Release(t.Context(), id, claim, notBefore))
	}
	wantEqual(t, "with an empty log", db.enqueue(), 0)
	db.logMany(1)
	wantEqual(t, "behind the log", db.enqueue(), 1)
	wantEqual(t, "claimed", db.enqueue(), 0)
	db.now = db.now.Add(time.Minute)
	wantEqual(t, "after the claim has run out", db.enqueue(), 1)
	wantEqual(t, "an old claim starts", starts(id, 1), false)
	wantEqual(t, "the last claim starts", starts(id, 2), true)
	db.advance(id)
	release(1, db.now)
	wantEqual(t, "released by an old claim", db.enqueue(), 0)
	release(2, db.now.Add(time.Second))
	wantEqual(t, "before its time", db.enqueue(), 0)
	db.now = db.now.Add(time.Second)
	wantEqual(t, "a delivery is due", db.enqueue(), 1)

	due, err := db.Webhooks.Due(t.Context(), id, db.now, 10)
	db.must(err)
	wantEqual(t, "due", len(due), 1)
	due[0].NextAt = db.now.Add(time.Hour)
	db.must(db.Webhooks.Record(t.Context(), id, due, webhook.Health{Slow: true}, db.now))
	wantEqual(t, "all is for later", db.enqueue(), 0)
	db.now = db.now.Add(time.Hour)
	wantEqual(t, "later", db.enqueue(), 1)
	job := func(claim int, queue string) string {
		return fmt.Sprintf(`{"claim": %d, "endpoint": "%s"} %s 3`, claim, id, queue)
	}
	wantSame(t, "the jobs", db.jobs(webhook.Deliver{}), []string{
		job(1, "webhook"), job(2, "webhook"), job(3, "webhook"), job(4, "webhook_slow"),
	})

	// A job that cannot be inserted leaves no claim.
	db.now = db.now.Add(time.Minute)
	db.failing("BEFORE INSERT ON river_job", func() {
		if _, err := db.Webhooks.Enqueue(t.Context(), db.now, db.now.Add(time.Minute), 10); err == nil {
			t.Error("no error")
		}
	})
	wantEqual(t, "after a failure", db.enqueue(), 1)

	db.disable(id, "by its owner")
	for claim := range int64(7) {
		wantEqual(t, "a disabled endpoint starts", starts(id, claim), false)
	}
	db.logMany(1)
	wantEqual(t, "when it is disabled", db.enqueue(), 0)
	wantEqual(t, "nobody's claim starts", starts("ep_nobody", 0), false)
}

// Processes that enqueue at once share the endpoints among them.
func TestEnqueue_AtOnce(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	for i := range 6 {
		a := db.signUp(fmt.Sprintf("a%d@example.org", i), account.Pro)
		for range 10 {
			db.endpointOf(a.ID)
		}
	}
	db.logMany(1)
	for _, level := range []string{"read committed", "serializable"} {
		var processes []*postgres.DB
		for range 6 {
			processes = append(processes, db.isolated(level))
		}
		var total atomic.Int64
		atOnce(6, func(i int) {
			for range 6 {
				n, err := processes[i].Webhooks.Enqueue(t.Context(), db.now, db.now.Add(time.Minute), 7)
				if err != nil || n > 7 {
					t.Errorf("%d of at most 7: %v", n, err)
				}
				total.Add(int64(n))
			}
		})
		wantEqual(t, "endpoints claimed", total.Load(), 60)
		wantEqual(t, "endpoints that have a job", ask[int](db, `SELECT count(DISTINCT args->>'endpoint') FROM river_job`)[0], 60)
		wantEqual(t, "jobs", len(db.jobs(webhook.Deliver{})), 60)
		db.exec(`DELETE FROM river_job`)
		db.now = db.now.Add(time.Minute)
	}
}

func TestDisable(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	id := db.newEndpoint()
	db.logMany(2)
	db.advance(id)
	for _, id := range []string{id, id, "ep_nobody"} { // the second does nothing
		db.must(db.Webhooks.Disable(t.Context(), id, inWords("410 Gone"), db.now))
	}
	e := db.endpoint(id)
	wantEqual(t, "the endpoint", fmt.Sprint(e.State, " ", e.Reason), "disabled 410 Gone")
	wantSame(t, "its deliveries", db.states(id), []string{"1 exhausted 410 Gone", "2 exhausted 410 Gone"})
	wantSame(t, "the jobs", db.jobs(webhook.NotifyDisabled{}), []string{fmt.Sprintf(`{"endpoint": "%s"} default 25`, id)})
	db.wantFirstDue()
}

type fanOut struct {
	river.WorkerDefaults[webhook.FanOut]
	editions chan int64
}

func (f *fanOut) Work(_ context.Context, job *river.Job[webhook.FanOut]) error {
	f.editions <- job.Args.Edition
	return nil
}

// A worker in one process gets the job of a publication in another.
func TestJobs(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	_, err := db.Jobs(&river.Config{})
	wantError(t, "a client that only inserts", err, nil)
	f := &fanOut{editions: make(chan int64, 1)}
	workers := river.NewWorkers()
	river.AddWorker(workers, f)
	client, err := db.process().Jobs(&river.Config{
		Workers: workers, Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 1}}, TestOnly: true,
	})
	db.must(err)
	db.must(client.Start(t.Context()))
	db.publish(before())
	select {
	case e := <-f.editions:
		wantEqual(t, "the edition", e, 1)
	case <-time.After(long):
		t.Error("the job is not worked on")
	}
	wantError(t, "stopping", client.Stop(context.WithoutCancel(t.Context())), nil)
}
