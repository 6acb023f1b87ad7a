package stripe_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/stripe"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// What is read of events of every kind, signed as Stripe's library does.
func TestVerify(t *testing.T) {
	t.Parallel()
	fake, c, _ := newStripe(t)
	customer := newCustomer(t, c)
	checkout, err := c.Checkout(t.Context(), checkoutOf(customer))
	testkit.Must(t, err)
	sub, err := fake.Complete(checkout.ID)
	testkit.Must(t, err)
	note, err := fake.Credit(fake.Invoices(customer)[0].ID, 1000)
	testkit.Must(t, err)
	testkit.Must(t, fake.FailPayment(sub.ID))
	invoices := fake.Invoices(customer)
	fake.Dispute(customer)
	refund, err := fake.Refund(customer, 0)
	testkit.Must(t, err)
	testkit.Must(t, fake.SettleRefund(refund.ID, false))
	testkit.Must(t, fake.DeleteCustomer(customer))
	fake.Emit("customer.tax_id.updated", customer, json.RawMessage(`{"id": "txi_1", "object": "tax_id", "customer": "`+customer+`"}`))
	fake.Emit("invoice.paid", customer, json.RawMessage(`{"object": "invoice", "customer": {"id": "`+customer+`", "object": "customer"}}`))
	fake.Emit("charge.failed", "", json.RawMessage(`{"object": "charge", "customer": null}`))
	fake.Emit("charge.failed", "", json.RawMessage(`{"object": "charge", "customer": 7}`))
	fake.Emit("balance.available", "", json.RawMessage(`{"object": "balance"}`))
	fake.SetVersion("2027-01-27.eucalyptus")
	fake.Emit("invoice.paid", customer, json.RawMessage(`{"object": "invoice", "customer": "`+customer+`"}`))
	events := fake.Events()
	for i, e := range events {
		got, err := c.Verify(e.Body, fake.Sign(e.Body, noon), noon)
		testkit.Must(t, err)
		charge, document := "", billing.DocumentID{}
		if strings.Contains(e.Type, "dispute") || strings.HasPrefix(e.Type, "refund.") {
			charge = fake.Charges(customer)[0].ID
			whose, err := c.Charged(t.Context(), charge)
			testkit.Equal(t, e.Type+": whose", []any{whose, err}, []any{customer, error(nil)})
		}
		if e.Type == "invoice.paid" && strings.Contains(string(e.Body), `"number"`) {
			document = billing.DocumentID{Kind: billing.InvoiceDocument, ID: invoices[len(invoices)-1].ID}
		}
		if e.Type == "credit_note.created" {
			document = billing.DocumentID{Kind: billing.CreditNote, ID: note.ID}
		}
		testkit.Equal(t, e.Type, got, billing.Event{
			ID: e.ID, Type: e.Type, Customer: e.Customer, Charge: charge, Document: document, UnexpectedVersion: i == len(events)-1,
		})
	}
	var kinds []string
	for _, e := range events {
		kinds = append(kinds, e.Type)
	}
	for _, kind := range []string{
		"customer.created", "customer.subscription.created", "invoice.paid", "customer.subscription.updated",
		"checkout.session.completed", "invoice.payment_failed", "charge.dispute.created", "charge.refunded", "refund.failed",
		"credit_note.created",
		"customer.subscription.deleted", "customer.deleted",
	} {
		if !slices.Contains(kinds, kind) {
			t.Errorf("there was no %s", kind)
		}
	}
}

func TestForged(t *testing.T) {
	t.Parallel()
	fake, c, _ := newStripe(t)
	newCustomer(t, c)
	body := fake.Events()[0].Body
	at := func(d time.Duration) string { return fake.Sign(body, noon.Add(d)) }
	time1, v1, _ := strings.Cut(at(0), ",")
	other, err := stripe.New(stripe.Options{Key: "x", WebhookSecret: fake.Secret + "x", Price: "x"})
	testkit.Must(t, err)
	for name, tt := range map[string]struct {
		body      []byte
		signature string
		good      bool
	}{
		"genuine":                       {body, at(0), true},
		"4 minutes ago":                 {body, at(-4 * time.Minute), true},
		"in 4 minutes":                  {body, at(4 * time.Minute), true},
		"two secrets":                   {body, time1 + ",v1=" + strings.Repeat("0", 64) + "," + v1, true},
		"another scheme beside":         {body, at(0) + ",v0=" + strings.Repeat("0", 64), true},
		"6 minutes ago":                 {body, at(-6 * time.Minute), false},
		"in 6 minutes":                  {body, at(6 * time.Minute), false},
		"a time that was moved":         {body, strings.Replace(at(-6*time.Minute), "t=", "t=1", 1), false},
		"a time that is none":           {body, "t=noon," + v1, false},
		"a time before all":             {body, "t=-9223372036854775808," + v1, false},
		"the time of another signature": {body, "t=1774958401," + v1, false},
		"no time":                       {body, v1, false},
		"no signature":                  {body, time1, false},
		"nothing":                       {body, "", false},
		"another scheme alone":          {body, strings.Replace(at(0), "v1=", "v0=", 1), false},
		"a part of the signature":       {body, at(0)[:len(at(0))-2], false},
		"an empty signature":            {body, time1 + ",v1=", false},
		"many signatures":               {body, time1 + strings.Repeat(",v1="+strings.Repeat("0", 64), 100) + "," + v1, false},
		"one byte changed":              {bytes.Replace(body, []byte("acc_1"), []byte("acc_2"), 1), at(0), false},
		"one byte more":                 {append(bytes.Clone(body), ' '), at(0), false},
		"one byte less":                 {body[:len(body)-1], at(0), false},
		"no body":                       {nil, at(0), false},
		"signed, but no JSON":           {[]byte("hello"), fake.Sign([]byte("hello"), noon), false},
		"signed, but no event":          {[]byte("{}"), fake.Sign([]byte("{}"), noon), false},
	} {
		got, err := c.Verify(tt.body, tt.signature, noon)
		if (err == nil) != tt.good || !tt.good && (!errors.Is(err, billing.ErrForged) || got != billing.Event{}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if _, err := other.Verify(tt.body, tt.signature, noon); !errors.Is(err, billing.ErrForged) {
			t.Errorf("%s, and of another secret: %v", name, err)
		}
	}
}

func BenchmarkForged(b *testing.B) {
	c, err := stripe.New(stripe.Options{Key: "x", WebhookSecret: "whsec_0123456789abcdef0123456789abcdef", Price: "x"})
	testkit.Must(b, err)
	sum := ",v1=" + strings.Repeat("0", 64)
	for _, bb := range []struct {
		name, signature string
		size            int
	}{
		{"none", "", 8 << 10},
		{"stale", "t=1774950000" + sum, 8 << 10},
		{"signature", "t=1774958400" + sum, 8 << 10}, // as large as an event of ours
		{"signatures", "t=1774958400" + strings.Repeat(sum, 100), 8 << 10},
		{"signature-64K", "t=1774958400" + sum, 64 << 10},
	} {
		body := bytes.Repeat([]byte("x"), bb.size)
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Verify(body, bb.signature, noon); !errors.Is(err, billing.ErrForged) {
					b.Fatal(err)
				}
			}
		})
	}
}

// FuzzVerify reads any body under any header: what is not signed is forged, and what is signed is an event with an id
// and a type, or none.
func FuzzVerify(f *testing.F) {
	fake, c, _ := newStripe(f)
	for _, seed := range [][2]string{
		{`{"id": "evt_1", "type": "invoice.paid", "data": {"object": {"customer": {"id": "cus_1"}}}}`, "t=1,v1=00"},
		{`{"id": "evt_1", "type": "customer.deleted", "data": {"object": {"object": "customer", "id": "cus_1", "customer": 7}}}`, "t=,v1="},
		{`[]`, "v1=zz,t=1"},
		{"", ""},
		{"\xff{", ",,=,t"},
	} {
		f.Add([]byte(seed[0]), seed[1])
	}
	f.Fuzz(func(t *testing.T, body []byte, header string) {
		if _, err := c.Verify(body, header, noon); !errors.Is(err, billing.ErrForged) {
			t.Errorf("%q under %q: %v", body, header, err)
		}
		e, err := c.Verify(body, fake.Sign(body, noon), noon)
		if err != nil && !errors.Is(err, billing.ErrForged) || err == nil && (e.ID == "" || e.Type == "") {
			t.Errorf("%q, signed: %+v, %v", body, e, err)
		}
	})
}
