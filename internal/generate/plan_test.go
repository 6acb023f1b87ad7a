package generate

import (
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/palmares-hq/palmares/internal/catalog"
)

func TestFactsArePlausible(t *testing.T) {
	t.Parallel()
	const n = 20_000
	p, err := newPlan(Options{Tools: n, Comparisons: Default, Retired: Default, Seed: 9})
	if err != nil {
		t.Fatal(err)
	}
	var unscored, mainstream, mean, decimals int
	tiers, pricings, byCategory := map[int]int{}, map[catalog.Pricing]int{}, map[string]int{}
	for _, tool := range p.tools {
		tiers[tool.Tier]++
		pricings[tool.Pricing]++
		byCategory[tool.Category]++
		if tool.Mainstream {
			mainstream++
		}
		if !tool.Score.Known {
			unscored++
			continue
		}
		mean += int(tool.Score.Hundredths)
		if tool.Score.Hundredths%10 != 0 {
			decimals++
		}
		if free := strings.HasPrefix(tool.Price, "0 "); free != (tool.Pricing == catalog.Free) {
			t.Errorf("%s: %s at %s", tool.Slug, tool.Pricing, tool.Price)
		}
	}
	share := func(what string, got, low, high int) {
		t.Helper()
		if got < low || got > high {
			t.Errorf("%s: %d, want %d to %d", what, got, low, high)
		}
	}
	share("unscored", unscored, n*11/100, n*13/100)
	share("mainstream", mainstream, n*14/100, n*16/100)
	share("mean score in hundredths", mean/(n-unscored), 670, 690)
	share("scores of two decimals", decimals, n*7/100, n*10/100)
	share("tier 1", tiers[1], n/1000, n/1000)
	share("tier 2", tiers[2], n*9/100, n*11/100)
	share("free", pricings[catalog.Free], n*18/100, n*22/100)
	share("paid", pricings[catalog.Paid], n*28/100, n*32/100)
	share("categories", len(byCategory), 12, 12)
	within := 0
	for _, c := range p.comparisons {
		if c.a.Category == c.b.Category {
			within++
		}
	}
	share("comparisons within a category", within, len(p.comparisons)*85/100, len(p.comparisons)*95/100)
}

func TestReviewsHaveThePromisedSize(t *testing.T) {
	t.Parallel()
	s := newSpeaker()
	total, n := 0, 2000
	for i := range n {
		s.begin(newRand(1, toolText, i), categories[i%len(categories)])
		s.know("outil", "Kelmari")
		s.know("domaine", "kelmari.example")
		s.review(catalog.Hundredths(300+i%600), catalog.Pricings()[i%3])
		text := string(s.buf)
		total += len(text)
		if headings := strings.Count(text, "\n## "); headings < 3 || headings > 6 {
			t.Errorf("review %d has %d headings", i, headings)
		}
		if len(text) < 1300 || len(text) > 3300 {
			t.Errorf("review %d has %d bytes", i, len(text))
		}
	}
	if mean := total / n; mean < 1800 || mean > 2600 {
		t.Errorf("a review has %d bytes on average", mean)
	}
}

func TestNamesNeverRunOut(t *testing.T) {
	t.Parallel()
	n := &namer{rng: newRand(1, toolNames, 0), taken: map[string]bool{}}
	c := categories[0]
	c.nameWords = []string{"Code"}
	for range 300_000 {
		if _, slug := n.name(c); !catalog.ValidSlug(slug) || strings.Contains(slug, versus) {
			t.Fatalf("%q is not a slug", slug)
		}
	}
}

func TestSlugify(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Élodia":            "elodia",
		"Çalrêve.ia":        "calreve-ia",
		"Kelbri & Noréline": "kelbri-noreline",
		" L'Atelier  Zé ! ": "l-atelier-ze",
	} {
		if got := slugify(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestScalarIsReadBackAsText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Élodia", "Kelbri & Noréline", "Alréra ou Voltribois : lequel choisir ?", "20 €/mois", "null", "Yes", "on", "3.14",
		"L'éditeur, dit-on", "- tiret", "#dièse", "a # b", `des "guillemets"`, `C:\dossier`, "fin ", "2024-01-01", "[a, b]", "",
		"https://palmares.example/{slug}", "~", "100 %", "x: y", "*gras*", "y", "0x1F", "infini",
	} {
		var got map[string]any
		if err := yaml.Unmarshal([]byte("key: "+scalar(text)+"\n"), &got); err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got["key"] != text {
			t.Errorf("%q is read back as %#v", text, got["key"])
		}
	}
}
