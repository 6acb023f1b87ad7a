package content

import (
	"cmp"

	"github.com/palmares-hq/palmares/internal/catalog"
)

const nextPriceExample = "price: 24 €/mois, from: 2027-01-01, source: https://lumen.example/tarifs"

var nextPriceKeys = []key{
	{name: "price", example: "price: 24 €/mois"},
	{name: "pricing", example: "pricing: payant", optional: true},
	{name: "from", example: "from: 2027-01-01"},
	{name: "source", example: "source: https://lumen.example/tarifs"},
}

// since reads the day on which the price began, which must not be in the future.
func (o object) since() catalog.Date {
	since := o.date("since")
	if o.latest != "" && since > o.latest {
		f, _ := o.get("since")
		o.fault(f.value.pos, "since %s is in the future: write the day on which the price changed, or announce it with price_next", since)
	}
	return since
}

// nextPrice reads the announced price of a tool, whose present price is known. Without a pricing it keeps the present one.
func (o object) nextPrice(t *catalog.Tool) catalog.NextPrice {
	f, ok := o.get("price_next")
	if !ok {
		return catalog.NextPrice{}
	}
	g := o.object(f.value, f.pos, "price_next", nextPriceKeys)
	next := catalog.NextPrice{Pricing: t.Pricing, From: g.date("from"), Source: g.address("source")}
	if _, said := g.get("pricing"); said {
		next.Pricing = enum(g, "pricing", catalog.Pricings())
	}
	next.Price = g.price(cmp.Or(next.Pricing, t.Pricing))
	if next.Price != "" && next.Price == t.Price && next.Pricing == t.Pricing {
		o.fault(f.pos, "price_next is the price of today: remove it, or write the price to come")
	}
	return next
}
