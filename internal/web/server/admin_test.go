package server

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

func getAdmin(t *testing.T, h http.Handler, host, path string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	r.Host, r.RemoteAddr = host, "127.0.0.1:12345"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestAdmin(t *testing.T) {
	t.Parallel()
	var reason, impaired error
	registry := prometheus.NewRegistry()
	newConnLimit("test", 7, registry)
	h := Admin(AdminOptions{Ready: func() error { return reason }, Impaired: func() error { return impaired }, Gatherer: registry})
	expect := func(h http.Handler, path string, status int, body string) {
		t.Helper()
		w := getAdmin(t, h, "", path)
		if w.Code != status || w.Body.String() != body || w.Header().Get("Cache-Control") != "no-store" ||
			w.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%s: %d %q %v", path, w.Code, w.Body, w.Header())
		}
	}
	expect(h, "/livez", 200, "ok")
	expect(h, "/readyz", 200, "ready")
	impaired = errors.New("mail is not sent")
	expect(h, "/readyz", 200, "ready, but mail is not sent")
	reason = errors.New("no snapshot yet")
	expect(h, "/readyz", 503, "no snapshot yet")
	expect(h, "/livez", 200, "ok")
	bare := Admin(AdminOptions{})
	expect(bare, "/readyz", 200, "ready")

	for path, part := range map[string]string{
		"/metrics":                       `palmares_http_connections_limit{server="test"} 7`,
		"/debug/pprof/":                  "goroutine",
		"/debug/pprof/cmdline":           "server.test",
		"/debug/pprof/goroutine?debug=1": "goroutine profile",
		"/debug/pprof/symbol":            "num_symbols",
	} {
		if w := getAdmin(t, h, "", path); w.Code != 200 || !strings.Contains(w.Body.String(), part) {
			t.Errorf("%s: %d without %q", path, w.Code, part)
		}
	}
	for path, h := range map[string]http.Handler{"/nowhere": h, "/metrics": bare} {
		if w := getAdmin(t, h, "", path); w.Code != 404 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// On a loopback address only those who ask by address or as localhost are answered: a name that
// resolves to it may be that of a hostile web page. Elsewhere that goes for profiles alone.
func TestAdmin_RefusesForeignHosts(t *testing.T) {
	t.Parallel()
	for _, loopback := range []bool{true, false} {
		h := Admin(AdminOptions{Loopback: loopback})
		for host, local := range map[string]bool{
			"127.0.0.1": true, "127.0.0.1:9090": true, "[::1]:9090": true, "[::1]": true, "::1": true, "10.1.2.3:80": true,
			"localhost": true, "LocalHost:9090": true, "": true,
			"evil.example": false, "evil.example:9090": false, "localhost.evil.example": false, "127.0.0.1.evil.example:80": false,
			"localhost@evil.example": false, "[::1].evil.example": false, ":9090:evil": false, "node-1": false,
		} {
			for _, path := range []string{"/livez", "/debug/pprof/cmdline", "/nowhere"} {
				w := getAdmin(t, h, host, path)
				refused := w.Code == http.StatusMisdirectedRequest
				if refused != ((loopback || strings.HasPrefix(path, "/debug/")) && !local) || refused && !strings.Contains(w.Body.String(), "as localhost") {
					t.Errorf("%s with the host %q, loopback %v: %d %s", path, host, loopback, w.Code, w.Body)
				}
			}
		}
	}
}

// Profiles are for whoever is on the machine, on whatever address the server listens.
func TestAdmin_ProfilesAreForThisMachine(t *testing.T) {
	t.Parallel()
	h := Admin(AdminOptions{Gatherer: prometheus.NewRegistry()})
	for from, want := range map[string]int{
		"127.0.0.1:1": 200, "[::1]:1": 200, "[::ffff:127.0.0.1]:1": 200, "127.8.8.8:1": 200,
		"10.0.0.7:1": 403, "[2001:db8::1]:1": 403, "[::ffff:10.0.0.7]:1": 403, "": 403, "@": 403,
	} {
		for _, path := range []string{"/debug/pprof/", "/debug/pprof/cmdline", "/debug/pprof/heap"} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
			r.Host, r.RemoteAddr = "10.0.0.1:9090", from
			r.Header.Set("X-Forwarded-For", "127.0.0.1")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != want {
				t.Errorf("%s from %q: %d", path, from, w.Code)
			}
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/livez", nil)
		r.RemoteAddr = from
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != 200 {
			t.Errorf("/livez from %q: %d", from, w.Code)
		}
	}
}
