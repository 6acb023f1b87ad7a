package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	ct "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// BenchmarkLoad reads a catalog of some thousand tools as a node does at its start, and
// BenchmarkWrite publishes a change of all of them.
func BenchmarkLoad(b *testing.B) {
	db := benchDB(b)
	writeAll(b, db, ct.Generated(5000), time.Now())
	feed, err := db.Catalog.Feed(b.Context())
	testkit.Must(b, err)
	defer feed.Close()
	b.ReportAllocs()
	for b.Loop() {
		d, err := feed.Since(b.Context(), catalog.Edition{})
		testkit.Must(b, err)
		if len(d.Tools) != 5000 {
			b.Fatal(len(d.Tools))
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	db := benchDB(b)
	states := []*catalog.Contents{ct.Generated(5000), ct.Edited(ct.Generated(5000), func(c *catalog.Contents) {
		for _, t := range c.Tools {
			t.Mainstream = !t.Mainstream
		}
	})}
	at, i := time.Now(), 0
	b.ReportAllocs()
	for b.Loop() {
		writeAll(b, db, states[i%2], at)
		i++
	}
}

func benchDB(b *testing.B) *postgres.DB {
	b.Helper()
	db, err := postgres.Open(b.Context(), pgtest.Migrated(b), postgres.Options{})
	testkit.Must(b, err)
	b.Cleanup(db.Close)
	return db
}

func writeAll(b *testing.B, db *postgres.DB, c *catalog.Contents, at time.Time) {
	b.Helper()
	decide := func(_ context.Context, current *catalog.Contents, _ catalog.Edition, _ catalog.Past) (catalog.Changes, error) {
		return catalog.Diff(current, c, catalog.DateOf(at)), nil
	}
	_, err := db.Catalog.Publish(b.Context(), func() time.Time { return at }, decide)
	testkit.Must(b, err)
}
