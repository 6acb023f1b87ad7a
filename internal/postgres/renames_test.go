package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	ct "github.com/palmares-hq/palmares/internal/catalogtest"
	query "github.com/palmares-hq/palmares/internal/changes"
)

// What the database keeps of a tool goes along with it from slug to slug, through the cemetery too; what was logged stays as
// it was logged. Nodes that follow by deltas and those that begin anew hold the same.
func TestPublish_Renames(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	tool := func(slug, price string, score int, formerly ...string) *catalog.Tool {
		return ct.Tool(slug, ct.Named("A"), ct.Scored(score), ct.Priced(catalog.Paid, price), func(t *catalog.Tool) { t.Formerly = formerly })
	}
	duel := func(slug, a string, formerly ...string) *catalog.Comparison {
		return ct.Comparison(slug, a, "b", func(c *catalog.Comparison) { c.Formerly = formerly })
	}
	snapshot := catalog.Empty()
	var moves catalog.LastMoves // of the tool, before each publication
	publish := func(items ...any) {
		t.Helper()
		next := ct.Contents(append(items, ct.Tool("b"))...)
		_, err := db.Catalog.Publish(t.Context(), db.clock,
			func(ctx context.Context, current *catalog.Contents, _ catalog.Edition, past catalog.Past) (catalog.Changes, error) {
				for _, x := range next.Tools {
					if x.Slug != "b" {
						all, err := past.LastMoves(ctx, []catalog.Bearer{{Slug: x.Slug, Formerly: x.Formerly}})
						db.must(err)
						moves = all[x.Slug]
					}
				}
				return catalog.Diff(current, next, catalog.DateOf(db.now)), nil
			})
		db.must(err)
		db.nextDay()
		snapshot = snapshot.Apply(db.since(snapshot.Edition()))
		ct.WantSame(t, catalog.Empty().Apply(db.whole()), snapshot)
	}
	// What was kept of a tool that is gone is not that of the one that takes its slug.
	publish(ct.Tool("n", ct.Priced(catalog.Paid, "1 €/mois")))
	publish(ct.Tool("n", ct.Priced(catalog.Paid, "2 €/mois")))
	publish(tool("a", "10 €/mois", 700), duel("a-ou-b", "a"))
	publish(tool("a", "12 €/mois", 700), duel("a-ou-b", "a"))
	db.exec(`INSERT INTO reports (slug, field, value, said, source, wanted, language, digest, created_at)
		VALUES ('a', 'price', '12', '11', '', false, 'fr', 'x', now())`)
	publish(tool("n", "15 €/mois", 710, "a"), duel("n-ou-b", "n", "a-ou-b"))
	publish(ct.Retired("n", func(r *catalog.Retired) { r.Formerly = []string{"a"} }))
	publish(ct.Retired("m", func(r *catalog.Retired) { r.Formerly = []string{"a", "n"} }))
	publish(tool("m", "15 €/mois", 710, "a", "n"))
	wantSame(t, "reports go along", db.count("reports WHERE slug = 'm'"), 1)
	publish(tool("a", "15 €/mois", 710, "n", "m"))
	publish(tool("a", "15 €/mois", 710, "n", "m"))

	got, _ := snapshot.Tool("a")
	var prices []string
	for _, row := range got.History {
		prices = append(prices, row.OldPrice+" > "+row.NewPrice)
	}
	wantSame(t, "the price history", prices, []string{"12 €/mois > 15 €/mois", "10 €/mois > 12 €/mois"})
	wantSame(t, "reports", db.count("reports WHERE slug = 'a'"), 1)
	wantSame(t, "tombstones", db.count("tombstones WHERE kind = 'tool' AND slug = 'a'"), 0)
	wantSame(t, "its last price is that with which it came back", moves.Price.Row == nil, true)

	read := func(slug string) (found []string) {
		b, err := db.Catalog.ReadChanges(t.Context(), query.Query{Limit: 1000, Filter: query.Filter{Slugs: snapshot.SlugsOf(slug)}})
		db.must(err)
		for _, e := range b.Entries {
			if e.Edition > 3 && e.Type != catalog.CatalogUpdated {
				found = append(found, fmt.Sprintf("%s %s %s>%s", e.Type, e.Slug, e.RenamedFrom, e.RenamedTo))
			}
		}
		return found
	}
	want := []string{
		"tool.updated a >", "price.changed a >",
		"tool.renamed n a>n", "tool.removed a >n", "tool.created n a>", "price.changed n >",
		"tool.retired n >",
		"cimetiere.renamed m n>m", "cimetiere.removed n >m", "cimetiere.added m n>",
		"tool.created m >", "cimetiere.removed m >",
		"tool.renamed a m>a", "tool.removed m >a", "tool.created a m>",
	}
	for _, slug := range []string{"a", "n", "m"} {
		wantSame(t, "the log of "+slug, read(slug), want)
	}
	for _, e := range db.whole().Log { // memory has what the log has
		if e.RenamedTo != "" && !slices.Contains([]string{"a", "n", "m", "n-ou-b"}, e.RenamedTo) {
			t.Errorf("%+v", e)
		}
	}
}

// A slip is corrected after a rename as before, and at the rename.
func TestLastMoves_FollowRenames(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	tool := func(slug, price string, score int, formerly ...string) *catalog.Tool {
		return ct.Tool(slug, ct.Scored(score), ct.Priced(catalog.Paid, price), func(t *catalog.Tool) { t.Formerly = formerly })
	}
	publish := func(x *catalog.Tool, correct bool) catalog.LastMoves {
		t.Helper()
		var last catalog.LastMoves
		_, err := db.Catalog.Publish(t.Context(), db.clock,
			func(ctx context.Context, current *catalog.Contents, _ catalog.Edition, past catalog.Past) (catalog.Changes, error) {
				c := catalog.Diff(current, ct.Contents(x), catalog.DateOf(db.now))
				all, err := past.LastMoves(ctx, []catalog.Bearer{{Slug: x.Slug, Formerly: x.Formerly}})
				last = all[x.Slug]
				if correct && !c.Correct(x.Slug, last) {
					t.Errorf("nothing of %s can be corrected", x.Slug)
				}
				return c, err
			})
		db.must(err)
		db.nextDay()
		return last
	}
	history := func(slug string) (rows []string) {
		for _, row := range db.tool(slug, db.whole()).History {
			rows = append(rows, row.OldPrice+" > "+row.NewPrice)
		}
		return rows
	}
	entry := func(seq int64) string {
		for _, e := range db.whole().Log {
			if e.Seq == seq {
				return fmt.Sprint(e.Type, " ", e.Slug)
			}
		}
		return "none"
	}
	publish(tool("a", "10 €/mois", 700), false)
	publish(tool("a", "2400 €/mois", 70), false) // slips
	last := publish(tool("n", "2400 €/mois", 70, "a"), false)
	wantSame(t, "what moved the price before the rename", entry(last.Price.Seq)+", "+entry(last.Price.Update), "price.changed a, tool.updated a")
	last = publish(tool("n", "24 €/mois", 710, "a"), true)
	wantSame(t, "what moved the score", entry(last.Score.Seq), "tool.updated a")
	wantSame(t, "corrected after the rename", history("n"), []string{"10 €/mois > 24 €/mois"})
	amended := catalog.Empty().Apply(db.whole()).Amendments()
	if x := amended[last.Price.Seq]; x == nil || x.Price.By == nil {
		t.Errorf("the slip before the rename still holds: %+v", x)
	}

	publish(tool("n", "30 €/mois", 710, "a"), false)     // another slip
	publish(tool("m", "26 €/mois", 710, "a", "n"), true) // taken back at the rename
	wantSame(t, "corrected at the rename", history("m"), []string{"24 €/mois > 26 €/mois", "10 €/mois > 24 €/mois"})
	publish(tool("o", "99 €/mois", 720, "a", "n", "m"), false) // a slip with a rename
	last = publish(tool("o", "27 €/mois", 720, "a", "n", "m"), true)
	wantSame(t, "what moved both", entry(last.Price.Seq)+", "+entry(last.Price.Update)+", "+entry(last.Score.Seq), "price.changed o, tool.renamed o, tool.renamed o")
	wantSame(t, "corrected", history("o")[0], "26 €/mois > 27 €/mois")
}
