package stripe_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/stripe"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/testkit"
)

const (
	accountID = "acc_1"
	email     = "ada.lovelace@example.test"
	success   = "https://palmares.test/compte/offre/merci"
	back      = "https://palmares.test/compte/offre"
)

func newCustomer(tb testing.TB, c *stripe.Client) string {
	tb.Helper()
	return newCustomerOf(tb, c, "customer-"+tb.Name())
}

// newCustomerOf is newCustomer under a key of idempotency.
func newCustomerOf(tb testing.TB, c *stripe.Client, key string) string {
	tb.Helper()
	id, err := c.CreateCustomer(tb.Context(), billing.NewCustomer{
		Account: accountID, Payer: billing.Payer{Email: email, Language: account.French, Details: ada()}, Key: key,
	})
	testkit.Must(tb, err)
	return id
}

// ada is to whom the invoices of tests are made out.
func ada() *billing.Details {
	return &billing.Details{Name: "Atelier Ada", Number: "732829320", Country: "FR", Line1: "3 rue du Puits", Postcode: "58500", City: "Clamecy"}
}

func checkoutOf(customer string) billing.CheckoutRequest {
	return billing.CheckoutRequest{
		Account: accountID, Customer: customer, Language: account.French, Success: success, Cancel: back, Key: "checkout-1",
		Order: billing.Order{
			ID: "ORDER", At: noon, Business: true, Accepted: true, Details: *ada(),
			Terms: billing.Text{Hash: "c0ffee", Language: account.French},
		},
	}
}

// only returns the one subscription of a customer.
func only(tb testing.TB, c *stripe.Client, customer string) billing.Subscription {
	tb.Helper()
	found, err := c.Subscriptions(tb.Context(), customer)
	testkit.Must(tb, err)
	if len(found) != 1 {
		tb.Fatalf("%d subscriptions, want 1: %+v", len(found), found)
	}
	return found[0]
}

func TestCheckout(t *testing.T) {
	t.Parallel()
	fake, c, _ := newStripe(t)
	customer := newCustomer(t, c)
	checkout, err := c.Checkout(t.Context(), checkoutOf(customer))
	testkit.Must(t, err)
	testkit.Equal(t, "it expires", checkout.ExpiresAt, noon.Add(24*time.Hour))
	if !strings.HasPrefix(checkout.URL, fake.URL+"/checkout/") {
		t.Errorf("its page is %s", checkout.URL)
	}
	requests := fake.Requests()
	testkit.Equal(t, "customer", requests[0].Form, url.Values{
		"email": {email}, "metadata[account_id]": {accountID}, "preferred_locales[0]": {"fr"}, "name": {"Atelier Ada"}, "business_name": {"Atelier Ada"},
		"address[line1]": {"3 rue du Puits"}, "address[line2]": {""}, "address[postal_code]": {"58500"}, "address[city]": {"Clamecy"},
		"address[state]": {""}, "address[country]": {"FR"}, "tax[validate_location]": {"immediately"},
		"invoice_settings[custom_fields][0][name]": {"SIREN"}, "invoice_settings[custom_fields][0][value]": {"732829320"},
	})
	want := url.Values{
		"mode":                      {"subscription"},
		"line_items[0][price]":      {fake.Price},
		"line_items[0][quantity]":   {"1"},
		"customer":                  {customer},
		"payment_method_types[0]":   {"card"},
		"adaptive_pricing[enabled]": {"false"},
		"automatic_tax[enabled]":    {"true"},
		"locale":                    {"fr"},
		"client_reference_id":       {accountID},
		"success_url":               {success},
		"cancel_url":                {back},
	}
	for name, value := range map[string]string{
		"account_id": accountID, "order_id": "ORDER", "ordered_at": "2026-03-31T12:00:00Z", "business_use": "true",
		"business_name": "Atelier Ada", "business_number": "732829320", "business_country": "FR", "terms_accepted": "true",
		"terms_sha256": "c0ffee", "terms_language": "fr",
	} {
		want.Set("metadata["+name+"]", value)
		want.Set("subscription_data[metadata]["+name+"]", value)
	}
	testkit.Equal(t, "checkout", requests[1].Form, want)

	state := func(want billing.CheckoutState) {
		t.Helper()
		got, err := c.CheckoutState(t.Context(), checkout.ID)
		testkit.Must(t, err)
		testkit.Equal(t, "state", got, want)
	}
	state(billing.CheckoutOpen)
	sold, err := fake.Complete(checkout.ID)
	testkit.Must(t, err)
	state(billing.CheckoutComplete)
	testkit.Equal(t, "subscription", only(t, c, customer), billing.Subscription{
		ID: sold.ID, Customer: customer, Account: accountID, Order: "ORDER", Status: billing.Active, Currency: "eur", Quantity: 1,
		CreatedAt: noon, PeriodStart: noon, PeriodEnd: noon.AddDate(0, 1, 0), Net: 9900, Tax: 1980, EverPaid: true, Country: "FR", Bill: billing.Bill{Country: "FR", Postcode: "58500"},
		Latest: billing.Invoice{
			ID: fake.Invoices(customer)[0].ID, Subscription: sold.ID, Number: "PAL-0001", State: billing.InvoicePaid, Date: noon, PaidAt: noon, Total: 11880, Paid: 11880,
		},
	})

	r := checkoutOf(customer)
	r.Key, r.Language = "checkout-2", account.English
	checkout, err = c.Checkout(t.Context(), r)
	testkit.Must(t, err)
	testkit.Must(t, fake.Expire(checkout.ID))
	state(billing.CheckoutExpired)
	checkout.ID = "cs_test_forgotten"
	state(billing.CheckoutExpired)

	for _, language := range []account.Language{account.French, account.English} {
		page, err := c.Portal(t.Context(), customer, language, back)
		testkit.Must(t, err)
		if got := testkit.Get(t, page); !got.Says(`href="`+back+`"`) || !got.Says("<b id=\"locale\">"+string(language)) {
			t.Errorf("the portal: %s", got)
		}
	}
}

// What a subscription says after each of a few lives.
func TestSubscriptions(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	type life struct {
		*stripefake.Server
		*testkit.Clock
		id string
	}
	renewed := noon.AddDate(0, 1, 0).AddDate(0, 1, 0) // the end of April is not 31 days away
	for name, tt := range map[string]struct {
		status string
		live   func(l life) error
		want   billing.Subscription // but for what all have
	}{
		"active": {"active", func(life) error { return nil }, billing.Subscription{Status: billing.Active}},
		"incomplete": {
			"incomplete", func(life) error { return nil }, billing.Subscription{Status: billing.Incomplete},
		},
		"expired": {
			"incomplete", func(l life) error { return l.SetStatus(l.id, "incomplete_expired") },
			billing.Subscription{Status: billing.Expired},
		},
		"trialing": {"trialing", func(life) error { return nil }, billing.Subscription{Status: billing.Trialing}},
		"paused": {
			"active", func(l life) error { return l.SetStatus(l.id, "paused") }, billing.Subscription{Status: billing.Paused},
		},
		"renewed": {
			"active", func(l life) error { return l.Renew(l.id) },
			billing.Subscription{Status: billing.Active, PeriodEnd: renewed},
		},
		"renewed, in the hour of the draft": {
			"active", func(l life) error { return l.EndPeriod(l.id) },
			billing.Subscription{Status: billing.Active, PeriodEnd: renewed},
		},
		"past due, since the first failure": {
			"active", func(l life) error {
				l.Advance(30 * day)
				err := l.FailPayment(l.id)
				l.Advance(3 * day)
				return errors.Join(err, l.FailPayment(l.id))
			},
			billing.Subscription{Status: billing.PastDue, PeriodEnd: renewed, UnpaidSince: noon.Add(30 * day)},
		},
		"past due for two periods": {
			"active", func(l life) error {
				l.ChangeSetup(func(s *stripefake.Setup) { s.Dunning.Then = "past_due" })
				err := l.FailPayment(l.id)
				l.Advance(62 * day)
				return errors.Join(err, l.FailPayment(l.id))
			},
			billing.Subscription{Status: billing.PastDue, PeriodEnd: renewed.AddDate(0, 1, 0), UnpaidSince: noon},
		},
		"paid in between": {
			"active", func(l life) error { return errors.Join(l.FailPayment(l.id), l.Pay(l.id)) },
			billing.Subscription{Status: billing.Active, PeriodEnd: renewed},
		},
		"unpaid": {
			"active", func(l life) error { return errors.Join(l.FailPayment(l.id), l.SetStatus(l.id, "unpaid")) },
			billing.Subscription{Status: billing.Unpaid, PeriodEnd: renewed, UnpaidSince: noon},
		},
		"cancelled in Stripe's portal": {
			"active", func(l life) error { return l.CancelInPortal(l.id) },
			billing.Subscription{Status: billing.Active, CancelAt: noon.AddDate(0, 1, 0)},
		},
		"ended": {
			"active", func(l life) error {
				err := l.CancelInPortal(l.id)
				l.Advance(30 * day)
				return errors.Join(err, l.EndPeriod(l.id))
			},
			billing.Subscription{
				Status: billing.Canceled, CancelAt: noon.AddDate(0, 1, 0), EndedAt: noon.Add(30 * day),
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake, c, clock := newStripe(t)
			customer := newCustomer(t, c)
			sub, err := fake.Subscribe(customer, accountID, tt.status)
			testkit.Must(t, err)
			testkit.Must(t, tt.live(life{fake, clock, sub.ID}))
			got := only(t, c, customer)
			if (got.Unpaid != "") != !tt.want.UnpaidSince.IsZero() {
				t.Errorf("the unpaid invoice is %q", got.Unpaid)
			}
			want := tt.want
			want.ID, want.Customer, want.Account, want.Unpaid = sub.ID, customer, accountID, got.Unpaid
			want.Currency, want.Quantity, want.Country = "eur", 1, "FR"
			want.CreatedAt, want.EverPaid, want.Latest, want.Bill = noon, got.EverPaid, got.Latest, got.Bill // TestPaid and TestBill look at these
			if want.Status != billing.Trialing && got.Latest.State != billing.InvoiceDraft {                 // of nothing, and not computed yet
				want.Net, want.Tax = 9900, 1980
			}
			if want.PeriodStart = want.PeriodEnd.AddDate(0, -1, 0); want.PeriodEnd.IsZero() {
				want.PeriodStart, want.PeriodEnd = noon, noon.AddDate(0, 1, 0)
			}
			testkit.Equal(t, "subscription", got, want)
		})
	}
}

func TestTax(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]billing.Subscription{
		"standard_rated":     {Net: 9900, Tax: 2079},
		"reverse_charge":     {Net: 9900, ReverseCharge: true},
		"not_collecting":     {Net: 9900, NotCollecting: true},
		"not_subject_to_tax": {Net: 9900},
	} {
		fake, c, _ := newStripe(t)
		fake.SetTax(stripefake.Rate{Percent: float64(want.Tax) / 99, Reason: reason})
		customer := newCustomer(t, c)
		_, err := fake.Subscribe(customer, "", "active")
		testkit.Must(t, err)
		got := only(t, c, customer)
		testkit.Equal(t, reason, []any{got.Account, got.Net, got.Tax, got.ReverseCharge, got.NotCollecting},
			[]any{"", want.Net, want.Tax, want.ReverseCharge, want.NotCollecting})
	}
}

func TestSetCancel(t *testing.T) {
	t.Parallel()
	fake, c, _ := newStripe(t)
	customer := newCustomer(t, c)
	sub, err := fake.Subscribe(customer, accountID, "active")
	testkit.Must(t, err)
	end := noon.AddDate(0, 1, 0)
	set := func(cancel bool) func() error {
		return func() error { return c.SetCancel(context.Background(), sub.ID, cancel) }
	}
	for i, step := range []struct {
		do   func() error
		want time.Time
	}{
		{set(true), end},
		{set(true), end},
		{set(false), time.Time{}},
		{set(false), time.Time{}},
		{func() error { return fake.CancelInPortal(sub.ID) }, end},
		{set(false), time.Time{}},
		{set(true), end},
	} {
		testkit.Must(t, step.do())
		testkit.Equal(t, fmt.Sprintf("end after step %d", i), only(t, c, customer).CancelAt, step.want)
	}

	testkit.Must(t, c.End(t.Context(), sub.ID))
	testkit.Equal(t, "status", only(t, c, customer).Status, billing.Canceled)
	testkit.Must(t, c.End(t.Context(), sub.ID)) // it is over
	testkit.Must(t, c.End(t.Context(), "sub_unknown"))
	if err := c.SetCancel(t.Context(), sub.ID, true); err == nil || errors.Is(err, billing.ErrUnavailable) {
		t.Errorf("cancelling what is over: %v", err)
	}
}

func TestIdempotency(t *testing.T) {
	t.Parallel()
	fake, c, _ := newStripe(t)
	customer := newCustomer(t, c)
	testkit.Equal(t, "the customer again", newCustomer(t, c), customer)
	testkit.Equal(t, "customers", len(fake.Customers()), 1)
	r := checkoutOf(customer)
	first, err := c.Checkout(t.Context(), r)
	testkit.Must(t, err)
	second, err := c.Checkout(t.Context(), r)
	testkit.Must(t, err)
	testkit.Equal(t, "the checkout again", second, first)

	r.Language = account.English
	_, err = c.Checkout(t.Context(), r)
	if err == nil || errors.Is(err, billing.ErrUnavailable) || !strings.Contains(err.Error(), "idempotency_error") {
		t.Errorf("another checkout with the same key: %v", err)
	}

	// While the first of two is under way, the second is told to come back.
	r.Key = "checkout-2"
	fake.Delay(func() time.Duration { return time.Hour })
	ctx, cancel := context.WithCancel(t.Context())
	before, ended := len(fake.Requests()), make(chan error, 1)
	go func() {
		_, err := c.Checkout(ctx, r)
		ended <- err
	}()
	testkit.EventuallyTrue(t, "the first is under way", func() bool { return len(fake.Requests()) > before })
	fake.Delay(func() time.Duration { return 0 })
	if _, err = c.Checkout(t.Context(), r); !errors.Is(err, billing.ErrUnavailable) || !strings.Contains(err.Error(), "idempotency_key_in_use") {
		t.Errorf("two at once: %v", err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, billing.ErrUnavailable) || !errors.Is(err, context.Canceled) {
		t.Errorf("the first, which was given up: %v", err)
	}
	testkit.Eventually(t, func() error { _, err := c.Checkout(context.Background(), r); return err })
	testkit.Equal(t, "checkouts", len(fake.Checkouts()), 2)
}

func TestAll(t *testing.T) {
	t.Parallel()
	fake, c, clock := newStripe(t)
	for range c.All(t.Context()) {
		t.Error("there is one")
	}
	customer := newCustomer(t, c)
	const many = 250
	var ids []string
	for range many {
		sub, err := fake.Subscribe(customer, accountID, "active")
		testkit.Must(t, err)
		ids = append([]string{sub.ID}, ids...)
		clock.Advance(time.Minute)
	}
	testkit.Must(t, fake.FailPayment(ids[0]))
	testkit.Must(t, fake.SetStatus(ids[many-1], "canceled"))
	var got []string
	status := make(map[billing.Status]int)
	for s, err := range c.All(t.Context()) {
		testkit.Must(t, err)
		got = append(got, s.ID)
		status[s.Status]++
		if s.Status == billing.PastDue && s.UnpaidSince.IsZero() {
			t.Error("nothing is said about what is unpaid")
		}
	}
	testkit.Equal(t, "all", got, ids)
	testkit.Equal(t, "by status", status, map[billing.Status]int{billing.Active: many - 2, billing.PastDue: 1, billing.Canceled: 1})
	own, err := c.Subscriptions(t.Context(), customer)
	testkit.Must(t, err)
	testkit.Equal(t, "of the customer", len(own), many)

	before := len(fake.Requests())
	for range c.All(t.Context()) {
		break
	}
	testkit.Equal(t, "requests for the first alone", len(fake.Requests())-before, 3) // and what of it is open, and paid

	seen, failed := 0, error(nil)
	for _, err := range c.All(t.Context()) {
		if failed != nil {
			t.Fatal("it goes on after an error")
		}
		if failed = err; err == nil {
			seen++
		}
		fake.Away(seen == 100)
	}
	if seen != 100 || !errors.Is(failed, billing.ErrUnavailable) {
		t.Errorf("%d and then %v", seen, failed)
	}
}

func TestPrice(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*stripefake.Price)
		want   func(*billing.Price)
	}{
		"that of Pro": {func(*stripefake.Price) {}, func(*billing.Price) {}},
		"dearer":      {func(p *stripefake.Price) { p.UnitAmount = 10900 }, func(p *billing.Price) { p.Cents = 10900 }},
		"dollars":     {func(p *stripefake.Price) { p.Currency = "usd" }, func(p *billing.Price) { p.Currency = "usd" }},
		"with tax":    {func(p *stripefake.Price) { p.TaxBehavior = "inclusive" }, func(p *billing.Price) { p.Exclusive = false }},
		"archived":    {func(p *stripefake.Price) { p.Active = false }, func(p *billing.Price) { p.Active = false }},
		"by the year": {func(p *stripefake.Price) { p.Recurring.Interval = "year" }, func(p *billing.Price) { p.Interval = "year" }},
		"by the quarter": {
			func(p *stripefake.Price) { p.Recurring.IntervalCount = 3 }, func(p *billing.Price) { p.Interval = "3 month" },
		},
		"by use": {
			func(p *stripefake.Price) { p.Recurring.UsageType = "metered" },
			func(p *billing.Price) { p.Interval = "metered month" },
		},
	} {
		fake, _, _ := newStripe(t)
		c, err := stripe.New(stripe.Options{Key: fake.Key, WebhookSecret: fake.Secret, Price: fake.AddPrice(tt.change), URL: fake.URL})
		testkit.Must(t, err)
		want := billing.ProPrice
		tt.want(&want)
		got, err := c.Price(t.Context())
		testkit.Must(t, err)
		testkit.Equal(t, name, got, want)
	}
	fake, _, _ := newStripe(t)
	c, err := stripe.New(stripe.Options{Key: fake.Key, WebhookSecret: "x", Price: "price_unknown", URL: fake.URL})
	testkit.Must(t, err)
	_, err = c.Price(t.Context())
	if err == nil || errors.Is(err, billing.ErrUnavailable) || errors.Is(err, billing.ErrNoCustomer) {
		t.Errorf("a price that does not exist: %v", err)
	}
	_, err = c.Checkout(t.Context(), checkoutOf(newCustomer(t, c)))
	if err == nil || errors.Is(err, billing.ErrUnavailable) || errors.Is(err, billing.ErrNoCustomer) {
		t.Errorf("a checkout with it: %v", err)
	}
}

// calls are all that go to Stripe.
func calls(c *stripe.Client, customer, subscription string) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"CreateCustomer": func(ctx context.Context) error {
			_, err := c.CreateCustomer(ctx, billing.NewCustomer{Account: accountID, Payer: billing.Payer{Email: email, Language: account.French}, Key: "other"})
			return err
		},
		"UpdateCustomer": func(ctx context.Context) error {
			return c.UpdateCustomer(ctx, customer, billing.Payer{Email: email, Details: ada()})
		},
		"Checkout": func(ctx context.Context) error {
			_, err := c.Checkout(ctx, checkoutOf(customer))
			return err
		},
		"CheckoutState": func(ctx context.Context) error {
			_, err := c.CheckoutState(ctx, "cs_test_1")
			return err
		},
		"Portal": func(ctx context.Context) error {
			_, err := c.Portal(ctx, customer, account.French, back)
			return err
		},
		"Subscriptions": func(ctx context.Context) error {
			_, err := c.Subscriptions(ctx, customer)
			return err
		},
		"All": func(ctx context.Context) error {
			for _, err := range c.All(ctx) {
				return err
			}
			return nil
		},
		"ExpireCheckout": func(ctx context.Context) error { _, err := c.ExpireCheckout(ctx, "cs_test_1"); return err },
		"Invoices":       func(ctx context.Context) error { _, err := c.Invoices(ctx, subscription); return err },
		"Invoice":        func(ctx context.Context) error { _, err := c.Invoice(ctx, "in_1"); return err },
		"Void":           func(ctx context.Context) error { return c.Void(ctx, "in_1") },
		"Refund": func(ctx context.Context) error {
			_, err := c.Refund(ctx, billing.Refund{Invoice: "in_1", Reason: billing.RefundDeleted, Cents: 100, Key: "refund"})
			return err
		},
		"DetachCards":    func(ctx context.Context) error { return c.DetachCards(ctx, customer) },
		"Pending":        func(ctx context.Context) error { _, err := c.Pending(ctx, customer); return err },
		"DeleteCustomer": func(ctx context.Context) error { return c.DeleteCustomer(ctx, customer) },
		"Document": func(ctx context.Context) error {
			_, err := c.Document(ctx, billing.DocumentID{Kind: billing.InvoiceDocument, ID: "in_1"})
			return err
		},
		"MarkMailed": func(ctx context.Context) error {
			return c.MarkMailed(ctx, billing.DocumentID{Kind: billing.CreditNote, ID: "cn_1"}, noon)
		},
		"CreditNotes": func(ctx context.Context) error {
			for _, err := range c.CreditNotes(ctx, noon) {
				return err
			}
			return nil
		},
		"SetCancel": func(ctx context.Context) error { return c.SetCancel(ctx, subscription, true) },
		"End":       func(ctx context.Context) error { return c.End(ctx, subscription) },
		"Price": func(ctx context.Context) error {
			_, err := c.Price(ctx)
			return err
		},
	}
}

func TestNoCustomer(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(fake *stripefake.Server, customer string) string{
		"deleted": func(fake *stripefake.Server, customer string) string {
			testkit.Must(t, fake.DeleteCustomer(customer))
			return customer
		},
		"unknown": func(*stripefake.Server, string) string { return "cus_unknown" },
	} {
		fake, c, _ := newStripe(t)
		customer, err := c.CreateCustomer(t.Context(), billing.NewCustomer{Account: accountID, Payer: billing.Payer{Email: email, Language: account.French}, Key: name})
		testkit.Must(t, err)
		_, err = fake.Subscribe(customer, accountID, "active")
		testkit.Must(t, err)
		all := calls(c, spoil(fake, customer), "")
		for _, call := range []string{"UpdateCustomer", "Checkout", "Portal", "Subscriptions"} {
			err, want := all[call](t.Context()), billing.ErrNoCustomer
			if name != "deleted" { // it is one of another account
				want = billing.ErrRefused
			}
			if !errors.Is(err, want) || errors.Is(err, billing.ErrNoCustomer) != (name == "deleted") || errors.Is(err, billing.ErrUnavailable) {
				t.Errorf("%s of a customer that is %s: %v", call, name, err)
			}
		}
	}
}

// An outage of any kind is ErrUnavailable, and no error says more than may be logged.
func TestAway(t *testing.T) {
	t.Parallel()
	fake, c, clock := newStripe(t)
	customer := newCustomer(t, c)
	sub, err := fake.Subscribe(customer, accountID, "active")
	testkit.Must(t, err)
	said := fmt.Sprintf("<h1>Bad Gateway</h1> %s %s", email, fake.Key)
	jsonSaid := fmt.Sprintf(`{"message": "Bad Gateway for %s %s"}`, email, fake.Key)
	elsewhere := testkit.NewReceiver()
	defer elsewhere.Close()
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		how := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch {
		case strings.HasSuffix(how, "-502"):
			w.WriteHeader(http.StatusBadGateway)
		case strings.HasSuffix(how, "-302"):
			w.Header().Set("Location", elsewhere.URL)
			w.WriteHeader(http.StatusFound)
		}
		if strings.HasPrefix(how, "json") {
			fmt.Fprint(w, jsonSaid)
		} else {
			fmt.Fprint(w, said)
		}
	}))
	defer broken.Close()
	at := func(url, key string, client *http.Client) *stripe.Client {
		c, err := stripe.New(stripe.Options{
			Key: key, WebhookSecret: "whsec", Price: "price_1", URL: url, HTTP: client, Waits: []time.Duration{},
		})
		testkit.Must(t, err)
		return c
	}
	refuse := func(status int, kind, code string) func() *stripe.Client {
		return func() *stripe.Client { fake.Refuse(status, kind, code); return c }
	}
	for _, tt := range []struct {
		name string
		set  func() *stripe.Client
		away bool
	}{
		{"it hangs up", func() *stripe.Client { fake.Away(true); return c }, true},
		{"it is slow", func() *stripe.Client {
			fake.Delay(func() time.Duration { return time.Hour })
			return at(fake.URL, fake.Key, &http.Client{Timeout: 50 * time.Millisecond})
		}, true},
		{"nobody listens", func() *stripe.Client { return at("http://127.0.0.1:1", fake.Key, nil) }, true},
		{"500", refuse(500, "api_error", ""), true},
		{"503", refuse(503, "api_error", ""), true},
		{"429", refuse(429, "invalid_request_error", "rate_limit"), true},
		{"409", refuse(409, "idempotency_error", "idempotency_key_in_use"), true},
		{"502 of a proxy", func() *stripe.Client { return at(broken.URL, "html-502", nil) }, true},
		{"502 of a proxy in JSON", func() *stripe.Client { return at(broken.URL, "json-502", nil) }, true},
		{"200 of a proxy", func() *stripe.Client { return at(broken.URL, "html-200", nil) }, true},
		{"200 of a proxy in JSON", func() *stripe.Client { return at(broken.URL, "json-200", nil) }, true},
		{"302 of a proxy", func() *stripe.Client { return at(broken.URL, "html-302", nil) }, true},
		{"302 of a proxy in JSON", func() *stripe.Client { return at(broken.URL, "json-302", nil) }, true},
		{"400", refuse(400, "invalid_request_error", "email_invalid"), false},
		{"401", func() *stripe.Client { return at(fake.URL, "sk_test_other", nil) }, false},
	} {
		clock.Advance(24 * time.Hour) // what failed is repeated for a day
		provider := tt.set()
		for name, call := range calls(provider, customer, sub.ID) {
			err := call(t.Context())
			if err == nil || errors.Is(err, billing.ErrUnavailable) != tt.away || errors.Is(err, billing.ErrNoCustomer) {
				t.Errorf("%s, %s: %v", tt.name, name, err)
				continue
			}
			for _, secret := range []string{fake.Key, "sk_test", "-502", email, "example.test", "/v1/", "Gateway", "told to refuse"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%s, %s: the error holds %q: %v", tt.name, name, secret, err)
				}
			}
		}
		fake.Away(false)
		fake.Refuse(0, "", "")
		fake.Delay(func() time.Duration { return 0 })
	}
	testkit.Equal(t, "requests that went elsewhere", len(elsewhere.Requests()), 0)
	fake.Refuse(400, "invalid_request_error", "email_invalid")
	want := "stripe: changing a customer: the payment provider refuses: status 400, invalid_request_error, code email_invalid, request req_"
	if err := c.UpdateCustomer(t.Context(), customer, billing.Payer{Email: email}); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("the error does not say what to look for: %v", err)
	}
}

// The library writes to stderr unless it is told not to.
func TestNothingIsLogged(t *testing.T) { //nolint:paralleltest // it takes stderr and stdout away from all tests
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	testkit.Must(t, err)
	fake, c, _ := newStripe(t)
	stdout, stderr := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = file, file
	defer func() { os.Stdout, os.Stderr = stdout, stderr }()
	for _, away := range []bool{false, true} {
		fake.Away(away)
		for _, call := range calls(c, "cus_unknown", "sub_unknown") {
			_ = call(t.Context()) // whatever comes of it
		}
	}
	testkit.Must(t, file.Close())
	testkit.Equal(t, "log", testkit.ReadFile(t, file.Name()), "")
}

func TestNew(t *testing.T) {
	t.Parallel()
	good := stripe.Options{Key: "sk_test_secret", WebhookSecret: "whsec_secret", Price: "price_1"}
	for name, change := range map[string]func(*stripe.Options){
		"no key":     func(o *stripe.Options) { o.Key = "" },
		"no secret":  func(o *stripe.Options) { o.WebhookSecret = "" },
		"no price":   func(o *stripe.Options) { o.Price = "" },
		"no scheme":  func(o *stripe.Options) { o.URL = "127.0.0.1:80" },
		"no address": func(o *stripe.Options) { o.URL = "ftp://stripe.test" },
	} {
		o := good
		change(&o)
		if _, err := stripe.New(o); err == nil || strings.Contains(err.Error(), "_secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := stripe.New(good)
	testkit.Must(t, err)
}
