package stripe

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	stripego "github.com/stripe/stripe-go/v86"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
)

// accountID is the metadata key for an account's id in customers, checkouts and subscriptions. Only this
// id joins the two sides, never an e-mail address.
const accountID = "account_id"

// CreateCustomer implements billing.Provider.
func (c *Client) CreateCustomer(ctx context.Context, n billing.NewCustomer) (string, error) {
	params := &stripego.CustomerCreateParams{
		Params:           stripego.Params{IdempotencyKey: new(n.Key)},
		Email:            new(n.Email),
		Metadata:         map[string]string{accountID: n.Account},
		PreferredLocales: stripego.StringSlice([]string{string(n.Language)}),
	}
	if d := n.Details; d != nil {
		params.Name, params.BusinessName, params.Address = new(d.Name), new(d.Name), address(*d)
		params.Tax = &stripego.CustomerCreateTaxParams{ValidateLocation: new(immediately)}
		params.InvoiceSettings = &stripego.CustomerCreateInvoiceSettingsParams{}
		for _, f := range customFields(n.Payer) {
			params.InvoiceSettings.CustomFields = append(params.InvoiceSettings.CustomFields,
				&stripego.CustomerCreateInvoiceSettingsCustomFieldParams{Name: new(f.name), Value: new(f.value)})
		}
		if number := d.VATNumber(); number != "" {
			params.TaxIDData = []*stripego.CustomerCreateTaxIDDataParams{{Type: new(string(stripego.TaxIDTypeEUVAT)), Value: new(number)}}
		}
	}
	var created stripego.Customer
	err := c.call(ctx, http.MethodPost, "/v1/customers", params, &created)
	if err = requireField(created.ID, err); err == nil {
		err = c.sameMode(created.Livemode)
	}
	if err != nil {
		return "", explain("creating a customer", err)
	}
	return created.ID, nil
}

// UpdateCustomer implements billing.Provider.
func (c *Client) UpdateCustomer(ctx context.Context, customer string, p billing.Payer) error {
	params := &stripego.CustomerUpdateParams{
		Email: new(p.Email), PreferredLocales: stripego.StringSlice([]string{string(p.Language)}),
	}
	if d := p.Details; d != nil {
		params.Name, params.BusinessName, params.Address = new(d.Name), new(d.Name), address(*d)
		params.Tax = &stripego.CustomerUpdateTaxParams{ValidateLocation: new(immediately)}
	}
	if p.Details != nil || p.Mention != "" {
		params.InvoiceSettings = &stripego.CustomerUpdateInvoiceSettingsParams{}
		fields := customFields(p)
		for _, f := range fields {
			params.InvoiceSettings.CustomFields = append(params.InvoiceSettings.CustomFields,
				&stripego.CustomerUpdateInvoiceSettingsCustomFieldParams{Name: new(f.name), Value: new(f.value)})
		}
		if fields == nil {
			params.InvoiceSettings.AddUnsetField(stripego.CustomerUpdateInvoiceSettingsParamsUnsetFieldCustomFields)
		}
	}
	var changed stripego.Customer
	err := c.call(ctx, http.MethodPost, stripego.FormatURLPath("/v1/customers/%s", customer), params, &changed)
	err = c.orDeleted(ctx, customer, explainCustomer("changing a customer", requireField(changed.ID, err)))
	if err != nil || p.Details == nil {
		return err
	}
	return c.setVATNumber(ctx, customer, p.Details.VATNumber())
}

// immediately makes Stripe refuse an address for which it cannot compute the tax. Otherwise the invoice would stay a
// draft that nobody is asked to pay (https://docs.stripe.com/tax/customer-locations).
const immediately = "immediately"

// address returns the address of details for Stripe. Empty fields are sent, too, to clear what they had before.
func address(d billing.Details) *stripego.AddressParams {
	return &stripego.AddressParams{
		Line1: new(d.Line1), Line2: new(d.Line2), PostalCode: new(d.Postcode), City: new(d.City), State: new(d.Region), Country: new(d.Country),
	}
}

// A customField is a line at the head of each invoice. Stripe prints at most four, with names of up to 40 characters
// and values of up to 140.
type customField struct{ name, value string }

// customFields returns what Stripe has no field of its own for: a SIREN, which French law requires on invoices to
// French businesses from 2027 on, the number in another register, the buyer's order reference, and the mention about
// VAT.
func customFields(p billing.Payer) (fields []customField) {
	add := func(french, english, value string) {
		name := english
		if p.Language == account.French {
			name = french
		}
		if value != "" {
			fields = append(fields, customField{name, value})
		}
	}
	if p.Details != nil {
		add("SIREN", "SIREN", p.Details.SIREN())
		add("N° d’entreprise", "Company number", p.Details.OtherNumber())
		add("Bon de commande", "Purchase order", p.Details.Reference)
	}
	add("TVA", "VAT", mentions[p.Mention])
	return fields
}

// mentions are the statements that French law requires on invoices, in its words (article 242 nonies A of annex II of
// the CGI).
var mentions = map[billing.Mention]string{
	billing.MentionExempt:  "TVA non applicable, art. 293 B du CGI",
	billing.MentionReverse: "Autoliquidation",
}

// mentionOf returns the mention that is printed on the invoices of a customer; "" for none.
func mentionOf(customer *stripego.Customer) billing.Mention {
	if customer == nil || customer.InvoiceSettings == nil {
		return ""
	}
	for _, f := range customer.InvoiceSettings.CustomFields {
		for mention, text := range mentions {
			if f.Value == text {
				return mention
			}
		}
	}
	return ""
}

// Account implements billing.Provider (https://docs.stripe.com/api/accounts/retrieve). A restricted key may lack the
// permission for it.
func (c *Client) Account(ctx context.Context) (billing.ProviderAccount, error) {
	is := billing.ProviderAccount{Live: !IsTest(c.key)}
	var found struct {
		stripego.APIResource
		ID string `json:"id"`
	}
	err := c.call(ctx, http.MethodGet, "/v1/account", &stripego.AccountRetrieveParams{}, &found)
	if answered(err, http.StatusForbidden) {
		return is, nil
	}
	is.ID = found.ID
	return is, explain("reading the account", requireField(found.ID, err))
}

// Knows implements billing.Provider. Stripe remembers customers that were deleted.
func (c *Client) Knows(ctx context.Context, customer string) (bool, error) {
	switch err := c.checkCustomer(ctx, customer); {
	case err == nil, errors.Is(err, billing.ErrNoCustomer):
		return true, nil
	case errors.Is(err, errUnknownCustomer):
		return false, nil
	default:
		return false, err
	}
}

// checkCustomer returns ErrNoCustomer for a customer that was deleted.
func (c *Client) checkCustomer(ctx context.Context, customer string) error {
	var found stripego.Customer
	path := stripego.FormatURLPath("/v1/customers/%s", customer)
	err := c.call(ctx, http.MethodGet, path, &stripego.CustomerRetrieveParams{}, &found)
	if err == nil && found.Deleted { // Stripe remembers them
		return fmt.Errorf("stripe: reading a customer: %w: it was deleted", billing.ErrNoCustomer)
	}
	if err = requireField(found.ID, err); err == nil {
		err = c.sameMode(found.Livemode)
	}
	return explainCustomer("reading a customer", err)
}

// explainCustomer is explain for a call about the customer itself: a missing object gives
// errUnknownCustomer.
func explainCustomer(call string, err error) error {
	if isMissing(err) {
		return fmt.Errorf("%w: %w", errUnknownCustomer, explain(call, err))
	}
	return explain(call, err)
}

// orDeleted turns errUnknownCustomer into ErrNoCustomer if the customer was deleted. For one that Stripe has never
// known the error stays: nobody must lose anything because the key belongs to another account.
func (c *Client) orDeleted(ctx context.Context, customer string, err error) error {
	if !errors.Is(err, errUnknownCustomer) {
		return err
	}
	if now := c.checkCustomer(ctx, customer); now != nil {
		return now
	}
	return err
}
