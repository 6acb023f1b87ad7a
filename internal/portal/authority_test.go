package portal_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/portal"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// A fullAccount is an account with something of everything, and all pages and forms that it is shown.
type fullAccount struct {
	*browser
	account account.Account
	ids     []string // of its keys, endpoints, deliveries and sessions
	pages   []string // paths
	forms   []form
}

// newFullAccount makes an account, signs it in and goes through its pages.
func newFullAccount(w *seller, email string) *fullAccount {
	w.Helper()
	e := &fullAccount{account: w.account(email, account.Pro)}
	by := account.ByAccount(e.account.ID)
	for _, name := range []string{"one", "two", "three"} {
		_, _, err := w.o.Accounts.CreateKey(w.Context(), by, e.account.ID, name)
		testkit.Must(w, err)
	}
	for i, vouched := range []bool{true, true, false} { // one active, one disabled, one not verified
		endpoint, err := w.o.Endpoints.Create(w.Context(), account.Operator(), e.account.ID, webhook.Draft{URL: "https://hooks.example.org/", Vouched: vouched})
		testkit.Must(w, err)
		if i == 1 {
			testkit.Must(w, w.o.Endpoints.Disable(w.Context(), by, endpoint.ID, ""))
		}
		w.deliver(endpoint.ID)
	}
	_, err := w.pool.Exec(w.Context(), `
		WITH list AS (INSERT INTO watchlists (account_id, every, cursor, next_at) VALUES ($1, 'daily', 0, now()) RETURNING account_id)
		INSERT INTO watched (account_id, slug, added_at, after) SELECT account_id, 'a-tool', now(), 0 FROM list`, e.account.ID)
	testkit.Must(w, err)
	testkit.Must(w, w.o.EmailChanges.Ask(w.Context(), by, e.account.ID, "new."+email))
	e.browser = w.signedIn(email)
	w.signedIn(email) // another session
	made := e.submit(e.get("/compte/cles").form("create"), nil)
	e.add("/compte/cles", made) // what is shown once
	for _, rt := range portal.AllPages() {
		if !rt.Open && !strings.Contains(rt.Path, "{id}") {
			e.crawl(rt.Path)
		}
	}
	began := func(shift string) { // of its sessions: what those are asked whose sign-in is long ago
		_, err := w.pool.Exec(w.Context(), `UPDATE sessions SET created_at = created_at + $2::interval WHERE account_id = $1`, e.account.ID, shift)
		testkit.Must(w, err)
	}
	began("-1 hour")
	e.add("/compte/reglages", e.get("/compte/reglages"))
	began("1 hour")
	for _, plan := range []account.Plan{account.Developer, account.Pro} { // what only those with a limit are shown
		testkit.Must(w, w.o.Accounts.SetPlan(w.Context(), account.Operator(), e.account.ID, plan))
		e.add("/compte/utilisation", e.get("/compte/utilisation"))
	}
	e.subscribe(w)
	for _, sql := range []string{
		`SELECT id FROM keys WHERE account_id = $1`, `SELECT id FROM endpoints WHERE account_id = $1`, `SELECT id FROM sessions WHERE account_id = $1`,
		`SELECT d.id FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id WHERE e.account_id = $1`,
	} {
		e.ids = append(e.ids, w.strings(sql, e.account.ID)...)
	}
	return e
}

// subscribe goes through the pages of the plan as they are before, while and after one pays.
func (e *fullAccount) subscribe(s *seller) {
	e.Helper()
	testkit.Must(e, e.o.Accounts.SetPlan(e.Context(), account.Operator(), e.account.ID, account.Developer))
	see := func(paths ...string) {
		for _, path := range paths {
			e.add(path, e.get(path))
		}
	}
	plan, cancel, payment := "/compte/offre", "/compte/offre/resiliation", "/compte/offre/paiement"
	order, details := "/compte/offre/commande", "/compte/offre/facturation"
	e.add(order, e.submit(e.get(order).form("total"), whole()))
	open := e.order()
	see(plan)
	e.pay(open)
	see(plan, payment+"?essai=1") // renewed: it asks nobody
	e.submit(e.get(payment+"?essai=1").form("look"), nil)
	see(plan, details, cancel)
	e.submit(e.get(cancel).form("cancel"), nil)
	see(plan)
	e.ids = append(e.ids, s.strings(`SELECT customer FROM billing_customers WHERE account_id = $1`, e.account.ID)...)
}

// withAPI gives the pages an API, so that those who have a key are shown a button to call it.
func withAPI(o *portal.Options) { o.API = http.NotFoundHandler() }

// deliver stores a delivery that an endpoint has had.
func (w *world) deliver(endpoint string) {
	w.Helper()
	_, err := w.pool.Exec(w.Context(), `
		WITH edition AS (
			INSERT INTO editions (number, published_at, last_seq)
			SELECT coalesce(max(number), 0) + 1, now(), coalesce(max(last_seq), 0) + 1 FROM editions RETURNING number, last_seq),
		event AS (
			INSERT INTO events (seq, edition, type, slug, categories)
			SELECT last_seq, number, 'tool.removed', 'x', '{}' FROM edition RETURNING seq, type)
		INSERT INTO deliveries (id, endpoint_id, seq, type, state, next_at, made_at, done_at, attempts, status)
		SELECT 'msg_' || substr(md5(random()::text), 1, 24), $1, seq, type, 'exhausted', now(), now(), now(), 10, 503 FROM event`, endpoint)
	testkit.Must(w, err)
}

// strings reads a column of text.
func (w *world) strings(sql string, args ...any) (all []string) {
	w.Helper()
	rows, err := w.pool.Query(w.Context(), sql, args...)
	testkit.Must(w, err)
	defer rows.Close()
	for rows.Next() {
		var s string
		testkit.Must(w, rows.Scan(&s))
		all = append(all, s)
	}
	testkit.Must(w, rows.Err())
	return all
}

// crawl visits a page and those that it links to.
func (e *fullAccount) crawl(path string) {
	e.Helper()
	if slices.Contains(e.pages, path) {
		return
	}
	e.pages = append(e.pages, path)
	p := e.get(path)
	if p.Location != "" {
		e.crawl(p.Location)
		return
	}
	if p.Status != http.StatusOK {
		e.Errorf("%s: %s", path, p)
	}
	e.add(path, p)
	if !strings.HasPrefix(p.Header.Get("Content-Type"), "text/html") {
		return
	}
	root, err := html.Parse(strings.NewReader(p.Body))
	testkit.Must(e, err)
	for n := range root.Descendants() {
		if href := attr(n, "href"); n.Data == "a" && strings.HasPrefix(href, "/compte/") {
			e.crawl(href)
		}
	}
}

// add keeps the forms of a page that change something.
func (e *fullAccount) add(path string, p page) {
	for _, f := range p.forms {
		if f.method == "post" && !slices.Contains(f.actions, "sign-out") {
			if len(f.actions) == 0 {
				e.Errorf("%s: a form without an action: %s", path, f.markup)
			}
			e.forms = append(e.forms, f)
		}
	}
}

// state is a digest of everything that belongs to the account.
func (e *fullAccount) state() string {
	e.Helper()
	h := sha256.New()
	for _, table := range e.strings(`
		SELECT table_name FROM information_schema.columns
		WHERE table_schema = current_schema() AND column_name = 'account_id' AND table_name <> 'access_changes' ORDER BY 1`) {
		fmt.Fprintln(h, table, e.strings(`SELECT t::text FROM `+table+` t WHERE account_id = $1 ORDER BY 1`, e.account.ID))
	}
	fmt.Fprintln(h, e.strings(`SELECT a::text FROM accounts a WHERE id = $1`, e.account.ID))
	fmt.Fprintln(h, e.strings(`SELECT d::text FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id WHERE e.account_id = $1 ORDER BY 1`, e.account.ID))
	return fmt.Sprintf("%x", h.Sum(nil))
}

// token is the token of the forms that a browser gets.
func (b *browser) token() string {
	b.Helper()
	return b.get("/compte/cles").form("sign-out").fields.Get("jeton")
}

// Whatever page of another account is asked for, and whatever form of another account is sent, there
// is no such thing, and nothing of it changes.
func TestPages_OfOthersDoNotExist(t *testing.T) {
	t.Parallel()
	w := newSeller(t, withAPI)
	ada := newFullAccount(w, "ada@example.org")
	mallory := newFullAccount(w, "mallory@example.org")
	token, before := mallory.token(), ada.state()
	names := func(s string) bool {
		return slices.ContainsFunc(ada.ids, func(id string) bool { return strings.Contains(s, id) })
	}
	for _, path := range ada.pages {
		for _, path := range []string{path, strings.Replace(path, "/compte/webhooks", "/en/account/webhooks", 1)} {
			if p := mallory.get(path); names(path) && p.Status != http.StatusNotFound {
				t.Errorf("%s: another account is answered %s", path, p)
			} else if names(p.Body) {
				t.Errorf("%s shows what belongs to another", path)
			}
		}
	}
	seen := make(map[string]bool)
	for _, f := range ada.forms {
		for _, action := range f.actions {
			seen[action] = true
			if !names(f.markup) {
				continue // it asks for nothing of ada's
			}
			p := mallory.submit(f, map[string]string{"action": action, "jeton": token})
			if p.Status != http.StatusNotFound {
				t.Errorf("%s %s: another account is answered %s", f.action, action, p)
			}
			if ada.state() != before {
				t.Fatalf("%s %s: another account changed something", f.action, action)
			}
		}
	}
	for _, rt := range portal.AllPages() {
		for _, action := range rt.Actions {
			if !rt.Open && !seen[action] {
				t.Errorf("%s: no form was seen that does %q: the fullAccount lacks what it is for", rt.Name, action)
			}
		}
	}
}

// A form that another site sends, or that carries no token or another session's, is refused.
func TestForms_AreOurs(t *testing.T) {
	t.Parallel()
	w := newSeller(t, withAPI)
	ada := newFullAccount(w, "ada@example.org")
	stranger := w.account("mallory@example.org", account.Pro)
	other := w.signedIn(stranger.Email).token()
	before := ada.state()
	for _, f := range ada.forms {
		for _, action := range f.actions {
			for how, forged := range map[string]struct {
				token  string
				header http.Header
			}{
				"from another site":             {f.fields.Get("jeton"), http.Header{"Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"}}},
				"from a sibling":                {f.fields.Get("jeton"), http.Header{"Sec-Fetch-Site": {"same-site"}, "Origin": {"https://www.example.org"}}},
				"from another origin, old":      {f.fields.Get("jeton"), http.Header{"Origin": {"https://evil.example"}}},
				"from nowhere":                  {f.fields.Get("jeton"), http.Header{"Origin": {"null"}}},
				"without a token":               {"", nil},
				"with another session's token":  {other, http.Header{"Sec-Fetch-Site": {"same-origin"}, "Origin": {w.url}}},
				"with another's and no headers": {other, nil},
			} {
				values := url.Values(http.Header(f.fields).Clone())
				values.Set("action", action)
				values.Set("jeton", forged.token)
				if p := ada.send(http.MethodPost, f.action, values, forged.header); p.Status != http.StatusForbidden {
					t.Errorf("%s %s %s: %s", f.action, action, how, p)
				}
			}
		}
	}
	if ada.state() != before {
		t.Error("a forged form changed something")
	}
}
