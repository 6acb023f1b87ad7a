package mcp

import (
	"github.com/palmares-hq/palmares/internal/catalog"
)

// A PriceChange is one change of a price.
type PriceChange struct {
	ChangedAt  string `json:"changed_at"`
	OldPricing string `json:"old_pricing"`
	OldPrice   text   `json:"old_price"`
	NewPricing string `json:"new_pricing"`
	NewPrice   text   `json:"new_price"`
}

// A PriceAnswer is the price of a tool over time.
type PriceAnswer struct {
	Origin
	Slug         string        `json:"slug"`
	Name         text          `json:"name"`
	Pricing      string        `json:"pricing" jsonschema:"current pricing model"`
	Price        text          `json:"price" jsonschema:"current price"`
	PriceChecked *string       `json:"price_checked" jsonschema:"day on which the price was last compared with its source"`
	Total        int           `json:"total" jsonschema:"number of changes there were"`
	History      []PriceChange `json:"history" jsonschema:"the newest 20 changes, the newest first"`
}

func priceHistory(c *call, a SlugArguments) (PriceAnswer, error) {
	t, err := c.living(a.Slug)
	if err != nil {
		return PriceAnswer{}, err
	}
	answer := PriceAnswer{
		Origin: c.origin("/api/v1/pricing/" + t.Slug), Slug: t.Slug, Name: text(t.Name), Pricing: string(t.Pricing), Price: text(t.Price),
		PriceChecked: day(t.Facts.Price.Checked), Total: len(t.History), History: []PriceChange{},
	}
	for _, h := range t.History[:min(len(t.History), maxRows)] {
		answer.History = append(answer.History, priceChange(h))
	}
	return answer, nil
}

func priceChange(h catalog.PriceChange) PriceChange {
	return PriceChange{string(h.ChangedAt), string(h.OldPricing), text(h.OldPrice), string(h.NewPricing), text(h.NewPrice)}
}
