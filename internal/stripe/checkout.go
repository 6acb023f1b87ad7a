package stripe

import (
	"context"
	"net/http"
	"time"

	stripego "github.com/stripe/stripe-go/v86"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
)

// Checkout implements billing.Provider. Stripe asks for the address, without which there is no tax,
// and for a VAT number, and keeps both with the customer, for the invoices that follow.
func (c *Client) Checkout(ctx context.Context, r billing.CheckoutRequest) (billing.Checkout, error) {
	metadata := map[string]string{accountID: r.Account}
	var opened stripego.CheckoutSession
	err := c.call(ctx, http.MethodPost, "/v1/checkout/sessions", &stripego.CheckoutSessionCreateParams{
		Params: stripego.Params{IdempotencyKey: new(r.Key)},
		Mode:   new(string(stripego.CheckoutSessionModeSubscription)),
		LineItems: []*stripego.CheckoutSessionCreateLineItemParams{
			{Price: new(c.price), Quantity: new(int64(1))},
		},
		Customer: new(r.Customer),
		CustomerUpdate: &stripego.CheckoutSessionCreateCustomerUpdateParams{
			Address: new("auto"), Name: new("auto"),
		},
		BillingAddressCollection: new(string(stripego.CheckoutSessionBillingAddressCollectionRequired)),
		AutomaticTax:             &stripego.CheckoutSessionCreateAutomaticTaxParams{Enabled: new(true)},
		TaxIDCollection:          &stripego.CheckoutSessionCreateTaxIDCollectionParams{Enabled: new(true)},
		Locale:                   new(string(r.Language)),
		ClientReferenceID:        new(r.Account),
		Metadata:                 metadata,
		SubscriptionData:         &stripego.CheckoutSessionCreateSubscriptionDataParams{Metadata: metadata},
		SuccessURL:               new(r.Success),
		CancelURL:                new(r.Cancel),
	}, &opened)
	if err = checked(opened.URL, err); err == nil {
		err = c.sameMode(opened.Livemode)
	}
	if err != nil {
		return billing.Checkout{}, explain("opening a checkout", err)
	}
	return billing.Checkout{ID: opened.ID, URL: opened.URL, ExpiresAt: time.Unix(opened.ExpiresAt, 0).UTC()}, nil
}

// CheckoutState implements billing.Provider.
func (c *Client) CheckoutState(ctx context.Context, id string) (billing.CheckoutState, error) {
	var found stripego.CheckoutSession
	path := stripego.FormatURLPath("/v1/checkout/sessions/%s", id)
	err := c.call(ctx, http.MethodGet, path, &stripego.CheckoutSessionRetrieveParams{}, &found)
	if isMissing(err) {
		return billing.CheckoutExpired, nil // of another account of Stripe, or older than it remembers
	}
	if err = checked(string(found.Status), err); err == nil {
		err = c.sameMode(found.Livemode)
	}
	if err != nil {
		return "", explain("reading a checkout", err)
	}
	return billing.CheckoutState(found.Status), nil // the words are the same
}

// Portal implements billing.Provider.
func (c *Client) Portal(
	ctx context.Context, customer string, language account.Language, back string,
) (string, error) {
	var opened stripego.BillingPortalSession
	err := c.call(ctx, http.MethodPost, "/v1/billing_portal/sessions", &stripego.BillingPortalSessionCreateParams{
		Customer:  new(customer),
		Locale:    new(string(language)),
		ReturnURL: new(back),
	}, &opened)
	if err = checked(opened.URL, err); err != nil {
		return "", explain("opening the portal", err)
	}
	return opened.URL, nil
}
