package stripe_test

import (
	"errors"
	"testing"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A subscription is ours by its product: a former price is one of the same product. Stripe is asked for
// the product once, and only where a price is not the one that is sold now.
func TestOtherProduct(t *testing.T) {
	t.Parallel()
	fake, c, _ := newStripe(t)
	customer := newCustomer(t, c)
	sold, err := fake.Subscribe(customer, accountID, "active")
	testkit.Must(t, err)
	asked := func() (n int) {
		for _, r := range fake.Requests() {
			if r.Path == "/v1/prices/"+fake.Price {
				n++
			}
		}
		return n
	}
	want := func(what string, other bool, times int) {
		t.Helper()
		for range 2 {
			testkit.Equal(t, what, only(t, c, customer).OtherProduct, other)
		}
		testkit.Equal(t, what+": how often Stripe was asked for the price", asked(), times)
	}
	want("our price", false, 0)
	testkit.Must(t, fake.SetItem(sold.ID, func(p *stripefake.Price) { p.ID, p.UnitAmount = "price_former", 4900 }))
	fake.Away(true)
	if _, err := c.Subscriptions(t.Context(), customer); !errors.Is(err, billing.ErrUnavailable) {
		t.Errorf("while Stripe is away: %v", err)
	}
	fake.Away(false)
	want("a former price of ours", false, 1)
	testkit.Must(t, fake.SetItem(sold.ID, func(p *stripefake.Price) { p.ID, p.Product = "price_other", "prod_other" }))
	want("another product", true, 1)
	for sub, err := range c.All(t.Context()) {
		testkit.Must(t, err)
		testkit.Equal(t, "in the list of all", sub.OtherProduct, true)
	}
}
