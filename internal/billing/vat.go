package billing

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// RatesOf is the date of the table of rates.
const RatesOf = "2026-11-15"

// RatesOld reports whether the table is more than six months old: a member state or two has changed its rate
// by then, and what invoices are compared with is to be looked through.
func RatesOld(now time.Time) bool {
	of, err := time.Parse(time.DateOnly, RatesOf)
	return err != nil || now.After(of.AddDate(0, 6, 0))
}

// Elsewhere is the code of every country outside the European Union.
const Elsewhere = "ZZ"

// rates are the standard rates of VAT of the member states, in tenths of a percent.
var rates = map[string]int{
	"AT": 200, "BE": 210, "BG": 200, "CY": 190, "CZ": 210, "DE": 190, "DK": 250, "EE": 240, "ES": 210,
	"FI": 255, "FR": 200, "GR": 240, "HR": 250, "HU": 270, "IE": 230, "IT": 220, "LT": 210, "LU": 170,
	"LV": 210, "MT": 180, "NL": 210, "PL": 230, "PT": 230, "RO": 210, "SE": 250, "SI": 220, "SK": 230,
}

// Countries returns the codes of the member states of the European Union, in order.
func Countries() []string { return slices.Sorted(maps.Keys(rates)) }

// A VAT is an estimate of what a month of Pro costs in a country. The provider computes the tax that
// counts.
type VAT struct {
	Country         string
	Rate            int   // in tenths of a percent
	Net, Tax, Total int64 // in cents
	ReverseCharge   bool  // no tax from us: the customer owes it
	Outside         bool  // no tax from us: the country is outside the European Union
}

// Estimate returns what a month of Pro costs a customer in a country, who has a VAT number or not.
// The seller's own country has its rate for everybody. Another member state has none with a number
// and its own rate without. All others have none.
func Estimate(seller, country string, vatNumber bool) (VAT, error) {
	if _, ok := rates[seller]; !ok {
		return VAT{}, fmt.Errorf("%q is not a member state of the European Union: its tax is not known", seller)
	}
	v := VAT{Country: country, Net: ProPrice.Cents}
	rate, inside := rates[country]
	switch {
	case !inside && country != Elsewhere:
		return VAT{}, fmt.Errorf("%q is not a country of the list", country)
	case !inside:
		v.Outside = true
	case country != seller && vatNumber:
		v.ReverseCharge = true
	default:
		v.Rate = rate
	}
	v.Tax = (v.Net*int64(v.Rate) + 500) / 1000
	v.Total = v.Net + v.Tax
	return v, nil
}
