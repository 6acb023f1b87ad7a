package webhook_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/webhook"
)

const owner = "zoe@example.test"

// An office is a database of the test's own with a Pro account, and the clock that
// its workers read.
type office struct {
	*testing.T
	url     string
	db      *postgres.DB
	admin   *pgx.Conn
	box     *webhook.Box
	clock   *clock
	jitter  float64
	account account.Account
}

// A clock stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time      { c.mu.Lock(); defer c.mu.Unlock(); return c.now }
func (c *clock) Set(t time.Time)     { c.mu.Lock(); defer c.mu.Unlock(); c.now = t }
func (c *clock) Add(d time.Duration) { c.mu.Lock(); defer c.mu.Unlock(); c.now = c.now.Add(d) }

func newOffice(t *testing.T) *office {
	t.Helper()
	return newOfficeAt(t, pgtest.Migrated(t))
}

func newOfficeAt(t *testing.T, url string) *office {
	t.Helper()
	o := &office{
		T: t, url: url, box: newTestBox(t),
		clock: &clock{now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)},
	}
	o.db = o.open()
	o.connect()
	var err error
	o.account, err = o.db.CreateAccount(t.Context(), owner, account.Pro)
	o.must(err)
	return o
}

// connect opens the connection of the test itself.
func (o *office) connect() {
	o.Helper()
	conn, err := pgx.Connect(o.Context(), o.url)
	o.must(err)
	o.Cleanup(func() { conn.Close(context.Background()) })
	o.admin = conn
}

// open is one more process on the same database.
func (o *office) open() *postgres.DB {
	o.Helper()
	db, err := postgres.Open(o.Context(), o.url, postgres.Options{})
	if err != nil {
		o.Fatal(err)
	}
	o.Cleanup(db.Close)
	return db
}

func (o *office) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

func (o *office) exec(sql string, args ...any) {
	o.Helper()
	_, err := o.admin.Exec(o.Context(), sql, args...)
	o.must(err)
}

func (o *office) count(sql string, args ...any) (n int) {
	o.Helper()
	o.must(o.admin.QueryRow(o.Context(), sql, args...).Scan(&n))
	return n
}

// A subscription is an endpoint, and the secret that its owner was shown.
type subscription struct {
	webhook.Endpoint
	secret webhook.Secret
}

func (o *office) subscribe(in *inbox, edits ...func(*webhook.Endpoint)) subscription {
	o.Helper()
	s := subscription{webhook.Endpoint{ID: webhook.NewEndpointID(), Account: o.account.ID, URL: in.url, State: webhook.Active}, webhook.NewSecret()}
	s.Secret = o.box.Seal(s.secret, s.ID)
	for _, edit := range edits {
		edit(&s.Endpoint)
	}
	o.must(o.db.CreateEndpoint(o.Context(), s.Endpoint, o.clock.Now()))
	return s
}

func (o *office) endpoint(id string) webhook.Endpoint {
	o.Helper()
	e, err := o.db.Endpoint(o.Context(), account.Operator(), id)
	o.must(err)
	return e
}

// delivery is that of an event to an endpoint.
func (o *office) delivery(endpoint string, seq int64) webhook.Delivery {
	o.Helper()
	list, err := o.db.Deliveries(o.Context(), account.Operator(), endpoint, seq+1, 1)
	o.must(err)
	if len(list) != 1 || list[0].Seq != seq {
		o.Fatalf("event %d has no delivery to %s", seq, endpoint)
	}
	return list[0]
}

// wantDeliveries checks how many deliveries an endpoint has in a state.
func (o *office) wantDeliveries(endpoint string, state webhook.DeliveryState, n int) {
	o.Helper()
	got := o.count(`SELECT count(*) FROM deliveries WHERE endpoint_id = $1 AND state = $2`, endpoint, state)
	wantEqual(o.T, string(state), got, n)
}

// publish appends n updates of tools to the log, as one edition at the clock's time.
func (o *office) publish(n int) {
	o.Helper()
	events := make([]catalog.Event, n)
	for i := range events {
		events[i] = catalog.Event{Type: catalog.ToolUpdated, Categories: []string{"code"}}
	}
	o.publishEvents(events...)
}

func (o *office) publishEvents(events ...catalog.Event) {
	o.Helper()
	o.must(pgx.BeginFunc(o.Context(), o.admin, func(tx pgx.Tx) error {
		var number, last int64
		err := tx.QueryRow(o.Context(), `
			INSERT INTO editions (number, published_at, last_seq)
			SELECT coalesce(max(number), 0) + 1, $1, coalesce(max(last_seq), 0) + $2 FROM editions
			RETURNING number, last_seq`, o.clock.Now(), len(events)).Scan(&number, &last)
		if err != nil {
			return err
		}
		_, err = tx.CopyFrom(o.Context(), pgx.Identifier{"events"}, []string{"seq", "edition", "type", "slug", "categories", "object"},
			pgx.CopyFromSlice(len(events), func(i int) ([]any, error) {
				seq := last - int64(len(events)-1-i)
				return []any{seq, number, string(events[i].Type), fmt.Sprintf("outil-%d", seq), events[i].Categories, `{"score":8}`}, nil
			}))
		if err != nil {
			return err
		}
		_, err = tx.Exec(o.Context(), `
			INSERT INTO current_edition (number) VALUES ($1) ON CONFLICT (only_row) DO UPDATE SET number = excluded.number`, number)
		return err
	}))
}

func (o *office) worker(edits ...func(*webhook.WorkerOptions)) *webhook.Worker {
	o.Helper()
	options := webhook.WorkerOptions{
		Store: o.db, Sender: newTestSender(o.T, o.clock.Now, 0), Box: o.box, Logger: slog.New(slog.DiscardHandler),
		Now: o.clock.Now, Jitter: func() float64 { return o.jitter },
	}
	for _, edit := range edits {
		edit(&options)
	}
	return webhook.NewWorker(options)
}

// A job is a Deliver job in its queue.
type job struct {
	webhook.Deliver
	Queue string
}

// enqueue has the worker look for something to do, and takes its jobs out of River.
func (o *office) enqueue(w *webhook.Worker) []job {
	o.Helper()
	o.must(w.Enqueue(o.Context()))
	rows, err := o.admin.Query(o.Context(), `
		DELETE FROM river_job WHERE kind = 'webhook_deliver' AND state = 'available'
		RETURNING args->>'endpoint', (args->>'claim')::bigint, queue`)
	o.must(err)
	jobs, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (j job, err error) {
		err = row.Scan(&j.Endpoint, &j.Claim, &j.Queue)
		return j, err
	})
	o.must(err)
	return jobs
}

// turn does once, without River, what there is to do at the clock's time.
func (o *office) turn(w *webhook.Worker) []job {
	o.Helper()
	jobs := o.enqueue(w)
	for _, j := range jobs {
		o.must(w.Deliver(o.Context(), j.Deliver))
	}
	return jobs
}

// tellings counts the jobs of telling an owner.
func (o *office) tellings(endpoint string) int {
	o.Helper()
	return o.count(`SELECT count(*) FROM river_job WHERE kind = 'webhook_tell_disabled' AND args->>'endpoint' = $1`, endpoint)
}

// realTime lets a worker read the computer's clock, as River does.
func realTime(w *webhook.WorkerOptions) { w.Now = nil }

// river runs a worker until it is stopped, or the test ends: as a node does, or without
// the sweep.
func (o *office) river(db *postgres.DB, w *webhook.Worker, sweep bool) (stop func()) {
	o.Helper()
	if sweep {
		return o.run(webhook.NewRunner(w, func(c *river.Config) (webhook.Jobs, error) { return db.Jobs(c) }))
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(o.Context()))
	client, err := db.Jobs(w.Config())
	o.must(err)
	o.must(client.Start(ctx))
	stop = sync.OnceFunc(func() {
		cancel() // the jobs' contexts too
		<-client.Stopped()
	})
	o.Cleanup(stop)
	return stop
}

// run runs a runner until it is stopped, or the test ends.
func (o *office) run(r *webhook.Runner) (stop func()) {
	o.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(o.Context()))
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
	})
	o.Cleanup(stop)
	return stop
}

func numbers(from, to int64) []int64 {
	list := []int64{}
	for n := from; n <= to; n++ {
		list = append(list, n)
	}
	return list
}

func wantEqual[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// publishTool publishes a catalog of one tool, for real.
func (o *office) publishTool(slug string) error {
	next := &catalog.Contents{
		Service:    catalog.Service{Name: "Palmarès", URL: "https://palmares.example"},
		Categories: []catalog.Category{{Slug: "code", Label: "Code"}},
		Tools: []*catalog.Tool{{
			Slug: slug, Name: slug, Domain: slug + ".example", Category: "code", ICP: catalog.Mixed,
			Pricing: catalog.Paid, Price: "10 €/mois", Tagline: "Un outil", Tier: 3, Source: "digest-" + slug,
		}},
	}
	next.Sort()
	_, err := o.db.Publish(o.Context(), time.Now, func(_ context.Context, current *catalog.Contents, _ catalog.Edition) (catalog.Changes, error) {
		return catalog.Diff(current, next, catalog.DateOf(time.Now())), nil
	})
	return err
}

func TestAPublicationIsDeliveredOnceAWorkerRuns(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in := newInbox(t)
	e := o.subscribe(in)
	o.must(o.publishTool("premier"))
	// No sweep: the job that committed with the publication is enough.
	stop := o.river(o.db, o.worker(realTime), false)
	in.until(t, 1)
	eventually(t, func() bool { return o.delivery(e.ID, 1).State == webhook.Delivered })
	stop()
	got := in.take()
	if len(got) != 1 || got[0].Type != catalog.ToolCreated || got[0].Data.Seq != 1 || !got[0].signedWith(t, e.secret) {
		t.Errorf("arrived: %v", got)
	}
}

func TestAPublicationThatIsRolledBackDeliversNothing(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in := newInbox(t)
	o.subscribe(in)
	// The last step of a publication fails, when its events and its job are written.
	o.exec(`
		CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused by the test'; END $$;
		CREATE TRIGGER refuse BEFORE INSERT ON current_edition FOR EACH ROW EXECUTE FUNCTION refuse()`)
	if err := o.publishTool("fantome"); err == nil || !strings.Contains(err.Error(), "refused by the test") {
		t.Fatal(err)
	}
	wantEqual(t, "jobs of what was rolled back", o.count(`SELECT count(*) FROM river_job`), 0)
	o.river(o.db, o.worker(realTime), true)
	o.exec(`DROP TRIGGER refuse ON current_edition`)
	o.must(o.publishTool("reel"))
	in.until(t, 1)
	if got := in.take(); len(got) != 1 || !strings.Contains(string(got[0].body), `"slug":"reel"`) {
		t.Errorf("arrived: %v", got)
	}
}

func TestTwoWorkersDeliverEveryEventOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	const endpoints, editions, each = 6, 5, 60
	var inboxes []*inbox
	for range endpoints {
		in := newInbox(t)
		o.subscribe(in)
		inboxes = append(inboxes, in)
	}
	for _, db := range []*postgres.DB{o.db, o.open()} {
		w := o.worker(realTime, func(w *webhook.WorkerOptions) { w.Store, w.Sweep = db, 10*time.Millisecond })
		o.river(db, w, true)
	}
	for range editions {
		o.publish(each)
	}
	for _, in := range inboxes {
		in.until(t, editions*each)
	}
	eventually(t, func() bool {
		return o.count(`SELECT count(*) FROM deliveries WHERE state = 'delivered'`) == endpoints*editions*each
	})
	for _, in := range inboxes {
		wantEqual(t, "arrived", in.takeSeqs(), numbers(1, editions*each))
	}
}

func TestStoppingRiverInMidRunLosesNothing(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in := newInbox(t)
	e := o.subscribe(in)
	in.answers(hang)
	o.publish(50)
	brief := func(w *webhook.WorkerOptions) { w.Lease = time.Second }
	w := o.worker(realTime, brief)
	stop := o.river(o.db, w, false)
	o.must(w.Enqueue(t.Context()))
	in.until(t, 4)
	stop()
	o.wantDeliveries(e.ID, webhook.Pending, 50)
	wantEqual(t, "attempts that count", o.count(`SELECT count(*) FROM deliveries WHERE attempts > 0`), 0)
	wantEqual(t, "since when it fails", o.endpoint(e.ID).Failing, time.Time{})

	in.take()
	in.answers(status(http.StatusOK))
	o.river(o.db, o.worker(realTime, brief), true)
	eventually(t, func() bool { return o.count(`SELECT count(*) FROM deliveries WHERE state = 'delivered'`) == 50 })
	wantEqual(t, "arrived, be it twice", slices.Compact(in.takeSeqs()), numbers(1, 50))
}
