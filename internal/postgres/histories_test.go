package postgres_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	ct "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// publishCorrected publishes next as a correction of some tools, and tells the edition.
func (db *testDB) publishCorrected(next *catalog.Contents, slugs ...string) catalog.Edition {
	db.Helper()
	e, err := db.Catalog.Publish(db.Context(), db.clock,
		func(ctx context.Context, current *catalog.Contents, _ catalog.Edition, past catalog.Past) (catalog.Changes, error) {
			c := catalog.Diff(current, next, catalog.DateOf(db.now))
			for _, ch := range c.Tools {
				if ch.Before() == nil || ch.Removed() || !slices.Contains(slugs, ch.Slug) {
					continue
				}
				moves, err := past.LastMoves(ctx, []catalog.Bearer{{Slug: ch.Slug, Formerly: ch.New.Formerly}})
				if err != nil {
					return c, err
				}
				c.Correct(ch.Slug, moves[ch.Slug])
			}
			return c, nil
		})
	db.must(err)
	return e
}

func rowsOf(list []catalog.ToolHistory) map[string][]catalog.HistoryRow {
	m := make(map[string][]catalog.HistoryRow)
	for _, h := range list {
		m[h.Slug] = h.History.Rows()
	}
	return m
}

// What the schema records of editions is what a preview records of the same log, and so is what the migration makes of
// a database that had no histories. Without the beginning of the log it is the same from then on.
func TestHistory_OfTheSchemaAndOfPreviews(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	w := ct.NewWorld(*seed, 12)
	want := make(catalog.Histories)
	snapshot := catalog.Empty()
	corrections := 0
	for range testkit.Size(40, 120) {
		if w.IntN(4) > 0 {
			db.nextDay()
		}
		w.Change(1 + w.IntN(4))
		contents := w.Contents()
		var corrected []string
		for _, x := range contents.Tools {
			if w.IntN(2) == 0 {
				corrected = append(corrected, x.Slug)
			}
		}
		db.publishCorrected(contents, corrected...)
		d := db.since(snapshot.Edition())
		db.must(want.Record(d.Log))
		for _, x := range d.Tools {
			want.State(x.Slug, x.Since)
		}
		for _, e := range d.Log {
			if e.Correction > 0 {
				corrections++
			}
		}
		snapshot = snapshot.Apply(d)
		wantSame(t, "the histories", rowsOf(snapshot.Whole().Histories), map[string][]catalog.HistoryRow(want))
	}
	if corrections == 0 || len(want) < 10 {
		t.Fatalf("%d corrections and %d histories prove nothing", corrections, len(want))
	}

	again := func() map[string][]catalog.HistoryRow {
		t.Helper()
		_, err := db.migrations().DownTo(t.Context(), beforeHistory)
		db.must(err)
		db.migrate()
		return rowsOf(db.whole().Histories)
	}
	for _, rows := range want { // the program before knew no such day
		for i := range rows {
			rows[i].Since = ""
		}
	}
	wantSame(t, "after the migration", again(), map[string][]catalog.HistoryRow(want))

	middle := ask[int64](db, `SELECT edition FROM events ORDER BY seq OFFSET (SELECT count(*) / 2 FROM events) LIMIT 1`)[0]
	from := ask[string](db, `SELECT (published_at AT TIME ZONE 'UTC')::date::text FROM editions WHERE number = $1`, middle)[0]
	db.exec(`DELETE FROM events WHERE edition <= $1`, middle) // it may be one of several of its day
	for slug, rows := range again() {
		for day := db.now; catalog.DateOf(day) > catalog.Date(from); day = day.AddDate(0, 0, -1) {
			got, whole := valuesOn(rows, catalog.DateOf(day)), valuesOn(want[slug], catalog.DateOf(day))
			if got != whole {
				t.Errorf("%s on %s, of a log that begins on %s: %s, want %s\n%v\n%v", slug, catalog.DateOf(day), from, got, whole, rows, want[slug])
				break
			}
		}
	}
	wantSame(t, "slugs", slices.Sorted(maps.Keys(again())), slices.Sorted(maps.Keys(want)))
}

// beforeHistory is the last migration before that of histories.
const beforeHistory = 48

func valuesOn(rows []catalog.HistoryRow, day catalog.Date) (values string) {
	for _, i := range catalog.NewHistory(rows).Intervals() {
		if i.Field != catalog.LifeHistory && i.Covers(day) {
			values += fmt.Sprint(i.Pricing, i.Price, i.Score, " ")
		}
	}
	return values
}
