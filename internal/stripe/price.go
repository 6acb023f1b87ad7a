package stripe

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	stripego "github.com/stripe/stripe-go/v86"

	"github.com/palmares-hq/palmares/internal/billing"
)

// Price implements billing.Provider. A price that is not a fixed amount for each period gets an interval
// that no plan has, or no amount, so that it never equals ours.
func (c *Client) Price(ctx context.Context) (billing.Price, error) {
	var found stripego.Price
	path := stripego.FormatURLPath("/v1/prices/%s", c.price)
	err := c.call(ctx, http.MethodGet, path, &stripego.PriceRetrieveParams{}, &found)
	if err = requireField(found.ID, err); err == nil {
		err = c.sameMode(found.Livemode)
	}
	if err != nil {
		return billing.Price{}, explain("reading the price", err)
	}
	return priceOf(&found), nil
}

// priceOf converts a price of Stripe's.
func priceOf(found *stripego.Price) billing.Price {
	return billing.Price{
		Cents:     found.UnitAmount,
		Currency:  string(found.Currency),
		Interval:  interval(found.Recurring),
		Exclusive: found.TaxBehavior == stripego.PriceTaxBehaviorExclusive,
		Active:    found.Active && !found.Deleted,
	}
}

// otherProduct reports whether a subscription is to another product than that of our price. Former
// prices of ours have the same product.
func (c *Client) otherProduct(ctx context.Context, found *stripego.Subscription) (bool, error) {
	if found.Items == nil || len(found.Items.Data) == 0 {
		return false, nil
	}
	for _, item := range found.Items.Data {
		if item.Price != nil && item.Price.ID == c.price {
			return false, nil // the usual case, without a call
		}
	}
	ours, err := c.productOf(ctx)
	if err != nil {
		return false, err
	}
	for _, item := range found.Items.Data {
		if item.Price != nil && item.Price.Product != nil && item.Price.Product.ID == ours {
			return false, nil
		}
	}
	return true, nil
}

// productOf returns the product of our price. It reads it once, because a price never changes its product.
func (c *Client) productOf(ctx context.Context) (string, error) {
	if known := c.product.Load(); known != nil {
		return *known, nil
	}
	var found stripego.Price
	path := stripego.FormatURLPath("/v1/prices/%s", c.price)
	err := c.call(ctx, http.MethodGet, path, &stripego.PriceRetrieveParams{}, &found)
	if err = requireField(found.ID, err); err == nil && (found.Product == nil || found.Product.ID == "") {
		err = errors.New("it has none")
	}
	if err != nil {
		return "", explain("reading the product of the price", err)
	}
	c.product.Store(&found.Product.ID)
	return found.Product.ID, nil
}

// interval returns the interval of a price: "month", but "3 month" for every third, "metered month" for a
// price by use, and "" for a single payment.
func interval(r *stripego.PriceRecurring) string {
	switch {
	case r == nil:
		return ""
	case r.UsageType == stripego.PriceRecurringUsageTypeMetered:
		return "metered " + string(r.Interval)
	case r.IntervalCount != 1:
		return fmt.Sprintf("%d %s", r.IntervalCount, r.Interval)
	default:
		return string(r.Interval)
	}
}
