package stripe

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	stripego "github.com/stripe/stripe-go/v86"

	"github.com/palmares-hq/palmares/internal/billing"
)

var _ billing.Inspector = (*Client)(nil)

// EndpointEvents are the events that nodes need: those of docs/operations/billing.md.
func EndpointEvents() []string {
	return []string{
		"checkout.session.completed", "checkout.session.expired",
		"checkout.session.async_payment_succeeded", "checkout.session.async_payment_failed",
		"customer.subscription.created", "customer.subscription.updated", "customer.subscription.deleted",
		"customer.subscription.paused", "customer.subscription.resumed",
		"customer.deleted", "customer.tax_id.updated",
		"invoice.paid", "invoice.payment_failed", "invoice.payment_action_required", "invoice.finalization_failed",
		"invoice.voided",
		"charge.refunded", "charge.dispute.created", "charge.dispute.closed",
	}
}

// Setup implements billing.Inspector. It reads, and changes nothing.
func (c *Client) Setup(ctx context.Context) (billing.Setup, error) {
	s := billing.Setup{
		// docs.stripe.com/keys: sk_ or rk_, and then live_ or test_.
		Live:       strings.HasPrefix(c.key, "sk_live_") || strings.HasPrefix(c.key, "rk_live_"),
		Restricted: strings.HasPrefix(c.key, "rk_"),
	}
	for _, ask := range []func(context.Context, *billing.Setup) error{
		c.inspectPrice, c.inspectSeller, c.inspectTax, c.inspectRegistrations, c.inspectPortal, c.inspectEndpoints,
	} {
		err := ask(ctx, &s)
		// docs.stripe.com/api/errors: 401 is no valid key, 403 a key without the permission.
		if s.KeyRefused = s.KeyRefused || answered(err, http.StatusUnauthorized); errors.Is(err, billing.ErrUnavailable) {
			return billing.Setup{}, err
		}
	}
	return s, nil
}

// inspect turns what was read into what was seen.
func inspect[T any](seen *billing.Seen[T], is T, what, must string, err error) error {
	if err = checked(must, err); err == nil {
		seen.Is = is
		return nil
	}
	explained := explain("reading "+what, err)
	switch {
	case answered(err, http.StatusForbidden):
		seen.Err = billing.ErrUnseen
	case answered(err, http.StatusUnauthorized):
		seen.Err, explained = billing.ErrUnseen, err
	default:
		seen.Err = explained
	}
	return explained
}

// answered reports whether Stripe answered with a status.
func answered(err error, status int) bool {
	said, ok := errors.AsType[*stripego.Error](err)
	return ok && said.HTTPStatusCode == status
}

func (c *Client) inspectPrice(ctx context.Context, s *billing.Setup) error {
	var found stripego.Price
	path := stripego.FormatURLPath("/v1/prices/%s", c.price)
	err := c.call(ctx, http.MethodGet, path, &stripego.PriceRetrieveParams{}, &found)
	if isMissing(err) {
		s.Price.Is, s.TaxCode.Err = billing.Price{}, errors.New("there is no such price")
		return nil
	}
	if err := inspect(&s.Price, priceOf(&found), "the price", found.ID, err); err != nil || found.Product == nil {
		s.TaxCode.Err = billing.ErrUnseen
		return err
	}
	var product struct {
		stripego.APIResource
		ID      string   `json:"id"`
		TaxCode objectID `json:"tax_code"`
	}
	path = stripego.FormatURLPath("/v1/products/%s", found.Product.ID)
	err = c.call(ctx, http.MethodGet, path, &stripego.ProductRetrieveParams{}, &product)
	return inspect(&s.TaxCode, string(product.TaxCode), "the product", product.ID, err)
}

func (c *Client) inspectSeller(ctx context.Context, s *billing.Setup) error {
	var found struct {
		stripego.APIResource
		ID             string `json:"id"`
		Country        string `json:"country"`
		ChargesEnabled bool   `json:"charges_enabled"`
	}
	err := c.call(ctx, http.MethodGet, "/v1/account", &stripego.AccountRetrieveParams{}, &found)
	is := billing.SellerAccount{Country: found.Country, Charges: found.ChargesEnabled}
	return inspect(&s.Seller, is, "the account", found.ID, err)
}

func (c *Client) inspectTax(ctx context.Context, s *billing.Setup) error {
	var found stripego.TaxSettings
	err := c.call(ctx, http.MethodGet, "/v1/tax/settings", &stripego.TaxSettingsRetrieveParams{}, &found)
	is := billing.TaxSettings{Active: found.Status == stripego.TaxSettingsStatusActive}
	if found.StatusDetails != nil && found.StatusDetails.Pending != nil {
		is.Missing = found.StatusDetails.Pending.MissingFields
	}
	if found.HeadOffice != nil && found.HeadOffice.Address != nil {
		is.HeadOffice = found.HeadOffice.Address.Country
	}
	if found.Defaults != nil {
		is.TaxCode = found.Defaults.TaxCode
	}
	return inspect(&s.Tax, is, "the tax settings", string(found.Status), err)
}

func (c *Client) inspectRegistrations(ctx context.Context, s *billing.Setup) error {
	type registration struct {
		ID             string `json:"id"`
		Country        string `json:"country"`
		CountryOptions map[string]struct {
			Type string `json:"type"`
		} `json:"country_options"`
	}
	params := &stripego.TaxRegistrationListParams{Status: new("active")}
	var all []billing.Registration
	for found, err := range list(ctx, c, "/v1/tax/registrations", params, func(r registration) string { return r.ID }) {
		if err != nil {
			return inspect(&s.Registrations, nil, "the tax registrations", "", err)
		}
		kind := found.CountryOptions[strings.ToLower(found.Country)].Type
		all = append(all, billing.Registration{Country: found.Country, Kind: kind})
	}
	s.Registrations.Is = all
	return nil
}

func (c *Client) inspectPortal(ctx context.Context, s *billing.Setup) error {
	params := &stripego.BillingPortalConfigurationListParams{Active: new(true), IsDefault: new(true)}
	id := func(p *stripego.BillingPortalConfiguration) string { return p.ID }
	for found, err := range list(ctx, c, "/v1/billing_portal/configurations", params, id) {
		if err != nil {
			return inspect(&s.Portal, nil, "the settings of the portal", "", err)
		}
		s.Portal.Is = portalSettings(found.Features)
		break
	}
	return nil
}

func portalSettings(f *stripego.BillingPortalConfigurationFeatures) *billing.PortalSettings {
	is := &billing.PortalSettings{}
	if f == nil {
		return is
	}
	is.Invoices = f.InvoiceHistory != nil && f.InvoiceHistory.Enabled
	is.PaymentMethod = f.PaymentMethodUpdate != nil && f.PaymentMethodUpdate.Enabled
	is.Cancel = f.SubscriptionCancel != nil && f.SubscriptionCancel.Enabled
	is.SwitchPlan = f.SubscriptionUpdate != nil && f.SubscriptionUpdate.Enabled
	if u := f.CustomerUpdate; u != nil && u.Enabled {
		is.Address = slices.Contains(u.AllowedUpdates, stripego.BillingPortalConfigurationFeaturesCustomerUpdateAllowedUpdateAddress)
		is.TaxID = slices.Contains(u.AllowedUpdates, stripego.BillingPortalConfigurationFeaturesCustomerUpdateAllowedUpdateTaxID)
	}
	return is
}

func (c *Client) inspectEndpoints(ctx context.Context, s *billing.Setup) error {
	id := func(e *stripego.WebhookEndpoint) string { return e.ID }
	var all []billing.Endpoint
	for found, err := range list(ctx, c, "/v1/webhook_endpoints", &stripego.WebhookEndpointListParams{}, id) {
		if err != nil {
			return inspect(&s.Endpoints, nil, "the endpoints", "", err)
		}
		all = append(all, billing.Endpoint{
			URL: found.URL, Version: found.APIVersion, Enabled: found.Status == "enabled", Events: found.EnabledEvents,
		})
	}
	s.Endpoints.Is = all
	return nil
}
