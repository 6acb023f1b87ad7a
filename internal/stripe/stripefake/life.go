package stripefake

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// SetTax sets the tax of new invoices. It is 20 % until then.
func (s *Server) SetTax(rate Rate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tax = rate
}

// SetPrice changes the price, for those who subscribe from now on.
func (s *Server) SetPrice(change func(*Price)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.price)
}

// Subscribe makes a subscription as somebody does by hand at Stripe, in a status: active, trialing
// and incomplete have a meaning. The account, if it has one, stands in its metadata.
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
	sub := s.subscribe(customer, about)
	if status != "incomplete" {
		s.pay(sub)
		s.setStatus(sub, status)
	}
	return *sub, nil
}

// subscribe makes a subscription whose first invoice is open.
func (s *Server) subscribe(customer string, metadata map[string]string) *Subscription {
	now := s.now()
	sub := &Subscription{
		ID: s.newID("sub"), Object: "subscription", CollectionMethod: "charge_automatically", Created: now.Unix(),
		Currency: s.price.Currency, Customer: customer, Metadata: maps.Clone(metadata), Status: "incomplete",
	}
	sub.Items = listOf("/v1/subscription_items?subscription="+sub.ID, Item{
		ID: s.newID("si"), Object: "subscription_item", Price: s.price, Quantity: 1, Subscription: sub.ID,
		CurrentPeriodStart: now.Unix(), CurrentPeriodEnd: now.AddDate(0, 1, 0).Unix(),
	})
	s.subscriptions = append(s.subscriptions, sub)
	s.invoice(sub, 0)
	s.emit("customer.subscription.created", customer, sub)
	return sub
}

// invoice opens an invoice for the period of a subscription, which was a draft for a while.
func (s *Server) invoice(sub *Subscription, draft time.Duration) {
	net := sub.period().Price.UnitAmount
	tax := Tax{
		Amount: net * s.tax.Percent / 100, TaxableAmount: net, TaxBehavior: "exclusive",
		TaxabilityReason: s.tax.Reason, Type: "tax_rate_details",
	}
	made := &Invoice{
		ID: s.newID("in"), Object: "invoice", Status: "open", CollectionMethod: sub.CollectionMethod,
		Created: s.now().Add(-draft).Unix(), EffectiveAt: s.now().Unix(), Currency: sub.Currency, Customer: sub.Customer,
		Subtotal: net, TotalExcludingTax: net, Total: net + tax.Amount, AmountDue: net + tax.Amount,
		AmountRemaining: net + tax.Amount, TotalTaxes: []Tax{tax}, Parent: Parent{Type: "subscription_details"},
	}
	made.Parent.SubscriptionDetails.Subscription = sub.ID
	s.invoices = append(s.invoices, made)
	sub.LatestInvoice = made.ID
}

// pay pays all that is open, and the subscription is active.
func (s *Server) pay(sub *Subscription) {
	for _, i := range s.open(sub.ID) {
		i.Status, i.AmountPaid, i.AmountRemaining = "paid", i.Total, 0
		i.AttemptCount++
		s.emit("invoice.paid", sub.Customer, i)
	}
	s.setStatus(sub, "active")
}

// open returns the invoices of a subscription that are not paid.
func (s *Server) open(subscription string) (open []*Invoice) {
	for _, i := range s.invoices {
		if i.Parent.SubscriptionDetails.Subscription == subscription && i.Status == "open" {
			open = append(open, i)
		}
	}
	return open
}

// setStatus gives a subscription another status and tells so.
func (s *Server) setStatus(sub *Subscription, status string) {
	if sub.Status == status {
		return
	}
	sub.Status = status
	kind := "customer.subscription.updated"
	if status == "canceled" {
		now := s.now().Unix()
		sub.CanceledAt, sub.EndedAt = &now, &now
		kind = "customer.subscription.deleted"
	}
	s.emit(kind, sub.Customer, sub)
}

// change finds a subscription that is not over and changes it.
func (s *Server) change(id string, change func(sub *Subscription)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	sub := s.subscription(id)
	switch {
	case sub == nil:
		return noSuch("subscription", id)
	case sub.over():
		return fmt.Errorf("the subscription %s is over", id)
	}
	change(sub)
	return nil
}

// SetStatus gives a subscription any status: unpaid or canceled when Stripe gives up on a card,
// incomplete_expired, or what an operator sets by hand, such as paused.
func (s *Server) SetStatus(id, status string) error {
	return s.change(id, func(sub *Subscription) { s.setStatus(sub, status) })
}

// SetItem has a subscription be to another price, of our product or of another one, as somebody does by
// hand at Stripe, or a customer in its portal.
func (s *Server) SetItem(id string, change func(*Price)) error {
	return s.change(id, func(sub *Subscription) {
		change(&sub.period().Price)
		s.emit("customer.subscription.updated", sub.Customer, sub)
	})
}

// Pay pays the open invoices of a subscription.
func (s *Server) Pay(id string) error { return s.change(id, s.pay) }

// FailPayment ends the period of a subscription and fails the payment of the next: it is past due,
// with an invoice that is open. If it is past due already, another attempt fails, and there is another
// invoice once that period is over, too.
func (s *Server) FailPayment(id string) error {
	return s.change(id, func(sub *Subscription) {
		if len(s.open(id)) == 0 || s.now().Unix() >= sub.period().CurrentPeriodEnd {
			s.nextPeriod(sub)
		}
		for _, i := range s.open(id) {
			i.AttemptCount++
			s.emit("invoice.payment_failed", sub.Customer, i)
		}
		if sub.Status != "incomplete" {
			s.setStatus(sub, "past_due")
		}
	})
}

// EndPeriod ends the period of a subscription: the next is paid, unless it was cancelled.
func (s *Server) EndPeriod(id string) error {
	return s.change(id, func(sub *Subscription) {
		if sub.CancelAtPeriodEnd || sub.CancelAt != nil {
			s.setStatus(sub, "canceled")
			return
		}
		s.nextPeriod(sub)
		s.pay(sub)
		s.emit("customer.subscription.updated", sub.Customer, sub)
	})
}

// nextPeriod begins the next period of a subscription, with an invoice.
func (s *Server) nextPeriod(sub *Subscription) {
	period := sub.period()
	period.CurrentPeriodStart = period.CurrentPeriodEnd
	period.CurrentPeriodEnd = time.Unix(period.CurrentPeriodStart, 0).UTC().AddDate(0, 1, 0).Unix()
	s.invoice(sub, time.Hour)
}

// CancelInPortal cancels a subscription at the end of its period as Stripe's portal does: by a time,
// and not by the flag.
func (s *Server) CancelInPortal(id string) error {
	return s.change(id, func(sub *Subscription) {
		end, now := sub.period().CurrentPeriodEnd, s.now().Unix()
		sub.CancelAt, sub.CanceledAt = &end, &now
		s.emit("customer.subscription.updated", sub.Customer, sub)
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

func (s *Server) subscription(id string) *Subscription {
	return find(s.subscriptions, func(sub *Subscription) bool { return sub.ID == id })
}

func (s *Server) customer(id string) *Customer {
	return find(s.customers, func(c *Customer) bool { return c.ID == id })
}

// find returns the first object that is the one, or nil.
func find[T any](all []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i]
	}
	return nil
}
