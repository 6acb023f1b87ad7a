package stripe_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/stripe"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A refund is a credit note over what no other took back, and is made once.
func TestRefund(t *testing.T) {
	t.Parallel()
	fake, c, _ := newStripe(t)
	customer := newCustomer(t, c)
	sub, err := fake.Subscribe(customer, accountID, "active")
	testkit.Must(t, err)
	testkit.Must(t, fake.FailPayment(sub.ID))
	invoices, err := c.Invoices(t.Context(), sub.ID)
	testkit.Must(t, err)
	var states []billing.InvoiceState
	for _, i := range invoices {
		states = append(states, i.State)
	}
	testkit.Equal(t, "invoices", states, []billing.InvoiceState{billing.InvoiceOpen, billing.InvoicePaid})
	open, paid := invoices[0], invoices[1]
	testkit.Equal(t, "its page", open.URL, *fake.Invoices(customer)[0].HostedInvoiceURL)

	r := billing.Refund{Invoice: paid.ID, Reason: billing.RefundDeleted, Cents: paid.Paid, Key: "refund-1"}
	var done []billing.Refunded
	for range 3 {
		refunded, err := c.Refund(t.Context(), r)
		testkit.Must(t, err)
		done = append(done, refunded)
		r.Key += "x" // also under another key
	}
	notes := fake.CreditNotes()
	testkit.Equal(t, "credit notes", len(notes), 1)
	testkit.Equal(t, "done", done, []billing.Refunded{{CreditNote: notes[0].ID, Made: true}, {CreditNote: notes[0].ID}, {CreditNote: notes[0].ID}})
	testkit.Equal(t, "the note", []any{notes[0].Invoice, notes[0].Amount, notes[0].Refunds[0].AmountRefunded, notes[0].Metadata["refunded_for"]},
		[]any{paid.ID, int64(11880), int64(11880), "deleted_account"})
	after, err := c.Invoice(t.Context(), paid.ID)
	testkit.Must(t, err)
	testkit.Equal(t, "credited", after.Credited, int64(11880))

	for range 2 { // void is void
		testkit.Must(t, c.Void(t.Context(), open.ID))
	}
	testkit.Equal(t, "open", fake.Invoices(customer)[0].Status, "void")
	if err := c.Void(t.Context(), paid.ID); !errors.Is(err, billing.ErrBusy) {
		t.Errorf("voiding what was paid: %v", err)
	}
}

func TestExpireCheckout(t *testing.T) {
	t.Parallel()
	fake, c, _ := newStripe(t)
	customer := newCustomer(t, c)
	expire := func(id string, want billing.CheckoutState) {
		t.Helper()
		got, err := c.ExpireCheckout(t.Context(), id)
		testkit.Must(t, err)
		testkit.Equal(t, "state", got, want)
	}
	first, err := c.Checkout(t.Context(), checkoutOf(customer))
	testkit.Must(t, err)
	expire(first.ID, billing.CheckoutExpired)
	expire(first.ID, billing.CheckoutExpired)
	expire("cs_test_unknown", billing.CheckoutExpired)
	r := checkoutOf(customer)
	r.Key = "checkout-2"
	second, err := c.Checkout(t.Context(), r)
	testkit.Must(t, err)
	_, err = fake.Complete(second.ID)
	testkit.Must(t, err)
	expire(second.ID, billing.CheckoutComplete)
}

// What is of the other mode than the key is refused: what was paid there is not paid here.
func TestOtherMode(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"sk_test_1", "rk_test_1", "sk_live_1", "rk_live_1", "neither"} {
		for _, live := range []bool{false, true} {
			fake, _, _ := newStripeWith(t, stripefake.Options{Key: key})
			c, err := stripe.New(stripe.Options{Key: key, WebhookSecret: fake.Secret, Price: fake.Price, URL: fake.URL})
			testkit.Must(t, err)
			setup, err := stripe.New(stripe.Options{Key: key, WebhookSecret: fake.Secret, Price: fake.Price, URL: fake.URL})
			testkit.Must(t, err)
			fake.SetLive(key == "sk_live_1" || key == "rk_live_1")
			customer := newCustomer(t, setup)
			_, err = fake.Subscribe(customer, accountID, "active")
			testkit.Must(t, err)
			fake.SetLive(live)
			other := stripe.IsTest(key) && live || key != "neither" && !stripe.IsTest(key) && !live
			for name, call := range map[string]func(context.Context) error{
				"Price":         func(ctx context.Context) error { _, err := c.Price(ctx); return err },
				"Subscriptions": func(ctx context.Context) error { _, err := c.Subscriptions(ctx, customer); return err },
				"Checkout":      func(ctx context.Context) error { _, err := c.Checkout(ctx, checkoutOf(customer)); return err },
				"Pending":       func(ctx context.Context) error { _, err := c.Pending(ctx, customer); return err },
				"Document": func(ctx context.Context) error {
					_, err := c.Document(ctx, billing.DocumentID{Kind: billing.InvoiceDocument, ID: fake.Invoices(customer)[0].ID})
					return err
				},
			} {
				if err := call(t.Context()); errors.Is(err, billing.ErrRefused) != other || (err != nil) != other {
					t.Errorf("%s, live %v: %s: %v", key, live, name, err)
				}
			}
			fake.Emit("invoice.paid", customer, []byte(`{"object": "invoice"}`))
			events := fake.Events()
			last := events[len(events)-1]
			if _, err := c.Verify(last.Body, fake.Sign(last.Body, noon), noon); errors.Is(err, billing.ErrForged) != other {
				t.Errorf("%s, live %v: an event: %v", key, live, err)
			}
		}
	}
}

// A charge that was refunded by hand has its invoice credited all the same, and no money goes back twice.
func TestRefund_ByHand(t *testing.T) {
	t.Parallel()
	fake, c, clock := newStripe(t)
	customer := newCustomer(t, c)
	_, err := fake.Subscribe(customer, accountID, "active")
	testkit.Must(t, err)
	paid := fake.Invoices(customer)[0]
	_, err = fake.Refund(customer, 0)
	testkit.Must(t, err)
	r := billing.Refund{Invoice: paid.ID, Reason: billing.RefundDeleted, Cents: paid.AmountPaid, Key: "refund"}
	for range 2 {
		_, err := c.Refund(t.Context(), r)
		testkit.Must(t, err)
		clock.Advance(25 * time.Hour)
	}
	notes := fake.CreditNotes()
	testkit.Equal(t, "credit notes", len(notes), 1)
	testkit.Equal(t, "the note", []any{notes[0].Amount, *notes[0].OutOfBandAmount, len(notes[0].Refunds)}, []any{int64(11880), int64(11880), 0})
	testkit.Equal(t, "refunds", len(fake.Refunds()), 1)
}

// A draft that is stopped is not charged, also after its subscription has ended. One that became final meanwhile is
// to be looked at again.
func TestStopCollecting(t *testing.T) {
	t.Parallel()
	fake, c, clock := newStripe(t)
	customer := newCustomer(t, c)
	sub, err := fake.Subscribe(customer, accountID, "active")
	testkit.Must(t, err)
	testkit.Must(t, fake.EndPeriod(sub.ID))
	draft := only(t, c, customer).Latest
	testkit.Equal(t, "a draft of a renewal", []any{draft.State, draft.Advances, draft.Subscription}, []any{billing.InvoiceDraft, true, sub.ID})
	for range 2 {
		testkit.Must(t, c.StopCollecting(t.Context(), draft.ID))
	}
	testkit.Must(t, c.End(t.Context(), sub.ID))
	clock.Advance(2 * time.Hour)
	after, err := c.Invoice(t.Context(), draft.ID)
	testkit.Must(t, err)
	testkit.Equal(t, "later", []any{after.State, after.Advances}, []any{billing.InvoiceDraft, false})
	for _, i := range fake.Invoices(customer)[1:] {
		if err := c.StopCollecting(t.Context(), i.ID); !errors.Is(err, billing.ErrBusy) {
			t.Errorf("stopping what was paid: %v", err)
		}
	}
}
