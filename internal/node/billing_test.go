package node

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/services"
	"github.com/palmares-hq/palmares/internal/stripe/events"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/stripetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A till is a payment provider, and a database whose accounts buy from it.
type till struct {
	*stripefake.Server
	t  *testing.T
	db string
	s  *services.Services
}

func newTill(t *testing.T, db string) *till {
	t.Helper()
	p := &till{Server: stripetest.New(t, stripefake.Options{}), t: t, db: db}
	var err error
	p.s, err = services.OpenWithBilling(t.Context(), environ(db, p.settings()...))
	must(t, err)
	t.Cleanup(p.s.Close)
	return p
}

// settings are those of a node that sells.
func (p *till) settings(more ...string) []string {
	return append([]string{
		"PALMARES_STRIPE_KEY=" + p.Key, "PALMARES_STRIPE_WEBHOOK_SECRET=" + p.Secret, "PALMARES_STRIPE_PRICE=" + p.Price,
		"PALMARES_STRIPE_URL=" + p.URL, "PALMARES_BASE_URL=http://localhost:8080",
	}, more...)
}

// buy makes an account that has paid, and a key of it. Nobody is told yet.
func (p *till) buy(email string) (key string, a account.Account, sub stripefake.Subscription) {
	p.t.Helper()
	key, _ = newKey(p.t, p.s, email, account.Developer)
	a, err := p.s.Accounts.Find(p.t.Context(), account.Operator(), email)
	must(p.t, err)
	return key, a, p.subscribe(a.ID)
}

// subscribe takes an account through checkout.
func (p *till) subscribe(accountID string) stripefake.Subscription {
	p.t.Helper()
	c, err := stripetest.Order(p.t.Context(), p.db, p.Server, accountID)
	must(p.t, err)
	sub, err := p.Complete(c.ID)
	must(p.t, err)
	return sub
}

// deliver sends all events so far to a node.
func (p *till) deliver(n *running) error {
	return p.Deliver(p.t.Context(), n.public+events.Path, p.Events()...)
}

// tier waits until a node has that tier for a key.
func (r *running) tier(key, want string) {
	r.t.Helper()
	testkit.EventuallyTrue(r.t, "the tier is "+want, func() bool {
		return r.get("/api/v1/tools?page=zero", key).Header.Get("X-RateLimit-Tier") == want // uses up no quota
	})
}

// plan is what an account has, and who decides that.
func (p *till) plan(accountID string) string {
	p.t.Helper()
	var o billing.Overview
	testkit.Eventually(p.t, func() (err error) { // a restart of PostgreSQL leaves connections that are closed
		o, err = p.s.Billing.Overview(p.t.Context(), account.Operator(), accountID)
		return err
	})
	return o.Plan.String() + " by " + string(o.Source)
}

// count counts rows.
func (p *till) count(rows string) (n int) {
	p.t.Helper()
	conn, err := pgx.Connect(p.t.Context(), p.db)
	must(p.t, err)
	defer conn.Close(context.WithoutCancel(p.t.Context()))
	must(p.t, conn.QueryRow(p.t.Context(), "SELECT count(*) FROM "+rows).Scan(&n))
	return n
}

// worked waits until all events that were sent are worked off.
func (p *till) worked() {
	p.t.Helper()
	testkit.EventuallyTrue(p.t, "all events are worked off", func() bool {
		return p.count("billing_events WHERE processed_at IS NULL") == 0
	})
}

// Whoever pays is on Pro on every node, and no longer once that ends. An event that comes again
// changes nothing. One mail tells of each.
func TestBilling_ReachesEveryNode(t *testing.T) {
	t.Parallel()
	db, relay := pgtest.Migrated(t), newRelay(t)
	publishDir(t, db, fixtureCatalog)
	p := newTill(t, db)
	settings := p.settings("PALMARES_SMTP_URL=smtp://"+relay.addr, "PALMARES_MAIL_FROM=noreply@palmares.test")
	nodes := []*running{
		startRoles(t, []string{API, Site}, db, settings...), startRoles(t, []string{API}, db), startRoles(t, []string{API, Worker}, db, settings...),
	}
	for _, n := range nodes {
		n.ready()
	}
	// The worker reconciles when it starts: beside a purchase it would find what no event has told yet.
	testkit.EventuallyTrue(t, "the first reconciliation", func() bool { return nodes[2].metric("palmares_billing_reconcile_age_seconds") >= 0 })
	key, a, sub := p.buy("ada@example.org")
	for _, n := range nodes {
		n.tier(key, "free")
	}
	first := float64(len(p.Events()))
	must(t, p.deliver(nodes[0]))
	for _, n := range nodes {
		n.tier(key, "pro")
	}
	testkit.EventuallyTrue(t, "the provider knows that the invoice was mailed", func() bool { return len(p.Invoices(sub.Customer)[0].Metadata) > 0 })
	stored := float64(len(p.Events())) // with that of the mark
	must(t, p.deliver(nodes[0]))
	p.worked()
	nodes[0].metrics(map[string]float64{
		`palmares_billing_events_total{outcome="stored"}`: stored, `palmares_billing_events_total{outcome="repeated"}`: first,
		`palmares_billing_events_total{outcome="forged"}`: 0, "palmares_billing_price_ok": 1,
	})
	nodes[2].metrics(map[string]float64{"palmares_billing_event_lag_seconds": 0, "palmares_billing_drift": 0, "palmares_billing_not_collecting": 0})
	if age := nodes[2].metric("palmares_billing_reconcile_age_seconds"); age < 0 || age > 3600 {
		t.Errorf("the last reconciliation is %v s old", age)
	}
	confirms := stripetest.Texts().Terms[account.French]
	testkit.EventuallyTrue(t, "a mail of welcome", func() bool { return len(relay.saying("ada@example.org", confirms)) == 1 })
	welcome := relay.saying("ada@example.org", confirms)[0]
	paid := p.Invoices(sub.Customer)[0]
	testkit.EventuallyTrue(t, "a mail with the invoice", func() bool { return len(relay.saying("ada@example.org", *paid.InvoicePDF)) == 1 })
	for _, text := range stripetest.Texts().Terms { // the worker has no account pages, and reads them from the order
		if !strings.Contains(welcome, text) {
			t.Errorf("the terms are not with the confirmation of the order:\n%s", welcome)
		}
	}
	for range account.Developer.Limits().Keys { // one more than Developer has
		made, _, err := p.s.Accounts.CreateKey(t.Context(), account.Operator(), a.ID, "autre")
		must(t, err)
		key = made.Reveal() // the newest stay awake
	}

	must(t, p.SetStatus(sub.ID, "canceled"))
	p.SetVersion("2027-01-01.other")
	p.Dispute(sub.Customer)
	must(t, p.deliver(nodes[0]))
	for _, n := range nodes {
		n.tier(key, "free")
	}
	nodes[0].metrics(map[string]float64{`palmares_billing_events_total{outcome="foreign"}`: 1, "palmares_billing_disputes_total": 1})
	testkit.EventuallyTrue(t, "a third mail, of the end", func() bool {
		return len(relay.saying("ada@example.org", "")) == 3
	})
	if text := relay.saying("ada@example.org", "")[2]; !strings.Contains(text, "/compte/offre") {
		t.Errorf("the mail does not lead to the page of the plan:\n%s", text)
	}
	testkit.Equal(t, "mails", []int{len(relay.saying("ada@example.org", "")), len(relay.saying("ada@example.org", "<document-"+paid.ID+"@"))}, []int{3, 1})
	testkit.Equal(t, "the plan", p.plan(a.ID), "developer by provider")
	testkit.Equal(t, "mails", p.count("billing_notices WHERE sent_at IS NOT NULL"), 2)
	for _, n := range nodes {
		if log := n.log.String(); strings.Contains(log, "ada@example.org") || strings.Contains(log, p.Secret) || strings.Contains(log, p.Key) {
			t.Errorf("the log tells too much:\n%s", log)
		}
	}
}

// What the provider did not sign, or long ago, is refused and counted, and nothing is stored.
func TestBilling_RefusesForgedEvents(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	publishDir(t, db, fixtureCatalog)
	p := newTill(t, db)
	n := startRoles(t, []string{Site}, db, p.settings()...)
	n.ready()
	p.buy("ada@example.org")
	body := p.Events()[0].Body
	changed := bytes.Clone(body)
	changed[len(changed)/2] ^= 1
	now := time.Now()
	other := &stripefake.Server{Secret: "whsec_of_somebody_else"}
	for _, tt := range []struct {
		what, method string
		signature    string
		body         []byte
		status       int
		outcome      string
	}{
		{"no signature", "POST", "", body, 400, "forged"},
		{"no signature that can be read", "POST", "t=1,v1=zz", body, 400, "forged"},
		{"somebody else's signature", "POST", other.Sign(body, now), body, 400, "forged"},
		{"stale", "POST", p.Sign(body, now.Add(-6*time.Minute)), body, 400, "forged"},
		{"from the future", "POST", p.Sign(body, now.Add(6*time.Minute)), body, 400, "forged"},
		{"one byte changed", "POST", p.Sign(body, now), changed, 400, "forged"},
		{"cut", "POST", p.Sign(body, now), body[:len(body)-1], 400, "forged"},
		{"no event", "POST", p.Sign([]byte("{}"), now), []byte("{}"), 400, "forged"},
		{"1 MB", "POST", p.Sign(body, now), bytes.Repeat([]byte{' '}, 1<<20), 413, "too_large"},
		{"another method", "PUT", p.Sign(body, now), body, 405, ""},
		{"no method that there is", "GET", "", nil, 405, ""},
	} {
		before := n.metric(`palmares_billing_events_total`)
		a := post(t, tt.method, n.public+events.Path, tt.signature, bytes.NewReader(tt.body))
		if a.Status != tt.status || a.Header.Get("Cache-Control") != "no-store" || strings.Contains(a.Body, "<") || len(a.Header["Set-Cookie"]) > 0 {
			t.Errorf("%s: %v %v, want %d", tt.what, a, a.Header, tt.status)
		}
		if tt.outcome == "" {
			continue
		}
		testkit.Equal(t, tt.what+": counted", n.metric(`palmares_billing_events_total`)-before, 1.0)
	}
	// One that does not say how long it is is read up to the limit.
	endless := &countingReader{left: 8 << 20}
	if a := post(t, "POST", n.public+events.Path, p.Sign(body, now), endless); a.Status != http.StatusRequestEntityTooLarge {
		t.Errorf("an endless body: %v", a)
	}
	n.metrics(map[string]float64{
		`palmares_billing_events_total{outcome="forged"}`: 8, `palmares_billing_events_total{outcome="too_large"}`: 2,
		`palmares_billing_events_total{outcome="stored"}`: 0, `palmares_billing_events_total{outcome="failed"}`: 0,
	})
	testkit.Equal(t, "events stored", p.count("billing_events"), 0)
	for path, status := range map[string]int{"/stripe": 404, "/stripe/": 404, "/stripe/events/": 404, "/stripe/event": 404} {
		if a := post(t, "POST", n.public+path, "", http.NoBody); a.Status != status || strings.Contains(a.Body, "<") {
			t.Errorf("POST %s: %v", path, a)
		}
	}
}

// A countingReader is a body without a stated length.
type countingReader struct{ left int }

func (r *countingReader) Read(b []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	n := min(len(b), r.left)
	r.left -= n
	return n, nil
}

// post sends a body with a signature. A server that has had enough may hang up on it: what it answered
// before counts.
func post(t *testing.T, method, url, signature string, body io.Reader) testkit.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	must(t, err)
	req.Close = true
	if signature != "" {
		req.Header.Set("Stripe-Signature", signature)
	}
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", req.URL.Host)
	must(t, err)
	defer conn.Close()
	go func() { _ = req.Write(conn) }()
	resp, err := http.ReadResponse(bufio.NewReader(conn), req)
	must(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	must(t, err)
	return testkit.Response{Status: resp.StatusCode, Header: resp.Header, Body: string(text)}
}

// Without a provider nothing is sold and no event taken; plans are the operator's.
func TestBilling_NotConfigured(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	publishDir(t, db, fixtureCatalog)
	n := startRoles(t, []string{API, Site, Worker}, db)
	n.ready()
	if a := post(t, "POST", n.public+events.Path, "t=1,v1=00", strings.NewReader("{}")); a.Status != http.StatusNotFound {
		t.Errorf("an event: %v", a)
	}
	if got := strings.Count(n.log.String(), "Pro is not sold here"); got != 1 {
		t.Errorf("it is logged %d times that nothing is sold", got)
	}
	if strings.Contains(testkit.Get(t, n.admin+"/metrics").Body, "palmares_billing_") {
		t.Error("there are metrics of payments")
	}
	_, err := services.OpenWithBilling(t.Context(), environ(db))
	if !errors.Is(err, billing.ErrNoCheckout) || !strings.Contains(err.Error(), "set PALMARES_STRIPE_KEY") {
		t.Errorf("the services: %v", err)
	}
}

// Events that come while PostgreSQL is away are refused for now, and those that came before it went
// are worked off when it is back.
func TestBilling_DatabaseGoesAndComesBack(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	publishDir(t, server.URL(), fixtureCatalog)
	p := newTill(t, server.URL())
	site := startRoles(t, []string{API, Site}, server.URL(), p.settings()...)
	site.ready()
	key, a, _ := p.buy("ada@example.org")
	must(t, p.deliver(site)) // nobody works it off: there is no worker
	received := p.count("billing_events WHERE processed_at IS NULL")
	_, late, _ := p.buy("late@example.org")

	server.Stop()
	if err := p.deliver(site); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("an event without PostgreSQL: %v", err)
	}
	if failed := site.metric(`palmares_billing_events_total{outcome="failed"}`); failed != 1 {
		t.Errorf("%v events failed, want 1", failed)
	}
	worker := startRoles(t, []string{Worker}, server.URL(), p.settings()...)
	server.Start()
	worker.ready()
	testkit.Eventually(t, func() error { return p.deliver(site) }) // as the provider does
	site.tier(key, "pro")
	testkit.EventuallyTrue(t, "the other is on Pro", func() bool { return p.plan(late.ID) == "pro by provider" })
	p.worked()
	testkit.Equal(t, "the plan", p.plan(a.ID), "pro by provider")
	if received == 0 || p.count("billing_events") != len(p.Events()) {
		t.Errorf("%d events were received before, %d in all, of %d", received, p.count("billing_events"), len(p.Events()))
	}
}

// While the provider does not answer, its events are taken and wait, nothing is sold, and nobody's
// plan changes. All goes on by itself when it is back; both are told, and not for each event.
func TestBilling_ProviderGoesAndComesBack(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	publishDir(t, db, fixtureCatalog)
	p := newTill(t, db)
	n := startRoles(t, []string{API, Site, Worker}, db, p.settings()...)
	n.ready()
	n.metrics(map[string]float64{"palmares_billing_price_ok": 1})
	before, paying, ends := p.buy("before@example.org")
	must(t, p.deliver(n))
	n.tier(before, "pro")
	key, a, _ := p.buy("ada@example.org")
	must(t, p.SetStatus(ends.ID, "canceled"))

	p.Away(true)
	must(t, p.deliver(n)) // an event needs no answer of the provider
	n.logs("the payment provider does not answer")
	if _, err := stripetest.Order(t.Context(), p.db, p.Server, newAccount(t, p.s, "new@example.org")); !errors.Is(err, billing.ErrUnavailable) {
		t.Errorf("a checkout without the provider: %v", err)
	}
	testkit.Equal(t, "who has paid", p.plan(a.ID), "developer by provider")
	testkit.Equal(t, "who has not", p.plan(paying.ID), "pro by provider")
	n.tier(before, "pro")
	n.ready()
	if a := n.get("/api/v1/tools/ame", key); !a.OK() {
		t.Errorf("the API without the provider: %v", a)
	}
	if waits := p.count("billing_events WHERE processed_at IS NULL"); waits == 0 {
		t.Error("no event waits")
	}

	p.Away(false)
	n.tier(key, "pro")
	n.tier(before, "free")
	p.worked()
	testkit.Equal(t, "events", p.count("billing_events"), len(p.Events()))
	n.logs("the payment provider answers again")
	// Each outage is told once, and its end. A call that was sent during the outage may fail after another one
	// was answered: that is an outage too.
	testkit.EventuallyTrue(t, "an end for each outage", func() bool {
		log := n.log.String()
		return strings.Count(log, `"msg":"the payment provider does not answer: plans stay`) == strings.Count(log, `"msg":"the payment provider answers again"`)
	})
	if strings.Contains(n.log.String(), "a job failed") {
		t.Errorf("an outage of the provider is a failure of jobs:\n%s", n.log.String())
	}
}

func newAccount(t *testing.T, s *services.Services, email string) (id string) {
	t.Helper()
	a, err := s.Accounts.Create(t.Context(), account.Operator(), email, account.Developer)
	must(t, err)
	return a.ID
}

// A plan that the operator gave stays, whatever the provider says or does not know.
func TestBilling_OperatorsPlanStays(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	publishDir(t, db, fixtureCatalog)
	p := newTill(t, db)
	n := startRoles(t, []string{API, Site, Worker}, db, p.settings()...)
	n.ready()
	never, _ := newKey(t, p.s, "never@example.org", account.Pro) // the provider does not know it
	unknown, err := p.s.Accounts.Find(t.Context(), account.Operator(), "never@example.org")
	must(t, err)
	key, a, sub := p.buy("ada@example.org")
	must(t, p.deliver(n))
	n.tier(key, "pro")
	must(t, p.s.Accounts.SetPlan(t.Context(), account.Operator(), a.ID, account.Pro))

	given := func(when string) {
		t.Helper()
		p.worked()
		for _, id := range []string{a.ID, unknown.ID} {
			testkit.Equal(t, when, p.plan(id), "pro by operator")
		}
		n.tier(key, "pro")
		n.tier(never, "pro")
	}
	must(t, p.FailPayment(sub.ID))
	must(t, p.deliver(n))
	given("past due")
	report, err := p.s.Reconcile(t.Context(), billing.Run{})
	must(t, err)
	if !slices.ContainsFunc(report.Findings, func(f billing.Finding) bool { return f.Kind == billing.FoundGivenAndPaid && f.Account == a.ID }) {
		t.Errorf("nobody says that a given plan is paid for: %+v", report)
	}
	given("reconciled")
	must(t, p.SetStatus(sub.ID, "canceled"))
	must(t, p.deliver(n))
	given("canceled")
	must(t, p.DeleteCustomer(sub.Customer))
	must(t, p.deliver(n))
	given("the customer deleted")
	_, err = p.s.Reconcile(t.Context(), billing.Run{})
	must(t, err)
	given("reconciled again")
}

// Nothing is sold at another price than that of the plan. The node works all the same, says so, and
// sells again once the price is right.
func TestBilling_WrongPrice(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	publishDir(t, db, fixtureCatalog)
	p := newTill(t, db)
	p.Archive(true)
	n := startRoles(t, []string{API, Site}, db, p.settings()...)
	n.metrics(map[string]float64{"palmares_billing_price_ok": 0})
	n.ready()
	n.logs("nothing is sold")
	if _, err := stripetest.Order(t.Context(), p.db, p.Server, newAccount(t, p.s, "ada@example.org")); !errors.Is(err, billing.ErrWrongPrice) {
		t.Errorf("a checkout at a wrong price: %v", err)
	}
	p.Archive(false)
	n.metrics(map[string]float64{"palmares_billing_price_ok": 1})
	n.logs("the price is that of the plan")
	if got := strings.Count(n.log.String(), "nothing is sold"); got != 1 {
		t.Errorf("it is logged %d times that nothing is sold", got)
	}
}

// What no event told is found by reconciliation, on any node or by hand, and all nodes show it.
func TestBilling_Reconciles(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	publishDir(t, db, fixtureCatalog)
	p := newTill(t, db)
	_, a, _ := p.buy("ada@example.org") // its events are lost
	dry, err := p.s.Reconcile(t.Context(), billing.Run{DryRun: true})
	must(t, err)
	if len(dry.Findings) != 1 || dry.Findings[0].Repaired || p.plan(a.ID) != "developer by provider" {
		t.Errorf("a dry run: %+v, then %s", dry, p.plan(a.ID))
	}
	worker := startRoles(t, []string{Worker}, db, p.settings()...) // whose first job it is
	worker.metrics(map[string]float64{"palmares_billing_drift": 1, "palmares_billing_not_collecting": 0})
	testkit.Equal(t, "the plan", p.plan(a.ID), "pro by provider")
	worker.logs("subscriptions were compared with the payment provider")

	p.SetTax(stripefake.Rate{Reason: "not_collecting"})
	must(t, p.Renew(p.Subscriptions(p.Customers()[0].ID)[0].ID))
	report, err := p.s.Reconcile(t.Context(), billing.Run{})
	must(t, err)
	testkit.EventuallyTrue(t, "the alarm of tax", func() bool { return worker.metric("palmares_billing_not_collecting") == 1 })
	if !slices.ContainsFunc(report.Findings, func(f billing.Finding) bool { return f.Kind == billing.FoundNotCollecting }) {
		t.Errorf("no tax: %+v", report)
	}
}

// A test key behind a public address sells nothing, and the node serves; those who are listed may try it.
func TestBilling_TestKey(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	publishDir(t, db, fixtureCatalog)
	p := newTill(t, db)
	for _, tt := range []struct {
		settings []string
		off      float64
		logs     string
	}{
		{[]string{"PALMARES_BASE_URL=http://localhost:8080"}, 0, "Pro is sold"},
		{[]string{"PALMARES_BASE_URL=https://palmares.example"}, 1, "PALMARES_STRIPE_KEY is a test key"},
		{[]string{"PALMARES_BASE_URL=https://palmares.example", "PALMARES_STRIPE_TEST=Ada@example.org, grace@example.org"}, 0, "only those may buy who are listed"},
	} {
		n := startRoles(t, []string{API, Site, Worker}, db, p.settings(tt.settings...)...)
		n.ready()
		n.logs(tt.logs)
		n.metrics(map[string]float64{"palmares_billing_off": tt.off})
	}
}

// A node with a key of another account of the provider sells nothing and takes nothing from anybody.
func TestBilling_OtherAccount(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	publishDir(t, db, fixtureCatalog)
	p := newTill(t, db)
	_, a, _ := p.buy("ada@example.org")
	_, err := p.s.Billing.Refresh(t.Context(), account.Operator(), a.ID)
	must(t, err)
	right := startRoles(t, []string{API, Site}, db, p.settings()...)
	right.metrics(map[string]float64{"palmares_billing_account_ok": 1})
	other := &till{Server: stripetest.New(t, stripefake.Options{}), t: t, db: db}
	n := startRoles(t, []string{API, Site, Worker}, db, other.settings()...)
	n.ready()
	n.metrics(map[string]float64{"palmares_billing_account_ok": 0})
	n.logs("the key is not one of the account that the customers are of")
	testkit.EventuallyTrue(t, "the job of the day was tried", func() bool {
		return p.count("river_job WHERE kind = 'billing_reconcile' AND state = 'scheduled'") == 1
	})
	testkit.Equal(t, "the plan", p.plan(a.ID), "pro by provider")
	for _, r := range other.Requests() {
		if r.Path != "/v1/account" {
			t.Errorf("the other account was asked for %s", r.Path)
		}
	}
}

// Whoever pays after the account was deleted has the money back, from a node that starts then.
func TestBilling_RefundsTheDeleted(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	publishDir(t, db, fixtureCatalog)
	p := newTill(t, db)
	id := newAccount(t, p.s, "ada@example.org")
	c, err := stripetest.Order(t.Context(), p.db, p.Server, id)
	must(t, err)
	must(t, p.s.Accounts.Delete(t.Context(), account.Operator(), id))
	sub, err := p.Complete(c.ID)
	must(t, err)
	n := startRoles(t, []string{Worker}, db, p.settings()...)
	testkit.EventuallyTrue(t, "it is refunded", func() bool { return len(p.CreditNotes()) == 1 })
	testkit.EventuallyTrue(t, "it is over", func() bool { return p.Subscriptions(sub.Customer)[0].Status == "canceled" })
	note := p.CreditNotes()[0]
	testkit.Equal(t, "the credit note", []any{note.Amount, note.Refunds[0].AmountRefunded}, []any{int64(11880), int64(11880)})
	n.logs("an invoice was refunded, as far as nobody should have paid it")
}
