package stripe

import (
	"cmp"
	"context"
	"iter"
	"time"

	stripego "github.com/stripe/stripe-go/v86"

	"github.com/palmares-hq/palmares/internal/billing"
)

// Documents implements billing.Provider. Like All it reads page by page, and retries a page that fails.
func (c *Client) Documents(ctx context.Context, from, to time.Time) iter.Seq2[billing.Document, error] {
	return func(yield func(billing.Document, error) bool) {
		made := &stripego.RangeQueryParams{GreaterThanOrEqual: from.Unix(), LesserThan: to.Unix()}
		fail := func(call string, err error) { yield(billing.Document{}, explain(call, err)) }
		invoices := &stripego.InvoiceListParams{CreatedRange: made}
		invoiceID := func(i *stripego.Invoice) string { return i.ID }
		for i, err := range list(ctx, c, "/v1/invoices", invoices, invoiceID, c.waits...) {
			if err == nil {
				err = c.sameMode(i.Livemode)
			}
			if err != nil {
				fail("listing invoices", err)
				return
			}
			if i.Status != stripego.InvoiceStatusDraft && !yield(invoiceDocument(i), nil) {
				return
			}
		}
		notes := &stripego.CreditNoteListParams{CreatedRange: made, Expand: stripego.StringSlice([]string{"data.invoice"})}
		noteID := func(n *stripego.CreditNote) string { return n.ID }
		for n, err := range list(ctx, c, "/v1/credit_notes", notes, noteID, c.waits...) {
			if err == nil {
				err = c.sameMode(n.Livemode)
			}
			if err != nil {
				fail("listing credit notes", err)
				return
			}
			if !yield(creditNoteDocument(n), nil) {
				return
			}
		}
	}
}

// invoiceDocument converts an invoice. Its name, address and tax ids are those of the day on which it became final
// (https://docs.stripe.com/api/invoices/object).
func invoiceDocument(i *stripego.Invoice) billing.Document {
	d := billing.Document{
		Kind: billing.InvoiceDocument, Number: i.Number, State: billing.InvoiceState(i.Status), // the words are the same
		IssuedAt: unix(i.EffectiveAt), DueAt: invoiceDate(i), Currency: string(i.Currency),
		Net: i.TotalExcludingTax, VAT: i.Total - i.TotalExcludingTax,
	}
	if at := i.StatusTransitions; at != nil {
		d.FinalAt, d.PaidAt = unix(at.FinalizedAt), unix(at.PaidAt)
	}
	addBuyer(&d, i)
	return d
}

// creditNoteDocument converts a credit note. It is made out to the same customer as its invoice, and is final when it
// is made.
func creditNoteDocument(n *stripego.CreditNote) billing.Document {
	d := billing.Document{
		Kind: billing.CreditNote, Number: n.Number, State: billing.InvoiceState(n.Status), // the words are the same
		FinalAt: unix(n.Created), IssuedAt: unix(cmp.Or(n.EffectiveAt, n.Created)), Currency: string(n.Currency),
		Net: -n.TotalExcludingTax, VAT: n.TotalExcludingTax - n.Total,
	}
	if n.Invoice != nil {
		d.Invoice = n.Invoice.Number
		addBuyer(&d, n.Invoice)
	}
	return d
}

// addBuyer adds the customer whom an invoice was made out to. A VAT number of the European Union is preferred to other
// tax ids.
func addBuyer(d *billing.Document, i *stripego.Invoice) {
	d.Customer = i.CustomerName
	if i.CustomerAddress != nil {
		d.Country = i.CustomerAddress.Country
	}
	for _, id := range i.CustomerTaxIDs {
		if d.VATNumber == "" || id.Type != nil && *id.Type == stripego.TaxIDTypeEUVAT {
			d.VATNumber = id.Value
		}
	}
}
