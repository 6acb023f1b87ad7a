package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// observed is a small site under an Observer on a real listener.
type observed struct {
	url      string
	client   *http.Client
	log      *logRecorder
	registry *prometheus.Registry
}

func observe(t *testing.T, routes map[string]http.HandlerFunc, opts ObserverOptions) observed {
	t.Helper()
	site := observed{log: &logRecorder{}, registry: prometheus.NewRegistry()}
	opts.Logger, opts.Registry = site.log.logger(), site.registry
	mux := http.NewServeMux()
	for pattern, h := range routes {
		mux.HandleFunc(pattern, h)
	}
	site.url, site.client = start(t, NewObserver(opts).Wrap(mux))
	return site
}

func (s observed) do(t *testing.T, method, path string, header http.Header) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	response, err := s.client.Do(r)
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

// line waits for the one access line: the client has its answer before the
// server has written it.
func (s observed) line(t *testing.T) map[string]any {
	t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	for {
		lines := s.log.lines(t, "request")
		if len(lines) == 1 {
			return lines[0]
		}
		if len(lines) > 1 || time.Now().After(deadline) {
			t.Fatalf("%d access lines, want 1:\n%s", len(lines), s.log)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestAccessLine(t *testing.T) {
	t.Parallel()
	clock := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ticks := 0
	proxies, err := ParseProxies([]string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	var client netip.Addr
	site := observe(t, map[string]http.HandlerFunc{
		"GET /tools/{slug}": func(w http.ResponseWriter, _ *http.Request) {
			client = ClientAddr(w)
			w.WriteHeader(http.StatusTeapot)
			_, _ = io.WriteString(w, "short and stout")
		},
	}, ObserverOptions{Proxies: proxies, Now: func() time.Time {
		ticks++
		return clock.Add(time.Duration(ticks) * time.Millisecond)
	}})
	site.do(t, "GET", "/tools/chat%20bot?key=plm_secret", http.Header{
		"X-Forwarded-For": {"6.6.6.6, 203.0.113.77"},
		"X-Request-Id":    {"from-the-client"},
		"User-Agent":      {strings.Repeat("é", 200)},
	})
	got := site.line(t)
	want := map[string]any{
		"time": "2026-03-01T12:00:00.002Z", "level": "INFO", "msg": "request",
		"method": "GET", "path": "/tools/chat%20bot", "route": "/tools/{slug}", "status": 418.0,
		"bytes": 15.0, "duration_us": 1000.0, "client": "203.0.113.0/24",
		"request_id": "from-the-client", "user_agent": strings.Repeat("é", 120),
	}
	for field, value := range want {
		if got[field] != value {
			t.Errorf("%s is %v, want %v", field, got[field], value)
		}
	}
	if len(got) != len(want) {
		t.Errorf("fields %v, want exactly %v", got, want)
	}
	if client != netip.MustParseAddr("203.0.113.77") {
		t.Errorf("the handler sees the client as %v", client)
	}
	if strings.Contains(site.log.String(), "plm_secret") {
		t.Error("the query string is in the log")
	}
}

func TestHeadSendsNoBytes(t *testing.T) {
	t.Parallel()
	site := observe(t, map[string]http.HandlerFunc{
		"GET /x": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 100)) },
	}, ObserverOptions{})
	site.do(t, "HEAD", "/x", nil)
	if got := site.line(t)["bytes"]; got != 0.0 {
		t.Errorf("a HEAD is logged with %v bytes", got)
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	site := observe(t, map[string]http.HandlerFunc{
		"GET /x": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, RequestID(w)) },
	}, ObserverOptions{Proxies: Proxies{netip.MustParsePrefix("127.0.0.0/8")}})
	tests := []struct {
		name     string
		incoming []string
		kept     bool
	}{
		{"absent", nil, false},
		{"every kind of character", []string{"aZ09._-"}, true},
		{"one character", []string{"a"}, true},
		{"64 characters", []string{strings.Repeat("a", 64)}, true},
		{"65 characters", []string{strings.Repeat("a", 65)}, false},
		{"empty", []string{""}, false},
		{"a space", []string{"a b"}, false},
		{"a quote", []string{`a"b`}, false},
		{"not ASCII", []string{"é"}, false},
		{"two", []string{"first", "second"}, true},
		{"an API key", []string{"plm_CIkcE7lptpp24UC0aKyEsO88gcqGpW1jL9BX"}, false},
	}
	seen := map[string]bool{}
	for _, tt := range tests {
		response, body := site.do(t, "GET", "/x", http.Header{"X-Request-Id": tt.incoming})
		sent := response.Header.Values("X-Request-Id")
		switch {
		case len(sent) != 1 || sent[0] != body:
			t.Errorf("%s: the answer carries %q, the handler saw %q", tt.name, sent, body)
		case tt.kept && body != tt.incoming[0]:
			t.Errorf("%s: got %q", tt.name, body)
		case !tt.kept && (len(body) < 16 || !validRequestID(body) || seen[body]):
			t.Errorf("%s: %q is not a new id", tt.name, body)
		}
		seen[body] = true
	}
	stranger := observe(t, map[string]http.HandlerFunc{
		"GET /x": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, RequestID(w)) },
	}, ObserverOptions{})
	if _, body := stranger.do(t, "GET", "/x", http.Header{"X-Request-Id": {"mine"}}); body == "mine" {
		t.Error("an id of a client that is no trusted proxy is kept")
	}
	if RequestID(httptest.NewRecorder()) != "" {
		t.Error("there is an id outside an Observer")
	}
}

func TestRequestIDsDiffer(t *testing.T) {
	t.Parallel()
	var batch idBatch
	seen := map[string]bool{}
	for range 10 * idsAhead {
		id := batch.choose(nil)
		if len(id) != 1 || cap(id) != 1 || len(id[0]) != idChars || seen[id[0]] {
			t.Fatalf("bad id %q", id)
		}
		seen[id[0]] = true
	}
}

func TestPanicBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	site := observe(t, map[string]http.HandlerFunc{
		"GET /x": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", "s-maxage=3600")
			w.Header().Set("Etag", `"x"`)
			w.Header().Set("X-Kept", "yes")
			panic("boom\nlevel=INFO forged")
		},
	}, ObserverOptions{WriteError: func(w http.ResponseWriter, _ *http.Request, err *Error) {
		w.WriteHeader(err.Status)
		_, _ = fmt.Fprintf(w, "sorry: %s", err.Message)
	}})
	response, body := site.do(t, "GET", "/x", nil)
	if response.StatusCode != 500 || body != "sorry: internal error" {
		t.Errorf("got %d %q", response.StatusCode, body)
	}
	if h := response.Header; h.Get("Cache-Control") != "" || h.Get("Etag") != "" || h.Get("X-Kept") != "yes" || h.Get("X-Request-Id") == "" {
		t.Errorf("headers of the answer that was not: %v", h)
	}
	line := site.line(t)
	if line["level"] != "ERROR" || line["status"] != 500.0 || !strings.Contains(line["error"].(string), "panic: boom") {
		t.Errorf("access line %v", line)
	}
	panics := site.log.lines(t, "panic")
	if len(panics) != 1 || !strings.Contains(panics[0]["stack"].(string), "TestPanicBeforeTheAnswer") ||
		panics[0]["request_id"] != response.Header.Get("X-Request-Id") {
		t.Errorf("panic lines %v", panics)
	}
	if got := series(t, site.registry)["palmares_http_panics_total{}"]; got != 1 {
		t.Errorf("%v panics counted", got)
	}
}

func TestPanicAmidTheAnswer(t *testing.T) {
	t.Parallel()
	for name, cause := range map[string]any{"panic": errors.New("boom"), "abort": http.ErrAbortHandler} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := observe(t, map[string]http.HandlerFunc{
				"GET /x": func(w http.ResponseWriter, _ *http.Request) {
					_, _ = io.WriteString(w, "half")
					w.(http.Flusher).Flush()
					panic(cause)
				},
			}, ObserverOptions{})
			r, err := http.NewRequestWithContext(t.Context(), "GET", site.url+"/x", nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := site.client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if body, err := io.ReadAll(response.Body); err == nil {
				t.Errorf("a cut answer passes for complete: %q", body)
			}
			line := site.line(t)
			level := map[string]string{"panic": "ERROR", "abort": "INFO"}[name]
			if line["status"] != 200.0 || line["level"] != level {
				t.Errorf("access line %v", line)
			}
			if got := len(site.log.lines(t, "panic")); got != map[string]int{"panic": 1, "abort": 0}[name] {
				t.Errorf("%d panics logged", got)
			}
			if got := series(t, site.registry)["palmares_http_requests_in_flight{}"]; got != 0 {
				t.Errorf("%v requests in flight after the end", got)
			}
		})
	}
}

func TestAbortBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	site := observe(t, map[string]http.HandlerFunc{
		"GET /x": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	}, ObserverOptions{})
	r, err := http.NewRequestWithContext(t.Context(), "GET", site.url+"/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	if response, err := site.client.Do(r); err == nil {
		_ = response.Body.Close()
		t.Errorf("answered %s", response.Status)
	}
	deadline := time.Now().Add(5 * time.Second)
	for len(site.log.lines(t, "request")) == 0 && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	for _, line := range site.log.lines(t, "request") { // the transport may have tried again
		if line["status"] != float64(StatusClientClosed) {
			t.Errorf("access line %v", line)
		}
	}
}

func TestSetError(t *testing.T) {
	t.Parallel()
	cause := errors.New("dial tcp: refused\nlevel=INFO msg=forged")
	for status, level := range map[int]string{503: "ERROR", 404: "INFO"} {
		site := observe(t, map[string]http.HandlerFunc{
			"GET /x": func(w http.ResponseWriter, _ *http.Request) {
				SetError(w, Wrap(status, "for the client", cause))
				w.WriteHeader(status)
			},
		}, ObserverOptions{})
		site.do(t, "GET", "/x", nil)
		line := site.line(t)
		if line["level"] != level || line["error"] != "dial tcp: refused\ufffdlevel=INFO msg=forged" {
			t.Errorf("%d: access line %v", status, line)
		}
	}
	SetError(httptest.NewRecorder(), cause) // does nothing, quietly
}

func TestHandler(t *testing.T) {
	t.Parallel()
	log := &logRecorder{}
	o := NewObserver(ObserverOptions{Logger: log.logger()})
	tests := []struct {
		name   string
		err    error
		status int
		body   string
	}{
		{"none", nil, 200, ""},
		{"an Error", &Error{Status: 429, Message: "slow down", Header: http.Header{"Retry-After": {"7"}}}, 429, "slow down\n"},
		{"another", errors.New("secret"), 500, "internal error\n"},
		{"cancelled, but not by the client", context.Canceled, 500, "internal error\n"},
	}
	for _, tt := range tests {
		w := httptest.NewRecorder()
		o.Wrap(o.Handler(func(http.ResponseWriter, *http.Request) error { return tt.err })).
			ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/", nil))
		if w.Code != tt.status || w.Body.String() != tt.body {
			t.Errorf("%s: got %d %q", tt.name, w.Code, w.Body)
		}
		if tt.err != nil && w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: an error may be cached", tt.name)
		}
		if tt.status == 429 && w.Header().Get("Retry-After") != "7" {
			t.Errorf("%s: the error's header is missing", tt.name)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	o.Wrap(o.Handler(func(_ http.ResponseWriter, r *http.Request) error { return r.Context().Err() })).
		ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(gone, "GET", "/", nil))
	lines := log.lines(t, "request")
	if last := lines[len(lines)-1]; last["status"] != float64(StatusClientClosed) || last["level"] != "INFO" {
		t.Errorf("a client that left is logged as %v", last)
	}
}

func TestHandlerFailsAmidTheAnswer(t *testing.T) {
	t.Parallel()
	log := &logRecorder{}
	o := NewObserver(ObserverOptions{Logger: log.logger()})
	defer func() {
		if recover() != http.ErrAbortHandler { //nolint:errorlint // this very value
			t.Error("the connection is not cut")
		}
		if line := log.lines(t, "request")[0]; line["level"] != "ERROR" || line["error"] != "late" {
			t.Errorf("access line %v", line)
		}
	}()
	o.Wrap(o.Handler(func(w http.ResponseWriter, _ *http.Request) error {
		_, _ = io.WriteString(w, "half")
		return errors.New("late")
	})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "/", nil))
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	site := observe(t, map[string]http.HandlerFunc{
		"GET /tools/{slug}": func(w http.ResponseWriter, r *http.Request) {
			if r.PathValue("slug") == "none" {
				http.NotFound(w, r)
			}
		},
		"POST /tools/{slug}": func(http.ResponseWriter, *http.Request) {},
		"/any":               func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(799) },
	}, ObserverOptions{})
	for _, request := range [][2]string{
		{"GET", "/tools/a"},
		{"GET", "/tools/b"},
		{"HEAD", "/tools/a"},
		{"GET", "/tools/none"},
		{"POST", "/tools/a"},
		{"DELETE", "/tools/a"},
		{"GET", "/nowhere/1"},
		{"GET", "/nowhere/2"},
		{"BREW", "/any"},
		{"STEEP", "/any"},
	} {
		site.do(t, request[0], request[1], nil)
	}
	want := map[string]float64{
		"palmares_http_requests_total{code=200,method=GET,route=/tools/{slug}}":  2,
		"palmares_http_requests_total{code=200,method=HEAD,route=/tools/{slug}}": 1,
		"palmares_http_requests_total{code=404,method=GET,route=/tools/{slug}}":  1,
		"palmares_http_requests_total{code=200,method=POST,route=/tools/{slug}}": 1,
		"palmares_http_requests_total{code=405,method=DELETE,route=unmatched}":   1,
		"palmares_http_requests_total{code=404,method=GET,route=unmatched}":      2,
		"palmares_http_requests_total{code=other,method=OTHER,route=/any}":       2,
		"palmares_http_request_duration_seconds{route=/tools/{slug}}":            5,
		"palmares_http_request_duration_seconds{route=unmatched}":                3,
		"palmares_http_request_duration_seconds{route=/any}":                     2,
		"palmares_http_requests_in_flight{}":                                     0,
		"palmares_http_panics_total{}":                                           0,
	}
	deadline := time.Now().Add(5 * time.Second)
	for {
		got := series(t, site.registry)
		if fmt.Sprint(got) == fmt.Sprint(want) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("got %v\nwant %v", got, want)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestInFlight(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	var during float64
	h := NewObserver(ObserverOptions{Registry: registry}).Wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		during = series(t, registry)["palmares_http_requests_in_flight{}"]
	}))
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "/", nil))
	if during != 1 {
		t.Errorf("%v requests in flight during one", during)
	}
}

func TestResponseController(t *testing.T) {
	t.Parallel()
	site := observe(t, map[string]http.HandlerFunc{
		"GET /x": func(w http.ResponseWriter, _ *http.Request) {
			c := http.NewResponseController(w)
			if err := c.SetWriteDeadline(time.Now().Add(time.Minute)); err != nil {
				t.Errorf("deadline: %v", err)
			}
			w.WriteHeader(http.StatusEarlyHints)
			if err := c.Flush(); err != nil {
				t.Errorf("flush: %v", err)
			}
			w.WriteHeader(http.StatusAccepted) // too late
		},
	}, ObserverOptions{})
	if response, _ := site.do(t, "GET", "/x", nil); response.StatusCode != 200 {
		t.Errorf("answered %s", response.Status)
	}
	if got := site.line(t)["status"]; got != 200.0 {
		t.Errorf("logged %v, sent 200", got)
	}
}

// A handler that writes values as they are shows what the Observer lets through.
type rawHandler struct{ lines *[]string }

func (rawHandler) Enabled(context.Context, slog.Level) bool { return true }
func (h rawHandler) WithAttrs([]slog.Attr) slog.Handler     { return h }
func (h rawHandler) WithGroup(string) slog.Handler          { return h }
func (h rawHandler) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		*h.lines = append(*h.lines, a.Value.String())
		return true
	})
	return nil
}

func TestNoForgedLines(t *testing.T) {
	t.Parallel()
	var values []string
	h := NewObserver(ObserverOptions{Logger: slog.New(rawHandler{&values})}).Wrap(http.NotFoundHandler())
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
	r.Method = "GET\nforged"
	r.URL.Path = "/a\r\nforged\x00" + strings.Repeat("b", 5000)
	r.Header = http.Header{"User-Agent": {"a\x1b[31m\u2028\u202e\x85\xff forged"}, "X-Request-Id": {"a\nforged"}}
	r.RemoteAddr = "nonsense\nforged"
	h.ServeHTTP(httptest.NewRecorder(), r)
	for _, value := range values {
		if clean(value, 1<<20) != value {
			t.Errorf("%q does not print", value)
		}
		if len(value) > maxLoggedPath {
			t.Errorf("%d bytes of one value", len(value))
		}
	}
	if len(values) != 9 {
		t.Errorf("%d values: %q", len(values), values)
	}
}
