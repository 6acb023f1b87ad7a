package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/palmares-hq/palmares/internal/webhook"
)

const (
	owner       = "ada@example.org"
	anyEndpoint = "https://hooks.example.org/palmares"
)

// newHooks is the commands about webhooks, on a database of their own with a Pro
// account, and with deliveries to this machine allowed.
func newHooks(t *testing.T) *access {
	t.Helper()
	a := newAccess(t)
	a.environ = append(a.environ, "PALMARES_SECRET="+secret, "PALMARES_WEBHOOK_NETWORKS=127.0.0.0/8", "PALMARES_ADMIN_LISTEN=127.0.0.1:0")
	a.run("account", "create", owner, "--plan", "pro")
	return a
}

// endpoint creates an endpoint, and gives its id and its secret.
func (a *access) endpoint(url string, options ...string) (id, secret string) {
	a.Helper()
	out, errs := a.run(append([]string{"webhook", "create", owner, url}, options...)...)
	secret, alone := strings.CutSuffix(out, "\n")
	if _, err := webhook.ParseSecret(secret); err != nil || !alone {
		a.Fatalf("webhook create printed %q, which is not a secret alone: %v", out, err)
	}
	if strings.Contains(errs, "whsec_") {
		a.Errorf("the secret is on standard error too: %s", errs)
	}
	return regexp.MustCompile(`ep_[a-z2-7]{16}`).FindString(errs), secret
}

// says wants a command to say the text on standard error and print nothing else.
func (a *access) says(text string, args ...string) {
	a.Helper()
	if out, errs := a.run(args...); out != "" || !strings.Contains(errs, text) {
		a.Errorf("palmares %s: %q is not in %q; printed: %q", args, text, errs, out)
	}
}

// refuses wants a command to be refused for the reason.
func (a *access) refuses(text string, args ...string) {
	a.Helper()
	if errs := a.refused(args...); !strings.Contains(errs, text) {
		a.Errorf("palmares %s: %q is not in %q", args, text, errs)
	}
}

func (a *access) worker() {
	a.Helper()
	w := start(a.T, a.environ, "serve", "--roles", "worker")
	w.await(0, `"msg":"listening"`, 20*time.Second)
}

// What --json prints of endpoints and deliveries.
type (
	jsonEndpoint struct {
		ID           string    `json:"id"`
		URL          string    `json:"url"`
		Description  string    `json:"description"`
		State        string    `json:"state"`
		Reason       string    `json:"reason"`
		Types        []string  `json:"types"`
		Categories   []string  `json:"categories"`
		Cursor       int64     `json:"cursor"`
		VerifiedAt   *string   `json:"verified_at"`
		FailingSince *string   `json:"failing_since"`
		CreatedAt    time.Time `json:"created_at"`
	}
	jsonDelivery struct {
		ID       string        `json:"id"`
		Seq      int64         `json:"seq"`
		Type     string        `json:"type"`
		Slug     string        `json:"slug"`
		State    string        `json:"state"`
		Attempts int           `json:"attempts"`
		MadeAt   time.Time     `json:"made_at"`
		At       time.Time     `json:"attempted_at"`
		NextAt   string        `json:"next_at"`
		TookMS   *int64        `json:"took_ms"`
		Status   int           `json:"status"`
		Error    string        `json:"error"`
		Response string        `json:"response"`
		EndedAt  time.Time     `json:"ended_at"`
		Ended    string        `json:"ended"`
		History  []jsonAttempt `json:"history"`
	}
	jsonAttempt struct {
		At       time.Time `json:"at"`
		TookMS   *int64    `json:"took_ms"`
		Status   int       `json:"status"`
		Error    string    `json:"error"`
		Response string    `json:"response"`
	}
)

var endpointFields = []string{"id", "url", "description", "state", "reason", "types", "categories", "cursor", "verified_at", "failing_since", "created_at"}

func (a *access) shown(id string) jsonEndpoint {
	a.Helper()
	out, _ := a.run("webhook", "show", id, "--json")
	return value[jsonEndpoint](a.T, out, endpointFields...)
}

func (a *access) deliveries(id string, options ...string) []jsonDelivery {
	a.Helper()
	out, _ := a.run(append([]string{"webhook", "deliveries", id, "--json"}, options...)...)
	var list []jsonDelivery
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil {
		a.Fatalf("%v in %s", err, out)
	}
	return list
}

// A hook is a receiver that keeps what it was sent.
type hook struct {
	t      *testing.T
	url    string
	mu     sync.Mutex
	answer func(challenge string) (status int, body string)
	got    []hooked
}

type hooked struct {
	header http.Header
	body   []byte
}

func newHook(t *testing.T) *hook {
	t.Helper()
	h := &hook{t: t, answer: func(string) (int, string) { return http.StatusNoContent, "" }}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	h.url = server.URL + "/palmares"
	return h
}

// ServeHTTP implements http.Handler.
func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var event struct {
		Data struct {
			Challenge string `json:"challenge"`
		} `json:"data"`
	}
	if err == nil {
		err = json.Unmarshal(body, &event)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		h.t.Errorf("what arrived is no event: %v", err)
	}
	h.got = append(h.got, hooked{r.Header, body})
	status, answer := h.answer(event.Data.Challenge)
	w.WriteHeader(status)
	fmt.Fprint(w, answer)
}

func (h *hook) answers(answer func(challenge string) (int, string)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answer = answer
}

// await waits for so many requests and gives them all.
func (h *hook) await(n int) []hooked {
	h.t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		h.mu.Lock()
		got := slices.Clone(h.got)
		h.mu.Unlock()
		if len(got) >= n {
			return got
		}
		if time.Now().After(end) {
			h.t.Fatalf("%d requests arrived, want %d", len(got), n)
		}
	}
}

// signed wants the request to be signed with each of the secrets.
func (r hooked) signed(t *testing.T, secrets ...string) {
	t.Helper()
	for i, s := range secrets {
		v, err := standardwebhooks.NewWebhook(s)
		must(t, err)
		if err := v.Verify(r.body, r.header); err != nil {
			t.Errorf("secret %d: %v", i, err)
		}
	}
}

func TestWebhooks_AreOfProAccounts(t *testing.T) {
	t.Parallel()
	a := newHooks(t)
	a.run("account", "create", "bob@example.org")
	a.refuses("bob@example.org: webhooks are part of the Pro plan", "webhook", "create", "bob@example.org", anyEndpoint)
	a.refuses("eve@example.org: there is no such account", "webhook", "create", "eve@example.org", anyEndpoint)
	a.refuses("eve@example.org: there is no such account", "webhook", "list", "eve@example.org")
	a.says("ada@example.org has no endpoint yet: palmares webhook create ada@example.org URL", "webhook", "list", owner)
	if out, _ := a.run("webhook", "list", owner, "--json"); out != "[]\n" {
		t.Errorf("no endpoints as JSON: %q", out)
	}

	var ids []string
	for i := range 10 {
		id, _ := a.endpoint(fmt.Sprintf("%s/%d", anyEndpoint, i))
		ids = append(ids, id)
	}
	a.refuses("ada@example.org: the account has as many endpoints as its plan allows", "webhook", "create", owner, anyEndpoint)
	out, _ := a.run("webhook", "list", owner, "--json")
	list := value[[]jsonEndpoint](t, out, endpointFields...)
	for i, e := range list {
		if e.ID != ids[i] || e.State != "unverified" || e.Reason == "" || e.URL != fmt.Sprintf("%s/%d", anyEndpoint, i) {
			t.Errorf("endpoint %d: %+v", i, e)
		}
	}

	// One that is deleted makes room.
	a.says(ids[3]+" is deleted", "webhook", "delete", ids[3])
	a.refuses(ids[3]+": there is no such endpoint", "webhook", "delete", ids[3])
	a.endpoint(anyEndpoint)
	for _, verb := range []string{"show", "verify", "test", "enable", "disable", "rotate", "deliveries"} {
		a.refuses("ep_nothing: there is no such endpoint", "webhook", verb, "ep_nothing")
	}
	a.refuses("ep_nothing: there is no such endpoint", "webhook", "update", "ep_nothing", "--all-types")
	a.refuses("ep_nothing: there is no such endpoint", "webhook", "replay", "ep_nothing", "--from", "1", "--to", "2")
}

func TestWebhooks_AreActiveOnceTheyAnswer(t *testing.T) {
	t.Parallel()
	a, h := newHooks(t), newHook(t)
	id, secret := a.endpoint(h.url)
	a.refuses(id+" has not answered its challenge: palmares webhook verify "+id, "webhook", "enable", id)

	for _, wrong := range []struct {
		answer func(challenge string) (int, string)
		why    string
	}{
		{func(string) (int, string) { return http.StatusOK, "thanks" }, `did not answer its challenge: status 200 after `},
		{func(c string) (int, string) { return http.StatusInternalServerError, c }, `status 500`},
		{func(c string) (int, string) {
			return http.StatusOK, `{"type":"webhook.test","data":{"challenge":"` + c + `"}}`
		}, `did not answer`},
		{func(string) (int, string) { return http.StatusFound, "" }, "redirects are not followed"},
	} {
		h.answers(wrong.answer)
		a.refuses(wrong.why, "webhook", "verify", id)
	}
	// Disabling and enabling is no way round the challenge.
	a.run("webhook", "disable", id)
	a.refuses(id+" has not answered its challenge: palmares webhook verify "+id, "webhook", "enable", id)
	if e := a.shown(id); e.State != "unverified" || e.VerifiedAt != nil || e.Reason == "" {
		t.Errorf("it is %s: %s", e.State, e.Reason)
	}

	h.answers(func(c string) (int, string) { return http.StatusOK, c + "\n" })
	a.says(id+" answered and is active", "webhook", "verify", id)
	a.says(id+" is active already", "webhook", "verify", id)
	if e := a.shown(id); e.State != "active" || e.Reason != "" || e.VerifiedAt == nil {
		t.Errorf("it is %s: %s", e.State, e.Reason)
	}
	a.run("webhook", "disable", id)
	a.says(id+" hears of what is published from now on", "webhook", "enable", id) // it has answered once
	other, _ := a.endpoint(h.url)
	h.answers(func(c string) (int, string) { return http.StatusOK, `{"challenge":"` + c + `"}` })
	a.says(other+" answered and is active", "webhook", "verify", other)

	h.answers(func(string) (int, string) { return http.StatusAccepted, "got it" })
	a.says(`: status 202 after `, "webhook", "test", id)
	got := h.await(7)
	got[0].signed(t, secret)
	got[6].signed(t, secret)
	h.answers(func(string) (int, string) { return http.StatusTeapot, "short and stout" })
	a.refuses(`status 418`, "webhook", "test", id)

	// Both secrets sign after a rotation.
	h.answers(func(string) (int, string) { return http.StatusNoContent, "" })
	next, errs := a.run("webhook", "rotate", id)
	if !strings.Contains(errs, "the old secret of "+id+" signs too until ") || strings.Contains(errs, "whsec_") {
		t.Errorf("webhook rotate: %s", errs)
	}
	a.run("webhook", "test", id)
	h.await(9)[8].signed(t, strings.TrimSpace(next), secret)

	// A second rotation would cut off the secret that receivers still have.
	a.refuses("would cut off the secret that signs until ", "webhook", "rotate", id)
	a.run("webhook", "test", id)
	h.await(10)[9].signed(t, strings.TrimSpace(next), secret)
	last, errs := a.run("webhook", "rotate", id, "--force")
	if !strings.Contains(errs, "the one before the last signs no more") {
		t.Errorf("webhook rotate --force: %s", errs)
	}
	a.run("webhook", "test", id)
	forced := h.await(11)[10]
	forced.signed(t, strings.TrimSpace(last), strings.TrimSpace(next))
	if n := len(strings.Fields(forced.header.Get("webhook-signature"))); n != 2 {
		t.Errorf("%d signatures after a forced rotation", n)
	}

	// A sample of a type looks like a real event, and says that it is none.
	a.says(`: status 204 after `, "webhook", "test", id, "--type", "price.changed")
	sample := h.await(12)[11]
	sample.signed(t, strings.TrimSpace(last))
	if !regexp.MustCompile(`^\{"type":"price\.changed",.*"data":\{"test":true,.*"object":\{.*"price":"15 €/mois"\},"previous":\{.*"price":"12 €/mois"\}`).Match(sample.body) {
		t.Errorf("the sample: %s", sample.body)
	}
	a.says(id+" has no deliveries", "webhook", "deliveries", id)

	// A port where nobody is.
	nobody, _ := a.endpoint("http://127.0.0.1:1/")
	a.refuses("connection refused", "webhook", "verify", nobody)
}

func TestWebhooks_AreShownAndChanged(t *testing.T) {
	t.Parallel()
	a := newHooks(t)
	id, _ := a.endpoint(anyEndpoint, "--vouch", "--type", "tool.created", "--type", "price.changed", "--category", "redaction", "--description", "the site's")
	e := a.shown(id)
	if e.ID != id || e.URL != anyEndpoint || e.State != "active" || e.Reason != "" || e.Description != "the site's" ||
		!slices.Equal(e.Types, []string{"tool.created", "price.changed"}) || !slices.Equal(e.Categories, []string{"redaction"}) ||
		e.FailingSince != nil || time.Since(e.CreatedAt) > time.Minute {
		t.Errorf("%+v", e)
	}
	shown, _ := a.run("webhook", "show", id)
	for _, line := range []string{`id +` + id, `url +` + anyEndpoint, `description +the site's`, `state +active`, `types +tool\.created price\.changed`, `categories +redaction`, `heard of +events up to 0`} {
		if !regexp.MustCompile(`(?m)^` + line + `$`).MatchString(shown) {
			t.Errorf("%q is not in\n%s", line, shown)
		}
	}
	list, _ := a.run("webhook", "list", owner)
	if !regexp.MustCompile(`(?m)^ID +STATE +URL +TYPES +CATEGORIES\n` + id + ` +active +` + anyEndpoint + ` +tool\.created price\.changed +redaction$`).MatchString(list) {
		t.Errorf("the list:\n%s", list)
	}
	if strings.Contains(shown+list, "whsec_") {
		t.Error("a secret is shown")
	}

	// An update changes what is named, and nothing else.
	filters := func() string {
		t.Helper()
		e := a.shown(id)
		return fmt.Sprintf("%s%s %s", e.Types, e.Categories, e.Description)
	}
	for _, u := range []struct {
		want string
		args []string
	}{
		{"[tool.created price.changed][redaction] a name", []string{"--description", "a name"}},
		{"[tool.created price.changed][image code] a name", []string{"--category", "image", "--category", "code"}},
		{"[tool.created price.changed][] a name", []string{"--all-categories"}},
		{"[tool.retired][] a name", []string{"--type", "tool.retired"}},
		{"[][image] ", []string{"--all-types", "--category", "image", "--description", ""}},
	} {
		a.says(id+" is changed: types ", append([]string{"webhook", "update", id}, u.args...)...)
		if got := filters(); got != u.want {
			t.Errorf("after %q: %s, want %s", u.args, got, u.want)
		}
	}
	a.refuses("say what to change: ", "webhook", "update", id)

	// Before the first edition nobody knows the categories; then they are known.
	a.says("warning: nothing is published yet, so nobody knows whether there will be a category imge", "webhook", "update", id, "--category", "imge")
	a.run("publish", fixtureCatalog)
	const unknown = `"imge" is not a category of the current edition: allowed are code, chat, image, voix, vide`
	a.refuses(unknown, "webhook", "update", id, "--category", "image", "--category", "imge")
	a.refuses(unknown, "webhook", "create", owner, anyEndpoint, "--category", "imge")
	if got := filters(); got != "[][imge] " {
		t.Errorf("after updates that were refused: %s", got)
	}
	if _, errs := a.run("webhook", "update", id, "--category", "image"); strings.Contains(errs, "warning") {
		t.Errorf("a category that there is: %s", errs)
	}

	a.says(id+" hears of nothing more", "webhook", "disable", id, "--reason", "on holiday")
	if e := a.shown(id); e.State != "disabled" || e.Reason != "on holiday" {
		t.Errorf("%+v", e)
	}
	a.refuses("the endpoint is not active", "webhook", "replay", id, "--from", "1", "--to", "2")
	a.says(id+" hears of what is published from now on", "webhook", "enable", id)
	if e := a.shown(id); e.State != "active" || e.Reason != "" {
		t.Errorf("%+v", e)
	}
}

// An account that leaves Pro has its endpoints paused; back on Pro they hear of what is
// published from then on.
func TestWebhooks_FollowThePlan(t *testing.T) {
	t.Parallel()
	a, h := newHooks(t), newHook(t)
	id, _ := a.endpoint(h.url, "--vouch")
	off, _ := a.endpoint(h.url, "--vouch")
	a.run("webhook", "disable", off)
	a.worker()

	a.says("1 of its 2 webhook endpoints are paused", "account", "plan", owner, "developer")
	if e := a.shown(id); e.State != "paused" || !strings.Contains(e.Reason, "no longer on the Pro plan") {
		t.Errorf("%+v", e)
	}
	a.refuses("webhooks are part of the Pro plan", "webhook", "enable", id)
	a.refuses("webhooks are part of the Pro plan", "webhook", "enable", off)
	a.refuses("webhooks are part of the Pro plan", "webhook", "create", owner, anyEndpoint)
	content := copyOf(t, exampleCatalog)
	a.run("publish", content)

	a.run("account", "plan", owner, "pro")
	e := a.shown(id)
	if e.State != "active" || e.Reason != "" || e.Cursor == 0 {
		t.Errorf("%+v", e)
	}
	if e := a.shown(off); e.State != "disabled" {
		t.Errorf("what its owner disabled is %s", e.State)
	}
	tool := filepath.Join(content, "tools", "archivette.md")
	text, err := os.ReadFile(tool)
	must(t, err)
	must(t, os.WriteFile(tool, []byte(strings.Replace(string(text), "trente ans", "quarante ans", 1)), 0o600))
	a.run("publish", content)
	var event struct {
		Type string `json:"type"`
		Data struct {
			Seq int64 `json:"seq"`
		} `json:"data"`
	}
	if err := json.Unmarshal(h.await(1)[0].body, &event); err != nil || event.Type != "tool.updated" || event.Data.Seq <= e.Cursor {
		t.Errorf("%v: the first event since is %+v, the log ended at %d", err, event, e.Cursor)
	}
}
