package billing

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/palmares-hq/palmares/internal/locale"
)

// RatesOf is the date of the table of rates.
const RatesOf = "2026-11-15"

// RatesOld reports whether the table is more than six months old. By then a member state or two has changed its
// rate, and the table that invoices are compared with has to be reviewed.
func RatesOld(now time.Time) bool {
	of, err := time.Parse(time.DateOnly, RatesOf)
	return err != nil || now.After(of.AddDate(0, 6, 0))
}

// rates are the standard rates of VAT of the member states, in tenths of a percent.
var rates = map[string]int{
	"AT": 200, "BE": 210, "BG": 200, "CY": 190, "CZ": 210, "DE": 190, "DK": 250, "EE": 240, "ES": 210,
	"FI": 255, "FR": 200, "GR": 240, "HR": 250, "HU": 270, "IE": 230, "IT": 220, "LT": 210, "LU": 170,
	"LV": 210, "MT": 180, "NL": 210, "PL": 230, "PT": 230, "RO": 210, "SE": 250, "SI": 220, "SK": 230,
}

// Countries returns the codes of the member states of the European Union, in order.
func Countries() []string { return slices.Sorted(maps.Keys(rates)) }

// inUnion reports whether a country is in the European Union, as the seller's is: a service refuses to start with
// a seller elsewhere.
func inUnion(country string) bool {
	_, in := rates[country]
	return in
}

// A VAT is an estimate of what a month of Pro costs in a country. The tax that is charged is computed by the
// provider.
type VAT struct {
	Country         string
	Rate            int   // in tenths of a percent
	Net, Tax, Total int64 // in cents
	Why             VATReason
}

// A VATReason is why a VAT has its rate.
type VATReason string

// The reasons.
const (
	VATAtHome        VATReason = "seller"         // the rate of the seller's country, for its own customers
	VATOfCustomer    VATReason = "consumer"       // the rate of the customer's country
	VATOfSmallSeller VATReason = "small_seller"   // the rate of the seller's country, for customers elsewhere in the Union
	VATReversed      VATReason = "reverse"        // we charge none: the customer owes it
	VATReversedLater VATReason = "reverse_exempt" // the same, for a seller who is exempt at home
	VATOutside       VATReason = "outside"        // we charge none: the country is outside the European Union
	VATExempt        VATReason = "exempt"         // none: the seller is exempt
)

// Estimate returns what a month of Pro costs a customer in a country, with or without a VAT number.
// Customers in the seller's own country pay its rate. Those in another member state pay none with a
// number, and without one their own country's rate, or that of a small seller's country. Customers
// elsewhere pay none, and nobody pays any to a seller who is exempt. It returns an error for a seller
// outside the Union and for a code that is no country.
func Estimate(seller string, scheme Scheme, country string, vatNumber bool) (VAT, error) {
	if _, ok := rates[seller]; !ok {
		return VAT{}, fmt.Errorf("%q is not a member state of the European Union: its tax is not known", seller)
	}
	v := VAT{Country: country, Net: ProPrice.Cents}
	rate, inside := rates[country]
	switch {
	case !locale.IsCountry(country):
		return VAT{}, fmt.Errorf("%q is the code of no country", country)
	case !inside:
		v.Why = VATOutside
	case country != seller && vatNumber && scheme == Franchise:
		v.Why = VATReversedLater
	case country != seller && vatNumber:
		v.Why = VATReversed
	case scheme == Franchise:
		v.Why = VATExempt
	case country == seller:
		v.Why, v.Rate = VATAtHome, rate
	case scheme == SmallSeller:
		v.Why, v.Rate = VATOfSmallSeller, rates[seller]
	default:
		v.Why, v.Rate = VATOfCustomer, rate
	}
	v.Tax = (v.Net*int64(v.Rate) + 500) / 1000
	v.Total = v.Net + v.Tax
	return v, nil
}
