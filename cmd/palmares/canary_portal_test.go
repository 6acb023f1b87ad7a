package main

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/mail/mailbox"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A guest is somebody who has an account, and all that nobody else may learn of them.
type guest struct {
	t       *testing.T
	n       *server
	mail    *testkit.Mailbox
	secrets map[string]string // by what they are
	codes   []string          // of mails
}

// Addresses of a guest begin with this.
const guestEmail = "canari-"

// keep notes a secret.
func (g *guest) keep(what, secret string) string {
	g.t.Helper()
	if len(secret) < 7 {
		g.t.Fatalf("the %s is %q", what, secret)
	}
	g.secrets[fmt.Sprintf("%s, %d", what, len(g.secrets))] = secret
	return secret
}

// cookies notes the cookies of a browser.
func (g *guest) cookies(b *testkit.Browser) {
	g.t.Helper()
	for name, value := range b.Cookies {
		g.keep("cookie "+name, value)
	}
}

// browser is one of the guest's.
func (g *guest) browser(from string) *testkit.Browser {
	g.t.Helper()
	b := testkit.NewBrowser(g.t, g.n.public)
	b.From, b.Agent = from, "canary-agent"
	return b
}

// want wants a status, and gives the answer.
func (g *guest) want(what string, a testkit.Response, status int) testkit.Response {
	g.t.Helper()
	if a.Status != status {
		g.t.Fatalf("%s: %v, want %d", what, a, status)
	}
	return a
}

// ask asks for a sign-in mail.
func (g *guest) ask(b *testkit.Browser, email string) {
	g.t.Helper()
	b.Get("/compte/connexion")
	g.want("asking", b.Submit("/compte/connexion", "ask", map[string]string{"email": email}), http.StatusOK)
	g.cookies(b)
}

var mailedCode = regexp.MustCompile(`\b\d{3} \d{3}\b`)

// mailed reads the next mail to an address: the path and the token of its link, and its code.
func (g *guest) mailed(email, param string) (path, token, code string) {
	g.t.Helper()
	m := g.mail.Wait(g.t, email)
	if code = strings.ReplaceAll(mailedCode.FindString(m.Text), " ", ""); code != "" {
		g.codes = append(g.codes, code)
	}
	path, token = linkOf(m, param)
	return path, g.keep("token", token), code
}

// linkOf finds the link of a mail that has a parameter.
func linkOf(m mailbox.Message, param string) (path, token string) {
	for _, link := range m.Links {
		if before, after, ok := strings.Cut(link, "?"+param+"="); ok {
			return strings.TrimPrefix(before, "http://localhost:8080"), after
		}
	}
	return "", ""
}

// wrongCode is a code that is not the one.
func (g *guest) wrongCode(code string) string {
	wrong := "918273"
	if code == wrong {
		wrong = "918274"
	}
	g.codes = append(g.codes, wrong)
	return wrong
}

// absent fails the test if anything of the guest is in the text. Codes are looked for as words: the
// fraction of a second has as many digits.
func (g *guest) absent(where, text string) {
	g.t.Helper()
	absent(g.t, where, text, g.secrets)
	for _, code := range g.codes {
		for _, code := range []string{code, code[:3] + " " + code[3:]} {
			if found := regexp.MustCompile(`(?:^|[^0-9A-Za-z.])` + code + `(?:[^0-9A-Za-z]|$)`).FindStringIndex(text); found != nil {
				g.t.Errorf("%s: a code is there: …%q…", where, text[max(0, found[0]-200):min(len(text), found[1]+100)])
			}
		}
	}
}

// Somebody signs up on the pages, uses what there is, and meets refusals and outages. Nothing that
// belongs to them alone is then in logs, spans, metrics, jobs or Redis.
func TestCanary_PagesTellNothing(t *testing.T) {
	t.Parallel()
	pg, redis := pgtest.NewServer(t), redistest.NewServer(t)
	collector, spans := collectSpans(t)
	g := &guest{t: t, mail: testkit.NewMailbox(t), secrets: map[string]string{"e-mail": guestEmail, "IPv4": "203.0.113.77"}}
	relay := testkit.NewProxy(t, strings.TrimPrefix(g.mail.URL, "smtp://"))
	palmares(t, database(pg.URL()), "migrate")
	palmares(t, database(pg.URL()), "publish", fixtureCatalog)
	g.n = serve(t, pg.URL(), "PALMARES_REDIS_URL="+redis.URL(), "PALMARES_TRUSTED_PROXIES=127.0.0.1", "PALMARES_BASE_URL=http://localhost:8080",
		"PALMARES_SMTP_URL=smtp://"+relay.Addr, "PALMARES_MAIL_FROM=noreply@palmares.test",
		"PALMARES_LOG_LEVEL=debug", "PALMARES_TRACE_RATIO=1", "OTEL_EXPORTER_OTLP_ENDPOINT="+collector)
	g.n.ready()
	g.n.counts(1)

	b := g.browser("203.0.113.77")
	g.signUp(b, relay)
	g.useKey(b)
	g.meetRefusals(b)
	g.changeAddress(b, guestEmail+"jaune@oiseau.example", guestEmail+"vert@oiseau.example")
	other := g.browser("203.0.113.77")
	g.meetOutages(b, other, pg, redis)
	g.want("signing out", b.Submit("/compte/connexion", "sign-out", nil), http.StatusSeeOther)
	other.Get("/compte/reglages")
	g.want("deleting", other.Submit("/compte/reglages", "delete", map[string]string{"confirm": guestEmail + "vert@oiseau.example"}), http.StatusOK)
	g.mail.Wait(t, guestEmail+"vert@oiseau.example") // the last mail

	metrics := testkit.Get(t, g.n.admin+"/metrics").Body
	g.n.stop()
	g.n.wantLines()
	for where, text := range map[string]string{
		"the log": g.n.log.String(), "the spans": spans.String(), "the metrics": metrics, "the jobs": jobRows(t, pg.URL()),
		"Redis's append-only file": redisFiles(t, redis),
	} {
		g.absent(where, text)
		for _, trace := range map[string][]string{
			"the log": {
				`"path":"/compte/connexion/lien"`, `"path":"/compte/reglages/adresse"`, `"status":403`, `"status":422`, `"status":429`, `"status":503`,
				"a job failed; it is tried again", "203.0.113.0/24",
			},
			"the spans":   {"/compte/connexion/lien", "/compte/cles", "INSERT INTO sign_ins"},
			"the metrics": {`palmares_signin_total{outcome="signed in"} 2`, `palmares_signin_total{outcome="client limit"} 1`},
			"the jobs":    {"account_sign_in", `"error"`, account.MailChange{}.Kind(), account.MailDeletion{}.Kind()},
		}[where] {
			if !strings.Contains(text, trace) {
				t.Errorf("%s: no %s: the test does not test it", where, trace)
			}
		}
	}
}

// signUp asks for a mail while the relay is away, opens its link elsewhere and here, and mistypes the
// code.
func (g *guest) signUp(b *testkit.Browser, relay *testkit.Proxy) {
	g.t.Helper()
	const email = guestEmail + "jaune@oiseau.example"
	back := relay.Refuse()
	g.ask(b, email)
	g.n.await(0, "a job failed; it is tried again")
	back()
	path, token, code := g.mailed(email, "jeton")
	g.want("a wrong code", b.Submit("/compte/connexion", "code", map[string]string{"code": g.wrongCode(code), "email": email}), http.StatusUnprocessableEntity)
	stranger := g.browser("198.51.100.1")
	g.want("the link elsewhere", stranger.Get(path+"?jeton="+token), http.StatusOK)
	stranger.Get("/compte/connexion") // for a form: the page before has none
	g.want("the link sent from elsewhere", stranger.Submit(path, "enter", map[string]string{"link": token}), http.StatusUnprocessableEntity)
	g.cookies(stranger)
	g.want("the link", b.Get(path+"?jeton="+token), http.StatusOK)
	g.want("signing in", b.Submit(path, "enter", map[string]string{"link": token}), http.StatusSeeOther)
	g.cookies(b)
}

var (
	wholeKey = regexp.MustCompile(`plm_[0-9A-Za-z]{36}`)
	once     = regexp.MustCompile(`name="once" value="([^"]+)"`) // the form makes one key
)

// useKey makes a key and calls the API with it, from the page and by itself.
func (g *guest) useKey(b *testkit.Browser) {
	g.t.Helper()
	form := once.FindStringSubmatch(b.Get("/compte/cles").Body)
	if form == nil {
		g.t.Fatal("no form creates a key")
	}
	key := wholeKey.FindString(b.Submit("/compte/cles", "create", map[string]string{"name": "Ma clé", "once": form[1]}).Body)
	g.keep("key", key[min(10, len(key)):]) // its beginning is shown on purpose
	testkit.EventuallyTrue(g.t, "the key works", func() bool {
		return b.Submit("/compte/cles", "call", map[string]string{"key": key, "name": "Ma clé"}).Says("HTTP 200")
	})
	for _, header := range []http.Header{testkit.Bearer(key), nil} {
		r, err := testkit.Fetch(g.n.public+"/api/v1/stats", header)
		must(g.t, err)
		g.want("a call", r, http.StatusOK)
	}
	g.want("no key", b.Submit("/compte/cles", "call", map[string]string{"key": key[:30]}), http.StatusBadRequest)
}

// meetRefusals sends a form that is not ours, and asks for too many mails.
func (g *guest) meetRefusals(b *testkit.Browser) {
	g.t.Helper()
	g.want("a forged form", b.Submit("/compte/cles", "create", map[string]string{"jeton": "forged", "name": guestEmail + "x"}), http.StatusForbidden)
	g.want("no such page", b.Get("/compte/cles/nowhere"), http.StatusNotFound)
	flood := g.browser("198.51.100.2")
	for i := range 20 {
		g.ask(flood, fmt.Sprintf("%s%d@oiseau.example", guestEmail, i))
	}
	g.want("too many", flood.Submit("/compte/connexion", "ask", map[string]string{"email": guestEmail + "rouge@oiseau.example"}), http.StatusTooManyRequests)
}

// changeAddress changes the address of the account, which both mailboxes confirm.
func (g *guest) changeAddress(b *testkit.Browser, before, after string) {
	g.t.Helper()
	b.Get("/compte/reglages")
	g.want("asking for a change", b.Submit("/compte/reglages", "address", map[string]string{"email": after}), http.StatusSeeOther)
	for _, email := range []string{before, after} {
		path, token, _ := g.mailed(email, "token")
		g.want("the link of a change", b.Get(path+"?token="+token), http.StatusOK)
		g.want("confirming", b.Submit(path, "confirm", map[string]string{"link": token}), http.StatusOK)
	}
	if a := b.Get("/compte/reglages"); !a.Says(after) {
		g.t.Fatalf("after the change of address: %v", a)
	}
}

// meetOutages signs in by code in another browser, with PostgreSQL and Redis away in between.
func (g *guest) meetOutages(b, other *testkit.Browser, pg *pgtest.Server, redis *redistest.Server) {
	g.t.Helper()
	const email = guestEmail + "vert@oiseau.example"
	g.ask(other, email)
	path, token, code := g.mailed(email, "jeton")
	pg.Stop()
	g.want("keys, without PostgreSQL", b.Get("/compte/cles"), http.StatusServiceUnavailable)
	for action, fields := range map[string]map[string]string{"ask": {"email": email}, "code": {"code": code, "email": email}} {
		g.want(action+", without PostgreSQL", other.Submit("/compte/connexion", action, fields), http.StatusServiceUnavailable)
	}
	g.want("the link, without PostgreSQL", other.Submit(path, "enter", map[string]string{"link": token}), http.StatusServiceUnavailable)
	redis.Kill()
	g.want("asking, without either", other.Submit("/compte/connexion", "ask", map[string]string{"email": email}), http.StatusServiceUnavailable)
	pg.Start()
	redis.Start()
	testkit.EventuallyTrue(g.t, "account pages are back", func() bool { return b.Get("/compte/cles").OK() })
	testkit.EventuallyTrue(g.t, "the code signs in", func() bool {
		return other.Submit("/compte/connexion", "code", map[string]string{"code": code, "email": email}).Status == http.StatusSeeOther
	})
	g.cookies(other)
}

// jobRows are all jobs, with their arguments and errors.
func jobRows(t *testing.T, db string) (rows string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), db)
	must(t, err)
	defer conn.Close(t.Context())
	must(t, conn.QueryRow(t.Context(), `SELECT string_agg(j::text || ' ' || to_jsonb(j)::text, ' ') FROM river_job j`).Scan(&rows))
	return rows
}
