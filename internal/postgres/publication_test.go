package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/palmares-hq/palmares/internal/catalog"
	ct "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// publishFrom publishes what next makes of the current contents, in the process p.
func (db *testDB) publishFrom(
	ctx context.Context, p *postgres.DB, next func(current *catalog.Contents) *catalog.Contents,
) (catalog.Edition, error) {
	return p.Catalog.Publish(ctx, db.clock,
		func(_ context.Context, current *catalog.Contents, _ catalog.Edition, _ catalog.Past) (catalog.Changes, error) {
			return catalog.Diff(current, next(current), catalog.DateOf(db.now)), nil
		})
}

func (db *testDB) tryPublish(next *catalog.Contents) (catalog.Edition, error) {
	return db.publishFrom(db.Context(), db.DB, func(*catalog.Contents) *catalog.Contents { return next })
}

func (db *testDB) publish(next *catalog.Contents) catalog.Edition {
	db.Helper()
	e, err := db.tryPublish(next)
	db.must(err)
	return e
}

// published are the tables that every publication may write.
func published() []string {
	return []string{
		"editions", "current_edition", "service", "categories", "tools", "comparisons", "retired",
		"tombstones", "price_history", "events", "history",
	}
}

// before and after differ in every table that a publication writes.
func before() *catalog.Contents {
	return ct.Contents(ct.Tool("a", ct.Scored(500)), ct.Tool("b", ct.Scored(600)), ct.Tool("part"), ct.Comparison("a-ou-b", "a", "b"))
}

func after() *catalog.Contents {
	c := ct.Contents(ct.Tool("a", ct.Scored(500), ct.Priced(catalog.Paid, "12 €/mois")), ct.Tool("b", ct.Scored(650)), ct.Tool("neuf"),
		ct.Comparison("a-ou-b", "a", "b"), ct.Retired("part"))
	c.Categories[0].Label = "Le code"
	c.Service.Name = "Autre nom"
	return c
}

func hidden(t *catalog.Tool) { t.Mainstream = true }

func TestPublish_FailsWithoutATrace(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	db.publish(before())
	db.nextDay()
	want := db.dump()
	check := func(name string, err, cause error) {
		t.Helper()
		if err == nil || cause != nil && !errors.Is(err, cause) {
			t.Fatalf("%s: %v", name, err)
		}
		wantEqual(t, "the database after "+name, db.dump(), want)
	}

	refused := errors.New("refused")
	_, err := db.Catalog.Publish(t.Context(), db.clock,
		func(context.Context, *catalog.Contents, catalog.Edition, catalog.Past) (catalog.Changes, error) {
			return catalog.Diff(before(), after(), "2026-03-02"), refused
		})
	check("a refusal", err, refused)

	ctx, cancel := context.WithCancel(t.Context())
	_, err = db.publishFrom(ctx, db.DB, func(*catalog.Contents) *catalog.Contents { cancel(); return after() })
	check("a cancellation", err, context.Canceled)

	func() {
		defer func() {
			err, _ := recover().(error)
			check("a panic", err, refused)
		}()
		db.publishFrom(t.Context(), db.DB, func(*catalog.Contents) *catalog.Contents { panic(refused) })
	}()

	_, err = db.tryPublish(ct.Contents(ct.Tool("a", func(t *catalog.Tool) { t.ICP = "personne" })))
	check("a value that the schema refuses", err, nil)
	for _, table := range append(published(), "river_job", "review_dictionaries") {
		next := after()
		if table == "review_dictionaries" { // it takes many
			many, _ := manyReviews(500)
			next.Tools = append(next.Tools, many.Tools...)
		}
		db.failing("BEFORE INSERT OR UPDATE OR DELETE ON "+table, func() { _, err = db.tryPublish(next) })
		check("a failure to write "+table, err, nil)
	}
	db.failing("COMMIT INSERT ON editions", func() { _, err = db.tryPublish(after()) })
	check("a failure to commit", err, nil)

	// The lock is free and the number was not used.
	wantEqual(t, "the next edition", db.publish(after()).Number, 2)
	if db.dump() == want {
		t.Error("the publication that works wrote nothing either: the checks above prove nothing")
	}
}

// Without a change nothing is written. An edition without events has no job, and what the
// API does not show makes no event.
func TestPublish_WritesNoMoreThanChanged(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	wantEqual(t, "an empty catalog", db.publish(&catalog.Contents{}).Number, 1)
	wantEqual(t, "the same", db.publish(&catalog.Contents{}).Number, 1)
	e2 := db.publish(ct.Contents(ct.Tool("a")))
	written := db.dump()
	db.nextDay()
	wantEqual(t, "the same contents", db.publish(ct.Contents(ct.Tool("a"))), e2)
	wantEqual(t, "what is written then", db.dump(), written)
	wantEqual(t, "a change that the API hides", db.publish(ct.Contents(ct.Tool("a", hidden))).Number, 3)
	wantSame(t, "the events", ask[string](db, `SELECT edition || ' ' || type FROM events ORDER BY seq`), []string{
		"1 catalog.updated", "2 catalog.updated", "2 tool.created",
	})
	wantSame(t, "the categories of the first", ask[string](db, `SELECT categories::text FROM events WHERE seq = 1`), []string{"{}"})
	wantEqual(t, "updated_at", db.tool("a", db.whole()).UpdatedAt, "2026-03-01")
	wantSame(t, "the jobs", db.jobs(webhook.FanOut{}), []string{`{"edition": 1} default 25`, `{"edition": 2} default 25`})
}

func TestPublish_LogsWhatHappened(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	db.publish(before())
	db.nextDay()
	db.publish(after())
	wantSame(t, "the log", ask[string](db, `
		SELECT format('%s|%s|%s|%s|%s|%s', seq, edition, type, slug, array_to_string(categories, ','),
		              coalesce(previous->>'price', '-') || '>' || coalesce(object->>'price', '-'))
		FROM events ORDER BY seq`), []string{
		"1|1|catalog.updated|catalog|code,image,voix,vide|->-",
		"2|1|tool.created|a|code|->20 €/mois",
		"3|1|tool.created|b|code|->20 €/mois",
		"4|1|tool.created|part|code|->20 €/mois",
		"5|1|comparatif.published|a-ou-b|code|->-",
		"6|2|catalog.updated|catalog|code,image,voix,vide|->-",
		"7|2|tool.updated|a|code|20 €/mois>12 €/mois",
		"8|2|price.changed|a|code|20 €/mois>12 €/mois",
		"9|2|tool.updated|b|code|20 €/mois>20 €/mois",
		"10|2|tool.created|neuf|code|->20 €/mois",
		"11|2|tool.retired|part|code|20 €/mois>-",
		"12|2|comparatif.updated|a-ou-b|code|->-",
	})
	wantSame(t, "the last number of each edition", ask[int64](db, `SELECT last_seq FROM editions ORDER BY number`), []int64{5, 12})

	list, err := db.Webhooks.Events(t.Context(), []int64{8, 2, 99})
	db.must(err)
	wantSame(t, "what is read of it", each(list, func(e webhook.Event) string {
		objects := fmt.Sprint(len(e.Object) > 0, ", before ", len(e.Previous) > 0)
		return fmt.Sprintf("%d %d %s %s %s %v %s", e.Seq, e.Edition, e.At, e.Type, e.Slug, e.Categories, objects)
	}), []string{
		"2 1 2026-03-01 09:00:00 +0000 UTC tool.created a [code] true, before false",
		"8 2 2026-03-02 09:00:00 +0000 UTC price.changed a [code] true, before true",
	})
}

// A server that ends idle transactions does not cut off reading the content.
func TestPublish_MayTakeLongToDecide(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	p := db.process("idle_in_transaction_session_timeout", "500") // a slow machine may need that long between two statements
	_, err := db.publishFrom(t.Context(), p, func(*catalog.Contents) *catalog.Contents {
		time.Sleep(1500 * time.Millisecond) // the server's clock, not ours
		return before()
	})
	wantError(t, "publishing", err, nil)
}

func TestPublish_CanStopWaitingForAnother(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	inside, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := db.publishFrom(t.Context(), db.DB, func(*catalog.Contents) *catalog.Contents {
			close(inside)
			<-release
			return before()
		})
		done <- err
	}()
	<-inside
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := db.publishFrom(ctx, db.process(), func(current *catalog.Contents) *catalog.Contents {
		t.Error("two publications decide at once")
		return current
	})
	wantError(t, "the second", err, context.DeadlineExceeded)
	close(release)
	wantError(t, "the first", <-done, nil)
	wantEqual(t, "tools", len(db.whole().Tools), 3)
}

// Twenty publish at once, from several processes, also where the server defaults to giving
// each the state from before it waited. A reader sees no event before those of lower numbers.
func TestPublish_AtOnce(t *testing.T) {
	t.Parallel()
	for _, level := range []string{"read committed", "serializable"} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			const publishers = 20
			db := newDB(t)
			processes := []*postgres.DB{db.isolated(level), db.isolated(level), db.isolated(level), db.isolated(level)}
			stop := make(chan struct{})
			var watching sync.WaitGroup
			watching.Go(func() { db.watchLog(stop) })
			editions := make([]int64, publishers)
			atOnce(publishers, func(i int) {
				e, err := db.publishFrom(t.Context(), processes[i%4], func(current *catalog.Contents) *catalog.Contents {
					next := ct.Contents(ct.Tool(fmt.Sprint("outil-", i)))
					next.Tools = append(next.Tools, current.Tools...)
					next.Sort()
					return next
				})
				wantError(t, "publishing", err, nil)
				editions[i] = e.Number
			})
			close(stop)
			watching.Wait()
			slices.Sort(editions)
			want := ask[int64](db, `SELECT generate_series(1, $1)`, publishers)
			wantSame(t, "the editions", editions, want)
			wantEqual(t, "the tools", len(db.whole().Tools), publishers)
			// The first edition has two events: the catalog itself and a tool.
			wantSame(t, "the numbers of events", ask[int64](db, `SELECT seq FROM events ORDER BY seq`), append(want, publishers+1))
			wantSame(t, "the editions of events", ask[int64](db, `SELECT edition FROM events ORDER BY seq`), append([]int64{1}, want...))
		})
	}
}

// watchLog reads the log while it grows.
func (db *testDB) watchLog(stop <-chan struct{}) {
	conn := db.conn()
	for {
		var events, last, edition, current int64
		err := conn.QueryRow(db.Context(), `
			SELECT count(*), coalesce(max(seq), 0), coalesce(max(edition), 0), coalesce((SELECT number FROM current_edition), 0)
			FROM events`).Scan(&events, &last, &edition, &current)
		if err != nil || events != last || edition != current {
			db.Errorf("%d events up to number %d of edition %d, while the edition is %d: %v", events, last, edition, current, err)
			return
		}
		select {
		case <-stop:
			return
		default:
		}
	}
}

func TestPublish_ReportsProgress(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	var calls, last, total int
	p, err := postgres.Open(t.Context(), db.url, postgres.Options{Writing: func(done, of int) {
		if done < last || done > of {
			t.Errorf("%d of %d after %d", done, of, last)
		}
		calls, last, total = calls+1, done, of
	}})
	db.must(err)
	defer p.Close()
	for _, wantCalls := range []bool{true, false} { // the second time nothing is written
		calls = 0
		_, err := db.publishFrom(t.Context(), p, func(*catalog.Contents) *catalog.Contents { return everything() })
		if err != nil || (calls > 0) != wantCalls || last != total {
			t.Errorf("%d calls, the last with %d of %d: %v", calls, last, total, err)
		}
	}
}

// The statistics are fresh when a large publication ends.
func TestPublish_Analyzes(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	db.publish(ct.Generated(1200))
	wantEqual(t, "the rows that PostgreSQL expects", ask[int](db, `SELECT reltuples::int FROM pg_class WHERE relname = 'tools'`)[0], 1200)
}

// The function queues what River's client would insert, with the same announcement. A version of River that inserts something
// else fails here: change the function in a migration.
func TestQueueFanOut_IsWhatRiverInserts(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	const channel = `"public.river_insert"`
	var ours, theirs []string
	ours = db.announced(channel, func() { db.publish(before()) })
	client, err := river.NewClient(riverpgxv5.New(nil), &river.Config{FetchCooldown: river.FetchCooldownMin, TestOnly: true})
	db.must(err)
	theirs = db.announced(channel, func() {
		tx, err := db.conn().Begin(t.Context())
		db.must(err)
		_, err = client.InsertTx(t.Context(), tx, webhook.FanOut{Edition: 1}, nil)
		db.must(err)
		db.must(tx.Commit(t.Context()))
	})
	if len(theirs) == 0 {
		t.Fatal("River announces nothing")
	}
	wantSame(t, "the announcements", ours, theirs)
	rows := ask[string](db, `
		SELECT (to_jsonb(j) - 'id' - 'created_at' - 'scheduled_at' || jsonb_build_object('at once', created_at = scheduled_at))::text
		FROM river_job j ORDER BY id`)
	if len(rows) != 2 || !strings.Contains(rows[0], `"kind": "webhook_fan_out"`) {
		t.Fatalf("the jobs are %v", rows)
	}
	wantEqual(t, "the job that the function queued", rows[0], rows[1])
}
