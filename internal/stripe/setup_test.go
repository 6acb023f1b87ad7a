package stripe_test

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"testing"

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
	})
	got, err := c.Setup(t.Context())
	testkit.Must(t, err)
	testkit.Equal(t, "set-up", got, billing.Setup{
		Seller:  billing.Seen[billing.SellerAccount]{Is: billing.SellerAccount{Country: "FR", Charges: true}},
		Price:   billing.Seen[billing.Price]{Is: billing.ProPrice},
		TaxCode: billing.Seen[string]{},
		Tax:     billing.Seen[billing.TaxSettings]{Is: billing.TaxSettings{Active: true, HeadOffice: "FR", TaxCode: billing.TaxCode}},
		Registrations: billing.Seen[[]billing.Registration]{Is: []billing.Registration{
			{Country: "FR", Kind: "standard"}, {Country: "FR", Kind: "oss_union"},
		}},
		Portal: billing.Seen[*billing.PortalSettings]{Is: &billing.PortalSettings{
			Invoices: true, PaymentMethod: true, Address: true, TaxID: true,
		}},
		Endpoints: billing.Seen[[]billing.Endpoint]{Is: []billing.Endpoint{
			{URL: "https://palmares.test/stripe/events", Events: []string{"*"}},
			{URL: "https://other.test", Version: "2020-08-27", Enabled: true, Events: []string{"invoice.paid"}},
		}},
	})

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

// Whoever sets an endpoint up by the manual gets the events that nodes need.
func TestEndpointEvents_AreThoseOfTheManual(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile("../../docs/operations/billing.md")
	testkit.Must(t, err)
	var told []string
	for _, m := range regexp.MustCompile(`enabled_events\[\]=([a-z_.]+)`).FindAllSubmatch(manual, -1) {
		told = append(told, string(m[1]))
	}
	want := stripe.EndpointEvents()
	slices.Sort(told)
	slices.Sort(want)
	testkit.Equal(t, "events in docs/operations/billing.md", told, want)
}
