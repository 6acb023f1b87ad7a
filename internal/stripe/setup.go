package stripe

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	stripego "github.com/stripe/stripe-go/v86"

	"github.com/palmares-hq/palmares/internal/billing"
)

var _ billing.Inspector = (*Client)(nil)

// EndpointEvents returns the types of events that nodes need, which billing.SetUp enables for their endpoint.
func EndpointEvents() []string {
	return []string{
		"checkout.session.completed", "checkout.session.expired",
		"checkout.session.async_payment_succeeded", "checkout.session.async_payment_failed",
		"customer.subscription.created", "customer.subscription.updated", "customer.subscription.deleted",
		"customer.subscription.paused", "customer.subscription.resumed",
		"customer.deleted", "customer.tax_id.updated",
		"invoice.paid", "invoice.payment_failed", "invoice.payment_action_required", "invoice.finalization_failed",
		"invoice.voided", "credit_note.created",
		"charge.refunded", "charge.dispute.created", "charge.dispute.closed", "refund.failed",
	}
}

// Setup implements billing.Inspector. It only reads.
func (c *Client) Setup(ctx context.Context) (billing.Setup, error) {
	s := billing.Setup{
		// docs.stripe.com/keys: sk_ or rk_, and then live_ or test_.
		Live:       strings.HasPrefix(c.key, "sk_live_") || strings.HasPrefix(c.key, "rk_live_"),
		Restricted: strings.HasPrefix(c.key, "rk_"),
	}
	for _, ask := range []func(context.Context, *billing.Setup) error{
		c.inspectPrice, c.inspectSeller, c.inspectTax, c.inspectRegistrations, c.inspectPortal, c.inspectEndpoints, c.inspectEvents,
		c.inspectReceipts,
	} {
		err := ask(ctx, &s)
		// docs.stripe.com/api/errors: 401 means an invalid key, 403 a key without the permission.
		if s.KeyRefused = s.KeyRefused || answered(err, http.StatusUnauthorized); errors.Is(err, billing.ErrUnavailable) {
			return billing.Setup{}, err
		}
	}
	return s, nil
}

// inspect stores the result of a call in seen: what was read, or ErrUnseen if the key may not see it, or the error of
// the call, which it also returns.
func inspect[T any](seen *billing.Seen[T], is T, what, must string, err error) error {
	if err = requireField(must, err); err == nil {
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
	is := billing.SellerAccount{ID: found.ID, Country: found.Country, Charges: found.ChargesEnabled}
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
			Type     string `json:"type"`
			Standard struct {
				Scheme string `json:"place_of_supply_scheme"`
			} `json:"standard"`
		} `json:"country_options"`
	}
	params := &stripego.TaxRegistrationListParams{Status: new("active")}
	var all []billing.Registration
	for found, err := range list(ctx, c, "/v1/tax/registrations", params, func(r registration) string { return r.ID }) {
		if err != nil {
			return inspect(&s.Registrations, nil, "the tax registrations", "", err)
		}
		o := found.CountryOptions[strings.ToLower(found.Country)]
		all = append(all, billing.Registration{Country: found.Country, Kind: o.Type, Scheme: o.Standard.Scheme})
	}
	s.Registrations.Is = all
	return nil
}

func (c *Client) inspectPortal(ctx context.Context, s *billing.Setup) error {
	found, err := c.portal(ctx)
	if err != nil {
		return inspect(&s.Portal, nil, "the settings of the portal", "", err)
	}
	if found != nil {
		s.Portal.Is = portalSettings(found.Features)
	}
	return nil
}

// portal returns the settings of the portal that nodes open: ours, or else the default ones, which are made in the
// dashboard; nil for none.
func (c *Client) portal(ctx context.Context) (is *stripego.BillingPortalConfiguration, err error) {
	params := &stripego.BillingPortalConfigurationListParams{Active: new(true)}
	id := func(p *stripego.BillingPortalConfiguration) string { return p.ID }
	for found, err := range list(ctx, c, "/v1/billing_portal/configurations", params, id) {
		switch {
		case err != nil:
			return nil, err
		case isOurs(found):
			return found, nil
		case found.IsDefault:
			is = found
		}
	}
	return is, nil
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
	is.Details = f.CustomerUpdate != nil && f.CustomerUpdate.Enabled && len(f.CustomerUpdate.AllowedUpdates) > 0
	return is
}

func (c *Client) inspectEndpoints(ctx context.Context, s *billing.Setup) error {
	all, err := c.endpoints(ctx)
	if err != nil {
		return inspect(&s.Endpoints, nil, "the endpoints", "", err)
	}
	s.Endpoints.Is = all
	return nil
}

// endpoints returns the endpoints that Stripe sends events to.
func (c *Client) endpoints(ctx context.Context) (all []billing.Endpoint, err error) {
	id := func(e *stripego.WebhookEndpoint) string { return e.ID }
	for found, err := range list(ctx, c, "/v1/webhook_endpoints", &stripego.WebhookEndpointListParams{}, id) {
		if err != nil {
			return nil, err
		}
		all = append(all, billing.Endpoint{
			ID: found.ID, URL: found.URL, Version: found.APIVersion, Enabled: found.Status == "enabled", Events: found.EnabledEvents,
		})
	}
	return all, nil
}

// maxUndelivered is how many undelivered events are looked at. Events of the last minutes, and those of other programs
// in the account, come before the ones that are late.
const maxUndelivered = 1000

// inspectEvents asks for the events that an endpoint has not taken. Those for endpoints of other programs in the
// account count, too, if their types are ours (https://docs.stripe.com/api/events/list, delivery_success).
func (c *Client) inspectEvents(ctx context.Context, s *billing.Setup) error {
	type event struct {
		ID      string `json:"id"`
		Type    string `json:"type"`
		Created int64  `json:"created"`
	}
	params := &stripego.EventListParams{
		DeliverySuccess: new(false),
		CreatedRange:    &stripego.RangeQueryParams{GreaterThanOrEqual: time.Now().Add(-billing.UndeliveredFor).Unix()},
	}
	needed, looked := EndpointEvents(), 0
	var is billing.Undelivered
	var failed error
	for e, err := range list(ctx, c, "/v1/events", params, func(e event) string { return e.ID }) { // the newest first
		if failed = err; err != nil {
			break
		}
		if looked++; looked > maxUndelivered {
			is.More = true
			break
		}
		if !slices.Contains(needed, e.Type) {
			continue
		}
		is.Events++
		is.Oldest = unix(e.Created)
		if !slices.Contains(is.Types, e.Type) {
			is.Types = append(is.Types, e.Type)
		}
	}
	return inspect(&s.Undelivered, is, "the events", "/v1/events", failed)
}

// receiptsOf is how many invoices are looked at. One is not enough: its customer may have fetched the receipt.
const receiptsOf = 3

// inspectReceipts asks for how many of the newest paid invoices Stripe has mailed a receipt.
func (c *Client) inspectReceipts(ctx context.Context, s *billing.Setup) error {
	params := &stripego.InvoiceListParams{Status: new(string(stripego.InvoiceStatusPaid))}
	found, err := firstPage[*stripego.Invoice](ctx, c, "/v1/invoices", params, receiptsOf)
	is := billing.Receipts{Invoices: len(found.Data)}
	for _, i := range found.Data {
		if i.ReceiptNumber != "" {
			is.Mailed++
		}
	}
	return inspect(&s.Receipts, is, "the invoices", found.URL, err)
}
