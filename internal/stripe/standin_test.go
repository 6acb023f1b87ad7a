package stripe_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/stripetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// The tests of this file make calls of their own, which package stripe does not make or not yet, and have
// stripe-mock check what the stand-in takes and answers.

// A rawStripe is a stand-in that is called without package stripe.
type rawStripe struct {
	*testing.T
	*stripefake.Server
	clock *testkit.Clock
}

// newRaw gives a test a stand-in whose calls are replayed against stripe-mock when all tests are over.
func newRaw(t *testing.T, o stripefake.Options) rawStripe {
	t.Helper()
	clock := testkit.NewClock(noon)
	o.Now = clock.Now
	r := rawStripe{t, stripetest.New(t, o), clock}
	called.mu.Lock()
	defer called.mu.Unlock()
	called.all = append(called.all, r.Server)
	return r
}

// call makes a call such as "POST /v1/customers" and returns the status and what was answered.
func (r rawStripe) call(what, form string, headers ...string) (int, map[string]any) {
	r.Helper()
	method, path, _ := strings.Cut(what, " ")
	target, body := r.URL+path, form
	if method != http.MethodPost {
		target, body = target+"?"+form, ""
	}
	req, err := http.NewRequestWithContext(r.Context(), method, target, strings.NewReader(body))
	testkit.Must(r, err)
	req.Header = testkit.Bearer(r.Key)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	got, err := testkit.Do(&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, req)
	testkit.Must(r, err)
	var answer map[string]any
	testkit.Must(r, json.Unmarshal([]byte(got.Body), &answer))
	return got.Status, answer
}

// code returns the code of a fault, or its type where it has none; "" for what was taken.
func code(answer map[string]any) string {
	fault, _ := answer["error"].(map[string]any)
	if found, ok := fault["code"].(string); ok {
		return found
	}
	kind, _ := fault["type"].(string)
	return kind
}

// customer makes a customer.
func (r rawStripe) customer() string {
	r.Helper()
	_, made := r.call("POST /v1/customers", url.Values{"email": {email}, "metadata[account_id]": {accountID}}.Encode())
	return made["id"].(string)
}

// A malformed VAT number is refused (docs.stripe.com/error-codes, tax_id_invalid); any other is pending, and
// then what the register says (docs.stripe.com/api/tax_ids/object, verification).
func TestStandIn_TaxIDs(t *testing.T) {
	t.Parallel()
	r := newRaw(t, stripefake.Options{})
	customer := r.customer()
	add := func(value string) (string, map[string]any) {
		_, made := r.call("POST /v1/customers/"+customer+"/tax_ids", url.Values{"type": {"eu_vat"}, "value": {value}}.Encode())
		return code(made), made
	}
	for _, value := range []string{"", "D", "DE", "DE12345678", "DE1234567890", "12345678901", "FRIO123456789", "GB123456789", "de123456789"} {
		refused, _ := add(value)
		testkit.Equal(t, value, refused, "tax_id_invalid")
	}
	for _, value := range []string{"DE123456789", "FR40303265045", "ATU12345678", "NL123456789B12", "IE1234567AB", "EL123456789"} {
		refused, made := add(value)
		testkit.Equal(t, value, refused, "")
		testkit.Equal(t, value, made["verification"].(map[string]any)["status"], any("pending"))
	}
	first := r.TaxIDs(customer)[0]
	for _, state := range []string{"unavailable", "unverified", "verified"} {
		testkit.Must(t, r.VerifyTaxID(first.ID, state))
		testkit.Equal(t, "the state", r.TaxIDs(customer)[0].Verification.Status, state)
	}
	if r.VerifyTaxID(first.ID, "perhaps") == nil {
		t.Error("any word is a state")
	}
}

// The page of a checkout shows nothing of our order: the buyer types it again, or not, or something else. It
// saves what customer_update says and asks for a tax id where tax_id_collection is enabled
// (docs.stripe.com/api/checkout/sessions/create).
func TestStandIn_Buyers(t *testing.T) {
	t.Parallel()
	const order = "&metadata[business_name]=Werkstatt&metadata[business_country]=DE&metadata[business_number]=DE123456789"
	const saves = "&customer_update[name]=auto&customer_update[address]=auto&tax_id_collection[enabled]=true"
	other := func(map[string]string) stripefake.Buyer {
		return stripefake.Buyer{Name: "Somebody", Address: stripefake.Address{Country: "MC"}}
	}
	retypes := func(order map[string]string) stripefake.Buyer {
		return stripefake.Buyer{Name: order["business_name"], Address: stripefake.Address{Country: order["business_country"]}, VATNumber: order["business_number"]}
	}
	malformed := func(map[string]string) stripefake.Buyer { return stripefake.Buyer{VATNumber: "DE1"} }
	for name, tt := range map[string]struct {
		buyer               func(map[string]string) stripefake.Buyer // nil: as the server begins
		form                string
		name, country, vats string
		refused             bool
	}{
		"does not retype":               {nil, order + saves, "Ada Lovelace", "FR", "", false},
		"retypes":                       {retypes, order + saves, "Werkstatt", "DE", "DE123456789", false},
		"types another":                 {other, order + saves, "Somebody", "MC", "", false},
		"nothing is saved or asked for": {retypes, order, "", "FR", "", false},
		"a malformed number":            {malformed, order + saves, "", "", "", true},
	} {
		r := newRaw(t, stripefake.Options{})
		if tt.buyer != nil {
			r.Buys(tt.buyer)
		}
		customer := r.customer()
		_, opened := r.call("POST /v1/checkout/sessions", "mode=subscription&locale=fr&success_url=https://x.test&customer="+customer+
			"&line_items[0][price]="+r.Price+"&line_items[0][quantity]=1"+tt.form)
		_, err := r.Complete(opened["id"].(string))
		testkit.Equal(t, name+": refused", err != nil, tt.refused)
		if err != nil {
			testkit.Equal(t, name+": subscriptions", len(r.Subscriptions(customer)), 0)
			continue
		}
		got, vats := r.Customers()[0], ""
		for _, id := range r.TaxIDs(customer) {
			vats += id.Value
		}
		testkit.Equal(t, name, []string{got.Name, got.Address.Country, vats}, []string{tt.name, tt.country, tt.vats})
	}
}

// subscribed is a customer with a subscription that was paid.
func (r rawStripe) subscribed() (customer, sub string) {
	r.Helper()
	customer = r.customer()
	made, err := r.Subscribe(customer, accountID, "active")
	testkit.Must(r, err)
	return customer, made.ID
}

// newest returns the newest invoice of a customer as it is read.
func (r rawStripe) newest(customer string) map[string]any {
	r.Helper()
	_, read := r.call("GET /v1/invoices/"+r.Invoices(customer)[0].ID, "")
	return read
}

// The invoice of a renewal is a draft for about an hour, with auto_advance and the time of its payment; then it is
// final and charged (docs.stripe.com/billing/invoices/subscription). auto_advance=false keeps it a draft
// (docs.stripe.com/invoicing/integration/automatic-advancement-collection), and the end of its subscription does not:
// what Stripe stops is the collection of what is final (docs.stripe.com/api/subscriptions/cancel).
func TestStandIn_DraftHour(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		meanwhile func(r rawStripe, sub, invoice string)
		status    string
		paid      bool
		of        string // the subscription
	}{
		"nothing":       {func(rawStripe, string, string) {}, "paid", true, "active"},
		"the card ends": {func(r rawStripe, sub, _ string) { testkit.Must(r, r.PayWith(sub, nil)) }, "open", false, "past_due"},
		"it ends":       {func(r rawStripe, sub, _ string) { r.call("DELETE /v1/subscriptions/"+sub, "") }, "paid", true, "canceled"},
		"it is stopped": {func(r rawStripe, _, invoice string) {
			r.call("POST /v1/invoices/"+invoice, "auto_advance=false")
		}, "draft", false, "active"},
	} {
		r := newRaw(t, stripefake.Options{})
		customer, sub := r.subscribed()
		r.clock.Set(noon.AddDate(0, 1, 0))
		testkit.Must(t, r.EndPeriod(sub))
		made := r.newest(customer)
		testkit.Equal(t, name+": at first", []any{made["status"], made["auto_advance"], made["number"], made["next_payment_attempt"]},
			[]any{"draft", true, nil, float64(noon.AddDate(0, 1, 0).Add(time.Hour).Unix())})
		tt.meanwhile(r, sub, made["id"].(string))
		r.clock.Advance(59 * time.Minute)
		testkit.Equal(t, name+": within the hour", r.newest(customer)["status"], any("draft"))
		r.clock.Advance(time.Hour)
		after := r.newest(customer)
		testkit.Equal(t, name+": after it", []any{after["status"], after["amount_paid"].(float64) > 0, r.Subscriptions(customer)[0].Status},
			[]any{tt.status, tt.paid, tt.of})
		if tt.paid {
			at := after["status_transitions"].(map[string]any)["paid_at"]
			testkit.Equal(t, name+": paid at", at, any(float64(noon.AddDate(0, 1, 0).Add(time.Hour).Unix())))
		}
	}
}

// A payment that fails is tried again on the seller's schedule, and then happens what the seller set
// (docs.stripe.com/billing/revenue-recovery, manage failed payments for subscriptions). The invoice is open, or
// uncollectible, and payable in both states (docs.stripe.com/invoicing/overview); paying it revives no subscription
// that has ended.
func TestStandIn_Dunning(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for _, tt := range []struct{ then, invoice, status, left, paid string }{
		{"cancel", "open", "canceled", "open", "canceled"},
		{"cancel", "uncollectible", "canceled", "uncollectible", "canceled"},
		{"unpaid", "open", "unpaid", "open", "active"},
		{"past_due", "open", "past_due", "open", "active"},
	} {
		name := tt.then + ", " + tt.invoice
		r := newRaw(t, stripefake.Options{})
		r.ChangeSetup(func(s *stripefake.Setup) { s.Dunning.Then, s.Dunning.Invoice = tt.then, tt.invoice })
		customer, sub := r.subscribed()
		testkit.Must(t, r.FailPayment(sub))
		for days, attempts := range []float64{1, 2, 2, 2, 3, 3, 3, 4, 4} { // a day, three and three after it
			now := r.newest(customer)
			testkit.Equal(t, name+": attempts", now["attempt_count"], any(attempts))
			testkit.Equal(t, name+": the next", now["next_payment_attempt"] != nil, attempts < 4)
			if days < 7 {
				testkit.Equal(t, name+": meanwhile", []string{r.Subscriptions(customer)[0].Status, r.Invoices(customer)[0].Status}, []string{"past_due", "open"})
			}
			r.clock.Advance(day)
		}
		testkit.Equal(t, name, []string{r.Subscriptions(customer)[0].Status, r.Invoices(customer)[0].Status}, []string{tt.status, tt.left})
		testkit.Must(t, r.PayInvoice(r.Invoices(customer)[0].ID))
		testkit.Equal(t, name+": paid late", []string{r.Subscriptions(customer)[0].Status, r.Invoices(customer)[0].Status}, []string{tt.paid, "paid"})
	}
}

// What pays is a card, which may have expired, Link, which has none (docs.stripe.com/api/payment_methods/object), or
// nothing.
func TestStandIn_PaymentMethods(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		method *stripefake.PaymentMethod
		status string
	}{
		"a card": {&stripefake.PaymentMethod{Type: "card", Card: &stripefake.Card{Brand: "visa", ExpMonth: 4, ExpYear: 2026, Last4: "4242"}}, "active"},
		"one that has expired": {
			&stripefake.PaymentMethod{Type: "card", Card: &stripefake.Card{Brand: "visa", ExpMonth: 3, ExpYear: 2026, Last4: "4242"}}, "past_due",
		},
		"Link":    {&stripefake.PaymentMethod{Type: "link", Link: map[string]any{}}, "active"},
		"nothing": {nil, "past_due"},
	} {
		r := newRaw(t, stripefake.Options{})
		customer, sub := r.subscribed()
		testkit.Must(t, r.PayWith(sub, tt.method))
		_, read := r.call("GET /v1/subscriptions/"+sub, "expand[0]=default_payment_method")
		method, _ := read["default_payment_method"].(map[string]any)
		testkit.Equal(t, name+": there", method != nil, tt.method != nil)
		testkit.Equal(t, name+": with a card", method["card"] != nil, tt.method != nil && tt.method.Card != nil)
		r.clock.Set(noon.AddDate(0, 0, 2)) // April
		testkit.Must(t, r.Renew(sub))
		testkit.Equal(t, name, r.Subscriptions(customer)[0].Status, tt.status)
	}
}

// The first answer under a key is repeated, failures that came after the execution began included, 500s too; keys end
// after 24 hours; other parameters under a key are an error; what fails validation is not saved
// (docs.stripe.com/api/idempotent_requests).
func TestStandIn_Idempotency(t *testing.T) {
	t.Parallel()
	r := newRaw(t, stripefake.Options{})
	create := func(form, key string) (int, map[string]any) {
		return r.call("POST /v1/customers", form, "Idempotency-Key", key)
	}
	_, first := create("email=a@example.test", "key")
	_, again := create("email=a@example.test", "key")
	testkit.Equal(t, "the same key", again["id"], first["id"])
	_, other := create("email=b@example.test", "key")
	testkit.Equal(t, "other parameters", code(other), "idempotency_error")
	r.clock.Advance(24*time.Hour - time.Second)
	_, again = create("email=a@example.test", "key")
	testkit.Equal(t, "within a day", again["id"], first["id"])
	r.clock.Advance(time.Second)
	_, again = create("email=b@example.test", "key")
	testkit.Equal(t, "after a day", []any{code(again), again["id"] == first["id"]}, []any{"", false})

	for _, tt := range []struct {
		status   int
		repeated bool
	}{{500, true}, {503, true}, {402, true}, {429, false}, {401, false}, {409, false}} {
		key := "refused-" + strconv.Itoa(tt.status)
		r.Refuse(tt.status, "api_error", "")
		status, _ := create("email=a@example.test", key)
		testkit.Equal(t, key, status, tt.status)
		r.Refuse(0, "", "")
		status, _ = create("email=a@example.test", key)
		testkit.Equal(t, key+", again", status == tt.status, tt.repeated)
		r.clock.Advance(24 * time.Hour)
		status, _ = create("email=a@example.test", key)
		testkit.Equal(t, key+", a day later", status, http.StatusOK)
	}
	// A failure of the call itself is repeated as well, though it would succeed by now.
	customer, sub := r.subscribed()
	testkit.Must(t, r.FailPayment(sub))
	open := r.Invoices(customer)[0]
	note := url.Values{"invoice": {open.ID}, "amount": {"11880"}, "refund_amount": {"11880"}}.Encode()
	for _, key := range []string{"note", "note", "another"} {
		_, answer := r.call("POST /v1/credit_notes", note, "Idempotency-Key", key)
		testkit.Equal(t, "a credit note, "+key, code(answer) == "", key == "another")
		if open.Status == "open" {
			testkit.Must(t, r.PayInvoice(open.ID))
			open.Status = "paid"
		}
	}
	_, answer := create("colour=red", "validation")
	testkit.Equal(t, "an unknown parameter", code(answer), "parameter_unknown")
	_, answer = create("email=a@example.test", "validation")
	testkit.Equal(t, "validation is not saved", code(answer), "")
}

// A charge gives back what is left of it and no more: a refund made by hand makes a later credit note fail
// (docs.stripe.com/error-codes, charge_already_refunded), unless the note says that the money went back out of band
// (docs.stripe.com/api/credit_notes/create). A refund is pending for a while and may fail (docs.stripe.com/refunds).
func TestStandIn_Refunds(t *testing.T) {
	t.Parallel()
	r := newRaw(t, stripefake.Options{})
	r.PendRefunds(true)
	customer, _ := r.subscribed()
	paid := r.Invoices(customer)[0]
	note := func(amounts url.Values) string {
		t.Helper()
		amounts.Set("invoice", paid.ID)
		_, answer := r.call("POST /v1/credit_notes", amounts.Encode())
		return code(answer)
	}
	testkit.Equal(t, "the charge", []int64{r.Charges(customer)[0].Amount, r.Charges(customer)[0].AmountRefunded}, []int64{11880, 0})
	part, err := r.Refund(customer, 1880)
	testkit.Must(t, err)
	testkit.Equal(t, "by hand", part.Status, "pending")
	testkit.Equal(t, "more than is left", note(url.Values{"amount": {"11880"}, "refund_amount": {"11880"}}), "invalid_request_error")
	testkit.Equal(t, "to nowhere", note(url.Values{"amount": {"11880"}, "refund_amount": {"10000"}}), "invalid_request_error")
	testkit.Must(t, r.SettleRefund(part.ID, false))
	testkit.Equal(t, "after it failed", r.Charges(customer)[0].AmountRefunded, int64(0))
	whole, err := r.Refund(customer, 0)
	testkit.Must(t, err)
	testkit.Must(t, r.SettleRefund(whole.ID, true))
	testkit.Equal(t, "all went back", []any{r.Charges(customer)[0].Refunded, r.Refunds()[0].Status}, []any{true, "succeeded"})
	if _, err := r.Refund(customer, 0); err == nil {
		t.Error("it went back twice")
	}
	testkit.Equal(t, "a credit note", note(url.Values{"amount": {"11880"}, "refund_amount": {"11880"}}), "charge_already_refunded")
	testkit.Equal(t, "credit notes", len(r.CreditNotes()), 0)
	testkit.Equal(t, "out of band", note(url.Values{"amount": {"11880"}, "out_of_band_amount": {"11880"}}), "")
	testkit.Equal(t, "twice", note(url.Values{"amount": {"11880"}, "out_of_band_amount": {"11880"}}), "invalid_request_error")
	testkit.Equal(t, "refunds", len(r.Refunds()), 2)

	other, _ := r.subscribed()
	paid = r.Invoices(other)[0]
	testkit.Equal(t, "a credit note of another", note(url.Values{"amount": {"11880"}, "refund_amount": {"11880"}}), "")
	refund := r.CreditNotes()[0].Refunds[0].Refund
	testkit.Must(t, r.SettleRefund(refund, false))
	testkit.Equal(t, "failed: the note stands", []any{r.CreditNotes()[0].Status, r.Charges(other)[0].AmountRefunded}, []any{"issued", int64(0)})
}

// A price never changes its amount: active flips, and anything else makes another price (docs.stripe.com/api/prices/update).
func TestStandIn_Prices(t *testing.T) {
	t.Parallel()
	r := newRaw(t, stripefake.Options{})
	_, answer := r.call("POST /v1/prices/"+r.Price, "unit_amount=100")
	testkit.Equal(t, "another amount", code(answer), "parameter_unknown")
	_, sub := r.subscribed()
	for _, active := range []bool{false, true} {
		_, answer = r.call("POST /v1/prices/"+r.Price, "active="+strconv.FormatBool(active))
		testkit.Equal(t, "active", answer["active"], any(active))
	}
	other := r.AddPrice(func(p *stripefake.Price) { p.UnitAmount = 12900 })
	_, answer = r.call("GET /v1/prices/"+other, "")
	testkit.Equal(t, "another price", []any{answer["unit_amount"], answer["id"] == r.Price}, []any{12900.0, false})
	_, answer = r.call("GET /v1/subscriptions/"+sub, "")
	item := answer["items"].(map[string]any)["data"].([]any)[0].(map[string]any)
	testkit.Equal(t, "who had subscribed", item["price"].(map[string]any)["unit_amount"], any(9900.0))
}

// A customer that was deleted is read as deleted; one of another account or mode is missing, and Stripe says so of the
// mode (docs.stripe.com/api/customers/retrieve, docs.stripe.com/error-codes).
func TestStandIn_Customers(t *testing.T) {
	t.Parallel()
	r := newRaw(t, stripefake.Options{})
	deleted, other := r.customer(), r.customer()
	testkit.Must(t, r.DeleteCustomer(deleted))
	r.InOtherMode(other)
	_, read := r.call("GET /v1/customers/"+deleted, "")
	testkit.Equal(t, "deleted", []any{read["deleted"], code(read)}, []any{true, ""})
	for id, says := range map[string]bool{"cus_of_another_account": false, other: true} {
		status, read := r.call("GET /v1/customers/"+id, "")
		message, _ := read["error"].(map[string]any)["message"].(string)
		testkit.Equal(t, id, []any{status, code(read), strings.Contains(message, "in live mode")}, []any{404, "resource_missing", says})
		status, read = r.call("GET /v1/subscriptions", "status=all&customer="+id)
		testkit.Equal(t, id+": its subscriptions", []any{status, code(read)}, []any{400, "resource_missing"})
	}
}

// What a balance, a coupon, a quantity, a change within the period and a pause make of the next invoice
// (docs.stripe.com/billing/customer/balance, /billing/subscriptions/coupons, /prorations and /pause-payment).
func TestStandIn_Amounts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change            func(r rawStripe, customer, sub string) error
		status            string
		net, total, paid  float64 // of the newest invoice
		invoices, charges int
	}{
		"nothing": {func(rawStripe, string, string) error { return nil }, "paid", 9900, 11880, 11880, 2, 2},
		"a balance pays a part": {
			func(r rawStripe, customer, _ string) error { return r.SetBalance(customer, -5000) }, "paid", 9900, 11880, 6880, 2, 2,
		},
		"a balance pays all": {
			func(r rawStripe, customer, _ string) error { return r.SetBalance(customer, -20000) }, "paid", 9900, 11880, 0, 2, 1,
		},
		"a debt is asked for": {
			func(r rawStripe, customer, _ string) error { return r.SetBalance(customer, 120) }, "paid", 9900, 11880, 12000, 2, 2,
		},
		"a coupon":   {func(r rawStripe, _, sub string) error { return r.SetCoupon(sub, 50) }, "paid", 4950, 5940, 5940, 2, 2},
		"a free one": {func(r rawStripe, _, sub string) error { return r.SetCoupon(sub, 100) }, "paid", 0, 0, 0, 2, 1},
		"a quantity": {func(r rawStripe, _, sub string) error { return r.SetQuantity(sub, 3) }, "paid", 29700, 35640, 35640, 3, 3},
		"kept as a draft": {
			func(r rawStripe, _, sub string) error { return r.PauseCollecting(sub, "keep_as_draft") }, "draft", 9900, 9900, 0, 2, 1,
		},
		"void":        {func(r rawStripe, _, sub string) error { return r.PauseCollecting(sub, "void") }, "void", 9900, 11880, 0, 2, 1},
		"written off": {func(r rawStripe, _, sub string) error { return r.PauseCollecting(sub, "mark_uncollectible") }, "uncollectible", 9900, 11880, 0, 2, 1},
	} {
		r := newRaw(t, stripefake.Options{})
		customer, sub := r.subscribed()
		testkit.Must(t, tt.change(r, customer, sub))
		testkit.Must(t, r.Renew(sub))
		r.call("GET /v1/subscriptions/"+sub, "")
		r.call("GET /v1/customers/"+customer, "")
		got := r.newest(customer)
		testkit.Equal(t, name, []any{got["status"], got["total_excluding_tax"], got["total"], got["amount_paid"], r.Subscriptions(customer)[0].Status},
			[]any{tt.status, tt.net, tt.total, tt.paid, "active"})
		testkit.Equal(t, name+": invoices and charges", []int{len(r.Invoices(customer)), len(r.Charges(customer))}, []int{tt.invoices, tt.charges})
	}
}

// Lists are narrowed by when objects were made, together with what else they are asked for, the newest first and a page
// at a time (docs.stripe.com/api/invoices/list, docs.stripe.com/api/credit_notes/list, docs.stripe.com/api/pagination). A
// credit note has the id of its invoice, or the invoice where that is asked for (docs.stripe.com/api/expanding_objects).
func TestStandIn_Lists(t *testing.T) {
	t.Parallel()
	r := newRaw(t, stripefake.Options{})
	name := make(map[string]string) // of objects, by id
	customers, subs := make([]string, 2), make([]string, 2)
	for i := range customers {
		r.clock.Advance(time.Hour)
		customers[i], subs[i] = r.subscribed()
		name[r.Invoices(customers[i])[0].ID] = strconv.Itoa(i)
	}
	r.clock.Advance(time.Hour)
	testkit.Must(t, r.FailPayment(subs[0]))
	name[r.Invoices(customers[0])[0].ID] = "open"
	note := func(of int, cents string) {
		invoices := r.Invoices(customers[of])
		form := url.Values{"invoice": {invoices[len(invoices)-1].ID}, "amount": {cents}, "refund_amount": {cents}}
		_, made := r.call("POST /v1/credit_notes", form.Encode())
		testkit.Equal(t, "a credit note", code(made), "")
		name[made["id"].(string)] = "note " + strconv.Itoa(of)
	}
	note(0, "1188")
	r.clock.Advance(time.Hour)
	note(1, "11880")
	at := func(hours int) string { return strconv.FormatInt(noon.Add(time.Duration(hours)*time.Hour).Unix(), 10) }
	for _, tt := range []struct{ list, form, want string }{
		{"invoices", "", "open 1 0"},
		{"invoices", "created[gte]=" + at(1) + "&created[lt]=" + at(2), "0"},
		{"invoices", "created[gt]=" + at(1) + "&created[lte]=" + at(2), "open 1"}, // a draft for an hour
		{"invoices", "created=" + at(1), "0"},
		{"invoices", "created[gte]=" + at(5), ""},
		{"invoices", "created[gte]=" + at(1) + "&status=paid", "1 0"},
		{"invoices", "created[gte]=" + at(2) + "&customer=" + customers[0], "open"},
		{"invoices", "created[lt]=" + at(2) + "&subscription=" + subs[1], ""},
		{"invoices", "created[gte]=noon", "parameter_invalid_integer"},
		{"credit_notes", "", "note 1 note 0"},
		{"credit_notes", "created[lt]=" + at(4), "note 0"},
		{"credit_notes", "created[gte]=" + at(4) + "&customer=" + customers[1], "note 1"},
		{"credit_notes", "customer=" + customers[1] + "&created[lt]=" + at(4), ""},
		{"credit_notes", "created[lt]=soon", "parameter_invalid_integer"},
	} {
		var got []string
		for after := ""; ; { // one at a time
			_, answer := r.call("GET /v1/"+tt.list, tt.form+"&limit=1"+after)
			if code(answer) != "" {
				got = []string{code(answer)}
				break
			}
			for _, found := range answer["data"].([]any) {
				id := found.(map[string]any)["id"].(string)
				got, after = append(got, name[id]), "&starting_after="+id
			}
			if answer["has_more"] == false {
				break
			}
		}
		testkit.Equal(t, tt.list+" "+tt.form, strings.Join(got, " "), tt.want)
	}
	_, answer := r.call("GET /v1/credit_notes", "limit=1&expand[0]=data.invoice")
	whole := answer["data"].([]any)[0].(map[string]any)
	testkit.Equal(t, "its invoice", whole["invoice"].(map[string]any)["number"], any("PAL-0002"))
	tax := whole["total_taxes"].([]any)[0].(map[string]any)["amount"]
	testkit.Equal(t, "net and tax", []any{whole["total"], whole["total_excluding_tax"], tax}, []any{11880.0, 9900.0, 1980.0})
}
