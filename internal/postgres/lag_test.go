package postgres_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/webhook"
)

func (b *bench) lag() webhook.Lag {
	b.Helper()
	lag, err := b.db.Lag(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return lag
}

func TestLag(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	wantEqual(t, "of nothing", b.lag(), webhook.Lag{})
	owner := b.signUp(owner, account.Pro).ID
	all, none := b.endpointOf(owner), b.endpointOf(owner, catalog.EmbeddingsUpdated)
	wantEqual(t, "of an empty log", b.lag(), webhook.Lag{})
	first := b.now
	b.logMany(3)
	b.nextDay()
	b.logMany(2)
	wantEqual(t, "of all", b.lag(), webhook.Lag{Events: 5, Since: first})

	// An endpoint that asked for none of them has come to the end all the same.
	b.advance(none)
	wantEqual(t, "without one of two", b.lag(), webhook.Lag{Events: 5, Since: first})
	if _, _, err := b.db.Advance(t.Context(), all, b.now, 3, 3); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "after the first edition", b.lag(), webhook.Lag{Events: 2, Since: b.now})

	// With as many pending as there may be it waits for its receiver, not for us; it goes
	// on waiting for as long as attempts fail.
	saturate := func() {
		t.Helper()
		if _, _, err := b.db.Advance(t.Context(), all, b.now, 3, 3); err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "saturated", b.lag(), webhook.Lag{Saturated: 1})
	}
	saturate()
	d := b.deliveries(all)
	d[0].Attempts, d[1].Attempts = 1, 1
	b.record(all, d[0], d[1])
	wantEqual(t, "after failures", b.lag(), webhook.Lag{Saturated: 1})
	d[1].State = webhook.Delivered
	b.record(all, d[0], d[1])
	wantEqual(t, "after a success", b.lag(), webhook.Lag{Events: 2, Since: b.now})
	b.advance(all)
	wantEqual(t, "at the end", b.lag(), webhook.Lag{})

	b.logMany(1)
	b.setState(all, webhook.Disabled, "")
	b.setState(none, webhook.Disabled, "")
	wantEqual(t, "of endpoints that are not active", b.lag(), webhook.Lag{})
}

// A look costs the same at any number of endpoints, whether all of them are behind or
// none is, and however long the log is.
func TestLagCostsNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.logMany(5000)
	b.exec(`INSERT INTO accounts (email, plan) SELECT i || '@example.org', 'pro' FROM generate_series(1, 300) i`)
	b.exec(`
		INSERT INTO endpoints (id, account_id, slot, url, description, types, categories, state, reason, secret, cursor, created_at, verified_at)
		SELECT 'ep_' || a.email || s, a.id, s, 'https://example.org', '', '{}', '{}', 'active', '', repeat('x', 72)::bytea, 5000, $1, $1
		FROM accounts a, generate_series(1, 10) s`, b.now)
	b.exec(`UPDATE endpoints SET saturated = true, cursor = 7 WHERE slot = 1 AND account_id IN (SELECT id FROM accounts LIMIT 5)`)
	for _, cursor := range []int64{5000, 100} {
		b.exec(`UPDATE endpoints SET cursor = $1 WHERE NOT saturated`, cursor)
		b.exec(`VACUUM ANALYZE endpoints`)
		b.exec(`ANALYZE events`)
		b.exec(`SELECT pg_stat_force_next_flush()`)
		read := func() int64 {
			return ask[int64](b, `
				SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int8 FROM pg_stat_user_tables WHERE relname IN ('endpoints', 'events', 'deliveries')`)[0]
		}
		const looker = "looker"
		was := read()
		db, err := postgres.Open(t.Context(), b.url+"&application_name="+looker, postgres.Options{})
		if err != nil {
			t.Fatal(err)
		}
		const looks = 20
		for range looks {
			lag, err := db.Lag(t.Context())
			if err != nil || lag.Events != 5000-cursor || lag.Saturated != 5 {
				t.Errorf("%+v, %v", lag, err)
			}
		}
		db.Close()
		b.ended(looker)
		if rows := read() - was; rows > 30*looks {
			t.Errorf("%d looks with all cursors at %d read %d rows", looks, cursor, rows)
		}
	}
}
