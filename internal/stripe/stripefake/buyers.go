package stripefake

// Buys sets who completes checkouts from now on: buyer gets the metadata of the checkout and returns what is
// typed on its page. The page itself uses nothing of the metadata: invoices have what was typed, or what the
// customer had before.
func (s *Server) Buys(buyer func(order map[string]string) Buyer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buyer = buyer
}

// typeIn saves with the customer what the buyer types on the page of a checkout, as far as the checkout asks
// for it: customer_update[name] and [address] overwrite what the customer had, and a customer without a tax id
// is asked for one (https://docs.stripe.com/api/checkout/sessions/create, customer_update, and
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
