package portal_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/portal"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A cookie that we did not make is no reason to ask the database: while PostgreSQL is gone, whoever
// sends one is sent to sign in, as without any. One that we made is.
func TestCookie_InventedOnesAskNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.account("ada@example.org", account.Developer)
	ada := w.signedIn("ada@example.org")
	cookie := ada.session()
	own, sum, sealed := strings.Cut(cookie, ".")
	if !sealed || len(sum) < 20 {
		t.Fatalf("the cookie %q has no MAC", cookie)
	}
	w.way.Refuse()
	for how, value := range map[string]string{
		"as before there were MACs":  own,
		"with an empty MAC":          own + ".",
		"with a part of its MAC":     own + "." + sum[:len(sum)-4],
		"with another's MAC":         "A" + own[1:] + "." + sum,
		"with a MAC in another form": own + "." + sum + "==",
		"with nothing but a MAC":     "." + sum,
		"invented":                   strings.Repeat("A", 43) + "." + strings.Repeat("A", 22),
		"of 3 KB":                    strings.Repeat("A", 3000) + "." + strings.Repeat("A", 22),
	} {
		b := w.browser()
		b.plant(value)
		if p := b.get(keysPath); p.Status != http.StatusSeeOther || p.Location != "/compte/connexion?suite=%2Fcompte%2Fcles" {
			t.Errorf("a cookie %s: %s", how, p)
		}
		b.plant(value)
		if p := b.submit(form{action: keysPath, fields: map[string][]string{}}, nil); p.Status != http.StatusSeeOther || p.Location != "/compte/connexion" {
			t.Errorf("a form with a cookie %s: %s", how, p)
		}
		b.plant(value)
		if p := b.get("/compte/connexion"); !p.OK() {
			t.Errorf("signing in with a cookie %s: %s", how, p)
		}
	}
	if p := ada.get(keysPath); p.Status != http.StatusServiceUnavailable {
		t.Errorf("a cookie of ours: %s", p)
	}
}

// A cookie outlives a change of the secret while the one before is named, and no longer.
func TestCookie_UnderThePreviousSecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.account("ada@example.org", account.Developer)
	cookie := w.signedIn("ada@example.org").session()
	next := []byte("the-next-one-0123456789abcdef0123456789")
	for _, tt := range []struct {
		secret, previous []byte
		status           int
	}{
		{secret, nil, http.StatusOK},
		{next, secret, http.StatusOK},
		{next, nil, http.StatusSeeOther},
		{next, next, http.StatusSeeOther},
	} {
		o := w.o
		o.Secrets = testkit.Ring(t, string(tt.secret), string(tt.previous))
		pages, err := portal.New(o)
		testkit.Must(t, err)
		r := httptest.NewRequest(http.MethodGet, keysPath, nil)
		r.AddCookie(&http.Cookie{Name: sessionCookie, Value: cookie})
		got := httptest.NewRecorder()
		pages.ServeHTTP(got, r)
		if got.Code != tt.status || (got.Header().Get("Connection") == "close") != (tt.status != http.StatusOK) {
			t.Errorf("with the secret %.8s and %.8s before: %d, want %d", tt.secret, tt.previous, got.Code, tt.status)
		}
	}
}
