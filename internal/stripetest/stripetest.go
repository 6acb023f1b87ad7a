// Package stripetest gives tests a Stripe of their own.
package stripetest

import (
	"context"
	"regexp"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/stripe"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// New starts a stand-in for Stripe, and ends it with the test. What is empty in the options gets a
// value; a test that cares about time gives the clock.
func New(tb testing.TB, o stripefake.Options) *stripefake.Server {
	tb.Helper()
	s, err := stripefake.Start(context.Background(), "127.0.0.1:0", o)
	testkit.Must(tb, err)
	tb.Cleanup(func() { testkit.Must(tb, s.Close()) })
	return s
}

// Client returns the provider that talks to a stand-in.
func Client(tb testing.TB, s *stripefake.Server) *stripe.Client {
	tb.Helper()
	c, err := stripe.New(stripe.Options{Key: s.Key, WebhookSecret: s.Secret, Price: s.Price, URL: s.URL, Waits: []time.Duration{}})
	testkit.Must(tb, err)
	return c
}

// Texts are what an operator must have written before anything is sold.
func Texts() billing.OperatorTexts {
	return billing.OperatorTexts{
		Terms: map[account.Language]string{account.French: "Nos conditions."},
		Legal: map[account.Language]string{account.French: "Qui nous sommes."},
	}
}

// Order orders Pro for an account of a database, as its owner does on the page, and returns what is then to be
// paid.
func Order(ctx context.Context, database string, s *stripefake.Server, accountID string) (billing.Checkout, error) {
	db, err := postgres.Open(ctx, database, postgres.Options{})
	if err != nil {
		return billing.Checkout{}, err
	}
	defer db.Close()
	provider, err := stripe.New(stripe.Options{Key: s.Key, WebhookSecret: s.Secret, Price: s.Price, URL: s.URL, Waits: []time.Duration{}})
	if err != nil {
		return billing.Checkout{}, err
	}
	defer provider.Close()
	at := func(account.Language) string { return "http://localhost:8080/" }
	service := billing.New(billing.Options{Store: db.Billing, Provider: provider, Country: "FR", Texts: Texts, Plan: at, Done: at})
	return service.Order(ctx, account.ByAccount(accountID), accountID, Form(service))
}

// Form is an order that lacks nothing.
func Form(s *billing.Service) billing.OrderForm {
	return billing.OrderForm{
		ID: billing.NewOrderID(), Language: account.French, Details: Details(),
		Business: true, Accepted: true, Terms: s.Terms(account.French).Hash, Total: 11880,
	}
}

// Details are those of a business that lacks nothing.
func Details() billing.Details {
	return billing.Details{
		Name: "Atelier Ada", Number: "732829320", Country: "FR", Line1: "3 rue du Puits", Postcode: "58500", City: "Clamecy",
	}
}

var hiddenField = regexp.MustCompile(`<input type="hidden" name="(commande|texte|total)" value="([^"]*)">`)

// OrderOnPage fills in the page of an order as a browser does, first for the total and then for good. The
// functions return what the page says, and the last is returned.
func OrderOnPage(get func() string, submit func(action string, fields map[string]string) string) string {
	d := Details()
	filled := map[string]string{
		"nom": d.Name, "pays": d.Country, "numero": d.Number, "adresse": d.Line1, "postal": d.Postcode, "ville": d.City,
		"activite": "1", "conditions": "1",
	}
	body := get()
	for _, action := range []string{"total", "order"} {
		for _, hidden := range hiddenField.FindAllStringSubmatch(body, -1) {
			filled[hidden[1]] = hidden[2]
		}
		body = submit(action, filled)
	}
	return body
}
