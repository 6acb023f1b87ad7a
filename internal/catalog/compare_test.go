package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/palmares-hq/palmares/internal/catalog"
	build "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Each field that is compared differs if and only if its values do, and null is a value; all others never do.
func TestCompare_Differ(t *testing.T) {
	t.Parallel()
	alike := func(t *Tool) { t.Category, t.Name, t.Tagline = "code", "Autre "+t.Slug, "Autre chose que "+t.Slug }
	for name, c := range map[string]struct {
		a, b any
		want string
	}{
		"alike":            {build.Tool("a", alike), build.Tool("b", alike), ""},
		"category":         {build.Tool("a"), build.Tool("b", build.In("image")), "category"},
		"icp":              {build.Tool("a"), build.Tool("b", func(t *Tool) { t.ICP = VibeCoder }), "icp"},
		"pricing":          {build.Tool("a"), build.Tool("b", func(t *Tool) { t.Pricing = Freemium }), "pricing"},
		"price":            {build.Tool("a"), build.Tool("b", func(t *Tool) { t.Price = "240 €/an" }), "price"},
		"score":            {build.Tool("a"), build.Tool("b", build.Scored(701)), "score"},
		"no score":         {build.Tool("a", build.Unscored), build.Tool("b", build.Unscored), ""},
		"one score":        {build.Tool("a"), build.Tool("b", build.Unscored), "score"},
		"verifiability":    {build.Tool("a"), build.Tool("b", func(t *Tool) { t.Verifiability = Hundredths(123) }), "verifiability"},
		"end":              {build.Tool("a"), build.Tool("b", ending("2027-03-31", "a")), "ends_at"},
		"retired":          {build.Tool("a"), build.Retired("b"), "icp pricing price score verifiability retired_at"},
		"retired unscored": {build.Tool("a", build.Unscored, func(t *Tool) { t.Verifiability = Measure{} }), build.Retired("b"), "icp pricing price retired_at"},
		"both retired":     {build.Retired("a"), build.Retired("b"), ""},
		"retired, days":    {build.Retired("a"), build.Retired("b", func(r *Retired) { r.RetiredAt = "2025-06-02" }), "retired_at"},
	} {
		got := build.Snapshot(c.a, c.b).Compare([]string{"b", "a"})
		testkit.Equal(t, name, strings.Join(got.Differ, " "), c.want)
		testkit.Equal(t, "the order of "+name, fmt.Sprint(got.Tools[0].Slug(), got.Tools[1].Slug()), "ba")
	}
}

// The comparisons are those of two of the tools, each once, the newest first.
func TestCompare_Comparisons(t *testing.T) {
	t.Parallel()
	on := func(day Date) func(*Comparison) { return func(c *Comparison) { c.UpdatedAt = day } }
	s := build.Snapshot(build.Tool("a"), build.Tool("b"), build.Tool("c"), build.Tool("d"), build.Retired("feu"),
		build.Comparison("a-ou-b", "a", "b", on("2026-01-01")), build.Comparison("c-ou-a", "c", "a", on("2026-02-01")),
		build.Comparison("b-ou-a", "b", "a", on("2026-01-01")), build.Comparison("c-ou-d", "c", "d"))
	for slugs, want := range map[string]string{
		"a b":     "a-ou-b b-ou-a",
		"b a c":   "c-ou-a a-ou-b b-ou-a",
		"b d":     "",
		"a feu":   "",
		"a b c d": "c-ou-a c-ou-d a-ou-b b-ou-a",
	} {
		var found []string
		for _, m := range s.Compare(strings.Fields(slugs)).Comparisons {
			found = append(found, m.Slug)
		}
		testkit.Equal(t, slugs, strings.Join(found, " "), want)
	}
}

func TestPrice_Monthly(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"20 €/mois": "2000 true", "19,99 €/mois": "1999 true", "240 €/an": "2000 true", "199,90 €/an": "1666 true", "0,06 €/an": "1 true",
		"0,05 €/an": "0 true", "0 €/siège": "0 true", "3 €/siège": "3 false", "9999999 €/mois": "999999900 true",
	} {
		p, ok := ParsePrice(text)
		testkit.Equal(t, text, ok, true)
		cents, ok := p.Monthly()
		if !ok && want == "3 false" {
			continue // how much it is means nothing
		}
		testkit.Equal(t, text, fmt.Sprint(cents, ok), want)
	}
}

// What somebody may mean: what the text names, then what its words find, retired tools among it.
func TestMayMean(t *testing.T) {
	t.Parallel()
	s := build.Snapshot(build.Tool("a", build.Named("Rabot")), build.Tool("b", build.Named("Rabot")), build.Tool("rabotine", build.Named("Rabotine")),
		gone("vieux", "Rabot vieux", ""))
	for text, want := range map[string]string{
		"Rabot": "a b", "rabotine": "rabotine", "rabo": "a b rabotine vieux", "vieux": "vieux", "xyz": "", "": "", "\xff": "",
	} {
		testkit.Equal(t, text, strings.Join(s.MayMean(text), " "), want)
	}
}
