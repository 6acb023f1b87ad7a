package postgres_test

import (
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/postgres"
)

// rows is a catalog large enough for PostgreSQL to prefer an index.
const rows = 5000

func (b *bench) fill() catalog.Edition {
	b.Helper()
	b.exec(`INSERT INTO editions (number, published_at, last_seq) VALUES (1, '2026-02-01', 0)`)
	b.exec(`INSERT INTO current_edition (number) VALUES (1)`)
	b.exec(`
		INSERT INTO tools (slug, name, domain, category, icp, pricing, price, tagline, tier, mainstream,
		                   review_hash, embedded, source, updated_at, edition)
		SELECT 'outil-' || i, 'Outil ' || i, 'outil.example', 'code', 'mixte', 'payant', '10 €/mois', 'Un outil', 3, false,
		       '', false, 'digest', '2026-02-01', 1
		FROM generate_series(1, $1) i`, rows)
	b.exec(`
		INSERT INTO comparisons (slug, title, tool_a, tool_b, winner, note, source, updated_at, edition)
		SELECT 'duel-' || i, 'Duel', 'outil-1', 'outil-2', 'outil-1', 'Note', 'digest', '2026-02-01', 1
		FROM generate_series(1, $1) i`, rows)
	b.exec(`
		INSERT INTO retired (slug, name, category, reason, retired_at, note, source, edition)
		SELECT 'feu-' || i, 'Feu', 'code', 'mort', '2026-02-01', 'Note', 'digest', 1
		FROM generate_series(1, $1) i`, rows)
	b.exec(`INSERT INTO tombstones (kind, slug, edition) SELECT 'tool', 'parti-' || i, 1 FROM generate_series(1, $1) i`, rows)
	b.exec(`
		INSERT INTO price_history (slug, edition, changed_at, old_pricing, old_price, new_pricing, new_price)
		SELECT 'outil-' || i, 1, '2026-02-01', 'payant', '9 €/mois', 'payant', '10 €/mois'
		FROM generate_series(1, $1) i`, rows)
	b.exec(`ANALYZE`)
	return catalog.Edition{Number: 1, ID: ask[string](b, `SELECT id::text FROM editions`)[0]}
}

// tuples counts what scans have read of the tables that a delta is made of.
func (b *bench) tuples() (sequential, indexed int64) {
	b.Helper()
	const counted = `FROM pg_stat_user_tables
		WHERE relname IN ('tools', 'comparisons', 'retired', 'tombstones', 'price_history')`
	return ask[int64](b, `SELECT sum(seq_tup_read)::int8 `+counted)[0], ask[int64](b, `SELECT sum(idx_tup_fetch)::int8 `+counted)[0]
}

// A delta must cost by what changed, also on a connection that has read the whole
// catalog before, and after PostgreSQL may have settled for a generic plan.
func TestADeltaCostsByTheChange(t *testing.T) {
	t.Parallel()
	const filler = "filler"
	reader := newBench(t)
	b := benchAt(t, reader.url+"&application_name="+filler)
	e1 := b.fill()
	// Straight into the tables: what a publication itself reads is not counted here.
	b.exec(`INSERT INTO editions (number, published_at, last_seq) VALUES (2, '2026-02-02', 0)`)
	b.exec(`UPDATE current_edition SET number = 2`)
	b.exec(`UPDATE tools SET edition = 2, tagline = 'Autre' WHERE slug IN ('outil-7', 'outil-4999')`)
	b.exec(`UPDATE comparisons SET edition = 2 WHERE slug = 'duel-7'`)
	b.exec(`UPDATE retired SET edition = 2 WHERE slug = 'feu-7'`)
	b.exec(`UPDATE tombstones SET edition = 2 WHERE slug = 'parti-7'`)

	b.admin.Close(t.Context())
	reader.ended(filler)

	seq, idx := reader.tuples()
	f := reader.feed()
	read := func(e catalog.Edition, tools, others int) {
		t.Helper()
		d, err := f.Since(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "tools", len(d.Tools), tools)
		wantEqual(t, "other items", len(d.Comparisons)+len(d.Retired)+len(d.GoneTools), others)
		wantEqual(t, "price changes", len(d.Tools[0].History), 1)
	}
	read(catalog.Edition{}, rows, 2*rows)
	const deltas = 8
	for range deltas {
		read(e1, 2, 3)
	}
	f.Close()
	reader.ended(postgres.FeedName)
	seqAfter, idxAfter := reader.tuples()
	seq, idx = seqAfter-seq, idxAfter-idx
	// The whole read goes over the tools twice, once for their prices, and over the
	// prices, the comparisons and the retired: by an index or not, as the server likes.
	// What is left for the deltas must be by the change.
	if read := seq + idx; read < 5*deltas || read > 5*rows+100*deltas {
		t.Errorf("one whole read and %d deltas of 5 items read %d rows; the whole read alone reads at most 5 times %d", deltas, read, rows)
	}
}

// ended waits for a connection's backend to be gone: that is when all its counts
// are handed in.
func (b *bench) ended(application string) {
	b.Helper()
	for deadline := time.Now().Add(soon); ; time.Sleep(10 * time.Millisecond) {
		left := ask[int64](b, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1`, application)
		if left[0] == 0 {
			return
		}
		if time.Now().After(deadline) {
			b.Fatalf("the backend of %s does not end", application)
		}
	}
}
