package webhook_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// A journal is a log that a test reads while it is written.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func (j *journal) logger() *slog.Logger { return slog.New(slog.NewTextHandler(j, nil)) }

// runner is a runner on the database, and the clients of River that it made.
func (o *office) runner(edits ...func(*webhook.WorkerOptions)) (r *webhook.Runner, clients chan webhook.Jobs) {
	o.Helper()
	clients = make(chan webhook.Jobs, 100)
	w := o.worker(append([]func(*webhook.WorkerOptions){realTime}, edits...)...)
	return webhook.NewRunner(w, func(c *river.Config) (webhook.Jobs, error) {
		client, err := o.db.Jobs(c)
		clients <- client
		return client, err
	}), clients
}

func (o *office) awaitRunning(r *webhook.Runner) {
	o.Helper()
	eventually(o.T, func() bool { return r.Running() == nil })
}

func TestRunner_StartsJobsThatStopped(t *testing.T) {
	t.Parallel()
	o, in := newOffice(t), newInbox(t)
	o.subscribe(in)
	var log journal
	r, clients := o.runner(func(w *webhook.WorkerOptions) { w.Logger = log.logger() })
	if r.Running() == nil {
		t.Error("jobs run before they are started")
	}
	stop := o.run(r)
	o.awaitRunning(r)
	o.must((<-clients).Stop(t.Context()))
	eventually(t, func() bool { return strings.Contains(log.String(), "they have stopped by themselves") })
	o.awaitRunning(r)
	o.publish(3)
	in.until(t, 3)
	stop()
	if r.Running() == nil {
		t.Error("jobs run after the end")
	}
	if got := log.String(); strings.Count(got, "webhooks are not delivered") != 1 || strings.Count(got, "webhooks are delivered again") != 1 {
		t.Errorf("the log:\n%s", got)
	}
}

// Jobs that cannot be fetched do not run, although the sweep works.
func TestRunner_JobsThatCannotBeFetched(t *testing.T) {
	t.Parallel()
	o, in := newOffice(t), newInbox(t)
	o.subscribe(in)
	var log journal
	r, _ := o.runner(func(w *webhook.WorkerOptions) { w.Logger = log.logger() })
	o.run(r)
	o.awaitRunning(r)
	o.exec(`
		CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused by the test'; END $$;
		CREATE TRIGGER refuse BEFORE UPDATE ON river_job EXECUTE FUNCTION refuse()`)
	eventually(t, func() bool {
		err := r.Running()
		return err != nil && strings.Contains(err.Error(), "refused by the test")
	})
	if got := log.String(); !strings.Contains(got, "producer: Error fetching jobs") || strings.Count(got, "webhooks are not delivered") != 1 {
		t.Errorf("the log:\n%s", got)
	}
	o.publish(1)
	o.exec(`DROP TRIGGER refuse ON river_job`)
	o.awaitRunning(r)
	in.until(t, 1)
}

// A lost connection that keeps no job from being worked on is told, and is no outage.
func TestRunner_TellsOfLostConnections(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	var log journal
	r, _ := o.runner(func(w *webhook.WorkerOptions) { w.Logger = log.logger() })
	o.run(r)
	o.awaitRunning(r)
	eventually(t, func() bool {
		return o.count(`
			SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE 'LISTEN%'`) > 0
	})
	eventually(t, func() bool { return strings.Contains(log.String(), "River lost connections") })
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "terminating connection") {
		t.Errorf("the log:\n%s", got)
	}
	if err := r.Running(); err != nil {
		t.Errorf("jobs do not run: %v", err)
	}
}

// A database that is restored from a backup under a running worker counts its events
// anew. What is delivered then is what it holds, not what the worker remembers.
func TestRunner_ARestoredDatabase(t *testing.T) {
	t.Parallel()
	server, in := pgtest.NewServer(t), newInbox(t)
	admin, err := pgx.Connect(t.Context(), strings.Replace(server.URL(), "/postgres?", "/template1?", 1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { admin.Close(context.Background()) })
	// replace puts a copy of another database in the place of one that is in use.
	replace := func(name, by string) {
		t.Helper()
		for _, sql := range []string{
			`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '` + by + `'`,
			`DROP DATABASE IF EXISTS ` + name + ` WITH (FORCE)`,
			`CREATE DATABASE ` + name + ` TEMPLATE ` + by,
		} {
			if _, err := admin.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
	}
	replace("live", "postgres")
	o := newOfficeAt(t, strings.Replace(server.URL(), "/postgres?", "/live?", 1))
	o.subscribe(in)
	replace("backup", "live")

	o.connect()
	r, _ := o.runner()
	o.run(r)
	o.publish(3)
	in.until(t, 3)
	in.take()

	replace("live", "backup")
	o.connect()
	about := []string{"code"}
	o.publishEvents(catalog.Event{Type: catalog.ToolCreated, Categories: about}, catalog.Event{Type: catalog.PriceChanged, Categories: about})
	in.until(t, 2)
	want := map[int64]catalog.EventType{1: catalog.ToolCreated, 2: catalog.PriceChanged}
	for _, a := range in.take() {
		if a.Type != want[a.Data.Seq] {
			t.Errorf("event %d arrived as %s, want %s", a.Data.Seq, a.Type, want[a.Data.Seq])
		}
	}
	o.awaitRunning(r)
}

func TestRiverLog(t *testing.T) {
	t.Parallel()
	const refused = "failed to connect to `user=u database=d`: 127.0.0.1:1 (127.0.0.1): dial error: dial tcp 127.0.0.1:1: connect: connection refused"
	for _, tt := range []struct {
		level   slog.Level
		message string
		args    []any
		told    bool
	}{
		{slog.LevelInfo, "River client started", nil, false},
		{slog.LevelError, "producer: Error fetching jobs", []any{"err", refused}, false},
		{slog.LevelError, "notifier.Notifier: Error from notification wait", []any{"attempt", 1, "err", "unexpected EOF"}, false},
		{slog.LevelError, "maintenance.JobScheduler: Error scheduling jobs", []any{"error", "error starting transaction: " + refused}, false},
		{slog.LevelError, "leadership.Elector: Error attempting reelection", []any{"err", "FATAL: terminating connection due to administrator command (SQLSTATE 57P01)"}, false},
		{slog.LevelError, "producer: Error fetching jobs", []any{"err", `ERROR: relation "river_job" does not exist (SQLSTATE 42P01)`}, false},
		{slog.LevelWarn, "leadership.Elector: Current leader stepping down because the reelection deadline elapsed", nil, false},
		{slog.LevelError, "jobcompleter.BatchCompleter: Too many errors; giving up", nil, false},

		{slog.LevelError, "producer: Error fetching jobs", []any{"err", `ERROR: permission denied for table river_job (SQLSTATE 42501)`}, true},
		{slog.LevelError, "producer: Failed to unmarshal insert notification payload", []any{"err", "unexpected end of JSON input"}, true},
		{slog.LevelWarn, "jobexecutor.JobExecutor: Job appears to be stuck", []any{"job_id", 7}, true},
		{slog.LevelError, "jobexecutor.JobExecutor: Failed to report error for job", []any{"error", "telling the owner: dial tcp 192.0.2.1:25: i/o timeout"}, true},
	} {
		var log journal
		logger := webhook.RiverLogger(log.logger())
		logger.Error("producer: Error fetching jobs", "err", refused) // an outage is under way
		logger.With("client", "c").Log(t.Context(), tt.level, tt.message, tt.args...)
		if told := strings.Contains(log.String(), tt.message); told != tt.told {
			t.Errorf("%s %v is told: %v", tt.message, tt.args, told)
		}
	}
	// Without an outage nothing is its consequence.
	var log journal
	webhook.RiverLogger(log.logger()).Warn("jobcompleter.BatchCompleter: Too many errors; giving up")
	if !strings.Contains(log.String(), "giving up") {
		t.Error("what no outage explains is not told")
	}
}
