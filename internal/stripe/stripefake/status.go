package stripefake

// setStatus changes the status of a subscription and emits the event of that.
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

// leaveOpen does what Stripe does with the open invoices of a subscription that ends: it voids them if the first
// payment never came (https://docs.stripe.com/api/subscriptions/object, incomplete_expired). If the subscription
// was cancelled or is unpaid they stay open and payable, but are no longer collected. Drafts still advance: Stripe
// stops the collection of final invoices only (https://docs.stripe.com/api/subscriptions/cancel).
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

// void voids an invoice and leaves its subscription as it is. At Stripe the first invoice of an incomplete
// subscription is an exception (https://docs.stripe.com/invoicing/overview).
func (s *Server) void(i *Invoice) error {
	if i.Status != "open" && i.Status != "uncollectible" {
		return invalid("", "invoice_not_editable", "You can only pass in open or uncollectible invoices. This invoice is %s.", i.Status)
	}
	now := s.time().Unix()
	i.Status, i.AutoAdvance, i.StatusTransitions.VoidedAt = "void", false, &now
	s.emit("invoice.voided", i.Customer, i)
	return nil
}

// open returns the open invoices of a subscription, the oldest first.
func (s *Server) open(subscription string) (open []*Invoice) {
	for _, i := range s.invoices {
		if i.subscription() == subscription && i.Status == "open" {
			open = append(open, i)
		}
	}
	return open
}
