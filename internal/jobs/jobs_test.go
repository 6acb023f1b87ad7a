package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"go.uber.org/goleak"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// An office has a database, a receiver with an endpoint, and a runner of its jobs.
type office struct {
	*testing.T
	url      string
	db       *postgres.DB
	keyring  *webhook.Keyring
	receiver *testkit.Receiver
	runner   *Runner
	clients  chan Client // that the runner made
	log      testkit.Log
	stop     func()
}

// secret is that of the database.
const secret = "never-shown-0123456789abcdef0123456789"

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t *testing.T, err error) { t.Helper(); testkit.Must(t, err) }

func keyring(t *testing.T, master string, previous ...string) *webhook.Keyring {
	t.Helper()
	return webhook.NewKeyring(testkit.Ring(t, master, previous...))
}

// newOffice runs the jobs of webhooks, and others. It has an endpoint at its receiver.
func newOffice(t *testing.T, url string, others ...Group) *office {
	t.Helper()
	db, err := postgres.Open(t.Context(), url, postgres.Options{})
	must(t, err)
	t.Cleanup(db.Close)
	o := &office{T: t, url: url, db: db, keyring: keyring(t, secret), receiver: testkit.NewReceiver(), clients: make(chan Client, 100)}
	t.Cleanup(o.receiver.Close)
	sender := webhook.NewSender(webhook.SenderOptions{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Agent: "test"})
	t.Cleanup(sender.Close)
	o.subscribe(sender)
	worker := webhook.NewWorker(webhook.WorkerOptions{Store: db.Webhooks, Sender: sender, Keyring: o.keyring, Logger: o.logger()})
	o.runner = New(append(others, webhooks(worker)), func(cfg *river.Config) (Client, error) {
		client, err := o.db.Jobs(cfg)
		o.clients <- client
		return client, err
	}, o.logger())
	return o
}

// webhooks are the jobs of deliveries.
func webhooks(w *webhook.Worker) Group {
	return Group{
		Name: "webhooks", Add: w.AddJobs, PutOff: w.PutOffJobs, Sweep: w.Sweep, Wait: w.Wait,
		Allowed: func(ctx context.Context) error {
			err := w.CheckSecret(ctx)
			if errors.Is(err, webhook.ErrWrongSecret) {
				return Refuse(err)
			}
			return err
		},
	}
}

// subscribe makes an active endpoint at the receiver.
func (o *office) subscribe(sender *webhook.Sender) {
	o.Helper()
	db, err := postgres.Open(o.Context(), o.url, postgres.Options{})
	must(o.T, err)
	defer db.Close()
	owner, err := account.NewService(db.Accounts, db.Keys, nil).Create(o.Context(), account.Operator(), "owner@example.org", account.Pro)
	must(o.T, err)
	endpoints := webhook.NewEndpoints(webhook.EndpointsOptions{
		Store: db.Webhooks, Catalog: db.Catalog, Sender: sender, Keyring: o.keyring,
	})
	types, err := webhook.ParseTypes(nil)
	must(o.T, err)
	_, err = endpoints.Create(o.Context(), account.Operator(), owner.ID, webhook.Draft{URL: o.receiver.URL, Vouched: true, Types: types})
	must(o.T, err)
}

// receives waits for that many deliveries.
func (o *office) receives(n int) {
	o.Helper()
	testkit.EventuallyTrue(o.T, "deliveries arrive", func() bool { return len(o.receiver.Requests()) >= n })
}

func (o *office) logger() *slog.Logger { return slog.New(slog.NewTextHandler(&o.log, nil)) }

// run runs the jobs until the test ends.
func (o *office) run() *office {
	ctx, cancel := context.WithCancel(context.WithoutCancel(o.Context()))
	var running sync.WaitGroup
	running.Go(func() { o.runner.Run(ctx) })
	o.stop = sync.OnceFunc(func() { cancel(); running.Wait() })
	o.Cleanup(o.stop)
	return o
}

func (o *office) awaitRunning() {
	o.Helper()
	testkit.Eventually(o.T, o.runner.Running)
}

// awaitWhy waits until jobs do not run for that reason.
func (o *office) awaitWhy(text string) {
	o.Helper()
	testkit.EventuallyTrue(o.T, "jobs do not run: "+text, func() bool {
		err := o.runner.Running()
		return err != nil && strings.Contains(err.Error(), text)
	})
}

func (o *office) exec(sql string) {
	o.Helper()
	conn, err := pgx.Connect(o.Context(), o.url)
	must(o.T, err)
	defer conn.Close(context.WithoutCancel(o.Context()))
	_, err = conn.Exec(o.Context(), sql)
	must(o.T, err)
}

// publish publishes a catalog of these tools alone.
func (o *office) publish(slugs ...string) {
	o.Helper()
	var tools []any
	for _, slug := range slugs {
		tools = append(tools, catalogtest.Tool(slug))
	}
	next := catalogtest.Contents(tools...)
	_, err := o.db.Catalog.Publish(o.Context(), time.Now, func(_ context.Context, current *catalog.Contents, _ catalog.Edition, _ catalog.Past) (catalog.Changes, error) {
		return catalog.Diff(current, next, catalog.DateOf(time.Now())), nil
	})
	must(o.T, err)
}

// wantLog wants the log to tell of that many troubles, and of their end as often.
func (o *office) wantLog(troubles, ends int) {
	o.Helper()
	log := o.log.String()
	if strings.Count(log, "webhooks are not delivered") != troubles || strings.Count(log, "webhooks are delivered again") != ends {
		o.Errorf("want %d troubles and %d ends in the log:\n%s", troubles, ends, log)
	}
}

func TestJobs_StartAgainWhenTheyStop(t *testing.T) {
	t.Parallel()
	o := newOffice(t, pgtest.Migrated(t))
	if o.runner.Running() == nil {
		t.Error("jobs run before they are started")
	}
	o.run().awaitRunning()
	must(t, (<-o.clients).Stop(t.Context()))
	testkit.EventuallyTrue(t, "the log", func() bool { return strings.Contains(o.log.String(), "they have stopped by themselves") })
	o.awaitRunning()
	o.publish("a", "b", "c")
	o.receives(3)
	o.stop()
	o.awaitWhy("about to stop")
	o.wantLog(1, 1)
}

// Jobs that cannot be fetched do not run, although the sweep works.
func TestJobs_ThatCannotBeFetched(t *testing.T) {
	t.Parallel()
	o := newOffice(t, pgtest.Migrated(t)).run()
	o.awaitRunning()
	o.exec(`
		CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused by the test'; END $$;
		CREATE TRIGGER refuse BEFORE UPDATE ON river_job EXECUTE FUNCTION refuse()`)
	o.awaitWhy("refused by the test")
	if got := o.log.String(); !strings.Contains(got, "producer: Error fetching jobs") {
		t.Errorf("the log:\n%s", got)
	}
	o.wantLog(1, 0)
	o.exec(`DROP TRIGGER refuse ON river_job`)
	o.awaitRunning()
	o.publish("a")
	o.receives(1)
}

// A lost connection that keeps no job from running is logged, and is no outage.
func TestJobs_LostConnections(t *testing.T) {
	t.Parallel()
	o := newOffice(t, pgtest.Migrated(t)).run()
	o.awaitRunning()
	testkit.EventuallyTrue(t, "a lost connection is logged", func() bool {
		o.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE 'LISTEN%'`)
		return strings.Contains(o.log.String(), "River lost connections")
	})
	if got := o.log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "terminating connection") {
		t.Errorf("the log:\n%s", got)
	}
	if err := o.runner.Running(); err != nil {
		t.Errorf("jobs do not run: %v", err)
	}
}

// A database that is restored from a backup under a running worker counts its events anew. What
// is delivered then is what it holds, not what the worker remembers.
func TestJobs_OnARestoredDatabase(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	o := &office{T: t, url: strings.Replace(server.URL(), "/postgres?", "/template1?", 1)}
	// replace puts a copy of another database in the place of one that is in use.
	replace := func(name, by string) {
		t.Helper()
		for _, sql := range []string{
			`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '` + by + `'`,
			`DROP DATABASE IF EXISTS ` + name + ` WITH (FORCE)`,
			`CREATE DATABASE ` + name + ` TEMPLATE ` + by,
		} {
			o.exec(sql)
		}
	}
	replace("live", "postgres")
	live := newOffice(t, strings.Replace(server.URL(), "/postgres?", "/live?", 1))
	replace("backup", "live")
	live.run()
	live.publish("a", "b", "c") // events 1 to 3
	live.receives(3)

	replace("live", "backup")
	var err error
	testkit.Eventually(t, func() error { _, _, err = live.db.Catalog.Current(t.Context()); return err }) // its pool was cut
	live.publish("x", "y")                                                                               // events 1 and 2
	for _, slug := range []string{"x", "y"} {                                                            // beside events of before that are sent twice, because their worker was cut
		testkit.EventuallyTrue(t, "an event about "+slug, func() bool {
			return strings.Contains(fmt.Sprintf("%s", live.receiver.Requests()), `"slug":"`+slug+`"`)
		})
	}
	live.awaitRunning()
}

// With another secret than the database's nothing is delivered, and publications wait. It goes on by
// itself once all is sealed with the node's secret, and stops when that is over.
func TestJobs_WithAWrongSecret(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	o := newOffice(t, url)
	const next = "another-0123456789abcdef0123456789ab"
	reseal := func(current, previous string) {
		t.Helper()
		done, err := webhook.Reseal(t.Context(), o.db.Webhooks, keyring(t, current, previous), time.Now(), false)
		if err != nil || done.Changed != 1 || len(done.Unreadable)+len(done.Dropped) > 0 {
			t.Errorf("resealed: %+v, %v", done, err)
		}
	}
	reseal(next, secret)
	o.publish("a", "b", "c")
	o.run().awaitWhy(webhook.ErrWrongSecret.Error())
	if got := o.receiver.Requests(); len(got) > 0 {
		t.Errorf("delivered with a wrong secret: %v", got)
	}
	reseal(secret, next)
	o.receives(3)
	o.awaitRunning()

	reseal(next, secret)
	o.publish("a", "b", "c", "d")
	o.awaitWhy(webhook.ErrWrongSecret.Error())
	if !errors.Is(o.runner.Running(), webhook.ErrWrongSecret) {
		t.Error("the error is hidden")
	}
	o.wantLog(0, 0)
	if log := o.log.String(); strings.Contains(log, "a job failed") || strings.Count(log, "some jobs may not run here") != 2 ||
		strings.Count(log, "all jobs may run here again") != 1 {
		t.Errorf("the log:\n%s", log)
	}
}

type pingArgs struct{}

func (pingArgs) Kind() string { return "ping" }

// pings are the jobs of a package that has its own queue and a periodic job.
func pings(count *atomic.Int64, allowed func(context.Context) error) Group {
	return Group{Name: "pings", Allowed: allowed, Add: func(cfg *river.Config) {
		river.AddWorker(cfg.Workers, river.WorkFunc(func(context.Context, *river.Job[pingArgs]) error { count.Add(1); return nil }))
		cfg.Queues["ping"] = river.QueueConfig{MaxWorkers: 1}
		cfg.PeriodicJobs = append(cfg.PeriodicJobs, river.NewPeriodicJob(river.PeriodicInterval(time.Second),
			func() (river.JobArgs, *river.InsertOpts) { return pingArgs{}, &river.InsertOpts{Queue: "ping"} },
			&river.PeriodicJobOpts{RunOnStart: true}))
	}}
}

// A sweep that fails stops no other one, whichever comes first, and the log says which it is; jobs run
// all the same.
func TestJobs_OneSweepFails(t *testing.T) {
	t.Parallel()
	var pinged, swept, counted atomic.Int64
	var broken atomic.Bool
	broken.Store(true)
	failing := pings(&pinged, nil)
	failing.Sweep = func(context.Context) error {
		if broken.Load() {
			return errors.New("no pings are found")
		}
		return nil
	}
	after := Group{Name: "after", Add: func(*river.Config) {}, Sweep: func(context.Context) error { swept.Add(1); return nil }}
	o := newOffice(t, pgtest.Migrated(t), failing, after)
	o.runner.Swept = func(name string) {
		if name != "pings" {
			t.Errorf("the sweep of %s is said to fail", name)
		}
		counted.Add(1)
	}
	o.run().awaitRunning()
	testkit.EventuallyTrue(t, "sweeps after the one that fails, and jobs", func() bool {
		return swept.Load() > 1 && counted.Load() > 1 && pinged.Load() > 0
	})
	o.publish("a")
	o.receives(1)
	if err := o.runner.Ready(); err == nil || err.Error() != "not all jobs run: the sweep of pings: no pings are found" {
		t.Errorf("ready says %v", err)
	}
	broken.Store(false)
	testkit.Eventually(t, o.runner.Ready)
	o.stop()
	o.wantLog(0, 0)
	log := o.log.String()
	if strings.Count(log, "sweeps fail") != 1 || strings.Count(log, "sweeps work again") != 1 || strings.Count(log, "sweeps=pings") != 2 {
		t.Errorf("the log of one trouble:\n%s", log)
	}
}

// The jobs of several packages run on one client. Those that may not run stop, and no others.
func TestJobs_OfSeveralPackages(t *testing.T) {
	t.Parallel()
	var count atomic.Int64
	var refuse atomic.Bool
	refuse.Store(true)
	o := newOffice(t, pgtest.Migrated(t), pings(&count, func(context.Context) error {
		if refuse.Load() {
			return Refuse(errors.New("no pings here"))
		}
		return nil
	})).run()
	o.awaitWhy("no pings here")
	o.publish("a")
	o.receives(1)
	if n := count.Load(); n != 0 {
		t.Errorf("%d pings although they may not run", n)
	}
	if err := o.runner.Ready(); err == nil || err.Error() != "not all jobs run: no pings here" {
		t.Errorf("ready says %v", err)
	}
	refuse.Store(false)
	o.awaitRunning()
	testkit.EventuallyTrue(t, "pings", func() bool { return count.Load() > 1 })
	o.publish("a", "b")
	o.receives(2)
	testkit.Equal(t, "clients: without pings, and with them", len(o.clients), 2)
	refuse.Store(true)
	<-o.clients
	<-(<-o.clients).Stopped()
	o.awaitWhy("no pings here")
	o.wantLog(0, 0)
	if log := o.log.String(); strings.Count(log, "some jobs may not run here") != 2 || strings.Count(log, "all jobs may run here again") != 1 ||
		strings.Count(log, "jobs=pings") != 2 {
		t.Errorf("the log:\n%s", log)
	}
}

func TestRiverLog(t *testing.T) {
	t.Parallel()
	const refused = "failed to connect to `user=u database=d`: 127.0.0.1:1 (127.0.0.1): dial error: dial tcp 127.0.0.1:1: connect: connection refused"
	logTo := func(log *testkit.Log) *slog.Logger {
		return slog.New(riverLog{slog.NewTextHandler(log, nil), &faults{}})
	}
	for _, tt := range []struct {
		level   slog.Level
		message string
		args    []any
		logged  bool
	}{
		{slog.LevelInfo, "River client started", nil, false},
		{slog.LevelError, "producer: Error fetching jobs", []any{"err", refused}, false},
		{slog.LevelError, "notifier.Notifier: Error from notification wait", []any{"attempt", 1, "err", "unexpected EOF"}, false},
		{slog.LevelError, "maintenance.JobScheduler: Error scheduling jobs", []any{"error", "error starting transaction: " + refused}, false},
		{
			slog.LevelError, "leadership.Elector: Error attempting reelection",
			[]any{"err", "FATAL: terminating connection due to administrator command (SQLSTATE 57P01)"},
			false,
		},
		{slog.LevelError, "producer: Error fetching jobs", []any{"err", `ERROR: relation "river_job" does not exist (SQLSTATE 42P01)`}, false},
		{slog.LevelWarn, "leadership.Elector: Current leader stepping down because the reelection deadline elapsed", nil, false},
		{slog.LevelError, "jobcompleter.BatchCompleter: Too many errors; giving up", nil, false},

		{slog.LevelError, "producer: Error fetching jobs", []any{"err", `ERROR: permission denied for table river_job (SQLSTATE 42501)`}, true},
		{slog.LevelError, "producer: Failed to unmarshal insert notification payload", []any{"err", "unexpected end of JSON input"}, true},
		{slog.LevelWarn, "jobexecutor.JobExecutor: Job appears to be stuck", []any{"job_id", 7}, true},
		{
			slog.LevelError, "jobexecutor.JobExecutor: Failed to report error for job",
			[]any{"error", "telling the owner: dial tcp 192.0.2.1:25: i/o timeout"},
			true,
		},
	} {
		var log testkit.Log
		logger := logTo(&log)
		logger.Error("producer: Error fetching jobs", "err", refused) // an outage is under way
		logger.With("client", "c").Log(t.Context(), tt.level, tt.message, tt.args...)
		if logged := strings.Contains(log.String(), tt.message); logged != tt.logged {
			t.Errorf("%s %v is logged: %v", tt.message, tt.args, logged)
		}
	}
	// Without an outage nothing is its consequence.
	var log testkit.Log
	logTo(&log).Warn("jobcompleter.BatchCompleter: Too many errors; giving up")
	if !strings.Contains(log.String(), "giving up") {
		t.Error("what no outage explains is not logged")
	}
}
