package stripefake

import (
	"math"
	"strings"
)

// seller is the country of the server's account. Its registrations are in its Setup.
const seller = "FR"

// rates are the standard rates of VAT of the member states, in percent.
var rates = map[string]float64{
	"AT": 20, "BE": 21, "BG": 20, "CY": 19, "CZ": 21, "DE": 19, "DK": 25, "EE": 24, "ES": 21,
	"FI": 25.5, "FR": 20, "GR": 24, "HR": 25, "HU": 27, "IE": 23, "IT": 22, "LT": 21, "LU": 17,
	"LV": 21, "MT": 18, "NL": 21, "PL": 23, "PT": 23, "RO": 21, "SE": 25, "SI": 22, "SK": 23,
}

// unsupported are the country codes for which no tax is computed. Other territories are known by their postal codes.
var unsupported = map[string]bool{"GF": true, "GP": true, "MC": true, "MQ": true, "RE": true, "YT": true}

// SetTax sets the tax of new invoices, whatever the address says. With the zero Rate the address decides
// again. The reasons are in https://docs.stripe.com/tax/zero-tax.
func (s *Server) SetTax(rate Rate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tax = rate
}

// rateOf returns the tax of a new invoice of a customer, or why it cannot be computed.
//
// A tax id takes the tax away by its mere presence, whether or not it was verified:
// https://docs.stripe.com/tax/zero-tax (reverse charge) and https://docs.stripe.com/billing/customer/tax-ids
func (s *Server) rateOf(customer string) (Rate, *FinalizationError) {
	if s.unfinalized != nil {
		return Rate{}, s.unfinalized
	}
	if s.tax != (Rate{}) {
		return s.tax, nil
	}
	var at Address
	if c := s.customer(customer); c != nil && c.Address != nil {
		at = *c.Address
	}
	percent, member := rates[at.Country]
	switch {
	case at.Country == "":
		// https://docs.stripe.com/error-codes#customer-tax-location-invalid
		return Rate{}, &FinalizationError{
			Code: "customer_tax_location_invalid", Type: "invalid_request_error",
			Message: "The customer's location isn't recognized.",
		}
	case unsupported[at.Country] || at.territory():
		return Rate{Reason: "not_supported"}, nil
	case !member:
		return Rate{Reason: "not_collecting"}, nil
	}
	return s.setup.rate(at.Country, percent, len(s.taxIDsOf(customer)) > 0), nil
}

// rate returns the tax in a member state with that standard rate. Without a registration none is collected
// (https://docs.stripe.com/tax/zero-tax). From customers without a tax id in other member states, a small seller
// collects its own country's rate, and a seller in the One-Stop Shop theirs
// (https://docs.stripe.com/tax/supported-countries/european-union/collect-tax).
func (s *Setup) rate(country string, percent float64, taxID bool) Rate {
	small := s.collects(seller, "small_seller")
	switch home := small || s.collects(seller, "standard"); {
	case country != seller && taxID && home:
		return Rate{Reason: "reverse_charge"}
	case country == seller && home, country != seller && !taxID && s.collects(seller, "oss_union"):
		return Rate{percent, "standard_rated"}
	case country != seller && !taxID && small:
		return Rate{rates[seller], "standard_rated"}
	}
	return Rate{Reason: "not_collecting"}
}

// territory reports whether an address of a member state lies outside its tax territory, as the Canaries
// and the French overseas departments do.
func (a Address) territory() bool {
	for country, prefixes := range map[string][]string{"ES": {"35", "38", "51", "52"}, "FR": {"971", "972", "973", "974", "976"}} {
		for _, prefix := range prefixes {
			if a.Country == country && strings.HasPrefix(a.PostalCode, prefix) {
				return true
			}
		}
	}
	return false
}

// of returns the tax of an amount.
func (r Rate) of(net int64) int64 { return int64(math.Round(float64(net) * r.Percent / 100)) }

// SetAddress sets the address of a customer. One without a country cannot be located.
func (s *Server) SetAddress(customer string, at Address) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.customer(customer)
	if c == nil || c.Deleted {
		return noSuch("customer", customer)
	}
	c.Address = &at
	s.emit("customer.updated", customer, c)
	return nil
}

// FailFinalization makes the finalization of every invoice fail with a code such as
// customer_tax_location_invalid or tax_calculation_failed, until it is called with "".
func (s *Server) FailFinalization(code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unfinalized = nil
	if code != "" {
		s.unfinalized = &FinalizationError{Code: code, Type: "invalid_request_error", Message: "told to fail"}
	}
}
