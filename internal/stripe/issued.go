package stripe

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/http"
	"time"

	stripego "github.com/stripe/stripe-go/v86"

	"github.com/palmares-hq/palmares/internal/billing"
)

// mailedAt is the metadata key for when an invoice or a credit note was mailed. Stripe records it, too, so that
// nothing is mailed again after our database was restored.
const mailedAt = "palmares_mailed_at"

// Document implements billing.Issuer.
func (c *Client) Document(ctx context.Context, d billing.DocumentID) (billing.MailedDocument, error) {
	if d.Kind == billing.CreditNote {
		return c.creditNote(ctx, d)
	}
	return c.issuedInvoice(ctx, d)
}

// issuedInvoice reads an invoice. It is to be mailed if it was paid, and if it is over 0 only as the first of an
// order, whose id is in the subscription's metadata that the invoice's parent has
// (https://docs.stripe.com/api/invoices/object, parent).
func (c *Client) issuedInvoice(ctx context.Context, d billing.DocumentID) (billing.MailedDocument, error) {
	var found stripego.Invoice
	path := stripego.FormatURLPath("/v1/invoices/%s", d.ID)
	err := c.call(ctx, http.MethodGet, path, &stripego.InvoiceRetrieveParams{}, &found)
	if err := c.readDocument("reading an invoice", found.ID, found.Livemode, err); err != nil {
		return billing.MailedDocument{}, err
	}
	is := billing.MailedDocument{
		DocumentID: d, Number: found.Number, Date: unix(cmp.Or(found.EffectiveAt, found.Created)), Email: found.CustomerEmail,
		Net: found.TotalExcludingTax, Tax: found.Total - found.TotalExcludingTax, Total: found.Total, Currency: string(found.Currency),
		Page: found.HostedInvoiceURL, PDF: found.InvoicePDF, Mailed: found.Metadata[mailedAt] != "",
	}
	for _, tax := range found.TotalTaxes {
		is.ReverseCharge = is.ReverseCharge || tax.TaxabilityReason == stripego.InvoiceTotalTaxTaxabilityReasonReverseCharge
	}
	is.Issued = found.Status == stripego.InvoiceStatusPaid && (found.Total > 0 || isFirst(&found))
	return is, nil
}

// isFirst reports whether an invoice is the first of an order.
func isFirst(i *stripego.Invoice) bool {
	of := i.Parent
	return i.BillingReason == stripego.InvoiceBillingReasonSubscriptionCreate && of != nil && of.SubscriptionDetails != nil &&
		of.SubscriptionDetails.Metadata[orderID] != ""
}

// creditNote reads a credit note with its invoice, which has the customer's e-mail address even after the customer was
// deleted.
func (c *Client) creditNote(ctx context.Context, d billing.DocumentID) (billing.MailedDocument, error) {
	var found stripego.CreditNote
	path := stripego.FormatURLPath("/v1/credit_notes/%s", d.ID)
	params := &stripego.CreditNoteRetrieveParams{Expand: stripego.StringSlice([]string{"invoice"})}
	err := c.call(ctx, http.MethodGet, path, params, &found)
	if err := c.readDocument("reading a credit note", found.ID, found.Livemode, err); err != nil {
		return billing.MailedDocument{}, err
	}
	is := billing.MailedDocument{
		DocumentID: d, Number: found.Number, Date: unix(cmp.Or(found.EffectiveAt, found.Created)), PDF: found.PDF,
		Net: found.TotalExcludingTax, Tax: found.Total - found.TotalExcludingTax, Total: found.Total, Currency: string(found.Currency),
		Issued: found.Status == stripego.CreditNoteStatusIssued && found.Total > 0, Mailed: found.Metadata[mailedAt] != "",
		Reason: billing.RefundReason(found.Metadata[refundedFor]),
	}
	if found.Invoice != nil {
		is.Corrects, is.Email = found.Invoice.Number, found.Invoice.CustomerEmail
	}
	for _, r := range found.Refunds {
		is.Refunded += r.AmountRefunded
	}
	for _, tax := range found.TotalTaxes {
		is.ReverseCharge = is.ReverseCharge || tax.TaxabilityReason == stripego.CreditNoteTotalTaxTaxabilityReasonReverseCharge
	}
	return is, nil
}

// readDocument returns the error of reading a document: ErrNoDocument if it does not exist.
func (c *Client) readDocument(call, id string, live bool, err error) error {
	if isMissing(err) {
		return fmt.Errorf("%w: %w", billing.ErrNoDocument, explain(call, err))
	}
	if err = requireField(id, err); err == nil {
		err = c.sameMode(live)
	}
	return explain(call, err)
}

// MarkMailed implements billing.Issuer. Metadata can be changed at any time (https://docs.stripe.com/api/invoices/update).
func (c *Client) MarkMailed(ctx context.Context, d billing.DocumentID, at time.Time) error {
	mark := map[string]string{mailedAt: at.UTC().Format(time.RFC3339)}
	if d.Kind == billing.CreditNote {
		var changed stripego.CreditNote
		path := stripego.FormatURLPath("/v1/credit_notes/%s", d.ID)
		err := c.call(ctx, http.MethodPost, path, &stripego.CreditNoteUpdateParams{Metadata: mark}, &changed)
		return explain("marking a credit note", requireField(changed.ID, err))
	}
	var changed stripego.Invoice
	path := stripego.FormatURLPath("/v1/invoices/%s", d.ID)
	err := c.call(ctx, http.MethodPost, path, &stripego.InvoiceUpdateParams{Metadata: mark}, &changed)
	return explain("marking an invoice", requireField(changed.ID, err))
}

// CreditNotes implements billing.Issuer.
func (c *Client) CreditNotes(ctx context.Context, since time.Time) iter.Seq2[billing.IssuedCreditNote, error] {
	return func(yield func(billing.IssuedCreditNote, error) bool) {
		params := &stripego.CreditNoteListParams{CreatedRange: &stripego.RangeQueryParams{GreaterThanOrEqual: since.Unix()}}
		for found, err := range list(ctx, c, "/v1/credit_notes", params, func(n *stripego.CreditNote) string { return n.ID }, c.waits...) {
			var note billing.IssuedCreditNote
			if err == nil {
				err = c.sameMode(found.Livemode)
			}
			if err == nil {
				note = billing.IssuedCreditNote{ID: found.ID, IssuedAt: unix(found.Created), Reason: billing.RefundReason(found.Metadata[refundedFor])}
				if found.Customer != nil {
					note.Customer = found.Customer.ID
				}
				if found.Invoice != nil {
					note.Invoice = found.Invoice.ID
				}
			}
			if !yield(note, explain("listing credit notes", err)) || err != nil {
				return
			}
		}
	}
}
