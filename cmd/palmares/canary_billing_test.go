package main

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/stripetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// checkoutLink is the way from our page to the provider's.
var checkoutLink = regexp.MustCompile(`href="(http://127\.0\.0\.1:\d+/[^"]+)"`)

// Somebody pays, and all goes wrong that can. No card, no secret of the provider, no body of an event,
// no address of a checkout and no e-mail address is then in logs, spans, metrics or jobs, and nothing of
// an event but its id and type in the database.
func TestCanary_PaymentsTellNothing(t *testing.T) {
	t.Parallel()
	pg, mail := pgtest.NewServer(t), testkit.NewMailbox(t)
	collector, spans := collectSpans(t)
	fake := stripetest.New(t, stripefake.Options{})
	palmares(t, database(pg.URL()), "migrate")
	palmares(t, database(pg.URL()), "publish", exampleCatalog)
	const email = "canari-payeur@oiseau.example"
	newKey(t, pg.URL(), email, "developer")
	settings := append(sells(fake), "PALMARES_SMTP_URL="+mail.URL, "PALMARES_MAIL_FROM=noreply@palmares.test",
		"PALMARES_LOG_LEVEL=debug", "PALMARES_TRACE_RATIO=1", "OTEL_EXPORTER_OTLP_ENDPOINT="+collector)
	n := serve(t, pg.URL(), settings...)
	n.ready()
	secrets := map[string]string{
		"key": fake.Key, "secret of events": fake.Secret, "e-mail": "canari-payeur", "card": "4242424242424242",
		"name on the card": "Canari Jaune", "body of an event": "canary_of_an_event",
	}

	// She subscribes on the pages.
	b := testkit.NewBrowser(t, n.public)
	link, _ := palmares(t, onFreePorts(pg.URL(), "PALMARES_BASE_URL=http://localhost:8080"), "account", "login-link", email)
	path, token, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(link), "http://localhost:8080"), "?jeton=")
	b.Get(path + "?jeton=" + token)
	if a := b.Submit(path, "enter", map[string]string{"link": token}); a.Status != http.StatusSeeOther {
		t.Fatalf("signing in: %v", a)
	}
	const order = "/compte/offre/commande"
	leave := stripetest.OrderOnPage(func() string { return b.Get(order).Body }, func(action string, fields map[string]string) string {
		return b.Submit(order, action, fields).Body
	})
	found := checkoutLink.FindStringSubmatch(leave)
	if found == nil {
		t.Fatalf("no way to the provider: %v", leave)
	}
	secrets["address of the checkout"] = found[1]
	sub, err := fake.Complete(fake.Checkouts()[0].ID)
	must(t, err)
	secrets["link to the invoice"] = *fake.Invoices(sub.Customer)[0].HostedInvoiceURL

	// Events carry what nobody else may see, rightly signed and not.
	object, err := json.Marshal(map[string]any{
		"id": "in_canary", "object": "invoice", "customer": sub.Customer, "note": "canary_of_an_event", "customer_email": email,
		"card": map[string]string{"number": "4242424242424242", "name": "Canari Jaune"},
	})
	must(t, err)
	fake.Emit("invoice.paid", sub.Customer, object)
	fake.Dispute(sub.Customer)
	endpoint := n.public + "/stripe/events"
	body := fake.Events()[len(fake.Events())-2].Body
	for _, signature := range []string{"", "t=1,v1=" + strings.Repeat("00", 32), fake.Sign(body, time.Now().Add(-time.Hour))} {
		wantEvent(t, endpoint, signature, string(body), http.StatusBadRequest)
	}
	wantEvent(t, endpoint, fake.Sign(body, time.Now()), string(body)+" ", http.StatusBadRequest)
	wantEvent(t, endpoint, fake.Sign(body, time.Now()), strings.Repeat(string(body), 1000), http.StatusRequestEntityTooLarge)
	genuine := fake.Sign(body, time.Now())
	secrets["signature"] = genuine[len(genuine)-64:]

	// The provider is away, then refuses, and PostgreSQL is away.
	fake.Away(true)
	must(t, fake.Deliver(t.Context(), endpoint, fake.Events()...))
	n.await(0, "the payment provider does not answer")
	b.Submit("/compte/offre", "checkout", nil)
	fake.Away(false)
	testkit.EventuallyTrue(t, "she is on Pro", func() bool { return b.Get("/compte/offre").Says("99") && plan(t, pg.URL(), email) == "pro" })
	fake.Refuse(http.StatusPaymentRequired, "card_error", "card_declined")
	must(t, fake.FailPayment(sub.ID))
	must(t, fake.Deliver(t.Context(), endpoint, fake.Events()...))
	n.await(0, "a job failed; it is tried again")
	fake.Refuse(0, "", "")
	pg.Stop()
	wantEvent(t, endpoint, genuine, string(body), http.StatusServiceUnavailable)
	pg.Start()
	must(t, fake.SetStatus(sub.ID, "canceled"))
	testkit.Eventually(t, func() error { return fake.Deliver(t.Context(), endpoint, fake.Events()...) })
	testkit.EventuallyTrue(t, "she is on Developer", func() bool { return plan(t, pg.URL(), email) == "developer" })
	n.await(0, "a charge is disputed") // by a job, which waits for the provider
	metrics := testkit.Get(t, n.admin+"/metrics").Body
	n.stop()

	n.wantLines()
	dump := dumpDatabase(t, pg.URL())
	for where, text := range map[string]string{
		"the log": n.log.String(), "the spans": spans.String(), "the metrics": metrics, "the jobs": jobRows(t, pg.URL()),
	} {
		absent(t, where, text, secrets)
	}
	absent(t, "the database", dump, secrets, "e-mail", "address of the checkout") // which are kept, for the owner
	for where, want := range map[string][]string{
		n.log.String(): {`"path":"/stripe/events"`, `"status":400`, `"status":413`, `"status":503`, "a charge is disputed"},
		spans.String(): {"/stripe/events", "INSERT INTO billing_events"},
		metrics:        {`palmares_billing_events_total{outcome="forged"} 4`, "palmares_billing_disputes_total 1"},
		dump:           {"charge.dispute.created", sub.Customer},
	} {
		for _, trace := range want {
			if !strings.Contains(where, trace) {
				t.Errorf("there is no %s: the test does not test it", trace)
			}
		}
	}
	if jobs := jobRows(t, pg.URL()); !strings.Contains(jobs, billing.SyncAccount{}.Kind()) || !strings.Contains(jobs, billing.MailNotice{}.Kind()) {
		t.Errorf("the jobs: %.500s", jobs)
	}
}

// wantEvent sends a body to where the provider sends its events.
func wantEvent(t *testing.T, url, signature, body string, status int) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	must(t, err)
	if signature != "" {
		req.Header.Set("Stripe-Signature", signature)
	}
	a, err := testkit.Do(canaryClient, req)
	must(t, err)
	if a.Status != status {
		t.Errorf("an event: %v, want %d", a, status)
	}
}

// plan is that of an account.
func plan(t *testing.T, db, email string) string {
	t.Helper()
	shown, _ := palmares(t, database(db), "account", "show", email, "--json")
	var a struct{ Plan string }
	must(t, json.Unmarshal([]byte(shown), &a))
	return a.Plan
}
