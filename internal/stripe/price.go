package stripe

import (
	"context"
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
	if err = checked(found.ID, err); err != nil {
		return billing.Price{}, explain("reading the price", err)
	}
	return billing.Price{
		Cents:     found.UnitAmount,
		Currency:  string(found.Currency),
		Interval:  interval(found.Recurring),
		Exclusive: found.TaxBehavior == stripego.PriceTaxBehaviorExclusive,
		Active:    found.Active && !found.Deleted,
	}, nil
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
