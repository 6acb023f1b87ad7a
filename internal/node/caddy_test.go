package node

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A caddy is a running Caddy that speaks TLS for an origin.
type caddy struct {
	url, plain string // https and http
	client     *http.Client
}

// startCaddy runs the configuration that is recommended, with a certificate of the test's own.
func startCaddy(t *testing.T, origin string) *caddy {
	t.Helper()
	dir, ca := t.TempDir(), testkit.NewAuthority(t)
	certificate, key := ca.Issue(t, "127.0.0.1", time.Now().Add(time.Hour))
	secure, plain := testkit.FreePort(t), testkit.FreePort(t)
	file := filepath.Join(dir, "Caddyfile")
	configure(t, "../../deploy/caddy/Caddyfile", file,
		"\tservers {", fmt.Sprintf("\tadmin off\n\tstorage file_system %s\n\thttp_port %d\n\thttps_port %d\n\tservers {", dir, plain, secure),
		"catalogue.example.org {", fmt.Sprintf("127.0.0.1 {\n\ttls %s %s", certificate, key),
		"reverse_proxy 127.0.0.1:8080", "reverse_proxy "+strings.TrimPrefix(origin, "http://"))
	listen := "127.0.0.1:" + strconv.Itoa(secure)
	launch(t, listen, "/usr/bin/caddy", "caddy", "run", "--adapter", "caddyfile", "--config", file)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(testkit.ReadFile(t, ca.File)))
	transport := &http.Transport{
		ForceAttemptHTTP2: true, DisableCompression: true, DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: roots},
		DialContext: func(ctx context.Context, network, to string) (net.Conn, error) {
			from, _ := ctx.Value(sourceAddress{}).(string)
			d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
			return d.DialContext(ctx, network, to)
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &caddy{
		url: "https://" + listen, plain: "http://127.0.0.1:" + strconv.Itoa(plain),
		client: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

func (c *caddy) ask(t *testing.T, from, url string, header http.Header) testkit.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(context.WithValue(t.Context(), sourceAddress{}, from), http.MethodGet, url, http.NoBody)
	must(t, err)
	maps.Copy(req.Header, header)
	a, err := testkit.Do(c.client, req)
	must(t, err)
	return a
}

// Behind Caddy a node knows its clients, chooses how it answers, and is reached by https alone.
func TestCaddy(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	publishDir(t, db, fixtureCatalog)
	n := startRoles(t, []string{API, Site}, db, append(proxied(t), "PALMARES_BASE_URL=https://catalogue.example.org")...)
	n.ready()
	c := startCaddy(t, n.public)

	t.Run("addresses", func(t *testing.T) {
		const greedy, modest = "127.77.0.1", "127.77.0.2"
		for i := range account.Anonymous.Limits().Daily {
			if a := c.ask(t, greedy, c.url+"/api/v1/stats?n="+strconv.Itoa(i), nil); !a.OK() {
				t.Fatalf("request %d: %v", i+1, a)
			}
		}
		for _, claim := range []http.Header{nil, {"X-Forwarded-For": {"198.51.100.7"}}, {"X-Real-Ip": {"198.51.100.7"}}, {"Forwarded": {"for=198.51.100.7"}}} {
			if a := c.ask(t, greedy, c.url+"/api/v1/stats", claim); a.Status != http.StatusTooManyRequests {
				t.Errorf("over the quota, claiming %v: %v", claim, a)
			}
		}
		if a := c.ask(t, modest, c.url+"/api/v1/stats", nil); !a.OK() {
			t.Errorf("somebody else: %v", a)
		}
	})
	t.Run("responses", func(t *testing.T) {
		for _, path := range []string{"/", "/api/v1/tools", "/compte/connexion", "/api/nulle-part"} {
			for _, accepted := range []string{"identity", "gzip", "zstd", "br"} {
				header := http.Header{"Accept-Encoding": {accepted}}
				got := c.ask(t, "127.77.0.3", c.url+path, header)
				want, err := testkit.Fetch(n.public+path, header)
				must(t, err)
				for _, name := range []string{"Content-Encoding", "Cache-Control", "Etag", "Vary", "Strict-Transport-Security"} {
					testkit.Equal(t, path+" in "+accepted+": "+name, got.Header.Values(name), want.Header.Values(name))
				}
				// What is left out has a token or an id in it.
				if got.Status != want.Status || path != "/compte/connexion" && path != "/api/nulle-part" && got.Body != want.Body {
					t.Errorf("%s in %s: %v, want %v", path, accepted, got, want)
				}
			}
		}
		page := c.ask(t, "127.77.0.3", c.url+"/", nil)
		if page.Header.Get("Strict-Transport-Security") == "" {
			t.Error("browsers are not told to come back by https")
		}
		plain := c.ask(t, "127.77.0.3", c.url+"/", http.Header{"Accept-Encoding": {"identity"}})
		testkit.Equal(t, "the tag where nothing is accepted", page.Header.Get("Etag"), plain.Header.Get("Etag"))
		tag := http.Header{"If-None-Match": {page.Header.Get("Etag")}}
		testkit.Equal(t, "a condition", c.ask(t, "127.77.0.3", c.url+"/", tag).Status, http.StatusNotModified)
	})
	t.Run("ids", func(t *testing.T) {
		const chosen = "chosen-by-the-client"
		a := c.ask(t, "127.77.0.4", c.url+"/api/v1/stats", http.Header{"X-Request-Id": {chosen}})
		id := a.Header.Get("X-Request-Id")
		if !a.OK() || id == "" || id == chosen {
			t.Errorf("the client chose the id: %v %v", a, a.Header)
		}
		n.logs(id)
		if strings.Contains(n.log.String(), chosen) {
			t.Error("the node logs an id that a client chose")
		}
	})
	t.Run("versions", func(t *testing.T) {
		resp, err := c.client.Get(c.url + "/api/v1/openapi.json")
		must(t, err)
		must(t, resp.Body.Close())
		testkit.Equal(t, "the version of HTTP", resp.Proto, "HTTP/2.0")
		a := c.ask(t, "127.77.0.5", c.plain+"/outils?q=1", nil)
		if to := a.Header.Get("Location"); a.Status/100 != 3 || !strings.HasPrefix(to, "https://127.0.0.1") || !strings.HasSuffix(to, "/outils?q=1") {
			t.Errorf("http leads to %q: %v", to, a)
		}
	})
}

// Caddy changes nothing that is signed, and keeps nothing back.
func TestCaddy_PassesOn(t *testing.T) {
	t.Parallel()
	var sent [200 << 10]byte
	_, err := rand.Read(sent[:])
	must(t, err)
	goOn := make(chan struct{})
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, err := io.ReadAll(r.Body)
			fmt.Fprint(w, r.Header.Get("Stripe-Signature"), " ", bytes.Equal(body, sent[:]), " ", err)
			return
		}
		fmt.Fprintln(w, "first")
		w.(http.Flusher).Flush()
		<-goOn
		fmt.Fprintln(w, "second")
	}))
	t.Cleanup(origin.Close)
	c := startCaddy(t, origin.URL)
	resp, err := c.client.Do(request(t, http.MethodPost, c.url+"/stripe/events", bytes.NewReader(sent[:])))
	must(t, err)
	text, err := io.ReadAll(resp.Body)
	must(t, err)
	must(t, resp.Body.Close())
	testkit.Equal(t, "an event", string(text), "t=1,v1=ab true <nil>")

	resp, err = c.client.Do(request(t, http.MethodGet, c.url+"/api/v1/export/tools.jsonl", http.NoBody))
	must(t, err)
	defer resp.Body.Close()
	first := make(chan string, 1)
	go func() {
		line := make([]byte, len("first\n"))
		io.ReadFull(resp.Body, line)
		first <- string(line)
	}()
	testkit.Equal(t, "what came before the rest was sent", testkit.Await(t, "the beginning of a response", first), "first\n")
	close(goOn)
	text, err = io.ReadAll(resp.Body)
	must(t, err)
	testkit.Equal(t, "the rest", string(text), "second\n")

	long := request(t, http.MethodGet, c.url+"/", http.NoBody)
	long.Header.Set("X-Long", strings.Repeat("a", 64<<10))
	if resp, err := c.client.Do(long); err == nil { // or the connection is closed
		must(t, resp.Body.Close())
		testkit.Equal(t, "the status of a request with a long header", resp.StatusCode, http.StatusRequestHeaderFieldsTooLarge)
	}
}

func request(t *testing.T, method, url string, body io.Reader) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, body)
	must(t, err)
	r.Header.Set("Stripe-Signature", "t=1,v1=ab")
	return r
}
