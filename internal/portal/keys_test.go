package portal_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/portal"
	"github.com/palmares-hq/palmares/internal/portal/keys"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/web/wire"
)

const keysPath = "/compte/cles"

var wholeKey = regexp.MustCompile(`plm_[0-9A-Za-z]{36}`)

// newWorldWithAPI is a world whose pages have the JSON interface beside them, with keys from the
// database, a quota and the usage that the pages show.
func newWorldWithAPI(t *testing.T) *world {
	t.Helper()
	var handler http.Handler
	w := newWorld(t, func(o *portal.Options) {
		o.API = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) })
	})
	logger := slog.New(slog.DiscardHandler)
	keys := live.NewKeys(live.KeysOptions{
		Open:   func(ctx context.Context) (live.KeyFeed, error) { return w.db.Keys.Feed(ctx) },
		Touch:  w.db.Keys.Touch,
		Logger: logger, Now: w.clock,
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); keys.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ended })
	a, err := api.New(api.Options{
		Catalog: fixture{catalogtest.Fixture(t)}, Auth: api.NewKeyAuthenticator(keys), Now: w.clock,
		Meter: quota.New(quota.Options{Secret: secret, Logger: logger, Now: w.clock}), Usage: w.o.Usage.(*quota.Usage),
	})
	testkit.Must(t, err)
	handler = a
	return w
}

type fixture struct{ snapshot *catalog.Snapshot }

func (f fixture) Current() *catalog.Snapshot { return f.snapshot }

// call calls the API as the script of the page does, and returns the status and what is left of the
// quota.
func (w *world) call(key string) (status int, left string) {
	w.Helper()
	r := httptest.NewRequestWithContext(w.Context(), http.MethodGet, "/api/v1/tools?limit=3", http.NoBody)
	r.Header.Set("Authorization", "Bearer "+key)
	recorder := httptest.NewRecorder()
	web.NewObserver(web.ObserverOptions{}).Wrap(w.o.API).ServeHTTP(recorder, r)
	for name, values := range recorder.Header() { // whose names are as they are sent, not canonical
		if strings.EqualFold(name, "X-RateLimit-Remaining") {
			left = values[0]
		}
	}
	return recorder.Code, left
}

// create creates a key on the page and returns it.
func (b *browser) create(name string) (key string, shown page) {
	b.Helper()
	shown = b.submit(b.get(keysPath).form("create"), map[string]string{"name": name})
	if key = wholeKey.FindString(shown.Body); key == "" || !shown.OK() {
		b.Fatalf("creating a key: %s", shown)
	}
	return key, shown
}

// keys are those of an account.
func (w *world) keys(a account.Account) []account.KeyInfo {
	w.Helper()
	keys, err := w.o.Accounts.Keys(w.Context(), account.Operator(), a.ID)
	testkit.Must(w, err)
	return keys
}

func TestKeys_FirstCall(t *testing.T) {
	t.Parallel()
	w := newWorldWithAPI(t)
	ada := w.account("ada@example.org", account.Developer)
	b := w.signedIn("ada@example.org")
	form := b.get(keysPath).form("create")
	if form.fields.Get("name") != "Ma première clé" {
		t.Errorf("the form proposes %q", form.fields)
	}
	shown := b.submit(form, nil)
	key := wholeKey.FindString(shown.Body)
	for _, part := range []string{
		w.url + "/api/v1/tools?limit=3", "curl -i", "package main", "await fetch", "urlopen", "Oui, je l’ai copiée", `src="/static/portal.`,
	} {
		if key == "" || !shown.Says(part) {
			t.Errorf("the page of the new key lacks %q: %s", part, shown)
		}
	}

	// Sent again, the form makes no second key and shows none.
	again := b.submit(form, nil)
	if again.Status != http.StatusConflict || wholeKey.MatchString(again.Body) || len(w.keys(ada)) != 1 {
		t.Errorf("after a reload: %s", again)
	}

	// Without JavaScript the server makes the call, and it is charged; so is that of the script.
	called := b.submit(shown.form("call"), nil)
	for _, part := range []string{"HTTP 200", "X-RateLimit-Tier: free", "X-RateLimit-Remaining: 999", "ETag: ", "&#34;slug&#34;", key, "Ma première clé"} {
		if !called.Says(part) {
			t.Errorf("the call's answer lacks %q: %s", part, called.Body)
		}
	}
	if called.Header.Get("X-RateLimit-Remaining") != "" || called.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("the page took headers of the call: %v", called.Header)
	}
	_, left := w.call(key)
	testkit.Equal(t, "left after both", left, "998")
	if called = b.submit(called.form("call"), nil); !called.Says("X-RateLimit-Remaining: 997") {
		t.Errorf("the call once more: %s", called.Body)
	}
	testkit.Must(t, w.o.Usage.(*quota.Usage).Flush(t.Context()))
	if list := b.get(keysPath); !list.Says("30\u00a0jours\">3</td>") || !list.Says(">aujourd’hui</td>") || strings.Contains(list.Body, key) {
		t.Errorf("the list: %s", list.Body)
	}

	// A key that nobody has is refused by the API; what is no key, by the page.
	unknown := b.submit(shown.form("call"), map[string]string{"key": account.NewKey().Reveal()})
	if !unknown.Says("HTTP 401") {
		t.Errorf("a call with an unknown key: %s", unknown.Body)
	}
	if r := b.submit(shown.form("call"), map[string]string{"key": "plm_"}); r.Status != http.StatusBadRequest {
		t.Errorf("a call without a key: %s", r)
	}
	if r := b.submit(form, map[string]string{"once": "../../x"}); r.Status != http.StatusBadRequest {
		t.Errorf("a form that we did not make: %s", r)
	}
}

// On a connection of package wire, as nodes have them, the call's headers are not the page's.
func TestKeys_CallOnWire(t *testing.T) {
	t.Parallel()
	w := newWorldWithAPI(t)
	w.account("ada@example.org", account.Developer)
	b := w.signedIn("ada@example.org")
	_, shown := b.create("Production")
	pages, err := portal.New(w.o)
	testkit.Must(t, err)
	server := httptest.NewUnstartedServer(web.NewObserver(web.ObserverOptions{}).Wrap(pages))
	server.Listener = wire.NewListener(server.Listener)
	server.Config.ConnContext = wire.WithConn
	server.Start()
	t.Cleanup(server.Close)

	form := shown.form("call")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+form.action, strings.NewReader(form.fields.Encode()))
	testkit.Must(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for _, c := range b.client.Jar.Cookies(mustURL(t, w.url)) {
		r.AddCookie(c)
	}
	called, err := testkit.Do(server.Client(), r)
	testkit.Must(t, err)
	if !called.Says("X-RateLimit-Remaining: 999") || called.Header.Get("X-RateLimit-Remaining") != "" {
		t.Errorf("the call: %v %s", called.Header, called.Body)
	}
}

func TestKeys_WithoutAPIAndUsage(t *testing.T) {
	t.Parallel()
	for name, usage := range map[string]keys.UsageReader{"none": nil, "failing": failingUsage{}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(o *portal.Options) { o.Usage = usage })
			w.account("ada@example.org", account.Pro)
			b := w.signedIn("ada@example.org")
			key, shown := b.create("Production")
			if !shown.Says("L’API est servie ailleurs") || !shown.Says("Bearer "+key) {
				t.Errorf("the page of the key: %s", shown.Body)
			}
			if list := b.get(keysPath); !list.Says("n’est pas disponible") || !list.Says("Créer une clé (1 sur 10)") {
				t.Errorf("the list: %s", list.Body)
			}
		})
	}
}

type failingUsage struct{}

func (failingUsage) Read(context.Context, string) ([]quota.DayUsage, error) {
	return nil, errors.New("Redis is away")
}

func TestKeys_RenameRotateRevoke(t *testing.T) {
	t.Parallel()
	w := newWorldWithAPI(t)
	w.pass(0)
	ada := w.account("ada@example.org", account.Developer)
	b := w.signedIn("ada@example.org")
	old, _ := b.create("Production")
	id := w.keys(ada)[0].ID

	// A name that is none: summed up, linked to its field, and kept.
	list := b.get(keysPath)
	bad := b.submit(list.form("rename", id), map[string]string{"name": "a\u202eb"})
	if bad.Status != http.StatusUnprocessableEntity || !strings.Contains(bad.Body, `href="#name-`+id) ||
		!strings.Contains(bad.Body, "value=\"a\u202eb\"") {
		t.Errorf("a bad name: %s", bad.Body)
	}
	done := b.follow(b.submit(list.form("rename", id), map[string]string{"name": "Serveur <1>"}))
	if !done.Says("La clé est renommée.") || !done.Says("Serveur &lt;1&gt;") {
		t.Errorf("after renaming: %s", done.Body)
	}

	// Rotated with a grace, both work, and then one.
	rotation := done.form("rotate", id)
	testkit.Equal(t, "the proposed grace", rotation.fields.Get("grace"), "24")
	if r := b.submit(rotation, map[string]string{"grace": "5"}); r.Status != http.StatusUnprocessableEntity ||
		r.form("rotate", id).fields.Get("grace") != "24" {
		t.Errorf("a grace that there is not: %s", r)
	}
	shown := b.submit(rotation, map[string]string{"grace": "1"})
	key := wholeKey.FindString(shown.Body)
	if key == "" || key == old || !shown.Says("L’ancienne clé fonctionne jusqu’au") || !shown.Says("Serveur &lt;1&gt;") {
		t.Fatalf("after rotating: %s", shown.Body)
	}
	if again := b.submit(rotation, nil); again.Status != http.StatusConflict || wholeKey.MatchString(again.Body) {
		t.Errorf("rotating again: %s", again)
	}
	w.answers(map[string]int{old: 200, key: 200})
	if list = b.get(keysPath); !list.Says("renouvelée, s’arrête le") || !list.Says("Créer une clé (1 sur 3)") {
		t.Errorf("the list with a grace: %s", list.Body)
	}
	w.pass(time.Hour + time.Second)
	w.answers(map[string]int{old: 401, key: 200})
	if list = b.get(keysPath); list.Says("s’arrête le") || !list.Says("Une clé révoquée ces") {
		t.Errorf("the list after the grace: %s", list.Body)
	}

	next := w.keys(ada)[0].ID
	if done = b.follow(b.submit(list.form("revoke", next), nil)); !done.Says("La clé est révoquée.") || !done.Says("2 clés révoquées") {
		t.Errorf("after revoking: %s", done.Body)
	}
	testkit.Eventually(t, func() error {
		if got, _ := w.call(key); got != http.StatusUnauthorized {
			return fmt.Errorf("a revoked key gets %d", got)
		}
		return nil
	})
	w.pass(29 * 24 * time.Hour)
	if list = b.get(keysPath); !list.Says("2 clés révoquées") {
		t.Errorf("after 29 days: %s", list.Body)
	}
	_, err := w.pool.Exec(t.Context(), `UPDATE keys SET revoked_at = revoked_at - interval '1 day'`) // by the clock, the session would be over too
	testkit.Must(t, err)
	if list = b.get(keysPath); list.Says("révoquées") || !list.Says("Créer ma clé") {
		t.Errorf("after 30 days: %s", list.Body)
	}
}

// answers calls the API with keys and compares the statuses.
func (w *world) answers(want map[string]int) {
	w.Helper()
	for key, status := range want {
		if got, _ := w.call(key); got != status {
			w.Errorf("a call with %.8s…: %d, want %d", key, got, status)
		}
	}
}

func TestKeys_Limits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.account("ada@example.org", account.Developer)
	b := w.signedIn("ada@example.org")
	b.create("Une")
	b.create("Deux")
	stale := b.get(keysPath).form("create")
	b.create("Trois")
	full := b.get(keysPath)
	if !full.Says("les 3 clés que permet votre offre") || !full.Says(`href="/compte/offre"`) || strings.Contains(full.Body, `value="create"`) {
		t.Errorf("with all keys: %s", full.Body)
	}
	if r := b.submit(stale, nil); r.Status != http.StatusUnprocessableEntity || !strings.Contains(r.Body, `href="#keys"`) || len(w.keys(ada)) != 3 {
		t.Errorf("one more key: %s", r)
	}
	// As many old keys may be in their grace as the plan allows keys.
	for range 3 {
		b.submit(b.get(keysPath).form("rotate"), map[string]string{"grace": "168"})
	}
	if r := b.submit(b.get(keysPath).form("rotate"), map[string]string{"grace": "168"}); r.Status != http.StatusUnprocessableEntity ||
		!strings.Contains(r.Body, `href="#grace-key_`) || r.form("rotate").fields.Get("grace") != "168" {
		t.Errorf("a fourth grace: %s", r)
	}
	if r := b.submit(b.get(keysPath).form("rotate"), map[string]string{"grace": "0"}); !r.OK() || !wholeKey.MatchString(r.Body) {
		t.Errorf("rotating at once: %s", r)
	}
}

// A key that sleeps is shown as such: it can be renamed and revoked, not rotated, and takes no place.
func TestKeys_Asleep(t *testing.T) {
	t.Parallel()
	w := newWorldWithAPI(t)
	ada := w.account("ada@example.org", account.Pro)
	b := w.signedIn("ada@example.org")
	var keys []string
	for _, name := range []string{"Une", "Deux", "Trois", "Quatre", "Cinq"} {
		key, _ := b.create(name)
		keys = append(keys, key)
	}
	ids := w.keys(ada)
	stale := b.get(keysPath).form("rotate", ids[0].ID)
	testkit.Must(t, w.o.Accounts.PinKeys(t.Context(), account.ByAccount(ada.ID), ada.ID, []string{ids[1].ID, ids[2].ID, ids[3].ID}))
	testkit.Must(t, w.o.Accounts.SetPlan(t.Context(), account.Operator(), ada.ID, account.Developer))
	for lang, texts := range map[string][]string{
		keysPath:           {"2 clés sont en sommeil.", "3 clés actives", `href="/compte/offre"`, "Créer une clé (3 sur 3)"},
		"/en/account/keys": {"2 keys are dormant.", "3 active keys", `href="/en/account/plan"`, "Create a key (3 of 3)"},
	} {
		list := b.get(lang)
		for _, text := range texts {
			if !list.Says(text) {
				t.Errorf("%s lacks %q: %s", lang, text, list.Body)
			}
		}
	}
	list := b.get(keysPath)
	testkit.Equal(t, "keys marked", strings.Count(list.Body, `<span class="state wait">en sommeil</span>`), 2)
	testkit.Equal(t, "keys that can be rotated", strings.Count(list.Body, `value="rotate"`), 3)
	refused := b.submit(stale, nil)
	if refused.Status != http.StatusUnprocessableEntity || !strings.Contains(refused.Body, "Cette clé est en sommeil") || len(w.keys(ada)) != 5 {
		t.Errorf("rotating a key that fell asleep: %s", refused)
	}
	testkit.Eventually(t, func() error {
		if got, _ := w.call(keys[0]); got != http.StatusUnauthorized {
			return fmt.Errorf("a key that sleeps gets %d", got)
		}
		return nil
	})
	b.submit(list.form("revoke", ids[1].ID), nil)
	b.submit(list.form("revoke", ids[4].ID), nil)
	if list = b.get(keysPath); !list.Says("Une clé est en sommeil.") || !list.Says(`value="Clé 4"`) || !list.Says("Créer une clé (2 sur 3)") {
		t.Errorf("after revoking: %s", list.Body)
	}
	testkit.Must(t, w.o.Accounts.SetPlan(t.Context(), account.Operator(), ada.ID, account.Pro))
	if list = b.get(keysPath); list.Says("sommeil") {
		t.Errorf("after an upgrade: %s", list.Body)
	}
	settings := b.get("/compte/reglages")
	if !settings.Says("Clés actives choisies") || !settings.Says("Deux, Trois, Quatre") {
		t.Errorf("the log of actions: %s", settings.Body)
	}
}

// Forms of one account with the ids of another's keys find nothing and change nothing.
func TestKeys_OfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.account("ada@example.org", account.Developer)
	w.account("bob@example.org", account.Developer)
	a, b := w.signedIn("ada@example.org"), w.signedIn("bob@example.org")
	a.create("Ada")
	b.create("Bob")
	before := w.keys(ada)
	list := b.get(keysPath)
	for _, change := range []map[string]string{
		{"action": "rename", "name": "Mine"},
		{"action": "rename", "name": ""},
		{"action": "revoke"},
		{"action": "rotate", "grace": "24"},
		{"action": "rotate", "grace": "x"},
	} {
		form := list.form(change["action"])
		change["id"] = before[0].ID
		if r := b.submit(form, change); r.Status != http.StatusNotFound || strings.Contains(r.Body, before[0].Preview) {
			t.Errorf("%v: %s", change, r)
		}
	}
	testkit.Equal(t, "the other's keys", w.keys(ada), before)
}
