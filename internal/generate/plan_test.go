package generate

import (
	"regexp"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func planned(t *testing.T, o Options) *plan {
	t.Helper()
	p, err := newPlan(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFactsArePlausible(t *testing.T) {
	t.Parallel()
	const n = 20_000
	p := planned(t, Options{Tools: n, Comparisons: Default, Retired: Default, Seed: 9})
	var unscored, mainstream, mean, decimals int
	tiers, pricings, byCategory := map[int]int{}, map[catalog.Pricing]int{}, map[string]int{}
	category, score := map[string]string{}, map[string]catalog.Measure{}
	for _, tool := range p.Tools {
		category[tool.Slug], score[tool.Slug] = tool.Category, tool.Score
		tiers[tool.Tier]++
		pricings[tool.Pricing]++
		byCategory[tool.Category]++
		if tool.Mainstream {
			mainstream++
		}
		if free := strings.HasPrefix(tool.Price, "0 "); free != (tool.Pricing == catalog.Free) {
			t.Errorf("%s: %s at %s", tool.Slug, tool.Pricing, tool.Price)
		}
		if !tool.Score.Known {
			unscored++
			continue
		}
		mean += int(tool.Score.Hundredths)
		if tool.Score.Hundredths%10 != 0 {
			decimals++
		}
	}
	share := func(what string, got, low, high int) {
		t.Helper()
		if got < low || got > high {
			t.Errorf("%s: %d, want %d to %d", what, got, low, high)
		}
	}
	share("unscored", unscored, n*11/100, n*13/100)
	share("reviewed of the scored", p.sum.Reviewed, p.sum.Scored*91/100, p.sum.Scored*93/100)
	share("mainstream", mainstream, n*14/100, n*16/100)
	share("mean score in hundredths", mean/(n-unscored), 670, 690)
	share("scores of two decimals", decimals, n*7/100, n*10/100)
	share("tier 1", tiers[1], n/1000, n/1000)
	share("tier 2", tiers[2], n*9/100, n*11/100)
	share("free", pricings[catalog.Free], n*18/100, n*22/100)
	share("paid", pricings[catalog.Paid], n*28/100, n*32/100)
	share("categories", len(byCategory), 12, 12)
	share("the largest category", byCategory["code"], n*19/100, n*21/100)
	share("the smallest category", byCategory["musique"], n/200, n*3/200)
	share("drafts", p.sum.Drafts, len(p.Comparisons)*2/100, len(p.Comparisons)*4/100)
	within := 0
	for _, c := range p.Comparisons {
		if category[c.ToolA] == category[c.ToolB] {
			within++
		}
		if loser := strings.Replace(c.ToolA+c.ToolB, c.Winner, "", 1); score[c.Winner].Hundredths <= score[loser].Hundredths {
			t.Errorf("%s: %s wins without the higher score", c.Slug, c.Winner)
		}
	}
	share("comparisons within a category", within, len(p.Comparisons)*85/100, len(p.Comparisons)*95/100)
}

// Reviews have the promised size, and the same shape in both languages.
func TestReviewsHaveThePromisedSize(t *testing.T) {
	t.Parallel()
	total, n := 0, 2000
	for i := range n {
		r := review(newRand(1, i), &catalog.Tool{
			Name: "Kelmari", Domain: "kelmari.example", Category: categories[i%len(categories)], Score: catalog.Hundredths(300 + i%700),
		})
		total += len(r.french)
		if headings := strings.Count(r.french, "\n## "); headings < 3 || headings > 6 {
			t.Errorf("review %d has %d headings", i, headings)
		}
		if len(r.french) < 1300 || len(r.french) > 3300 {
			t.Errorf("review %d has %d bytes", i, len(r.french))
		}
		for _, mark := range []string{"\n\n", "\n## ", "\n- "} {
			if strings.Count(r.french, mark) != strings.Count(r.english, mark) {
				t.Errorf("review %d is not of one shape in both languages: %q", i, mark)
			}
		}
	}
	if mean := total / n; mean < 1800 || mean > 2600 {
		t.Errorf("a review has %d bytes on average", mean)
	}
}

func TestNamesNeverRunOut(t *testing.T) {
	t.Parallel()
	if testkit.Raced {
		t.Skip("it computes and shares nothing")
	}
	p := &plan{rng: newRand(1, 0), taken: map[string]bool{}}
	for range 300_000 {
		if _, slug := p.newName(); !catalog.ValidSlug(slug+"-vs-"+slug) || strings.Contains(slug, "-vs-") {
			t.Fatalf("%q is not a slug, or too long for two of them", slug)
		}
	}
}

// Every slot of every phrase can be filled, in both languages, and the slots of one are those of the other.
func TestEverySlotCanBeFilled(t *testing.T) {
	t.Parallel()
	facts := map[string]string{}
	for _, known := range []string{"tool", "domain", "a", "b", "winner", "loser", "heir"} {
		facts[known] = "Élodia"
	}
	for _, c := range categories {
		s := newSpeaker(newRand(1, 0), c, facts)
		for key, list := range phrasesByKey {
			for range list { // each once: none is repeated before all are said
				if said := s.phrase(key); said.french == "" || said.english == "" || strings.ContainsAny(said.french+said.english, "{}") {
					t.Errorf("%s: %s: %q, %q", c, key, said.french, said.english)
				}
			}
		}
	}
}

func TestSpeakerDoesNotRepeat(t *testing.T) {
	t.Parallel()
	s, seen := newSpeaker(newRand(1, 0), "code", nil), map[string]bool{}
	for range phrasesByKey["strength"] {
		seen[s.deal("strength").french] = true
	}
	if len(seen) != len(phrasesByKey["strength"]) {
		t.Errorf("%d strengths of %d", len(seen), len(phrasesByKey["strength"]))
	}
}

// French phrases have no slot where what fills it would be contracted or elided.
func TestSlotsStandAfterNothingThatContracts(t *testing.T) {
	t.Parallel()
	for _, p := range phrases {
		if contracts.MatchString(p.french) {
			t.Errorf("%s: %q", p.key, p.french)
		}
	}
}

var contracts = regexp.MustCompile(`\b(de|que|le|du|au|si|lorsque) \{[a-z]|à \{(people|link|strength|fault|time)`)
