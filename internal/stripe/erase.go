package stripe

import (
	"context"
	"errors"
	"net/http"

	stripego "github.com/stripe/stripe-go/v86"

	"github.com/palmares-hq/palmares/internal/billing"
)

// DetachCards implements billing.Eraser (https://docs.stripe.com/api/payment_methods/detach). A customer that is to be
// deleted later has no card meanwhile.
func (c *Client) DetachCards(ctx context.Context, customer string) error {
	path := stripego.FormatURLPath("/v1/customers/%s/payment_methods", customer)
	var ids []string
	for found, err := range list(ctx, c, path, &stripego.CustomerListPaymentMethodsParams{}, func(m *stripego.PaymentMethod) string { return m.ID }) {
		if err == nil {
			err = c.sameMode(found.Livemode)
		}
		if err != nil {
			return c.orDeleted(ctx, customer, explainCustomer("listing means of payment", err))
		}
		ids = append(ids, found.ID)
	}
	for _, id := range ids {
		var detached stripego.PaymentMethod
		path := stripego.FormatURLPath("/v1/payment_methods/%s/detach", id)
		err := c.call(ctx, http.MethodPost, path, &stripego.PaymentMethodDetachParams{}, &detached)
		if err = requireField(detached.ID, err); err != nil {
			return explain("detaching a means of payment", err)
		}
	}
	return nil
}

// Pending implements billing.Eraser. A written-off invoice is not pending: nobody is asked to pay it any more. A
// refund, by a credit note or by hand, is pending until it reaches the bank (https://docs.stripe.com/refunds, pending
// and requires_action).
func (c *Client) Pending(ctx context.Context, customer string) (p billing.Pending, err error) {
	invoices := &stripego.InvoiceListParams{Customer: new(customer)}
	for found, err := range list(ctx, c, "/v1/invoices", invoices, func(i *stripego.Invoice) string { return i.ID }) {
		if err == nil {
			err = c.sameMode(found.Livemode)
		}
		if err != nil {
			return p, c.orDeleted(ctx, customer, explain("listing invoices", err))
		}
		if i := invoice(found); i.State == billing.InvoiceOpen || i.Advances {
			p.Invoices = append(p.Invoices, i.ID)
		}
	}
	charges := &stripego.ChargeListParams{Customer: new(customer), Expand: stripego.StringSlice([]string{"data.refunds"})}
	for found, err := range list(ctx, c, "/v1/charges", charges, func(ch *stripego.Charge) string { return ch.ID }) {
		if err != nil {
			return p, c.orDeleted(ctx, customer, explain("listing charges", err))
		}
		if found.Refunds == nil {
			continue
		}
		for _, r := range found.Refunds.Data {
			if r.Status == stripego.RefundStatusPending || r.Status == stripego.RefundStatusRequiresAction {
				p.Refunds = append(p.Refunds, r.ID)
			}
		}
	}
	return p, nil
}

// DeleteCustomer implements billing.Eraser (https://docs.stripe.com/api/customers/delete).
func (c *Client) DeleteCustomer(ctx context.Context, customer string) error {
	var deleted stripego.Customer
	path := stripego.FormatURLPath("/v1/customers/%s", customer)
	err := c.call(ctx, http.MethodDelete, path, &stripego.CustomerDeleteParams{}, &deleted)
	err = c.orDeleted(ctx, customer, explainCustomer("deleting a customer", requireField(deleted.ID, err)))
	if errors.Is(err, billing.ErrNoCustomer) {
		return nil
	}
	return err
}
