package web

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

func TestAdmin(t *testing.T) {
	t.Parallel()
	var reason, impaired error
	registry := prometheus.NewRegistry()
	NewObserver(ObserverOptions{Registry: registry})
	url, client := start(t, Admin(AdminOptions{Ready: func() error { return reason }, Impaired: func() error { return impaired }, Gatherer: registry}))
	get := func(path string) (*http.Response, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "GET", url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response, string(body)
	}
	expect := func(path string, status int, body string) {
		t.Helper()
		response, got := get(path)
		if response.StatusCode != status || got != body || response.Header.Get("Cache-Control") != "no-store" ||
			!strings.HasPrefix(response.Header.Get("Content-Type"), "text/plain") {
			t.Errorf("%s: %d %q %v", path, response.StatusCode, got, response.Header)
		}
	}
	expect("/livez", 200, "ok")
	expect("/readyz", 200, "ready")
	impaired = errors.New("mail is not sent")
	expect("/readyz", 200, "ready, but mail is not sent")
	reason = errors.New("no snapshot yet")
	expect("/readyz", 503, "no snapshot yet")
	expect("/livez", 200, "ok")

	for path, part := range map[string]string{
		"/metrics":                       "palmares_http_requests_in_flight 0",
		"/debug/pprof/":                  "goroutine",
		"/debug/pprof/cmdline":           "web.test",
		"/debug/pprof/goroutine?debug=1": "goroutine profile",
		"/debug/pprof/symbol":            "num_symbols",
	} {
		if response, body := get(path); response.StatusCode != 200 || !strings.Contains(body, part) {
			t.Errorf("%s: %d without %q", path, response.StatusCode, part)
		}
	}
	if response, _ := get("/nowhere"); response.StatusCode != 404 {
		t.Errorf("/nowhere: %d", response.StatusCode)
	}
}

func TestAdminWithoutOptions(t *testing.T) {
	t.Parallel()
	url, client := start(t, Admin(AdminOptions{}))
	for path, status := range map[string]int{"/readyz": 200, "/metrics": 404} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != status {
			t.Errorf("%s: %d, want %d", path, response.StatusCode, status)
		}
	}
}

// On a loopback address only those who ask by address or as localhost are answered: a
// name that resolves to it may be that of a hostile web page.
func TestAdminRefusesForeignHosts(t *testing.T) {
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
				r := httptest.NewRequest(http.MethodGet, path, nil)
				r.Host = host
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				refused := w.Code == http.StatusMisdirectedRequest
				if refused != (loopback && !local) || refused && !strings.Contains(w.Body.String(), "as localhost") {
					t.Errorf("%s with the host %q, loopback %v: %d %s", path, host, loopback, w.Code, w.Body)
				}
			}
		}
	}
}
