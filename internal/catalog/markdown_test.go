package catalog_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	. "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// written gives a tool a review and its Markdown.
func written(markdown string) func(*catalog.Tool) {
	return func(t *catalog.Tool) {
		Reviewed("Le texte sans balises.")(t)
		Written(markdown)(t)
	}
}

// old gives a tool a review as versions that did not keep the Markdown published it.
func old(t *catalog.Tool) {
	Reviewed("Publié avant.")(t)
	t.Review.Markdown = catalog.Markdown{}
}

// stored gives a tool a review whose Markdown is compressed.
func stored(tb testing.TB, d catalog.Dictionary, markdown string) func(*catalog.Tool) {
	return func(t *catalog.Tool) {
		written(markdown)(t)
		t.Review.Markdown.Text, t.Review.Markdown.Compressed = "", compress(tb, d, markdown)[0]
	}
}

func TestReview(t *testing.T) {
	t.Parallel()
	texts := reviews(1000)
	first, second := train(t, 1, texts[:500]), train(t, 2, texts[500:])
	whole := Whole(Contents(
		Tool("compresse", stored(t, first, texts[0])), Tool("simple", stored(t, catalog.Dictionary{}, texts[1])),
		Tool("clair", written(texts[2])), Tool("sans-avis"), Tool("ancien", old),
		Tool("illisible", stored(t, second, texts[3])),
	), Edition(1))
	whole.Dictionaries = []catalog.Dictionary{first}
	s := catalog.Empty().Apply(whole)
	testkit.Equal(t, "the edition has reviews", s.HasReviews(), true)
	for slug, want := range map[string]string{"compresse": texts[0], "simple": texts[1], "clair": texts[2]} {
		if got, err := s.Review(slug); got != want || err != nil {
			t.Errorf("%s: %q, %v", slug, got, err)
		}
	}
	for slug, want := range map[string]error{
		"sans-avis": catalog.ErrNoReview, "ancien": catalog.ErrNoMarkdown, "inconnu": catalog.ErrUnknownTool,
	} {
		if got, err := s.Review(slug); got != "" || !errors.Is(err, want) {
			t.Errorf("%s: %q, %v, want %v", slug, got, err, want)
		}
	}
	if got, err := s.Review("illisible"); err == nil {
		t.Errorf("a review whose dictionary is missing: %q", got)
	}

	// The second dictionary comes with a later edition, and the first one stays.
	next := s.Apply(catalog.Delta{
		From: 1, Edition: Edition(2), Service: whole.Service, Categories: whole.Categories,
		Tools:     []*catalog.Tool{Tool("nouveau", stored(t, second, texts[4]))},
		GoneTools: []string{"clair"}, Dictionaries: []catalog.Dictionary{second},
	})
	again := catalog.Empty().Apply(next.Whole())
	for _, s := range []*catalog.Snapshot{next, again} {
		for slug, want := range map[string]string{"compresse": texts[0], "illisible": texts[3], "nouveau": texts[4]} {
			if got, err := s.Review(slug); got != want || err != nil {
				t.Errorf("%s: %q, %v", slug, got, err)
			}
		}
	}
	if _, err := s.Review("illisible"); err == nil {
		t.Error("the dictionary came to the snapshot before it, too")
	}
}

func TestHasReviews(t *testing.T) {
	t.Parallel()
	s := catalog.Empty()
	for i, step := range []struct {
		edit func(*catalog.Contents)
		want bool
	}{
		{func(c *catalog.Contents) { *c = *Contents(Tool("a", old), Tool("b")) }, false},
		{func(c *catalog.Contents) { written("*A*")(Find(c, "a")) }, true},
		{func(c *catalog.Contents) { written("*B*")(Find(c, "b")) }, true},
		{func(c *catalog.Contents) { Find(c, "a").Review = catalog.Review{} }, true},
		{func(c *catalog.Contents) { Retire(c, "b") }, false},
	} {
		if s = Amend(s, step.edit); s.HasReviews() != step.want {
			t.Errorf("after step %d: %v", i, s.HasReviews())
		}
	}
}

func TestReviewsAreReadConcurrently(t *testing.T) {
	t.Parallel()
	texts := reviews(520)
	d := train(t, 1, texts)
	var tools []any
	for i := range 20 {
		tools = append(tools, Tool(fmt.Sprint("outil-", i), stored(t, d, texts[i])))
	}
	whole := Whole(Contents(tools...), Edition(1))
	whole.Dictionaries = []catalog.Dictionary{d}
	s := catalog.Empty().Apply(whole)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 200 {
				if got, err := s.Review(fmt.Sprint("outil-", i%20)); got != texts[i%20] || err != nil {
					t.Errorf("%q, %v", got, err)
					return
				}
			}
		})
	}
	all.Wait()
}

// An edit of Markdown that leaves the plain text as it was is published, and moves nothing else. So
// is the first publication after an upgrade, when the published state has no Markdown yet.
func TestDiffOfMarkdownAlone(t *testing.T) {
	t.Parallel()
	before := Contents(Tool("a", Embeddable(900), written("Le texte **sans** balises.")), Tool("b", old))
	for _, tool := range before.Tools {
		tool.Embedded = true
		tool.Review.Markdown.Text = "" // as it is read of the database
	}
	after := Edited(before, func(c *catalog.Contents) {
		Find(c, "a").Review.Markdown = catalog.NewMarkdown("Le texte _sans_ balises.")
		Find(c, "b").Review.Markdown = catalog.NewMarkdown("Publié *avant*.")
		Embeddable(800)(Find(c, "b"))
	})
	Embeddable(800)(Find(before, "b"))
	changes := catalog.Diff(before, after, "2026-11-15")
	testkit.Equal(t, "tools", len(changes.Tools), 2)
	for _, ch := range changes.Tools {
		if ch.Visible || len(ch.Fields) != 1 || ch.Fields[0].Name != "markdown" || ch.New.UpdatedAt != ch.Old.UpdatedAt ||
			ch.New.Review.Hash != ch.Old.Review.Hash {
			t.Errorf("%s: %+v", ch.Slug, ch)
		}
	}
	testkit.Equal(t, "events", len(changes.Events()), 0)
	if again := catalog.Diff(after, Clone(after), "2026-11-16"); !again.Empty() {
		t.Errorf("the same Markdown is a change: %+v", again)
	}

	// With the text, the change is one of the review.
	rewritten := Edited(before, func(c *catalog.Contents) { Reviewed("Autre.")(Find(c, "a")) })
	changes = catalog.Diff(before, rewritten, "2026-11-15")
	testkit.Equal(t, "fields", len(changes.Tools[0].Fields), 1)
	testkit.Equal(t, "field", changes.Tools[0].Fields[0].Name, "review")
}
