package stripefake

import (
	"fmt"
	"time"
)

// tick does what is due, the oldest first: drafts that advance become final and are charged, and payments that
// failed are tried again.
func (s *Server) tick() {
	now := s.now()
	for {
		i, at := s.nextDue()
		if i == nil || at.After(now) {
			return
		}
		s.moment = at
		if i.Status == "draft" {
			if s.finalize(i); i.Status == "open" && s.uncollected(i) {
				s.moment = time.Time{}
				continue
			}
		}
		if i.Status == "open" {
			s.attempt(i, "invoice.payment_failed")
		}
		s.moment = time.Time{}
	}
}

// nextDue returns the invoice that is due next, and when; nil for none. A draft whose tax could not be computed
// waits for somebody: Stripe does not try again by itself.
func (s *Server) nextDue() (due *Invoice, at time.Time) {
	for _, i := range s.invoices {
		when := i.NextPaymentAttempt
		if !i.AutoAdvance || when == nil || i.LastFinalizationError != nil || i.Status != "draft" && i.Status != "open" {
			continue
		}
		if t := time.Unix(*when, 0); due == nil || t.Before(at) {
			due, at = i, t
		}
	}
	return due, at
}

// attempt charges what pays a subscription. An invoice of nothing is paid by itself.
func (s *Server) attempt(i *Invoice, failures ...string) {
	sub := s.subscription(i.subscription())
	if i.AmountDue == 0 || sub.pays(s.time()) {
		s.payInvoice(i)
		return
	}
	i.AttemptCount++
	i.NextPaymentAttempt = nil
	retries := s.setup.Dunning.Retries
	if n := int(i.AttemptCount) - 1; n < len(retries) && !sub.over() {
		again := s.time().Add(retries[n]).Unix()
		i.NextPaymentAttempt = &again
	}
	for _, kind := range failures {
		s.emit(kind, i.Customer, i)
	}
	if sub.Status == "active" || sub.Status == "trialing" {
		s.setStatus(sub, "past_due")
	}
	if i.NextPaymentAttempt == nil {
		s.giveUp(sub, i)
	}
}

// giveUp does what the seller set for the end of the retries. The invoice stays payable either way
// (https://docs.stripe.com/billing/subscriptions/overview, unpaid and canceled).
func (s *Server) giveUp(sub *Subscription, i *Invoice) {
	d := s.setup.Dunning
	if d.Invoice == "uncollectible" {
		s.writeOff(i)
	}
	switch {
	case sub.over():
	case d.Then == "cancel":
		s.setStatus(sub, "canceled")
	case d.Then == "unpaid":
		s.setStatus(sub, "unpaid")
	}
}

// GiveUp has all retries of the open invoices of a subscription fail now, and what the seller set happen then.
func (s *Server) GiveUp(id string) error {
	return s.change(id, func(sub *Subscription) error {
		open := s.open(id)
		if len(open) == 0 {
			return fmt.Errorf("nothing of %s is open", id)
		}
		for _, i := range open {
			i.NextPaymentAttempt = nil
			s.giveUp(sub, i)
		}
		return nil
	})
}

// Charge has the hour of a subscription's drafts be over now, also where the subscription is: those that advance are
// final and charged.
func (s *Server) Charge(id string) error {
	s.lock()
	defer s.mu.Unlock()
	now, found := s.now().Unix(), false
	for _, i := range s.invoices {
		if i.subscription() == id && i.Status == "draft" {
			found = true
			i.NextPaymentAttempt = &now
		}
	}
	if !found {
		return fmt.Errorf("%s has no draft", id)
	}
	s.tick()
	return nil
}

// pays reports whether what pays a subscription can be charged at a time.
func (s *Subscription) pays(at time.Time) bool {
	if s == nil || s.method == nil || s.method.Customer == nil || s.declined { // or detached
		return false
	}
	c := s.method.Card
	return c == nil || at.Before(time.Date(int(c.ExpYear), time.Month(c.ExpMonth)+1, 1, 0, 0, 0, 0, time.UTC))
}

// visa is what everybody pays with who says nothing else.
func visa(id string) *PaymentMethod {
	return &PaymentMethod{ID: id, Object: "payment_method", Type: "card", Card: &Card{Brand: "visa", ExpMonth: 12, ExpYear: 2034, Last4: "4242"}}
}

// PayWith says what a subscription is paid with from now on: a card, which may have expired, something without a
// card, such as Link (https://docs.stripe.com/api/payment_methods/object, card), or nil for nothing.
func (s *Server) PayWith(id string, method *PaymentMethod) error {
	return s.change(id, func(sub *Subscription) error {
		sub.method, sub.declined = method, false
		if method != nil {
			method.ID, method.Object = s.newID("pm"), "payment_method"
			s.attach(method, sub.Customer)
		}
		s.emit("customer.subscription.updated", sub.Customer, sub)
		return nil
	})
}

// expireCard has a subscription be paid with a card whose last month has passed.
func (s *Server) expireCard(id string) error {
	now := s.now()
	last := time.Date(now.Year(), now.Month(), 0, 0, 0, 0, 0, time.UTC)
	expired := visa("")
	expired.Card.ExpMonth, expired.Card.ExpYear = int64(last.Month()), int64(last.Year())
	return s.PayWith(id, expired)
}

// Stop takes automatic collection from an invoice, as somebody does in the dashboard: nobody tries to be paid.
func (s *Server) Stop(id string) error {
	return s.changeInvoice(id, func(i *Invoice) error {
		i.AutoAdvance = false
		s.emit("invoice.updated", i.Customer, i)
		return nil
	}, "draft", "open")
}

// uncollected does with an invoice that has become final what the pause of its subscription says, and reports whether
// there is one.
func (s *Server) uncollected(i *Invoice) bool {
	sub := s.subscription(i.subscription())
	if sub == nil || sub.PauseCollection == nil {
		return false
	}
	if sub.PauseCollection.Behavior == "void" {
		_ = s.void(i) // it is open
	} else {
		s.writeOff(i)
	}
	return true
}
