package catalog_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/palmares-hq/palmares/internal/catalog"
	build "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// The rank of a tool is how many have a higher score, and one: tools of one score share it.
func TestRank_CountsHigherScores(t *testing.T) {
	t.Parallel()
	shared := Empty().Apply(build.Whole(build.Contents(
		build.Tool("a", build.Scored(900)), build.Tool("b", build.Scored(900)), build.Tool("c", build.Scored(899)),
		build.Tool("d", build.Scored(900), build.In("image")),
	), build.Edition(1)))
	for slug, want := range map[string]Rank{"a": {1, 1}, "b": {1, 1}, "c": {4, 3}, "d": {1, 1}} {
		rank, _ := shared.Rank(slug)
		testkit.Equal(t, "rank of "+slug, rank, want)
	}
	s := Empty().Apply(build.Whole(build.NewWorld(21, 120).Published(), build.Edition(1)))
	ranked := 0
	higher := func(x *Tool, category string) (n int) {
		for _, other := range s.Tools(ToolQuery{Paging: all, Categories: of(category)}).Items {
			if other.Score.Known && other.Score.Hundredths > x.Score.Hundredths {
				n++
			}
		}
		return n
	}
	for _, x := range s.Tools(ToolQuery{Paging: all}).Items {
		rank, ok := s.Rank(x.Slug)
		if !x.Score.Known {
			testkit.Equal(t, x.Slug+", which has no score", ok, false)
			continue
		}
		ranked++
		testkit.Equal(t, "rank of "+x.Slug, rank, Rank{higher(x, "") + 1, higher(x, x.Category) + 1})
	}
	if ranked < 50 {
		t.Errorf("only %d tools have a rank", ranked)
	}
}

// The rule in examples: each line is an alternative to a tool of 7.00 at 20 €/mois for everybody,
// closest first.
func TestAlternatives_InExamples(t *testing.T) {
	t.Parallel()
	candidate := func(slug string, score int, price string, profile ICP) *Tool {
		return build.Tool(slug, build.Scored(score), build.Priced(Paid, price), func(t *Tool) { t.ICP = profile })
	}
	want := []*Tool{
		candidate("jumeau", 700, "240 €/an", Mixed),         // 0
		candidate("mieux", 710, "20 €/mois", Mixed),         // 10, and a higher score than the next
		candidate("moins-bien-a", 690, "20 €/mois", Mixed),  // 10
		candidate("moins-bien-b", 690, "20 €/mois", Mixed),  // 10
		candidate("a-profil", 700, "20 €/mois", VibeCoder),  // 50
		candidate("a-moitie-prix", 700, "10 €/mois", Mixed), // 100
		candidate("a-siege", 700, "20 €/siège", Mixed),      // 100
		candidate("a-cent-fois", 700, "2000 €/mois", Mixed), // 198
		candidate("a-gratuit", 700, "0 €/mois", Mixed),      // 200
		candidate("loin", 1000, "20 €/mois", Mixed),         // 300
		build.Tool("a-sans-note", build.Unscored),           // further than any score
		build.Tool("b-sans-note", build.Unscored, func(t *Tool) { t.ICP = VibeCoder }),
	}
	slices.SortFunc(want[5:7], func(a, b *Tool) int { return cmp.Compare(a.Slug, b.Slug) })
	items := []any{
		build.Tool("outil"), build.Tool("ailleurs", build.In("image")), build.Retired("mort"),
		build.Tool("c-sans-note", build.Unscored, build.Priced(Free, "0 €/mois")), // one too many
		build.Tool("a-trop-bas", build.Scored(599)),                               // 101, and not good enough
	}
	for _, x := range want {
		items = append(items, x)
	}
	testkit.Equal(t, "alternatives", toolSlugs(build.Snapshot(items...).Alternatives("outil")), toolSlugs(want))

	few := build.Snapshot(
		build.Retired("mort"), build.Tool("a", build.Unscored), build.Tool("b", build.Scored(599)), build.Tool("c", build.Scored(600)),
		build.Tool("d", build.Scored(900)), build.Tool("e", build.Scored(100)), build.Tool("f", build.Scored(650)))
	for slug, want := range map[string][]string{
		"mort": {"d", "f", "c", "a"}, "e": {"c", "f", "d", "a"}, "b": {"c", "f", "d", "a"}, "c": {"f", "d", "a"}, "a": {"d", "f", "c"}, "personne": nil,
	} {
		testkit.Equal(t, "instead of "+slug+", the low ones left out", strings.Join(toolSlugs(few.Alternatives(slug)), " "), strings.Join(want, " "))
	}

	different := build.Snapshot(
		candidate("a", 740, "20 €/mois", VibeCoder), candidate("b", 740, "20 €/mois", AgenticEngineer),
		candidate("c", 600, "20 €/mois", VibeCoder), candidate("d", 900, "20 €/mois", VibeCoder))
	testkit.Equal(t, "another profile counts 150", toolSlugs(different.Alternatives("a")), []string{"c", "b", "d"})
	unscored := build.Snapshot(build.Tool("a", build.Unscored), build.Tool("b", build.Scored(610)), build.Tool("c", build.Scored(900)))
	testkit.Equal(t, "without a score, the best first", toolSlugs(unscored.Alternatives("a")), []string{"c", "b"})
	testkit.Equal(t, "alone", toolSlugs(build.Snapshot(build.Tool("a")).Alternatives("a")), []string{})
}

// The walk through the list finds what comparing with every tool of the category finds.
func TestAlternatives_AgreeWithTheNaiveReference(t *testing.T) {
	t.Parallel()
	distance := func(a, b *Tool) float64 {
		from := 1000.0
		if a.Score.Known {
			from = float64(a.Score.Hundredths)
		}
		d := math.Abs(from - float64(b.Score.Hundredths))
		if !b.Score.Known {
			d = 2000
		}
		p, _ := ParsePrice(a.Price)
		q, _ := ParsePrice(b.Price)
		p, q = p.Yearly(), q.Yearly()
		switch low, high := float64(min(p.Cents, q.Cents)), float64(max(p.Cents, q.Cents)); {
		case high == 0:
		case low == 0:
			d += 200
		case p.Period != q.Period:
			d += 100
		default:
			d += math.Floor(200 * (high - low) / high)
		}
		switch {
		case a.ICP == b.ICP:
		case a.ICP == Mixed || b.ICP == Mixed:
			d += 50
		default:
			d += 150
		}
		return d
	}
	for name, c := range map[string]*Contents{"world": build.NewWorld(22, 150).Published(), "generated": build.Generated(500)} {
		s := Empty().Apply(build.Whole(c, build.Edition(1)))
		for _, x := range c.Tools {
			var others []*Tool
			for _, y := range c.Tools {
				if y != x && y.Category == x.Category && (!y.Score.Known || y.Score.Hundredths >= 600) {
					others = append(others, y)
				}
			}
			slices.SortFunc(others, func(a, b *Tool) int {
				return cmp.Or(cmp.Compare(distance(x, a), distance(x, b)),
					cmp.Compare(b.Score.Hundredths, a.Score.Hundredths), cmp.Compare(a.Slug, b.Slug))
			})
			want := toolSlugs(others[:min(len(others), MaxAlternatives)])
			testkit.Equal(t, fmt.Sprint(name, ": ", x.Slug), toolSlugs(s.Alternatives(x.Slug)), want)
		}
	}
}
