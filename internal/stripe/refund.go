package stripe

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	stripego "github.com/stripe/stripe-go/v86"

	"github.com/palmares-hq/palmares/internal/billing"
)

// refundedFor is the name under which Stripe keeps why a credit note was made.
const refundedFor = "refunded_for"

// Refund implements billing.Provider. It is a credit note, so that the tax goes back, too
// (https://docs.stripe.com/tax/invoicing/refunds), over all that no other credit note took back: what is
// credited of a paid invoice must go somewhere, here to the card (https://docs.stripe.com/api/credit_notes/create).
func (c *Client) Refund(ctx context.Context, r billing.Refund) error {
	left := r.Paid
	notes := &stripego.CreditNoteListParams{Invoice: new(r.Invoice)}
	for note, err := range list(ctx, c, "/v1/credit_notes", notes, func(n *stripego.CreditNote) string { return n.ID }) {
		if err == nil {
			err = c.sameMode(note.Livemode)
		}
		if err != nil {
			return explain("listing credit notes", err)
		}
		if note.Status != stripego.CreditNoteStatusVoid {
			left -= note.Amount
		}
	}
	if left <= 0 {
		return nil
	}
	var made stripego.CreditNote
	err := c.call(ctx, http.MethodPost, "/v1/credit_notes", &stripego.CreditNoteCreateParams{
		Params:       stripego.Params{IdempotencyKey: new(r.Key)},
		Invoice:      new(r.Invoice),
		Amount:       new(left),
		RefundAmount: new(left),
		Reason:       new(string(stripego.CreditNoteReasonOrderChange)),
		Metadata:     map[string]string{refundedFor: string(r.Reason)},
		EmailType:    new("none"), // ours says why
	}, &made)
	return explain("refunding an invoice", checked(made.ID, err))
}

// Void implements billing.Provider (https://docs.stripe.com/api/invoices/void).
func (c *Client) Void(ctx context.Context, id string) error {
	var voided stripego.Invoice
	path := stripego.FormatURLPath("/v1/invoices/%s/void", id)
	err := c.call(ctx, http.MethodPost, path, &stripego.InvoiceVoidInvoiceParams{}, &voided)
	if err = explain("voiding an invoice", checked(voided.ID, err)); !errors.Is(err, billing.ErrRefused) {
		return err
	}
	now, failed := c.Invoice(ctx, id) // another was first
	switch {
	case failed != nil:
		return failed
	case now.State == billing.InvoiceVoid:
		return nil
	case now.State == billing.InvoicePaid:
		return fmt.Errorf("stripe: voiding an invoice: %w: it was paid meanwhile", billing.ErrBusy)
	}
	return err
}

// Invoice implements billing.Provider.
func (c *Client) Invoice(ctx context.Context, id string) (billing.Invoice, error) {
	var found stripego.Invoice
	path := stripego.FormatURLPath("/v1/invoices/%s", id)
	err := c.call(ctx, http.MethodGet, path, &stripego.InvoiceRetrieveParams{}, &found)
	if err = checked(found.ID, err); err == nil {
		err = c.sameMode(found.Livemode)
	}
	if err != nil {
		return billing.Invoice{}, explain("reading an invoice", err)
	}
	return invoice(&found), nil
}

// Invoices implements billing.Provider.
func (c *Client) Invoices(ctx context.Context, subscription string) (all []billing.Invoice, err error) {
	of := &stripego.InvoiceListParams{Subscription: new(subscription)}
	for found, err := range list(ctx, c, "/v1/invoices", of, func(i *stripego.Invoice) string { return i.ID }) {
		if err == nil {
			err = c.sameMode(found.Livemode)
		}
		if err != nil {
			return nil, explain("listing invoices", err)
		}
		all = append(all, invoice(found))
	}
	return all, nil
}
