package changes_test

import (
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/changes"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// The entries from a time on are the same from memory and from the database, and both say when the log begins if that is
// later. What was pruned is not missed: the answer begins where the log does.
func TestReader_From(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	var ends []catalog.Cursor // of three editions
	var days []time.Time      // and when each was published
	for range 3 {
		ends, days = append(ends, n.publish()), append(days, n.at)
		n.world.Change(30)
	}
	n.follow()
	for name, c := range map[string]struct {
		from   time.Time
		since  catalog.Cursor
		begins time.Time
	}{
		"long before":      {time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC), catalog.Cursor{}, days[0]},
		"just before":      {days[0].Add(-time.Second), catalog.Cursor{}, days[0]},
		"at the beginning": {days[0], catalog.Cursor{}, time.Time{}},
		"after the first":  {days[0].Add(time.Second), ends[0], time.Time{}},
		"at the last":      {days[2], ends[1], time.Time{}},
		"after the last":   {days[2].AddDate(7000, 0, 0), ends[2], time.Time{}},
	} {
		q := changes.Query{From: c.from, Limit: 1}
		memory, held := changes.FromSnapshot(n.catalog.Current(), q)
		testkit.Equal(t, name+": held", held, true)
		batch, err := n.db.Catalog.ReadChanges(t.Context(), q)
		testkit.Must(t, err)
		for of, page := range map[string]changes.Page{"memory": memory, "the database": changes.NewPage(batch, q)} {
			testkit.Equal(t, name+", "+of+": since", page.Since, c.since)
			testkit.Equal(t, name+", "+of+": begins", page.Begins, c.begins)
			if found := entries(t, page); len(found) > 0 {
				testkit.Equal(t, name+", "+of+": the first entry", found[0].Data.Seq, c.since.Seq+1)
			} else {
				testkit.Equal(t, name+", "+of+": the end", page.Next, ends[2])
			}
		}
	}

	pruned, err := n.db.Webhooks.PruneEvents(t.Context(), days[1], 1000)
	testkit.Must(t, err)
	testkit.Equal(t, "pruned", int64(pruned), ends[0].Seq)
	q := changes.Query{From: days[0], Limit: 1}
	batch, err := n.db.Catalog.ReadChanges(t.Context(), q)
	testkit.Must(t, err)
	testkit.Equal(t, "since", batch.Since, ends[0])
	testkit.Equal(t, "begins", batch.Begins, days[1])

	// A node that has only the end of the log asks the database.
	for n.catalog.Current().HoldsLog() {
		n.world.Change(300)
		n.publish()
		n.follow()
	}
	page, err := n.read(q)
	testkit.Must(t, err)
	testkit.Equal(t, "since, by way of the reader", page.Since, ends[0])
	testkit.Equal(t, "reads", n.log.reads.Load(), int64(1))
}
