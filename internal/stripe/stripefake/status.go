package stripefake

// setStatus gives a subscription another status and tells so.
func (s *Server) setStatus(sub *Subscription, status string) {
	if sub.Status == status {
		return
	}
	sub.Status = status
	kind := "customer.subscription.updated"
	if status == "canceled" {
		now := s.time().Unix()
		sub.CanceledAt, sub.EndedAt = &now, &now
		kind = "customer.subscription.deleted"
	}
	s.emit(kind, sub.Customer, sub)
	s.leaveOpen(sub)
}

// leaveOpen is what becomes of the open invoices of a subscription that is over: those of one whose first
// payment never came are void (https://docs.stripe.com/api/subscriptions/object, incomplete_expired), and
// those of one that was cancelled stay open, payable and not asked for any more. Its drafts advance: Stripe
// stops the collection of what is final, and of nothing else (https://docs.stripe.com/api/subscriptions/cancel).
func (s *Server) leaveOpen(sub *Subscription) {
	for _, i := range s.open(sub.ID) {
		switch sub.Status {
		case "incomplete_expired":
			_ = s.void(i) // it is open
		case "canceled", "unpaid":
			i.AutoAdvance, i.NextPaymentAttempt = false, nil
		}
	}
}

// void makes an invoice void. The subscription stays as it is, but for the first of one that is
// incomplete (https://docs.stripe.com/invoicing/overview).
func (s *Server) void(i *Invoice) error {
	if i.Status != "open" && i.Status != "uncollectible" {
		return invalid("", "invoice_not_editable", "You can only pass in open or uncollectible invoices. This invoice is %s.", i.Status)
	}
	now := s.time().Unix()
	i.Status, i.AutoAdvance, i.StatusTransitions.VoidedAt = "void", false, &now
	s.emit("invoice.voided", i.Customer, i)
	return nil
}

// open returns the invoices of a subscription that are open, the oldest first.
func (s *Server) open(subscription string) (open []*Invoice) {
	for _, i := range s.invoices {
		if i.subscription() == subscription && i.Status == "open" {
			open = append(open, i)
		}
	}
	return open
}
