package stripe_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

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
				return f.Renew(id)
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

// A tripper answers some requests by itself.
type tripper func(r *http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A page that does not come is asked for again, and the pages before it are not.
func TestAll_PageAgain(t *testing.T) {
	t.Parallel()
	fake, c, _ := newStripe(t)
	customer := newCustomer(t, c)
	for range 250 {
		_, err := fake.Subscribe(customer, accountID, "active")
		testkit.Must(t, err)
	}
	for name, tt := range map[string]struct {
		fails    int // requests after the first
		status   int
		want     int // requests
		complete bool
	}{
		"none":                 {0, 0, 3, true},
		"503 once":             {1, http.StatusServiceUnavailable, 4, true},
		"429 twice":            {2, http.StatusTooManyRequests, 5, true},
		"503 too often":        {9, http.StatusServiceUnavailable, 4, false},
		"refused: not again":   {1, http.StatusForbidden, 2, false},
		"no connection, twice": {2, 0, 5, true},
	} {
		requests, transport := 0, &http.Transport{DisableKeepAlives: true}
		again, err := stripe.New(stripe.Options{
			Key: fake.Key, WebhookSecret: "x", Price: fake.Price, URL: fake.URL, Waits: []time.Duration{0, 0},
			HTTP: &http.Client{Transport: tripper(func(r *http.Request) (*http.Response, error) {
				requests++
				if requests == 1 || requests > 1+tt.fails {
					return transport.RoundTrip(r)
				}
				if tt.status == 0 {
					return nil, errors.New("connection refused")
				}
				body := io.NopCloser(strings.NewReader(`{"error": {"type": "api_error"}}`))
				return &http.Response{StatusCode: tt.status, Header: make(http.Header), Body: body, Request: r}, nil
			})},
		})
		testkit.Must(t, err)
		seen, failed := 0, false
		for _, err := range again.All(t.Context()) {
			if failed = err != nil; !failed {
				seen++
			}
		}
		testkit.Equal(t, name, []any{requests, !failed, seen == 250}, []any{tt.want, tt.complete, tt.complete})
	}
}
