package portal_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Whoever pays changes to whom invoices are made out, on a page of its own: what is wrong stands at its field and what was
// typed stays; what the provider does not do is said; and who has no customer has no such page.
func TestDetails(t *testing.T) {
	t.Parallel()
	s := newSeller(t)
	s.account("ada@example.org", account.Developer)
	b := s.signedIn("ada@example.org")
	at := "/compte/offre/facturation"
	has := func(p page, texts ...string) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(p.Body, text) })
	}
	testkit.Equal(t, "before an order", b.get(at).Location, "/compte/offre")
	b.pay(b.order())
	s.pass(0)
	if p := b.follow(b.submit(b.get("/compte/offre/paiement?essai=1").form("look"), nil)); !p.OK() {
		t.Fatal(p)
	}
	if p := b.get("/compte/offre"); !p.Says(`href="`+at+`"`) || !p.Says("Atelier Ada") || !p.Says("3 rue du Puits, 75011 Paris, France") {
		t.Errorf("the plan does not lead there: %s", p.Body)
	}
	p := b.get(at)
	for _, value := range []string{`value="Atelier Ada"`, `value="732829320"`, `value="75011"`, `value="ada@example.org"`, `<option value="FR" selected>`} {
		if !p.Says(value) {
			t.Errorf("no %s: %s", value, p.Body)
		}
	}
	for field, tt := range map[string][2]string{
		"nom": {" ", "Indiquez le nom"}, "pays": {"ZZ", "Choisissez un pays"}, "numero": {"", "Indiquez votre SIREN"}, "adresse": {"", "Indiquez votre adresse"},
		"postal": {"98000", "Pro n’est pas vendu sur ce territoire\u00a0: Monaco."}, "ville": {"", "Indiquez votre ville"},
		"facturation": {"ada", "Ce n’est pas une adresse"}, "reference": {strings.Repeat("9", 101), "Ce numéro est trop long"},
	} {
		again := b.submit(p.form("details"), map[string]string{field: tt[0]})
		if again.Status != http.StatusUnprocessableEntity || !has(again, `<a href="#`+field+`">`+tt[1], `id="fault-`+field+`"`) {
			t.Errorf("%s: %s", field, again)
		}
	}
	moved := map[string]string{
		"nom": "Werkstatt", "pays": "DE", "numero": "DE 123 456 789", "adresse": "Torstr. 1", "postal": "10115", "ville": "Berlin",
		"facturation": "rechnung@example.org", "reference": "PO-7",
	}
	s.stripe.Away(true)
	if p := b.submit(p.form("details"), moved); p.Status != http.StatusServiceUnavailable || !has(p, "Le prestataire de paiement ne répond pas", `value="Werkstatt"`) {
		t.Errorf("while the provider is away: %s", p)
	}
	s.stripe.Away(false)
	s.stripe.Refuse(http.StatusBadRequest, "invalid_request_error", "customer_tax_location_invalid")
	if p := b.submit(p.form("details"), moved); !has(p, `<a href="#postal">Notre prestataire de paiement ne reconnaît pas cette adresse`) {
		t.Errorf("a place that the provider does not know: %s", p)
	}
	s.stripe.Refuse(0, "", "")
	if p := b.follow(b.submit(p.form("details"), moved)); !p.Says("Vos coordonnées de facturation sont enregistrées") || !p.Says("DE123456789") {
		t.Errorf("changed: %s", p)
	}
	customer := s.stripe.Customers()[0]
	testkit.Equal(t, "at Stripe", []string{customer.Name, customer.Email, customer.Address.City}, []string{"Werkstatt", "rechnung@example.org", "Berlin"})
}
