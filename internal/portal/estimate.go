package portal

import (
	"cmp"
	"slices"

	"github.com/palmares-hq/palmares/internal/billing"
)

// The fields of the form that asks what Pro costs.
const (
	countryField = "pays"
	numberField  = "tva"
)

// A priceForm asks for a country, which is never guessed, and whether there is a VAT number.
type priceForm struct {
	Countries []countryOption
	Number    bool
	Price     *price // the answer; nil before
}

// A countryOption is a country in the list.
type countryOption struct {
	Code, Name string
	Selected   bool
}

// A price is what a month of Pro costs, in words.
type price struct {
	Country, Number string // as the form has them
	Net, Tax, Total string
	Label           string // of the tax, with its rate
	Why             string // that tax
}

// priceForm is the form as it was filled in, with its answer. It returns a fault if there is none.
func (r *request) priceForm(country string, number, asked bool) (form priceForm, faults []fault) {
	form = priceForm{Countries: r.countries(country), Number: number}
	if !asked {
		return form, nil
	}
	vat, err := billing.Estimate(r.portal.o.Country, country, number)
	if err != nil {
		return form, []fault{{countryField, r.Must("pay.fault.country")}}
	}
	form.Price = r.price(vat, number)
	return form, nil
}

// countries are the options, by their names in the language of the page.
func (r *request) countries(selected string) (options []countryOption) {
	for _, code := range billing.Countries() {
		options = append(options, countryOption{code, r.Must("country." + code), code == selected})
	}
	slices.SortFunc(options, func(a, b countryOption) int { return cmp.Compare(a.Name, b.Name) })
	elsewhere := countryOption{billing.Elsewhere, r.Must("country." + billing.Elsewhere), selected == billing.Elsewhere}
	return append(options, elsewhere)
}

func (r *request) price(v billing.VAT, number bool) *price {
	p := &price{
		Country: v.Country, Net: r.Euros(v.Net), Tax: r.Euros(v.Tax), Total: r.Euros(v.Total),
		Label: r.Must("pay.vat.rate", r.Rate(v.Rate)),
	}
	if number {
		p.Number = "1"
	}
	switch {
	case v.Outside:
		p.Label, p.Why = r.Must("pay.vat"), r.Must("pay.why.outside")
	case v.ReverseCharge:
		p.Label, p.Why = r.Must("pay.vat.reverse"), r.Must("pay.why.reverse")
	case v.Country == r.portal.o.Country:
		p.Why = r.Must("pay.why.seller")
	default:
		p.Why = r.Must("pay.why.consumer")
	}
	return p
}
