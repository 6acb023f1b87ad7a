package postgres_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	ct "github.com/palmares-hq/palmares/internal/catalogtest"
)

// A tool enters the embeddings set because another left it. Its own file did not change, so
// the publication has it without its text: the text of the row must stay.
func TestReview_EntersTheEmbeddingsSet(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	var all []any
	for i := range catalog.EmbeddingsSize + 1 {
		all = append(all, ct.Tool(fmt.Sprintf("outil-%03d", i), ct.Embeddable(1000-i)))
	}
	contents := ct.Contents(all...)
	last := contents.Tools[catalog.EmbeddingsSize]
	e1 := db.publish(contents)
	if out := db.tool(last.Slug, db.whole()); out.Embedded || out.Review.Sections != nil {
		t.Fatalf("%s must be outside the set at first: %+v", last.Slug, out)
	}

	db.nextDay()
	_, err := db.publishFrom(t.Context(), db.DB, func(current *catalog.Contents) *catalog.Contents {
		next := *current // as content.Load does with files that did not change
		next.Tools = slices.Clone(current.Tools)[1:]
		return &next
	})
	db.must(err)
	d := db.since(e1)
	wantSame(t, "what changed", toolSlugs(d), []string{last.Slug})
	wantEqual(t, "embedded", d.Tools[0].Embedded, true)
	wantEqual(t, "its date", d.Tools[0].UpdatedAt, "2026-03-01")
	wantSame(t, "its text", d.Tools[0].Review.Sections, last.Review.Sections)
}

func TestReview_FollowsItsHash(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	publish := func(edits ...func(*catalog.Tool)) catalog.Review {
		t.Helper()
		db.nextDay()
		db.publish(ct.Contents(ct.Tool("a", edits...)))
		r := db.tool("a", db.whole()).Review
		r.Markdown = catalog.Markdown{}
		return r
	}
	stored := func() bool { return ask[bool](db, `SELECT review IS NOT NULL FROM tools`)[0] }

	publish(ct.Reviewed("Premier"), ct.Embeddable(900))
	want := ct.Tool("a", ct.Reviewed("Second", "Suite")).Review
	want.Markdown = catalog.Markdown{}
	wantSame(t, "the second review", publish(ct.Reviewed("Second", "Suite"), ct.Embeddable(900)), want)
	// Outside the set the text stays in the database, and reaches no node.
	want.Sections = nil
	wantSame(t, "the review outside the set", publish(ct.Reviewed("Second", "Suite"), ct.Tier(3)), want)
	wantEqual(t, "text in the database", stored(), true)
	wantSame(t, "no review", publish(), catalog.Review{})
	wantEqual(t, "text without a review", stored(), false)
}
