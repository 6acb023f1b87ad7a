package stripe

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	stripego "github.com/stripe/stripe-go/v86"

	"github.com/palmares-hq/palmares/internal/billing"
)

// refundedFor is the metadata key for the reason of a credit note.
const refundedFor = "refunded_for"

// Refund implements billing.Provider. It makes a credit note, so that the tax is given back, too
// (https://docs.stripe.com/tax/invoicing/refunds), over what other credit notes have not taken back. A credit
// of a paid invoice must go somewhere, here to the card (https://docs.stripe.com/api/credit_notes/create).
func (c *Client) Refund(ctx context.Context, r billing.Refund) (done billing.Refunded, err error) {
	left := r.Cents
	notes := &stripego.CreditNoteListParams{Invoice: new(r.Invoice)}
	for note, err := range list(ctx, c, "/v1/credit_notes", notes, func(n *stripego.CreditNote) string { return n.ID }) {
		if err == nil {
			err = c.sameMode(note.Livemode)
		}
		if err != nil {
			return done, explain("listing credit notes", err)
		}
		if note.Status == stripego.CreditNoteStatusVoid {
			continue
		}
		left -= note.Amount
		if note.Metadata[refundedFor] == string(r.Reason) {
			done.CreditNote = note.ID
		}
	}
	if left <= 0 {
		return done, nil
	}
	note, err := c.credit(ctx, r, left, func(p *stripego.CreditNoteCreateParams) { p.RefundAmount = new(left) })
	if said, ok := errors.AsType[*stripego.Error](err); ok && said.Code == stripego.ErrorCodeChargeAlreadyRefunded {
		// Somebody refunded the charge in the dashboard: only the invoice and its tax remain to be credited.
		r.Key += "-elsewhere"
		note, err = c.credit(ctx, r, left, func(p *stripego.CreditNoteCreateParams) { p.OutOfBandAmount = new(left) })
	}
	if err != nil {
		return done, explain("refunding an invoice", err)
	}
	return billing.Refunded{CreditNote: note, Made: true}, nil
}

// credit makes a credit note; to sets where the money goes. The amount is part of the idempotency key, because Stripe
// refuses other parameters under the same key.
func (c *Client) credit(
	ctx context.Context, r billing.Refund, cents int64, to func(*stripego.CreditNoteCreateParams),
) (id string, err error) {
	params := &stripego.CreditNoteCreateParams{
		Params:    stripego.Params{IdempotencyKey: new(fmt.Sprintf("%s-%d", r.Key, cents))},
		Invoice:   new(r.Invoice),
		Amount:    new(cents),
		Reason:    new(string(stripego.CreditNoteReasonOrderChange)),
		Metadata:  map[string]string{refundedFor: string(r.Reason)},
		EmailType: new("none"), // ours says why
	}
	to(params)
	var made stripego.CreditNote
	err = c.call(ctx, http.MethodPost, "/v1/credit_notes", params, &made)
	return made.ID, requireField(made.ID, err)
}

// Charged implements billing.Provider (https://docs.stripe.com/api/charges/object, customer).
func (c *Client) Charged(ctx context.Context, charge string) (customer string, err error) {
	var found stripego.Charge
	err = c.call(ctx, http.MethodGet, stripego.FormatURLPath("/v1/charges/%s", charge), &stripego.ChargeRetrieveParams{}, &found)
	if err = requireField(found.ID, err); err == nil {
		err = c.sameMode(found.Livemode)
	}
	if err != nil || found.Customer == nil {
		return "", explain("reading a charge", err)
	}
	return found.Customer.ID, nil
}

// StopCollecting implements billing.Provider
// (https://docs.stripe.com/invoicing/integration/automatic-advancement-collection). It returns ErrBusy for an invoice
// that has just become final, which the caller has to look at again.
func (c *Client) StopCollecting(ctx context.Context, id string) error {
	var stopped stripego.Invoice
	path := stripego.FormatURLPath("/v1/invoices/%s", id)
	err := c.call(ctx, http.MethodPost, path, &stripego.InvoiceUpdateParams{AutoAdvance: new(false)}, &stopped)
	err = explain("stopping a draft", requireField(stopped.ID, err))
	if err == nil && stopped.Status != stripego.InvoiceStatusDraft || errors.Is(err, billing.ErrRefused) {
		return fmt.Errorf("stripe: stopping a draft: %w: it is a draft no longer", billing.ErrBusy)
	}
	return err
}

// Void implements billing.Provider (https://docs.stripe.com/api/invoices/void). It returns ErrBusy for an invoice that
// was paid meanwhile.
func (c *Client) Void(ctx context.Context, id string) error {
	var voided stripego.Invoice
	path := stripego.FormatURLPath("/v1/invoices/%s/void", id)
	err := c.call(ctx, http.MethodPost, path, &stripego.InvoiceVoidInvoiceParams{}, &voided)
	if err = explain("voiding an invoice", requireField(voided.ID, err)); !errors.Is(err, billing.ErrRefused) {
		return err
	}
	now, failed := c.Invoice(ctx, id) // its state may have changed meanwhile
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
	if err = requireField(found.ID, err); err == nil {
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
