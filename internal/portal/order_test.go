package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// The total is that of a country which was chosen: none is before, and without a total there is no button.
func TestOrder_ShowsTheTotalFirst(t *testing.T) {
	t.Parallel()
	p := newPayer(t)
	p.on(developer(), nil)
	at := "/compte/offre/commande"
	first := p.get(at)
	if first.Says(" selected") || first.Says("Total TTC") || strings.Contains(strings.Join(first.actions(), " "), "order") {
		t.Errorf("there is a total already: %s", first.Body)
	}
	if !first.Says("dans les territoires suivants\u00a0: Monaco, les départements d’outre-mer") {
		t.Errorf("the places that nothing is sold to are not named: %s", first.Body)
	}
	for form, wants := range map[string][]string{
		"pays=FR&postal=75011":                      {"TVA à 20\u00a0%</dt><dd>19,80\u00a0€", "118,80\u00a0€", "taux du pays du vendeur", "taux normaux au 15\u00a0novembre 2026", `name="total" value="11880"`, "Durée indéterminée, par périodes d’un mois", `href="/conditions"`, "Commander avec obligation de paiement"},
		"pays=FR&postal=75011&numero=FR44732829320": {"TVA à 20\u00a0%</dt><dd>19,80\u00a0€"},
		"pays=FI&postal=00100":                      {"TVA à 25,5\u00a0%</dt><dd>25,25\u00a0€", "124,25\u00a0€", "taux normal de votre pays"},
		"pays=DE&numero=DE+123+456+789&nom=M%C3%BC": {"TVA (autoliquidation)</dt><dd>0\u00a0€", "<dd>99\u00a0€ <span", `<option value="DE" selected>`, `value="Mü"`},
		"pays=US&postal=10001":                      {"TVA</dt><dd>0\u00a0€", "Hors de l’Union européenne, nous ne facturons pas de TVA"},
	} {
		page := p.submit(first.form("total"), fields(t, form))
		for _, text := range wants {
			if !page.OK() || !page.Says(text) {
				t.Errorf("%s: the page does not say %q: %s", form, text, page.Body)
			}
		}
	}
	for form, says := range map[string]string{
		"pays=": `<a href="#pays">Choisissez un pays dans la liste.</a>`, "pays=ZZ": "#pays", "pays=%3Cb%3E": "#pays",
		"pays=US": `<a href="#postal">Indiquez votre code postal`, "pays=MC": "Pro n’est pas vendu sur ce territoire\u00a0: Monaco.",
		"pays=FR": `<a href="#postal">Indiquez votre code postal`, "pays=FR&postal=97400": "Pro n’est pas vendu sur ce territoire\u00a0: les départements d’outre-mer.",
		"pays=DE&numero=FR44732829320": `<a href="#numero">Ce n’est ni un SIREN`,
	} {
		page := p.submit(first.form("total"), fields(t, form))
		if page.Status != http.StatusUnprocessableEntity || !strings.Contains(page.Body, says) || strings.Contains(page.Body, "Total TTC") {
			t.Errorf("%s: %s", form, page)
		}
	}
	testkit.Equal(t, "verbs", len(p.billing.calls), 0)
}

// Each scheme of VAT says what it is, in each language.
func TestOrder_SchemesOfVAT(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		scheme     billing.Scheme
		form       string
		fr, en     string // the label
		frWhy, why string
	}{
		{billing.SmallSeller, "pays=HU", "TVA à 20\u00a0%</dt><dd>19,80\u00a0€", "VAT at 20%</dt><dd>€19.80", "C’est le taux du pays du vendeur\u00a0: il s’applique", "it applies to customers in other member states"},
		{billing.SmallSeller, "pays=HU&numero=HU12345678", "TVA (autoliquidation)", "VAT (reverse charge)", "S’il n’y figure pas, nous vous écrivons", "If it is not there we write to you"},
		{billing.Franchise, "pays=FR&postal=75011", "TVA non applicable</dt><dd>0\u00a0€", "VAT not applicable</dt><dd>€0", "TVA non applicable, art. 293\u00a0B du CGI", "article 293 B of the French tax code"},
		{billing.Franchise, "pays=HU", "TVA non applicable", "VAT not applicable", "franchise de TVA", "none is charged"},
		{billing.Franchise, "pays=DE&numero=DE123456789", "TVA (autoliquidation)", "VAT (reverse charge)", "Autoliquidation\u00a0: votre entreprise déclare elle-même la TVA dans son pays.</p>", "accounts for the VAT in its own country.</p>"},
	} {
		p := newPayer(t)
		p.billing.scheme = tt.scheme
		p.on(developer(), nil)
		for at, says := range map[string][]string{"/compte/offre/commande": {tt.fr, tt.frWhy}, "/en/account/plan/order": {tt.en, tt.why}} {
			page := p.submit(p.get(at).form("total"), fields(t, tt.form))
			for _, text := range says {
				if !page.OK() || !page.Says(text) {
					t.Errorf("%s, %s: the page does not say %q: %s", tt.scheme, tt.form, text, page.Body)
				}
			}
		}
	}
}

func fields(t *testing.T, form string) map[string]string {
	t.Helper()
	values, err := url.ParseQuery(form)
	testkit.Must(t, err)
	all := make(map[string]string)
	for name := range values {
		all[name] = values.Get(name)
	}
	return all
}

// Each box that is left out is refused with its text: by the form, by one that is sent again, and by a second
// tab. A whole form that is sent again, and a second tab, are told of the order that stands. The provider has
// one checkout.
func TestOrder_IsRefusedWithItsText(t *testing.T) {
	t.Parallel()
	s := newSeller(t)
	for i, l := range []struct {
		at, business, accepted, again, open, subscribed string
	}{
		{"/compte/offre/commande", "Cochez cette case\u00a0: nous ne vendons qu’aux professionnels.", "Cochez cette case\u00a0: sans votre accord", "Cette commande est déjà enregistrée", "Une commande de ce compte attend déjà son paiement.", "Vous avez déjà un abonnement"},
		{"/en/account/plan/order", "Tick this box: we sell to businesses only.", "Tick this box: there is no order unless", "This order has already been placed", "An order of this account already awaits payment.", "You already have a subscription"},
	} {
		email := []string{"ada@example.org", "bob@example.org"}[i]
		a := s.account(email, account.Developer)
		b := s.signedIn(email)
		tab := func() form {
			return b.submit(b.get(l.at).form("total"), whole()).form("order")
		}
		first, second := tab(), tab()
		lacking := func(what string, f form) {
			t.Helper()
			for field, says := range map[string]string{"activite": l.business, "conditions": l.accepted} {
				f := form{action: f.action, fields: url.Values(http.Header(f.fields).Clone())}
				f.fields.Del(field)
				p := b.submit(f, nil)
				if p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Body, `<a href="#`+field+`">`+says) || strings.Contains(p.Body, "rel=\"noopener\">Cont") {
					t.Errorf("%s without %s: %s", what, field, p.Body)
				}
			}
		}
		for name, value := range whole() { // what a browser ticks
			first.fields.Set(name, value)
			second.fields.Set(name, value)
		}
		lacking("the form", first)
		testkit.Equal(t, "checkouts", len(s.stripe.Checkouts()), i)
		checkout := b.linked(b.submit(first, nil))
		lacking("the form, sent again", first)
		lacking("a second tab", second)
		refused := func(f form, says string) {
			t.Helper()
			if p := b.submit(f, nil); p.Status != http.StatusConflict || !strings.Contains(p.Body, says) || b.linked(b.submit(p.form("checkout"), nil)) != checkout {
				t.Errorf("no %q: %s", says, p.Body)
			}
		}
		refused(first, l.again)
		refused(second, l.open)
		testkit.Equal(t, "checkouts", len(s.stripe.Checkouts()), i+1)
		b.pay(checkout)
		if _, err := s.billing.Refresh(t.Context(), account.ByAccount(a.ID), a.ID); err != nil {
			t.Fatal(err)
		}
		if p := b.submit(second, nil); !p.Says(l.subscribed) {
			t.Errorf("a second tab, once it is paid: %s", p.Body)
		}
		orders, err := s.billing.Orders(t.Context(), account.Operator(), a.ID)
		testkit.Must(t, err)
		testkit.Equal(t, "orders", len(orders), 1)
		testkit.Equal(t, "the language of its terms", string(orders[0].Terms.Language), []string{"fr", "en"}[i])
		if p := b.get(l.at); p.Location == "" {
			t.Errorf("whoever has Pro can order: %s", p.Body)
		}
	}
}

// What costs calls of the provider is bounded by account: orders share the limit of all other forms.
func TestOrder_AsksTheProviderSeldom(t *testing.T) {
	t.Parallel()
	p := newPayer(t)
	p.on(developer(), nil)
	order := p.ordering(whole())
	for n := range 200 {
		if page := p.submit(order, nil); page.Status == http.StatusTooManyRequests {
			testkit.Equal(t, "times that something was ordered", len(p.billing.calls), n)
			return
		}
	}
	t.Error("there is no limit")
}
