package verify

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A visit is a request that a server of the world got.
type visit struct {
	host, path   string
	scheme       string
	begun, ended time.Time
	header       http.Header
}

// A world is an internet of one's own: a server by http and one by https that answer for every host. Their addresses
// are allowed. What is at private.example is not.
type world struct {
	handlers map[string]http.Handler // by host and path; "/robots.txt" of a host that has none is a 404
	verifier *Verifier

	mu     sync.Mutex
	visits []visit
	busy   map[string]int // requests under way by host
	most   int            // hosts that were busy at once
}

func newWorld(t *testing.T, handlers map[string]http.Handler) *world {
	t.Helper()
	w := &world{handlers: handlers, busy: make(map[string]int)}
	plain, secure := httptest.NewServer(w), httptest.NewTLSServer(w)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	roots := x509.NewCertPool()
	roots.AddCert(secure.Certificate())
	_, port, err := net.SplitHostPort(plain.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	w.verifier = &Verifier{
		Agent: "Palmares-verify/1.0 (+https://palmares.example)",
		allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
		resolve: func(address string) string {
			host, at, _ := net.SplitHostPort(address)
			switch {
			case strings.HasPrefix(host, "private."):
				return net.JoinHostPort("127.0.0.2", port)
			case strings.HasPrefix(host, "refused."):
				return "127.0.0.1:1"
			case host == "127.0.0.1" || at != "80" && at != "443":
				return net.JoinHostPort("127.0.0.3", at)
			case at == "443":
				return secure.Listener.Addr().String()
			}
			return plain.Listener.Addr().String()
		},
		tls:    &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		second: time.Millisecond,
	}
	return w
}

func (w *world) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	v := visit{host: r.Host, path: r.URL.RequestURI(), scheme: "http", begun: time.Now(), header: r.Header}
	if r.TLS != nil {
		v.scheme = "https"
	}
	w.mu.Lock()
	w.busy[v.host]++
	w.most = max(w.most, len(w.busy))
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.busy[v.host]--; w.busy[v.host] == 0 {
			delete(w.busy, v.host)
		}
		v.ended = time.Now()
		w.visits = append(w.visits, v)
	}()
	for _, key := range []string{v.scheme + "://" + r.Host + v.path, r.Host + v.path, r.Host + r.URL.Path} {
		if h := w.handlers[key]; h != nil {
			h.ServeHTTP(rw, r)
			return
		}
	}
	http.NotFound(rw, r)
}

// log are the requests, in the order of their beginning, once all have ended.
func (w *world) log(t *testing.T) []visit {
	t.Helper()
	testkit.EventuallyTrue(t, "no request is under way", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.busy) == 0
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	visits := slices.Clone(w.visits)
	slices.SortFunc(visits, func(a, b visit) int { return a.begun.Compare(b.begun) })
	return visits
}

// paths are what was asked for.
func paths(visits []visit) []string {
	all := make([]string, 0, len(visits))
	for _, v := range visits {
		all = append(all, v.host+v.path)
	}
	return all
}

func send(contentType, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write([]byte(body))
	})
}

// filler is visible text without a number, enough for a page.
var filler = strings.Repeat("Un texte comme il y en a partout. ", 10)

func send200(text string) http.Handler {
	return send("text/html; charset=utf-8", "<!doctype html><title>Page</title><p>"+filler+"</p><p>"+text+"</p>")
}

func status(code int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
}

func redirect(to string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusMovedPermanently)
	})
}

func fact(field catalog.FactField, value, source string) catalog.ItemFact {
	return catalog.ItemFact{Slug: "sujet", Tier: 1, FieldFact: catalog.FieldFact{
		Field: field, Value: value, Fact: catalog.Fact{Source: source, Checked: "2025-01-01"},
	}}
}

func price(value, source string) catalog.ItemFact {
	return fact(catalog.PriceFact, cmp.Or(value, "20 €/mois"), source)
}

func withText(f catalog.ItemFact, text string) catalog.ItemFact {
	f.Text = text
	return f
}
