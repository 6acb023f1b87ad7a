package portal_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/portal"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/stripetest"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// A seller is a world in which Pro is sold, through a stand-in for Stripe.
type seller struct {
	*world
	stripe  *stripefake.Server
	billing *billing.Service
}

// newSeller makes a seller. change may change the options before the pages are made.
func newSeller(t *testing.T, change ...func(*portal.Options)) *seller {
	t.Helper()
	var late struct{ *billing.Service } // it needs the world's database
	s := &seller{world: newWorld(t, append(change, func(o *portal.Options) { o.Billing = &late })...)}
	s.stripe = stripetest.New(t, stripefake.Options{Now: s.clock})
	s.billing = billing.New(billing.Options{
		Store: s.db.Billing, Provider: stripetest.Client(t, s.stripe), Country: "FR", Now: s.clock, Texts: texts,
		Plan: func(l account.Language) string { return s.url + address.Plan.At(locale.Tagged(string(l))) },
		Done: func(l account.Language) string { return s.url + address.PlanPayment.At(locale.Tagged(string(l))) },
	})
	late.Service = s.billing
	return s
}

var linkToCheckout = regexp.MustCompile(`href="(http://[^"]+/checkout/[^"]+)" rel="noopener"`)

// whole is an order that lacks nothing, in French.
func whole() map[string]string {
	return map[string]string{
		"nom": "Atelier Ada", "pays": "FR", "numero": "732 829 320", "adresse": "3 rue du Puits", "postal": "75011", "ville": "Paris",
		"activite": "1", "conditions": "1",
	}
}

// ordering is the form of an order, with what a month costs.
func (b *browser) ordering(change map[string]string) form {
	b.Helper()
	return b.submit(b.get("/compte/offre/commande").form("total"), change).form("order")
}

// linked is the address of the provider's page that a page leads to.
func (b *browser) linked(p page) string {
	b.Helper()
	found := linkToCheckout.FindStringSubmatch(p.Body)
	if found == nil {
		b.Fatalf("no link to the provider: %s", p.Body)
	}
	return found[1]
}

// order orders Pro, and returns the address of the page on which it is paid.
func (b *browser) order() string {
	b.Helper()
	return b.linked(b.submit(b.ordering(whole()), nil))
}

// pay pays on the provider's page, and returns where it sends the customer.
func (b *browser) pay(checkout string) string {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, checkout, http.NoBody)
	testkit.Must(b, err)
	r, err := testkit.Do(b.client, req)
	testkit.Must(b, err)
	return strings.TrimPrefix(r.Header.Get("Location"), b.url)
}

// endPeriod ends the period at the provider, and has it asked.
func (s *seller) endPeriod(a account.Account) {
	s.Helper()
	s.pass(time.Minute)
	known, err := s.billing.Overview(s.Context(), account.Operator(), a.ID)
	testkit.Must(s, err)
	testkit.Must(s, s.stripe.Renew(known.Subscription.ID))
	_, err = s.billing.Refresh(s.Context(), account.Operator(), a.ID)
	testkit.Must(s, err)
}

// An owner subscribes, uses what Pro gives, cancels, takes it back and cancels again; the keys that
// were ticked stay, the others sleep, and all wake with the next subscription.
func TestJourney_OfASubscription(t *testing.T) {
	t.Parallel()
	s := newSeller(t)
	a := s.account("ada@example.org", account.Developer)
	by, plan, paid := account.ByAccount(a.ID), "/compte/offre", "/compte/offre/paiement"
	b := s.signedIn("ada@example.org")

	first := b.order()
	if again := b.linked(b.submit(b.get(plan).form("checkout"), nil)); again != first {
		t.Errorf("a second click has another checkout: %s, %s", first, again)
	}
	if p := b.get(paid); !p.Says("Nous attendons la confirmation") || p.Header.Get("Refresh") == "" {
		t.Errorf("before the payment: %s", p.Body)
	}
	s.pass(time.Minute) // the provider is not asked twice within seconds
	if p := b.get(paid + "?session_id=cs_1&status=complete"); !p.Says("Nous attendons la confirmation") {
		t.Errorf("the address is believed: %s", p.Body)
	}
	testkit.Equal(t, "where the provider sends the customer", b.pay(first), paid)
	s.pass(time.Minute)
	if p := b.get(paid); !p.Says("votre compte a l’offre Pro") {
		t.Errorf("after the payment: %s", p.Body)
	}
	for _, text := range []string{">Actif<", "<dd>19,80\u00a0€</dd>", "<dd>118,80\u00a0€</dd>"} {
		if p := b.get(plan); !p.Says(text) {
			t.Errorf("on Pro the page does not say %q: %s", text, p.Body)
		}
	}

	ids := make(map[string]string)
	for _, name := range []string{"alpha", "beta", "gamma", "delta"} {
		_, info, err := s.o.Accounts.CreateKey(t.Context(), by, a.ID, name)
		testkit.Must(t, err)
		ids[name] = info.ID
	}
	endpoint, err := s.o.Endpoints.Create(t.Context(), account.Operator(), a.ID, webhook.Draft{URL: "https://hooks.example.org/in", Vouched: true})
	testkit.Must(t, err)

	cancel := func() {
		t.Helper()
		form := b.get("/compte/offre/resiliation").form("cancel")
		form.fields["keep"] = []string{ids["alpha"], ids["beta"], ids["gamma"]}
		if p := b.follow(b.submit(form, nil)); !p.Says(">Résilié<") || !p.Says("L’abonnement est résilié.") {
			t.Fatalf("cancelling: %s", p.Body)
		}
	}
	cancel()
	if p := b.follow(b.submit(b.get(plan).form("resume"), nil)); !p.Says(">Actif<") {
		t.Errorf("taking it back: %s", p.Body)
	}
	cancel()

	s.endPeriod(a)
	p := b.get(plan)
	kept := p.form("keep").fields["keep"]
	if !p.Says("Votre dernier abonnement s’est terminé le") || len(kept) != 3 || slices.Contains(kept, ids["delta"]) {
		t.Errorf("after the end: %s", p.Body)
	}
	s.sleeps(by, a, endpoint.ID, 1, webhook.Paused)

	b.pay(b.order())
	s.pass(time.Minute)
	b.get(paid)
	s.sleeps(by, a, endpoint.ID, 0, webhook.Active)
}

// sleeps checks how many keys sleep, and the state of an endpoint.
func (s *seller) sleeps(by account.Actor, a account.Account, endpoint string, asleep int, state webhook.State) {
	s.Helper()
	keys, err := s.o.Accounts.Keys(s.Context(), by, a.ID)
	testkit.Must(s, err)
	n := 0
	for _, k := range keys {
		if k.Suspended {
			n++
		}
	}
	testkit.Equal(s, "keys that sleep", n, asleep)
	e, err := s.o.Endpoints.Show(s.Context(), by, endpoint)
	testkit.Must(s, err)
	testkit.Equal(s, "state of the endpoint", e.State, state)
}

// While the provider is away, or has another price, nothing is sold and all else works.
func TestPlan_ProviderAway(t *testing.T) {
	t.Parallel()
	s := newSeller(t)
	s.account("ada@example.org", account.Developer)
	b := s.signedIn("ada@example.org")
	form := b.ordering(whole())

	s.stripe.Away(true)
	p := b.submit(form, nil)
	if p.Status != http.StatusServiceUnavailable || !strings.Contains(p.Body, "Le prestataire de paiement ne répond pas.") || !strings.Contains(p.Body, "118,80") {
		t.Errorf("away: %s", p.Body)
	}
	if p := b.get("/compte/offre"); !p.Says(`href="/compte/offre/commande"`) {
		t.Errorf("away: %s", p.Body)
	}
	s.stripe.Away(false)
	s.stripe.Archive(true)
	if p := b.submit(form, nil); p.Status != http.StatusServiceUnavailable || !strings.Contains(p.Body, "Pro n’est pas en vente en ce moment") {
		t.Errorf("another price: %s", p.Body)
	}
	for _, path := range []string{"/compte/offre", "/compte/offre/commande"} {
		if p := b.get(path); !p.Says("Pro n’est pas en vente en ce moment") || p.Says(`value="total"`) || p.Says(`class="btn" href="/compte/offre/commande"`) {
			t.Errorf("another price: %s", p.Body)
		}
	}
	s.stripe.Archive(false)
	s.pass(11 * time.Minute) // the price is asked for again
	if at := b.pay(b.linked(b.submit(form, nil))); at != "/compte/offre/paiement" {
		t.Errorf("as before: %s", at)
	}
}
