package stripefake

import (
	"fmt"
	"slices"
	"time"
)

// invoice makes an invoice for the period of a subscription, which was a draft for a while, and has it
// become final, unless the subscription is unpaid: then it stays a draft that nobody is asked to pay
// (https://docs.stripe.com/billing/subscriptions/overview, unpaid).
func (s *Server) invoice(sub *Subscription, net int64, draft time.Duration) *Invoice {
	period := sub.period()
	made := &Invoice{
		ID: s.newID("in"), Object: "invoice", Status: "draft", CollectionMethod: sub.CollectionMethod,
		AutoAdvance: sub.Status != "unpaid", AutomaticTax: AutomaticTax{Enabled: true}, BillingReason: "subscription_cycle",
		Created: s.now().Add(-draft).Unix(), Currency: sub.Currency, Customer: sub.Customer,
		PeriodStart: period.CurrentPeriodStart, PeriodEnd: period.CurrentPeriodEnd,
		Subtotal: net, TotalExcludingTax: net, Total: net, AmountDue: net, AmountRemaining: net,
		CustomerTaxIDs: []InvoiceTaxID{}, TotalTaxes: []Tax{}, Parent: Parent{Type: "subscription_details"},
	}
	if draft == 0 {
		made.BillingReason = "subscription_create"
	}
	made.Parent.SubscriptionDetails.Subscription = sub.ID
	line := Line{
		ID: s.newID("il"), Object: "line_item", Amount: net, Currency: sub.Currency, Description: "1 × Palmarès Pro",
		Invoice: made.ID, Quantity: 1,
	}
	line.Period.Start, line.Period.End = period.CurrentPeriodStart, period.CurrentPeriodEnd
	made.Lines = listOf("/v1/invoices/"+made.ID+"/lines", line)
	s.invoices = append(s.invoices, made)
	sub.LatestInvoice = made.ID
	if made.AutoAdvance {
		s.finalize(made)
	}
	return made
}

// finalize makes an open invoice of a draft, with its tax, number and page. Where the tax cannot be
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
	net, tax := i.Subtotal, rate.of(i.Subtotal)
	if net > 0 {
		i.TotalTaxes = []Tax{{
			Amount: tax, TaxableAmount: net, TaxBehavior: "exclusive", TaxabilityReason: rate.Reason, Type: "tax_rate_details",
		}}
	}
	if c := s.customer(i.Customer); c != nil {
		i.CustomerAddress = c.Address
	}
	for _, id := range s.taxIDsOf(i.Customer) {
		i.CustomerTaxIDs = append(i.CustomerTaxIDs, InvoiceTaxID{id.Type, id.Value})
	}
	s.numbers++
	number, page, now := fmt.Sprintf("PAL-%04d", s.numbers), s.URL+"/invoice/"+i.ID, s.now().Unix()
	i.LastFinalizationError, i.Number, i.HostedInvoiceURL, i.EffectiveAt = nil, &number, &page, &now
	i.Total, i.AmountDue, i.AmountRemaining = net+tax, net+tax, net+tax
	i.Status, i.StatusTransitions.FinalizedAt = "open", &now
	s.emit("invoice.finalized", i.Customer, i)
}

// payInvoice pays one that is open. Only that of the newest moves its subscription: paying it makes one
// that is incomplete, past due or unpaid active (https://docs.stripe.com/billing/subscriptions/overview).
func (s *Server) payInvoice(i *Invoice) {
	now := s.now().Unix()
	i.Status, i.AmountPaid, i.AmountRemaining, i.AutoAdvance = "paid", i.Total, 0, false
	i.AttemptCount++
	i.StatusTransitions.PaidAt = &now
	s.emit("invoice.paid", i.Customer, i)
	s.revive(i)
}

// revive makes the subscription of its newest invoice active.
func (s *Server) revive(i *Invoice) {
	sub := s.subscription(i.subscription())
	if sub != nil && !sub.over() && sub.LatestInvoice == i.ID && sub.Status != "paused" && sub.Status != "trialing" {
		s.setStatus(sub, "active")
	}
}

// changeInvoice finds an invoice in one of a few states and changes it.
func (s *Server) changeInvoice(id string, change func(*Invoice) error, states ...string) error {
	s.mu.Lock()
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

// PayInvoice pays an invoice on its page.
func (s *Server) PayInvoice(id string) error {
	return s.changeInvoice(id, func(i *Invoice) error { s.payInvoice(i); return nil }, "open", "uncollectible")
}

// VoidInvoice makes an invoice void, as an operator does.
func (s *Server) VoidInvoice(id string) error {
	return s.changeInvoice(id, s.void, "open", "uncollectible")
}

// WriteOff marks an invoice as uncollectible, which makes a subscription that is past due active
// (https://docs.stripe.com/billing/subscriptions/overview, active).
func (s *Server) WriteOff(id string) error {
	return s.changeInvoice(id, func(i *Invoice) error {
		now := s.now().Unix()
		i.Status, i.AutoAdvance, i.StatusTransitions.MarkedUncollectibleAt = "uncollectible", false, &now
		s.emit("invoice.marked_uncollectible", i.Customer, i)
		s.revive(i)
		return nil
	}, "open")
}

// Finalize has a draft become an invoice, if it can.
func (s *Server) Finalize(id string) error {
	return s.changeInvoice(id, func(i *Invoice) error {
		if s.finalize(i); i.LastFinalizationError != nil {
			return fmt.Errorf("the invoice %s is not final: %s", id, i.LastFinalizationError.Code)
		}
		return nil
	}, "draft")
}

// Invoices returns those of a customer, the newest first.
func (s *Server) Invoices(customer string) (found []Invoice) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, i := range s.invoices {
		if i.Customer == customer {
			found = append([]Invoice{*i}, found...)
		}
	}
	return found
}
