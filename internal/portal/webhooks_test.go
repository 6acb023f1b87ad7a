package portal_test

import (
	"context"
	"encoding/json"
	"html"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// publish appends price changes of invented tools to the log.
func (w *world) publish(n int) {
	w.Helper()
	_, err := w.pool.Exec(w.Context(), `
		WITH edition AS (
			INSERT INTO editions (number, published_at, last_seq)
			SELECT coalesce(max(number), 0) + 1, now(), coalesce(max(last_seq), 0) + $1 FROM editions RETURNING number, last_seq
		), entries AS (
			INSERT INTO events (seq, edition, type, slug, categories, object, previous)
			SELECT last_seq - $1 + i, number, 'price.changed', 'outil-' || last_seq - $1 + i, '{code}', '{"price":"24 €/mois"}', '{"price":"<b>27"}'
			FROM edition, generate_series(1, $1::bigint) i
		)
		INSERT INTO current_edition (number) SELECT number FROM edition
		ON CONFLICT (only_row) DO UPDATE SET number = excluded.number`, n)
	testkit.Must(w, err)
}

// worker starts a worker and returns what has it deliver all that is new or replayed.
func (w *world) worker() (deliver func()) {
	w.Helper()
	keyring := webhook.NewKeyring(testkit.Ring(w, string(secret)))
	sender := webhook.NewSender(webhook.SenderOptions{Agent: "test", Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	worker := webhook.NewWorker(webhook.WorkerOptions{
		Store: w.db.Webhooks, Sender: sender, Keyring: keyring, Logger: slog.New(slog.DiscardHandler), Now: w.clock,
	})
	cfg := &river.Config{
		Logger: slog.New(slog.DiscardHandler), Workers: river.NewWorkers(), Queues: make(map[string]river.QueueConfig),
		FetchPollInterval: 50 * time.Millisecond, FetchCooldown: 10 * time.Millisecond,
	}
	worker.AddJobs(cfg)
	client, err := w.db.Jobs(cfg)
	testkit.Must(w, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.Context()))
	testkit.Must(w, client.Start(ctx))
	w.Cleanup(func() {
		cancel()
		<-client.Stopped()
		worker.Wait()
		sender.Close()
	})
	none := func(sql string) bool {
		w.Helper()
		var found bool
		testkit.Must(w, w.pool.QueryRow(w.Context(), `SELECT EXISTS (`+sql+`)`).Scan(&found))
		return !found
	}
	return func() {
		w.Helper()
		testkit.EventuallyTrue(w.T, "all is delivered", func() bool {
			if !none(`SELECT FROM river_job WHERE kind = 'webhook_deliver' AND finalized_at IS NULL`) {
				return false
			}
			if none(`SELECT FROM endpoints WHERE state = 'active' AND cursor < (SELECT max(seq) FROM events)`) &&
				none(`SELECT FROM deliveries WHERE state = 'pending' AND attempts = 0`) {
				return true
			}
			testkit.Must(w, worker.Sweep(w.Context()))
			return false
		})
	}
}

// newReceiver is a receiver that answers challenges, and other messages with a status.
func (w *world) newReceiver() (r *testkit.Receiver, answers func(status int, response string)) {
	w.Helper()
	r = testkit.NewReceiver()
	w.Cleanup(r.Close)
	answers = func(status int, response string) {
		r.Answer(func(body []byte) (int, string) {
			var m struct{ Data struct{ Challenge string } }
			if json.Unmarshal(body, &m) == nil && m.Data.Challenge != "" {
				return http.StatusOK, m.Data.Challenge
			}
			return status, response
		})
	}
	answers(http.StatusOK, "")
	return r, answers
}

var (
	endpointPath = regexp.MustCompile(`/compte/webhooks/ep_[a-z0-9]+`)
	deliveryPath = regexp.MustCompile(`/compte/webhooks/ep_[a-z0-9]+/msg_[a-z0-9]+`)
	secretText   = regexp.MustCompile(`whsec_[A-Za-z0-9+/]+=*`)
)

// says fails unless the page has that status and all of these words.
func (p page) says(what string, status int, words ...string) page {
	p.t.Helper()
	if p.Status != status {
		p.t.Fatalf("%s: %s", what, p)
	}
	for _, word := range words {
		if !strings.Contains(p.Body, word) {
			p.t.Fatalf("%s does not say %q: %s", what, word, p)
		}
	}
	return p
}

// addEndpoint adds an endpoint, verified if the receiver answers, and returns its path.
func (b *browser) addEndpoint(to string) (path string, added page) {
	b.Helper()
	added = b.submit(b.get("/compte/webhooks").form("add"), map[string]string{"url": to, "description": "Essai <1>"})
	added.says("adding", http.StatusOK, "Essai &lt;1&gt;")
	return endpointPath.FindString(added.Body), added
}

// An endpoint that fails again and again is not shown as one that is well, nor is one that failed once as failing.
func TestWebhooks_Failing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.account("ada@example.org", account.Pro)
	b := w.signedIn("ada@example.org")
	receiver, answers := w.newReceiver()
	deliver := w.worker()
	path, _ := b.addEndpoint(receiver.URL)
	b.submit(b.get(path).form("verify"), nil)
	shows := func(what, mark string) {
		t.Helper()
		for _, at := range []string{path, "/compte/webhooks"} {
			b.get(at).says(what+", "+at, http.StatusOK, `class="state `+mark)
		}
	}
	answers(http.StatusServiceUnavailable, "later")
	w.publish(2)
	deliver()
	shows("two failures", `ok">Actif`)
	w.publish(1)
	deliver()
	shows("three failures", `bad">En échec`)
	answers(http.StatusOK, "")
	w.publish(1)
	deliver()
	shows("a success", `ok">Actif`)
}

func TestWebhooks_FromAddingToDeleting(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.account("ada@example.org", account.Pro)
	b := w.signedIn("ada@example.org")
	receiver, answers := w.newReceiver()
	deliver := w.worker()

	bad := b.submit(b.get("/compte/webhooks").form("add"), map[string]string{"url": "https://u:p@example.org/", "description": "keep me"})
	bad.says("a bad URL", http.StatusUnprocessableEntity, `href="#url"`, "https://u:p@example.org/", "keep me", `aria-invalid="true"`)

	path, added := b.addEndpoint(receiver.URL)
	first := secretText.FindString(html.UnescapeString(added.Body))
	if p := b.get(path); first == "" || secretText.MatchString(p.Body) {
		t.Fatalf("the secret is %q when added, and afterwards: %s", first, p)
	}

	// Of a receiver that does not answer the challenge its owner is told the class of the answer.
	receiver.Answer(func([]byte) (int, string) { return http.StatusTeapot, `{"no":"<tea>"}` })
	wrong := b.submit(b.get(path).form("verify"), nil).says("a wrong answer", http.StatusUnprocessableEntity, "4xx", `href="#essai"`)
	// Random ids and ports have these letters and digits, too.
	if strings.Contains(wrong.Body, ">418") || strings.Contains(wrong.Body, "418 ") || strings.Contains(wrong.Body, "tea&gt;") {
		t.Errorf("the answer of a host that did not consent is shown: %s", wrong.Body)
	}
	answers(http.StatusServiceUnavailable, "later")
	b.follow(b.submit(b.get(path).form("verify"), nil)).says("verified", http.StatusOK, `class="state ok">Actif`)

	// Filters.
	b.follow(b.submit(b.get(path).form("save"), map[string]string{"types": "price.changed", "description": "Prix"})).
		says("saved", http.StatusOK, `value="price.changed" checked`, `value="Prix"`)
	b.submit(b.get(path).form("save"), map[string]string{"types": "tool.eaten"}).says("no such type", http.StatusUnprocessableEntity, `href="#types"`)

	// A delivery that fails, and its replay.
	w.publish(1)
	deliver()
	list := b.get(path).says("a failure", http.StatusOK, "503, tentative 1 sur 10", "outil-1", "0 sur 1")
	delivery := deliveryPath.FindString(list.Body)
	b.get(delivery).says("its page", http.StatusOK, "503 Service Unavailable", "later", "Prochaine tentative dans", "webhook-timestamp",
		`<span class="k">&#34;previous&#34;</span>`, "&lt;b&gt;27")
	answers(http.StatusOK, "thanks")
	b.follow(b.submit(list.form("replay", delivery[strings.LastIndexByte(delivery, '/')+1:]), nil)).says("replayed", http.StatusOK, "même webhook-id")
	deliver()
	b.get(delivery).says("after the replay", http.StatusOK, "Tentative 1", "Tentative 2", "503 Service Unavailable", "200 OK", "thanks")

	// By filter.
	b.get(path+"?etat=delivered&type=price.changed").says("a filter that matches", http.StatusOK, delivery)
	if p := b.get(path + "?etat=exhausted"); strings.Contains(p.Body, delivery) {
		t.Errorf("a filter that does not match: %s", p)
	}

	// Older ones.
	w.publish(30)
	deliver()
	newest := b.get(path)
	older := regexp.MustCompile(`[^"]+avant=\d+`).FindString(newest.Body)
	testkit.Equal(t, "deliveries on both pages",
		[]int{rows(newest), rows(b.get(older))}, []int{25, 6})

	// Ranges, and what failed.
	b.submit(newest.form("replay-range", `id="from"`), map[string]string{"from": "30", "to": "x"}).
		says("a bad range", http.StatusUnprocessableEntity, `href="#to"`, `value="30"`)
	b.follow(b.submit(newest.form("replay-range", `id="from"`), map[string]string{"from": "30", "to": "31"})).
		says("a range", http.StatusOK, "2 livraisons sont rejouées")
	before := len(receiver.Requests())
	deliver()
	testkit.Equal(t, "requests of a replay", len(receiver.Requests())-before, 2)
	testkit.Must(t, w.exec(`UPDATE deliveries SET state = 'exhausted', ended_at = now() - interval '2 hours' WHERE seq IN (4, 5, 6)`))
	failed := func(since string) page {
		return b.follow(b.submit(b.get(path).form("replay-failed"), map[string]string{"since": since}))
	}
	failed("1h").says("nothing failed in an hour", http.StatusOK, "rien à rejouer")
	failed("24h").says("what failed", http.StatusOK, "3 livraisons sont rejouées")

	// Tests of each type, an hour apart: there are more types than one host is sent tests in an hour.
	for _, typ := range append(webhook.Types(), webhook.TestEvent) {
		testkit.Must(t, w.exec(`UPDATE limited_acts SET at = at - interval '1 hour'`))
		p := b.submit(b.get(path).form("test"), map[string]string{"type": string(typ)})
		p.says("a test", http.StatusOK, "200 OK", "Test "+string(typ))
	}
	last := receiver.Requests()
	testkit.Equal(t, "the last test", strings.Contains(string(last[len(last)-1].Body), "webhook.test"), true)

	// A new secret, and a second one.
	rotated := b.submit(b.get(path).form("rotate"), nil).says("rotated", http.StatusOK, "signe encore")
	second := secretText.FindString(html.UnescapeString(rotated.Body))
	if second == "" || second == first {
		t.Fatalf("the new secret is %q, the first was %q", second, first)
	}
	f := b.get(path).form("rotate")
	f.fields.Del("force")
	b.submit(f, nil).says("another rotation", http.StatusUnprocessableEntity, `href="#secret"`)
	forced := b.submit(b.get(path).form("rotate"), nil)
	if third := secretText.FindString(html.UnescapeString(forced.Body)); third == "" || third == second {
		t.Errorf("a forced rotation: %s", forced)
	}

	// A pause, with what is missed.
	deliver()
	b.follow(b.submit(b.get(path).form("pause"), nil)).says("paused", http.StatusOK, "En pause", "Vous l’avez mis en pause")
	w.publish(3)
	deliver()
	paused := b.get(path).says("while paused", http.StatusOK, "du n°\u00a032 au n°\u00a034")
	b.submit(paused.form("enable"), nil).says("enabled", http.StatusOK, "de nouveau actif", "du n°\u00a032 au n°\u00a034")
	missed := b.submit(b.get(path).form("replay-range"), map[string]string{"from": "32", "to": "34"})
	b.follow(missed).says("what was missed", http.StatusOK, "3 livraisons sont rejouées")

	b.follow(b.submit(b.get(path).form("delete"), nil)).says("deleted", http.StatusOK, "Le webhook est supprimé")
	b.get(path).says("after that", http.StatusNotFound)
}

// rows counts the deliveries that a page lists.
func rows(p page) int { return strings.Count(p.Body, `value="replay" `) }

// exec changes a table.
func (w *world) exec(sql string) error { _, err := w.pool.Exec(w.Context(), sql); return err }

// Nothing of an endpoint is there for another account: not by its paths, and not by the forms of
// its owner.
func TestWebhooks_AnotherAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.account("ada@example.org", account.Pro)
	w.account("eve@example.org", account.Pro)
	ada, eve := w.signedIn("ada@example.org"), w.signedIn("eve@example.org")
	receiver, _ := w.newReceiver()
	deliver := w.worker()
	path, _ := ada.addEndpoint(receiver.URL)
	ada.submit(ada.get(path).form("verify"), nil)
	w.publish(1)
	deliver()
	active := ada.get(path)
	delivery := deliveryPath.FindString(active.Body)
	own, _ := eve.addEndpoint(receiver.URL + "/eve")
	token := eve.get(own).form("delete").fields.Get("jeton")

	english := strings.NewReplacer("/compte/", "/en/account/")
	strays := []string{path, delivery, own + delivery[strings.LastIndexByte(delivery, '/'):]}
	for _, p := range strays {
		eve.get(p).says(p, http.StatusNotFound)
		eve.get(english.Replace(p)).says(p, http.StatusNotFound)
	}
	state := func() string {
		var text string
		testkit.Must(t, w.pool.QueryRow(t.Context(), `
			SELECT jsonb_agg(to_jsonb(e))::text || (SELECT jsonb_agg(to_jsonb(d))::text FROM deliveries d)
			FROM endpoints e WHERE id = $1`, path[strings.LastIndexByte(path, '/')+1:]).Scan(&text))
		return text
	}
	tried := make(map[string]bool)
	try := func(pages ...page) {
		t.Helper()
		was, requests := state(), len(receiver.Requests())
		send := func(to, action string, fields url.Values) {
			fields = maps.Clone(fields)
			for name, value := range map[string]string{"jeton": token, "action": action, "from": "1", "to": "1", "since": "30d"} {
				fields.Set(name, value)
			}
			for _, to := range []string{to, english.Replace(to)} {
				r := eve.send(http.MethodPost, to, fields, http.Header{"Sec-Fetch-Site": {"same-origin"}})
				r.says(action+" at "+to, http.StatusNotFound)
			}
			tried[action] = true
		}
		for _, p := range pages {
			for _, f := range p.forms {
				for _, action := range f.actions {
					if action != "sign-out" {
						send(f.action, action, f.fields)
					}
				}
			}
		}
		send(path, "verify", url.Values{})
		testkit.Equal(t, "the endpoint", state(), was)
		testkit.Equal(t, "requests", len(receiver.Requests()), requests)
	}
	try(active, ada.get(delivery))
	ada.submit(active.form("pause"), nil)
	try(ada.get(path))
	testkit.Equal(t, "forms", slices.Sorted(maps.Keys(tried)), []string{
		"delete", "enable", "pause", "replay", "replay-failed", "replay-range", "rotate", "save", "test", "verify",
	})
}

// A Developer sees what it would be, and no form.
func TestWebhooks_OfADeveloper(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.now = time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	w.account("dev@example.org", account.Developer)
	b := w.signedIn("dev@example.org")
	p := b.get("/compte/webhooks").says("the page", http.StatusOK, `href="/compte/offre"`, "exemple-atelier", "2026-11-15T09:00:00Z")
	for _, typ := range webhook.Types() {
		p.says("the catalog", http.StatusOK, "<code>"+string(typ)+"</code>")
		b.get("/en/account/webhooks?type="+string(typ)).says("an example", http.StatusOK, "&#34;"+string(typ)+"&#34;")
	}
	for _, f := range p.forms {
		if !slices.Contains(f.actions, "sign-out") && !strings.Contains(f.markup, `role="search"`) {
			t.Errorf("there is a form: %s", f.markup)
		}
	}
	f := url.Values{"jeton": {p.form("sign-out").fields.Get("jeton")}, "action": {"add"}, "url": {"https://hooks.example.org/"}}
	b.send(http.MethodPost, "/compte/webhooks", f, http.Header{"Sec-Fetch-Site": {"same-origin"}}).
		says("adding", http.StatusUnprocessableEntity, "font partie de l’offre Pro")
}
