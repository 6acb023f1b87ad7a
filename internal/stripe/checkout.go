package stripe

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	stripego "github.com/stripe/stripe-go/v86"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
)

// Checkout implements billing.Provider. The customer has name, address and VAT number from the order, and nothing
// typed on the page changes them: without customer_update the tax is computed for the customer's own address
// (https://docs.stripe.com/tax/checkout, existing customer).
func (c *Client) Checkout(ctx context.Context, r billing.CheckoutRequest) (billing.Checkout, error) {
	metadata := orderMetadata(r)
	var opened stripego.CheckoutSession
	err := c.call(ctx, http.MethodPost, "/v1/checkout/sessions", &stripego.CheckoutSessionCreateParams{
		Params: stripego.Params{IdempotencyKey: new(r.Key)},
		Mode:   new(string(stripego.CheckoutSessionModeSubscription)),
		LineItems: []*stripego.CheckoutSessionCreateLineItemParams{
			{Price: new(c.price), Quantity: new(int64(1))},
		},
		// Cards only: with a delayed method the subscription is active before a payment that may never come
		// (https://docs.stripe.com/payments/payment-methods, delayed notification). From 2026-09-30.endive
		// on the parameter is allowed_payment_method_types instead
		// (https://docs.stripe.com/changelog/endive/2026-09-30/remove-payment-method-types-checkout-sessions).
		PaymentMethodTypes: stripego.StringSlice([]string{"card"}),
		// Our pages say euros (https://docs.stripe.com/payments/currencies/localize-prices/adaptive-pricing).
		AdaptivePricing:   &stripego.CheckoutSessionCreateAdaptivePricingParams{Enabled: new(false)},
		Customer:          new(r.Customer),
		AutomaticTax:      &stripego.CheckoutSessionCreateAutomaticTaxParams{Enabled: new(true)},
		Locale:            new(string(r.Language)),
		ClientReferenceID: new(r.Account),
		Metadata:          metadata,
		SubscriptionData:  &stripego.CheckoutSessionCreateSubscriptionDataParams{Metadata: metadata},
		SuccessURL:        new(r.Success),
		CancelURL:         new(r.Cancel),
	}, &opened)
	if err = requireField(opened.URL, err); err == nil {
		err = c.sameMode(opened.Livemode)
	}
	if err != nil {
		return billing.Checkout{}, c.orDeleted(ctx, r.Customer, explain("opening a checkout", err))
	}
	return billing.Checkout{ID: opened.ID, URL: opened.URL, OpenedAt: unix(opened.Created), ExpiresAt: unix(opened.ExpiresAt)}, nil
}

// CheckoutState implements billing.Provider.
func (c *Client) CheckoutState(ctx context.Context, id string) (billing.CheckoutState, error) {
	var found stripego.CheckoutSession
	path := stripego.FormatURLPath("/v1/checkout/sessions/%s", id)
	err := c.call(ctx, http.MethodGet, path, &stripego.CheckoutSessionRetrieveParams{}, &found)
	if isMissing(err) {
		return billing.CheckoutExpired, nil // it belongs to another Stripe account, or is older than Stripe remembers
	}
	if err = requireField(string(found.Status), err); err == nil {
		err = c.sameMode(found.Livemode)
	}
	if err != nil {
		return "", explain("reading a checkout", err)
	}
	return billing.CheckoutState(found.Status), nil // the words are the same
}

// ExpireCheckout implements billing.Provider. Only an open checkout can be ended
// (https://docs.stripe.com/api/checkout/sessions/expire); after a refusal it reads the state.
func (c *Client) ExpireCheckout(ctx context.Context, id string) (billing.CheckoutState, error) {
	var ended stripego.CheckoutSession
	path := stripego.FormatURLPath("/v1/checkout/sessions/%s/expire", id)
	err := c.call(ctx, http.MethodPost, path, &stripego.CheckoutSessionExpireParams{}, &ended)
	if isMissing(err) {
		return billing.CheckoutExpired, nil
	}
	err = explain("ending a checkout", requireField(string(ended.Status), err))
	if !errors.Is(err, billing.ErrRefused) {
		return billing.CheckoutState(ended.Status), err
	}
	state, failed := c.CheckoutState(ctx, id)
	if failed == nil && state == billing.CheckoutOpen {
		return "", err // refused for another reason
	}
	return state, failed
}

// Portal implements billing.Provider. It names our settings if there are any, because Stripe takes the default ones
// otherwise, and settings made by a call never are the default:
// docs.stripe.com/api/customer_portal/configurations/object, is_default.
func (c *Client) Portal(
	ctx context.Context, customer string, language account.Language, back string,
) (string, error) {
	params := &stripego.BillingPortalSessionCreateParams{
		Customer:  new(customer),
		Locale:    new(string(language)),
		ReturnURL: new(back),
	}
	settings, err := c.portal(ctx)
	if err != nil {
		return "", explain("reading the settings of the portal", err)
	}
	if settings != nil && isOurs(settings) {
		params.Configuration = new(settings.ID)
	}
	var opened stripego.BillingPortalSession
	err = c.call(ctx, http.MethodPost, "/v1/billing_portal/sessions", params, &opened)
	if err = requireField(opened.URL, err); err != nil {
		return "", c.orDeleted(ctx, customer, explain("opening the portal", err))
	}
	return opened.URL, nil
}

// orderID is the metadata key for the id of an order.
const orderID = "order_id"

// orderMetadata returns what the checkout and the subscription record about an order: its account, when and
// for which business it was placed, and which terms were accepted. Stripe takes up to 50 keys of 40 characters
// with values of 500: docs.stripe.com/api/metadata.
func orderMetadata(r billing.CheckoutRequest) map[string]string {
	o := r.Order
	data := map[string]string{
		accountID: r.Account, orderID: o.ID, "ordered_at": o.At.UTC().Format(time.RFC3339),
		"business_use": strconv.FormatBool(o.Business), "business_name": o.Name, "business_country": o.Country,
		"terms_accepted": strconv.FormatBool(o.Accepted), "terms_sha256": o.Terms.Hash, "terms_language": string(o.Terms.Language),
	}
	if o.Number != "" {
		data["business_number"] = o.Number
	}
	return data
}
