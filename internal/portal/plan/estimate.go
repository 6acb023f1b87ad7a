package plan

import (
	"cmp"
	"slices"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/portal/page"
)

// A countryOption is a country in the list. None is guessed.
type countryOption struct {
	Code, Name string
	Selected   bool
}

// A price is what a month of Pro costs, in words.
type price struct {
	Net, Tax, Total string
	Label           string // of the tax, with its rate
	Why             string // that tax
}

// countries are the options, by their names in the language of the page.
func countries(r *page.Request, selected string) (options []countryOption) {
	for _, code := range billing.Countries() {
		options = append(options, countryOption{code, r.Text.Must("country." + code), code == selected})
	}
	slices.SortFunc(options, func(a, b countryOption) int { return cmp.Compare(a.Name, b.Name) })
	elsewhere := countryOption{billing.Elsewhere, r.Text.Must("country." + billing.Elsewhere), selected == billing.Elsewhere}
	return append(options, elsewhere)
}

// newPrice says what a month costs, and why.
func (p *Pages) newPrice(r *page.Request, v billing.VAT) *price {
	shown := &price{
		Net: r.Text.Euros(v.Net), Tax: r.Text.Euros(v.Tax), Total: r.Text.Euros(v.Total),
		Label: r.Text.Must("pay.vat.rate", r.Text.Rate(v.Rate)),
	}
	switch {
	case v.Outside:
		shown.Label, shown.Why = r.Text.Must("pay.vat"), r.Text.Must("pay.why.outside")
	case v.ReverseCharge:
		shown.Label, shown.Why = r.Text.Must("pay.vat.reverse"), r.Text.Must("pay.why.reverse")
	case v.Country == p.Country:
		shown.Why = r.Text.Must("pay.why.seller")
	default:
		shown.Why = r.Text.Must("pay.why.consumer")
	}
	return shown
}
