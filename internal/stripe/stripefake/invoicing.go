package stripefake

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// draftFor is how long the invoice of a renewal stays a draft. The first invoice of a subscription is final at
// once (https://docs.stripe.com/billing/invoices/subscription, subscription invoice lifecycle).
const draftFor = time.Hour

// invoice makes an invoice for the period of a subscription. The first is final at once. Any other is a draft for
// an hour, of which passed is over already, and is then finalized and charged, unless the subscription is unpaid:
// then it stays a draft that nobody is asked to pay (https://docs.stripe.com/billing/subscriptions/overview,
// unpaid).
func (s *Server) invoice(sub *Subscription, net int64, reason string, passed time.Duration) *Invoice {
	period := sub.period()
	left := net - net*sub.percentOff/100
	made := &Invoice{
		ID: s.newID("in"), Object: "invoice", Status: "draft", CollectionMethod: sub.CollectionMethod,
		AutoAdvance: sub.Status != "unpaid" && (sub.PauseCollection == nil || sub.PauseCollection.Behavior != "keep_as_draft"), AutomaticTax: AutomaticTax{Enabled: true}, BillingReason: reason,
		Created: s.time().Add(-passed).Unix(), Currency: sub.Currency, Customer: sub.Customer,
		PeriodStart: period.CurrentPeriodStart, PeriodEnd: period.CurrentPeriodEnd,
		Subtotal: net, TotalExcludingTax: left, Total: left, AmountDue: left, AmountRemaining: left,
		CustomerTaxIDs: []InvoiceTaxID{}, TotalTaxes: []Tax{}, Parent: Parent{Type: "subscription_details"}, Metadata: map[string]string{},
	}
	made.Parent.SubscriptionDetails.Subscription, made.Parent.SubscriptionDetails.Metadata = sub.ID, maps.Clone(sub.Metadata)
	line := Line{
		ID: s.newID("il"), Object: "line_item", Amount: net, Currency: sub.Currency, Description: "1 × Palmarès Pro",
		Invoice: made.ID, Quantity: period.Quantity,
	}
	line.Period.Start, line.Period.End = period.CurrentPeriodStart, period.CurrentPeriodEnd
	made.Lines = listOf("/v1/invoices/"+made.ID+"/lines", line)
	s.invoices = append(s.invoices, made)
	sub.LatestInvoice = made.ID
	if reason == "subscription_create" {
		s.finalize(made)
		return made
	}
	if made.AutoAdvance {
		made.NextPaymentAttempt = new(made.hour())
	}
	s.emit("invoice.created", made.Customer, made)
	s.tick() // the hour may be over
	return made
}

// finalize turns a draft into an open invoice, with its tax, number and page. If the tax cannot be
// computed it stays a draft, and the subscription stays as it is:
// https://support.stripe.com/questions/manage-draft-subscription-invoices-with-invalid-tax-location-details
func (s *Server) finalize(i *Invoice) {
	rate, failed := s.rateOf(i.Customer)
	status := "complete"
	i.AutomaticTax.Status = &status
	if failed != nil {
		status = "failed"
		if failed.Code == "customer_tax_location_invalid" {
			status = "requires_location_inputs"
		}
		i.LastFinalizationError = failed
		s.emit("invoice.finalization_failed", i.Customer, i)
		return
	}
	net, tax := i.TotalExcludingTax, rate.of(i.TotalExcludingTax)
	if net > 0 {
		i.TotalTaxes = []Tax{{
			Amount: tax, TaxableAmount: net, TaxBehavior: "exclusive", TaxabilityReason: rate.Reason, Type: "tax_rate_details",
		}}
	}
	if c := s.customer(i.Customer); c != nil { // as it is at this time: https://docs.stripe.com/api/invoices/object
		address, name, email := c.Address, c.Name, c.Email
		i.CustomerAddress, i.CustomerName, i.CustomerEmail, i.CustomFields = address, &name, &email, c.InvoiceSettings.CustomFields
	}
	for _, id := range s.taxIDsOf(i.Customer) {
		i.CustomerTaxIDs = append(i.CustomerTaxIDs, InvoiceTaxID{id.Type, id.Value})
	}
	s.numbers++
	number, page, now := fmt.Sprintf("PAL-%04d", s.numbers), s.URL+"/invoice/"+i.ID, s.time().Unix()
	i.LastFinalizationError, i.Number, i.HostedInvoiceURL, i.EffectiveAt = nil, &number, &page, &now
	i.InvoicePDF = new(page + "/pdf")
	i.Total, i.AmountDue, i.AmountRemaining = net+tax, net+tax, net+tax
	s.useBalance(i)
	i.Status, i.StatusTransitions.FinalizedAt = "open", &now
	s.emit("invoice.finalized", i.Customer, i)
}

// SkipNumbers skips n invoice numbers, as a seller does who sets the next one in the dashboard, which may be any larger
// number (https://docs.stripe.com/invoicing/customize, next invoice number).
func (s *Server) SkipNumbers(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.numbers += n
}

// payInvoice pays an open invoice. Only paying the newest changes its subscription, from incomplete, past due
// or unpaid to active (https://docs.stripe.com/billing/subscriptions/overview).
func (s *Server) payInvoice(i *Invoice) {
	now := s.time().Unix()
	i.Status, i.AmountPaid, i.AmountRemaining, i.AutoAdvance, i.NextPaymentAttempt = "paid", i.AmountDue, 0, false, nil
	i.AttemptCount++
	s.charge(i)
	if s.setup.Receipts {
		i.ReceiptNumber = new("2026-" + i.ID)
	}
	i.StatusTransitions.PaidAt = &now
	s.emit("invoice.paid", i.Customer, i)
	s.revive(i)
}

// revive makes a subscription active if i is its newest invoice, and it is not over, paused or trialing.
func (s *Server) revive(i *Invoice) {
	sub := s.subscription(i.subscription())
	if sub != nil && !sub.over() && sub.LatestInvoice == i.ID && sub.Status != "paused" && sub.Status != "trialing" {
		s.setStatus(sub, "active")
	}
}

// changeInvoice finds an invoice and calls change for it under the lock, if it is in one of the states.
func (s *Server) changeInvoice(id string, change func(*Invoice) error, states ...string) error {
	s.lockAndTick()
	defer s.mu.Unlock()
	i := find(s.invoices, func(i *Invoice) bool { return i.ID == id })
	if i == nil {
		return noSuch("invoice", id)
	}
	if slices.Contains(states, i.Status) {
		return change(i)
	}
	return fmt.Errorf("the invoice %s is %s", id, i.Status)
}

// payAnew pays an invoice with a working card, which also pays its subscription from then on.
func (s *Server) payAnew(i *Invoice) {
	if sub := s.subscription(i.subscription()); sub != nil {
		sub.declined = false
	}
	s.payInvoice(i)
}

// PayInvoice pays an invoice as a customer does on its page.
func (s *Server) PayInvoice(id string) error {
	return s.changeInvoice(id, func(i *Invoice) error { s.payAnew(i); return nil }, "open", "uncollectible")
}

// VoidInvoice voids an invoice, as an operator does.
func (s *Server) VoidInvoice(id string) error {
	return s.changeInvoice(id, s.void, "open", "uncollectible")
}

// WriteOff marks an invoice as uncollectible, which makes a subscription that is past due active
// (https://docs.stripe.com/billing/subscriptions/overview, active).
func (s *Server) WriteOff(id string) error {
	return s.changeInvoice(id, func(i *Invoice) error {
		s.writeOff(i)
		s.revive(i)
		return nil
	}, "open")
}

// writeOff marks an invoice as uncollectible. It can still be paid: https://docs.stripe.com/invoicing/overview
func (s *Server) writeOff(i *Invoice) {
	now := s.time().Unix()
	i.Status, i.AutoAdvance, i.NextPaymentAttempt, i.StatusTransitions.MarkedUncollectibleAt = "uncollectible", false, nil, &now
	s.emit("invoice.marked_uncollectible", i.Customer, i)
}

// Finalize turns a draft into an open invoice, or returns an error if it cannot be finalized.
func (s *Server) Finalize(id string) error {
	return s.changeInvoice(id, func(i *Invoice) error {
		if s.finalize(i); i.LastFinalizationError != nil {
			return fmt.Errorf("the invoice %s is not final: %s", id, i.LastFinalizationError.Code)
		}
		return nil
	}, "draft")
}

// Invoices returns the invoices of a customer, the newest first.
func (s *Server) Invoices(customer string) (found []Invoice) {
	s.lockAndTick()
	defer s.mu.Unlock()
	for _, i := range s.invoices {
		if i.Customer == customer {
			copied := *i
			copied.Metadata = maps.Clone(i.Metadata)
			found = append([]Invoice{copied}, found...)
		}
	}
	return found
}

// useBalance applies the customer's balance to an invoice that becomes final: a credit pays it, a debt is added to it.
func (s *Server) useBalance(i *Invoice) {
	c := s.customer(i.Customer)
	if c == nil || c.Balance == 0 || i.Total == 0 {
		return
	}
	before := c.Balance
	i.StartingBalance = before
	i.AmountDue = max(0, i.Total+before)
	c.Balance = min(0, i.Total+before)
	i.EndingBalance = new(c.Balance)
	i.AmountRemaining = i.AmountDue
}

// net returns the price of a period, in cents, before tax and discounts.
func (i *Item) net() int64 { return i.Price.UnitAmount * i.Quantity }

// hour returns when the invoice stops being a draft, as a Unix time.
func (i *Invoice) hour() int64 { return i.Created + int64(draftFor/time.Second) }
