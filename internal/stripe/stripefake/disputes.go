package stripefake

import (
	"errors"
)

// charge returns what a dispute or a refund is about.
func (s *Server) charge(customer string, refunded bool) map[string]any {
	return map[string]any{"id": s.newID("ch"), "object": "charge", "customer": customer, "refunded": refunded}
}

// Dispute tells that somebody disputes a charge of a customer.
func (s *Server) Dispute(customer string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disputed = &dispute{
		ID: s.newID("du"), Object: "dispute", Charge: s.charge(customer, false)["id"], PaymentIntent: s.newID("pi"),
		Reason: "fraudulent", Status: "needs_response",
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

// Refund tells that a charge of a customer was refunded, without a credit note.
func (s *Server) Refund(customer string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.emit("charge.refunded", customer, s.charge(customer, true))
}
