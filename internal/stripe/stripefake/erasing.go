package stripefake

import (
	"net/url"
	"slices"
)

// listPaymentMethods lists a customer's payment methods of every type:
// https://docs.stripe.com/api/payment_methods/customer_list
var listPaymentMethods = call{
	params: []string{"limit", "starting_after"},
	do: func(s *Server, id string, form url.Values) (any, error) {
		if c := s.customer(id); c == nil || c.Deleted {
			return nil, s.noCustomer(id)
		}
		return page("/v1/customers/"+id+"/payment_methods", s.attached(id), form, func(m *PaymentMethod) string { return m.ID })
	},
}

// detachPaymentMethod detaches a payment method from its customer for good: it cannot be charged any more
// (https://docs.stripe.com/api/payment_methods/detach).
var detachPaymentMethod = call{
	do: func(s *Server, id string, _ url.Values) (any, error) {
		m := find(s.methods, func(m *PaymentMethod) bool { return m.ID == id })
		switch {
		case m == nil:
			return nil, noSuch("payment_method", id)
		case m.Customer == nil:
			return nil, invalid("", "", "The payment method you provided is not attached to a customer so detachment is impossible.")
		}
		was := *m.Customer
		m.Customer = nil
		s.emit("payment_method.detached", was, m)
		return m, nil
	},
}

// deleteCustomer deletes a customer for good, ends its subscriptions and detaches its payment methods. Invoices, credit
// notes and charges stay as they are (https://docs.stripe.com/api/customers/delete).
var deleteCustomer = call{
	do: func(s *Server, id string, _ url.Values) (any, error) {
		c := s.customer(id)
		if c == nil || c.Deleted {
			return nil, s.noCustomer(id)
		}
		s.delete(c)
		return c, nil
	},
}

func (s *Server) delete(c *Customer) {
	for _, sub := range s.subscriptions {
		if sub.Customer == c.ID && !sub.over() {
			s.setStatus(sub, "canceled")
		}
	}
	s.emit("customer.deleted", c.ID, c)
	for _, m := range s.attached(c.ID) {
		m.Customer = nil
	}
	c.Deleted = true
}

// DeleteCustomer deletes a customer, as an operator does by hand.
func (s *Server) DeleteCustomer(id string) error {
	s.lockAndTick()
	defer s.mu.Unlock()
	_, err := deleteCustomer.do(s, id, nil)
	return err
}

// A listedCharge is a charge in an answer, with its refunds if they were asked for.
type listedCharge struct {
	*Charge
	Refunds *List[Refund] `json:"refunds,omitempty"`
}

// listCharges lists the charges of a customer, the newest first: https://docs.stripe.com/api/charges/list
var listCharges = call{
	params: []string{"customer", "expand[]", "limit", "starting_after"},
	do: func(s *Server, _ string, form url.Values) (any, error) {
		customer := form.Get("customer")
		if s.customer(customer) == nil {
			return nil, s.checkCustomer(form)
		}
		var found []listedCharge
		for _, c := range slices.Backward(s.charges) {
			if c.Customer != customer {
				continue
			}
			listed := listedCharge{Charge: c}
			if expands(form, "data.refunds") {
				refunds := listOf[Refund]("/v1/charges/" + c.ID + "/refunds")
				for _, r := range slices.Backward(s.refunds) {
					if r.Charge == c.ID {
						refunds.Data = append(refunds.Data, *r)
					}
				}
				listed.Refunds = &refunds
			}
			found = append(found, listed)
		}
		return page("/v1/charges", found, form, func(c listedCharge) string { return c.ID })
	},
}
