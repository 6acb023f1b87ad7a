package stripefake

import (
	"errors"
	"net/url"
	"slices"
	"time"
)

// checkoutLife is how long a checkout stays open.
const checkoutLife = 24 * time.Hour

// locales are the languages that pages may be asked for in.
var locales = []string{"fr", "en"}

var createCheckout = call{
	params: []string{
		"adaptive_pricing[enabled]", "automatic_tax[enabled]", "billing_address_collection", "cancel_url", "client_reference_id", "customer",
		"customer_update[address]", "customer_update[name]", "line_items[][price]", "line_items[][quantity]", "locale",
		"metadata[]", "mode", "payment_method_types[]", "subscription_data[metadata][]", "success_url", "tax_id_collection[enabled]",
	},
	do: func(s *Server, _ string, form url.Values) (any, error) {
		if err := s.checkCheckout(form); err != nil {
			return nil, err
		}
		id := s.newID("cs_test")
		page := s.URL + "/checkout/" + id
		made := &Checkout{
			ID: id, Object: "checkout.session", URL: &page, Status: "open", Mode: "subscription", PaymentStatus: "unpaid",
			Created: s.time().Unix(), ExpiresAt: s.time().Add(checkoutLife).Unix(),
			Customer: form.Get("customer"), ClientReferenceID: form.Get("client_reference_id"), Locale: form.Get("locale"),
			SuccessURL: form.Get("success_url"), CancelURL: form.Get("cancel_url"), Metadata: metadata(form, "metadata"),
			PaymentMethodTypes: methods(form), subscriptionMetadata: metadata(form, "subscription_data[metadata]"),
			updatesName: form.Get("customer_update[name]") == "auto", updatesAddress: form.Get("customer_update[address]") == "auto",
			price:          *s.findPrice(form.Get("line_items[0][price]")),
			collectsTaxIDs: form.Get("tax_id_collection[enabled]") == "true",
		}
		s.checkouts = append(s.checkouts, made)
		return made, nil
	},
}

// methods returns the payment methods of a checkout: those that the form names, or else the account's.
func methods(form url.Values) []string {
	if named := form["payment_method_types[0]"]; len(named) > 0 {
		return named
	}
	return []string{"card", "sepa_debit"}
}

// checkCheckout returns a fault for a form that Stripe refuses, or that this program would never send.
func (s *Server) checkCheckout(form url.Values) error {
	if err := s.checkCustomer(form); err != nil {
		return err
	}
	price := s.findPrice(form.Get("line_items[0][price]"))
	switch {
	case form.Get("mode") != "subscription":
		return invalid("mode", "", "Invalid mode: must be subscription")
	case price == nil:
		return invalid("line_items[0][price]", "resource_missing", "No such price: '%s'", form.Get("line_items[0][price]"))
	case !price.Active:
		return invalid("line_items[0][price]", "price_inactive", "The price is inactive")
	case !slices.Contains(locales, form.Get("locale")):
		return invalid("locale", "", "Invalid locale")
	// https://docs.stripe.com/tax/checkout, existing customer: the tax is computed for its own address, unless the page
	// is to save another.
	case form.Get("automatic_tax[enabled]") == "true" && form.Get("customer_update[address]") != "auto" && !s.customer(form.Get("customer")).Address.located():
		return notLocated("Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or set either " +
			"`customer_update[address]` to 'auto' or `customer_update[shipping]` to 'auto' to save the address entered in Checkout to the Customer.")
	case form.Get("tax_id_collection[enabled]") == "true" && form.Get("customer_update[name]") != "auto":
		return invalid("customer_update[name]", "", "Tax ID collection requires updating business name on the customer.")
	case form.Get("success_url") == "":
		return invalid("success_url", "parameter_missing", "Missing required param: success_url.")
	}
	return nil
}

var readCheckout = call{
	do: func(s *Server, id string, _ url.Values) (any, error) {
		if found := s.checkout(id); found != nil {
			return found, nil
		}
		return nil, noSuch("checkout.session", id)
	},
}

// checkout returns a checkout as it is now, or nil.
func (s *Server) checkout(id string) *Checkout {
	found := find(s.checkouts, func(c *Checkout) bool { return c.ID == id })
	if found != nil && found.Status == "open" && s.time().Unix() >= found.ExpiresAt {
		s.expire(found)
	}
	return found
}

func (s *Server) expire(c *Checkout) {
	c.Status, c.URL = "expired", nil
	s.emit("checkout.session.expired", c.Customer, c)
}

var createPortal = call{
	params: []string{"configuration", "customer", "locale", "return_url"},
	do: func(s *Server, _ string, form url.Values) (any, error) {
		if err := s.checkCustomer(form); err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(s.setup.Portals, func(c PortalConfiguration) bool {
			return c.Active && (c.ID == form.Get("configuration") || c.IsDefault && !form.Has("configuration"))
		}) {
			// https://docs.stripe.com/api/customer_portal/sessions/create, configuration: the default one if none is
			// named.
			return nil, invalid("configuration", "", "No configuration provided and your default configuration has not been created.")
		}
		if !slices.Contains(locales, form.Get("locale")) {
			return nil, invalid("locale", "", "Invalid locale")
		}
		id := s.newID("bps")
		made := &Portal{
			ID: id, Object: "billing_portal.session", URL: s.URL + "/portal/" + id, Created: s.time().Unix(),
			Customer: form.Get("customer"), Locale: form.Get("locale"), ReturnURL: form.Get("return_url"),
		}
		s.portals = append(s.portals, made)
		return made, nil
	},
}

var errNotOpen = errors.New("the checkout is not open")

// Complete completes an open checkout as a customer does on its page, and returns the new subscription.
func (s *Server) Complete(checkout string) (Subscription, error) {
	s.lockAndTick()
	defer s.mu.Unlock()
	c := s.checkout(checkout)
	if c == nil || c.Status != "open" {
		return Subscription{}, errNotOpen
	}
	if err := s.typeIn(c); err != nil {
		return Subscription{}, err
	}
	sub := s.subscribe(c.Customer, c.price, c.subscriptionMetadata, false)
	c.Status, c.URL, c.Subscription = "complete", nil, &sub.ID
	if s.later && !slices.Equal(c.PaymentMethodTypes, []string{"card"}) { // a card is charged at once
		s.setStatus(sub, "active")
	} else {
		s.pay(sub)
		c.PaymentStatus = "paid"
	}
	s.emit("checkout.session.completed", c.Customer, c)
	return clone(sub), nil
}

// expireCheckout ends an open checkout, and refuses any other: https://docs.stripe.com/api/checkout/sessions/expire
var expireCheckout = call{
	do: func(s *Server, id string, _ url.Values) (any, error) {
		c := s.checkout(id)
		switch {
		case c == nil:
			return nil, noSuch("checkout.session", id)
		case c.Status != "open":
			return nil, invalid("", "", "Only Checkout Sessions with a status in [\"open\"] can be expired. This one is %s.", c.Status)
		}
		s.expire(c)
		return c, nil
	},
}

// Expire ends an open checkout before its time.
func (s *Server) Expire(checkout string) error {
	s.lockAndTick()
	defer s.mu.Unlock()
	c := s.checkout(checkout)
	if c == nil || c.Status != "open" {
		return errNotOpen
	}
	s.expire(c)
	return nil
}

// Checkouts returns all checkouts, the oldest first.
func (s *Server) Checkouts() (all []Checkout) {
	s.lockAndTick()
	defer s.mu.Unlock()
	for _, c := range s.checkouts {
		all = append(all, *s.checkout(c.ID))
	}
	return all
}
