package node

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/stripe/events"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// The configurations under test: what docs/cdn.md recommends, what the programs do
// by themselves, and a Varnish that keeps all that RFC 9111 lets it keep.
var cacheConfigurations = []struct {
	name, file  string
	recommended bool
	start       func(t *testing.T, file, origin string) *cache
}{
	{"varnish recommended", "../../deploy/varnish/default.vcl", true, startVarnish},
	{"varnish stock", "testdata/varnish/stock.vcl", false, startVarnish},
	{"varnish eager", "testdata/varnish/eager.vcl", false, startVarnish},
	{"nginx recommended", "../../deploy/nginx/palmares.conf", true, startNginx},
	{"nginx stock", "testdata/nginx/stock.conf", false, startNginx},
}

// proxied lets a node believe the caches, which connect from 127.0.0.1, and nobody
// else: the clients of these tests have other addresses of 127.0.0.0/8.
func proxied(t *testing.T) []string {
	t.Helper()
	return []string{
		"PALMARES_REDIS_URL=" + redistest.URL(t), "PALMARES_SECRET=" + rand.Text() + rand.Text(),
		"PALMARES_TRUSTED_PROXIES=127.0.0.1",
	}
}

// Whatever cache is in front: what one caller is told reaches no other, what may be
// shared is, and quotas are charged to whoever asked the cache.
func TestCaches_KeepCallersApart(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	publishDir(t, db, fixtureCatalog)
	accounts := openServices(t, db)
	pro, _ := newKey(t, accounts, "pro@example.org", account.Pro)
	for _, cfg := range cacheConfigurations {
		t.Run(cfg.name, func(t *testing.T) {
			t.Parallel()
			n := startRoles(t, []string{API, Site}, db, proxied(t)...)
			n.ready()
			c := cfg.start(t, cfg.file, n.public)
			c.node, c.recommended, c.pro = n, cfg.recommended, pro
			c.developer, _ = newKey(t, accounts, strings.ReplaceAll(cfg.name, " ", "-")+"@example.org", account.Developer)
			testkit.EventuallyTrue(t, "the node knows both keys", func() bool {
				return n.get("/api/v1/usage", pro).Status == http.StatusOK && n.get("/api/v1/usage", c.developer).Status == http.StatusOK
			})
			t.Run("callers", c.callers)
			t.Run("quota", c.quota)
			t.Run("encodings", func(t *testing.T) { c.encodings(t, "/api/v1/tools") })
			t.Run("encodings of a page", func(t *testing.T) { c.encodings(t, "/en/") })
			t.Run("conditions", c.conditions)
			t.Run("pages", c.pages)
			t.Run("agents", c.agents)
			t.Run("compression", func(t *testing.T) { c.compression(t, 1) })
			if cfg.recommended {
				// Should a node send something uncompressed, these compress it by themselves.
				alone := cfg.start(t, cfg.file, between(t, n.public, httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
					r.Out.Header.Set("Accept-Encoding", "identity")
				}}))
				alone.node = n
				t.Run("compression by the cache", func(t *testing.T) { alone.compression(t, 2) })
			}
			if cfg.name == "nginx recommended" {
				t.Run("ids", c.ids)
			}
		})
	}
}

// Whatever cache is in front: events of the payment provider reach a node byte for byte, each time.
func TestCaches_PassEventsOn(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	publishDir(t, db, fixtureCatalog)
	p := newTill(t, db)
	p.buy("ada@example.org")
	for _, cfg := range cacheConfigurations {
		t.Run(cfg.name, func(t *testing.T) {
			t.Parallel()
			n := startRoles(t, []string{Site}, db, p.settings()...)
			n.ready()
			c := cfg.start(t, cfg.file, n.public)
			sent := p.Events()
			large := sent[0]
			large.Body = append(bytes.Repeat([]byte{' '}, 200<<10), large.Body...)
			for range 2 {
				must(t, p.Deliver(t.Context(), c.url+events.Path, append(sent, large)...))
			}
			if taken := n.metric(`palmares_billing_events_total`); taken != float64(2*len(sent)+2) {
				t.Errorf("%v events arrived of %d", taken, 2*len(sent)+2)
			}
			for range 2 {
				a, err := testkit.Fetch(c.url+events.Path, http.Header{"Cookie": {"a=b"}})
				if err != nil || a.Status != http.StatusMethodNotAllowed || c.hit(a.Header) {
					t.Errorf("GET: %v %v %v", a, a.Header, err)
				}
			}
		})
	}
}

// routes is every operation and every kind of error: the status for the anonymous,
// and for a key.
var routes = []struct {
	path        string
	open, keyed int
}{
	{"/api/v1/tools", 200, 200},
	{"/api/v1/tools/ame", 200, 200},
	{"/api/v1/comparatifs", 200, 200},
	{"/api/v1/comparatifs/ame-ou-ame", 200, 200},
	{"/api/v1/pricing", 200, 200},
	{"/api/v1/pricing/ame", 200, 200},
	{"/api/v1/cimetiere", 200, 200},
	{"/api/v1/categories", 200, 200},
	{"/api/v1/stats", 200, 200},
	{"/api/v1/openapi.json", 200, 200},
	{"/api/embeddings/ame", 401, 200},
	{"/api/embeddings/zebre", 401, 404},
	{"/api/v1/tools/personne", 404, 404},
	{"/api/v1/pricing?page=zero", 400, 400},
	{"/api/nulle-part", 404, 404},
}

// orders are eight orders of the four kinds of callers: each comes first, and each comes both
// before and after every other.
func orders() (all [][]string) {
	for _, cycle := range [][]string{{"anonymous", "developer", "pro", "bad"}, {"bad", "pro", "developer", "anonymous"}} {
		for i := range cycle {
			all = append(all, append(slices.Clone(cycle[i:]), cycle[:i]...))
		}
	}
	return all
}

// callers sends all callers to each route in each order, twice over, each time to a URL that the
// cache has not seen.
func (c *cache) callers(t *testing.T) {
	c.node.get("/api/v1/openapi.json", "") // from here on requests are counted
	testkit.EventuallyGet(t, c.node.admin+"/metrics", func(a testkit.Response) bool {
		return a.Says("palmares_http_requests_total{")
	})
	before, reached, url := c.requests(), 0, 0
	ids := map[string]bool{}
	for _, route := range routes {
		want := c.node.get(route.path, c.pro)
		reached++
		for _, order := range orders() {
			url++
			path := route.path + "?ordre=" + strconv.Itoa(url)
			if strings.Contains(route.path, "?") {
				path = route.path + "&ordre=" + strconv.Itoa(url)
			}
			stored := false
			for _, who := range append(order, order...) {
				a, again := c.askAs(t, clientAddr(url), path, who)
				reached += again
				hit, status, id := c.hit(a.Header), a.Status, a.Header.Get("X-Request-Id")
				good := hit == (who == "anonymous" && stored)
				switch who {
				case "anonymous":
					good = good && status == route.open && !limited(a) && (!a.OK() || a.Body == want.Body)
					stored = a.OK()
				case "bad":
					good = good && status == http.StatusUnauthorized && !limited(a)
				default:
					tier := map[string]string{"developer": "free", "pro": "pro"}[who]
					good = good && status == route.keyed && a.Body == want.Body && a.Header.Get("X-Ratelimit-Tier") == tier
					good = good && id != "" && !ids[id] // an answer of its own
					ids[id] = true
				}
				control := "no-store"
				if a.OK() && who == "anonymous" {
					control = "s-maxage=3600, stale-while-revalidate=86400"
				} else if a.OK() {
					control = "private, no-cache"
				}
				if !good || a.Header.Get("Cache-Control") != control || !a.OK() && strings.Contains(a.Body, "chunks") {
					t.Fatalf("%s for %s, in the order %v: hit %v, %v %v", path, who, order, hit, a, a.Header)
				}
				if !hit {
					reached++
				}
			}
		}
	}
	testkit.Equal(t, "requests that reached the node", c.requests()-before, float64(reached))
}

// askAs asks as one of the callers. On a busy machine PostgreSQL may not say in time that there is no such key: it returns how
// often it had to ask again.
func (c *cache) askAs(t *testing.T, addr, path, who string) (a testkit.Response, again int) {
	for ; ; again++ {
		a = c.ask(t, addr, path, c.credentials(who))
		if again == 20 || who != "bad" || a.Status != http.StatusServiceUnavailable || !unkept(a) || c.hit(a.Header) {
			return a, again
		}
	}
}

// ids are not chosen by clients, neither in answers nor in the node's log: the cache gives
// the node the id that it logs itself.
func (c *cache) ids(t *testing.T) {
	const chosen = "chosen-by-the-client"
	for i, who := range []string{"anonymous", "pro"} {
		header := c.credentials(who)
		header.Set("X-Request-Id", chosen)
		a := c.ask(t, clientAddr(90_000+i), "/api/v1/stats?ids="+strconv.Itoa(i), header)
		id := a.Header.Get("X-Request-Id")
		if !a.OK() || id == "" || id == chosen {
			t.Errorf("the client chose the id: %v %v", a, a.Header)
		}
		c.node.logs(id)
	}
	if strings.Contains(c.node.log.String(), chosen) {
		t.Error("the node logs an id that a client chose")
	}
}

func limited(a testkit.Response) bool {
	for name := range a.Header {
		if strings.HasPrefix(name, "X-Ratelimit-") {
			return true
		}
	}
	return false
}

func unkept(a testkit.Response) bool { return a.Header.Get("Cache-Control") == "no-store" }

// quota is charged to the client behind the cache, whatever it claims to be, and
// only for what the cache has to ask for.
func (c *cache) quota(t *testing.T) {
	const greedy, modest = "127.77.0.1", "127.77.0.2"
	path := func(i int) string { return "/api/v1/stats?quota=" + strconv.Itoa(i) }
	daily := account.Anonymous.Limits().Daily
	for i := range daily {
		if a := c.ask(t, greedy, path(i), nil); !a.OK() {
			t.Fatalf("request %d: %v", i+1, a)
		}
	}
	for _, claim := range []http.Header{nil, {"X-Forwarded-For": {"198.51.100.7"}}, {"X-Real-Ip": {"198.51.100.7"}}, {"Forwarded": {"for=198.51.100.7"}}} {
		if a := c.ask(t, greedy, path(daily), claim); a.Status != http.StatusTooManyRequests || c.hit(a.Header) || !unkept(a) {
			t.Errorf("over the quota, claiming %v: %v %v", claim, a, a.Header)
		}
	}
	// The refusal was about that client alone.
	if a := c.ask(t, modest, path(daily), nil); !a.OK() || c.hit(a.Header) {
		t.Errorf("somebody else: %v %v", a, a.Header)
	}
	charges := c.node.metric("palmares_quota_charges_total")
	for i := range 2 * daily {
		who := [...]string{greedy, modest}[i%2]
		if a := c.ask(t, who, path(i%(daily+1)), nil); !a.OK() || !c.hit(a.Header) {
			t.Fatalf("from the cache, for %s: %v %v", who, a, a.Header)
		}
	}
	testkit.Equal(t, "charges, after hits alone", c.node.metric("palmares_quota_charges_total"), charges)
}

// encodings asks for one URL in several encodings, in two orders.
func (c *cache) encodings(t *testing.T, path string) {
	want := c.node.get(path, "").Body
	for i, order := range [][]string{{"", "gzip", "identity", "gzip, deflate, br"}, {"gzip, deflate, br", "gzip", "identity", ""}} {
		hits := 0
		for _, accepted := range append(order, order...) {
			header := http.Header{}
			if accepted != "" {
				header.Set("Accept-Encoding", accepted)
			}
			a := c.ask(t, clientAddr(i), path+"?codage="+strconv.Itoa(i), header)
			if c.hit(a.Header) {
				hits++
			}
			body, coding := a.Body, a.Header.Get("Content-Encoding")
			if coding == "gzip" {
				body = gunzip(t, a.Body)
			}
			if wanted := strings.Contains(accepted, "gzip"); wanted != (coding == "gzip") || !wanted && coding != "" || body != want {
				t.Fatalf("Accept-Encoding %q: %d %v %.80q", accepted, a.Status, a.Header, a.Body)
			}
		}
		if hits < len(order) {
			t.Errorf("%d hits, want %d at least", hits, len(order))
		}
	}
}

func gunzip(t *testing.T, s string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(s))
	must(t, err)
	b, err := io.ReadAll(r)
	must(t, err)
	return string(b)
}

// pages are kept, errors are not, and files only under the hash of their bytes. Behind what is
// recommended they are kept although a client sends cookies.
func (c *cache) pages(t *testing.T) {
	html := c.node.get("/", "").Body
	_, sheet, _ := strings.Cut(html, `rel="stylesheet" href="`)
	sheet, _, _ = strings.Cut(sheet, `"`)
	hash := strings.TrimSuffix(strings.TrimPrefix(sheet, "/static/site."), ".css")
	cookie := http.Header{"Cookie": {"theme=dark"}}
	for i, try := range []struct {
		path   string
		header http.Header
		status int
		kept   bool
	}{
		{"/?page=1", nil, http.StatusOK, true},
		{"/en/tools/ame?page=1", nil, http.StatusOK, true},
		{"/?page=2", cookie, http.StatusOK, true},
		{sheet, nil, http.StatusOK, true},
		{strings.Replace(sheet, hash, "abcdefghijkl", 1), nil, http.StatusOK, false},
		{"/nulle-part", nil, http.StatusNotFound, false},
		{"/en/account", nil, http.StatusOK, false}, // the page of signing in
	} {
		if try.header != nil && !c.recommended {
			continue
		}
		for round := range 3 {
			a := c.ask(t, clientAddr(i), try.path, try.header)
			if hit := c.hit(a.Header); a.Status != try.status || hit != (try.kept && round > 0) {
				t.Errorf("%s %v, ask %d: hit %v, %d %v", try.path, try.header, round+1, hit, a.Status, a.Header)
			}
		}
	}
}

// The pages of an account are nobody else's, whatever they say themselves, and nothing else is
// given a cookie. The status is asked for each time. No page is there to be asked: a stand-in is.
func TestCaches_Pass(t *testing.T) {
	t.Parallel()
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "s-maxage=3600")
		fmt.Fprintf(w, "%s %q", r.URL.Path, r.Header.Get("Cookie"))
	}))
	t.Cleanup(origin.Close)
	for _, cfg := range cacheConfigurations {
		if !cfg.recommended {
			continue
		}
		t.Run(cfg.name, func(t *testing.T) {
			t.Parallel()
			c := cfg.start(t, cfg.file, origin.URL)
			const own, now, shared = "own", "now", "shared"
			for path, kind := range map[string]string{
				"/compte": own, "/compte?page=1": own, "/compte/cles": own, "/en/account": own, "/en/account/keys": own,
				"/statut": now, "/statut?x=1": now, "/en/status": now, "/statuts": shared, "/outils/statut": shared,
				"/": shared, "/comptes": shared, "/en/accounts": shared, "/outils/compte": shared, "/api/v1/tools": shared,
			} {
				for round := range 3 {
					cookie := "session=" + rand.Text()
					a, want := c.ask(t, clientAddr(round), path, http.Header{"Cookie": {cookie}}), ""
					if kind == own {
						want = cookie
					}
					bare, _, _ := strings.Cut(path, "?")
					if a.Body != fmt.Sprintf("%s %q", bare, want) || c.hit(a.Header) != (kind == shared && round > 0) {
						t.Errorf("%s, ask %d: %v %v", path, round+1, a, a.Header)
					}
				}
			}
		})
	}
}

// conditions sends tags back: the cache answers the anonymous by itself, and the
// node key holders: for free, behind what is recommended.
func (c *cache) conditions(t *testing.T) {
	const path, who = "/api/v1/tools?condition=1", "127.78.0.1"
	first := c.ask(t, who, path, nil)
	tag := first.Header.Get("Etag")
	reached := c.requests()
	for range 3 {
		a := c.ask(t, who, path, http.Header{"If-None-Match": {tag}})
		if a.Status != http.StatusNotModified || a.Body != "" || limited(a) {
			t.Errorf("If-None-Match %s: %v %v", tag, a, a.Header)
		}
	}
	testkit.Equal(t, "requests that reached the node", c.requests(), reached)
	if a := c.ask(t, who, path, http.Header{"If-None-Match": {`"autre"`}}); !a.OK() || a.Body != first.Body {
		t.Errorf("another tag: %d %.80s", a.Status, a.Body)
	}

	keyed := testkit.Bearer(c.developer)
	tag = c.ask(t, who, path, keyed).Header.Get("Etag")
	keyed.Set("If-None-Match", tag)
	charges := c.node.metric("palmares_quota_charges_total")
	a := c.ask(t, who, path, keyed)
	switch {
	case c.hit(a.Header) || a.Header.Get("X-Ratelimit-Tier") != "free":
		t.Errorf("with a key, If-None-Match %s: %v %v", tag, a, a.Header)
	case !c.recommended: // caches that look a keyed request up ask for the whole, and have it charged
	case a.Status != http.StatusNotModified || c.node.metric("palmares_quota_charges_total") != charges:
		t.Errorf("with a key, If-None-Match %s: %d, charged %v", tag, a.Status, c.node.metric("palmares_quota_charges_total")-charges)
	}
}

// What is kept is renewed by asking whether it changed; a node that is gone, or a
// client over its quota, does not push it out; and it can be thrown away at once.
func TestCaches_RenewAndPurge(t *testing.T) {
	t.Parallel()
	for _, cfg := range cacheConfigurations {
		if !cfg.recommended {
			continue
		}
		t.Run(cfg.name, func(t *testing.T) {
			t.Parallel()
			db, dir := pgtest.Migrated(t), testkit.CopyOf(t, fixtureCatalog)
			publishDir(t, db, dir)
			n := startRoles(t, []string{API}, db, proxied(t)...)
			n.ready()
			c := cfg.start(t, cfg.file, between(t, n.public, httputil.ReverseProxy{
				Rewrite: func(r *httputil.ProxyRequest) {
					r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"]
					r.SetXForwarded()
				},
				ModifyResponse: func(r *http.Response) error { // an hour takes a second
					r.Header.Set("Cache-Control", strings.Replace(r.Header.Get("Cache-Control"), "s-maxage=3600", "s-maxage=1", 1))
					return nil
				},
			}))
			const path, who = "/api/v1/tools/ame", "127.79.0.1"
			if a := c.ask(t, who, path, nil); !a.Says(`"price":"5 €/mois"`) || c.hit(a.Header) {
				t.Fatalf("%v %v", a, a.Header)
			}

			// It gets old: clients go on being answered at once, and it is renewed behind their
			// backs.
			testkit.EventuallyTrue(t, "it is renewed with a 304", func() bool {
				if a := c.ask(t, who, path, nil); !c.kept(a) {
					t.Errorf("when it is old, a client waits for the node: %v %v", a, a.Header)
				}
				time.Sleep(100 * time.Millisecond)
				return strings.Contains(testkit.Get(t, n.admin+"/metrics").Body, `code="304"`)
			})

			testkit.Edit(t, filepath.Join(dir, "tools/ame.md"), "5 €/mois", "6 €/mois")
			publishDir(t, db, dir)
			testkit.EventuallyGet(t, n.public+path, func(a testkit.Response) bool { return a.Says(`"price":"6 €/mois"`) })
			c.purge()
			if a := c.ask(t, who, path, nil); !a.Says(`"price":"6 €/mois"`) || c.hit(a.Header) {
				t.Errorf("after the purge: %v %v", a, a.Header)
			}

			// This client uses up its quota. It is told so, but not of what is kept.
			for i := range account.Anonymous.Limits().Daily {
				c.ask(t, who, "/api/v1/stats?n="+strconv.Itoa(i), nil)
			}
			if a := c.ask(t, who, "/api/v1/stats?n=last", nil); a.Status != http.StatusTooManyRequests {
				t.Errorf("over the quota: %v", a)
			}
			goesOn := func(when string) {
				for range 15 { // long enough for it to get old, and be asked for
					if a := c.ask(t, who, path, nil); !a.Says(`"price":"6 €/mois"`) || !c.kept(a) {
						t.Fatalf("%s, what is kept: %v %v", when, a, a.Header)
					}
					time.Sleep(150 * time.Millisecond)
				}
			}
			goesOn("over the quota")
			n.stop()
			goesOn("the node being gone")
		})
	}
}

// between stands between a cache and a node, and changes what they say.
func between(t *testing.T, node string, proxy httputil.ReverseProxy) string {
	t.Helper()
	target, err := url.Parse(node)
	must(t, err)
	change := proxy.Rewrite
	proxy.Rewrite = func(r *httputil.ProxyRequest) { r.SetURL(target); change(r) }
	transport := &http.Transport{}
	proxy.Transport = transport
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	s := httptest.NewServer(&proxy)
	t.Cleanup(func() { s.Close(); transport.CloseIdleConnections() })
	return s.URL
}

// A cache is a running Varnish or nginx.
type cache struct {
	url   string
	hit   func(http.Header) bool // whether an answer is one that was kept
	purge func()

	node           *running
	recommended    bool
	developer, pro string // keys
}

// requests is how many requests have reached the node. They are counted just after they are
// answered, so it waits until the number stays.
func (c *cache) requests() (n float64) {
	for last := -1.0; last != n; time.Sleep(50 * time.Millisecond) {
		last, n = n, c.node.metric("palmares_http_requests_total")
	}
	return n
}

// kept reports whether an answer was kept, be it old.
func (c *cache) kept(a testkit.Response) bool {
	state := a.Header.Get("X-Cache")
	return c.hit(a.Header) || state == "STALE" || state == "UPDATING"
}

func (c *cache) credentials(who string) http.Header {
	switch who {
	case "developer":
		return testkit.Bearer(c.developer)
	case "pro":
		return testkit.Bearer(c.pro)
	case "bad":
		return testkit.Bearer(account.NewKey().Reveal()) // well formed, and nobody's
	}
	return http.Header{}
}

// address is one of many clients.
func clientAddr(i int) string { return fmt.Sprintf("127.66.%d.%d", i/200, i%200+1) }

type sourceAddress struct{}

// remote asks from the address that the context names, and neither asks for
// compression nor undoes it.
var remote = &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
	DisableKeepAlives: true, DisableCompression: true,
	DialContext: func(ctx context.Context, network, to string) (net.Conn, error) {
		from, _ := ctx.Value(sourceAddress{}).(string)
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		return d.DialContext(ctx, network, to)
	},
}}

func (c *cache) ask(t *testing.T, from, path string, header http.Header) testkit.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(context.WithValue(t.Context(), sourceAddress{}, from), http.MethodGet, c.url+path, http.NoBody)
	must(t, err)
	maps.Copy(req.Header, header)
	a, err := testkit.Do(remote, req)
	must(t, err)
	return a
}

// compression asks for what the node has not been asked for before, three times over. What a
// client that takes gzip gets has at most 1.2 times the bytes that the node itself would send,
// from the first time on: a page that is kept uncompressed is sent so for an hour.
func (c *cache) compression(t *testing.T, number int) {
	for i, path := range []string{
		"/tarifs?" + strconv.Itoa(number),
		"/api/v1/tools?score_min=0.0" + strconv.Itoa(number), "/api/v1/tools?limit=1" + strconv.Itoa(number),
		"/api/v1/pricing?limit=4" + strconv.Itoa(number), "/api/v1/openapi.json?" + strconv.Itoa(number),
	} {
		for round, accepted := range []string{"gzip, deflate, br", "gzip, deflate, br", "gzip"} {
			a := c.ask(t, clientAddr(i), path, http.Header{"Accept-Encoding": {accepted}})
			if a.Status != http.StatusOK || a.Header.Get("Content-Encoding") != "gzip" {
				t.Errorf("%s, ask %d: %v %v", path, round+1, a, a.Header)
				continue
			}
			// The node has been asked by now: it answers as well as it can.
			direct, err := testkit.Fetch(c.node.public+path, http.Header{"Accept-Encoding": {"gzip"}})
			must(t, err)
			if most := 12 * len(direct.Body) / 10; len(a.Body) > most || gunzip(t, a.Body) != gunzip(t, direct.Body) {
				t.Errorf("%s, ask %d: %d bytes, %d from the node itself", path, round+1, len(a.Body), len(direct.Body))
			}
		}
		plain := c.ask(t, clientAddr(i), path, nil)
		if coding := plain.Header.Get("Content-Encoding"); coding != "" || len(plain.Body) < 1024 {
			t.Errorf("%s without Accept-Encoding: %d bytes in %q", path, len(plain.Body), coding)
		}
	}
}
