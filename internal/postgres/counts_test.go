package postgres_test

import (
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

func TestLag(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	lag := func(what string, want webhook.Lag) {
		t.Helper()
		got, err := db.Webhooks.Lag(t.Context())
		db.must(err)
		wantEqual(t, what, got, want)
	}
	lag("of nothing", webhook.Lag{})
	owner := db.signUp(owner, account.Pro).ID
	all, none := db.endpointOf(owner), db.endpointOf(owner, catalog.EmbeddingsUpdated)
	lag("of an empty log", webhook.Lag{})
	first := db.now
	db.logMany(3)
	db.nextDay()
	db.logMany(2)
	lag("of all", webhook.Lag{Events: 5, Since: first})

	// An endpoint that subscribes to none of them comes to the end all the same.
	db.advance(none)
	lag("without one of two", webhook.Lag{Events: 5, Since: first})
	advance := func() {
		t.Helper()
		_, _, err := db.Webhooks.Advance(t.Context(), all, db.now, 3, 3)
		db.must(err)
	}
	advance()
	lag("after the first edition", webhook.Lag{Events: 2, Since: db.now})

	// With the most pending deliveries it waits for its receiver, not for us, as long as
	// attempts fail.
	advance()
	lag("saturated", webhook.Lag{Saturated: 1})
	d := db.deliveries(all)
	d[0].Attempts, d[1].Attempts = 1, 1
	db.record(all, d[0], d[1])
	lag("after failures", webhook.Lag{Saturated: 1})
	d[1].State = webhook.Delivered
	db.record(all, d[0], d[1])
	lag("after a success", webhook.Lag{Events: 2, Since: db.now})
	db.advance(all)
	lag("at the end", webhook.Lag{})

	db.logMany(1)
	db.disable(all, "")
	db.disable(none, "")
	lag("of endpoints that are not active", webhook.Lag{})
}

// rowsRead counts the rows of the tables that a process reads. PostgreSQL knows them when the
// connections of the process have ended.
func (db *testDB) rowsRead(tables []string, read func(p *postgres.DB)) int64 {
	db.Helper()
	count := func() int64 {
		return ask[int64](db, `
			SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int8 FROM pg_stat_user_tables WHERE relname = ANY($1)`, tables)[0]
	}
	db.exec(`SELECT pg_stat_force_next_flush()`)
	was := count()
	p := db.process("application_name", "reader")
	read(p)
	p.Close()
	testkit.EventuallyTrue(db, "the connections have ended", func() bool {
		return db.count(`pg_stat_activity WHERE datname = current_database() AND application_name IN ('reader', $1)`, postgres.FeedName) == 0
	})
	return count() - was
}

// Looking for something to do and measuring the lag cost the same however many endpoints,
// deliveries and events there are.
func TestEnqueueAndLag_ReadFewRows(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	db.logMany(5000)
	db.exec(`INSERT INTO accounts (email, plan) SELECT i || '@example.org', 'pro' FROM generate_series(1, 300) i`)
	db.exec(`
		INSERT INTO endpoints (id, account_id, slot, url, description, types, categories, state, reason, secret, cursor, created_at, verified_at, due_at)
		SELECT 'ep_' || a.email || s, a.id, s, 'https://example.org', '', '{}', '{}', 'active', '', repeat('x', 72)::bytea, 5000, $1, $1, $1::timestamptz + '1 hour'
		FROM accounts a, generate_series(1, 10) s`, db.now)
	db.exec(`
		INSERT INTO deliveries (id, endpoint_id, seq, type, next_at, made_at)
		SELECT e.id || s, e.id, s, 'tool.updated', $1::timestamptz + '1 hour', $1 FROM endpoints e, generate_series(1, 5) s`, db.now)
	db.exec(`UPDATE endpoints SET saturated = true, cursor = 7 WHERE slot = 1 AND account_id IN (SELECT id FROM accounts LIMIT 5)`)
	const looks = 20
	few := func(what string, most int64, look func(p *postgres.DB)) {
		t.Helper()
		db.exec(`VACUUM ANALYZE endpoints`)
		db.exec(`ANALYZE`)
		rows := db.rowsRead([]string{"endpoints", "deliveries", "events"}, func(p *postgres.DB) {
			for range looks {
				look(p)
			}
		})
		if rows > most*looks {
			t.Errorf("%s: %d looks read %d rows", what, looks, rows)
		}
	}
	few("nothing to enqueue", 10, func(p *postgres.DB) {
		n, err := p.Webhooks.Enqueue(t.Context(), db.now, db.now.Add(time.Minute), 100)
		db.must(err)
		wantEqual(t, "enqueued", n, 0)
	})
	for _, cursor := range []int64{5000, 100} {
		db.exec(`UPDATE endpoints SET cursor = $1 WHERE NOT saturated`, cursor)
		few("the lag", 30, func(p *postgres.DB) {
			lag, err := p.Webhooks.Lag(t.Context())
			db.must(err)
			wantEqual(t, "events", lag.Events, 5000-cursor)
			wantEqual(t, "saturated", lag.Saturated, 5)
		})
	}
}

// A delta costs by what changed, also on a connection that has read the whole catalog before,
// and after PostgreSQL may have settled for a generic plan.
func TestSince_ReadsWhatChanged(t *testing.T) {
	t.Parallel()
	const rows, deltas = 5000, 8
	db := newDB(t)
	db.exec(`INSERT INTO editions (number, published_at, last_seq) VALUES (1, '2026-02-01', 0), (2, '2026-02-02', 0)`)
	db.exec(`INSERT INTO current_edition (number) VALUES (2)`)
	for _, insert := range []string{
		`tools (slug, name, domain, category, icp, pricing, price, tagline, tier, mainstream, review_hash, embedded, source, updated_at, edition)
		SELECT 'outil-' || i, 'Outil ' || i, 'outil.example', 'code', 'mixte', 'payant', '10 €/mois', 'Un outil', 3, false,
		       '', false, 'digest', '2026-02-01', CASE WHEN i IN (7, 4999) THEN 2 ELSE 1 END`,
		`comparisons (slug, title, tool_a, tool_b, winner, note, source, updated_at, edition)
		SELECT 'duel-' || i, 'Duel', 'outil-1', 'outil-2', 'outil-1', 'Note', 'digest', '2026-02-01', CASE WHEN i = 7 THEN 2 ELSE 1 END`,
		`retired (slug, name, category, reason, retired_at, note, source, edition)
		SELECT 'feu-' || i, 'Feu', 'code', 'mort', '2026-02-01', 'Note', 'digest', CASE WHEN i = 7 THEN 2 ELSE 1 END`,
		`tombstones (kind, slug, edition) SELECT 'tool', 'parti-' || i, CASE WHEN i = 7 THEN 2 ELSE 1 END`,
		`price_history (slug, edition, changed_at, old_pricing, old_price, new_pricing, new_price)
		SELECT 'outil-' || i, 1, '2026-02-01', 'payant', '9 €/mois', 'payant', '10 €/mois'`,
	} {
		db.exec(`INSERT INTO `+insert+` FROM generate_series(1, $1) i`, rows)
	}
	db.exec(`ANALYZE`)
	e1 := catalog.Edition{Number: 1, ID: ask[string](db, `SELECT id::text FROM editions WHERE number = 1`)[0]}
	read := db.rowsRead([]string{"tools", "comparisons", "retired", "tombstones", "price_history"}, func(p *postgres.DB) {
		f, err := p.Catalog.Feed(t.Context())
		db.must(err)
		defer f.Close()
		since := func(e catalog.Edition, tools, others int) {
			t.Helper()
			d, err := f.Since(t.Context(), e)
			db.must(err)
			wantEqual(t, "tools", len(d.Tools), tools)
			wantEqual(t, "other items", len(d.Comparisons)+len(d.Retired)+len(d.GoneTools), others)
			wantEqual(t, "price changes", len(d.Tools[0].History), 1)
		}
		since(catalog.Edition{}, rows, 2*rows)
		for range deltas {
			since(e1, 2, 3)
		}
	})
	// Reading everything goes over the tools twice, once for their prices, and over prices,
	// comparisons and retired tools: by an index or not, as the server likes.
	if read < 5*deltas || read > 5*rows+100*deltas {
		t.Errorf("one whole read and %d deltas of 5 items read %d rows; the whole read alone reads at most 5 times %d", deltas, read, rows)
	}
}
