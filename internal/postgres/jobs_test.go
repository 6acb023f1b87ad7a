package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pressly/goose/v3/lock"
	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// enqueue claims for a minute.
func (b *bench) enqueue() int {
	b.Helper()
	n, err := b.db.Enqueue(b.Context(), b.now, b.now.Add(time.Minute), 100)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// jobs are those of a kind, in the order of their insertion.
func (b *bench) jobs(job river.JobArgs) []string {
	b.Helper()
	return ask[string](b, `SELECT args::text || ' ' || queue || ' ' || max_attempts FROM river_job WHERE kind = $1 ORDER BY id`, job.Kind())
}

func (b *bench) start(id string, claim int64) bool {
	b.Helper()
	e, ok, err := b.db.Start(b.Context(), id, claim, b.now.Add(time.Minute))
	if err != nil || ok != (e.ID == id) {
		b.Fatalf("starting: %+v, %v", e, err)
	}
	return ok
}

func TestAPublicationCommitsWithItsJob(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.publish(before())
	wantSame(t, "after a publication", b.jobs(webhook.FanOut{}), []string{`{"edition": 1} default 25`})
	b.publish(before())
	b.publish(contents(append(before().Tools, tool("z"))...))
	hidden := tool("z", func(t *catalog.Tool) { t.Mainstream = true })
	wantEqual(t, "an edition without events", b.publish(contents(append(before().Tools, hidden)...)).Number, 3)
	want := []string{`{"edition": 1} default 25`, `{"edition": 2} default 25`}
	wantSame(t, "after one without changes, one with and one without events", b.jobs(webhook.FanOut{}), want)

	b.exec(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the step failed'; END $$`)
	written := b.dump()
	for _, table := range []string{"current_edition", "river_job"} { // after the job, and the job itself
		b.exec(`CREATE TRIGGER fail BEFORE INSERT OR UPDATE ON ` + table + ` EXECUTE FUNCTION fail()`)
		if _, err := b.db.Publish(t.Context(), b.clock, b.toward(after())); err == nil {
			t.Fatal("the publication did not fail")
		}
		b.exec(`DROP TRIGGER fail ON ` + table)
		wantSame(t, "jobs after a publication that failed", b.jobs(webhook.FanOut{}), want)
		wantEqual(t, "the database after it", b.dump(), written)
	}
}

func TestEnqueue(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.newEndpoint()
	wantEqual(t, "with an empty log", b.enqueue(), 0)
	b.logMany(1)
	wantEqual(t, "behind the log", b.enqueue(), 1)
	wantEqual(t, "claimed", b.enqueue(), 0)
	b.now = b.now.Add(time.Minute)
	wantEqual(t, "after the claim has run out", b.enqueue(), 1)

	wantEqual(t, "an old claim starts", b.start(id, 1), false)
	wantEqual(t, "the last claim starts", b.start(id, 2), true)
	b.advance(id)
	wantError(t, "releasing by an old claim", b.db.Release(t.Context(), id, 1, b.now), nil)
	wantEqual(t, "after that", b.enqueue(), 0)
	wantError(t, "releasing", b.db.Release(t.Context(), id, 2, b.now.Add(time.Second)), nil)
	wantEqual(t, "before its time", b.enqueue(), 0)
	b.now = b.now.Add(time.Second)
	wantEqual(t, "a delivery is due", b.enqueue(), 1)

	due, err := b.db.Due(t.Context(), id, b.now, 10)
	if err != nil || len(due) != 1 {
		t.Fatalf("due: %v, %v", due, err)
	}
	due[0].NextAt = b.now.Add(time.Hour)
	wantError(t, "recording", b.db.Record(t.Context(), id, due, webhook.Health{Slow: true}, b.now), nil)
	wantEqual(t, "all is for later", b.enqueue(), 0)
	b.now = b.now.Add(time.Hour)
	wantEqual(t, "later", b.enqueue(), 1)
	job := func(claim int, queue string) string {
		return fmt.Sprintf(`{"claim": %d, "endpoint": "%s"} %s 3`, claim, id, queue)
	}
	wantSame(t, "the jobs", b.jobs(webhook.Deliver{}), []string{
		job(1, "webhook"), job(2, "webhook"), job(3, "webhook"), job(4, "webhook_slow"),
	})

	b.setState(id, webhook.Disabled, "by its owner")
	wantEqual(t, "a disabled endpoint starts", b.start(id, 4), false)
	wantEqual(t, "a disabled endpoint starts", b.start(id, 5), false)
	b.logMany(1)
	wantEqual(t, "when it is disabled", b.enqueue(), 0)
	wantEqual(t, "nobody's claim starts", b.start("ep_nobody", 0), false)
}

// Processes that look at once share the endpoints among them.
func TestEnqueueAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for i := range 6 {
		a := b.signUp(fmt.Sprintf("a%d@example.org", i), account.Pro)
		for range 10 {
			b.endpointOf(a.ID)
		}
	}
	b.logMany(1)
	for _, level := range []string{"read committed", "serializable"} {
		var wg sync.WaitGroup
		var mu sync.Mutex
		total := 0
		for range 6 {
			db := b.at(level)
			wg.Go(func() {
				for range 6 {
					n, err := db.Enqueue(t.Context(), b.now, b.now.Add(time.Minute), 7)
					if err != nil || n > 7 {
						t.Errorf("%d of at most 7: %v", n, err)
					}
					mu.Lock()
					total += n
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		wantEqual(t, "endpoints claimed", total, 60)
		wantEqual(t, "endpoints that have a job", ask[int](b, `SELECT count(DISTINCT args->>'endpoint') FROM river_job`)[0], 60)
		wantEqual(t, "jobs", len(b.jobs(webhook.Deliver{})), 60)
		b.exec(`DELETE FROM river_job`)
		b.now = b.now.Add(time.Minute)
	}
}

// A job that cannot be inserted leaves no claim.
func TestAFailedEnqueueClaimsNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.newEndpoint()
	b.logMany(1)
	b.exec(`ALTER TABLE river_job RENAME TO elsewhere`)
	if _, err := b.db.Enqueue(t.Context(), b.now, b.now.Add(time.Minute), 10); err == nil {
		t.Fatal("no error")
	}
	b.exec(`ALTER TABLE elsewhere RENAME TO river_job`)
	wantEqual(t, "endpoints to enqueue", b.enqueue(), 1)
}

// Nothing to do must cost nothing, however many endpoints and deliveries there are.
func TestNothingToEnqueueCostsNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.logMany(10)
	b.exec(`INSERT INTO accounts (email, plan) SELECT i || '@example.org', 'pro' FROM generate_series(1, 300) i`)
	b.exec(`
		INSERT INTO endpoints (id, account_id, slot, url, description, types, categories, state, reason, secret, cursor, created_at, verified_at, due_at)
		SELECT 'ep_' || a.email || s, a.id, s, 'https://example.org', '', '{}', '{}', 'active', '', repeat('x', 72)::bytea, 10, $1, $1, $1::timestamptz + '1 hour'
		FROM accounts a, generate_series(1, 10) s`, b.now)
	b.exec(`
		INSERT INTO deliveries (id, endpoint_id, seq, type, next_at, made_at)
		SELECT e.id || s, e.id, s, 'tool.updated', $1::timestamptz + '1 hour', $1 FROM endpoints e, generate_series(1, 5) s`, b.now)
	b.exec(`ANALYZE`)
	b.exec(`SELECT pg_stat_force_next_flush()`)
	read := func() int64 {
		return ask[int64](b, `
			SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int8 FROM pg_stat_user_tables WHERE relname IN ('endpoints', 'deliveries')`)[0]
	}
	const looker = "looker"
	was := read()
	db, err := postgres.Open(t.Context(), b.url+"&application_name="+looker, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const looks = 20
	for range looks {
		if n, err := db.Enqueue(t.Context(), b.now, b.now.Add(time.Minute), 100); n != 0 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	db.Close()
	b.ended(looker)
	if rows := read() - was; rows > 10*looks {
		t.Errorf("%d looks read %d rows", looks, rows)
	}
}

func TestDisable(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.newEndpoint()
	b.logMany(2)
	b.advance(id)
	for range 2 { // the second changes nothing
		wantError(t, "disabling", b.db.Disable(t.Context(), id, "410 Gone", b.now), nil)
	}
	e := b.endpoint(id)
	wantEqual(t, "the state", e.State, webhook.Disabled)
	wantEqual(t, "the reason", e.Reason, "410 Gone")
	wantSame(t, "its deliveries", b.states(id), []string{"1 exhausted 410 Gone", "2 exhausted 410 Gone"})
	wantSame(t, "the jobs", b.jobs(webhook.TellDisabled{}), []string{fmt.Sprintf(`{"endpoint": "%s"} default 25`, id)})
	wantError(t, "disabling nobody", b.db.Disable(t.Context(), "ep_nobody", "410 Gone", b.now), nil)
	b.firstDueIsKnown()
}

type answer struct {
	river.WorkerDefaults[webhook.FanOut]
	editions chan int64
}

func (a *answer) Work(_ context.Context, job *river.Job[webhook.FanOut]) error {
	a.editions <- job.Args.Edition
	return nil
}

// A worker in one process hears of a publication in another.
func TestAJobIsWorkedOn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if _, err := b.db.Jobs(&river.Config{}); err != nil {
		t.Errorf("a client that only inserts: %v", err)
	}
	a := &answer{editions: make(chan int64, 1)}
	workers := river.NewWorkers()
	river.AddWorker(workers, a)
	client, err := b.open().Jobs(&river.Config{
		Workers: workers, Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 1}}, TestOnly: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.publish(before())
	select {
	case e := <-a.editions:
		wantEqual(t, "the edition", e, 1)
	case <-time.After(soon):
		t.Error("the job is not worked on")
	}
	if err := client.Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}

func TestMigrateBringsRiver(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var ran []string
	for range 3 {
		wg.Go(func() {
			names, err := postgres.Migrate(t.Context(), url)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			ran = append(ran, names...)
		})
	}
	wg.Wait()
	river := slices.DeleteFunc(slices.Clone(ran), func(name string) bool { return !strings.HasPrefix(name, "river ") })
	want := []string{}
	for i := range river {
		want = append(want, fmt.Sprintf("river %d", i+1))
	}
	wantSame(t, "what three at once ran of River", river, want)
	if len(river) < 6 {
		t.Errorf("only %v", river)
	}
	again, err := postgres.Migrate(t.Context(), url)
	if err != nil || len(again) > 0 {
		t.Errorf("once more: %v, %v", again, err)
	}
	b := benchAt(t, url)
	wantSame(t, "the tables", ask[string](b, `
		SELECT tablename FROM pg_tables WHERE tablename IN ('river_job', 'river_leader', 'river_queue', 'endpoints', 'deliveries') ORDER BY 1`),
		[]string{"deliveries", "endpoints", "river_job", "river_leader", "river_queue"})
}

// Another migration, also an older binary's, is waited for, until River's part is done.
func TestMigrateWaitsForAnother(t *testing.T) {
	t.Parallel()
	b := benchAt(t, pgtest.URL(t))
	b.exec(`SELECT pg_advisory_lock($1)`, lock.DefaultLockID)
	short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if ran, err := postgres.Migrate(short, b.url); err == nil {
		t.Errorf("it ran %v beside another", ran)
	}
	wantEqual(t, "tables", ask[int](b, `SELECT count(*) FROM pg_tables WHERE schemaname = 'public'`)[0], 0)
	b.exec(`SELECT pg_advisory_unlock($1)`, lock.DefaultLockID)
	if _, err := postgres.Migrate(t.Context(), b.url); err != nil {
		t.Fatal(err)
	}

	b.exec(`DELETE FROM river_migration WHERE version = 8`) // it does nothing to PostgreSQL
	err := b.during(`LOCK TABLE river_migration`, func() error {
		ran, err := postgres.Migrate(t.Context(), b.url)
		wantSame(t, "what was left to run", ran, []string{"river 8"})
		return err
	}, func() {
		wantEqual(t, "the lock is free during River's part", ask[bool](b, `SELECT pg_try_advisory_lock($1)`, lock.DefaultLockID)[0], false)
	})
	wantError(t, "migrating", err, nil)
}
