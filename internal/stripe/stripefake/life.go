package stripefake

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Subscribe makes a subscription by hand, as in Stripe's dashboard, with the status active, trialing or
// incomplete. An account that is not "" is put into its metadata. A trial begins with an invoice of 0, which
// is paid (https://docs.stripe.com/billing/subscriptions/trials).
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
	sub := s.subscribe(customer, s.price, about, status == "trialing")
	if status != "incomplete" {
		s.pay(sub)
		s.setStatus(sub, status)
	}
	return *sub, nil
}

// subscribe makes an incomplete subscription whose first invoice is open. A customer without an address gets
// one, as checkout would ask for it.
func (s *Server) subscribe(customer string, price Price, metadata map[string]string, trial bool) *Subscription {
	now := s.time()
	sub := &Subscription{
		ID: s.newID("sub"), Object: "subscription", CollectionMethod: "charge_automatically", Created: now.Unix(),
		Currency: price.Currency, Customer: customer, Metadata: maps.Clone(metadata), Status: "incomplete",
		method: s.attach(visa(s.newID("pm")), customer),
	}
	sub.Items = listOf("/v1/subscription_items?subscription="+sub.ID, Item{
		ID: s.newID("si"), Object: "subscription_item", Price: price, Quantity: 1, Subscription: sub.ID,
		CurrentPeriodStart: now.Unix(), CurrentPeriodEnd: now.AddDate(0, 1, 0).Unix(),
	})
	if c := s.customer(customer); c.Address == nil {
		c.Address = &Address{City: "Paris", Country: seller, Line1: "1 rue de la Paix", PostalCode: "75002"}
	}
	s.subscriptions = append(s.subscriptions, sub)
	net := sub.period().net()
	if trial {
		net = 0
	}
	s.invoice(sub, net, "subscription_create", 0)
	s.emit("customer.subscription.created", customer, sub)
	return sub
}

// pay pays the open invoices of a subscription, the oldest first.
func (s *Server) pay(sub *Subscription) {
	for _, i := range s.open(sub.ID) {
		s.payAnew(i)
	}
}

// SetStatus sets any status of a subscription: unpaid or canceled, as when Stripe gives up on a card,
// incomplete_expired, or one that an operator sets by hand, such as paused.
func (s *Server) SetStatus(id, status string) error {
	return s.change(id, func(sub *Subscription) error { s.setStatus(sub, status); return nil })
}

// SetItem changes the price of a subscription, to one of our product or of another, as somebody does by hand
// in Stripe's dashboard, or a customer in its portal.
func (s *Server) SetItem(id string, change func(*Price)) error {
	return s.change(id, func(sub *Subscription) error {
		change(&sub.period().Price)
		sub.Currency = sub.period().Price.Currency
		s.emit("customer.subscription.updated", sub.Customer, sub)
		return nil
	})
}

// Pay pays the open invoices of a subscription.
func (s *Server) Pay(id string) error {
	return s.change(id, func(sub *Subscription) error { s.pay(sub); return nil })
}

// FailPayment ends the period of a subscription, lets the hour of the draft pass and fails the payment, so that it is
// past due with an open invoice. If it is past due already, another attempt fails, and if that period is over, too,
// it gets another invoice. Payments fail until another one is used: on the invoice's page, or by Pay or PayWith.
func (s *Server) FailPayment(id string) error {
	return s.change(id, func(sub *Subscription) error { s.fail(sub, "invoice.payment_failed"); return nil })
}

// RequireAction is FailPayment for a payment that the bank asks the customer to confirm, by 3-D Secure:
// https://docs.stripe.com/billing/subscriptions/overview (requires action)
func (s *Server) RequireAction(id string) error {
	return s.change(id, func(sub *Subscription) error {
		s.fail(sub, "invoice.payment_failed", "invoice.payment_action_required")
		return nil
	})
}

func (s *Server) fail(sub *Subscription, kinds ...string) {
	sub.declined = true
	open := s.open(sub.ID)
	if len(open) == 0 || s.time().Unix() >= sub.period().CurrentPeriodEnd {
		i := s.nextPeriod(sub, draftFor)
		for _, kind := range kinds {
			if kind != "invoice.payment_failed" && i.Status == "open" {
				s.emit(kind, sub.Customer, i)
			}
		}
	}
	for _, i := range open {
		if i.Status == "open" {
			s.attempt(i, kinds...)
		}
	}
}

// EndPeriod ends the period of a subscription. A cancelled subscription ends with it; otherwise the next period begins
// with a draft invoice, which is finalized and charged an hour later.
func (s *Server) EndPeriod(id string) error { return s.endPeriod(id, 0) }

// Renew is EndPeriod as of an hour ago: the draft is finalized and charged, if it can be.
func (s *Server) Renew(id string) error { return s.endPeriod(id, draftFor) }

func (s *Server) endPeriod(id string, passed time.Duration) error {
	return s.change(id, func(sub *Subscription) error {
		if sub.CancelAtPeriodEnd || sub.CancelAt != nil {
			s.setStatus(sub, "canceled")
			return nil
		}
		s.nextPeriod(sub, passed)
		s.emit("customer.subscription.updated", sub.Customer, sub)
		return nil
	})
}

// nextPeriod begins the next period of a subscription, and makes its invoice as of that long ago.
func (s *Server) nextPeriod(sub *Subscription, passed time.Duration) *Invoice {
	period := sub.period()
	period.CurrentPeriodStart = period.CurrentPeriodEnd
	period.CurrentPeriodEnd = time.Unix(period.CurrentPeriodStart, 0).UTC().AddDate(0, 1, 0).Unix()
	return s.invoice(sub, period.net(), "subscription_cycle", passed)
}

// CancelInPortal cancels a subscription at the end of its period as Stripe's portal does: it sets the time,
// and not the flag.
func (s *Server) CancelInPortal(id string) error {
	return s.change(id, func(sub *Subscription) error {
		end, now := sub.period().CurrentPeriodEnd, s.time().Unix()
		sub.CancelAt, sub.CanceledAt = &end, &now
		s.emit("customer.subscription.updated", sub.Customer, sub)
		return nil
	})
}

// setFlag cancels a subscription at the end of its period, or undoes that.
func (s *Server) setFlag(sub *Subscription, cancel bool) {
	end, now := sub.period().CurrentPeriodEnd, s.time().Unix()
	switch {
	case cancel:
		sub.CancelAt, sub.CanceledAt = &end, &now
	case sub.CancelAtPeriodEnd:
		sub.CancelAt, sub.CanceledAt = nil, nil
	}
	sub.CancelAtPeriodEnd = cancel
	s.emit("customer.subscription.updated", sub.Customer, sub)
}

// Subscriptions returns the subscriptions of a customer, the newest first.
func (s *Server) Subscriptions(customer string) (found []Subscription) {
	s.lockAndTick()
	defer s.mu.Unlock()
	for _, sub := range slices.Backward(s.subscriptions) {
		if sub.Customer == customer {
			found = append(found, clone(sub))
		}
	}
	return found
}

// clone copies a subscription with its items and metadata.
func clone(sub *Subscription) Subscription {
	copied := *sub
	copied.Items.Data = slices.Clone(sub.Items.Data)
	copied.Metadata = maps.Clone(sub.Metadata)
	return copied
}

// PayLater makes checkouts from now on be paid by a delayed method, such as a direct debit, or with false by
// a card again. The subscription of a delayed payment is active before the money has come
// (https://docs.stripe.com/billing/subscriptions/overview, payment processing), and the checkout is
// complete and unpaid (https://docs.stripe.com/payments/checkout/fulfill-orders, delayed).
func (s *Server) PayLater(later bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.later = later
}

// Settle makes the delayed payment of a subscription succeed or fail. A failure voids the invoice and leaves
// the subscription active.
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

// Dispute opens a dispute of the newest charge of a customer.
func (s *Server) Dispute(customer string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disputed = &dispute{
		ID: s.newID("du"), Object: "dispute", Charge: s.newID("ch"), PaymentIntent: s.newID("pi"),
		Reason: "fraudulent", Status: "needs_response",
	}
	for _, c := range s.charges { // the newest
		if c.Customer == customer {
			s.disputed.Charge, s.disputed.PaymentIntent = c.ID, c.PaymentIntent
		}
	}
	s.emit("charge.dispute.created", "", s.disputed)
}

// CloseDispute ends the last dispute, as won or lost by the seller.
func (s *Server) CloseDispute(won bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.disputed == nil || s.disputed.Status != "needs_response" {
		return errors.New("no dispute is open")
	}
	s.disputed.Status = "lost"
	if won {
		s.disputed.Status = "won"
	}
	s.emit("charge.dispute.closed", "", s.disputed)
	return nil
}
