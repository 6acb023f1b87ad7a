package stripefake_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/stripe"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/stripetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const email = "ada@example.test"

// open opens a checkout for a new customer.
func open(t *testing.T, c *stripe.Client) (customer string, checkout billing.Checkout) {
	t.Helper()
	customer, err := c.CreateCustomer(t.Context(), billing.NewCustomer{
		Account: "1", Payer: billing.Payer{Email: email, Language: account.French, Details: &billing.Details{Name: "Ada", Country: "FR"}}, Key: "customer",
	})
	testkit.Must(t, err)
	checkout, err = c.Checkout(t.Context(), billing.CheckoutRequest{
		Account: "1", Customer: customer, Language: account.French, Key: "checkout",
		Success: "https://palmares.test/merci", Cancel: "https://palmares.test/offre",
	})
	testkit.Must(t, err)
	return customer, checkout
}

// post posts an empty form and follows no redirect.
func post(t *testing.T, url string) testkit.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, http.NoBody)
	testkit.Must(t, err)
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	got, err := testkit.Do(client, req)
	testkit.Must(t, err)
	return got
}

// A browser pays, a script moves time, and an endpoint hears of all of it, also of what it did not
// take at first.
func TestJourney(t *testing.T) {
	t.Parallel()
	endpoint := testkit.NewReceiver()
	defer endpoint.Close()
	refused := 0
	endpoint.Answer(func([]byte) (int, string) {
		if refused++; refused <= 2 {
			return http.StatusServiceUnavailable, ""
		}
		return http.StatusOK, ""
	})
	fake := stripetest.New(t, stripefake.Options{Endpoint: endpoint.URL})
	c := stripetest.Client(t, fake)
	customer, checkout := open(t, c)

	page := testkit.Get(t, checkout.URL)
	for _, part := range []string{`<button id="pay">Pay`, `<a id="back" href="https://palmares.test/offre">Back`, `<b id="locale">fr`} {
		if !page.Says(part) {
			t.Errorf("no %s on the page of the checkout: %s", part, page.Body)
		}
	}
	paid := post(t, checkout.URL)
	testkit.Equal(t, "after paying", []any{paid.Status, paid.Header.Get("Location")}, []any{http.StatusSeeOther, "https://palmares.test/merci"})
	testkit.Equal(t, "paying again", post(t, checkout.URL).Status, http.StatusConflict)
	if page := testkit.Get(t, checkout.URL); !page.Says("Checkout: complete") || page.Says(`id="pay"`) {
		t.Errorf("the page of a checkout that was paid: %s", page.Body)
	}

	control := func(verb string) { // by id and by address
		t.Helper()
		who := "?customer=" + customer
		if verb != "pay" {
			who = "?email=" + email
		}
		if got := post(t, fake.URL+"/_control/"+verb+who); got.Status != http.StatusNoContent {
			t.Errorf("%s: %s", verb, got)
		}
	}
	fake.ChangeSetup(func(s *stripefake.Setup) { s.Dunning.Then = "unpaid" })
	var states []string
	for _, verb := range []string{
		"period-end", "expire-card", "charge", "pay", "fail-payment", "pay", "fail-payment", "give-up", "pay", "portal-end", "period-end",
	} {
		control(verb)
		states = append(states, fake.Subscriptions(customer)[0].Status)
	}
	testkit.Equal(t, "states", states, []string{
		"active", "active", "past_due", "active", "past_due", "active", "past_due", "unpaid", "active", "active", "canceled",
	})
	for path, want := range map[string]int{
		"pay?customer=" + customer: http.StatusConflict, // it is over
		"pay?customer=cus_unknown": http.StatusNotFound,
		"dance":                    http.StatusNotFound,
		"away":                     http.StatusBadRequest,
		"away?on=true":             http.StatusNoContent,
	} {
		testkit.Equal(t, path, post(t, fake.URL+"/_control/"+path).Status, want)
	}
	if _, err := c.Price(t.Context()); !errors.Is(err, billing.ErrUnavailable) {
		t.Errorf("it answers: %v", err)
	}
	testkit.Equal(t, "back", post(t, fake.URL+"/_control/away?on=false").Status, http.StatusNoContent)
	var state struct {
		Customers     []stripefake.Customer     `json:"customers"`
		Subscriptions []stripefake.Subscription `json:"subscriptions"`
	}
	testkit.Must(t, json.Unmarshal([]byte(testkit.Get(t, fake.URL+"/_control/state").Body), &state))
	testkit.Equal(t, "state", []string{state.Customers[0].Email, state.Subscriptions[0].Customer}, []string{email, customer})

	// The endpoint gets every event twice, in any order, and each has a signature that holds.
	want, got := make(map[string]int), make(map[string]int)
	for _, e := range fake.Events() {
		want[e.ID] = 2
	}
	testkit.EventuallyTrue(t, "all events are taken", func() bool { return len(endpoint.Requests()) == 2*len(want)+2 })
	for _, r := range endpoint.Requests()[2:] {
		e, err := c.Verify(r.Body, r.Header.Get("Stripe-Signature"), time.Now())
		testkit.Must(t, err)
		got[e.ID]++
	}
	testkit.Equal(t, "events", got, want)
}

// Events go where and in which order a test wants, and a checkout ends by the clock.
func TestDeliver(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC))
	fake := stripetest.New(t, stripefake.Options{Now: clock.Now})
	c := stripetest.Client(t, fake)
	_, checkout := open(t, c)
	clock.Advance(24 * time.Hour)
	testkit.Equal(t, "checkout", fake.Checkouts()[0].Status, "expired")
	if _, err := fake.Complete(checkout.ID); err == nil {
		t.Error("it was paid a day later")
	}
	receiver := testkit.NewReceiver()
	defer receiver.Close()
	events := fake.Events()
	slices.Reverse(events)
	testkit.Must(t, fake.Deliver(t.Context(), receiver.URL, append(events, events...)...))
	var got []string
	for _, r := range receiver.Requests() {
		e, err := c.Verify(r.Body, r.Header.Get("Stripe-Signature"), clock.Now())
		testkit.Must(t, err)
		got = append(got, e.Type)
	}
	testkit.Equal(t, "types", got, []string{
		"checkout.session.expired", "customer.created", "checkout.session.expired", "customer.created",
	})
	receiver.Answer(func([]byte) (int, string) { return http.StatusBadRequest, "forged" })
	if err := fake.Deliver(t.Context(), receiver.URL, events...); err == nil || !strings.Contains(err.Error(), "400 Bad Request: forged") {
		t.Errorf("an endpoint that refuses: %v", err)
	}
	testkit.Equal(t, "it went on", len(receiver.Requests()), len(got)+1)
}

// What Stripe would refuse is refused here, too.
func TestRefusals(t *testing.T) {
	t.Parallel()
	fake := stripetest.New(t, stripefake.Options{})
	client := stripetest.Client(t, fake)
	customer, _ := open(t, client)
	sub, err := fake.Subscribe(customer, "1", "active")
	testkit.Must(t, err)
	nowhere, err := client.CreateCustomer(t.Context(), billing.NewCustomer{Account: "2", Key: "nowhere"})
	testkit.Must(t, err)
	checkout := "mode=subscription&locale=fr&success_url=x&customer=" + customer + "&line_items[0][price]=" + fake.Price
	for _, tt := range []struct{ call, form, want string }{
		{"POST /v1/checkout/sessions", checkout, ""},
		{"POST /v1/checkout/sessions", checkout + "&colour=red", "unknown parameter"},
		{"POST /v1/checkout/sessions", strings.Replace(checkout, "subscription", "payment", 1), "Invalid mode"},
		{"POST /v1/checkout/sessions", strings.Replace(checkout, "locale=fr", "locale=tlh", 1), "Invalid locale"},
		{"POST /v1/checkout/sessions", strings.Replace(checkout, "success_url=x", "success_url=", 1), "Missing required param"},
		{"POST /v1/checkout/sessions", checkout + "&automatic_tax[enabled]=true", ""},
		{"POST /v1/checkout/sessions", strings.Replace(checkout, customer, nowhere, 1) + "&automatic_tax[enabled]=true", "requires a valid address on the Customer"},
		{"POST /v1/checkout/sessions", checkout + "&tax_id_collection[enabled]=true", "Tax ID collection requires"},
		{"POST /v1/billing_portal/sessions", "locale=tlh&customer=" + customer, "Invalid locale"},
		{"POST /v1/subscriptions/" + sub.ID, "cancel_at_period_end=maybe", "Invalid boolean"},
		{"POST /v1/subscriptions/" + sub.ID, "cancel_at_period_end=true&cancel_at=", "only specify one"},
		{"POST /v1/subscriptions/sub_unknown", "cancel_at=", "No such subscription"},
		{"GET /v1/subscriptions", "status=all&limit=101", "Invalid limit"},
		{"GET /v1/subscriptions", "status=all&starting_after=sub_unknown", "No such object"},
	} {
		method, path, _ := strings.Cut(tt.call, " ")
		req, err := http.NewRequestWithContext(t.Context(), method, fake.URL+path+"?"+tt.form, http.NoBody)
		testkit.Must(t, err)
		req.SetBasicAuth(fake.Key, "")
		got, err := testkit.Do(&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, req)
		testkit.Must(t, err)
		if got.OK() != (tt.want == "") || !strings.Contains(got.Body, tt.want) {
			t.Errorf("%s %s: %s, want %q", tt.call, tt.form, got, tt.want)
		}
	}
	fake.Archive(true)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fmt.Sprintf("%s/v1/checkout/sessions?%s", fake.URL, checkout), http.NoBody)
	testkit.Must(t, err)
	req.Header = testkit.Bearer(fake.Key)
	got, err := testkit.Do(&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, req)
	testkit.Must(t, err)
	if !strings.Contains(got.Body, "price_inactive") {
		t.Errorf("a price that is archived: %s", got)
	}
}
