package stripe

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	stripego "github.com/stripe/stripe-go/v86"

	"github.com/palmares-hq/palmares/internal/billing"
)

// Price implements billing.Provider. What is not a fixed amount for each period has an interval that
// no plan has, or no amount.
func (c *Client) Price(ctx context.Context) (billing.Price, error) {
	var found stripego.Price
	path := stripego.FormatURLPath("/v1/prices/%s", c.price)
	err := c.call(ctx, http.MethodGet, path, &stripego.PriceRetrieveParams{}, &found)
	if err = checked(found.ID, err); err == nil {
		err = c.sameMode(found.Livemode)
	}
	if err != nil {
		return billing.Price{}, explain("reading the price", err)
	}
	return priceOf(&found), nil
}

// priceOf returns what Stripe says about a price.
func priceOf(found *stripego.Price) billing.Price {
	return billing.Price{
		Cents:     found.UnitAmount,
		Currency:  string(found.Currency),
		Interval:  interval(found.Recurring),
		Exclusive: found.TaxBehavior == stripego.PriceTaxBehaviorExclusive,
		Active:    found.Active && !found.Deleted,
	}
}

// otherProduct reports whether a subscription is to another product than that of our price. A former
// price of ours is one of the same product.
func (c *Client) otherProduct(ctx context.Context, found *stripego.Subscription) (bool, error) {
	if found.Items == nil || len(found.Items.Data) == 0 {
		return false, nil
	}
	for _, item := range found.Items.Data {
		if item.Price != nil && item.Price.ID == c.price {
			return false, nil // as nearly always: nothing has to be asked
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

// productOf returns the product of our price. A price never changes its product.
func (c *Client) productOf(ctx context.Context) (string, error) {
	if known := c.product.Load(); known != nil {
		return *known, nil
	}
	var found stripego.Price
	path := stripego.FormatURLPath("/v1/prices/%s", c.price)
	err := c.call(ctx, http.MethodGet, path, &stripego.PriceRetrieveParams{}, &found)
	if err = checked(found.ID, err); err == nil && (found.Product == nil || found.Product.ID == "") {
		err = errors.New("it has none")
	}
	if err != nil {
		return "", explain("reading the product of the price", err)
	}
	c.product.Store(&found.Product.ID)
	return found.Product.ID, nil
}

// interval returns that of a price: "month", but "3 month" for every third, "metered month" for what
// depends on use, and "" for what is paid once.
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
