package stripefake

import (
	"net/url"
	"slices"
)

var createCustomer = call{
	params: []string{"email", "metadata[]", "preferred_locales[]"},
	do: func(s *Server, _ string, form url.Values) (any, error) {
		made := &Customer{
			ID: s.newID("cus"), Object: "customer", Created: s.now().Unix(), Email: form.Get("email"),
			Metadata: metadata(form, "metadata"), PreferredLocales: form["preferred_locales[0]"],
		}
		s.customers = append(s.customers, made)
		s.emit("customer.created", made.ID, made)
		return made, nil
	},
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
			return c, nil // also one that was deleted
		}
		return nil, noSuch("customer", id)
	},
}

var updateCustomer = call{
	params: []string{"email"},
	do: func(s *Server, id string, form url.Values) (any, error) {
		c := s.customer(id)
		if c == nil || c.Deleted {
			return nil, noSuch("customer", id)
		}
		c.Email = form.Get("email")
		s.emit("customer.updated", id, c)
		return c, nil
	},
}

var readPrice = call{
	do: func(s *Server, id string, _ url.Values) (any, error) {
		if id != s.Price {
			return nil, noSuch("price", id)
		}
		return s.price, nil
	},
}

// Customers returns all customers, also those that were deleted.
func (s *Server) Customers() (all []Customer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.customers {
		all = append(all, *c)
	}
	return all
}

// checkCustomer returns the fault of a call with a parameter that names no customer.
func (s *Server) checkCustomer(form url.Values) error {
	id := form.Get("customer")
	if !slices.ContainsFunc(s.customers, func(c *Customer) bool { return c.ID == id && !c.Deleted }) {
		return invalid("customer", "resource_missing", "No such customer: '%s'", id)
	}
	return nil
}
