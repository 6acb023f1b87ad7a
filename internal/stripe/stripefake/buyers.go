package stripefake

// Buys says who completes checkouts from now on: it gets the metadata of the checkout and returns what is
// typed. The page shows nothing of the metadata: who does not type, or types something else, is billed so.
func (s *Server) Buys(buyer func(order map[string]string) Buyer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buyer = buyer
}

// typeIn types on the page of a checkout, as far as the page asks for it, and saves what the checkout says is
// to be saved: customer_update[name] and [address] overwrite what the customer had, and a tax id is asked of
// who has none (https://docs.stripe.com/api/checkout/sessions/create, customer_update, and
// https://docs.stripe.com/tax/checkout/tax-ids).
func (s *Server) typeIn(c *Checkout) error {
	typed, customer := s.buyer(c.Metadata), s.customer(c.Customer)
	if typed.VATNumber != "" && c.collectsTaxIDs && len(s.taxIDsOf(c.Customer)) == 0 {
		if err := checkVATNumber(typed.VATNumber); err != nil {
			return err
		}
		s.addTaxID(c.Customer, typed.VATNumber)
	}
	if typed.Name != "" && c.updatesName {
		customer.Name = typed.Name
	}
	if typed.Address != (Address{}) && c.updatesAddress {
		customer.Address = &typed.Address
	}
	return nil
}
