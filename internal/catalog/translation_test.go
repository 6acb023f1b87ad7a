package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/palmares-hq/palmares/internal/catalog"
	build "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// translations is a catalog with an English text of every kind.
func translations() *Contents {
	c := build.Contents(
		build.Tool("a", build.Reviewed("Un", "Deux"), build.Embeddable(900), build.Translated("A tool", "One.\n\n## Part\n\nTwo.\n")),
		build.Tool("b"),
		build.Comparison("a-ou-b", "a", "b", func(x *Comparison) {
			x.English = ComparisonEnglish{Title: Translation{Text: "Match a or b"}, Note: Translation{Text: "Safer."}, Source: "en"}
		}),
		build.Retired("feu", func(r *Retired) { r.English = RetiredEnglish{Note: Translation{Text: "Closed."}, Source: "en"} }),
	)
	c.Categories[0].English.Text = "Programming"
	return c
}

// says is all that the API answers.
func says(s *Snapshot) string {
	var b strings.Builder
	all := Paging{Page: 1, Limit: 100}
	for _, d := range []Document{
		s.CategoriesJSON(), s.StatsJSON(), s.EmbeddingsListJSON(), s.ToolsJSON(ToolQuery{Paging: all}).Document(),
		s.PricesJSON(PriceQuery{Paging: all}).Document(), s.ComparisonsJSON(ComparisonQuery{Paging: all}).Document(),
		s.CemeteryJSON(CemeteryQuery{Paging: all}).Document(),
	} {
		b.Write(d.Body)
	}
	detail, _ := s.ComparisonJSON("a-ou-b")
	return b.String() + string(detail.Body) + embeddings(s, "a")
}

// English makes an edition of pages alone: no event, no date and no byte of the API.
func TestDiff_EnglishIsForPagesAlone(t *testing.T) {
	t.Parallel()
	french := translations()
	french.Categories[0].English = Translation{}
	french.Tools[0].English, french.Comparisons[0].English, french.Retired[0].English = ToolEnglish{}, ComparisonEnglish{}, RetiredEnglish{}
	first := build.First(french, build.Edition(1))

	changes := Diff(first.Contents(), translations(), build.Edition(2).Date())
	var fields []string
	for _, f := range changes.Tools[0].Fields {
		fields = append(fields, f.Name)
	}
	for _, f := range append(changes.Comparisons[0].Fields, changes.Retired[0].Fields...) {
		fields = append(fields, f.Name)
	}
	testkit.Equal(t, "the fields", fmt.Sprint(fields), "[tagline.en review.en title.en winner_note.en note.en]")
	testkit.Equal(t, "the categories change", changes.CategoriesChanged, true)
	testkit.Equal(t, "the events", len(changes.Events()), 0)
	testkit.Equal(t, "visible", fmt.Sprint(changes.Tools[0].Visible, changes.Comparisons[0].Visible, changes.Retired[0].Visible), "false false false")
	next := first.Apply(changes.Delta(build.Edition(2)))
	testkit.Equal(t, "what the API says", says(next), says(first))
	if tool, _ := next.Tool("a"); tool.UpdatedAt != build.Edition(1).Date() {
		t.Errorf("the tool is of %s", tool.UpdatedAt)
	}
	if m, _ := next.Comparison("a-ou-b"); m.UpdatedAt != build.Edition(1).Date() || m.English.Title.Text == "" {
		t.Errorf("the comparison is of %s: %+v", m.UpdatedAt, m.English)
	}
	if text, err := next.EnglishReview("a"); err != nil || !strings.HasPrefix(text, "One.") {
		t.Errorf("the English review is %q, %v", text, err)
	}
	for slug, want := range map[string]error{"b": ErrNoReview, "personne": ErrUnknownTool} {
		if _, err := next.EnglishReview(slug); err != want { //nolint:errorlint // it is returned as it is
			t.Errorf("the English review of %s: %v", slug, err)
		}
	}
	if again := Diff(next.Contents(), translations(), build.Edition(3).Date()); !again.Empty() {
		t.Errorf("published again, something changes: %+v", again)
	}
}

// outdated says which texts of a snapshot are outdated.
func outdated(s *Snapshot) string {
	c := s.Contents()
	t, x, r := c.Tools[0], c.Comparisons[0], c.Retired[0]
	return fmt.Sprint(c.Categories[0].English.Outdated(c.Categories[0].Label), t.English.Tagline.Outdated(t.Tagline),
		t.English.Review.Outdated(t.Review.Markdown), x.English.Title.Outdated(x.Title), x.English.Note.Outdated(x.Note),
		r.English.Note.Outdated(r.Note))
}

// A translation belongs to the French that it was published with. It is outdated while that is another,
// and no longer when the French is what it was, or when the English is written anew.
func TestDiff_TranslationsAreOfAFrenchText(t *testing.T) {
	t.Parallel()
	const none, all = "false false false false false false", "true true true true true true"
	rewrite := func(c *Contents, by string) {
		c.Categories[0].Label += by
		c.Tools[0].Tagline += by
		build.Reviewed("Un"+by, "Deux")(c.Tools[0])
		c.Comparisons[0].Title += by
		c.Comparisons[0].Note += by
		c.Retired[0].Note += by
	}
	first := build.First(translations(), build.Edition(1))
	testkit.Equal(t, "published at once", outdated(first), none)

	french := build.Edited(translations(), func(c *Contents) { rewrite(c, "!") })
	changes := Diff(first.Contents(), french, build.Edition(2).Date())
	testkit.Equal(t, "what becomes outdated", fmt.Sprint(changes.Outdated()),
		"[{0 code label} {1 a tagline} {1 a } {2 a-ou-b title} {2 a-ou-b } {3 feu }]")
	second := first.Apply(changes.Delta(build.Edition(2)))
	testkit.Equal(t, "the French changes", outdated(second), all)

	other := build.Edited(french, func(c *Contents) { c.Tools[0].Tier++; c.Tools[0].English.Source = "" })
	changes = Diff(second.Contents(), other, build.Edition(3).Date())
	testkit.Equal(t, "nothing more becomes outdated", len(changes.Outdated()), 0)
	testkit.Equal(t, "something else changes", outdated(second.Apply(changes.Delta(build.Edition(3)))), all)

	back := Diff(second.Contents(), translations(), build.Edition(3).Date())
	testkit.Equal(t, "the French goes back", outdated(second.Apply(back.Delta(build.Edition(3)))), none)

	both := build.Edited(french, func(c *Contents) {
		rewrite(c, "?")
		c.Categories[0].English.Text += "?"
		build.Translated("Another", "Another.\n")(c.Tools[0])
		c.Comparisons[0].English.Title.Text += "?"
		c.Comparisons[0].English.Note.Text += "?"
		c.Retired[0].English.Note.Text += "?"
	})
	changes = Diff(second.Contents(), both, build.Edition(3).Date())
	testkit.Equal(t, "both change: what becomes outdated", len(changes.Outdated()), 0)
	testkit.Equal(t, "both change", outdated(second.Apply(changes.Delta(build.Edition(3)))), none)
}
