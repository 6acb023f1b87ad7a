package stripefake

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
)

// customerParams are the parameters for making and changing customers: https://docs.stripe.com/api/customers/create
var customerParams = []string{
	"address[city]", "address[country]", "address[line1]", "address[line2]", "address[postal_code]", "address[state]",
	"business_name", "email", "invoice_settings[custom_fields]", "invoice_settings[custom_fields][][name]",
	"invoice_settings[custom_fields][][value]", "name", "preferred_locales[]", "tax[validate_location]",
}

var createCustomer = call{
	params: append([]string{"metadata[]", "tax_id_data[][type]", "tax_id_data[][value]"}, customerParams...),
	do: func(s *Server, _ string, form url.Values) (any, error) {
		made := &Customer{ID: s.newID("cus"), Object: "customer", Created: s.time().Unix(), Metadata: metadata(form, "metadata")}
		if err := made.set(form); err != nil {
			return nil, err
		}
		number := form.Get("tax_id_data[0][value]")
		if form.Has("tax_id_data[0][type]") {
			if err := checkVATNumber(number); err != nil {
				return nil, err
			}
		}
		s.customers = append(s.customers, made)
		s.emit("customer.created", made.ID, made)
		if number != "" {
			s.addTaxID(made.ID, number)
		}
		return made, nil
	},
}

// set changes the fields of a customer that a form has.
func (c *Customer) set(form url.Values) error {
	for name, field := range map[string]*string{"email": &c.Email, "name": &c.Name, "business_name": &c.BusinessName} {
		if form.Has(name) {
			*field = form.Get(name)
		}
	}
	if form.Has("preferred_locales[0]") {
		c.PreferredLocales = form["preferred_locales[0]"]
	}
	if form.Has("address[country]") {
		c.Address = &Address{
			City: form.Get("address[city]"), Country: form.Get("address[country]"), Line1: form.Get("address[line1]"),
			Line2: form.Get("address[line2]"), PostalCode: form.Get("address[postal_code]"), State: form.Get("address[state]"),
		}
	}
	if form.Get("tax[validate_location]") == "immediately" && !c.Address.located() {
		return notLocated("The customer's location isn't recognized. Set a valid customer address in order to automatically calculate tax.")
	}
	if form.Has("invoice_settings[custom_fields]") { // an empty text removes them
		c.InvoiceSettings.CustomFields = nil
	}
	return c.setFields(form)
}

const (
	maxFields     = 4
	maxFieldName  = 40
	maxFieldValue = 140
)

// setFields sets the custom fields of a form, if it has some: https://docs.stripe.com/api/customers/update
func (c *Customer) setFields(form url.Values) error {
	var fields []CustomField
	for form.Has(fmt.Sprintf("invoice_settings[custom_fields][%d][name]", len(fields))) {
		at := fmt.Sprintf("invoice_settings[custom_fields][%d]", len(fields))
		f := CustomField{form.Get(at + "[name]"), form.Get(at + "[value]")}
		if len(fields) == maxFields || len([]rune(f.Name)) > maxFieldName || len([]rune(f.Value)) > maxFieldValue || f.Value == "" {
			return invalid(at, "", "Invalid custom field")
		}
		fields = append(fields, f)
	}
	if fields != nil {
		c.InvoiceSettings.CustomFields = fields
	}
	return nil
}

// located reports whether tax can be computed for an address: the country is enough, except in the United States and
// Canada (https://docs.stripe.com/tax/customer-locations).
func (a *Address) located() bool {
	switch {
	case a == nil || len(a.Country) != 2:
		return false
	case a.Country == "US":
		return zip.MatchString(a.PostalCode)
	case a.Country == "CA":
		return a.PostalCode != "" || a.State != ""
	}
	return true
}

var zip = regexp.MustCompile(`^\d{5}(-\d{4})?$`)

func notLocated(message string) error {
	return invalid("", "customer_tax_location_invalid", "%s", message)
}

var readCustomer = call{
	params: []string{"expand[]"},
	do: func(s *Server, id string, form url.Values) (any, error) {
		if c := s.customer(id); c != nil {
			if read := *c; form.Has("expand[0]") && !c.Deleted {
				ids := listOf("/v1/customers/"+id+"/tax_ids", s.taxIDsOf(id)...)
				read.TaxIDs = &ids
				return read, nil
			}
			return c, nil // even if it was deleted
		}
		return nil, s.noCustomer(id)
	},
}

var updateCustomer = call{
	params: customerParams,
	do: func(s *Server, id string, form url.Values) (any, error) {
		c := s.customer(id)
		if c == nil || c.Deleted {
			return nil, s.noCustomer(id)
		}
		changed := *c
		if err := changed.set(form); err != nil {
			return nil, err
		}
		*c = changed
		s.emit("customer.updated", id, c)
		return c, nil
	},
}

// Customers returns all customers, deleted ones included.
func (s *Server) Customers() (all []Customer) {
	s.lockAndTick()
	defer s.mu.Unlock()
	for _, c := range s.customers {
		all = append(all, *c)
	}
	return all
}

// checkCustomer returns a fault if the customer parameter of a call does not name an existing customer.
func (s *Server) checkCustomer(form url.Values) error {
	id := form.Get("customer")
	if !slices.ContainsFunc(s.customers, func(c *Customer) bool { return c.ID == id && !c.Deleted }) {
		f := s.noCustomer(id)
		f.Param, f.Status = "customer", http.StatusBadRequest
		return f
	}
	return nil
}

// InOtherMode moves customers to the other mode, where calls do not find them.
func (s *Server) InOtherMode(ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		s.otherMode[id] = true
		s.customers = slices.DeleteFunc(s.customers, func(c *Customer) bool { return c.ID == id })
	}
}
