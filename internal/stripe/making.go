package stripe

import (
	"context"
	"net/http"

	stripego "github.com/stripe/stripe-go/v86"

	"github.com/palmares-hq/palmares/internal/billing"
)

var _ billing.SetUpProvider = (*Client)(nil)

// A second run finds what the first has made by these names. The caller may choose the id of a product
// (docs.stripe.com/api/products/create), and a lookup key names one price at a time
// (docs.stripe.com/products-prices/manage-prices).
const (
	ourProduct   = "prod_palmares_pro"
	ourLookupKey = "palmares_pro_monthly"
	ourMark      = "palmares" // in the metadata of the settings of the portal
)

// isOurs reports whether SavePortal has made these settings of the portal.
func isOurs(p *stripego.BillingPortalConfiguration) bool { return p.Metadata[ourMark] == "portal" }

// Present implements billing.SetUpReader.
func (c *Client) Present(ctx context.Context, price string) (is billing.Present, err error) {
	if is.Named, err = c.namedPrice(ctx, price); err != nil {
		return is, explain("reading the price", err)
	}
	if is.Keyed, err = c.keyedPrice(ctx); err != nil {
		return is, explain("looking for a price", err)
	}
	product := ourProduct
	for _, p := range []*billing.OfferedPrice{is.Keyed, is.Named} {
		if p != nil {
			product = p.Product
		}
	}
	if is.Product, err = c.readProduct(ctx, product); err != nil {
		return is, explain("reading the product", err)
	}
	found, err := c.portal(ctx)
	if err != nil {
		return is, explain("reading the settings of the portal", err)
	}
	if found != nil && isOurs(found) {
		is.Portal = &billing.Portal{ID: found.ID, Settings: *portalSettings(found.Features)}
	}
	is.Endpoints, err = c.endpoints(ctx)
	return is, explain("reading the endpoints", err)
}

// namedPrice returns the price of an id; nil for none.
func (c *Client) namedPrice(ctx context.Context, id string) (*billing.OfferedPrice, error) {
	if id == "" {
		return nil, nil
	}
	var found stripego.Price
	err := c.call(ctx, http.MethodGet, stripego.FormatURLPath("/v1/prices/%s", id), &stripego.PriceRetrieveParams{}, &found)
	if isMissing(err) {
		return nil, nil
	}
	return c.offered(&found, requireField(found.ID, err))
}

// keyedPrice returns the price with our lookup key, even if it is archived; nil for none.
func (c *Client) keyedPrice(ctx context.Context) (*billing.OfferedPrice, error) {
	params := &stripego.PriceListParams{LookupKeys: []*string{new(ourLookupKey)}}
	found, err := firstPage[*stripego.Price](ctx, c, "/v1/prices", params, 1)
	if err != nil || len(found.Data) == 0 {
		return nil, err
	}
	return c.offered(found.Data[0], nil)
}

func (c *Client) offered(found *stripego.Price, err error) (*billing.OfferedPrice, error) {
	if err == nil {
		err = c.sameMode(found.Livemode)
	}
	if err == nil && found.Product == nil {
		err = errUnreadable
	}
	if err != nil {
		return nil, err
	}
	return &billing.OfferedPrice{ID: found.ID, Product: found.Product.ID, Price: priceOf(found)}, nil
}

// readProduct returns the product of an id; nil for none.
func (c *Client) readProduct(ctx context.Context, id string) (*billing.Product, error) {
	var found struct {
		stripego.APIResource
		ID      string   `json:"id"`
		Active  bool     `json:"active"`
		TaxCode objectID `json:"tax_code"`
	}
	err := c.call(ctx, http.MethodGet, stripego.FormatURLPath("/v1/products/%s", id), &stripego.ProductRetrieveParams{}, &found)
	if isMissing(err) {
		return nil, nil
	}
	if err = requireField(found.ID, err); err != nil {
		return nil, err
	}
	return &billing.Product{ID: found.ID, TaxCode: string(found.TaxCode), Active: found.Active}, nil
}

// SaveProduct implements billing.SetUpMaker.
func (c *Client) SaveProduct(ctx context.Context, id string) (string, error) {
	var saved stripego.Product
	var err error
	if id == "" {
		err = c.call(ctx, http.MethodPost, "/v1/products", &stripego.ProductCreateParams{
			ID: new(ourProduct), Name: new("Palmarès Pro"), TaxCode: new(billing.TaxCode),
		}, &saved)
	} else {
		params := &stripego.ProductUpdateParams{Active: new(true), TaxCode: new(billing.TaxCode)}
		err = c.call(ctx, http.MethodPost, stripego.FormatURLPath("/v1/products/%s", id), params, &saved)
	}
	return saved.ID, explain("saving the product", requireField(saved.ID, err))
}

// MakePrice implements billing.SetUpMaker.
func (c *Client) MakePrice(ctx context.Context, product string) (string, error) {
	p := billing.ProPrice
	var made stripego.Price
	err := c.call(ctx, http.MethodPost, "/v1/prices", &stripego.PriceCreateParams{
		Product: new(product), Currency: new(p.Currency), UnitAmount: new(p.Cents), LookupKey: new(ourLookupKey), TransferLookupKey: new(true),
		Recurring: &stripego.PriceCreateRecurringParams{Interval: new(p.Interval)}, TaxBehavior: new(string(stripego.PriceTaxBehaviorExclusive)),
	}, &made)
	return made.ID, explain("making the price", requireField(made.ID, err))
}

// SavePortal implements billing.SetUpMaker.
func (c *Client) SavePortal(ctx context.Context, id string) (string, error) {
	params := &stripego.BillingPortalConfigurationParams{Features: &stripego.BillingPortalConfigurationFeaturesParams{
		CustomerUpdate:      &stripego.BillingPortalConfigurationFeaturesCustomerUpdateParams{Enabled: new(false)},
		InvoiceHistory:      &stripego.BillingPortalConfigurationFeaturesInvoiceHistoryParams{Enabled: new(true)},
		PaymentMethodUpdate: &stripego.BillingPortalConfigurationFeaturesPaymentMethodUpdateParams{Enabled: new(true)},
		SubscriptionCancel:  &stripego.BillingPortalConfigurationFeaturesSubscriptionCancelParams{Enabled: new(false)},
		SubscriptionUpdate:  &stripego.BillingPortalConfigurationFeaturesSubscriptionUpdateParams{Enabled: new(false)},
	}}
	params.AddMetadata(ourMark, "portal")
	path := "/v1/billing_portal/configurations"
	if id != "" {
		path = stripego.FormatURLPath(path+"/%s", id)
	}
	var saved stripego.BillingPortalConfiguration
	err := c.call(ctx, http.MethodPost, path, params, &saved)
	return saved.ID, explain("saving the settings of the portal", requireField(saved.ID, err))
}

// SaveEndpoint implements billing.SetUpMaker.
func (c *Client) SaveEndpoint(ctx context.Context, e billing.Endpoint) (id, secret string, err error) {
	var events []*string
	for _, event := range e.Events {
		events = append(events, new(event))
	}
	var saved stripego.WebhookEndpoint
	if e.ID == "" {
		err = c.call(ctx, http.MethodPost, "/v1/webhook_endpoints", &stripego.WebhookEndpointCreateParams{
			URL: new(e.URL), APIVersion: new(e.Version), EnabledEvents: events,
		}, &saved)
		if err = requireField(saved.ID, err); err == nil {
			err = requireField(saved.Secret, nil)
		}
	} else {
		err = c.call(ctx, http.MethodPost, stripego.FormatURLPath("/v1/webhook_endpoints/%s", e.ID), &stripego.WebhookEndpointUpdateParams{
			Disabled: new(false), EnabledEvents: events,
		}, &saved)
		err = requireField(saved.ID, err)
	}
	return saved.ID, saved.Secret, explain("saving the endpoint", err)
}
