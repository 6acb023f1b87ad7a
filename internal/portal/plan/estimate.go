package plan

import (
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/portal/page"
)

// A countryOption is a country in the list. None is preselected by a guess.
type countryOption struct {
	Code, Name string
	Selected   bool
}

// A price is what a month of Pro costs, in words.
type price struct {
	Net, Tax, Total string
	Label           string // names the tax, with its rate
	Why             string // why that tax applies
}

// countries returns the options, with their names in the language of the page.
func countries(r *page.Request, selected string) (options []countryOption) {
	for _, c := range r.Text.Countries() {
		options = append(options, countryOption{c.Code, c.Name, c.Code == selected})
	}
	return options
}

// newPrice says what a month costs, and why.
func newPrice(r *page.Request, v billing.VAT) *price {
	shown := &price{
		Net: r.Text.Euros(v.Net), Tax: r.Text.Euros(v.Tax), Total: r.Text.Euros(v.Total), Why: r.Text.Must("pay.why." + string(v.Why)),
	}
	switch v.Why {
	case billing.VATOutside:
		shown.Label = r.Text.Must("pay.vat")
	case billing.VATReversed, billing.VATReversedLater:
		shown.Label = r.Text.Must("pay.vat.reverse")
	case billing.VATExempt:
		shown.Label = r.Text.Must("pay.vat.exempt")
	case billing.VATAtHome, billing.VATOfCustomer, billing.VATOfSmallSeller:
		shown.Label = r.Text.Must("pay.vat.rate", r.Text.Rate(v.Rate))
	}
	return shown
}
