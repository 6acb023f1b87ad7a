package portal_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/portal"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// Where nothing is sold the page says who sets plans. A service of payments without a provider is as
// good as none.
func TestPlan(t *testing.T) {
	t.Parallel()
	for _, d := range []*fakeBilling{nil, new(fakeBilling)} {
		w := newWorld(t, func(o *portal.Options) {
			o.Contact = "operator@example.org"
			if d != nil {
				withBilling(d)(o)
			}
		})
		a := w.account("ada@example.org", account.Pro)
		if d != nil {
			d.set(a, billing.Overview{CannotBuy: billing.ErrNoCheckout}, nil)
		}
		for _, name := range []string{"one", "two", "three", "four"} {
			_, _, err := w.o.Accounts.CreateKey(t.Context(), account.ByAccount(a.ID), a.ID, "key "+name)
			testkit.Must(t, err)
		}
		_, err := w.o.Endpoints.Create(t.Context(), account.Operator(), a.ID, webhook.Draft{URL: "https://hooks.example.org/in", Vouched: true})
		testkit.Must(t, err)
		b := w.signedIn("ada@example.org")
		p := b.get("/compte/offre")
		if !p.Says("l’offre Pro\u00a0: des requêtes sans limite, 10 clés et 10 webhooks") || !p.Says("mailto:operator@example.org") || p.Says("key four") {
			t.Errorf("on Pro: %s", p.Body)
		}

		// After a downgrade the page names what is beyond the plan.
		testkit.Must(t, w.o.Accounts.SetPlan(t.Context(), account.Operator(), a.ID, account.Developer))
		p = b.get("/en/account/plan")
		for _, text := range []string{
			"1,000 requests a day and 3 keys", "3 of your 4 keys are active, those that are ticked.", "key one", "key four",
			"This endpoint is suspended", "https://hooks.example.org/in", "Pro is not sold online yet",
		} {
			if !p.Says(text) {
				t.Errorf("after a downgrade the page does not say %q: %s", text, p.Body)
			}
		}
		if p.Says("€99 a month, plus the VAT") || p.Says(`value="checkout"`) {
			t.Errorf("something is for sale: %s", p.Body)
		}
	}
}
