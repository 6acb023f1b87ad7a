package stripefake

import "fmt"

// PayLater has checkouts be completed with a delayed method of payment from now on, such as a direct
// debit, or with a card again. The subscription of a delayed one is active before money came
// (https://docs.stripe.com/billing/subscriptions/overview, payment processing), and the checkout is
// complete and unpaid (https://docs.stripe.com/payments/checkout/fulfill-orders, delayed).
func (s *Server) PayLater(later bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.later = later
}

// Settle says what came of the delayed payment of a subscription. One that fails voids the invoice and
// leaves the subscription active.
func (s *Server) Settle(id string, paid bool) error {
	return s.change(id, func(sub *Subscription) error {
		i := s.newest(sub)
		if i == nil || i.Status != "open" {
			return fmt.Errorf("the newest invoice of %s is not open", id)
		}
		kind, status := "checkout.session.async_payment_succeeded", "paid"
		if paid {
			s.payInvoice(i)
		} else {
			kind, status = "checkout.session.async_payment_failed", "unpaid"
			s.emit("invoice.payment_failed", sub.Customer, i)
			if err := s.void(i); err != nil {
				return err
			}
		}
		c := find(s.checkouts, func(c *Checkout) bool { return c.Subscription != nil && *c.Subscription == id })
		if c != nil && c.PaymentStatus == "unpaid" {
			c.PaymentStatus = status
			s.emit(kind, sub.Customer, c)
		}
		return nil
	})
}
