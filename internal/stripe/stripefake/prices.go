package stripefake

import (
	"net/url"
	"strconv"
)

// findPrice returns the price of an id, or nil.
func (s *Server) findPrice(id string) *Price {
	if id == s.price.ID && id != "" {
		return &s.price
	}
	return find(s.otherPrices, func(p *Price) bool { return p.ID == id })
}

var readPrice = call{
	do: func(s *Server, id string, _ url.Values) (any, error) {
		if p := s.findPrice(id); p != nil {
			return *p, nil
		}
		return nil, noSuch("price", id)
	},
}

// updatePrice archives a price or makes it active again. Amount, currency and interval of a price cannot be changed;
// one makes another price (https://docs.stripe.com/api/prices/update,
// https://docs.stripe.com/products-prices/manage-prices).
var updatePrice = call{
	params: []string{"active"},
	do: func(s *Server, id string, form url.Values) (any, error) {
		p := s.findPrice(id)
		active, err := strconv.ParseBool(form.Get("active"))
		switch {
		case p == nil:
			return nil, noSuch("price", id)
		case err != nil:
			return nil, invalid("active", "", "Invalid boolean")
		}
		p.Active = active
		s.emit("price.updated", "", *p)
		return *p, nil
	},
}

// createPrice makes a price of a product. A lookup key names one price at a time: one in use is moved if that is asked
// for, and refused otherwise (https://docs.stripe.com/products-prices/manage-prices, lookup keys;
// https://docs.stripe.com/api/prices/create, transfer_lookup_key).
var createPrice = call{
	params: []string{
		"currency", "lookup_key", "product", "recurring[interval]", "tax_behavior", "transfer_lookup_key", "unit_amount",
	},
	do: func(s *Server, _ string, form url.Values) (any, error) {
		cents, err := strconv.ParseInt(form.Get("unit_amount"), 10, 64)
		switch {
		case err != nil || cents < 0:
			return nil, invalid("unit_amount", "parameter_invalid_integer", "Invalid integer: %s", form.Get("unit_amount"))
		case s.findProduct(form.Get("product")) == nil:
			return nil, invalid("product", "resource_missing", "No such product: '%s'", form.Get("product"))
		}
		made := &Price{
			Object: "price", Active: true, Currency: form.Get("currency"), Product: form.Get("product"), UnitAmount: cents, Type: "recurring",
			TaxBehavior: or(form.Get("tax_behavior"), "unspecified"),
			Recurring:   Recurring{Interval: form.Get("recurring[interval]"), IntervalCount: 1, UsageType: "licensed"},
		}
		if key := form.Get("lookup_key"); key != "" {
			if has := s.keyed(key); has != nil {
				if form.Get("transfer_lookup_key") != "true" {
					return nil, invalid("lookup_key", "", "A price (`%s`) already uses that lookup key.", has.ID)
				}
				has.LookupKey = nil
			}
			made.LookupKey = &key
		}
		made.ID = s.newID("price")
		s.otherPrices = append(s.otherPrices, made)
		s.emit("price.created", "", *made)
		return *made, nil
	},
}

// keyed returns the price of a lookup key, or nil.
func (s *Server) keyed(key string) *Price {
	return find(s.prices(), func(p *Price) bool { return p.LookupKey != nil && *p.LookupKey == key })
}

// prices returns all prices.
func (s *Server) prices() []*Price {
	if s.price.ID == "" {
		return s.otherPrices
	}
	return append([]*Price{&s.price}, s.otherPrices...)
}

// listPrices lists the prices with a lookup key: https://docs.stripe.com/api/prices/list
var listPrices = call{
	params: []string{"limit", "lookup_keys[]", "starting_after"},
	do: func(s *Server, _ string, form url.Values) (any, error) {
		var found []Price
		for _, p := range s.prices() {
			if p.LookupKey != nil && *p.LookupKey == form.Get("lookup_keys[0]") {
				found = append(found, *p)
			}
		}
		return page("/v1/prices", found, form, func(p Price) string { return p.ID })
	},
}

// findProduct returns the product of an id, or nil.
func (s *Server) findProduct(id string) *Product {
	if id != "" && id == s.price.Product {
		return &Product{ID: id, Object: "product", Active: true, Name: "Palmarès Pro", TaxCode: s.setup.TaxCode}
	}
	return find(s.products, func(p *Product) bool { return p.ID == id })
}

// createProduct makes a product. The caller may choose an id that is not taken:
// https://docs.stripe.com/api/products/create
var createProduct = call{
	params: []string{"id", "name", "tax_code"},
	do: func(s *Server, _ string, form url.Values) (any, error) {
		id := form.Get("id")
		switch {
		case form.Get("name") == "":
			return nil, invalid("name", "parameter_missing", "Missing required param: name.")
		case id != "" && s.findProduct(id) != nil:
			return nil, invalid("id", "resource_already_exists", "Product already exists.")
		case id == "":
			id = s.newID("prod")
		}
		made := &Product{ID: id, Object: "product", Active: true, Name: form.Get("name")}
		made.set(form)
		s.products = append(s.products, made)
		return *made, nil
	},
}

// updateProduct changes the tax code of a product, or archives it: https://docs.stripe.com/api/products/update
var updateProduct = call{
	params: []string{"active", "tax_code"},
	do: func(s *Server, id string, form url.Values) (any, error) {
		p := s.findProduct(id)
		if p == nil {
			return nil, noSuch("product", id)
		}
		if p.set(form); id == s.price.Product {
			s.setup.TaxCode = p.TaxCode
		}
		return *p, nil
	},
}

func (p *Product) set(form url.Values) {
	if form.Has("tax_code") {
		code := form.Get("tax_code")
		p.TaxCode = &code
	}
	if form.Has("active") {
		p.Active = form.Get("active") == "true"
	}
}

// Archive archives the server's first price, so that it cannot be bought, or with false makes it active again.
func (s *Server) Archive(archived bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.price.Active = !archived
	s.emit("price.updated", "", s.price)
}

// ArchivePrice archives the price with an id.
func (s *Server) ArchivePrice(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.findPrice(id)
	if p == nil {
		return noSuch("price", id)
	}
	p.Active = false
	s.emit("price.updated", "", *p)
	return nil
}

// AddPrice adds a copy of the server's first price with what change changes, and returns its id.
func (s *Server) AddPrice(change func(*Price)) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	made := s.price
	change(&made)
	made.ID = s.newID("price")
	s.otherPrices = append(s.otherPrices, &made)
	s.emit("price.created", "", made)
	return made.ID
}
