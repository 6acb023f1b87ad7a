package portal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/portal/plan"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// The page shows what the provider holds, each state in words, also after the end; what it does not say in
// time is left out, and that part says so.
func TestPlan_ShowsTheStatement(t *testing.T) {
	t.Parallel()
	p := newPayer(t)
	invoice := func(number string, state billing.InvoiceState) billing.Invoice {
		return billing.Invoice{Number: number, State: state, Date: billed, Total: 11880, URL: "https://pay.example/i/" + number}
	}
	refunded := invoice("P-2", billing.InvoicePaid)
	refunded.Credited = 11880
	p.billing.statement = billing.Statement{
		Invoices: []billing.Invoice{
			invoice("P-6", billing.InvoiceOpen), invoice("P-5", billing.InvoicePaid), invoice("P-4", billing.InvoiceVoid),
			invoice("P-3", billing.InvoiceUncollectible), refunded,
		},
		More: true, Name: "Atelier Ada", Address: []string{"4, quai des Moulins", "58500 Clamecy"}, Country: "FR",
		VATNumber: "FR44732829320", VATState: billing.VATUnverified, Card: &billing.Card{Brand: "visa", Last4: "4242", Month: 3, Year: 2031},
	}
	ended := developer()
	ended.Subscription, ended.Customer = &billing.Subscription{Status: billing.Canceled, EndedAt: billed}, true
	failing := subscribed(func(s *billing.Subscription) { s.Status, s.UnpaidSince = billing.PastDue, billed })
	failing.Customer = true
	for name, known := range map[string]billing.Overview{"after the end": ended, "failing": failing} {
		p.on(known, nil)
		page := p.get("/compte/offre")
		for _, text := range []string{
			"P-6", ">À payer<", `<a href="https://pay.example/i/P-6" rel="noopener">Payer<span class="vh"> la facture P-6</span>`, ">Payée<",
			`<a href="https://pay.example/i/P-5" rel="noopener">Voir<`, ">Annulée<", ">Abandonnée<", ">Remboursée\u00a0: 118,80\u00a0€<", "118,80\u00a0€",
			"Les 5 plus récentes.", "Visa terminée par 4242, valable jusqu’à fin 03/2031", "Atelier Ada",
			"4, quai des Moulins, 58500 Clamecy, France", "FR44732829320 (non reconnu\u00a0: corrigez-le)",
		} {
			if !page.Says(text) {
				t.Errorf("%s: the page does not say %q: %s", name, text, page.Body)
			}
		}
		direct := `<a class="btn" href="https://pay.example/i/P-6" rel="noopener">Régler la facture</a>`
		testkit.Equal(t, name+": the direct link", page.Says(direct), name == "failing")
		if english := p.get("/en/account/plan"); !english.Says("Visa ending in 4242") || !english.Says("not recognised") {
			t.Errorf("%s, in English: %s", name, english.Body)
		}
	}
	failing.VATUntil = billed.AddDate(0, 0, 14)
	p.on(failing, nil)
	if page := p.get("/compte/offre"); !page.Says("corrigez-le avant le " + failing.VATUntil.Format("2")) {
		t.Errorf("until when the VAT number is to be corrected: %s", page.Body)
	}
	p.billing.statement.Card = &billing.Card{Brand: "visa", Last4: "4242", Month: 10, Year: 2026}
	if page := p.get("/compte/offre"); !page.Says("Visa terminée par 4242, expirée (10/2026)") {
		t.Errorf("a card whose last month has passed: %s", page.Body)
	}
	p.billing.missing = fmt.Errorf("asking: %w", billing.ErrRefused)
	if page := p.get("/compte/offre"); !page.OK() || !page.Says("qui a refusé notre demande") || page.Says("ne répond pas") {
		t.Errorf("refused: %s", page.Body)
	}
	p.billing.missing = fmt.Errorf("asking: %w", billing.ErrUnavailable)
	if page := p.get("/compte/offre"); !page.OK() || !page.Says("notre prestataire de paiement, qui ne répond pas") || !page.Says("Échec du paiement") {
		t.Errorf("away: %s", page.Body)
	}
	p.billing.missing = billing.ErrNotSubscribed
	if page := p.get("/compte/offre"); page.Says("Factures</h2>") {
		t.Errorf("no customer: %s", page.Body)
	}
}

// A look at the page asks the provider once, and an account can have it asked so often an hour and no more;
// then the page is there without that part, and cancelling still works. Whoever never paid costs no call.
func TestPlan_AsksForTheStatementSeldom(t *testing.T) {
	t.Parallel()
	p := newPayer(t)
	p.on(subscribed(nil), nil)
	p.get("/compte/offre")
	testkit.Equal(t, "asked for who is no customer", p.billing.statements, 0)
	known := subscribed(nil)
	known.Customer = true
	p.on(known, nil)
	most := plan.InvoicesLimit.Most
	for range most {
		p.get("/compte/offre")
	}
	testkit.Equal(t, "asked", p.billing.statements, most)
	for range 3 {
		if page := p.get("/compte/offre"); !page.OK() || !page.Says("trop souvent en une heure") || !page.Says(">Actif<") {
			t.Errorf("too often: %s", page.Body)
		}
	}
	testkit.Equal(t, "asked, too often", p.billing.statements, most)
	if page := p.submit(p.get("/compte/offre/resiliation").form("cancel"), nil); !strings.Contains(page.Location, "plan-cancelled") {
		t.Errorf("cancelling: %s", page)
	}
}

// A failed renewal is paid by the direct link, and the address of the provider's page is kept nowhere.
func TestPlan_PaysByTheDirectLink(t *testing.T) {
	t.Parallel()
	s := newSeller(t)
	a := s.account("ada@example.org", account.Developer)
	b := s.signedIn("ada@example.org")
	b.pay(b.order())
	look := func() billing.Overview {
		t.Helper()
		s.pass(60e9)
		o, err := s.billing.Refresh(t.Context(), account.ByAccount(a.ID), a.ID)
		testkit.Must(t, err)
		return o
	}
	testkit.Must(t, s.stripe.FailPayment(look().Subscription.ID))
	testkit.Equal(t, "status", look().Subscription.Status, billing.PastDue)
	page := b.get("/compte/offre")
	_, link, _ := strings.Cut(page.Body, `<a class="btn" href="`)
	link, _, _ = strings.Cut(link, `"`)
	if !strings.HasPrefix(link, s.stripe.URL+"/invoice/") {
		t.Fatalf("no direct link: %s", page.Body)
	}
	b.pay(link)
	testkit.Equal(t, "status after paying", look().Subscription.Status, billing.Active)
	stored := strings.Join(s.strings(`SELECT c::text FROM billing_customers c`), "\n")
	if strings.Contains(stored, "/invoice/") {
		t.Errorf("the address is stored: %s", stored)
	}
}
