package stripefake

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
)

// charge adds the charge for what is due on an invoice.
func (s *Server) charge(i *Invoice) {
	if i.AmountDue == 0 {
		return
	}
	made := &Charge{
		ID: s.newID("ch"), Object: "charge", Amount: i.AmountDue, Created: s.time().Unix(), Currency: i.Currency, Customer: i.Customer,
		PaymentIntent: s.newID("pi"), Status: "succeeded", invoice: i.ID,
	}
	s.charges = append(s.charges, made)
	s.emit("charge.succeeded", i.Customer, made)
}

var readCharge = call{
	do: func(s *Server, id string, _ url.Values) (any, error) {
		if c := find(s.charges, func(c *Charge) bool { return c.ID == id }); c != nil {
			return c, nil
		}
		return nil, noSuch("charge", id)
	},
}

// refund gives back part of a charge, or returns a fault if less is left of it:
// https://docs.stripe.com/error-codes#charge-already-refunded
func (s *Server) refund(c *Charge, amount int64) (*Refund, error) {
	switch left := c.Amount - c.AmountRefunded; {
	case left == 0:
		return nil, invalid("", "charge_already_refunded", "Charge %s has already been refunded.", c.ID)
	case amount > left:
		return nil, invalid("amount", "", "Refund amount (%d) is greater than unrefunded amount on charge (%d)", amount, left)
	}
	made := &Refund{
		ID: s.newID("re"), Object: "refund", Amount: amount, Charge: c.ID, Created: s.time().Unix(), Currency: c.Currency,
		PaymentIntent: c.PaymentIntent, Status: "succeeded",
	}
	if s.pendingRefunds {
		made.Status = "pending"
	}
	s.refunds = append(s.refunds, made)
	c.AmountRefunded += amount
	c.Refunded = c.AmountRefunded == c.Amount
	s.emit("refund.created", "", made)
	s.emit("charge.refunded", c.Customer, c)
	return made, nil
}

// Refund refunds the newest charge of a customer by hand, without a credit note: that many cents, or with 0 all that is
// left. A credit note that would refund the same money is refused from then on.
func (s *Server) Refund(customer string, cents int64) (Refund, error) {
	s.lockAndTick()
	defer s.mu.Unlock()
	for _, c := range slices.Backward(s.charges) {
		if c.Customer != customer {
			continue
		}
		if cents == 0 {
			cents = c.Amount - c.AmountRefunded
		}
		made, err := s.refund(c, cents)
		if err != nil {
			return Refund{}, err
		}
		return *made, nil
	}
	return Refund{}, errors.New("nothing was charged")
}

// PendRefunds makes refunds from now on stay pending until SettleRefund, as with some banks, or with false succeed at
// once again: https://docs.stripe.com/refunds
func (s *Server) PendRefunds(pend bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pendingRefunds = pend
}

// SettleRefund makes a refund succeed or fail. The money of a failed one, even if it had succeeded before, comes back
// to the seller, and the charge is no longer refunded (https://docs.stripe.com/refunds#failed-refunds). Its credit
// note stays.
func (s *Server) SettleRefund(id string, arrived bool) error {
	s.lockAndTick()
	defer s.mu.Unlock()
	r := find(s.refunds, func(r *Refund) bool { return r.ID == id })
	if r == nil || r.Status == "failed" {
		return fmt.Errorf("%s is no refund that is under way", id)
	}
	if arrived {
		r.Status = "succeeded"
		s.emit("refund.updated", "", r)
		return nil
	}
	c := find(s.charges, func(c *Charge) bool { return c.ID == r.Charge })
	r.Status, r.FailureReason = "failed", new("expired_or_canceled_card")
	c.AmountRefunded -= r.Amount
	c.Refunded = false
	s.emit("refund.failed", "", r)
	return nil
}

// Charges returns the charges of a customer, the newest first.
func (s *Server) Charges(customer string) (found []Charge) {
	s.lockAndTick()
	defer s.mu.Unlock()
	for _, c := range slices.Backward(s.charges) {
		if c.Customer == customer {
			found = append(found, *c)
		}
	}
	return found
}

// Refunds returns all refunds, the newest first.
func (s *Server) Refunds() (found []Refund) {
	s.lockAndTick()
	defer s.mu.Unlock()
	for _, r := range slices.Backward(s.refunds) {
		found = append(found, *r)
	}
	return found
}

// attach attaches a payment method to a customer, as the page of a checkout does for a subscription.
func (s *Server) attach(m *PaymentMethod, customer string) *PaymentMethod {
	m.Customer = &customer
	s.methods = append(s.methods, m)
	return m
}

// attached returns the payment methods of a customer, the newest first.
func (s *Server) attached(customer string) (found []*PaymentMethod) {
	for _, m := range slices.Backward(s.methods) {
		if m.Customer != nil && *m.Customer == customer {
			found = append(found, m)
		}
	}
	return found
}

// PaymentMethods returns the payment methods of a customer, the newest first.
func (s *Server) PaymentMethods(customer string) (found []PaymentMethod) {
	s.lockAndTick()
	defer s.mu.Unlock()
	for _, m := range s.attached(customer) {
		found = append(found, *m)
	}
	return found
}
