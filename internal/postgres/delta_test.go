package postgres_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// shape is a delta without the items' contents.
type shape struct {
	From, To                                int64
	Tools, Comparisons, Retired             []string
	GoneTools, GoneComparisons, GoneRetired []string
}

func shapeOf(d catalog.Delta) shape {
	return shape{
		From: d.From, To: d.Edition.Number,
		Tools:           toolSlugs(d),
		Comparisons:     slugs(d.Comparisons, func(x *catalog.Comparison) string { return x.Slug }),
		Retired:         slugs(d.Retired, func(x *catalog.Retired) string { return x.Slug }),
		GoneTools:       append([]string{}, d.GoneTools...),
		GoneComparisons: append([]string{}, d.GoneComparisons...),
		GoneRetired:     append([]string{}, d.GoneRetired...),
	}
}

func TestADeltaHoldsWhatChangedAfterItsEdition(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	none := []string{}

	first := contents(tool("a", scored(500)), tool("b", scored(600)), tool("c"), tool("d"))
	first.Comparisons = []*catalog.Comparison{versus("a-ou-b", "a", "b")}
	first.Retired = []*catalog.Retired{grave("vieux", catalog.Dead)}
	e1 := b.publish(first)

	// c changes, d is retired, the comparison is withdrawn, the old grave vanishes.
	b.nextDay()
	second := contents(tool("a", scored(500)), tool("b", scored(600)), tool("c", tagline("Autre")))
	second.Retired = []*catalog.Retired{grave("d", catalog.Acquired)}
	e2 := b.publish(second)

	// All of it comes back.
	b.nextDay()
	third := contents(tool("a", scored(500)), tool("b", scored(600)), tool("c", tagline("Autre")), tool("d"))
	third.Comparisons = []*catalog.Comparison{versus("a-ou-b", "a", "b")}
	third.Retired = []*catalog.Retired{grave("vieux", catalog.Dead)}
	e3 := b.publish(third)

	// Only the labels of the categories.
	b.nextDay()
	fourth := contents(third.Tools...)
	fourth.Comparisons, fourth.Retired = third.Comparisons, third.Retired
	fourth.Categories[0].Label = "La voix"
	e4 := b.publish(fourth)

	for _, c := range []struct {
		name string
		from catalog.Edition
		want shape
	}{
		{"from the first", e1, shape{1, 4, []string{"c", "d"}, []string{"a-ou-b"}, []string{"vieux"}, none, none, []string{"d"}}},
		{"from the second", e2, shape{2, 4, []string{"d"}, []string{"a-ou-b"}, []string{"vieux"}, none, none, []string{"d"}}},
		{"from the third", e3, shape{3, 4, none, none, none, none, none, none}},
		{"from the last", e4, shape{4, 4, none, none, none, none, none, none}},
		{"from nothing", catalog.Edition{}, shape{0, 4, []string{"a", "b", "c", "d"}, []string{"a-ou-b"}, []string{"vieux"}, none, none, none}},
	} {
		d := b.since(c.from)
		wantSame(t, c.name, shapeOf(d), c.want)
		wantEqual(t, "the label", d.Categories[0].Label, "La voix")
	}

	// The tombstones as they were at the second edition: take the last two back.
	b.nextDay()
	b.publish(second)
	wantSame(t, "what went again", shapeOf(b.since(e4)),
		shape{4, 5, none, none, []string{"d"}, []string{"d"}, []string{"a-ou-b"}, []string{"vieux"}})
	wantSame(t, "and from before it came back", shapeOf(b.since(e2)),
		shape{2, 5, none, none, []string{"d"}, []string{"d"}, []string{"a-ou-b"}, []string{"vieux"}})
}

func TestAnEditionOfAnotherDatabaseMeansFromNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	e1 := b.publish(contents(tool("a")))
	b.nextDay()
	e2 := b.publish(contents(tool("a"), tool("b")))

	stranger := "7b0e5a62-0d5c-4d4e-9a3b-0f5a2f0c9d11"
	for name, e := range map[string]catalog.Edition{
		"same number, other id":       {Number: e1.Number, ID: stranger},
		"known id under other number": {Number: e2.Number, ID: e1.ID},
		"a number to come":            {Number: 99, ID: stranger},
		"an id that is no UUID":       {Number: e1.Number, ID: "x"},
		"no id":                       {Number: e1.Number},
	} {
		d := b.since(e)
		wantEqual(t, name+": From", d.From, 0)
		wantSame(t, name+": tools", toolSlugs(d), []string{"a", "b"})
	}
}
