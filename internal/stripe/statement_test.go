package stripe_test

import (
	"errors"
	"testing"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A customer sees the newest invoices, who pays and how; also after the end. A mail leads to an invoice that is
// open, and to no other.
func TestStatement(t *testing.T) {
	t.Parallel()
	fake, c, _ := newStripe(t)
	customer := newCustomer(t, c)
	checkout, err := c.Checkout(t.Context(), checkoutOf(customer))
	testkit.Must(t, err)
	sub, err := fake.Complete(checkout.ID)
	testkit.Must(t, err)
	testkit.Must(t, fake.SetAddress(customer, stripefake.Address{Country: "DE", City: "Berlin", PostalCode: "10115", Line1: "Torstr. 1"}))
	id, err := fake.AddTaxID(customer, "DE123456789")
	testkit.Must(t, err)
	testkit.Must(t, fake.VerifyTaxID(id.ID, "unverified"))
	for range 3 {
		testkit.Must(t, fake.Renew(sub.ID))
	}
	testkit.Must(t, fake.FailPayment(sub.ID))
	s, err := c.Statement(t.Context(), customer, sub.ID, 4)
	testkit.Must(t, err)
	testkit.Equal(t, "invoices", []any{len(s.Invoices), s.More, s.Invoices[0].State, s.Invoices[1].State}, []any{4, true, billing.InvoiceOpen, billing.InvoicePaid})
	open := s.Unpaid()
	if open == nil || open.URL == "" || open.Number == "" || open.Total != 9900 && open.Total != 11880 {
		t.Fatalf("the unpaid one: %+v", open)
	}
	s.Invoices, s.More = nil, false
	testkit.Equal(t, "who pays how", s, billing.Statement{
		Name: "Atelier Ada", Address: []string{"Torstr. 1", "10115 Berlin"}, Country: "DE", VATNumber: "DE123456789",
		VATState: billing.VATUnverified, Email: email, Printed: []billing.Printed{{Name: "SIREN", Value: "732829320"}}, Card: &billing.Card{Brand: "visa", Last4: "4242", Month: 12, Year: 2034},
	})
	link, err := c.PayLink(t.Context(), open.ID)
	testkit.Must(t, err)
	testkit.Equal(t, "where it is paid", link, open.URL)
	testkit.Must(t, fake.Pay(sub.ID))
	if _, err := c.PayLink(t.Context(), open.ID); err == nil {
		t.Error("a paid invoice is to be paid")
	}

	testkit.Must(t, fake.SetStatus(sub.ID, "canceled"))
	s, err = c.Statement(t.Context(), customer, "", 24)
	testkit.Must(t, err)
	testkit.Equal(t, "after the end", []any{len(s.Invoices), s.More, s.Unpaid() == nil, s.Card == nil}, []any{5, false, true, true})
	testkit.Must(t, fake.DeleteCustomer(customer))
	if _, err := c.Statement(t.Context(), customer, "", 24); !errors.Is(err, billing.ErrNoCustomer) {
		t.Errorf("of a deleted customer: %v", err)
	}
	fake.Away(true)
	if _, err := c.Statement(t.Context(), customer, "", 24); !errors.Is(err, billing.ErrUnavailable) {
		t.Errorf("while it is away: %v", err)
	}
}
