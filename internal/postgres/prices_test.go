package postgres_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
)

func TestThePriceHistoryHoldsRealChangesOnly(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var editions []catalog.Edition
	for _, next := range []*catalog.Contents{
		contents(tool("a", priced(catalog.Paid, "10 €/mois"))),
		contents(tool("a", priced(catalog.Paid, "10 €/mois"), tagline("Autre"))), // not a price
		contents(tool("a", priced(catalog.Paid, "20 €/mois"), tagline("Autre"))), // day 3
		{Service: service(), Retired: []*catalog.Retired{grave("a", catalog.Dead)}},
		contents(tool("a", priced(catalog.Paid, "20 €/mois"))),     // comes back
		contents(tool("a", priced(catalog.Freemium, "20 €/mois"))), // day 6: the model alone
		contents(tool("a", priced(catalog.Paid, "10 €/mois"))),     // day 7: back to the first price
		contents(tool("a", priced(catalog.Paid, "10 €/mois"), scored(700))),
	} {
		editions = append(editions, b.publish(next))
		b.nextDay()
	}
	want := []catalog.PriceChange{
		{ChangedAt: "2026-03-07", OldPricing: "freemium", OldPrice: "20 €/mois", NewPricing: "payant", NewPrice: "10 €/mois"},
		{ChangedAt: "2026-03-06", OldPricing: "payant", OldPrice: "20 €/mois", NewPricing: "freemium", NewPrice: "20 €/mois"},
		{ChangedAt: "2026-03-03", OldPricing: "payant", OldPrice: "10 €/mois", NewPricing: "payant", NewPrice: "20 €/mois"},
	}
	wantSame(t, "the history", findTool(t, b.whole(), "a").History, want)
	// A delta carries the item whole, so also what happened before it.
	wantSame(t, "the history in a delta", findTool(t, b.since(editions[6]), "a").History, want)
}

func TestAHistoryBelongsToItsTool(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.publish(contents(tool("a"), tool("ab"), tool("b")))
	b.nextDay()
	b.publish(contents(tool("a", priced(catalog.Paid, "1 €/mois")), tool("ab"), tool("b", priced(catalog.Paid, "2 €/mois"))))
	d := b.whole()
	wantEqual(t, "a", findTool(t, d, "a").History[0].NewPrice, "1 €/mois")
	wantEqual(t, "ab", len(findTool(t, d, "ab").History), 0)
	wantEqual(t, "b", findTool(t, d, "b").History[0].NewPrice, "2 €/mois")
}
