package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// The migrations since the last release run on a large installation under load: with PALMARES_LONG=1 on a million
// accounts and five million deliveries, and then nothing waits for more than a second; else on few, and then nothing
// fails.
func TestUpgrade_AtScale(t *testing.T) { //nolint:paralleltest // it measures
	testkit.Night(t)
	accounts, deliveries, lasts := 2000, 10_000, time.Second
	if testkit.Long() {
		accounts, deliveries, lasts = 1_000_000, 5_000_000, 20*time.Second
	}
	old, now := lastRelease(t), thisBuild(t)
	i := install(t, old.catalog)
	i.run(old, "migrate")
	i.run(old, "publish", i.content)
	fillKeys(t, i.db, accounts)
	i.run(old, "account", "create", "owner@example.org", "--plan", "pro")
	key := i.run(old, "key", "create", "owner@example.org")
	i.run(old, "webhook", "create", "owner@example.org", i.receiver.URL+"/x", "--vouch")
	fillDeliveries(t, i.db, deliveries)
	n := i.serve(old)
	n.ready()

	// Whoever uses the tables while they change: in short transactions, and in one that reads for a while, as exports do.
	w := &longestWaits{longest: map[string]time.Duration{}}
	done := make(chan struct{})
	var running sync.WaitGroup
	repeat := func(what string, pause time.Duration, do func() error) {
		running.Go(func() {
			for {
				began := time.Now()
				if err := do(); err != nil {
					t.Errorf("%s: %v", what, err)
				}
				w.add(what, time.Since(began))
				select {
				case <-done:
					return
				case <-time.After(pause):
				}
			}
		})
	}
	sql := func(what string, pause time.Duration, statements ...string) {
		conn, err := pgx.Connect(t.Context(), i.db)
		must(t, err)
		t.Cleanup(func() { conn.Close(context.Background()) })
		repeat(what, pause, func() error {
			for _, s := range statements {
				if _, err := conn.Exec(t.Context(), s); err != nil {
					return fmt.Errorf("%s: %w", s, err)
				}
			}
			return nil
		})
	}
	sql("reading tools", time.Millisecond, `SELECT * FROM tools LIMIT 50`)
	sql("reading the cemetery", time.Millisecond, `SELECT * FROM retired LIMIT 50`)
	sql("writing accounts", 5*time.Millisecond, `UPDATE accounts SET email = email WHERE email = '7@scale.example'`)
	sql("writing deliveries", 5*time.Millisecond, `UPDATE deliveries SET attempts = attempts WHERE id = 'msg_scale_7'`)
	sql("a reader that takes its time", 100*time.Millisecond, `BEGIN`, `SELECT FROM tools`, `SELECT pg_sleep(0.3)`, `COMMIT`)
	repeat("the API with a key", time.Millisecond, func() error {
		r, err := visit(http.DefaultClient, n.public+"/api/v1/tools", key, "")
		if err == nil && !r.OK() {
			err = fmt.Errorf("it answers %s", r)
		}
		return err
	})
	time.Sleep(lasts)
	quiet := w.take()
	began := time.Now()
	i.run(now, "migrate")
	took := time.Since(began)
	during := w.take()
	i.publish(old, n)
	close(done)
	running.Wait()

	next := i.serve(now)
	next.ready()
	i.works(now, next)
	t.Logf("%d accounts, %d deliveries: palmares migrate took %v", accounts, deliveries, took.Round(time.Millisecond))
	for _, what := range slices.Sorted(maps.Keys(during)) {
		t.Logf("%-30s longest %8v during the migration, %8v before it", what, during[what].Round(time.Millisecond/10), quiet[what].Round(time.Millisecond/10))
		if testkit.Long() && during[what] > time.Second {
			t.Errorf("%s took %v", what, during[what])
		}
	}
}

// longestWaits are the longest times by what was done.
type longestWaits struct {
	mu      sync.Mutex
	longest map[string]time.Duration
}

func (w *longestWaits) add(what string, took time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.longest[what] = max(w.longest[what], took)
}

// take gives them, and begins anew.
func (w *longestWaits) take() map[string]time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := w.longest
	w.longest = map[string]time.Duration{}
	return taken
}

// fillDeliveries makes deliveries to the only endpoint, as of the last month.
func fillDeliveries(t *testing.T, db string, count int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), db)
	must(t, err)
	defer conn.Close(context.Background())
	began := time.Now()
	_, err = conn.Exec(t.Context(), fmt.Sprintf(`
		INSERT INTO deliveries (id, endpoint_id, seq, type, state, next_at, made_at, done_at, took_ms, attempts, status)
		SELECT 'msg_scale_' || i, e.id, 1000000 + i, 'tool.updated', 'delivered', at, at, at, 20, 1, 204
		FROM endpoints e, generate_series(1, %d) i, LATERAL (SELECT now() - i %% 2000000 * interval '1 second' AS at) x`, count))
	must(t, err)
	_, err = conn.Exec(t.Context(), `ANALYZE deliveries`)
	must(t, err)
	t.Logf("deliveries were made in %v", time.Since(began).Round(time.Second))
}
