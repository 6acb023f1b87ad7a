package stripefake

import (
	"errors"
)

// Dispute tells that somebody disputes a charge of a customer.
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

// CloseDispute tells how the last dispute ended: won or lost.
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
