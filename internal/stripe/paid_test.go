package stripe_test

import (
	"errors"
	"testing"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/stripe"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// later opens a checkout as somebody else does, without naming a method of payment: a delayed one pays it.
func later(tb testing.TB, fake *stripefake.Server, c *stripe.Client) (customer string, sub stripefake.Subscription) {
	tb.Helper()
	customer = newCustomer(tb, c)
	fake.PayLater(true)
	sub, err := fake.Subscribe(customer, accountID, "incomplete")
	testkit.Must(tb, err)
	testkit.Must(tb, fake.SetStatus(sub.ID, "active")) // the payment is under way
	return customer, sub
}

// What is known about the payment of a subscription, whatever its status says.
func TestPaid(t *testing.T) {
	t.Parallel()
	type paid struct {
		Status   billing.Status
		EverPaid bool
		State    billing.InvoiceState
		NotFinal string
		Plan     string
	}
	newest := func(f *stripefake.Server, id string) string {
		for _, c := range f.Customers() {
			for _, i := range f.Invoices(c.ID) {
				if i.Parent.SubscriptionDetails.Subscription == id {
					return i.ID
				}
			}
		}
		return ""
	}
	for name, tt := range map[string]struct {
		delayed bool
		live    func(f *stripefake.Server, id string) error
		want    paid
	}{
		"paid": {
			false, func(*stripefake.Server, string) error { return nil },
			paid{billing.Active, true, billing.InvoicePaid, "", "pro"},
		},
		"a delayed payment is under way": {
			true, func(*stripefake.Server, string) error { return nil },
			paid{billing.Active, false, billing.InvoiceOpen, "", "developer"},
		},
		"it came": {
			true, func(f *stripefake.Server, id string) error { return f.Settle(id, true) },
			paid{billing.Active, true, billing.InvoicePaid, "", "pro"},
		},
		"it failed": {
			true, func(f *stripefake.Server, id string) error { return f.Settle(id, false) },
			paid{billing.Active, false, billing.InvoiceVoid, "", "developer"},
		},
		"an invoice cannot be finalized": {
			false, func(f *stripefake.Server, id string) error {
				f.FailFinalization("tax_calculation_failed")
				return f.EndPeriod(id)
			},
			paid{billing.Active, true, billing.InvoiceDraft, "tax_calculation_failed", "pro"},
		},
		"written off": {
			false, func(f *stripefake.Server, id string) error {
				return errors.Join(f.FailPayment(id), f.WriteOff(newest(f, id)))
			},
			paid{billing.Active, true, billing.InvoiceUncollectible, "", "developer"},
		},
		"unpaid, and a later draft": {
			false, func(f *stripefake.Server, id string) error {
				return errors.Join(f.FailPayment(id), f.SetStatus(id, "unpaid"), f.EndPeriod(id))
			},
			paid{billing.Unpaid, true, billing.InvoiceDraft, "", "developer"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake, c, clock := newStripe(t)
			var customer string
			var sub stripefake.Subscription
			if tt.delayed {
				customer, sub = later(t, fake, c)
			} else {
				var err error
				customer = newCustomer(t, c)
				sub, err = fake.Subscribe(customer, accountID, "active")
				testkit.Must(t, err)
			}
			testkit.Must(t, tt.live(fake, sub.ID))
			got := only(t, c, customer)
			testkit.Equal(t, "paid", paid{
				got.Status, got.EverPaid, got.Latest.State, got.Latest.NotFinal, got.Plan(clock.Now()).String(),
			}, tt.want)
			testkit.Equal(t, "its page", got.Latest.URL, "") // it is for its customer alone
		})
	}
}
