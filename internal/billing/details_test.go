package billing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
)

// What an order says of who pays is what the provider knows before anything is paid; and so is what changes later: the
// details, the language and, unless invoices have an address of their own, that of the account.
func TestDetails_GoToTheProvider(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a := s.signUp(account.Developer)
	by := account.ByAccount(a.ID)
	_, err := s.Details(t.Context(), by, a.ID)
	s.must(err)
	s.wantError("who never ordered", s.ChangeDetails(t.Context(), by, a.ID, s.form().Details), billing.ErrNotSubscribed)

	f := s.form()
	f.Reference = "BC 12"
	c, err := s.Order(t.Context(), by, a.ID, f)
	s.must(err)
	ada := billing.Details{
		Name: "Atelier Ada", Number: "732829320", Country: "FR", Line1: "3 rue du Puits", Postcode: "75011", City: "Paris", Reference: "BC 12",
	}
	customer := s.provider.checkouts[c.ID].request.Customer
	known := func(what, email string, l account.Language, d billing.Details) {
		t.Helper()
		is := s.provider.customers[customer]
		s.want(what, []any{is.Email, is.Language, *is.Details}, []any{email, l, d})
		kept, err := s.Details(t.Context(), by, a.ID)
		s.must(err)
		s.want(what+", kept", *kept, d)
	}
	known("as ordered", a.Email, account.French, ada)

	s.must(s.db.Accounts.SetLanguage(t.Context(), by, a.ID, account.English, s.clock.Now()))
	s.must(s.db.Accounts.SetEmail(t.Context(), by, a.ID, "ada@new.example", s.clock.Now()))
	s.work()
	known("another language and address", "ada@new.example", account.English, ada)

	moved := billing.Details{
		Name: "Werkstatt", Number: "de 123 456 789", Country: "de", Line1: " Torstr.  1", Postcode: "10115", City: "Berlin", Email: "rechnung@example.org",
	}
	s.must(s.ChangeDetails(t.Context(), by, a.ID, moved))
	moved.Number, moved.Country, moved.Line1 = "DE123456789", "DE", "Torstr. 1"
	known("moved", "rechnung@example.org", account.English, moved)
	s.must(s.db.Accounts.SetEmail(t.Context(), by, a.ID, "ada@newer.example", s.clock.Now()))
	s.work()
	known("another address of the account", "rechnung@example.org", account.English, moved)
	orders, err := s.Orders(t.Context(), by, a.ID)
	s.must(err)
	s.want("the order", orders[0].Details, ada)

	// What is not whole, or not taken, changes nothing.
	for name, tt := range map[string]struct {
		change func(*billing.Details)
		fails  error
		want   string
	}{
		"Monaco":                             {func(d *billing.Details) { d.Country, d.Number = "MC", "" }, nil, "[place]"},
		"nothing":                            {func(d *billing.Details) { *d = billing.Details{} }, nil, "[name country address city]"},
		"a number that the provider refuses": {func(*billing.Details) {}, billing.ErrVATNumber, "[number]"},
		"a place that it does not know":      {func(*billing.Details) {}, billing.ErrLocation, "[location]"},
	} {
		d := moved
		d.City = "Elsewhere"
		tt.change(&d)
		s.provider.with(func() { s.provider.refusesPayers = tt.fails })
		s.want(name, fmt.Sprint(faults(s.ChangeDetails(t.Context(), by, a.ID, d))), tt.want)
		s.provider.with(func() { s.provider.refusesPayers = nil })
		known(name, "rechnung@example.org", account.English, moved)
	}
	s.provider.with(func() { s.provider.away = true })
	s.wantError("while the provider is away", s.ChangeDetails(t.Context(), by, a.ID, ada), billing.ErrUnavailable)
	s.provider.with(func() { s.provider.away = false })
	known("while the provider is away", "rechnung@example.org", account.English, moved)
	s.wantError("another's", s.ChangeDetails(t.Context(), account.ByAccount(s.signUp(account.Developer).ID), a.ID, ada), account.ErrNoAccount)

	// They go with the account; what was ordered is kept without an address for mail.
	s.exec(`UPDATE billing_orders SET email = 'order@example.org'`)
	s.must(s.accounts.Delete(t.Context(), operator, a.ID))
	s.want("details of a deleted account", s.count("billing_details"), 0)
	s.want("orders", s.count("billing_orders"), 1)
	if all := s.dump(); strings.Contains(all, "order@example.org") || strings.Contains(all, "rechnung@example.org") {
		t.Error("an address is left")
	}
}

// A number or a place that the provider does not take is the fault of the form: nothing is ordered.
func TestOrder_IsRefusedByTheProvider(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a := s.signUp(account.Developer)
	for want, err := range map[string]error{"[number]": billing.ErrVATNumber, "[location]": billing.ErrLocation} {
		s.provider.refusesPayers = err
		_, got := s.Order(t.Context(), account.ByAccount(a.ID), a.ID, s.form())
		s.want(want, fmt.Sprint(faults(got)), want)
	}
	s.want("orders", s.count("billing_orders"), 0)
	s.want("checkouts", s.provider.called("Checkout"), 0)
}
