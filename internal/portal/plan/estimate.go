package plan

import (
	"cmp"
	"slices"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/portal/page"
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

// newPriceForm is the form as it was filled in, with its answer. It says what is wrong if there is none.
func (p *Pages) newPriceForm(r *page.Request, country string, number, asked bool) (form priceForm, wrong []page.FieldError) {
	form = priceForm{Countries: countries(r, country), Number: number}
	if !asked {
		return form, nil
	}
	vat, err := billing.Estimate(p.Country, country, number)
	if err != nil {
		return form, []page.FieldError{page.NewFieldError(countryField, r.Text.Must("pay.error.country"))}
	}
	form.Price = p.newPrice(r, vat, number)
	return form, nil
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
func (p *Pages) newPrice(r *page.Request, v billing.VAT, number bool) *price {
	shown := &price{
		Country: v.Country, Net: r.Text.Euros(v.Net), Tax: r.Text.Euros(v.Tax), Total: r.Text.Euros(v.Total),
		Label: r.Text.Must("pay.vat.rate", r.Text.Rate(v.Rate)),
	}
	if number {
		shown.Number = "1"
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
