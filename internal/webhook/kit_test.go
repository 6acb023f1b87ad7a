package webhook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

const owner = "zoe@example.test"

var begin = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// An env is a database of the test's own with a Pro account, and the clock that its workers read.
type env struct {
	*testing.T
	url     string
	db      *postgres.DB
	store   *postgres.Webhooks
	admin   *pgx.Conn
	keyring *webhook.Keyring // a
	clock   *testkit.Clock
	jitter  float64
	account account.Account
}

func newEnv(t *testing.T) *env {
	t.Helper()
	e := &env{T: t, url: pgtest.Migrated(t), keyring: keyringOf(t, "a"), clock: testkit.NewClock(begin)}
	e.db = e.open()
	e.store = e.db.Webhooks
	var err error
	e.admin, err = pgx.Connect(e.Context(), e.url)
	e.must(err)
	e.Cleanup(func() { e.admin.Close(context.Background()) })
	e.account, err = e.db.Accounts.Create(t.Context(), owner, account.Pro)
	e.must(err)
	return e
}

// open opens the database as one more process.
func (e *env) open() *postgres.DB {
	e.Helper()
	db, err := postgres.Open(e.Context(), e.url, postgres.Options{})
	e.must(err)
	e.Cleanup(db.Close)
	return db
}

func (e *env) must(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

func (e *env) equal(what string, got, want any) {
	e.Helper()
	testkit.Equal(e.T, what, got, want)
}

func (e *env) exec(sql string, args ...any) {
	e.Helper()
	_, err := e.admin.Exec(e.Context(), sql, args...)
	e.must(err)
}

func (e *env) count(sql string, args ...any) (n int) {
	e.Helper()
	e.must(e.admin.QueryRow(e.Context(), sql, args...).Scan(&n))
	return n
}

// keyringOf returns the keyring of a process with that secret and earlier ones.
func keyringOf(t *testing.T, current string, previous ...string) *webhook.Keyring {
	t.Helper()
	var earlier []string
	for _, p := range previous {
		earlier = append(earlier, strings.Repeat(p, 32))
	}
	return webhook.NewKeyring(testkit.Ring(t, strings.Repeat(current, 32), earlier...))
}

// A subscription is an endpoint and the secret that its owner was shown.
type subscription struct {
	webhook.Endpoint
	secret webhook.Secret
}

// subscribe creates an active endpoint.
func (e *env) subscribe(r *receiver, edits ...func(*webhook.Endpoint)) subscription {
	e.Helper()
	s := subscription{secret: webhook.NewSecret(), Endpoint: webhook.Endpoint{
		ID: webhook.NewEndpointID(), Account: e.account.ID, URL: r.url, State: webhook.Active,
	}}
	s.Secret = e.keyring.Seal(s.secret, s.ID)
	for _, edit := range edits {
		edit(&s.Endpoint)
	}
	e.must(e.store.CreateEndpoint(e.Context(), account.Operator(), s.Endpoint, e.clock.Now()))
	return s
}

func (e *env) endpoint(id string) webhook.Endpoint {
	e.Helper()
	found, err := e.store.Endpoint(e.Context(), account.Operator(), id)
	e.must(err)
	return found
}

func (e *env) delivery(endpoint string, seq int64) webhook.Delivery {
	e.Helper()
	list, err := e.store.Deliveries(e.Context(), account.Operator(), endpoint, webhook.DeliveryFilter{Before: seq + 1, Limit: 1})
	e.must(err)
	if len(list) != 1 || list[0].Seq != seq {
		e.Fatalf("event %d has no delivery to %s", seq, endpoint)
	}
	return list[0]
}

// wantDeliveries checks how many deliveries an endpoint has in a state.
func (e *env) wantDeliveries(endpoint string, state webhook.DeliveryState, want int) {
	e.Helper()
	n := e.count(`SELECT count(*) FROM deliveries WHERE endpoint_id = $1 AND state = $2`, endpoint, state)
	e.equal(string(state), n, want)
}

// replayRange replays events to an endpoint and returns how many, or fails with want.
func (e *env) replayRange(endpoint string, from, to int64) (int, error) {
	return e.store.ReplayRange(e.Context(), account.Operator(), endpoint, from, to, webhook.ReplayAt(e.clock.Now()))
}

// notifications counts the jobs of telling an owner.
func (e *env) notifications(endpoint string) int {
	e.Helper()
	return e.count(`SELECT count(*) FROM river_job WHERE kind = 'webhook_tell_disabled' AND args->>'endpoint' = $1`, endpoint)
}

// publish appends n updates of tools to the log, as one edition at the clock's time.
func (e *env) publish(n int) {
	e.Helper()
	e.publishEvents(slices.Repeat([]catalog.Event{{Type: catalog.ToolUpdated, Categories: []string{"code"}}}, n)...)
}

func (e *env) publishEvents(events ...catalog.Event) {
	e.Helper()
	e.must(pgx.BeginFunc(e.Context(), e.admin, func(tx pgx.Tx) error {
		var number, last int64
		err := tx.QueryRow(e.Context(), `
			INSERT INTO editions (number, published_at, last_seq)
			SELECT coalesce(max(number), 0) + 1, $1, coalesce(max(last_seq), 0) + $2 FROM editions
			RETURNING number, last_seq`, e.clock.Now(), len(events)).Scan(&number, &last)
		if err != nil {
			return err
		}
		_, err = tx.CopyFrom(e.Context(), pgx.Identifier{"events"}, []string{"seq", "edition", "type", "slug", "categories", "object"},
			pgx.CopyFromSlice(len(events), func(i int) ([]any, error) {
				seq := last - int64(len(events)-1-i)
				return []any{seq, number, string(events[i].Type), fmt.Sprintf("outil-%d", seq), events[i].Categories, `{"score":8}`}, nil
			}))
		if err != nil {
			return err
		}
		_, err = tx.Exec(e.Context(), `
			INSERT INTO current_edition (number) VALUES ($1) ON CONFLICT (only_row) DO UPDATE SET number = excluded.number`, number)
		return err
	}))
}

func (e *env) worker(edits ...func(*webhook.WorkerOptions)) *webhook.Worker {
	e.Helper()
	o := webhook.WorkerOptions{
		Store: e.store, Sender: newSender(e.T, e.clock.Now, 0), Keyring: e.keyring, Logger: slog.New(slog.DiscardHandler),
		Now: e.clock.Now, Jitter: func() float64 { return e.jitter },
	}
	for _, edit := range edits {
		edit(&o)
	}
	return webhook.NewWorker(o)
}

// realTime lets a worker read the computer's clock, as River does.
func realTime(w *webhook.WorkerOptions) { w.Now = nil }

func with(k *webhook.Keyring) func(*webhook.WorkerOptions) {
	return func(w *webhook.WorkerOptions) { w.Keyring = k }
}

// A job is a Deliver job in its queue.
type job struct {
	webhook.Deliver
	Queue string
}

// enqueue sweeps, and takes the jobs out of River.
func (e *env) enqueue(w *webhook.Worker) []job {
	e.Helper()
	e.must(w.Sweep(e.Context()))
	rows, err := e.admin.Query(e.Context(), `
		DELETE FROM river_job WHERE kind = 'webhook_deliver' AND state = 'available'
		RETURNING args->>'endpoint', (args->>'claim')::bigint, queue`)
	e.must(err)
	jobs, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (j job, err error) {
		err = row.Scan(&j.Endpoint, &j.Claim, &j.Queue)
		return j, err
	})
	e.must(err)
	return jobs
}

// work does, without River, what there is to do at the clock's time.
func (e *env) work(w *webhook.Worker) []job {
	e.Helper()
	jobs := e.enqueue(w)
	for _, j := range jobs {
		e.must(w.Deliver(e.Context(), j.Deliver))
	}
	return jobs
}

// river runs a worker's jobs, with or without its sweep, until it is stopped or the test ends.
func (e *env) river(db *postgres.DB, w *webhook.Worker, sweep bool, others ...func(*river.Config)) (stop func()) {
	e.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(e.Context()))
	cfg := &river.Config{Logger: slog.New(slog.DiscardHandler), Workers: river.NewWorkers(), Queues: map[string]river.QueueConfig{
		river.QueueDefault: {MaxWorkers: 4},
	}}
	w.AddJobs(cfg)
	for _, add := range others {
		add(cfg)
	}
	client, err := db.Jobs(cfg)
	e.must(err)
	e.must(client.Start(ctx))
	var sweeping sync.WaitGroup
	sweeping.Go(func() {
		for sweep && ctx.Err() == nil {
			if err := w.Sweep(ctx); err != nil && ctx.Err() == nil {
				e.Error(err)
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
	stop = sync.OnceFunc(func() {
		cancel() // the jobs' contexts too
		sweeping.Wait()
		<-client.Stopped()
		w.Wait()
	})
	e.Cleanup(stop)
	return stop
}

func numbers(from, to int64) []int64 {
	list := []int64{}
	for n := from; n <= to; n++ {
		list = append(list, n)
	}
	return list
}

func newSender(t *testing.T, now func() time.Time, timeout time.Duration) *webhook.Sender {
	t.Helper()
	s := webhook.NewSender(webhook.SenderOptions{
		Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Agent: "Webhooks/test", Now: now, Timeout: timeout,
	})
	t.Cleanup(s.Close)
	return s
}

// A request is what a receiver got.
type request struct {
	header http.Header
	body   []byte
	gone   <-chan struct{} // closed when the sender has hung up

	Type catalog.EventType
	Data struct {
		Seq       int64
		Challenge string
	}
}

func (r request) String() string { return fmt.Sprint(r.header, " ", string(r.body)) }

func (r request) id() string { return r.header.Get("webhook-id") }

// sentAt returns webhook-timestamp.
func (r request) sentAt() time.Time {
	seconds, _ := strconv.ParseInt(r.header.Get("webhook-timestamp"), 10, 64)
	return time.Unix(seconds, 0).UTC()
}

func (r request) signatures() int { return len(strings.Fields(r.header.Get("webhook-signature"))) }

// signedWith reports whether the specification's library accepts the signature, whatever the time.
func (r request) signedWith(t *testing.T, s webhook.Secret) bool {
	t.Helper()
	w, err := standardwebhooks.NewWebhook(s.Reveal())
	testkit.Must(t, err)
	return w.VerifyIgnoringTimestamp(r.body, r.header) == nil
}

// A receiver is a server on loopback. It answers 200 until it is told otherwise.
type receiver struct {
	url string

	mu       sync.Mutex
	answer   func(http.ResponseWriter, request)
	requests []request
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{answer: status(http.StatusOK)}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.url = server.URL + "/hook"
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	got := request{header: hr.Header, gone: hr.Context().Done()}
	var err error
	if got.body, err = io.ReadAll(hr.Body); err != nil || json.Unmarshal(got.body, &got) != nil {
		http.Error(w, "not a payload", http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	r.requests = append(r.requests, got)
	answer := r.answer
	r.mu.Unlock()
	answer(w, got)
}

// answers sets what the receiver answers from now on.
func (r *receiver) answers(answer func(http.ResponseWriter, request)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

func status(code int) func(http.ResponseWriter, request) {
	return func(w http.ResponseWriter, _ request) { w.WriteHeader(code) }
}

// hang keeps the sender waiting until it gives up.
func hang(_ http.ResponseWriter, r request) { <-r.gone }

func (r *receiver) all() []request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.requests)
}

// take returns all requests since the last take.
func (r *receiver) take() []request {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.requests
	r.requests = nil
	return got
}

// takeSeqs is take for the numbers of the events alone, sorted.
func (r *receiver) takeSeqs() []int64 {
	seqs := []int64{}
	for _, got := range r.take() {
		seqs = append(seqs, got.Data.Seq)
	}
	slices.Sort(seqs)
	return seqs
}

// wait waits for that many requests.
func (r *receiver) wait(t *testing.T, n int) {
	t.Helper()
	testkit.EventuallyTrue(t, fmt.Sprint(n, " requests arrive"), func() bool { return len(r.all()) >= n })
}
