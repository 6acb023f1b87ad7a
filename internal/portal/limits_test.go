package portal_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/portal"
	portalpage "github.com/palmares-hq/palmares/internal/portal/page"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// met counts which limits were met.
type met struct {
	mu     sync.Mutex
	counts map[string]int
}

func newMet() *met { return &met{counts: make(map[string]int)} }

// count has the pages count limits.
func (m *met) count(o *portal.Options) {
	o.Limited = func(limit string) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.counts[limit]++
	}
}

// of is how often a limit was met.
func (m *met) of(limit string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counts[limit]
}

// refused fails unless the page is a 429 that says when to come back, in words and in seconds.
func (p page) refused(what string, until time.Duration, words ...string) {
	p.t.Helper()
	p.says(what, http.StatusTooManyRequests, words...)
	if got, err := strconv.Atoi(p.Header.Get("Retry-After")); err != nil || time.Duration(got)*time.Second > until+time.Second || got < 1 {
		p.t.Errorf("%s: Retry-After is %q, want at most %v", what, p.Header.Get("Retry-After"), until)
	}
}

// Keys are created, rotated and revoked without an end: as many are made as KeyLimit allows, the page says when the
// next can be, and revoked keys do not make it long. With PALMARES_LONG=1 there are 50,000 of them, and the page
// is made in 100 ms.
func TestKeys_WithoutAnEnd(t *testing.T) {
	t.Parallel()
	met := newMet()
	w := newWorld(t, met.count)
	w.pass(0)
	ada := w.account("ada@example.org", account.Developer)
	b := w.signedIn("ada@example.org")
	_, _, err := w.o.Accounts.CreateKey(t.Context(), account.Operator(), ada.ID, "De l’opérateur") // which is not counted
	testkit.Must(t, err)
	made, most := 0, account.KeyLimit.Most
	var last page
	for i := range most + 10 {
		list := b.get(keysPath)
		if i%2 == 1 {
			last = b.submit(list.form("rotate"), map[string]string{"grace": "0"})
		} else {
			last = b.submit(list.form("create"), nil)
		}
		if wholeKey.MatchString(last.Body) {
			made++
		}
		if i%2 == 1 && last.OK() {
			b.submit(b.get(keysPath).form("revoke"), nil)
		}
	}
	testkit.Equal(t, "keys made", made, most)
	testkit.Equal(t, "keys stored", len(w.keys(ada)), most+1)
	testkit.Equal(t, "refusals", met.of("keys"), 10)
	end := w.clock().Add(24 * time.Hour).UTC()
	last.refused("one more", 24*time.Hour, fmt.Sprint(most, "\u00a0clés"), end.Format("04\u00a0min\u00a005\u00a0s\u00a0UTC"), `href="#grace-key_`)
	english := b.submit(b.get("/en/account/keys").form("create"), nil)
	english.refused("one more in English", 24*time.Hour, fmt.Sprint(most, " keys"), end.Format("15:04:05\u00a0UTC"))
	b.submit(b.get("/en/account/keys").form("rotate"), nil).refused("one more rotation", 24*time.Hour, fmt.Sprint(most, " keys"), `href="#grace-key_`)

	revoked := 1000
	if testkit.Long() {
		revoked = 50_000
	}
	_, err = w.pool.Exec(t.Context(), `
		INSERT INTO keys (id, account_id, slot, name, preview, hash, revoked_at)
		SELECT 'key_x' || lpad(i::text, 11, '0'), $1, 1, 'Ancienne ' || i, 'plm_abcd…', sha256(i::text::bytea), now() - interval '1 minute'
		FROM generate_series(1, $2::integer) i`, ada.ID, revoked)
	testkit.Must(t, err)
	for path, text := range map[string]string{keysPath: "Les 20 dernières clés révoquées", "/en/account/keys": "The last 20 revoked keys"} {
		var list page
		took := time.Hour // of the quickest
		for range 10 {
			started := time.Now()
			list = b.get(path)
			took = min(took, time.Since(started))
		}
		if rows := strings.Count(list.Body, "plm_"); rows > 30 || !list.Says(text) {
			t.Errorf("%s shows %d keys: %s", path, rows, list)
		}
		t.Logf("%s with %d revoked keys: %d bytes in %v", path, revoked, len(list.Body), took)
		if testkit.Long() && took > 100*time.Millisecond {
			t.Errorf("%s took %v, want at most 100 ms", path, took)
		}
	}
	b.get("/compte/utilisation").says("the page of usage", http.StatusOK)
}

// A session sends so many forms in an hour, whatever they do; the next is told when. It can still sign
// out, and other sessions of the account do not feel it.
func TestForms_AnHour(t *testing.T) {
	t.Parallel()
	met := newMet()
	w := newWorld(t, met.count)
	w.account("ada@example.org", account.Developer)
	b, other := w.signedIn("ada@example.org"), w.signedIn("ada@example.org")
	form := b.get("/compte/reglages").form("preferences")
	done, most := make(map[int]int), portalpage.FormLimit.Most
	for i := range most + 20 {
		usage := map[string]string{}
		if i%2 == 0 {
			usage["mail-usage"] = ""
		}
		done[b.submit(form, usage).Status]++
	}
	testkit.Equal(t, "answers", done, map[int]int{http.StatusSeeOther: most, http.StatusTooManyRequests: 20})
	testkit.Equal(t, "refusals", met.of("forms"), 20)
	soon := time.Now().Add(time.Hour).UTC().Format("15:") // unless the hour is just over
	b.submit(form, nil).refused("one more", time.Hour, fmt.Sprint(most, "\u00a0formulaires"), "\u00a0UTC")
	form.action = "/en/account/settings"
	b.submit(form, nil).refused("one more in English", time.Hour, fmt.Sprint(most, " forms"), soon)
	if p := b.get("/compte/reglages"); !p.OK() {
		t.Errorf("a page, after that: %s", p)
	}
	if p := other.submit(other.get("/compte/reglages").form("preferences"), nil); p.Status != http.StatusSeeOther {
		t.Errorf("another session: %s", p)
	}
	if p := b.submit(b.get("/compte/reglages").form("sign-out"), nil); p.Status != http.StatusSeeOther {
		t.Errorf("signing out: %s", p)
	}
}

// A stranger presses the buttons 60 times for a host that wants nothing: it gets ten challenges, its
// answers are not shown, and the page says when the next is possible.
func TestWebhooks_TestsWithoutAnEnd(t *testing.T) {
	t.Parallel()
	met := newMet()
	w := newWorld(t, met.count)
	w.pass(0)
	w.account("ada@example.org", account.Pro)
	b := w.signedIn("ada@example.org")
	receiver, _ := w.newReceiver()
	receiver.Answer(func([]byte) (int, string) { return http.StatusOK, "what nobody is to see" })
	path, _ := b.addEndpoint(receiver.URL)
	verify := b.get(path).form("verify")
	var last page
	for range 30 {
		last = b.submit(verify, nil)
		if p := b.submit(verify, map[string]string{"action": "test", "type": "price.changed"}); p.Status != http.StatusUnprocessableEntity {
			t.Fatalf("a sample: %s", p)
		}
		if strings.Contains(last.Body, "nobody is to see") {
			t.Fatalf("the answer is shown: %s", last)
		}
	}
	testkit.Equal(t, "requests", len(receiver.Requests()), 10)
	testkit.Equal(t, "refusals", met.of("host"), 20)
	end := w.clock().Add(time.Hour).UTC()
	last.refused("one more", time.Hour, "10\u00a0tests", end.Format("04\u00a0min\u00a005\u00a0s\u00a0UTC"), `href="#verifier"`)
	verify.action = strings.Replace(path, "/compte/", "/en/account/", 1)
	b.submit(verify, nil).refused("one more in English", time.Hour, "10 tests", end.Format("15:04:05\u00a0UTC"))
}
