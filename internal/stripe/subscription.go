package stripe

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"slices"
	"time"

	stripego "github.com/stripe/stripe-go/v86"

	"github.com/palmares-hq/palmares/internal/billing"
)

// Subscriptions implements billing.Provider.
func (c *Client) Subscriptions(ctx context.Context, customer string) ([]billing.Subscription, error) {
	var found []billing.Subscription
	for s, err := range c.subscriptions(ctx, new(customer)) {
		if err != nil {
			return nil, c.orDeleted(ctx, customer, err)
		}
		found = append(found, s)
	}
	if !slices.ContainsFunc(found, billing.Subscription.Live) {
		// The subscriptions of a deleted customer are over, and Stripe lists them all the same.
		if err := c.checkCustomer(ctx, customer); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(found, func(a, b billing.Subscription) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return found, nil
}

// All implements billing.Provider. It reads page by page and retries a page that fails, so that a hundred pages need
// not be read again because of one. It ends with the first error after the retries.
func (c *Client) All(ctx context.Context) iter.Seq2[billing.Subscription, error] {
	return c.subscriptions(ctx, nil, c.waits...)
}

// subscriptions iterates over the subscriptions of a customer, or all for nil.
func (c *Client) subscriptions(ctx context.Context, customer *string, waits ...time.Duration) iter.Seq2[billing.Subscription, error] {
	return func(yield func(billing.Subscription, error) bool) {
		all := &stripego.SubscriptionListParams{
			Customer: customer,
			Status:   new("all"),
			Expand:   stripego.StringSlice([]string{"data.latest_invoice", "data.customer.tax_ids"}),
		}
		id := func(s *stripego.Subscription) string { return s.ID }
		for found, err := range list(ctx, c, "/v1/subscriptions", all, id, waits...) {
			var s billing.Subscription
			if err == nil {
				err = c.sameMode(found.Livemode)
			}
			if err == nil {
				s = subscription(found)
				if s.OtherProduct, err = c.otherProduct(ctx, found); err == nil {
					err = c.addUnpaid(ctx, &s, waits...)
				}
				if err == nil {
					err = c.addPaid(ctx, &s, waits...)
				}
			} else {
				err = explain("listing subscriptions", err)
			}
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}

// subscription converts a subscription of Stripe's.
func subscription(found *stripego.Subscription) billing.Subscription {
	s := billing.Subscription{
		ID:        found.ID,
		Account:   found.Metadata[accountID],
		Order:     found.Metadata[orderID],
		Status:    billing.Status(found.Status), // the words are the same
		CreatedAt: unix(found.Created),
		CancelAt:  unix(found.CancelAt),
		EndedAt:   unix(found.EndedAt),
		Currency:  string(found.Currency),
	}
	if found.Customer != nil {
		s.Customer = found.Customer.ID
		addVATNumbers(&s, found.Customer)
		if s.Mention = mentionOf(found.Customer); found.Customer.Address != nil {
			s.Country = found.Customer.Address.Country
		}
	}
	if found.Items != nil {
		for _, item := range found.Items.Data { // we sell one; of several, the period that ends last counts
			s.Quantity += item.Quantity
			if end := unix(item.CurrentPeriodEnd); end.After(s.PeriodEnd) {
				s.PeriodStart, s.PeriodEnd = unix(item.CurrentPeriodStart), end
			}
		}
	}
	// Stripe's portal sets only the time, and leaves the flag false.
	if found.CancelAtPeriodEnd && s.CancelAt.IsZero() {
		s.CancelAt = s.PeriodEnd
	}
	addInvoice(&s, found.LatestInvoice)
	return s
}

// SetCancel implements billing.Provider.
func (c *Client) SetCancel(ctx context.Context, id string, cancel bool) error {
	changed, err := c.update(ctx, id, &stripego.SubscriptionUpdateParams{CancelAtPeriodEnd: new(cancel)})
	if err != nil || cancel || changed.CancelAt == 0 {
		return err
	}
	// It was cancelled in Stripe's portal, by a time that changing the flag does not clear. Stripe refuses
	// both in one request.
	never := &stripego.SubscriptionUpdateParams{}
	never.AddUnsetField(stripego.SubscriptionUpdateParamsUnsetFieldCancelAt)
	changed, err = c.update(ctx, id, never)
	if err == nil && changed.CancelAt != 0 {
		return errors.New("stripe: changing the end of a subscription: it ends all the same")
	}
	return err
}

// update changes a subscription and returns it as it is then.
func (c *Client) update(
	ctx context.Context, id string, params *stripego.SubscriptionUpdateParams,
) (changed stripego.Subscription, err error) {
	err = c.call(ctx, http.MethodPost, stripego.FormatURLPath("/v1/subscriptions/%s", id), params, &changed)
	return changed, explain("changing the end of a subscription", requireField(changed.ID, err))
}

// End implements billing.Provider. It refunds nothing and charges nothing more.
func (c *Client) End(ctx context.Context, id string) error {
	var ended stripego.Subscription
	path := stripego.FormatURLPath("/v1/subscriptions/%s", id)
	err := c.call(ctx, http.MethodDelete, path, &stripego.SubscriptionCancelParams{}, &ended)
	if isMissing(err) { // Stripe also says so of an ended subscription
		return nil
	}
	return explain("ending a subscription", requireField(ended.ID, err))
}
