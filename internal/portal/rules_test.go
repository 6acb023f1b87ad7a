package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// After signing in, a browser goes to a page of the account and nowhere else, whatever the link that
// led to the form says.
func TestSignIn_GoesToAccountPagesOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.account("owner@example.org", account.Developer)
	const home = "/compte/cles"
	for next, want := range map[string]string{
		"/compte/utilisation":  "/compte/utilisation",
		"/en/account/webhooks": "/en/account/webhooks",

		"/compte/liste?outils=rabot,scie":     "/compte/liste?outils=rabot,scie",
		"/compte/liste?outils=scie,rabot":     home, // the list has one address
		"/compte/liste?outils=rabot&fait=x":   home,
		"/compte/liste?outils=//evil.example": home,
		"/compte/liste?":                      home,
		"/compte/cles?outils=rabot":           home,

		"":                                     home,
		"https://evil.example":                 home,
		"https://evil.example/compte/cles":     home,
		"//evil.example":                       home,
		"//evil.example/compte/cles":           home,
		"///evil.example/compte/cles":          home,
		`/\evil.example`:                       home,
		`\\evil.example/compte/cles`:           home,
		"/compte/cles@evil.example":            home,
		"/compte//evil.example":                home,
		"/compte/../../evil.example":           home,
		"/compte/cles/../../evil":              home,
		"javascript:alert(1)":                  home,
		" /compte/utilisation":                 home,
		"/compte/utilisation\r\nSet-Cookie: a": home,
		"/compte/utilisation?a=//evil.example": home,
		"/compte/utilisation#@evil.example":    home,
		"/outils":                              home, // a page, and not one of an account
		"/compte/connexion":                    home, // an account page that needs no account
	} {
		b := w.browser()
		page := b.get("/compte/connexion?suite=" + url.QueryEscape(next))
		if kept := page.form("ask").fields.Get("suite"); kept != "" && kept != want || kept == "" && want != home {
			t.Errorf("suite=%q: the form carries %q", next, kept)
		}
		token, err := w.signIns.Link(t.Context(), account.Operator(), "owner@example.org")
		testkit.Must(t, err)
		form := b.get("/compte/connexion/lien?jeton=" + token).form("enter")
		form.action += "?suite=" + url.QueryEscape(next)
		r := b.submit(form, map[string]string{"suite": next})
		if r.Status != http.StatusSeeOther || r.Header.Get("Location") != want {
			t.Errorf("suite=%q leads to %q, want %q", next, r.Header.Get("Location"), want)
		}
	}
}

// A form of 64 KB is read, a larger one is refused.
func TestForms_AreOf64KB(t *testing.T) {
	t.Parallel()
	b := newWorld(t).browser()
	form := b.get("/compte/connexion").form("ask")
	form.fields.Set("email", "not an address")
	form.fields.Set("filler", "")
	room := 64<<10 - len(form.fields.Encode())
	for more, want := range map[int]int{0: http.StatusUnprocessableEntity, 1: http.StatusRequestEntityTooLarge, 1 << 20: http.StatusRequestEntityTooLarge} {
		if r := b.submit(form, map[string]string{"filler": strings.Repeat("a", room+more)}); r.Status != want {
			t.Errorf("64 KB and %d bytes: %d, want %d", more, r.Status, want)
		}
	}
}

// All forms that have the payment provider asked share one limit, the one that cancels too.
func TestPlan_OneLimitForAllVerbs(t *testing.T) {
	t.Parallel()
	p := newPayer(t)
	p.on(subscribed(nil), nil)
	portal, cancel := p.get("/compte/offre").form("portal"), p.get("/compte/offre/resiliation").form("cancel")
	for n := 0; p.submit(portal, nil).Status != http.StatusTooManyRequests; n++ {
		if n > 200 {
			t.Fatal("there is no limit")
		}
	}
	asked := len(p.billing.calls)
	for range 2 {
		if r := p.submit(cancel, nil); r.Status != http.StatusTooManyRequests || len(r.actions()) == 0 {
			t.Errorf("cancelling: %d", r.Status)
		}
	}
	testkit.Equal(t, "times that the provider was asked", len(p.billing.calls), asked)
}
