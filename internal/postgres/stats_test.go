package postgres_test

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// fill gives two endpoints n deliveries each: one all delivered within the last hours, the other one
// all pending and due.
func (db *testDB) fill(n int) (delivered, pending string) {
	db.Helper()
	owner := db.signUp(owner, account.Pro).ID
	delivered, pending = db.endpointOf(owner), db.endpointOf(owner)
	db.exec(`
		INSERT INTO deliveries (id, endpoint_id, seq, type, next_at, made_at, done_at, took_ms, attempts, status, state)
		SELECT 'msg_' || i, $1, i, 'tool.updated', $3, $3::timestamptz - '1 hour'::interval + i * '1 hour'::interval / $2, $3::timestamptz - '1 hour'::interval + i * '1 hour'::interval / $2,
		       i % 100, 1, 200, 'delivered' FROM generate_series(1, $2::integer) i`, delivered, n, db.now)
	db.exec(`
		INSERT INTO deliveries (id, endpoint_id, seq, type, next_at, made_at)
		SELECT 'msp_' || i, $1, i, 'tool.updated', $3::timestamptz - '1 minute'::interval, $3 FROM generate_series(1, $2::integer) i`, pending, n, db.now)
	db.exec(`UPDATE endpoints SET due_at = $2::timestamptz - '1 minute'::interval WHERE id = $1`, pending, db.now)
	return delivered, pending
}

// The page of an endpoint costs the same however many deliveries there are, on a connection that has
// read it before too, and so does the look at what is overdue.
func TestDeliveryStats_ReadsFewRows(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	const rows, most, looks = 5000, 100, 10
	db.exec(`ALTER TABLE deliveries SET (autovacuum_enabled = false)`) // statistics are as the test has them
	delivered, pending := db.fill(rows)
	since := db.now.Add(-24 * time.Hour)
	// Beside them are many endpoints with few deliveries, for which other plans are good.
	db.exec(`INSERT INTO accounts (email, plan) SELECT i || '@example.org', 'pro' FROM generate_series(1, 200) i`)
	db.exec(`
		INSERT INTO endpoints (id, account_id, slot, url, description, types, categories, state, reason, secret, cursor, created_at, verified_at)
		SELECT 'ep_' || email, id, 1, 'https://example.org', '', '{}', '{}', 'active', '', repeat('x', 72)::bytea, 0, $1, $1 FROM accounts WHERE email ~ '^[0-9]'`, db.now)
	db.exec(`
		INSERT INTO deliveries (id, endpoint_id, seq, type, next_at, made_at, done_at, state)
		SELECT e.id || s, e.id, s, 'tool.updated', $1, $1, $1::timestamptz - s * '1 minute'::interval, CASE s % 2 WHEN 0 THEN 'delivered' ELSE 'pending' END
		FROM endpoints e, generate_series(1, 40) s WHERE e.id LIKE '%@%' ORDER BY s, e.id`, db.now)
	small := ask[string](db, `SELECT id FROM endpoints WHERE id LIKE '%@%' ORDER BY id LIMIT 10`)
	for _, statistics := range []string{`SELECT`, `ANALYZE`} { // also while the planner knows nothing
		db.exec(statistics)
		read := db.rowsRead([]string{"endpoints", "deliveries"}, func(p *postgres.DB) {
			for _, id := range small { // now PostgreSQL may have settled for a generic plan
				_, err := p.Webhooks.DeliveryStats(t.Context(), operator, id, since, most)
				db.must(err)
			}
			for range looks {
				for id, want := range map[string]webhook.DeliveryStats{
					delivered: {Attempted: most, Delivered: most, MedianTook: 49500 * time.Microsecond},
					pending:   {Pending: most},
				} {
					got, err := p.Webhooks.DeliveryStats(t.Context(), operator, id, since, most)
					db.must(err)
					got.Hours = [24]webhook.HourStats{}
					wantEqual(t, "stats", got, want)
				}
				overdue, err := p.Webhooks.Overdue(t.Context(), db.now)
				db.must(err)
				wantEqual(t, "overdue since", overdue, db.now.Add(-time.Minute))
			}
		})
		if limit := int64(looks*(2*most+20) + len(small)*100); read > limit {
			t.Errorf("after %s: %d looks read %d rows, want %d at most", statistics, looks, read, limit)
		}
	}
}

// The same at 5,000,000 deliveries of each endpoint, with times.
func TestDeliveryStats_AtScale(t *testing.T) {
	if os.Getenv("PALMARES_LONG") != "1" {
		t.Skip("takes ten minutes and 3 GB: set PALMARES_LONG=1")
	}
	t.Parallel()
	db := newDB(t)
	delivered, pending := db.fill(5_000_000)
	db.exec(`VACUUM ANALYZE deliveries`)
	const limit = 100 * time.Millisecond
	for name, look := range map[string]func() error{
		"the stats of what was delivered": func() error {
			_, err := db.Webhooks.DeliveryStats(t.Context(), operator, delivered, db.now.Add(-24*time.Hour), webhook.MaxStats)
			return err
		},
		"the stats of what is pending": func() error {
			_, err := db.Webhooks.DeliveryStats(t.Context(), operator, pending, db.now.Add(-24*time.Hour), webhook.MaxStats)
			return err
		},
		"the lag": func() error {
			if _, err := db.Webhooks.Overdue(t.Context(), db.now); err != nil {
				return err
			}
			_, err := db.Webhooks.Lag(t.Context())
			return err
		},
	} {
		var took []time.Duration
		for range 21 {
			began := time.Now()
			db.must(look())
			took = append(took, time.Since(began))
		}
		first := took[0]
		slices.Sort(took)
		t.Logf("%s: first %v, median %v, longest %v", name, first, took[10], took[20])
		if took[10] > limit {
			t.Errorf("%s took %v, want %v at most", name, took[10], limit)
		}
	}
}

// An index that an interrupted migration has left behind is built again.
func TestMigrate_BuildsAnInvalidIndexAgain(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	_, err := db.migrations().DownTo(t.Context(), 19)
	db.must(err)
	db.exec(`CREATE INDEX deliveries_attempted ON deliveries (seq)`)
	db.exec(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'deliveries_attempted'::regclass`)
	db.migrate()
	wantSame(t, "the index", ask[string](db, `
		SELECT indexdef || ' ' || indisvalid FROM pg_indexes JOIN pg_index ON indexrelid = indexname::regclass WHERE indexname = 'deliveries_attempted'`),
		[]string{"CREATE INDEX deliveries_attempted ON public.deliveries USING btree (endpoint_id, done_at) WHERE (done_at IS NOT NULL) true"})
}

// Attempts that failed in a row are counted over all deliveries of an endpoint, and over those of one. A
// success ends the row.
func TestDeliveryStats_Failed(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	id := db.newEndpoint()
	db.logMany(5)
	db.advance(id)
	list := db.deliveries(id)
	since := db.now
	attempt := func(i int, ok bool, failing time.Time) int {
		t.Helper()
		db.now = db.now.Add(time.Minute)
		d := list[i]
		d.Attempts++
		d.AttemptedAt, d.State, d.Status, d.Error = db.now, webhook.Pending, 500, webhook.Reason{Code: webhook.ConnectionRefused}
		if ok {
			d.State, d.Status, d.Error = webhook.Delivered, 200, webhook.Reason{}
		}
		list[i] = d
		db.must(db.Webhooks.Record(t.Context(), id, []webhook.Delivery{d}, webhook.Health{FailingSince: failing}, db.now))
		s, err := db.Webhooks.DeliveryStats(t.Context(), operator, id, db.now.Add(-24*time.Hour), 10)
		db.must(err)
		return s.Failed
	}
	wantEqual(t, "one", attempt(0, false, since), 1)
	wantEqual(t, "the same again", attempt(0, false, since), 2)
	wantEqual(t, "three times", attempt(0, false, since), 3)
	wantEqual(t, "after a success", attempt(1, true, time.Time{}), 0)
	since = db.now.Add(time.Minute)
	wantEqual(t, "one that had failed before", attempt(0, false, since), 1)
	wantEqual(t, "another", attempt(2, false, since), 2)
	wantEqual(t, "a third", attempt(3, false, since), 3)
}
