package portal_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/portal"
	"github.com/palmares-hq/palmares/internal/testkit"
)

const sessionCookie = "__Host-session"

// session is the value of the session's cookie, "" without one.
func (b *browser) session() string {
	b.Helper()
	for _, c := range b.client.Jar.Cookies(mustURL(b.T, b.url)) {
		if c.Name == sessionCookie {
			return c.Value
		}
	}
	return ""
}

// token is the part of a session's cookie that the session is known by.
func token(cookie string) string { t, _, _ := strings.Cut(cookie, "."); return t }

// plant gives the browser a session's cookie, as whoever can write its cookies would.
func (b *browser) plant(value string) {
	b.Helper()
	b.client.Jar.SetCookies(mustURL(b.T, b.url), []*http.Cookie{{Name: sessionCookie, Value: value, Path: "/", Secure: true, HttpOnly: true}})
}

// holds reports whether a session's cookie signs in by itself.
func (w *world) holds(cookie string) bool {
	w.Helper()
	b := w.browser()
	b.plant(cookie)
	return b.in()
}

// A session's cookie that was there before the sign-in is not the one after it, whoever made it, and
// signs nobody in.
func TestSession_IsNotFixed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.account("mallory@example.org", account.Developer)
	mallory := w.signedIn("mallory@example.org")
	ended := mallory.session()
	mallory.submit(mallory.get(keysPath).form("sign-out"), nil)
	for how, cookie := range map[string]string{"made up": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "of an ended session": ended} {
		b := w.browser()
		b.plant(cookie)
		if b.in() {
			t.Fatalf("a cookie %s signs in", how)
		}
		b.plant(cookie) // the answer has dropped it
		b.ask("ada@example.org")
		link := b.get("/compte/connexion/lien?jeton=" + w.mail().Token)
		b.plant(cookie)
		if r := b.submit(link.form("enter"), nil); r.Status != http.StatusSeeOther || !b.in() {
			t.Fatalf("signing in with a cookie %s: %s", how, r)
		}
		if b.session() == cookie || w.holds(cookie) {
			t.Errorf("the cookie %s became that of the session", how)
		}
	}
}

// Whoever signs in anew gets a new cookie, and the one before is worth nothing.
func TestSession_EndsWithTheNextSignIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, next := range []string{"ada@example.org", "bob@example.org"} {
		w.account(next, account.Developer)
		b := w.signedIn("ada@example.org")
		before := b.session()
		token, err := w.signIns.Link(t.Context(), account.Operator(), next)
		testkit.Must(t, err)
		form := b.get(keysPath).form("sign-out") // it has the token of the session
		form.action = "/compte/connexion/lien"
		if r := b.submit(form, map[string]string{"action": "enter", "link": token}); r.Status != http.StatusSeeOther {
			t.Fatalf("signing in as %s in a session: %s", next, r)
		}
		if !b.in() || !b.get(keysPath).Says(next) {
			t.Errorf("nobody is signed in as %s", next)
		}
		if b.session() == before || w.holds(before) {
			t.Errorf("the cookie from before the sign-in as %s still works", next)
		}
	}
}

// A session that its owner ends elsewhere is refused with the next request, forms included. One that
// nobody ends lasts 30 days.
func TestSession_EndsWhenItIsEndedOrOld(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.account("ada@example.org", account.Developer)
	by := account.ByAccount(ada.ID)
	stolen, kept := w.signedIn(ada.Email), w.signedIn(ada.Email)
	create := stolen.get(keysPath).form("create")
	sessions, err := w.db.Accounts.Sessions(t.Context(), by, ada.ID, w.clock())
	testkit.Must(t, err)
	testkit.Equal(t, "sessions", len(sessions), 2)
	for _, s := range sessions {
		if s.Is(token(stolen.session())) {
			testkit.Must(t, w.db.Accounts.EndSession(t.Context(), by, s.ID, w.clock()))
		}
	}
	if r := stolen.submit(create, nil); r.Status != http.StatusSeeOther || len(w.keys(ada)) != 0 {
		t.Errorf("a form of an ended session: %s, and %d keys", r, len(w.keys(ada)))
	}
	if stolen.in() || !kept.in() {
		t.Error("the wrong session was ended")
	}
	cookie := kept.session()
	w.pass(portal.SessionLifetime - time.Hour)
	if !w.holds(cookie) {
		t.Error("a session ended early")
	}
	w.pass(2 * time.Hour)
	if w.holds(cookie) {
		t.Error("a session outlived its 30 days")
	}
}

// A link that is redeemed 50 times at once, all with the cookie of the browser that asked, makes one
// session.
func TestSession_OnePerLink(t *testing.T) {
	t.Parallel()
	const at = 50
	w := newWorld(t, func(o *portal.Options) { o.Patience = time.Hour })
	b := w.browser()
	b.ask("ada@example.org")
	form := b.get("/compte/connexion/lien?jeton=" + w.mail().Token).form("enter")
	cookies := b.client.Jar.Cookies(mustURL(t, w.url))
	var wg sync.WaitGroup
	var mu sync.Mutex
	begin, statuses := make(chan struct{}), make(map[int]int)
	for i := range at {
		other := w.browser()
		other.from = fmt.Sprintf("192.0.2.%d", i)
		other.client.Jar = jarOf(t, w.url, cookies)
		wg.Go(func() {
			<-begin
			p := other.submit(form, nil)
			mu.Lock()
			defer mu.Unlock()
			statuses[p.Status]++
		})
	}
	close(begin)
	wg.Wait()
	testkit.Equal(t, "answers", statuses, map[int]int{http.StatusSeeOther: 1, http.StatusUnprocessableEntity: at - 1})
	testkit.Equal(t, "sessions", w.strings(`SELECT count(*)::text FROM sessions`), []string{"1"})
	testkit.Equal(t, "accounts", w.strings(`SELECT count(*)::text FROM accounts`), []string{"1"})
}
