// Package stripetest gives each test a stand-in for Stripe, with helpers to order Pro.
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

// New starts a stand-in for Stripe, and stops it at the end of the test. Empty options get a value; a test
// that depends on time sets Options.Now.
func New(tb testing.TB, o stripefake.Options) *stripefake.Server {
	tb.Helper()
	s, err := stripefake.Start(context.Background(), "127.0.0.1:0", o)
	testkit.Must(tb, err)
	tb.Cleanup(func() { testkit.Must(tb, s.Close()) })
	return s
}

// Client returns a client that talks to a stand-in and never retries.
func Client(tb testing.TB, s *stripefake.Server) *stripe.Client {
	tb.Helper()
	c, err := stripe.New(stripe.Options{Key: s.Key, WebhookSecret: s.Secret, Price: s.Price, URL: s.URL, Waits: []time.Duration{}})
	testkit.Must(tb, err)
	return c
}

// Texts returns the texts that an operator must have written before anything is sold.
func Texts() billing.OperatorTexts {
	return billing.OperatorTexts{
		Terms: map[account.Language]string{account.French: "Nos conditions."},
		Legal: map[account.Language]string{account.French: "Qui nous sommes."},
	}
}

// Order orders Pro for an account in the database at a URL, as its owner does on the page, and returns the
// checkout to pay.
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

// Form returns a complete order form.
func Form(s *billing.Service) billing.OrderForm {
	return billing.OrderForm{
		ID: billing.NewOrderID(), Language: account.French, Details: Details(),
		Business: true, Accepted: true, Terms: s.Terms(account.French).Hash, Total: 11880,
	}
}

// Details returns complete details of a business.
func Details() billing.Details {
	return billing.Details{
		Name: "Atelier Ada", Number: "732829320", Country: "FR", Line1: "3 rue du Puits", Postcode: "58500", City: "Clamecy",
	}
}

var hiddenField = regexp.MustCompile(`<input type="hidden" name="(commande|texte|total)" value="([^"]*)">`)

// OrderOnPage fills in the order page as a browser does, first to see the total and then to order. get and
// submit return the body of the page; OrderOnPage returns the last one.
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
