package catalog

import (
	"fmt"
	"slices"
	"testing"
)

func TestOverdue(t *testing.T) {
	t.Parallel()
	at := func(day Date) Fact { return Fact{Source: "https://source.example/", Checked: day} }
	c := &Contents{
		Tools: []*Tool{
			{Slug: "zeste", Tier: 1, Price: "20 €/mois", Domain: "zeste.example", Facts: ToolFacts{Price: at("2026-01-02"), Domain: at("2026-01-01")}},
			{Slug: "abri", Tier: 2, Price: "20 €/mois", Domain: "abri.example", Facts: ToolFacts{Price: at("2025-01-01")}},
			{Slug: "beige", Tier: 2, Price: "20 €/mois", Domain: "beige.example", Facts: ToolFacts{Price: at("2025-01-01"), Domain: at("2025-01-01")}},
			{Slug: "neuf", Tier: 1, Price: "20 €/mois", Domain: "neuf.example", Facts: ToolFacts{Price: at("2026-03-11"), Domain: at("2026-03-12")}},
		},
		Retired: []*Retired{{Slug: "ancien", RetiredAt: "2020-01-01", Facts: RetiredFacts{RetiredAt: at("2020-01-02")}}},
	}
	facts := c.Facts()
	if len(facts) != 9 || facts[0].Slug != "abri" || facts[2].Slug != "ancien" { // no tool has a score
		t.Errorf("%d facts: %v", len(facts), facts)
	}
	var got []string
	for _, f := range Overdue(facts, "2026-06-10", 90) { // 90 days after 2026-03-12
		got = append(got, fmt.Sprintf("%s %s %d", f.Slug, f.Field, f.Age("2026-06-10")))
	}
	want := []string{
		"zeste domain 160", "zeste price 159", "neuf price 91", "abri price 525", "beige price 525", "beige domain 525",
		"ancien retired_at 2351",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
