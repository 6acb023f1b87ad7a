package stripefake

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// SetPrice changes the price, for those who subscribe from now on.
func (s *Server) SetPrice(change func(*Price)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.price)
}

// Subscribe makes a subscription as somebody does by hand at Stripe, in a status: active, trialing
// and incomplete have a meaning. The account, if it has one, stands in its metadata. A trial begins with
// an invoice of nothing, which is paid (https://docs.stripe.com/billing/subscriptions/trials).
func (s *Server) Subscribe(customer, account, status string) (Subscription, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.customer(customer); c == nil || c.Deleted {
		return Subscription{}, noSuch("customer", customer)
	}
	about := map[string]string{}
	if account != "" {
		about["account_id"] = account
	}
	sub := s.subscribe(customer, about, status == "trialing")
	if status != "incomplete" {
		s.pay(sub)
		s.setStatus(sub, status)
	}
	return *sub, nil
}

// subscribe makes a subscription whose first invoice is open. A customer without an address gives one
// with it, as checkout asks for it.
func (s *Server) subscribe(customer string, metadata map[string]string, trial bool) *Subscription {
	now := s.now()
	sub := &Subscription{
		ID: s.newID("sub"), Object: "subscription", CollectionMethod: "charge_automatically", Created: now.Unix(),
		Currency: s.price.Currency, Customer: customer, Metadata: maps.Clone(metadata), Status: "incomplete",
	}
	sub.Items = listOf("/v1/subscription_items?subscription="+sub.ID, Item{
		ID: s.newID("si"), Object: "subscription_item", Price: s.price, Quantity: 1, Subscription: sub.ID,
		CurrentPeriodStart: now.Unix(), CurrentPeriodEnd: now.AddDate(0, 1, 0).Unix(),
	})
	if c := s.customer(customer); c.Address == nil {
		c.Address = &Address{City: "Paris", Country: seller, Line1: "1 rue de la Paix", PostalCode: "75002"}
	}
	s.subscriptions = append(s.subscriptions, sub)
	net := sub.period().Price.UnitAmount
	if trial {
		net = 0
	}
	s.invoice(sub, net, 0)
	s.emit("customer.subscription.created", customer, sub)
	return sub
}

// pay pays all that is open, the oldest first.
func (s *Server) pay(sub *Subscription) {
	for _, i := range s.open(sub.ID) {
		s.payInvoice(i)
	}
}

// change finds a subscription that is not over and changes it.
func (s *Server) change(id string, change func(sub *Subscription) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	sub := s.subscription(id)
	switch {
	case sub == nil:
		return noSuch("subscription", id)
	case sub.over():
		return fmt.Errorf("the subscription %s is over", id)
	}
	return change(sub)
}

// SetStatus gives a subscription any status: unpaid or canceled when Stripe gives up on a card,
// incomplete_expired, or what an operator sets by hand, such as paused.
func (s *Server) SetStatus(id, status string) error {
	return s.change(id, func(sub *Subscription) error { s.setStatus(sub, status); return nil })
}

// SetItem has a subscription be to another price, of our product or of another one, as somebody does by
// hand at Stripe, or a customer in its portal.
func (s *Server) SetItem(id string, change func(*Price)) error {
	return s.change(id, func(sub *Subscription) error {
		change(&sub.period().Price)
		s.emit("customer.subscription.updated", sub.Customer, sub)
		return nil
	})
}

// Pay pays the open invoices of a subscription.
func (s *Server) Pay(id string) error {
	return s.change(id, func(sub *Subscription) error { s.pay(sub); return nil })
}

// FailPayment ends the period of a subscription and fails the payment of the next: it is past due,
// with an invoice that is open. If it is past due already, another attempt fails, and there is another
// invoice once that period is over, too.
func (s *Server) FailPayment(id string) error {
	return s.change(id, func(sub *Subscription) error { s.fail(sub, "invoice.payment_failed"); return nil })
}

// RequireAction is FailPayment where the bank asks the customer to confirm the payment, by 3-D Secure:
// https://docs.stripe.com/billing/subscriptions/overview (requires action)
func (s *Server) RequireAction(id string) error {
	return s.change(id, func(sub *Subscription) error {
		s.fail(sub, "invoice.payment_failed", "invoice.payment_action_required")
		return nil
	})
}

func (s *Server) fail(sub *Subscription, kinds ...string) {
	if len(s.open(sub.ID)) == 0 || s.now().Unix() >= sub.period().CurrentPeriodEnd {
		s.nextPeriod(sub)
	}
	again := s.now().AddDate(0, 0, 3).Unix()
	for _, i := range s.open(sub.ID) {
		i.AttemptCount++
		i.NextPaymentAttempt = &again
		for _, kind := range kinds {
			s.emit(kind, sub.Customer, i)
		}
	}
	if sub.Status != "incomplete" && sub.Status != "unpaid" && len(s.open(sub.ID)) > 0 {
		s.setStatus(sub, "past_due")
	}
}

// EndPeriod ends the period of a subscription: the next is paid, unless it was cancelled, is unpaid, or
// its invoice does not become final.
func (s *Server) EndPeriod(id string) error {
	return s.change(id, func(sub *Subscription) error {
		if sub.CancelAtPeriodEnd || sub.CancelAt != nil {
			s.setStatus(sub, "canceled")
			return nil
		}
		if i := s.nextPeriod(sub); i.Status == "open" {
			s.pay(sub)
		}
		s.emit("customer.subscription.updated", sub.Customer, sub)
		return nil
	})
}

// nextPeriod begins the next period of a subscription, with an invoice.
func (s *Server) nextPeriod(sub *Subscription) *Invoice {
	period := sub.period()
	period.CurrentPeriodStart = period.CurrentPeriodEnd
	period.CurrentPeriodEnd = time.Unix(period.CurrentPeriodStart, 0).UTC().AddDate(0, 1, 0).Unix()
	return s.invoice(sub, period.Price.UnitAmount, time.Hour)
}

// CancelInPortal cancels a subscription at the end of its period as Stripe's portal does: by a time,
// and not by the flag.
func (s *Server) CancelInPortal(id string) error {
	return s.change(id, func(sub *Subscription) error {
		end, now := sub.period().CurrentPeriodEnd, s.now().Unix()
		sub.CancelAt, sub.CanceledAt = &end, &now
		s.emit("customer.subscription.updated", sub.Customer, sub)
		return nil
	})
}

// setFlag cancels a subscription at the end of its period, or takes that back.
func (s *Server) setFlag(sub *Subscription, cancel bool) {
	end, now := sub.period().CurrentPeriodEnd, s.now().Unix()
	switch {
	case cancel:
		sub.CancelAt, sub.CanceledAt = &end, &now
	case sub.CancelAtPeriodEnd:
		sub.CancelAt, sub.CanceledAt = nil, nil
	}
	sub.CancelAtPeriodEnd = cancel
	s.emit("customer.subscription.updated", sub.Customer, sub)
}

// DeleteCustomer deletes a customer, whose subscriptions end.
func (s *Server) DeleteCustomer(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.customer(id)
	if c == nil || c.Deleted {
		return noSuch("customer", id)
	}
	for _, sub := range s.subscriptions {
		if sub.Customer == id && !sub.over() {
			s.setStatus(sub, "canceled")
		}
	}
	s.emit("customer.deleted", id, c)
	c.Deleted = true
	return nil
}

// Subscriptions returns those of a customer, the newest first.
func (s *Server) Subscriptions(customer string) (found []Subscription) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sub := range slices.Backward(s.subscriptions) {
		if sub.Customer == customer {
			found = append(found, clone(sub))
		}
	}
	return found
}

// clone copies a subscription, with what it points to.
func clone(sub *Subscription) Subscription {
	copied := *sub
	copied.Items.Data = slices.Clone(sub.Items.Data)
	copied.Metadata = maps.Clone(sub.Metadata)
	return copied
}
