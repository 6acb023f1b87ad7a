package stripe_test

import (
	"errors"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// An invoice and its credit note are as they were made out, to whom they were then. Drafts are neither.
func TestDocuments(t *testing.T) {
	t.Parallel()
	fake, c, clock := newStripe(t)
	customer := newCustomer(t, c)
	vienna := stripefake.Address{Country: "AT", PostalCode: "1010", City: "Wien", Line1: "Graben 1"}
	testkit.Must(t, fake.SetAddress(customer, vienna))
	_, err := fake.AddTaxID(customer, "ATU12345678")
	testkit.Must(t, err)
	sub, err := fake.Subscribe(customer, accountID, "active")
	testkit.Must(t, err)
	paid, err := c.Invoices(t.Context(), sub.ID)
	testkit.Must(t, err)
	name := fake.Customers()[0].Name
	clock.Advance(time.Hour)
	part := billing.Refund{Invoice: paid[0].ID, Reason: billing.RefundEnded, Cents: 900, Key: "note"}
	_, err = c.Refund(t.Context(), part)
	testkit.Must(t, err)
	testkit.Must(t, fake.SetAddress(customer, stripefake.Address{Country: "FR"})) // and a draft of there
	testkit.Must(t, fake.EndPeriod(sub.ID))
	var got []billing.Document
	for d, err := range c.Documents(t.Context(), noon, noon.Add(2*time.Hour)) {
		testkit.Must(t, err)
		got = append(got, d)
	}
	testkit.Equal(t, "documents", got, []billing.Document{{
		Kind: billing.InvoiceDocument, Number: "PAL-0001", State: billing.InvoicePaid,
		FinalAt: noon, IssuedAt: noon, DueAt: noon, PaidAt: noon,
		Customer: name, Country: "AT", VATNumber: "ATU12345678", Currency: "eur", Net: 9900,
	}, {
		Kind: billing.CreditNote, Number: "PAL-0001-CN-01", State: billing.CreditNoteIssued,
		FinalAt: noon.Add(time.Hour), IssuedAt: noon.Add(time.Hour),
		Customer: name, Country: "AT", VATNumber: "ATU12345678", Currency: "eur", Net: -900, Invoice: "PAL-0001",
	}})
	fake.SetLive(true)
	for _, err := range c.Documents(t.Context(), noon, noon.Add(2*time.Hour)) {
		if !errors.Is(err, billing.ErrRefused) {
			t.Errorf("of the other mode: %v", err)
		}
	}
}
