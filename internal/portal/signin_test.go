package portal_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// mail makes the mail that was asked for last, as the job does. Where the clock stands still, that is the one
// which still waits.
func (w *world) mail() (m account.SignInMail) {
	w.Helper()
	var id string
	testkit.Must(w, w.pool.QueryRow(w.Context(), `SELECT id::text FROM sign_ins ORDER BY created_at DESC, waiting DESC LIMIT 1`).Scan(&id))
	_, err := w.signIns.Mail(w.Context(), id, func(_ context.Context, mail account.SignInMail) error { m = mail; return nil })
	testkit.Must(w, err)
	return m
}

// ask asks for a sign-in mail.
func (b *browser) ask(email string) page {
	b.Helper()
	p := b.get("/compte/connexion")
	return b.submit(p.form("ask"), map[string]string{"email": email})
}

// in reports whether the browser is signed in.
func (b *browser) in() bool { b.Helper(); return b.get("/compte/cles").Status == http.StatusOK }

func TestSignIn_ByLinkAndByCode(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	asked := b.ask("Ada@Example.org")
	if !asked.Says("ada@example.org") || asked.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("after asking: %s", asked)
	}
	m := w.mail()
	link := "/compte/connexion/lien?jeton=" + m.Token

	// A program that follows links, presses buttons and has no cookie spends nothing.
	scanner := w.browser()
	scanner.send(http.MethodHead, link, nil, nil)
	// A person in another browser is told before the click.
	if p := scanner.get(link); p.Status != http.StatusOK || !p.Says("Un autre navigateur a demandé ce lien") || strings.Contains(p.Body, `value="enter"`) {
		t.Fatalf("the page of the link in another browser: %s", p)
	}
	if p := scanner.get("/en/account/sign-in/link?jeton=" + m.Token); !p.Says("requested in another browser") {
		t.Errorf("in English: %s", p)
	}
	enter := func() page {
		f := scanner.get("/compte/connexion").form("ask")
		f.action = "/compte/connexion/lien"
		return scanner.submit(f, map[string]string{"action": "enter", "link": m.Token})
	}
	if r := enter(); r.Status != http.StatusUnprocessableEntity || scanner.in() {
		t.Fatalf("another browser with the link: %s", r)
	}
	r := b.submit(b.get(link).form("enter"), nil)
	testkit.Equal(t, "after the link", r.Location, "/compte/cles")
	if !b.in() {
		t.Fatal("the link did not sign in")
	}
	if p := scanner.get(link); !strings.Contains(p.Body, `value="enter"`) {
		t.Errorf("the page of a link that was used says whose it was: %s", p)
	}
	if again := enter(); again.Status != http.StatusUnprocessableEntity {
		t.Errorf("the link once more: %s", again)
	}

	owner, err := w.db.Accounts.Find(t.Context(), account.Operator(), "ada@example.org")
	testkit.Must(t, err)
	done, err := w.o.Accounts.Activity(t.Context(), account.ByAccount(owner.ID), owner.ID, 10)
	testkit.Must(t, err)
	if len(done) != 2 || done[0].Action != account.SessionStarted || done[1].Action != account.AccountCreated {
		t.Errorf("the account's activity: %+v", done)
	}

	// By code, into the page that asked, and on to the page that was wanted.
	other := w.browser()
	wanted := other.get("/compte/webhooks")
	p := other.follow(wanted)
	p = other.submit(p.form("ask"), map[string]string{"email": "ada@example.org"})
	code := w.mail().Code
	if r := other.submit(p.form("code"), map[string]string{"code": "000 001"}); r.Status != http.StatusUnprocessableEntity || !strings.Contains(r.Body, `href="#code"`) {
		t.Errorf("a wrong code: %s", r)
	}
	// A slip costs no try: there are five.
	for _, slip := range []string{"", "12345", "1234567", "12a456", "123-456", "１２３４５６", code + "0", "plm_"} {
		r := other.submit(p.form("code"), map[string]string{"code": slip})
		if r.Status != http.StatusUnprocessableEntity || !strings.Contains(r.Body, "six chiffres. Cette tentative n") || !strings.Contains(r.Body, `href="#code"`) {
			t.Errorf("the code %q: %s", slip, r)
		}
	}
	r = other.submit(p.form("code"), map[string]string{"code": code[:3] + " " + code[3:]})
	testkit.Equal(t, "after the code", r.Location, "/compte/webhooks")
	if !other.in() {
		t.Fatal("the code did not sign in")
	}

	// Signing out ends the session for a copy of its cookie too.
	thief := w.browser()
	thief.client.Jar = other.client.Jar
	out := other.get("/compte/cles")
	copied := other.client.Jar.Cookies(mustURL(t, w.url))
	other.submit(out.form("sign-out"), nil)
	thief.client.Jar = jarOf(t, w.url, copied)
	if thief.in() {
		t.Error("a copy of the cookie outlived the session")
	}
}
