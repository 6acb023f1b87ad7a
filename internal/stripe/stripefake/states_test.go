package stripefake_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/stripetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// What a subscription and its invoices, the newest first, are after each of a few lives, as Stripe
// documents it.
func TestStates(t *testing.T) {
	t.Parallel()
	type life struct {
		*stripefake.Server
		customer, sub string
	}
	newest := func(l life) string { return l.Invoices(l.customer)[0].ID }
	for name, tt := range map[string]struct {
		live     func(l life) error
		status   string
		invoices []string
		events   []string // among those there were
	}{
		"paid": {func(life) error { return nil }, "active", []string{"paid"}, []string{"invoice.finalized", "invoice.paid"}},
		"a renewal fails and is paid on the invoice's page": {
			func(l life) error { return errors.Join(l.FailPayment(l.sub), l.PayInvoice(newest(l))) },
			"active",
			[]string{"paid", "paid"},
			[]string{"invoice.payment_failed"},
		},
		"3-D Secure at a renewal": {
			func(l life) error { return l.RequireAction(l.sub) },
			"past_due",
			[]string{"open", "paid"},
			[]string{"invoice.payment_action_required", "invoice.payment_failed"},
		},
		"unpaid: later invoices are drafts": {
			func(l life) error {
				return errors.Join(l.FailPayment(l.sub), l.SetStatus(l.sub, "unpaid"), l.Renew(l.sub))
			},
			"unpaid",
			[]string{"draft", "open", "paid"},
			nil,
		},
		"unpaid: paying an older one changes nothing": {
			func(l life) error {
				return errors.Join(l.FailPayment(l.sub), l.SetStatus(l.sub, "unpaid"), l.Renew(l.sub), l.Pay(l.sub))
			},
			"unpaid",
			[]string{"draft", "paid", "paid"},
			nil,
		},
		"unpaid: paying the newest reactivates": {
			func(l life) error {
				return errors.Join(l.FailPayment(l.sub), l.SetStatus(l.sub, "unpaid"), l.Renew(l.sub),
					l.Finalize(newest(l)), l.PayInvoice(newest(l)))
			},
			"active",
			[]string{"paid", "open", "paid"},
			nil,
		},
		"written off: active": {
			func(l life) error { return errors.Join(l.FailPayment(l.sub), l.WriteOff(newest(l))) },
			"active",
			[]string{"uncollectible", "paid"},
			[]string{"invoice.marked_uncollectible"},
		},
		"voided: as it was": {
			func(l life) error { return errors.Join(l.FailPayment(l.sub), l.VoidInvoice(newest(l))) },
			"past_due",
			[]string{"void", "paid"},
			[]string{"invoice.voided"},
		},
		"finalization fails: active, and nothing is asked for": {
			func(l life) error { l.FailFinalization("tax_calculation_failed"); return l.Renew(l.sub) },
			"active",
			[]string{"draft", "paid"},
			[]string{"invoice.finalization_failed"},
		},
		"nobody knows where the customer is": {
			func(l life) error {
				return errors.Join(l.SetAddress(l.customer, stripefake.Address{}), l.Renew(l.sub))
			},
			"active",
			[]string{"draft", "paid"},
			[]string{"invoice.finalization_failed"},
		},
		"ended while it fails: open, and not asked for": {
			func(l life) error { return errors.Join(l.FailPayment(l.sub), l.SetStatus(l.sub, "canceled")) },
			"canceled",
			[]string{"open", "paid"},
			nil,
		},
		"disputed": {
			func(l life) error { l.Dispute(l.customer); return l.CloseDispute(false) },
			"active",
			[]string{"paid"},
			[]string{"charge.dispute.created", "charge.dispute.closed"},
		},
	} {
		fake := stripetest.New(t, stripefake.Options{})
		customer, checkout := open(t, stripetest.Client(t, fake))
		sub, err := fake.Complete(checkout.ID)
		testkit.Must(t, err)
		testkit.Must(t, tt.live(life{fake, customer, sub.ID}))
		testkit.Equal(t, name+": status", fake.Subscriptions(customer)[0].Status, tt.status)
		testkit.Equal(t, name+": invoices", statuses(fake.Invoices(customer)), tt.invoices)
		var kinds []string
		for _, e := range fake.Events() {
			kinds = append(kinds, e.Type)
		}
		for _, kind := range tt.events {
			if !slices.Contains(kinds, kind) {
				t.Errorf("%s: there was no %s", name, kind)
			}
		}
	}
}

func statuses(invoices []stripefake.Invoice) (list []string) {
	for _, i := range invoices {
		list = append(list, i.Status)
	}
	return list
}

// A delayed method makes a subscription active before money came, and leaves it so where none comes.
func TestPayLater(t *testing.T) {
	t.Parallel()
	for paid, want := range map[bool]string{true: "paid", false: "void"} {
		fake := stripetest.New(t, stripefake.Options{})
		fake.PayLater(true)
		customer, checkout := open(t, stripetest.Client(t, fake))
		sub, err := fake.Complete(checkout.ID)
		testkit.Must(t, err)
		now := func() []string {
			return []string{fake.Subscriptions(customer)[0].Status, fake.Invoices(customer)[0].Status}
		}
		if !slices.Equal(fake.Checkouts()[0].PaymentMethodTypes, []string{"card"}) {
			testkit.Equal(t, "before", now(), []string{"active", "open"})
			testkit.Equal(t, "the checkout", fake.Checkouts()[0].PaymentStatus, "unpaid")
			testkit.Must(t, fake.Settle(sub.ID, paid))
			testkit.Equal(t, "after", now(), []string{"active", want})
			continue
		}
		testkit.Equal(t, "a card", now(), []string{"active", "paid"})
	}
}

// Tax follows from where a customer is, and from whether it has a tax id, whatever the register says.
func TestTaxByAddress(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		at     stripefake.Address
		vat    string
		status string
		tax    int64
		reason string
	}{
		"France":                {stripefake.Address{Country: "FR"}, "", "", 1980, "standard_rated"},
		"France, with a number": {stripefake.Address{Country: "FR"}, "FR12345678901", "verified", 1980, "standard_rated"},
		"Germany":               {stripefake.Address{Country: "DE"}, "", "", 1881, "standard_rated"},
		"Finland":               {stripefake.Address{Country: "FI"}, "", "", 2525, "standard_rated"},
		"Germany, pending":      {stripefake.Address{Country: "DE"}, "DE123456789", "pending", 0, "reverse_charge"},
		"Germany, unverified":   {stripefake.Address{Country: "DE"}, "DE123456789", "unverified", 0, "reverse_charge"},
		"Germany, unavailable":  {stripefake.Address{Country: "DE"}, "DE123456789", "unavailable", 0, "reverse_charge"},
		"Switzerland":           {stripefake.Address{Country: "CH"}, "", "", 0, "not_collecting"},
		"Monaco":                {stripefake.Address{Country: "MC"}, "", "", 0, "not_supported"},
		"the Canaries":          {stripefake.Address{Country: "ES", PostalCode: "35001"}, "", "", 0, "not_supported"},
	} {
		fake := stripetest.New(t, stripefake.Options{})
		customer, checkout := open(t, stripetest.Client(t, fake))
		testkit.Must(t, fake.SetAddress(customer, tt.at))
		if tt.vat != "" {
			id, err := fake.AddTaxID(customer, tt.vat)
			testkit.Must(t, err)
			testkit.Must(t, fake.VerifyTaxID(id.ID, tt.status))
		}
		_, err := fake.Complete(checkout.ID)
		testkit.Must(t, err)
		got := fake.Invoices(customer)[0]
		testkit.Equal(t, name, []any{got.Total - got.Subtotal, got.TotalTaxes[0].TaxabilityReason}, []any{tt.tax, tt.reason})
	}
}

// The page of an invoice pays it, once.
func TestInvoicePage(t *testing.T) {
	t.Parallel()
	fake := stripetest.New(t, stripefake.Options{Now: func() time.Time { return time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC) }})
	customer, checkout := open(t, stripetest.Client(t, fake))
	sub, err := fake.Complete(checkout.ID)
	testkit.Must(t, err)
	testkit.Must(t, fake.FailPayment(sub.ID))
	page := *fake.Invoices(customer)[0].HostedInvoiceURL
	if got := testkit.Get(t, page); !got.Says("Invoice: open") || !got.Says(`id="pay"`) {
		t.Errorf("the page: %s", got.Body)
	}
	testkit.Equal(t, "paying", post(t, page).Status, 303)
	testkit.Equal(t, "paying again", post(t, page).Status, 409)
	testkit.Equal(t, "status", fake.Subscriptions(customer)[0].Status, "active")
	if got := testkit.Get(t, page); !got.Says("Invoice: paid") || got.Says(`id="pay"`) {
		t.Errorf("the page: %s", got.Body)
	}
}
