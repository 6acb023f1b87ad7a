package stripe_test

import (
	"errors"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/stripe"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Documents are read as their customers get them. What was paid is to be mailed, and what costs nothing if it was ordered; a
// credit note says why it was made, and a mark outlives all that we keep.
func TestDocument(t *testing.T) {
	t.Parallel()
	fake, c, clock := newStripe(t)
	customer := newCustomer(t, c)
	checkout, err := c.Checkout(t.Context(), checkoutOf(customer))
	testkit.Must(t, err)
	sub, err := fake.Complete(checkout.ID)
	testkit.Must(t, err)
	paid := fake.Invoices(customer)[0]
	_, err = c.Refund(t.Context(), billing.Refund{Invoice: paid.ID, Reason: billing.RefundDifference, Cents: 1880, Key: "refund"})
	testkit.Must(t, err)
	byHand, err := fake.Credit(paid.ID, 1000)
	testkit.Must(t, err)
	clock.Advance(time.Hour)
	testkit.Must(t, fake.FailPayment(sub.ID))
	ours := fake.CreditNotes()[1]
	invoice := func(id string) billing.DocumentID { return billing.DocumentID{Kind: billing.InvoiceDocument, ID: id} }
	note := func(id string) billing.DocumentID { return billing.DocumentID{Kind: billing.CreditNote, ID: id} }
	read := func(id billing.DocumentID) billing.MailedDocument {
		t.Helper()
		d, err := c.Document(t.Context(), id)
		testkit.Must(t, err)
		return d
	}
	for _, want := range []billing.MailedDocument{
		{
			DocumentID: invoice(paid.ID), Number: *paid.Number, Date: noon, Currency: "eur", Net: 9900, Tax: 1980, Total: 11880, Email: email,
			Page: *paid.HostedInvoiceURL, PDF: *paid.InvoicePDF, Issued: true,
		},
		{
			DocumentID: note(ours.ID), Number: ours.Number, Corrects: *paid.Number, Date: noon, Currency: "eur", Net: 1567, Tax: 313, Total: 1880,
			Refunded: 1880, Reason: billing.RefundDifference, Email: email, PDF: ours.PDF, Issued: true,
		},
		{
			DocumentID: note(byHand.ID), Number: byHand.Number, Corrects: *paid.Number, Date: noon, Currency: "eur", Net: 833, Tax: 167, Total: 1000,
			Refunded: 1000, Email: email, PDF: byHand.PDF, Issued: true,
		},
	} {
		testkit.Equal(t, want.ID, read(want.DocumentID), want)
		testkit.Must(t, c.MarkMailed(t.Context(), want.DocumentID, noon))
		want.Mailed = true
		testkit.Equal(t, want.ID+", marked", read(want.DocumentID), want)
	}
	testkit.Equal(t, "an open invoice", read(invoice(fake.Invoices(customer)[0].ID)).Issued, false)
	for _, id := range []billing.DocumentID{invoice("in_unknown"), note("cn_unknown")} {
		if _, err := c.Document(t.Context(), id); !errors.Is(err, billing.ErrNoDocument) {
			t.Errorf("%s: %v", id.ID, err)
		}
	}
	for since, want := range map[time.Time]int{noon: 2, noon.Add(time.Second): 0} {
		var found []billing.IssuedCreditNote
		for n, err := range c.CreditNotes(t.Context(), since) {
			testkit.Must(t, err)
			found = append(found, n)
		}
		testkit.Equal(t, "credit notes since then", len(found), want)
		if want > 0 {
			testkit.Equal(t, "ours", found[1], billing.IssuedCreditNote{
				ID: ours.ID, Customer: customer, Invoice: paid.ID, IssuedAt: noon, Reason: billing.RefundDifference,
			})
		}
	}

	// They are there, with the address they are for, once the customer is not.
	testkit.Must(t, fake.DeleteCustomer(customer))
	testkit.Equal(t, "afterwards", []string{read(invoice(paid.ID)).Email, read(note(ours.ID)).Email}, []string{email, email})

	free := fake.AddPrice(func(p *stripefake.Price) { p.UnitAmount = 0 })
	nothing, err := stripe.New(stripe.Options{Key: fake.Key, WebhookSecret: fake.Secret, Price: free, URL: fake.URL})
	testkit.Must(t, err)
	defer nothing.Close()
	for ordered, want := range map[bool]bool{true: true, false: false} {
		customer := newCustomerOf(t, nothing, map[bool]string{true: "ordered", false: "trial"}[ordered])
		if ordered {
			order := checkoutOf(customer)
			order.Key = "checkout-free"
			checkout, err := nothing.Checkout(t.Context(), order)
			testkit.Must(t, err)
			_, err = fake.Complete(checkout.ID)
			testkit.Must(t, err)
		} else {
			_, err := fake.Subscribe(customer, accountID, "trialing")
			testkit.Must(t, err)
		}
		d := read(invoice(fake.Invoices(customer)[0].ID))
		testkit.Equal(t, "an invoice over nothing", []any{d.Total, d.Issued}, []any{int64(0), want})
	}
}

// A customer is erased: no card is left, nothing that is under way is lost sight of, and what it bought stays as it was.
func TestErase(t *testing.T) {
	t.Parallel()
	fake, c, clock := newStripe(t)
	customer := newCustomer(t, c)
	sub, err := fake.Subscribe(customer, accountID, "active")
	testkit.Must(t, err)
	testkit.Must(t, fake.PayWith(sub.ID, &stripefake.PaymentMethod{Type: "link", Link: map[string]any{}}))
	pending := func(what string, invoices, refunds int) {
		t.Helper()
		p, err := c.Pending(t.Context(), customer)
		testkit.Must(t, err)
		testkit.Equal(t, what, []any{len(p.Invoices), len(p.Refunds), p.Any()}, []any{invoices, refunds, invoices+refunds > 0})
	}
	pending("a paid invoice", 0, 0)
	testkit.Must(t, fake.EndPeriod(sub.ID))
	pending("a draft that advances", 1, 0)
	draft := fake.Invoices(customer)[0].ID
	testkit.Must(t, c.StopCollecting(t.Context(), draft))
	pending("one that does not", 0, 0)
	fake.PendRefunds(true)
	byHand, err := fake.Refund(customer, 100)
	testkit.Must(t, err)
	_, err = fake.Credit(fake.Invoices(customer)[1].ID, 200)
	testkit.Must(t, err)
	pending("refunds by hand and by a credit note", 0, 2)
	testkit.Must(t, fake.SettleRefund(byHand.ID, false))
	pending("one that failed", 0, 1)

	testkit.Equal(t, "cards", len(fake.PaymentMethods(customer)), 2)
	for range 2 {
		testkit.Must(t, c.DetachCards(t.Context(), customer))
	}
	testkit.Equal(t, "cards", len(fake.PaymentMethods(customer)), 0)
	testkit.Must(t, fake.Finalize(draft))
	pending("an open invoice", 1, 1)
	clock.Advance(time.Hour)
	testkit.Must(t, fake.Renew(sub.ID))
	testkit.Equal(t, "nothing is charged without a card", fake.Subscriptions(customer)[0].Status, "past_due")
	issued := func() (list []string) {
		for _, i := range fake.Invoices(customer) {
			list = append(list, i.Status+" "+*i.Number+" "+*i.CustomerName+" "+*i.CustomerEmail+" "+i.CustomerAddress.City)
		}
		return list
	}
	before := issued()
	for range 2 {
		testkit.Must(t, c.DeleteCustomer(t.Context(), customer))
	}
	testkit.Equal(t, "deleted", []any{fake.Customers()[0].Deleted, fake.Subscriptions(customer)[0].Status}, []any{true, "canceled"})
	testkit.Equal(t, "its invoices", issued(), before)
	for what, err := range map[string]error{
		"cards":   c.DetachCards(t.Context(), customer),
		"pending": func() error { _, err := c.Pending(t.Context(), customer); return err }(),
		"unknown": c.DeleteCustomer(t.Context(), "cus_unknown"),
	} {
		if unknown := what == "unknown"; errors.Is(err, billing.ErrRefused) != unknown || what == "cards" && !errors.Is(err, billing.ErrNoCustomer) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
