package stripe_test

import (
	"errors"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// What was ordered is what is invoiced, whatever somebody types on the page of the checkout; and what changes later is on
// the invoices that follow.
func TestCustomer_IsInvoicedAsOrdered(t *testing.T) {
	t.Parallel()
	fake, c, _ := newStripe(t)
	d := billing.Details{
		Name: "Werkstatt GmbH", Number: "DE123456789", Country: "DE", Line1: "Torstr. 1", Line2: "Hof 2", Postcode: "10115", City: "Berlin",
		Region: "Berlin", Email: "rechnung@example.test", Reference: "PO-77",
	}
	p := billing.Payer{Email: d.Email, Language: account.English, Details: &d}
	customer, err := c.CreateCustomer(t.Context(), billing.NewCustomer{Account: accountID, Payer: p, Key: "werkstatt"})
	testkit.Must(t, err)
	fake.Buys(func(map[string]string) stripefake.Buyer {
		return stripefake.Buyer{Name: "Max Muster", Address: stripefake.Address{Country: "MC"}, VATNumber: "FR44732829320"}
	})
	r := checkoutOf(customer)
	r.Order.Details = d
	checkout, err := c.Checkout(t.Context(), r)
	testkit.Must(t, err)
	sub, err := fake.Complete(checkout.ID)
	testkit.Must(t, err)
	type printed struct {
		name, email string
		at          stripefake.Address
		vat         string
		fields      []stripefake.CustomField
		total       int64
	}
	newest := func() printed {
		t.Helper()
		i := fake.Invoices(customer)[0]
		is := printed{name: *i.CustomerName, email: *i.CustomerEmail, at: *i.CustomerAddress, fields: i.CustomFields, total: i.Total}
		for _, id := range i.CustomerTaxIDs {
			is.vat += id.Value
		}
		return is
	}
	berlin := stripefake.Address{City: "Berlin", Country: "DE", Line1: "Torstr. 1", Line2: "Hof 2", PostalCode: "10115", State: "Berlin"}
	testkit.Equal(t, "as ordered", newest(), printed{
		"Werkstatt GmbH", "rechnung@example.test", berlin, "DE123456789", []stripefake.CustomField{{Name: "Purchase order", Value: "PO-77"}}, 9900,
	})

	for what, tt := range map[string]struct {
		change func()
		want   printed
	}{
		"moved to France": {
			func() { p.Language, p.Email, p.Details = account.French, email, ada() },
			printed{
				"Atelier Ada", email,
				stripefake.Address{City: "Clamecy", Country: "FR", Line1: "3 rue du Puits", PostalCode: "58500"},
				"",
				[]stripefake.CustomField{{Name: "SIREN", Value: "732829320"}},
				11880,
			},
		},
		"with a VAT number of France": {
			func() { p.Details = ada(); p.Details.Number, p.Details.Reference = "FR44732829320", "BC 12" },
			printed{
				"Atelier Ada", email,
				stripefake.Address{City: "Clamecy", Country: "FR", Line1: "3 rue du Puits", PostalCode: "58500"},
				"FR44732829320",
				[]stripefake.CustomField{{Name: "SIREN", Value: "732829320"}, {Name: "Bon de commande", Value: "BC 12"}},
				11880,
			},
		},
		"moved to Switzerland": {
			func() {
				p.Details = &billing.Details{Name: "Werk AG", Number: "CHE-1", Country: "CH", Line1: "Gasse 1", City: "Bern"}
			},
			printed{"Werk AG", email, stripefake.Address{City: "Bern", Country: "CH", Line1: "Gasse 1"}, "", []stripefake.CustomField{{Name: "N° d’entreprise", Value: "CHE-1"}}, 9900},
		},
		"without a number": {
			func() {
				p.Details = &billing.Details{Name: "Werk AG", Country: "CH", Line1: "Gasse 1", City: "Bern"}
			},
			printed{"Werk AG", email, stripefake.Address{City: "Bern", Country: "CH", Line1: "Gasse 1"}, "", nil, 9900},
		},
		"only the address of the account": { // of who bought before there were details: all else stays
			func() { p.Details, p.Email = nil, "new@example.test" },
			printed{"Werkstatt GmbH", "new@example.test", berlin, "DE123456789", []stripefake.CustomField{{Name: "Purchase order", Value: "PO-77"}}, 9900},
		},
	} {
		p = billing.Payer{Email: email, Language: account.English, Details: &d}
		testkit.Must(t, c.UpdateCustomer(t.Context(), customer, p)) // from where each begins
		p.Language = account.French
		tt.change()
		testkit.Must(t, c.UpdateCustomer(t.Context(), customer, p))
		testkit.Must(t, c.UpdateCustomer(t.Context(), customer, p)) // again: a process has died
		testkit.Must(t, fake.Renew(sub.ID))
		testkit.Equal(t, what, newest(), tt.want)
	}
}

// What Stripe does not take is the fault of a field, and not of the key.
func TestCustomer_IsRefused(t *testing.T) {
	t.Parallel()
	fake, c, _ := newStripe(t)
	customer := newCustomer(t, c)
	try := func(what string, d billing.Details, want error) {
		t.Helper()
		p := billing.Payer{Email: email, Language: account.French, Details: &d}
		_, created := c.CreateCustomer(t.Context(), billing.NewCustomer{Account: accountID, Payer: p, Key: what})
		for _, err := range []error{created, c.UpdateCustomer(t.Context(), customer, p)} {
			if !errors.Is(err, want) || errors.Is(err, billing.ErrRefused) {
				t.Errorf("%s: %v, want %v", what, err, want)
			}
		}
	}
	try("no postcode in the United States", billing.Details{Name: "W", Country: "US", Line1: "1", City: "C"}, billing.ErrLocation)
	fake.Refuse(400, "invalid_request_error", "tax_id_invalid")
	try("a number that only Stripe knows to be wrong", *ada(), billing.ErrVATNumber)
	fake.Refuse(0, "", "")
	testkit.Equal(t, "the customer", fake.Customers()[0].Address.Country, "FR")
}
