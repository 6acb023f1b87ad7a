package stripefake

import (
	"fmt"
	"time"
)

// tick does everything that is due, the oldest first: it finalizes and charges drafts that advance, and retries
// failed payments.
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

// nextDue returns the invoice that is due next, and when; nil for none. It skips a draft whose tax could not be
// computed: Stripe does not retry that by itself.
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

// attempt tries to pay an invoice with its subscription's payment method, and emits events of the kinds failures if
// that fails. An invoice of 0 is paid by itself.
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

// giveUp does what Dunning says for the end of the retries. The invoice stays payable either way
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

// GiveUp ends all retries of the open invoices of a subscription now, and does what Dunning says for that.
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

// Charge ends the hour of a subscription's drafts now, even if the subscription is over: those that advance are
// finalized and charged.
func (s *Server) Charge(id string) error {
	s.lockAndTick()
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

// pays reports whether a subscription has a payment method that can be charged at a time.
func (s *Subscription) pays(at time.Time) bool {
	if s == nil || s.method == nil || s.method.Customer == nil || s.declined { // without a customer it was detached
		return false
	}
	c := s.method.Card
	return c == nil || at.Before(time.Date(int(c.ExpYear), time.Month(c.ExpMonth)+1, 1, 0, 0, 0, 0, time.UTC))
}

// visa returns the default payment method: a valid card.
func visa(id string) *PaymentMethod {
	return &PaymentMethod{ID: id, Object: "payment_method", Type: "card", Card: &Card{Brand: "visa", ExpMonth: 12, ExpYear: 2034, Last4: "4242"}}
}

// PayWith sets the payment method of a subscription: a card, which may have expired, something without a card, such
// as Link (https://docs.stripe.com/api/payment_methods/object, card), or nil for none.
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

// expireCard makes a subscription be paid with an expired card.
func (s *Server) expireCard(id string) error {
	now := s.now()
	last := time.Date(now.Year(), now.Month(), 0, 0, 0, 0, 0, time.UTC)
	expired := visa("")
	expired.Card.ExpMonth, expired.Card.ExpYear = int64(last.Month()), int64(last.Year())
	return s.PayWith(id, expired)
}

// Stop turns off the automatic collection of an invoice, as somebody does in the dashboard: it is no longer charged.
func (s *Server) Stop(id string) error {
	return s.changeInvoice(id, func(i *Invoice) error {
		i.AutoAdvance = false
		s.emit("invoice.updated", i.Customer, i)
		return nil
	}, "draft", "open")
}

// uncollected reports whether the collection of a subscription is paused, and if so voids or writes off an invoice that
// has just become final, as the pause says.
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
