package stripefake

import (
	"fmt"
)

// SetBalance sets the balance of a customer, in cents: a credit, below 0, pays the next invoices, and a debt is added
// to the next one (https://docs.stripe.com/billing/customer/balance).
func (s *Server) SetBalance(customer string, cents int64) error {
	s.lockAndTick()
	defer s.mu.Unlock()
	c := s.customer(customer)
	if c == nil || c.Deleted {
		return s.noCustomer(customer)
	}
	c.Balance = cents
	s.emit("customer.updated", customer, c)
	return nil
}

// SetCoupon gives a subscription a discount in percent from the next invoice on. Tax is computed on what is left
// (https://docs.stripe.com/billing/subscriptions/coupons).
func (s *Server) SetCoupon(id string, percent int64) error {
	return s.change(id, func(sub *Subscription) error {
		sub.percentOff = percent
		s.emit("customer.subscription.updated", sub.Customer, sub)
		return nil
	})
}

// SetQuantity changes the quantity of a subscription. It invoices more for the rest of the period at once, and credits
// less to the balance (https://docs.stripe.com/billing/subscriptions/prorations).
func (s *Server) SetQuantity(id string, quantity int64) error {
	return s.change(id, func(sub *Subscription) error {
		item := sub.period()
		rest, whole := item.CurrentPeriodEnd-s.time().Unix(), item.CurrentPeriodEnd-item.CurrentPeriodStart
		net := item.Price.UnitAmount * (quantity - item.Quantity) * max(0, rest) / whole
		item.Quantity = quantity
		s.emit("customer.subscription.updated", sub.Customer, sub)
		if net > 0 {
			s.invoice(sub, net, "subscription_update", draftFor)
		} else {
			s.customer(sub.Customer).Balance += net
		}
		return nil
	})
}

// PauseCollecting pauses the collection of a subscription's invoices with a behavior, or resumes it for "". The
// subscription stays active (https://docs.stripe.com/billing/subscriptions/pause-payment).
func (s *Server) PauseCollecting(id, behavior string) error {
	return s.change(id, func(sub *Subscription) error {
		switch behavior {
		case "":
			sub.PauseCollection = nil
		case "keep_as_draft", "mark_uncollectible", "void":
			sub.PauseCollection = &PauseCollection{Behavior: behavior}
		default:
			return fmt.Errorf("%q is no behavior of a pause", behavior)
		}
		s.emit("customer.subscription.updated", sub.Customer, sub)
		return nil
	})
}
