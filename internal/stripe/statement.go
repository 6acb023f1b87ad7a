package stripe

import (
	"context"
	"errors"
	"net/http"
	"strings"

	stripego "github.com/stripe/stripe-go/v86"

	"github.com/palmares-hq/palmares/internal/billing"
)

// Statement implements billing.Provider. Checkout saves the card with the subscription and not with the
// customer (docs.stripe.com/api/subscriptions/object: default_payment_method), so it reads both.
func (c *Client) Statement(ctx context.Context, customer, subscription string, invoices int) (s billing.Statement, err error) {
	if err := c.addCustomer(ctx, &s, customer); err != nil {
		return billing.Statement{}, err
	}
	if subscription != "" {
		if err := c.addCard(ctx, &s, subscription); err != nil {
			return billing.Statement{}, err
		}
	}
	return s, c.addInvoices(ctx, &s, customer, invoices)
}

// addCustomer adds name, address and tax id of the customer, and its default card.
func (c *Client) addCustomer(ctx context.Context, s *billing.Statement, customer string) error {
	var found stripego.Customer
	path := stripego.FormatURLPath("/v1/customers/%s", customer)
	err := c.call(ctx, http.MethodGet, path, &stripego.CustomerRetrieveParams{
		Expand: stripego.StringSlice([]string{"invoice_settings.default_payment_method", "tax_ids"}),
	}, &found)
	if err := explainCustomer("reading a customer", requireField(found.ID, err)); err != nil {
		return err
	}
	if found.Deleted {
		return billing.ErrNoCustomer
	}
	s.Name, s.Email = found.Name, found.Email
	if a := found.Address; a != nil {
		s.Country = a.Country
		for _, line := range []string{a.Line1, a.Line2, strings.TrimSpace(a.PostalCode + " " + a.City), a.State} {
			if line != "" {
				s.Address = append(s.Address, line)
			}
		}
	}
	if found.TaxIDs != nil && len(found.TaxIDs.Data) > 0 {
		id := found.TaxIDs.Data[0]
		s.VATNumber = id.Value
		if id.Verification != nil { // the words are the same
			s.VATState = billing.VATState(id.Verification.Status)
		}
	}
	if found.InvoiceSettings != nil {
		for _, f := range found.InvoiceSettings.CustomFields {
			s.Printed = append(s.Printed, billing.Printed{Name: f.Name, Value: f.Value})
		}
		s.Card = card(found.InvoiceSettings.DefaultPaymentMethod)
	}
	return nil
}

// addCard adds the card of a subscription, if it has one of its own.
func (c *Client) addCard(ctx context.Context, s *billing.Statement, subscription string) error {
	var found stripego.Subscription
	path := stripego.FormatURLPath("/v1/subscriptions/%s", subscription)
	err := c.call(ctx, http.MethodGet, path, &stripego.SubscriptionRetrieveParams{
		Expand: stripego.StringSlice([]string{"default_payment_method"}),
	}, &found)
	if isMissing(err) {
		return nil // it is over, and so is its card
	}
	if err = requireField(found.ID, err); err != nil {
		return explain("reading a subscription", err)
	}
	if own := card(found.DefaultPaymentMethod); own != nil {
		s.Card = own
	}
	return nil
}

// card returns what its owner recognises a card by; nil for a payment method that is no card.
func card(m *stripego.PaymentMethod) *billing.Card {
	if m == nil || m.Card == nil {
		return nil
	}
	return &billing.Card{
		Brand: string(m.Card.Brand), Last4: m.Card.Last4, Month: int(m.Card.ExpMonth), Year: int(m.Card.ExpYear),
	}
}

// addInvoices adds the newest invoices, at most limit, without drafts.
func (c *Client) addInvoices(ctx context.Context, s *billing.Statement, customer string, limit int) error {
	of := &stripego.InvoiceListParams{Customer: new(customer)}
	found, err := firstPage[*stripego.Invoice](ctx, c, "/v1/invoices", of, limit)
	if err != nil {
		return explain("listing invoices", err)
	}
	for _, i := range found.Data {
		if i.Status != stripego.InvoiceStatusDraft {
			s.Invoices = append(s.Invoices, invoice(i))
		}
	}
	s.More = found.HasMore
	return nil
}

var errNotOpen = errors.New("stripe: the invoice cannot be paid")

// PayLink implements billing.Provider.
func (c *Client) PayLink(ctx context.Context, id string) (string, error) {
	var found stripego.Invoice
	err := c.call(ctx, http.MethodGet, stripego.FormatURLPath("/v1/invoices/%s", id), &stripego.InvoiceRetrieveParams{}, &found)
	if err = requireField(found.ID, err); err != nil {
		return "", explain("reading an invoice", err)
	}
	if found.Status != stripego.InvoiceStatusOpen || found.HostedInvoiceURL == "" {
		return "", errNotOpen
	}
	return found.HostedInvoiceURL, nil
}
