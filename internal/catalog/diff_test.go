package catalog_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	. "github.com/palmares-hq/palmares/internal/catalog"
	build "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

const today Date = "2026-05-01"

// published is a small catalog as a publication leaves it: Diff finds nothing to
// change in it.
func published(t *testing.T) *Contents {
	t.Helper()
	c := build.Contents(
		build.Tool("a", build.Tier(1), build.Reviewed("Texte", "Suite"), func(t *Tool) {
			t.Embedded, t.History = true, []PriceChange{{"2026-01-15", Paid, "10 €/mois", Paid, "20 €/mois"}}
		}),
		build.Tool("b", build.Scored(900)), build.Tool("c", build.Unscored, build.In("image")),
		build.Comparison("a-ou-b", "a", "b"), build.Retired("z"),
	)
	if !Diff(c, c, today).Empty() {
		t.Fatal("the fixture is not a published state")
	}
	return c
}

func TestDiff_UnchangedIsEmpty(t *testing.T) {
	t.Parallel()
	current := published(t)
	for name, next := range map[string]*Contents{
		"the same pointers":  current,
		"a deep copy":        build.Clone(current),
		"other file digests": build.Edited(current, func(c *Contents) { c.Tools[0].Source, c.Comparisons[0].Source, c.Retired[0].Source = "x", "y", "z" }),
		"as files give it, with nothing decided": build.Edited(current, func(c *Contents) {
			for _, x := range c.Tools {
				x.UpdatedAt, x.Embedded, x.History = "", false, nil
			}
			c.Comparisons[0].UpdatedAt = ""
		}),
		"a draft more": build.Edited(current, func(c *Contents) {
			c.Comparisons = append(c.Comparisons, build.Comparison("b-ou-a", "b", "a", func(x *Comparison) { x.Draft = true }))
		}),
		"reviews without their text": build.Edited(current, func(c *Contents) { c.Tools[0].Review.Sections = nil }),
	} {
		got := Diff(current, next, today)
		if !got.Empty() || len(got.Events()) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
		if got.Before != got.After || got.Before != (Counts{3, 1, 1}) || got.Before.Total() != 5 {
			t.Errorf("%s: before %v, after %v", name, got.Before, got.After)
		}
	}
}

func TestDiff_EveryVisibleFieldOfAToolMovesItsDate(t *testing.T) {
	t.Parallel()
	for field, edit := range map[string]func(*Tool){
		"name":          build.Named("Autre"),
		"domain":        func(t *Tool) { t.Domain = "autre.example" },
		"category":      build.In("voix"),
		"icp":           func(t *Tool) { t.ICP = VibeCoder },
		"pricing":       func(t *Tool) { t.Pricing = Freemium },
		"price":         func(t *Tool) { t.Price = "21 €/mois" },
		"score":         build.Scored(901),
		"verifiability": func(t *Tool) { t.Verifiability = Measure{} },
		"obsolescence":  func(t *Tool) { t.Obsolescence = Measure{} },
		"tagline":       func(t *Tool) { t.Tagline = "Autre" },
		"review":        build.Reviewed("Un autre texte"),
	} {
		current := published(t)
		next := build.Edited(current, func(c *Contents) { c.Comparisons = nil; edit(c.Tools[1]) })
		current.Comparisons = nil
		got := Diff(current, next, today)
		if len(got.Tools) != 1 {
			t.Errorf("%s: %d tools changed", field, len(got.Tools))
			continue
		}
		ch := got.Tools[0]
		if ch.Slug != "b" || !ch.Visible || ch.Added() || ch.Removed() || ch.New.UpdatedAt != today || ch.Old.UpdatedAt != "2026-01-15" {
			t.Errorf("%s: %+v", field, ch)
		}
		var names []string
		for _, f := range ch.Fields {
			names = append(names, f.Name)
			if f.Old == f.New {
				t.Errorf("%s: %s is %q before and after", field, f.Name, f.Old)
			}
		}
		if !slices.Contains(names, field) {
			t.Errorf("%s: the fields named are %v", field, names)
		}
	}
}

func TestDiff_HiddenFieldsChangeTheRowButNeitherDateNorEvents(t *testing.T) {
	t.Parallel()
	for field, edit := range map[string]func(*Tool){"tier": build.Tier(2), "mainstream": build.Mainstream} {
		current := published(t)
		got := Diff(current, build.Edited(current, func(c *Contents) { edit(c.Tools[1]) }), today)
		if got.Empty() || len(got.Tools) != 1 || len(got.Comparisons) != 0 {
			t.Errorf("%s: %+v", field, got)
			continue
		}
		ch := got.Tools[0]
		if ch.Visible || ch.New.UpdatedAt != "2026-01-15" || len(ch.Fields) != 1 || ch.Fields[0].Name != field || len(got.Events()) != 0 {
			t.Errorf("%s: %+v, events %v", field, ch, got.Events())
		}
	}
}

func TestDiff_PriceHistoryNewestFirstAndOnlyOnRealChange(t *testing.T) {
	t.Parallel()
	current := published(t)
	history := slices.Clone(current.Tools[0].History)
	dearer := Diff(current, build.Edited(current, func(c *Contents) { c.Tools[0].Price = "25 €/mois" }), today).Tools[0].New
	testkit.Equal(t, "after a new price", dearer.History, append([]PriceChange{{today, Paid, "20 €/mois", Paid, "25 €/mois"}}, history...))

	model := Diff(current, build.Edited(current, func(c *Contents) { c.Tools[0].Pricing = Freemium }), today).Tools[0].New
	testkit.Equal(t, "after a new model", model.History[0], PriceChange{today, Paid, "20 €/mois", Freemium, "20 €/mois"})

	other := Diff(current, build.Edited(current, func(c *Contents) { c.Tools[0].Tagline, c.Tools[0].History = "Autre", nil }), today).Tools[0].New
	testkit.Equal(t, "after a change of something else", other.History, history)

	testkit.Equal(t, "what was published before", current.Tools[0].History, history)

	added := Diff(current, build.Edited(current, func(c *Contents) {
		c.Tools = append(c.Tools, build.Tool("neuf", func(t *Tool) { t.History, t.UpdatedAt = history, "2020-01-01" }))
	}), today).Tools[0].New
	if added.History != nil || added.UpdatedAt != today {
		t.Errorf("a new tool has history %v and date %s", added.History, added.UpdatedAt)
	}
}

func TestDiff_ComparisonFollowsTheNamesAndScoresOfItsTools(t *testing.T) {
	t.Parallel()
	for field, tt := range map[string]struct {
		edit    func(*Contents)
		updated bool
	}{
		"tool_a":       {func(c *Contents) { c.Tools[0].Name = "Autre" }, true},
		"tool_a.score": {func(c *Contents) { c.Tools[0].Score = Hundredths(1) }, true},
		"tool_b":       {func(c *Contents) { c.Tools[1].Name = "Autre" }, true},
		"tool_b.score": {func(c *Contents) { c.Tools[1].Score = Hundredths(1) }, true},
		"title":        {func(c *Contents) { c.Comparisons[0].Title = "Autre" }, true},
		"winner":       {func(c *Contents) { c.Comparisons[0].Winner = "b" }, true},
		"winner_note":  {func(c *Contents) { c.Comparisons[0].Note = "Autre" }, true},
		"canonical_url": {func(c *Contents) {
			c.Service.Site.Comparison = "https://palmares.example/duels/{slug}"
		}, true},
		"tagline":  {func(c *Contents) { c.Tools[0].Tagline = "Autre" }, false},
		"category": {func(c *Contents) { c.Tools[0].Category = "voix" }, false},
	} {
		current := published(t)
		next := build.Edited(current, tt.edit)
		if reflect.DeepEqual(next.Comparisons, current.Comparisons) {
			next.Comparisons = current.Comparisons // as of a file that was not read again
		}
		got := Diff(current, next, today)
		if !tt.updated {
			testkit.Equal(t, field+": comparisons changed", len(got.Comparisons), 0)
			continue
		}
		if len(got.Comparisons) != 1 {
			t.Errorf("%s: %d comparisons changed", field, len(got.Comparisons))
			continue
		}
		ch := got.Comparisons[0]
		named := slices.ContainsFunc(ch.Fields, func(f FieldChange) bool { return f.Name == field && f.Old != f.New })
		if !named || ch.New.UpdatedAt != today || ch.Old.UpdatedAt != "2026-01-20" || !ch.Visible {
			t.Errorf("%s: %+v", field, ch)
		}
	}
}

// Names are not unique, so it is the slug that says who wins.
func TestDiff_WinnerMovesBetweenToolsOfOneName(t *testing.T) {
	t.Parallel()
	current := build.Contents(build.Tool("a", build.Named("Duo")), build.Tool("b", build.Named("Duo")), build.Comparison("a-ou-b", "a", "b"))
	got := Diff(current, build.Edited(current, func(c *Contents) { c.Comparisons[0].Winner = "b" }), today)
	if len(got.Comparisons) != 1 || got.Comparisons[0].New.UpdatedAt != today {
		t.Fatalf("changed: %+v", got.Comparisons)
	}
	testkit.Equal(t, "fields", got.Comparisons[0].Fields, []FieldChange{{"winner", "Duo (a)", "Duo (b)"}})
}

func TestDiff_SitePatternMovesEveryItemWhoseURLIsMadeOfIt(t *testing.T) {
	t.Parallel()
	for field, tt := range map[string]struct {
		edit        func(*Site)
		tools       []string
		comparisons int
	}{
		"canonical_url":    {func(s *Site) { s.Tool = "https://x.example/{slug}" }, []string{"a", "b", "c"}, 0},
		"alternatives_url": {func(s *Site) { s.Alternatives = "https://x.example/{slug}" }, []string{"a", "b", "c"}, 0},
		"avis_url":         {func(s *Site) { s.Review = "https://x.example/{slug}" }, []string{"a"}, 0}, // the others have no review
		"comparison":       {func(s *Site) { s.Comparison = "https://x.example/{slug}" }, nil, 1},
	} {
		current := published(t)
		next := build.Edited(current, func(c *Contents) { tt.edit(&c.Service.Site) })
		for name, next := range map[string]*Contents{"deep copy": next, "same pointers": {
			Service: next.Service, Categories: next.Categories, Tools: current.Tools, Comparisons: current.Comparisons, Retired: current.Retired,
		}} {
			got := Diff(current, next, today)
			var changed []string
			for _, ch := range got.Tools {
				changed = append(changed, ch.Slug)
				if !ch.Visible || ch.New.UpdatedAt != today || len(ch.Fields) != 1 || ch.Fields[0].Name != field || ch.Fields[0].Old == ch.Fields[0].New {
					t.Errorf("%s, %s: %+v", field, name, ch)
				}
			}
			testkit.Equal(t, fmt.Sprintf("%s, %s: tools changed", field, name), changed, tt.tools)
			testkit.Equal(t, fmt.Sprintf("%s, %s: comparisons changed", field, name), len(got.Comparisons), tt.comparisons)
			if !got.ServiceChanged || got.Service != next.Service {
				t.Errorf("%s, %s: service %v, changed %t", field, name, got.Service, got.ServiceChanged)
			}
		}
	}
}

func TestDiff_ServiceNameAndCategoriesChangeNoItem(t *testing.T) {
	t.Parallel()
	current := published(t)
	got := Diff(current, build.Edited(current, func(c *Contents) { c.Service.Name = "Autre" }), today)
	if got.Empty() || !got.ServiceChanged || got.CategoriesChanged || len(got.Tools)+len(got.Comparisons)+len(got.Retired) != 0 {
		t.Errorf("a new name: %+v", got)
	}
	for name, edit := range map[string]func(*Contents){
		"label": func(c *Contents) { c.Categories[0].Label = "Autre" },
		"order": func(c *Contents) { slices.Reverse(c.Categories) },
		"fewer": func(c *Contents) { c.Categories = c.Categories[:3] },
	} {
		next := build.Edited(current, edit)
		got := Diff(current, next, today)
		if got.Empty() || got.ServiceChanged || !got.CategoriesChanged || len(got.Tools) != 0 || !reflect.DeepEqual(got.Delta(build.Edition(2)).Categories, next.Categories) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestDiff_RetiredFields(t *testing.T) {
	t.Parallel()
	for field, edit := range map[string]func(*Retired){
		"name":       func(r *Retired) { r.Name = "Autre" },
		"category":   func(r *Retired) { r.Category = "voix" },
		"reason":     func(r *Retired) { r.Reason = Pivoted },
		"retired_at": func(r *Retired) { r.RetiredAt = "2025-06-02" },
		"note":       func(r *Retired) { r.Note = "Autre" },
	} {
		current := published(t)
		got := Diff(current, build.Edited(current, func(c *Contents) { edit(c.Retired[0]) }), today)
		if len(got.Retired) != 1 || len(got.Retired[0].Fields) != 1 || got.Retired[0].Fields[0].Name != field || got.Retired[0].Slug != "z" {
			t.Errorf("%s: %+v", field, got.Retired)
		}
	}
}

func TestDiff_DraftsAreHeldBack(t *testing.T) {
	t.Parallel()
	current := published(t)
	draft := func(x *Comparison) { x.Draft = true }
	next := build.Edited(current, func(c *Contents) {
		c.Comparisons = append(c.Comparisons, build.Comparison("b-ou-a", "b", "a", draft))
		draft(c.Comparisons[0])
	})
	listed := slices.Clone(next.Comparisons)
	got := Diff(current, next, today)
	testkit.Equal(t, "the files, after Diff", next.Comparisons, listed)
	testkit.Equal(t, "drafts", got.Drafts, 2)
	testkit.Equal(t, "after", got.After, Counts{3, 0, 1})
	if len(got.Comparisons) != 1 || !got.Comparisons[0].Removed() || got.Comparisons[0].Slug != "a-ou-b" {
		t.Errorf("a comparison made a draft again: %+v", got.Comparisons)
	}
	testkit.Equal(t, "gone", got.Delta(build.Edition(2)).GoneComparisons, []string{"a-ou-b"})
}

func TestDiff_EnteringTheEmbeddingsSetChangesTheRowOfAnUntouchedTool(t *testing.T) {
	t.Parallel()
	var items []any
	for i := range EmbeddingsSize + 1 {
		items = append(items, build.Tool(fmt.Sprintf("t-%03d", i), build.Tier(1), build.Reviewed("Texte"), func(t *Tool) { t.Embedded = i < EmbeddingsSize }))
	}
	current := build.Contents(items...)
	if !Diff(current, current, today).Empty() {
		t.Fatal("the fixture is not a published state")
	}
	// The file of t-300 is not even read again: the pointer is the published one.
	next := build.Contents(items[1:]...)
	got := Diff(current, next, today)
	testkit.Equal(t, "tools changed", len(got.Tools), 2)
	in := got.Tools[1]
	if in.Slug != "t-300" || !in.New.Embedded || in.Old.Embedded || in.Visible || in.New.UpdatedAt != "2026-01-15" {
		t.Errorf("the tool that enters: %+v", in)
	}
	testkit.Equal(t, "its fields", in.Fields, []FieldChange{{"embeddings", "false", "true"}})
}
