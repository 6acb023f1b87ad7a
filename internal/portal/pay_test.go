package portal_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// A payer is an account with five keys and an endpoint, signed in, whose subscription is what a fakeBilling
// says.
type payer struct {
	*browser
	billing *fakeBilling
	account account.Account
	keys    map[string]string // ids by name
}

func newPayer(t *testing.T) *payer {
	t.Helper()
	p := &payer{billing: new(fakeBilling), keys: make(map[string]string)}
	w := newWorld(t, withBilling(p.billing))
	w.now = billed.Add(48 * time.Hour)
	p.account = w.account("ada@example.org", account.Pro)
	for _, name := range []string{"alpha", "beta", "gamma", "delta", "epsilon"} {
		_, info, err := w.o.Accounts.CreateKey(t.Context(), account.ByAccount(p.account.ID), p.account.ID, name)
		testkit.Must(t, err)
		p.keys[name] = info.ID
		w.pass(time.Minute) // so that the order of their days is known
	}
	_, err := w.o.Endpoints.Create(t.Context(), account.Operator(), p.account.ID, webhook.Draft{URL: "https://hooks.example.org/in", Vouched: true})
	testkit.Must(t, err)
	p.browser = w.signedIn("ada@example.org")
	return p
}

// on puts the account on what an overview says it has.
func (p *payer) on(o billing.Overview, err error) {
	p.Helper()
	testkit.Must(p, p.o.Accounts.SetPlan(p.Context(), account.Operator(), p.account.ID, o.Plan))
	p.billing.set(p.account, o, err)
}

// renewing has a subscription be in the hour in which the invoice of its renewal is a draft.
func renewing(s *billing.Subscription) {
	s.Latest = billing.Invoice{State: billing.InvoiceDraft, Date: billed.Add(47 * time.Hour)}
}

// developer is what is known of an account that never paid.
func developer() billing.Overview {
	return billing.Overview{Plan: account.Developer, Source: account.FromProvider}
}

// actions are what the forms of a page do, beside signing out.
func (p page) actions() (all []string) {
	for _, f := range p.forms {
		all = append(all, f.actions...)
	}
	all = slices.DeleteFunc(all, func(s string) bool { return s == "sign-out" })
	slices.Sort(all)
	return all
}

// The page says in words what the provider last said, and has a form for all that can be done about
// it and for nothing else.
func TestPlan_SaysEveryState(t *testing.T) {
	t.Parallel()
	p := newPayer(t)
	given := developer()
	given.Plan, given.Source, given.CannotBuy = account.Pro, account.FromOperator, billing.ErrGiven
	begun, wrong, ended := developer(), developer(), developer()
	begun.Waiting, wrong.CannotBuy = true, billing.ErrWrongPrice
	elsewhere := developer()
	elsewhere.CannotBuy = fmt.Errorf("comparing: %w", billing.ErrOtherAccount)
	ordered, unwritten := begun, developer()
	ordered.Checkout, unwritten.CannotBuy = &billing.Checkout{ExpiresAt: renews}, billing.ErrNoTexts
	ended.Subscription = &billing.Subscription{Status: billing.Canceled, EndedAt: billed}
	abandoned := developer()
	abandoned.Subscription = &billing.Subscription{Status: billing.Canceled, EndedAt: billed, Latest: billing.Invoice{State: billing.InvoiceVoid}}
	replaceable := subscribed(func(s *billing.Subscription) { s.Status = billing.Unpaid })
	replaceable.CannotBuy = nil
	cancelling := subscribed(func(s *billing.Subscription) { s.Status, s.UnpaidSince = billing.PastDue, billed })
	cancelling.Cancelling = billed
	cancelledLate := subscribed(func(s *billing.Subscription) { renewing(s); s.CancelAt = renews })
	tried, future := developer(), time.Now().AddDate(1, 0, 0)
	tried.Test = true
	for _, tt := range []struct {
		name    string
		known   billing.Overview
		says    []string
		not     string
		actions string
		cancels bool // it has a link to cancel
	}{
		{"none", developer(), []string{"99\u00a0€ HT par mois", "3 de vos 5 clés sont actives", "Ce webhook est suspendu"}, "Prochain paiement", "keep", false},
		{"ended", ended, []string{"Votre dernier abonnement s’est terminé le 15\u00a0novembre 2026.", `href="/compte/offre/commande"`}, "vous ne devez rien", "keep", false},
		{"ended while an invoice was unpaid", abandoned, []string{"s’est terminé le 15\u00a0novembre 2026. Sa dernière facture est annulée\u00a0: vous ne devez rien."}, "Prochain paiement", "keep", false},
		{"begun", begun, []string{"Vous avez commencé un paiement.", `href="/compte/offre/paiement"`}, `href="/compte/offre/commande"`, "keep", false},
		{"ordered", ordered, []string{"Votre commande attend son paiement jusqu’au 15\u00a0décembre 2026"}, `href="/compte/offre/commande"`, "checkout keep", false},
		{"no terms", unwritten, []string{"les conditions ou les mentions légales de ce service ne sont pas encore publiées"}, `href="/compte/offre/commande"`, "keep", false},
		{"another account", elsewhere, []string{"un réglage est à corriger de notre côté, et nous en sommes avertis"}, "a refusé notre demande", "keep", false},
		{"a wrong price", wrong, []string{"Pro n’est pas en vente en ce moment"}, "", "keep", false},
		{"given", given, []string{"L’exploitant du service vous l’a attribuée"}, "99\u00a0€ HT par mois, plus la TVA de", "", false},
		{"active", subscribed(nil), []string{">Actif<", "<dd>15\u00a0décembre 2026</dd>", "<dd>99\u00a0€</dd>", "<dd>19,80\u00a0€</dd>", "<dd>118,80\u00a0€</dd>"}, "se mettra en sommeil", "portal", true},
		{"just renewed", subscribed(renewing), []string{">Actif<", "Une nouvelle période a commencé.", "<dd>17\u00a0novembre 2026</dd>"}, "15\u00a0décembre 2026", "portal", true},
		{"just renewed and cancelled", cancelledLate, []string{"Vous gardez Pro jusqu’au 15\u00a0décembre 2026", "est en préparation, et sera encore débitée"}, "Prochain paiement", "keep portal resume", false},
		{"reverse charge", subscribed(func(s *billing.Subscription) { s.Tax, s.ReverseCharge = 0, true }), []string{"TVA (autoliquidation)</dt><dd>0\u00a0€"}, "", "portal", true},
		{"on trial", subscribed(func(s *billing.Subscription) { s.Status, s.Net, s.Tax = billing.Trialing, 0, 0 }), []string{"L’essai dure jusqu’au 15\u00a0décembre 2026"}, "Total TTC", "portal", true},
		{"cancelled", subscribed(func(s *billing.Subscription) { s.CancelAt = renews }), []string{">Résilié<", "Vous gardez Pro jusqu’au 15\u00a0décembre 2026 à\u00a09\u00a0h\u00a040\u00a0UTC", "se mettra en sommeil", "Ce webhook sera suspendu"}, "Prochain paiement", "keep portal resume", false},
		{"past due", subscribed(func(s *billing.Subscription) { s.Status, s.UnpaidSince = billing.PastDue, billed }), []string{"Le paiement de la facture du 15\u00a0novembre 2026 a échoué. Vous gardez Pro jusqu’au 22\u00a0novembre 2026 à\u00a09\u00a0h\u00a040\u00a0UTC"}, "Prochain paiement", "portal", true},
		{"past due, too long", subscribed(func(s *billing.Subscription) { s.Status, s.UnpaidSince = billing.PastDue, billed.AddDate(0, 0, -20) }), []string{"Pro s’est arrêté le 2\u00a0novembre 2026"}, "Prochain paiement", "keep portal", true},
		{"past due and cancelled", subscribed(func(s *billing.Subscription) { s.Status, s.UnpaidSince, s.CancelAt = billing.PastDue, billed, renews }), []string{">Échec du paiement<", "Fin de l’abonnement</dt><dd>15\u00a0décembre 2026 à\u00a09\u00a0h\u00a040\u00a0UTC"}, "Prochain paiement", "keep portal resume", false},
		{"cancelled while the provider is away", cancelling, []string{">Résiliation enregistrée<", "Vous avez résilié le 15\u00a0novembre 2026 à\u00a09\u00a0h\u00a040\u00a0UTC", "se mettra en sommeil"}, "Régler la facture", "keep portal resume", false},
		{"unpaid", replaceable, []string{">Impayé<", "Vous pouvez vous abonner de nouveau", `href="/compte/offre/commande"`}, "Prochain paiement", "keep portal", true},
		{"active, and never paid", subscribed(func(s *billing.Subscription) {
			s.EverPaid, s.Latest.State, s.Latest.Date = false, billing.InvoiceOpen, future
		}), []string{">Paiement en cours<"}, ">Actif<", "keep portal", true},
		{"active, and unpaid for days", subscribed(func(s *billing.Subscription) {
			s.Latest.State, s.Latest.Date = billing.InvoiceOpen, billed.AddDate(0, 0, -3)
		}), []string{">Impayé<", "La facture du 12\u00a0novembre 2026 n’est pas payée", "Pro s’arrête le 19\u00a0novembre 2026"}, ">Actif<", "portal", true},
		{"in a sandbox", tried, []string{"Mode test\u00a0: le prestataire de paiement est en bac à sable."}, "", "keep", false},
		{"paused", subscribed(func(s *billing.Subscription) { s.Status = billing.Paused }), []string{">Suspendu<"}, "Prochain paiement", "keep portal", true},
	} {
		p.on(tt.known, nil)
		page := p.get("/compte/offre")
		for _, text := range tt.says {
			if !page.Says(text) {
				t.Errorf("%s: the page does not say %q: %s", tt.name, text, page.Body)
			}
		}
		if tt.not != "" && page.Says(tt.not) {
			t.Errorf("%s: the page says %q", tt.name, tt.not)
		}
		testkit.Equal(t, tt.name+": what can be done", strings.Join(page.actions(), " "), tt.actions)
		testkit.Equal(t, tt.name+": can be cancelled", page.Says(`href="/compte/offre/resiliation"`), tt.cancels)
		if english := p.get("/en/account/plan"); !english.OK() {
			t.Errorf("%s, in English: %s", tt.name, english)
		}
	}
}

// A form is answered by a page of ours with a link to the provider's: nothing redirects there, and
// forms go nowhere else.
func TestPlan_LeadsToTheProvider(t *testing.T) {
	t.Parallel()
	p := newPayer(t)
	p.on(developer(), nil)
	link := func(page page, to string) {
		t.Helper()
		if !page.Says(`<a class="btn" href="`+to+`" rel="noopener">`) || page.Location != "" ||
			!strings.Contains(page.Header.Get("Content-Security-Policy"), "form-action 'self';") {
			t.Errorf("no page with a link to %s: %s", to, page.Body)
		}
	}
	page := p.submit(p.ordering(map[string]string{"pays": "FI", "postal": "00100"}), nil)
	link(page, "https://pay.example/c/cs_1")
	if !page.Says("Continuer vers le paiement") || !page.Says("124,25\u00a0€") {
		t.Errorf("the price is not said again: %s", page.Body)
	}
	ordered := developer()
	ordered.Waiting, ordered.Checkout, ordered.Test = true, &billing.Checkout{ExpiresAt: renews}, true
	p.on(ordered, nil)
	page = p.submit(p.get("/en/account/plan").form("checkout"), nil)
	link(page, "https://pay.example/c/cs_1")
	testkit.Equal(t, "that nothing is really paid is said", page.Says("Test mode: the payment provider is in a sandbox."), true)

	p.on(subscribed(nil), nil)
	link(p.submit(p.get("/compte/offre").form("portal"), nil), "https://pay.example/p/1")
}

// Whoever subscribes in a second tab, with a subscription already, is led to its invoices.
func TestPlan_SecondTab(t *testing.T) {
	t.Parallel()
	p := newPayer(t)
	p.on(developer(), nil)
	tab := p.ordering(whole())
	p.billing.subscribed = true
	p.billing.set(p.account, subscribed(nil), nil)
	page := p.submit(tab, nil)
	if !page.Says("Vous avez déjà un abonnement\u00a0: rien de plus à payer.") || !page.Says("https://pay.example/p/1") {
		t.Errorf("%s", page)
	}
}

// What the provider did not do is said on the page, which has all else as before.
func TestPlan_SaysProblems(t *testing.T) {
	t.Parallel()
	p := newPayer(t)
	for _, tt := range []struct {
		err    error
		status int
		says   [2]string // French, English
	}{
		{fmt.Errorf("asking: %w", billing.ErrUnavailable), 503, [2]string{"Le prestataire de paiement ne répond pas. Rien n’a été facturé", "The payment provider is not responding."}},
		{fmt.Errorf("asking: %w", billing.ErrRefused), 503, [2]string{"Le prestataire de paiement a refusé notre demande", "The payment provider refused our request"}},
		{billing.ErrBusy, 409, [2]string{"déjà en cours de vérification", "is already being checked"}},
		{billing.ErrWrongPrice, 503, [2]string{"Pro n’est pas en vente en ce moment", "Pro is not on sale at the moment"}},
		{billing.ErrNoOrder, 409, [2]string{"Aucune commande n’attend de paiement", "No order awaits payment"}},
		{billing.ErrOrdered, 409, [2]string{"Cette commande est déjà enregistrée", "This order has already been placed"}},
		{billing.ErrOrderOpen, 409, [2]string{"Une commande de ce compte attend déjà son paiement", "already awaits payment"}},
		{fmt.Errorf("texts: %w", billing.ErrNoTexts), 503, [2]string{"ne sont pas encore publiées", "are not published yet"}},
		{billing.ErrGiven, 409, [2]string{"vous a attribué Pro", "has assigned you Pro"}},
		{billing.ErrNotSubscribed, 409, [2]string{"n’a pas d’abonnement", "has no subscription"}},
	} {
		for i, at := range [][3]string{
			{"/compte/offre", "/compte/offre/resiliation", "/compte/offre/paiement"},
			{"/en/account/plan", "/en/account/plan/cancel", "/en/account/plan/payment"},
		} {
			waiting := developer()
			waiting.Waiting, waiting.Checkout = true, &billing.Checkout{ExpiresAt: renews}
			p.on(waiting, tt.err)
			answers := map[string]page{
				"order":    p.submit(p.submit(p.get(at[0]+[]string{"/commande", "/order"}[i]).form("total"), whole()).form("order"), nil),
				"checkout": p.submit(p.get(at[0]).form("checkout"), nil), "look": p.submit(p.get(at[2]+"?essai=1").form("look"), nil),
			}
			p.on(subscribed(nil), tt.err)
			answers["portal"] = p.submit(p.get(at[0]).form("portal"), nil)
			answers["cancel"] = p.submit(p.get(at[1]).form("cancel"), nil)
			p.on(subscribed(func(s *billing.Subscription) { s.CancelAt = renews }), tt.err)
			answers["resume"] = p.submit(p.get(at[0]).form("resume"), nil)
			for action, page := range answers {
				if page.Status != tt.status || !strings.Contains(page.Body, tt.says[i]) || len(page.actions()) == 0 {
					t.Errorf("%s after %v: %s", action, tt.err, page.Body)
				}
			}
		}
	}
	p = newPayer(t) // this one has asked as often as it may
	p.on(subscribed(nil), errors.New("the house is on fire"))
	if page := p.submit(p.get("/compte/offre").form("portal"), nil); page.Status != http.StatusInternalServerError || strings.Contains(page.Body, "fire") {
		t.Errorf("another error: %s", page)
	}
}

// Cancelling takes two clicks, says the day and what will sleep, and keeps the keys that were ticked.
func TestPlan_Cancel(t *testing.T) {
	t.Parallel()
	p := newPayer(t)
	p.on(developer(), nil)
	if page := p.get("/compte/offre/resiliation"); page.Location != "/compte/offre" {
		t.Errorf("nothing to cancel: %s", page)
	}
	p.on(subscribed(nil), nil)
	page := p.get("/compte/offre/resiliation")
	for _, text := range []string{"Vous gardez Pro jusqu’au 15\u00a0décembre 2026 à\u00a09\u00a0h\u00a040\u00a0UTC", "3 de vos 5 clés restent actives", "https://hooks.example.org/in", "1\u202f000 requêtes par jour"} {
		if !page.Says(text) {
			t.Errorf("the page does not say %q: %s", text, page.Body)
		}
	}
	form := page.form("cancel")
	form.fields["keep"] = []string{p.keys["alpha"], p.keys["beta"], p.keys["gamma"], p.keys["delta"]}
	if page := p.submit(form, nil); page.Status != http.StatusUnprocessableEntity || !strings.Contains(page.Body, "Cochez 3 clés au plus.") || len(page.form("cancel").fields["keep"]) != 4 {
		t.Errorf("four keys: %s", page.Body)
	}
	testkit.Equal(t, "verbs of a form that is wrong", len(p.billing.calls), 0)

	form.fields["keep"] = []string{p.keys["alpha"], p.keys["beta"]}
	if page := p.submit(form, nil); page.Location != "/compte/offre?fait=plan-cancelled" {
		t.Errorf("cancelling: %s", page)
	}
	testkit.Equal(t, "verbs", strings.Join(p.billing.calls, " "), "Cancel")
	// While the provider does not answer it is stored, and said.
	stored := subscribed(nil)
	p.on(stored, nil)
	form = p.get("/compte/offre/resiliation").form("cancel")
	stored.Cancelling = billed
	p.on(stored, nil)
	if page := p.submit(form, nil); page.Location != "/compte/offre?fait=plan-cancelling" {
		t.Errorf("cancelling while the provider is away: %s", page)
	}
	if page := p.get("/compte/offre/resiliation"); page.Location != "/compte/offre" {
		t.Errorf("cancelling again: %s", page)
	}
	// While a payment fails it ends at once, and no page promises Pro.
	failing := subscribed(func(s *billing.Subscription) { s.Status, s.UnpaidSince = billing.PastDue, billed })
	p.on(failing, nil)
	page = p.get("/compte/offre/resiliation")
	if !page.Says("rien n’a été payé pour la période en cours. L’abonnement prend fin tout de suite") || page.Says("Vous gardez Pro jusqu’au") {
		t.Errorf("cancelling while a payment fails: %s", page.Body)
	}
	ended := page.form("cancel")
	failing.Subscription.Status = billing.Canceled
	if page := p.submit(ended, nil); page.Location != "/compte/offre?fait=plan-ended" {
		t.Errorf("cancelling while a payment fails: %s", page)
	}
	// In the hour in which a renewal is a draft, it is said that it will be charged.
	p.on(subscribed(renewing), nil)
	if page := p.get("/compte/offre/resiliation"); !page.Says("Rien ne vous sera facturé ensuite. La facture de la période en cours est en préparation, et sera encore débitée.") {
		t.Errorf("cancelling after a renewal: %s", page.Body)
	}
	p.on(subscribed(func(s *billing.Subscription) { s.CancelAt = renews }), nil)
	page = p.get("/compte/offre")
	if kept := page.form("keep").fields["keep"]; len(kept) != 3 || !slices.Contains(kept, p.keys["alpha"]) || !slices.Contains(kept, p.keys["beta"]) {
		t.Errorf("the keys that were ticked do not stay: %v", kept)
	}
	if page := p.submit(page.form("resume"), nil); page.Location != "/compte/offre?fait=plan-resumed" {
		t.Errorf("undoing it: %s", page)
	}
}

// On Developer the owner chooses which keys sleep, and the page of keys says which do.
func TestPlan_ChoosesKeys(t *testing.T) {
	t.Parallel()
	p := newPayer(t)
	p.on(developer(), nil)
	asleep := func(name string) bool {
		t.Helper()
		page := p.get("/compte/cles")
		_, after, _ := strings.Cut(page.Body, "<b>"+name+"</b>")
		row, _, _ := strings.Cut(after, "</tr>")
		return strings.Contains(row, "en sommeil") && !strings.Contains(row, `value="rotate"`)
	}
	if page := p.get("/compte/cles"); !asleep("alpha") || asleep("epsilon") || !page.Says("2 clés sont en sommeil") || !page.Says("Créer une clé (3 sur 3)") {
		t.Errorf("after a downgrade: %s", page.Body)
	}
	form := p.get("/compte/offre").form("keep")
	form.fields["keep"] = []string{p.keys["alpha"], p.keys["beta"], p.keys["gamma"]}
	if page := p.follow(p.submit(form, nil)); !page.Says("Votre choix de clés est enregistré.") || asleep("alpha") || !asleep("epsilon") {
		t.Errorf("after a choice: %s", page.Body)
	}
	form.fields["keep"] = append(form.fields["keep"], p.keys["delta"])
	if page := p.submit(form, nil); page.Status != http.StatusUnprocessableEntity || asleep("alpha") || !asleep("delta") {
		t.Errorf("one too many: %s", page)
	}
	rotate := p.get("/compte/cles").form("rotate", p.keys["alpha"])
	if page := p.submit(rotate, map[string]string{"id": p.keys["epsilon"]}); page.Status != http.StatusUnprocessableEntity || !strings.Contains(page.Body, "en sommeil") {
		t.Errorf("rotating a key that sleeps: %s", page)
	}
}

// The page after a payment believes nothing that its address says, renews itself while the provider's
// word is awaited, and stops after some minutes.
func TestPayment(t *testing.T) {
	t.Parallel()
	p := newPayer(t)
	at := "/compte/offre/paiement"
	for _, query := range []string{"", "?session_id=cs_1&status=complete&pro=1", "?fait=plan-cancelled&essai=1"} {
		p.on(developer(), nil)
		if page := p.get(at + query); !page.Says("Aucun paiement n’est en attente") || page.Header.Get("Refresh") != "" {
			t.Errorf("%q is believed: %s", query, page)
		}
	}
	waiting := developer()
	waiting.Waiting = true
	p.on(waiting, nil)
	for query, refresh := range map[string]string{
		"": "3; url=" + at + "?essai=1", "?essai=39": "3; url=" + at + "?essai=40", "?essai=40": "", "?essai=-7": "3; url=" + at + "?essai=1",
		"?suivi=1": "", "?essai=x&session_id=cs_1": "3; url=" + at + "?essai=1",
	} {
		page := p.get(at + query)
		testkit.Equal(t, query, page.Header.Get("Refresh"), refresh)
		if strings.Contains(page.Body, "http-equiv") || !page.Says("payment.") {
			t.Errorf("%s: %s", query, page.Body)
		}
	}
	testkit.Equal(t, "who comes from the provider has it asked, and who renews the page has not", strings.Join(p.billing.calls, " "), "Refresh")
	p.on(waiting, billing.ErrUnavailable)
	if page := p.get(at); page.Header.Get("Refresh") == "" {
		t.Errorf("while the provider does not answer: %s", page)
	}
	p.on(waiting, nil)
	if page := p.get(at + "?essai=40"); page.Says("data-waiting") || !page.Says(`<p class="lede" data-slow role="status">`) {
		t.Errorf("after minutes: %s", page.Body)
	}
	if page := p.submit(p.get(at).form("look"), nil); page.Location != at+"?fait=payment-looked" {
		t.Errorf("looking again, in vain: %s", page)
	}
	testkit.Equal(t, "verbs", strings.Join(p.billing.calls, " "), "Refresh Refresh")
	look := p.get(at).form("look")
	p.on(subscribed(nil), nil)
	if page := p.submit(look, nil); page.Location != at || !p.get(at).Says("votre compte a l’offre Pro") || p.get(at).Header.Get("Refresh") != "" {
		t.Errorf("looking again: %s", page)
	}
}

// Whoever has the provider asked all the time is told to wait, and it is asked no more.
func TestPlan_AsksTheProviderSeldom(t *testing.T) {
	t.Parallel()
	p := newPayer(t)
	p.on(subscribed(nil), nil)
	form := p.get("/compte/offre").form("portal")
	for n := range 200 {
		if page := p.submit(form, nil); page.Status == http.StatusTooManyRequests {
			testkit.Equal(t, "times that the provider was asked", len(p.billing.calls), n)
			return
		}
	}
	t.Error("there is no limit")
}
