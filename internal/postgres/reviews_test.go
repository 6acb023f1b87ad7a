package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A tool enters the embeddings set because another left it. Its own file did not
// change, so the publication has it without its text: the row must have kept that.
func TestATextNotAtHandIsKept(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var all []*catalog.Tool
	for i := range catalog.EmbeddingsSize + 1 {
		all = append(all, tool(fmt.Sprintf("outil-%03d", i), embeddable(1000-i)))
	}
	first, last := all[0].Slug, all[len(all)-1].Slug
	text := slices.Clone(all[len(all)-1].Review.Sections)
	e1 := b.publish(contents(all...))
	if out := findTool(t, b.whole(), last); out.Embedded || out.Review.Sections != nil {
		t.Fatalf("%s must be outside the set at first: %+v", last, out)
	}

	b.nextDay()
	_, err := b.db.Publish(t.Context(), b.clock, func(ctx context.Context, current *catalog.Contents, e catalog.Edition) (catalog.Changes, error) {
		next := *current // as content.Load does with files that did not change
		next.Tools = slices.DeleteFunc(slices.Clone(current.Tools), func(x *catalog.Tool) bool { return x.Slug == first })
		return b.toward(&next)(ctx, current, e)
	})
	if err != nil {
		t.Fatal(err)
	}
	d := b.since(e1)
	wantSame(t, "what changed", shapeOf(d).Tools, []string{last})
	in := findTool(t, d, last)
	wantEqual(t, "embedded", in.Embedded, true)
	wantEqual(t, "its date", in.UpdatedAt, "2026-03-01")
	wantSame(t, "its text", in.Review.Sections, text)
}

func TestATextFollowsItsHash(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	hasText := func() bool { return ask[bool](b, `SELECT review IS NOT NULL FROM tools`)[0] }

	b.publish(contents(tool("a", reviewed("Premier"), embeddable(900))))
	b.nextDay()
	b.publish(contents(tool("a", reviewed("Second", "Suite"), embeddable(900))))
	a := findTool(t, b.whole(), "a")
	wantEqual(t, "sections", len(a.Review.Sections), 2)
	wantEqual(t, "text", a.Review.Sections[0].Text, "Second")
	wantEqual(t, "hash", a.Review.Hash, catalog.NewReview(a.Name, a.Review.Sections).Hash)

	// Out of the set the text stays in the database, and reaches no node.
	b.nextDay()
	b.publish(contents(tool("a", reviewed("Second", "Suite"), scored(900))))
	wantEqual(t, "sections outside the set", len(findTool(t, b.whole(), "a").Review.Sections), 0)
	wantEqual(t, "text in the database", hasText(), true)

	b.nextDay()
	b.publish(contents(tool("a", scored(900))))
	wantEqual(t, "hash without a review", findTool(t, b.whole(), "a").Review.Hash, "")
	wantEqual(t, "text without a review", hasText(), false)
}
