package stripefake

import (
	"math"
	"strings"
)

// seller is the country of the stand-in's account, which has registrations there and for the One-Stop
// Shop.
const seller = "FR"

// rates are the standard rates of VAT of the member states, in percent.
var rates = map[string]float64{
	"AT": 20, "BE": 21, "BG": 20, "CY": 19, "CZ": 21, "DE": 19, "DK": 25, "EE": 24, "ES": 21,
	"FI": 25.5, "FR": 20, "GR": 24, "HR": 25, "HU": 27, "IE": 23, "IT": 22, "LT": 21, "LU": 17,
	"LV": 21, "MT": 18, "NL": 21, "PL": 23, "PT": 23, "RO": 21, "SE": 25, "SI": 22, "SK": 23,
}

// unsupported are countries for which the tax is not computed. Territories are told by the postal code.
var unsupported = map[string]bool{"GF": true, "GP": true, "MC": true, "MQ": true, "RE": true, "YT": true}

// SetTax sets the tax of new invoices, whatever the address says. The zero Rate has the address decide
// again: https://docs.stripe.com/tax/zero-tax has the reasons.
func (s *Server) SetTax(rate Rate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tax = rate
}

// rateOf returns the tax of a new invoice of a customer, or what is missing to compute it.
//
// A tax id takes the tax away by being there, whether or not it was found to be right:
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
	case at.Country != seller && len(s.taxIDsOf(customer)) > 0:
		return Rate{Reason: "reverse_charge"}, nil
	}
	return Rate{percent, "standard_rated"}, nil
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

// SetAddress says where a customer is. An address without a country is one that cannot be located.
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

// FailFinalization has no new invoice become final, for a reason such as
// customer_tax_location_invalid or tax_calculation_failed, until the code is "".
func (s *Server) FailFinalization(code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unfinalized = nil
	if code != "" {
		s.unfinalized = &FinalizationError{Code: code, Type: "invalid_request_error", Message: "told to fail"}
	}
}
