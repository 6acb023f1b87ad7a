package stripefake

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
)

// createTaxID gives a customer a tax id: https://docs.stripe.com/api/tax_ids/customer_create
var createTaxID = call{
	params: []string{"type", "value"},
	do: func(s *Server, id string, form url.Values) (any, error) {
		if c := s.customer(id); c == nil || c.Deleted {
			return nil, noSuch("customer", id)
		}
		if form.Get("type") != "eu_vat" {
			return nil, invalid("type", "parameter_unknown", "Invalid type: this server knows eu_vat")
		}
		if err := checkVATNumber(form.Get("value")); err != nil {
			return nil, err
		}
		return s.addTaxID(id, form.Get("value")), nil
	},
}

var listTaxIDs = call{
	params: []string{"limit", "starting_after"},
	do: func(s *Server, id string, form url.Values) (any, error) {
		if s.customer(id) == nil {
			return nil, noSuch("customer", id)
		}
		return page("/v1/customers/"+id+"/tax_ids", s.taxIDsOf(id), form, func(t TaxID) string { return t.ID })
	},
}

// deleteTaxID deletes a tax id of a customer. It is no call, because its path has two ids.
func deleteTaxID(s *Server, customer, id string) (any, error) {
	at := slices.IndexFunc(s.taxIDs, func(t *TaxID) bool { return t.ID == id && t.Customer == customer })
	if at < 0 {
		return nil, noSuch("tax_id", id)
	}
	gone := s.taxIDs[at]
	s.taxIDs = slices.Delete(s.taxIDs, at, at+1)
	s.emit("customer.tax_id.deleted", customer, gone)
	return map[string]any{"id": id, "object": "tax_id", "deleted": true}, nil
}

// AddTaxID gives a customer a VAT number, as the portal does. It is pending until VerifyTaxID sets its state; a
// malformed number is refused (https://docs.stripe.com/billing/customer/tax-ids).
func (s *Server) AddTaxID(customer, value string) (TaxID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.customer(customer); c == nil || c.Deleted {
		return TaxID{}, noSuch("customer", customer)
	}
	if err := checkVATNumber(value); err != nil {
		return TaxID{}, err
	}
	return *s.addTaxID(customer, value), nil
}

func (s *Server) addTaxID(customer, value string) *TaxID {
	made := &TaxID{
		ID: s.newID("txi"), Object: "tax_id", Country: value[:min(2, len(value))], Created: s.time().Unix(),
		Customer: customer, Type: "eu_vat", Value: value, Verification: Verification{Status: "pending"},
	}
	s.taxIDs = append(s.taxIDs, made)
	s.emit("customer.tax_id.created", customer, made)
	return made
}

// verifications are the states of a verification: https://docs.stripe.com/api/tax_ids/object
var verifications = []string{"pending", "unavailable", "unverified", "verified"}

// VerifyTaxID sets what the register says about a tax id: verified, unverified or unavailable. It changes
// no invoice and removes nothing: https://docs.stripe.com/billing/customer/tax-ids
func (s *Server) VerifyTaxID(id, status string) error {
	if !slices.Contains(verifications, status) {
		return fmt.Errorf("%q is no state of a verification", status)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found := find(s.taxIDs, func(t *TaxID) bool { return t.ID == id })
	if found == nil {
		return noSuch("tax_id", id)
	}
	found.Verification.Status = status
	s.emit("customer.tax_id.updated", found.Customer, found)
	return nil
}

// refuseTaxIDs makes all tax ids of a subscription's customer unverified.
func (s *Server) refuseTaxIDs(subscription string) error {
	s.mu.Lock()
	var customer string
	if sub := s.subscription(subscription); sub != nil {
		customer = sub.Customer
	}
	s.mu.Unlock()
	ids := s.TaxIDs(customer)
	if len(ids) == 0 {
		return errors.New("there is no tax id")
	}
	for _, id := range ids {
		if err := s.VerifyTaxID(id.ID, "unverified"); err != nil {
			return err
		}
	}
	return nil
}

// TaxIDs returns the tax ids of a customer.
func (s *Server) TaxIDs(customer string) []TaxID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taxIDsOf(customer)
}

func (s *Server) taxIDsOf(customer string) (found []TaxID) {
	for _, t := range s.taxIDs {
		if t.Customer == customer {
			found = append(found, *t)
		}
	}
	return found
}

// vatNumbers match VAT numbers after their prefix, by prefix: https://docs.stripe.com/billing/customer/tax-ids
// has an example of each, and the Commission's list has the forms.
var vatNumbers = map[string]*regexp.Regexp{
	"AT": regexp.MustCompile(`^U\d{8}$`), "BE": regexp.MustCompile(`^[01]\d{9}$`), "BG": regexp.MustCompile(`^\d{9,10}$`),
	"CY": regexp.MustCompile(`^\d{8}[A-Z]$`), "CZ": regexp.MustCompile(`^\d{8,10}$`), "DE": regexp.MustCompile(`^\d{9}$`),
	"DK": regexp.MustCompile(`^\d{8}$`), "EE": regexp.MustCompile(`^\d{9}$`), "EL": regexp.MustCompile(`^\d{9}$`),
	"ES": regexp.MustCompile(`^[A-Z0-9]\d{7}[A-Z0-9]$`), "FI": regexp.MustCompile(`^\d{8}$`),
	"FR": regexp.MustCompile(`^[A-HJ-NP-Z0-9]{2}\d{9}$`), "HR": regexp.MustCompile(`^\d{11}$`), "HU": regexp.MustCompile(`^\d{8}$`),
	"IE": regexp.MustCompile(`^\d[A-Z0-9+*]\d{5}[A-Z]{1,2}$`), "IT": regexp.MustCompile(`^\d{11}$`),
	"LT": regexp.MustCompile(`^(\d{9}|\d{12})$`), "LU": regexp.MustCompile(`^\d{8}$`), "LV": regexp.MustCompile(`^\d{11}$`),
	"MT": regexp.MustCompile(`^\d{8}$`), "NL": regexp.MustCompile(`^\d{9}B\d{2}$`), "PL": regexp.MustCompile(`^\d{10}$`),
	"PT": regexp.MustCompile(`^\d{9}$`), "RO": regexp.MustCompile(`^\d{2,10}$`), "SE": regexp.MustCompile(`^\d{12}$`),
	"SI": regexp.MustCompile(`^\d{8}$`), "SK": regexp.MustCompile(`^\d{10}$`), "XI": regexp.MustCompile(`^(\d{9}|\d{12}|(GD|HA)\d{3})$`),
}

// checkVATNumber returns a fault for a number that does not have the form of its country. The register is asked
// later whether the number exists: https://docs.stripe.com/error-codes#tax-id-invalid
func checkVATNumber(value string) error {
	prefix := value[:min(2, len(value))]
	if form := vatNumbers[prefix]; form == nil || !form.MatchString(value[2:]) {
		return invalid("value", "tax_id_invalid", "Invalid value for eu_vat.")
	}
	return nil
}
