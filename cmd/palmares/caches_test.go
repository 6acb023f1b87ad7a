package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/redistest"
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
	palmares(t, database(db), "publish", fixtureCatalog)
	pro := newKey(t, db, "pro@example.org", "pro")
	for _, cfg := range cacheConfigurations {
		t.Run(cfg.name, func(t *testing.T) {
			t.Parallel()
			n := serve(t, db, proxied(t)...)
			n.ready(10 * time.Second)
			c := cfg.start(t, cfg.file, n.public)
			c.node, c.recommended, c.pro = n, cfg.recommended, pro
			c.developer = newKey(t, db, strings.ReplaceAll(cfg.name, " ", "-")+"@example.org", "developer")
			t.Run("callers", c.callers)
			t.Run("quota", c.quota)
			t.Run("encodings", c.encodings)
			t.Run("conditions", c.conditions)
			if cfg.name == "nginx recommended" {
				t.Run("ids", c.ids)
			}
			n.stop()
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

// callers sends the four kinds of callers to each route in all 24 orders, twice
// over, each time to a URL that the cache has not seen.
func (c *cache) callers(t *testing.T) {
	get(t, c.node.public+"/api/v1/openapi.json") // from here on requests are counted
	before := c.requests()
	reached, url := 0, 0 // how many requests the node should get
	ids := map[string]bool{}
	for _, route := range routes {
		want, err := fetch(c.node.public+route.path, bearing(c.pro))
		if err != nil {
			t.Fatal(err)
		}
		reached++
		for _, order := range permutations("anonymous", "developer", "pro", "bad") {
			url++
			path := route.path + "?ordre=" + strconv.Itoa(url)
			if strings.Contains(route.path, "?") {
				path = route.path + "&ordre=" + strconv.Itoa(url)
			}
			stored := false
			for _, who := range append(order, order...) {
				a := c.ask(t, address(url), path, c.credentials(who))
				told := fmt.Sprintf("%s for %s, in the order %v: %d %.200s %v", path, who, order, a.status, a.body, a.header)
				if hit := c.hit(a.header); hit != (who == "anonymous" && stored) {
					t.Fatalf("a hit is %v: %s", hit, told)
				} else if !hit {
					reached++
				}
				switch who {
				case "anonymous":
					c.isOpen(t, a, route.open, want, told)
					stored = a.status == http.StatusOK
				case "bad":
					if a.status != http.StatusUnauthorized || limited(a) || !unkept(a) {
						t.Fatal(told)
					}
				default:
					tier := map[string]string{"developer": "free", "pro": "pro"}[who]
					good := a.status == route.keyed && a.body == want.body && a.header.Get("X-Ratelimit-Tier") == tier
					private := a.header.Get("Cache-Control") == "private, no-cache"
					if !good || private != (a.status == http.StatusOK) || !private && !unkept(a) {
						t.Fatal(told)
					}
					if id := a.header.Get("X-Request-Id"); id == "" || ids[id] {
						t.Fatalf("not an answer of its own: %s", told)
					} else {
						ids[id] = true
					}
				}
			}
		}
	}
	if got := c.requests() - before; got != float64(reached) {
		t.Errorf("the node got %v requests, want %d", got, reached)
	}
}

// isOpen checks an answer that anybody may read.
func (c *cache) isOpen(t *testing.T, a answer, status int, want answer, told string) {
	t.Helper()
	good := a.status == status && !limited(a)
	if status == http.StatusOK {
		good = good && a.body == want.body && a.header.Get("Cache-Control") == "s-maxage=3600, stale-while-revalidate=86400"
	} else {
		good = good && unkept(a) && !strings.Contains(a.body, "chunks")
	}
	if !good {
		t.Fatal(told)
	}
}

// ids are not chosen by clients, neither in answers nor in the node's log: the cache gives
// the node the id that it logs itself.
func (c *cache) ids(t *testing.T) {
	const chosen = "chosen-by-the-client"
	for i, key := range []string{"", c.pro} {
		header := http.Header{"X-Request-Id": {chosen}}
		if key != "" {
			header = bearing(key)
			header.Set("X-Request-Id", chosen)
		}
		a := c.ask(t, address(90_000+i), "/api/v1/stats?ids="+strconv.Itoa(i), header)
		id := a.header.Get("X-Request-Id")
		if !ok(a) || id == "" || id == chosen {
			t.Errorf("the client chose the id: %d %v", a.status, a.header)
		}
		c.node.await(0, id, 20*time.Second)
	}
	if strings.Contains(c.node.stderr.from(0), chosen) {
		t.Error("the node logs an id that a client chose")
	}
}

func limited(a answer) bool {
	for name := range a.header {
		if strings.HasPrefix(name, "X-Ratelimit-") {
			return true
		}
	}
	return false
}

func unkept(a answer) bool { return a.header.Get("Cache-Control") == "no-store" }

// quota is charged to the client behind the cache, whatever it claims to be, and
// only for what the cache has to ask for.
func (c *cache) quota(t *testing.T) {
	const greedy, modest = "127.77.0.1", "127.77.0.2"
	path := func(i int) string { return "/api/v1/stats?quota=" + strconv.Itoa(i) }
	daily := account.Anonymous.Limits().Daily
	for i := range daily {
		if a := c.ask(t, greedy, path(i), nil); !ok(a) {
			t.Fatalf("request %d: %d %s", i+1, a.status, a.body)
		}
	}
	for _, claim := range []http.Header{nil, {"X-Forwarded-For": {"198.51.100.7"}}, {"X-Real-Ip": {"198.51.100.7"}}, {"Forwarded": {"for=198.51.100.7"}}} {
		if a := c.ask(t, greedy, path(daily), claim); a.status != http.StatusTooManyRequests || c.hit(a.header) || !unkept(a) {
			t.Errorf("over the quota, claiming %v: %d %s %v", claim, a.status, a.body, a.header)
		}
	}
	// The refusal was about that client alone.
	if a := c.ask(t, modest, path(daily), nil); !ok(a) || c.hit(a.header) {
		t.Errorf("somebody else: %d %s %v", a.status, a.body, a.header)
	}
	charges := c.node.metric("palmares_quota_charges_total")
	for i := range 2 * daily {
		who := [...]string{greedy, modest}[i%2]
		if a := c.ask(t, who, path(i%(daily+1)), nil); !ok(a) || !c.hit(a.header) {
			t.Fatalf("from the cache, for %s: %d %s %v", who, a.status, a.body, a.header)
		}
	}
	if got := c.node.metric("palmares_quota_charges_total"); got != charges {
		t.Errorf("hits were charged: %v before, %v after", charges, got)
	}
}

// encodings asks for one URL in several encodings, in two orders.
func (c *cache) encodings(t *testing.T) {
	want := get(t, c.node.public+"/api/v1/tools").body
	for i, order := range [][]string{{"", "gzip", "identity", "gzip, deflate, br"}, {"gzip, deflate, br", "gzip", "identity", ""}} {
		hits := 0
		for _, accepted := range append(order, order...) {
			header := http.Header{}
			if accepted != "" {
				header.Set("Accept-Encoding", accepted)
			}
			a := c.ask(t, address(i), "/api/v1/tools?codage="+strconv.Itoa(i), header)
			if c.hit(a.header) {
				hits++
			}
			body, coding := a.body, a.header.Get("Content-Encoding")
			if coding == "gzip" {
				body = gunzip(t, a.body)
			}
			if wanted := strings.Contains(accepted, "gzip"); wanted != (coding == "gzip") || !wanted && coding != "" || body != want {
				t.Fatalf("Accept-Encoding %q: %d %v %.80q", accepted, a.status, a.header, a.body)
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
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// conditions sends tags back: the cache answers the anonymous by itself, and the
// node key holders: for free, behind what is recommended.
func (c *cache) conditions(t *testing.T) {
	const path, who = "/api/v1/tools?condition=1", "127.78.0.1"
	first := c.ask(t, who, path, nil)
	tag := first.header.Get("Etag")
	reached := c.requests()
	for range 3 {
		a := c.ask(t, who, path, http.Header{"If-None-Match": {tag}})
		if a.status != http.StatusNotModified || a.body != "" || limited(a) {
			t.Errorf("If-None-Match %s: %d %v", tag, a.status, a.header)
		}
	}
	if got := c.requests(); got != reached {
		t.Errorf("the node was asked %v times", got-reached)
	}
	if a := c.ask(t, who, path, http.Header{"If-None-Match": {`"autre"`}}); !ok(a) || a.body != first.body {
		t.Errorf("another tag: %d %.80s", a.status, a.body)
	}

	keyed := bearing(c.developer)
	tag = c.ask(t, who, path, keyed).header.Get("Etag")
	keyed.Set("If-None-Match", tag)
	charges := c.node.metric("palmares_quota_charges_total")
	a := c.ask(t, who, path, keyed)
	switch {
	case c.hit(a.header) || a.header.Get("X-Ratelimit-Tier") != "free":
		t.Errorf("with a key, If-None-Match %s: %d %v", tag, a.status, a.header)
	case !c.recommended: // caches that look a keyed request up ask for the whole, and have it charged
	case a.status != http.StatusNotModified || c.node.metric("palmares_quota_charges_total") != charges:
		t.Errorf("with a key, If-None-Match %s: %d, charged %v", tag, a.status, c.node.metric("palmares_quota_charges_total")-charges)
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
			db, dir := pgtest.Migrated(t), copyOf(t, fixtureCatalog)
			palmares(t, database(db), "publish", dir)
			n := serve(t, db, proxied(t)...)
			n.ready(10 * time.Second)
			c := cfg.start(t, cfg.file, hasten(t, n.public))
			const path, who = "/api/v1/tools/ame", "127.79.0.1"
			if a := c.ask(t, who, path, nil); !says(`"price":"5 €/mois"`)(a) || c.hit(a.header) {
				t.Fatalf("%d %s %v", a.status, a.body, a.header)
			}

			// It gets old: clients go on being answered at once, and it is renewed behind
			// their backs. nginx counts in whole seconds, so that may take two.
			for began := time.Now(); !strings.Contains(get(t, n.admin+"/metrics").body, `code="304"`); time.Sleep(100 * time.Millisecond) {
				if a := c.ask(t, who, path, nil); !c.kept(a) {
					t.Errorf("when it is old, a client waits for the node: %d %v", a.status, a.header)
				}
				if time.Since(began) > patience(5*time.Second) {
					t.Fatal("it was not renewed with a 304")
				}
			}

			edit(t, filepath.Join(dir, "tools/ame.md"), "5 €/mois", "6 €/mois")
			palmares(t, database(db), "publish", dir)
			eventually(t, n.public+path, seenWithin, says(`"price":"6 €/mois"`))
			c.purge()
			if a := c.ask(t, who, path, nil); !says(`"price":"6 €/mois"`)(a) || c.hit(a.header) {
				t.Errorf("after the purge: %d %s %v", a.status, a.body, a.header)
			}

			// This client uses up its quota. It is told so, but not of what is kept.
			for i := range account.Anonymous.Limits().Daily {
				c.ask(t, who, "/api/v1/stats?n="+strconv.Itoa(i), nil)
			}
			if a := c.ask(t, who, "/api/v1/stats?n=last", nil); a.status != http.StatusTooManyRequests {
				t.Errorf("over the quota: %d %s", a.status, a.body)
			}
			goesOn := func(when string) {
				for range 15 { // long enough for it to get old, and be asked for
					if a := c.ask(t, who, path, nil); !says(`"price":"6 €/mois"`)(a) || !c.kept(a) {
						t.Fatalf("%s, what is kept: %d %s %v", when, a.status, a.body, a.header)
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

// hasten stands between a cache and a node and makes an hour a second.
func hasten(t *testing.T, node string) string {
	t.Helper()
	target, err := url.Parse(node)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"]
			r.SetXForwarded()
		},
		ModifyResponse: func(r *http.Response) error {
			r.Header.Set("Cache-Control", strings.Replace(r.Header.Get("Cache-Control"), "s-maxage=3600", "s-maxage=1", 1))
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	})
	t.Cleanup(s.Close)
	return s.URL
}

func edit(t *testing.T, file, before, after string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, bytes.Replace(text, []byte(before), []byte(after), 1), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A cache is a running Varnish or nginx.
type cache struct {
	url   string
	hit   func(http.Header) bool // whether an answer is one that was kept
	purge func()

	node           *node
	recommended    bool
	developer, pro string // keys
}

// requests is how many requests have reached the node. It counts them just after
// they are answered.
func (c *cache) requests() float64 {
	time.Sleep(50 * time.Millisecond)
	return c.node.metric("palmares_http_requests_total")
}

// kept reports whether an answer was kept, be it old.
func (c *cache) kept(a answer) bool {
	state := a.header.Get("X-Cache")
	return c.hit(a.header) || state == "STALE" || state == "UPDATING"
}

func (c *cache) credentials(who string) http.Header {
	switch who {
	case "developer":
		return bearing(c.developer)
	case "pro":
		return bearing(c.pro)
	case "bad":
		return bearing(account.NewKey().Reveal()) // well formed, and nobody's
	}
	return nil
}

// address is one of many clients.
func address(i int) string { return fmt.Sprintf("127.66.%d.%d", i/200, i%200+1) }

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

func (c *cache) ask(t *testing.T, from, path string, header http.Header) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(context.WithValue(t.Context(), sourceAddress{}, from), http.MethodGet, c.url+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(req.Header, header)
	resp, err := remote.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(body)}
}

// permutations lists every order of the names.
func permutations(names ...string) (all [][]string) {
	if len(names) == 0 {
		return [][]string{nil}
	}
	for i, name := range names {
		var rest []string
		rest = append(append(rest, names[:i]...), names[i+1:]...)
		for _, p := range permutations(rest...) {
			all = append(all, append([]string{name}, p...))
		}
	}
	return all
}

func startVarnish(t *testing.T, file, origin string) *cache {
	t.Helper()
	dir, listen := t.TempDir(), freeAddress(t)
	vcl := filepath.Join(dir, "test.vcl")
	_, port, _ := strings.Cut(strings.TrimPrefix(origin, "http://"), ":")
	configure(t, file, vcl, `.port = "8080"`, `.port = "`+port+`"`)
	launch(t, listen, "/usr/sbin/varnishd", "varnish", "-F", "-j", "none", "-n", filepath.Join(dir, "work"), "-a", listen, "-f", vcl, "-s", "malloc,32m",
		"-p", "thread_pool_min=10", "-p", "thread_pool_max=50", "-p", "vsl_space=8m")
	c := &cache{
		url: "http://" + listen,
		// A hit names the request that filled the cache beside its own.
		hit: func(h http.Header) bool { return strings.Contains(h.Get("X-Varnish"), " ") && h.Get("Age") != "" },
	}
	c.purge = func() {
		for _, try := range []struct {
			from, through string
			want          int
		}{{"127.79.0.9", "", 405}, {"127.0.0.1", "127.79.0.9", 405}, {"127.0.0.1", "", 200}} {
			req, err := http.NewRequestWithContext(context.WithValue(t.Context(), sourceAddress{}, try.from), "PURGE", c.url, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			if try.through != "" {
				req.Header.Set("X-Forwarded-For", try.through)
			}
			resp, err := remote.Do(req)
			if err != nil || resp.Body.Close() != nil || resp.StatusCode != try.want {
				t.Fatalf("PURGE from %s, through %q: %v %v, want %d", try.from, try.through, resp, err, try.want)
			}
		}
	}
	return c
}

func startNginx(t *testing.T, file, origin string) *cache {
	t.Helper()
	dir, listen := t.TempDir(), freeAddress(t)
	stored := filepath.Join(dir, "cache")
	configure(t, file, filepath.Join(dir, "site.conf"), "listen 80;", "listen "+listen+";",
		"127.0.0.1:8080", strings.TrimPrefix(origin, "http://"), "/var/cache/nginx/palmares", stored)
	configure(t, "testdata/nginx/nginx.conf", filepath.Join(dir, "nginx.conf"), "DIR", dir)
	args := []string{"-p", dir, "-c", filepath.Join(dir, "nginx.conf")}
	if os.Geteuid() == 0 {
		args = append(args, "-g", "user root;") // the directory is the test's
	}
	launch(t, listen, "/usr/sbin/nginx", "nginx-light", args...)
	return &cache{
		url: "http://" + listen,
		hit: func(h http.Header) bool { return h.Get("X-Cache") == "HIT" },
		purge: func() {
			files, err := filepath.Glob(stored + "/*")
			for _, f := range files {
				err = errors.Join(err, os.RemoveAll(f))
			}
			if err != nil {
				t.Fatal(err)
			}
		},
	}
}

// configure copies a configuration with other values in it. Each must be there.
func configure(t *testing.T, from, to string, oldnew ...string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(oldnew); i += 2 {
		if !bytes.Contains(text, []byte(oldnew[i])) {
			t.Fatalf("%s does not hold %q", from, oldnew[i])
		}
		text = bytes.ReplaceAll(text, []byte(oldnew[i]), []byte(oldnew[i+1]))
	}
	if err := os.WriteFile(to, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// launch runs a server and waits until it accepts connections.
func launch(t *testing.T, listen, program, debian string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		pgtest.Missing(t, "no %s: install one, for instance with apt-get install %s", program, debian)
	}
	cmd := exec.Command(program, args...)
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() {
		cmd.Wait()
		close(exited)
	}()
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-exited:
		case <-time.After(10 * time.Second):
			cmd.Process.Kill()
			<-exited
		}
		if t.Failed() {
			t.Logf("%s printed:\n%s", program, printed.String())
		}
	})
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if conn, err := net.Dial("tcp", listen); err == nil {
			conn.Close()
			return
		}
		select {
		case <-exited:
			t.Fatalf("%s ended:\n%s", program, printed.String())
		default:
		}
		if time.Since(began) > 30*time.Second {
			t.Fatalf("%s does not listen on %s", program, listen)
		}
	}
}
