package stripe

import (
	"cmp"
	"context"
	"time"

	stripego "github.com/stripe/stripe-go/v86"

	"github.com/palmares-hq/palmares/internal/billing"
)

// invoice converts an invoice of Stripe's.
func invoice(found *stripego.Invoice) billing.Invoice {
	i := billing.Invoice{
		ID:       found.ID,
		Number:   found.Number,
		State:    billing.InvoiceState(found.Status), // the words are the same
		Date:     invoiceDate(found),
		Total:    found.Total,
		Paid:     found.AmountPaid,
		Credited: found.PostPaymentCreditNotesAmount,
		URL:      found.HostedInvoiceURL,
	}
	i.Advances = i.State == billing.InvoiceDraft && found.AutoAdvance
	if of := found.Parent; of != nil && of.SubscriptionDetails != nil && of.SubscriptionDetails.Subscription != nil {
		i.Subscription = of.SubscriptionDetails.Subscription.ID
	}
	if found.StatusTransitions != nil {
		i.PaidAt = unix(found.StatusTransitions.PaidAt)
	}
	if failed := found.LastFinalizationError; failed != nil && i.State == billing.InvoiceDraft {
		i.NotFinal = cmp.Or(string(failed.Code), string(failed.Type))
	}
	return i
}

// addInvoice adds to a subscription what its latest invoice says.
func addInvoice(s *billing.Subscription, latest *stripego.Invoice) {
	if latest == nil {
		return
	}
	s.Latest = invoice(latest)
	s.Latest.URL = "" // given out only on request
	s.Bill = bill(latest)
	if latest.Status == stripego.InvoiceStatusDraft {
		return // its tax is not computed yet
	}
	s.Net, s.Tax = latest.TotalExcludingTax, latest.Total-latest.TotalExcludingTax
	for _, tax := range latest.TotalTaxes {
		switch tax.TaxabilityReason {
		case stripego.InvoiceTotalTaxTaxabilityReasonReverseCharge:
			s.ReverseCharge = true
		case stripego.InvoiceTotalTaxTaxabilityReasonNotCollecting:
			s.NotCollecting = true
		default: // the amount says it all
		}
	}
}

// addPaid adds to a subscription whether one of its invoices was ever paid. An invoice of 0 is paid by itself
// (https://docs.stripe.com/invoicing/overview). It makes a call only if the newest is not paid.
func (c *Client) addPaid(ctx context.Context, s *billing.Subscription, waits ...time.Duration) error {
	if s.EverPaid = s.Latest.State == billing.InvoicePaid; s.EverPaid || !s.Live() {
		return nil
	}
	paid := &stripego.InvoiceListParams{
		Subscription: new(s.ID),
		Status:       new(string(stripego.InvoiceStatusPaid)),
	}
	for _, err := range list(ctx, c, "/v1/invoices", paid, func(i *stripego.Invoice) string { return i.ID }, waits...) {
		if err != nil {
			return explain("listing paid invoices", err)
		}
		s.EverPaid = true
		break
	}
	return nil
}

// addUnpaid adds to a subscription its oldest invoice that is due and not paid. Only a subscription whose
// payment failed has one: an open invoice of any other is about to be paid.
func (c *Client) addUnpaid(ctx context.Context, s *billing.Subscription, waits ...time.Duration) error {
	if s.Status != billing.PastDue && s.Status != billing.Unpaid {
		return nil
	}
	open := &stripego.InvoiceListParams{
		Subscription: new(s.ID),
		Status:       new(string(stripego.InvoiceStatusOpen)),
	}
	id := func(i *stripego.Invoice) string { return i.ID }
	for invoice, err := range list(ctx, c, "/v1/invoices", open, id, waits...) {
		if err != nil {
			return explain("listing invoices", err)
		}
		if at := invoiceDate(invoice); s.Unpaid == "" || at.Before(s.UnpaidSince) {
			s.Unpaid, s.UnpaidSince = invoice.ID, at
		}
	}
	return nil
}

// invoiceDate returns when an invoice is due: its due date, which invoices paid by transfer have, or else
// the date printed on it, or for a draft when it was made. Stripe makes an invoice an hour before it takes
// effect and the card is charged.
func invoiceDate(i *stripego.Invoice) time.Time {
	switch {
	case i.DueDate != 0:
		return unix(i.DueDate)
	case i.EffectiveAt != 0:
		return unix(i.EffectiveAt)
	default:
		return unix(i.Created)
	}
}

// unix converts a time of Stripe's, in seconds; 0 gives the zero time.
func unix(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}
