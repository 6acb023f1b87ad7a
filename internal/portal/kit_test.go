package portal_test

import (
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.uber.org/goleak"
	"golang.org/x/net/html"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/digest"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/portal"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/webhook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var secret = []byte("for-tests-only-0123456789abcdef0123456789")

// A world is account pages on a real PostgreSQL and Redis, behind https.
type world struct {
	*testing.T
	db      *postgres.DB
	pool    *pgxpool.Pool  // to look at tables
	way     *testkit.Proxy // between the pages and PostgreSQL
	o       portal.Options
	pages   pages
	signIns *account.SignIns
	url     string
	mu      sync.Mutex
	now     time.Time // moves with pass; time.Now when zero
	made    int       // accounts that signed up
}

// pages are what portal.New makes.
type pages interface {
	http.Handler
	InFlight() (inside, outside int)
}

// newWorld makes a world. change may change the options before the pages are made.
func newWorld(t *testing.T, change ...func(*portal.Options)) *world {
	t.Helper()
	u := pgtest.Migrated(t)
	at := mustURL(t, u)
	w := &world{T: t, way: testkit.NewProxy(t, at.Host)}
	through := *at
	through.Host = w.way.Addr
	db, err := postgres.Open(t.Context(), through.String(), postgres.Options{Now: w.clock})
	testkit.Must(t, err)
	t.Cleanup(db.Close)
	pool, err := pgxpool.New(t.Context(), u)
	testkit.Must(t, err)
	t.Cleanup(pool.Close)
	redis, err := quota.NewRedis(redistest.URL(t))
	testkit.Must(t, err)
	t.Cleanup(redis.Close)
	logger := slog.New(slog.DiscardHandler)
	w.db, w.pool = db, pool
	sender := webhook.NewSender(webhook.SenderOptions{Agent: "test", Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	t.Cleanup(sender.Close)
	ring := testkit.Ring(t, string(secret))
	w.o = portal.Options{
		Accounts: account.NewService(db.Accounts, db.Keys, w.clock).WithSecrets(ring), Sessions: db.Sessions,
		EmailChanges: account.NewEmailChanges(db.Accounts, ring, w.clock),
		Endpoints: webhook.NewEndpoints(webhook.EndpointsOptions{
			Store: db.Webhooks, Catalog: db.Catalog, Keyring: webhook.NewKeyring(ring), Sender: sender, Now: w.clock,
		}),
		Digests: digest.NewService(digest.Options{Store: db.Digests, Secrets: ring, Now: w.clock}),
		Notices: account.NewNotices(account.NoticesOptions{Store: db.Accounts, Secrets: ring, Now: w.clock}),
		Usage:   quota.NewUsage(quota.UsageOptions{Store: redis, Logger: logger, Now: w.clock}),
		Limits:  quota.NewHourly(quota.HourlyOptions{Redis: redis, Secret: []byte(t.Name() + t.TempDir()), Logger: logger}),
		Catalog: emptyCatalog{}, Secrets: ring, Open: true, Mail: true, Now: w.clock,
		Away: postgres.Away, Patience: testkit.Patience, // a busy machine is not an engine that is away
	}
	server := httptest.NewUnstartedServer(nil)
	server.StartTLS()
	t.Cleanup(server.Close)
	w.url, w.o.BaseURL = server.URL, server.URL
	for _, f := range change {
		f(&w.o)
	}
	w.signIns = account.NewSignIns(account.SignInsOptions{
		Store: db.SignIns, Secrets: ring, Open: w.o.Open, Now: w.clock,
		Blocked: func(email string) bool { return strings.HasSuffix(email, "@blocked.example") },
	})
	w.o.SignIns = w.signIns
	pages, err := portal.New(w.o)
	testkit.Must(t, err)
	w.pages = pages
	observer := web.NewObserver(web.ObserverOptions{
		Logger: logger, WriteError: pages.WriteError, Proxies: web.Proxies{netip.MustParsePrefix("127.0.0.0/8")},
	})
	server.Config.Handler = observer.Wrap(pages)
	return w
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now.IsZero() {
		return time.Now()
	}
	return w.now
}

// pass stops the clock, and moves it on.
func (w *world) pass(d time.Duration) {
	now := w.clock().Add(d)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = now
}

type emptyCatalog struct{}

func (emptyCatalog) Current() *catalog.Snapshot { return catalog.Empty() }

// A browser keeps cookies and sends forms as their markup says.
type browser struct {
	*world
	client *http.Client
	at     string // the path of the last page
	from   string // the address that a proxy says it has; "" says nothing
}

// browser makes a browser that nobody is signed in with.
func (w *world) browser() *browser {
	w.Helper()
	jar, err := cookiejar.New(nil)
	testkit.Must(w, err)
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	w.Cleanup(transport.CloseIdleConnections)
	return &browser{world: w, client: &http.Client{
		Jar: jar, Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// account makes an account on a plan.
func (w *world) account(email string, plan account.Plan) account.Account {
	w.Helper()
	a, err := w.o.Accounts.Create(w.Context(), account.Operator(), email, plan)
	testkit.Must(w, err)
	return a
}

// signedIn is a browser that is signed in to an account, by a link of the operator.
func (w *world) signedIn(email string) *browser {
	w.Helper()
	token, err := w.signIns.Link(w.Context(), account.Operator(), email)
	testkit.Must(w, err)
	b := w.browser()
	page := b.get("/compte/connexion/lien?jeton=" + token)
	if r := b.submit(page.form("enter"), nil); r.Status != http.StatusSeeOther {
		w.Fatalf("signing in: %s", r)
	}
	return b
}

// A page is a response with its forms.
type page struct {
	testkit.Response
	Location string
	forms    []form
	t        *testing.T
}

// A form is a form of a page, with the values it would send.
type form struct {
	action, method string
	fields         url.Values
	actions        []string // values of its buttons named action
	markup         string
}

// form finds the form with a button for an action.
func (p page) form(action string, with ...string) form {
	p.t.Helper()
	for _, f := range p.forms {
		if slices.Contains(f.actions, action) && !slices.ContainsFunc(with, func(s string) bool { return !strings.Contains(f.markup, s) }) {
			f.fields = url.Values(http.Header(f.fields).Clone())
			f.fields.Set("action", action)
			return f
		}
	}
	p.t.Fatalf("no form has a button %q with %q: %s", action, with, p.Response)
	return form{}
}

// get asks for a page.
func (b *browser) get(path string) page { b.Helper(); return b.send(http.MethodGet, path, nil, nil) }

// follow asks for a page and follows redirects.
func (b *browser) follow(p page) page {
	b.Helper()
	for p.Location != "" {
		p = b.get(p.Location)
	}
	return p
}

// submit sends a form with some fields changed, as a browser of this site would.
func (b *browser) submit(f form, change map[string]string) page {
	b.Helper()
	values := url.Values(http.Header(f.fields).Clone())
	for name, value := range change {
		values.Set(name, value)
	}
	return b.send(http.MethodPost, f.action, values, http.Header{"Sec-Fetch-Site": {"same-origin"}, "Origin": {b.url}})
}

// send sends a request.
func (b *browser) send(method, path string, form url.Values, header http.Header) page {
	b.Helper()
	var body io.Reader = http.NoBody
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	req, err := http.NewRequestWithContext(context.Background(), method, b.url+path, body)
	testkit.Must(b, err)
	maps.Copy(req.Header, header)
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if b.from != "" {
		req.Header.Set("X-Forwarded-For", b.from)
	}
	r, err := testkit.Do(b.client, req)
	testkit.Must(b, err)
	b.at = path
	testkit.CheckRendered(b, path, r)
	if strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
		checkTypography(b.T, path, r.Body)
	}
	return page{Response: r, Location: strings.TrimPrefix(r.Header.Get("Location"), b.url), forms: forms(b.T, path, r.Body), t: b.T}
}

// forms finds the forms in markup.
func forms(t *testing.T, at, markup string) (all []form) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(markup))
	testkit.Must(t, err)
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != "form" {
			continue
		}
		f := form{action: attr(n, "action"), method: attr(n, "method"), fields: url.Values{}}
		if f.action == "" {
			f.action = at
		}
		var b strings.Builder
		testkit.Must(t, html.Render(&b, n))
		f.markup = b.String()
		for c := range n.Descendants() {
			f.add(c)
		}
		all = append(all, f)
	}
	return all
}

// add adds what a control of the form sends.
func (f *form) add(n *html.Node) {
	name, value := attr(n, "name"), attr(n, "value")
	switch {
	case n.Type != html.ElementNode || name == "":
	case n.Data == "button":
		if name == "action" {
			f.actions = append(f.actions, value)
		}
	case n.Data == "input":
		kind := attr(n, "type")
		if (kind != "checkbox" && kind != "radio") || has(n, "checked") {
			f.fields.Add(name, value)
		}
	case n.Data == "textarea":
		text := ""
		if n.FirstChild != nil {
			text = n.FirstChild.Data
		}
		f.fields.Add(name, text)
	case n.Data == "select":
		for o := range n.Descendants() {
			if o.Data == "option" && (has(o, "selected") || !f.fields.Has(name)) {
				f.fields.Set(name, attr(o, "value"))
			}
		}
	}
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}
