package stripe_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/stripe"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// What is seen is what was set, and what the key may not see is not taken for what is missing.
func TestSetup(t *testing.T) {
	t.Parallel()
	fake, c, _ := newStripe(t)
	fake.ChangeSetup(func(s *stripefake.Setup) {
		version := "2020-08-27"
		s.Endpoints = []stripefake.WebhookEndpoint{
			{ID: "we_1", Object: "webhook_endpoint", URL: "https://palmares.test/stripe/events", Status: "disabled", EnabledEvents: []string{"*"}},
			{ID: "we_2", Object: "webhook_endpoint", URL: "https://other.test", Status: "enabled", APIVersion: &version, EnabledEvents: []string{"invoice.paid"}},
		}
		s.TaxCode = nil
		s.Account.ID = "acct_1"
	})
	got, err := c.Setup(t.Context())
	testkit.Must(t, err)
	testkit.Equal(t, "set-up", got, billing.Setup{
		Seller:  billing.Seen[billing.SellerAccount]{Is: billing.SellerAccount{ID: "acct_1", Country: "FR", Charges: true}},
		Price:   billing.Seen[billing.Price]{Is: billing.ProPrice},
		TaxCode: billing.Seen[string]{},
		Tax:     billing.Seen[billing.TaxSettings]{Is: billing.TaxSettings{Active: true, HeadOffice: "FR", TaxCode: billing.TaxCode}},
		Registrations: billing.Seen[[]billing.Registration]{Is: []billing.Registration{
			{Country: "FR", Kind: "standard", Scheme: "standard"}, {Country: "FR", Kind: "oss_union"},
		}},
		Portal: billing.Seen[*billing.PortalSettings]{Is: &billing.PortalSettings{
			Invoices: true, PaymentMethod: true,
		}},
		Endpoints: billing.Seen[[]billing.Endpoint]{Is: []billing.Endpoint{
			{ID: "we_1", URL: "https://palmares.test/stripe/events", Events: []string{"*"}},
			{ID: "we_2", URL: "https://other.test", Version: "2020-08-27", Enabled: true, Events: []string{"invoice.paid"}},
		}},
	})

	is, err := c.Account(t.Context())
	testkit.Must(t, err)
	testkit.Equal(t, "the account", is, billing.ProviderAccount{ID: "acct_1"})
	fake.ChangeSetup(func(s *stripefake.Setup) { s.Forbidden = []string{"/v1/account"} })
	is, err = c.Account(t.Context())
	testkit.Must(t, err)
	testkit.Equal(t, "an account that the key may not read", is, billing.ProviderAccount{})
	customer := newCustomer(t, c)
	for id, want := range map[string]bool{customer: true, "cus_of_another": false} {
		known, err := c.Knows(t.Context(), id)
		testkit.Must(t, err)
		testkit.Equal(t, "known: "+id, known, want)
	}
	testkit.Must(t, fake.DeleteCustomer(customer))
	known, err := c.Knows(t.Context(), customer)
	testkit.Equal(t, "one that was deleted", []any{known, err}, []any{true, error(nil)})

	fake.ChangeSetup(func(s *stripefake.Setup) { s.Forbidden = []string{"/v1/tax/", "/v1/webhook_endpoints", "/v1/products"} })
	got, err = c.Setup(t.Context())
	testkit.Must(t, err)
	for what, err := range map[string]error{
		"tax": got.Tax.Err, "registrations": got.Registrations.Err, "endpoints": got.Endpoints.Err, "product": got.TaxCode.Err,
	} {
		if !errors.Is(err, billing.ErrUnseen) {
			t.Errorf("%s, which the key may not see: %v", what, err)
		}
	}
	testkit.Equal(t, "the price", got.Price, billing.Seen[billing.Price]{Is: billing.ProPrice})

	fake.Refuse(401, "invalid_request_error", "")
	got, err = c.Setup(t.Context())
	testkit.Must(t, err)
	testkit.Equal(t, "the key is refused", got.KeyRefused, true)
	fake.Refuse(0, "", "")
	fake.Away(true)
	if _, err = c.Setup(t.Context()); !errors.Is(err, billing.ErrUnavailable) {
		t.Errorf("while Stripe is away: %v", err)
	}
}

// The key says which mode it is of: nothing has to be asked.
func TestSetup_Mode(t *testing.T) {
	t.Parallel()
	for key, want := range map[string][2]bool{
		"sk_test_1": {false, false}, "rk_test_1": {false, true}, "sk_live_1": {true, false}, "rk_live_1": {true, true},
	} {
		fake, _, _ := newStripe(t)
		c, err := stripe.New(stripe.Options{Key: key, WebhookSecret: "whsec_1", Price: "price_1", URL: fake.URL})
		testkit.Must(t, err)
		defer c.Close()
		got, err := c.Setup(t.Context()) // the stand-in has another key
		testkit.Must(t, err)
		testkit.Equal(t, key, [2]bool{got.Live, got.Restricted}, want)
	}
}

// Stripe's own receipts are seen by the newest invoices, and in a sandbox there are none.
func TestSetup_Receipts(t *testing.T) {
	t.Parallel()
	fake, c, _ := newStripe(t)
	verdict := func(live bool) (v billing.Verdict) {
		t.Helper()
		got, err := c.Setup(t.Context())
		testkit.Must(t, err)
		got.Live = live
		for _, line := range billing.CheckSetup(got, billing.Wanted{Country: "FR"}) {
			if strings.Contains(line.What, "mails") {
				v = line.Verdict
			}
		}
		return v
	}
	testkit.Equal(t, "nothing was paid", verdict(true), billing.Unseen)
	fake.ChangeSetup(func(s *stripefake.Setup) { s.Receipts = true })
	sub, err := fake.Subscribe(newCustomer(t, c), accountID, "active")
	testkit.Must(t, err)
	testkit.Must(t, fake.Renew(sub.ID))
	testkit.Equal(t, "on", []billing.Verdict{verdict(true), verdict(false)}, []billing.Verdict{billing.Wrong, billing.Unseen})
	fake.ChangeSetup(func(s *stripefake.Setup) { s.Receipts = false })
	testkit.Must(t, fake.Renew(sub.ID))
	testkit.Equal(t, "off", verdict(true), billing.Right)
}

// What an endpoint wants and did not take is seen, of the kinds that nodes need; not what it did not want.
func TestSetup_Undelivered(t *testing.T) {
	t.Parallel()
	fake, c, clock := newStripe(t)
	seen := func() billing.Undelivered {
		t.Helper()
		got, err := c.Setup(t.Context())
		testkit.Must(t, err)
		testkit.Must(t, got.Undelivered.Err)
		return got.Undelivered.Is
	}
	now := time.Now().Truncate(time.Second).UTC()
	fake.ChangeSetup(func(s *stripefake.Setup) {
		s.Endpoints = []stripefake.WebhookEndpoint{{
			ID: "we_1", Object: "webhook_endpoint", Status: "enabled", EnabledEvents: []string{"invoice.paid", "customer.created", "charge.refunded"},
		}}
	})
	emit := func(kind string, ago time.Duration) {
		clock.Set(now.Add(-ago))
		fake.Emit(kind, "", []byte(`{"object": "customer"}`))
	}
	for _, e := range []struct {
		kind string
		ago  time.Duration
	}{
		{"invoice.paid", 80 * time.Hour}, // it is sent no more
		{"charge.refunded", 2 * time.Hour},
		{"invoice.paid", time.Hour},
		{"invoice.paid", 0},
		{"customer.created", 0},        // nodes do not need it
		{"customer.tax_id.updated", 0}, // the endpoint does not want it
	} {
		emit(e.kind, e.ago)
	}
	late := billing.Undelivered{Events: 3, Oldest: now.Add(-2 * time.Hour), Types: []string{"invoice.paid", "charge.refunded"}}
	testkit.Equal(t, "undelivered", seen(), late)
	for range 150 { // more than a page, and newer
		emit("customer.created", 0)
	}
	testkit.Equal(t, "behind those of another program", seen(), late)
	for range 1000 {
		emit("customer.created", 0)
	}
	testkit.Equal(t, "behind too many", seen(), billing.Undelivered{More: true})
	for _, e := range fake.Events() {
		fake.Delivered(e)
	}
	testkit.Equal(t, "once they were taken", seen(), billing.Undelivered{})
	fake.ChangeSetup(func(s *stripefake.Setup) { s.Forbidden = []string{"/v1/events"} })
	got, err := c.Setup(t.Context())
	testkit.Must(t, err)
	testkit.Equal(t, "what the key may not see", errors.Is(got.Undelivered.Err, billing.ErrUnseen), true)
}
