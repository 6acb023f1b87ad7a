package portal_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/portal"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// copyOf is a browser with the cookies of another, at an address.
func (b *browser) copyOf(from string) *browser {
	b.Helper()
	other := b.browser()
	other.client.Jar, other.from = b.client.Jar, from
	return other
}

// A crowd is requests that run in the background.
type crowd struct {
	wg       sync.WaitGroup
	mu       sync.Mutex
	statuses map[int]int
}

func newCrowd() *crowd { return &crowd{statuses: make(map[int]int)} }

func (c *crowd) do(ask func() page) {
	c.wg.Go(func() {
		p := ask()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.statuses[p.Status]++
	})
}

// wait waits until all are answered.
func (c *crowd) wait() map[int]int { c.wg.Wait(); return c.statuses }

// refusals counts why requests were refused.
type refusals struct {
	mu    sync.Mutex
	count map[string]int
}

func (r *refusals) add(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count == nil {
		r.count = make(map[string]int)
	}
	r.count[why]++
}

func (r *refusals) all() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.count)
}

// inFlight waits until as many requests wait for engines, and for servers that are not ours.
func (w *world) inFlight(inside, outside int) {
	w.Helper()
	testkit.EventuallyTrue(w.T, fmt.Sprint(inside, " and ", outside, " are in flight"), func() bool {
		in, out := w.pages.InFlight()
		return in == inside && out == outside
	})
}

// crowded is the answer of a page that found too many others.
func crowded(p page, sentence string) bool {
	return p.Status == http.StatusServiceUnavailable && p.Header.Get("Retry-After") == "5" && strings.Contains(p.Body, sentence) &&
		p.Header.Get("Cache-Control") == "no-store" && strings.Contains(p.Body, "</html>")
}

// While PostgreSQL hangs, 64 requests wait for it, 8 of one address, and no more: others are told so at
// once. A form that has not come takes nobody's place, and neither does a cookie that somebody invented.
func TestAdmission_OfRequestsThatHang(t *testing.T) {
	t.Parallel()
	var refused refusals
	w := newWorld(t, func(o *portal.Options) { o.Patience, o.Refused = time.Hour, refused.add })
	w.account("ada@example.org", account.Developer)
	ada := w.signedIn("ada@example.org")
	end := w.way.ToServer(testkit.Fault{Stall: true})
	halfAForm(t, w, "192.0.2.1")
	all := newCrowd()
	for i := range 8 {
		one := ada.copyOf(fmt.Sprintf("192.0.2.%d", i+1))
		for range 8 {
			all.do(func() page { return one.get(keysPath) })
		}
		w.inFlight(8*(i+1), 0)
		if p := one.get(keysPath); !crowded(p, "Trop de demandes à la fois") {
			t.Errorf("the ninth of an address: %s", p)
		}
	}
	other := ada.copyOf("192.0.2.9")
	for path, sentence := range map[string]string{"/compte/cles": "Rechargez la page", "/en/account/keys": "Reload the page"} {
		if p := other.get(path); !crowded(p, sentence) {
			t.Errorf("%s as the 65th: %s", path, p)
		}
	}
	if p := other.submit(form{action: "/compte/connexion", fields: map[string][]string{"action": {"ask"}}}, nil); !crowded(p, "Rien n’a été fait") {
		t.Errorf("a form as the 65th: %s", p)
	}
	stranger := w.browser()
	stranger.plant("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA")
	if p := stranger.get(keysPath); p.Status != http.StatusSeeOther || p.Location != "/compte/connexion?suite=%2Fcompte%2Fcles" {
		t.Errorf("an invented cookie: %s", p)
	}
	testkit.Equal(t, "refused", refused.all(), map[string]int{"client": 8, "node": 3})
	end() // the connections are cut, and those who waited for one get another
	if got := all.wait(); got[http.StatusOK]+got[http.StatusServiceUnavailable] != 64 {
		t.Errorf("answers: %v", got)
	}
	w.inFlight(0, 0)
	testkit.EventuallyTrue(t, "the pages are back", ada.in)
}

// halfAForm sends a form whose rest never comes.
func halfAForm(t *testing.T, w *world, from string) {
	t.Helper()
	c, err := tls.Dial("tcp", mustURL(t, w.url).Host, &tls.Config{InsecureSkipVerify: true})
	testkit.Must(t, err)
	t.Cleanup(func() { _ = c.Close() })
	_, err = io.WriteString(c, "POST /compte/connexion HTTP/1.1\r\nHost: test\r\nX-Forwarded-For: "+from+
		"\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\naction=ask")
	testkit.Must(t, err)
}

// A request that PostgreSQL does not answer ends by itself, with a page that says so: one that reads, one
// that writes, one that has no session, and one of a mail program.
func TestAdmission_RequestsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *portal.Options) { o.Patience = 50 * time.Millisecond })
	ada := w.account("ada@example.org", account.Developer)
	var b *browser
	testkit.EventuallyTrue(t, "signed in within the little time there is", func() bool {
		b = w.browser()
		link, err := w.signIns.Link(t.Context(), account.Operator(), ada.Email)
		testkit.Must(t, err)
		return b.submit(b.get("/compte/connexion/lien?jeton="+link).form("enter"), nil).Status == http.StatusSeeOther
	})
	ask := w.browser()
	asks := ask.get("/compte/connexion").form("ask")
	end := w.way.ToServer(testkit.Fault{Stall: true})
	unsubscribe := form{action: "/compte/desabonnement?jeton=" + account.UnsubscribeToken(testkit.Ring(t, string(secret)), ada.ID), fields: map[string][]string{}}
	for what, p := range map[string]page{
		"a page": b.get(keysPath), "the plan": b.get("/compte/offre"), "a form": b.submit(form{action: keysPath, fields: map[string][]string{}}, nil),
		"a sign-in": ask.submit(asks, map[string]string{"email": "eve@example.org"}), "a mail program": w.browser().submit(unsubscribe, nil),
	} {
		if p.Status != http.StatusServiceUnavailable || p.Header.Get("Retry-After") == "" || !strings.Contains(p.Body, "Notre base de données ne répond pas.") {
			t.Errorf("%s while PostgreSQL hangs: %s", what, p)
		}
	}
	w.inFlight(0, 0)
	end()
}

// A request that waits for a receiver leaves its place to others, and an account has two of those at
// once. The page of a receiver that takes longer than PostgreSQL may is shown all the same.
func TestAdmission_WaitingForOthersServers(t *testing.T) {
	t.Parallel()
	var refused refusals
	w := newWorld(t, func(o *portal.Options) { o.Refused = refused.add })
	ada := w.account("ada@example.org", account.Pro)
	begun, answer := make(chan struct{}, 10), make(chan struct{})
	r := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		begun <- struct{}{}
		<-answer
		_, _ = io.WriteString(rw, "late")
	}))
	t.Cleanup(r.Close)
	release := sync.OnceFunc(func() { close(answer) })
	t.Cleanup(release)
	made, err := w.o.Endpoints.Create(t.Context(), account.ByAccount(ada.ID), ada.ID, webhook.Draft{URL: r.URL})
	testkit.Must(t, err)
	b := w.signedIn(ada.Email)
	verify := b.get("/compte/webhooks/" + made.ID).form("verify")
	all := newCrowd()
	for i := range 2 {
		all.do(func() page { return b.copyOf("192.0.2.1").submit(verify, nil) })
		<-begun
		w.inFlight(0, i+1)
	}
	if p := b.submit(verify, nil); !crowded(p, "Trop de demandes à la fois") {
		t.Errorf("the third of an account: %s", p)
	}
	if !b.in() {
		t.Error("another page waits as well")
	}
	testkit.Equal(t, "refused", refused.all(), map[string]int{"outside": 1})
	release()
	testkit.Equal(t, "answers", all.wait(), map[int]int{http.StatusUnprocessableEntity: 2})
	w.inFlight(0, 0)
}

// A form that does not come in time is refused, in words.
func TestAdmission_SlowForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	client, server := net.Pipe()
	testkit.Must(t, client.SetDeadline(time.Unix(1, 0)))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "/en/account/sign-in", client)
	testkit.Must(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	got := httptest.NewRecorder()
	w.pages.ServeHTTP(got, r)
	_ = server.Close()
	if got.Code != http.StatusRequestTimeout || !strings.Contains(got.Body.String(), "It took too long to reach us, and nothing was done.") {
		t.Errorf("a form that does not come: %d %s", got.Code, got.Body)
	}
}
