package web

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestObserver_AccessLine(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /tools/{slug}", func(w http.ResponseWriter, _ *http.Request) {
		testkit.Equal(t, "the client", ClientAddr(w), netip.MustParseAddr("203.0.113.77"))
		clock.Advance(1500 * time.Microsecond)
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "short and stout")
	})
	o := observe(mux, ObserverOptions{Proxies: Proxies{netip.MustParsePrefix("127.0.0.1/32")}, Now: clock.Now})
	header := http.Header{
		"X-Forwarded-For": {"6.6.6.6, 203.0.113.77"},
		"X-Request-Id":    {"from-the-proxy"},
		"User-Agent":      {strings.Repeat("é", 200)},
	}
	want := map[string]any{
		"time": "2026-03-01T12:00:00.0015Z", "level": "INFO", "msg": "request",
		"method": "GET", "path": "/tools/chat%20bot", "route": "/tools/{slug}", "status": 418.0,
		"bytes": 15.0, "duration_us": 1500.0, "client": "203.0.113.0/24",
		"request_id": "from-the-proxy", "user_agent": strings.Repeat("é", 120),
	}
	o.do(t, "GET", "/tools/chat%20bot?key=secret", header)
	testkit.Equal(t, "the access line", o.line(t), want)

	want["time"], want["method"], want["bytes"] = "2026-03-01T12:00:00.003Z", "HEAD", 0.0
	o.do(t, "HEAD", "/tools/chat%20bot?key=secret", header)
	testkit.Equal(t, "the access line of a HEAD, which has no body", o.line(t), want)
}

func TestObserver_RequestID(t *testing.T) {
	t.Parallel()
	echo := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, RequestID(w)) })
	o := observe(echo, ObserverOptions{Proxies: Proxies{netip.MustParsePrefix("127.0.0.0/8")}})
	seen := map[string]bool{}
	check := func(o observed, name string, incoming []string, kept bool) {
		t.Helper()
		w, _ := o.do(t, "GET", "/x", http.Header{"X-Request-Id": incoming})
		body, sent := w.Body.String(), w.Header().Values("X-Request-Id")
		switch {
		case len(sent) != 1 || sent[0] != body:
			t.Errorf("%s: the answer carries %q, the handler saw %q", name, sent, body)
		case kept && body != incoming[0]:
			t.Errorf("%s: got %q", name, body)
		case !kept && (len(body) != idChars || !validRequestID(body) || seen[body]):
			t.Errorf("%s: %q is not a new id", name, body)
		}
		seen[body] = true
	}
	for _, tt := range []struct {
		name     string
		incoming []string
		kept     bool
	}{
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
	} {
		check(o, tt.name, tt.incoming, tt.kept)
	}
	for range 3 * idsAhead {
		check(o, "none", nil, false)
	}
	check(observe(echo, ObserverOptions{}), "of a client that is no trusted proxy", []string{"mine"}, false)
	testkit.Equal(t, "the id outside an Observer", RequestID(httptest.NewRecorder()), "")
}

// A panic before the answer is answered by the writer of the Observer, outside every Handler.
func TestObserver_Panic(t *testing.T) {
	t.Parallel()
	o := observe(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "s-maxage=3600")
		w.Header().Set("Etag", `"x"`)
		w.Header().Set("X-Kept", "yes")
		panic("boom\nlevel=INFO forged")
	}), ObserverOptions{WriteError: writeTestError})
	w, panicked := o.do(t, "GET", "/x", nil)
	if w.Code != 500 || w.Body.String() != "sorry: internal error" || panicked != nil {
		t.Errorf("got %d %q, then panicked with %v", w.Code, w.Body, panicked)
	}
	id := w.Header().Get("X-Request-Id")
	if h := w.Header(); h.Get("Cache-Control") != "" || h.Get("Etag") != "" || h.Get("X-Kept") != "yes" || id == "" {
		t.Errorf("headers of the answer that was not: %v", h)
	}
	if line := o.line(t); line["level"] != "ERROR" || line["status"] != 500.0 || line["error"] != "panic: boom\ufffdlevel=INFO forged" {
		t.Errorf("access line %v", line)
	}
	panics := o.log.Records(t, "panic")
	if len(panics) != 1 || !strings.Contains(panics[0]["stack"].(string), "TestObserver_Panic") || panics[0]["request_id"] != id {
		t.Errorf("panic lines %v", panics)
	}
	testkit.Equal(t, "panics counted", o.series(t)["palmares_http_panics_total{}"], 1.0)
}

// An answer that has begun, or that the handler aborts, is cut: net/http does that on
// http.ErrAbortHandler.
func TestObserver_Abort(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		begun         bool
		cause         any
		status        float64
		level         string
		panics, count int
	}{
		"panic amid the answer":   {true, errors.New("boom"), 200, "ERROR", 1, 1},
		"abort amid the answer":   {true, http.ErrAbortHandler, 200, "INFO", 0, 0},
		"abort before the answer": {false, http.ErrAbortHandler, StatusClientClosed, "INFO", 0, 0},
	} {
		o := observe(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if tt.begun {
				_, _ = io.WriteString(w, "half")
			}
			panic(tt.cause)
		}), ObserverOptions{})
		w, panicked := o.do(t, "GET", "/x", nil)
		if panicked != http.ErrAbortHandler || w.Body.String() != map[bool]string{true: "half"}[tt.begun] { //nolint:errorlint // this very value
			t.Errorf("%s: panicked with %v after %q", name, panicked, w.Body)
		}
		if line := o.line(t); line["status"] != tt.status || line["level"] != tt.level {
			t.Errorf("%s: access line %v", name, line)
		}
		testkit.Equal(t, name+": panics logged", len(o.log.Records(t, "panic")), tt.panics)
		testkit.Equal(t, name+": panics counted", o.series(t)["palmares_http_panics_total{}"], float64(tt.count))
		testkit.Equal(t, name+": requests in flight", o.series(t)["palmares_http_requests_in_flight{}"], 0.0)
	}
}

func TestSetError(t *testing.T) {
	t.Parallel()
	cause := errors.New("dial tcp: refused\nlevel=INFO msg=forged")
	for status, level := range map[int]string{503: "ERROR", 404: "INFO"} {
		o := observe(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			SetError(w, Wrap(status, "for the client", cause))
			w.WriteHeader(status)
		}), ObserverOptions{})
		o.do(t, "GET", "/x", nil)
		if line := o.line(t); line["level"] != level || line["error"] != "dial tcp: refused\ufffdlevel=INFO msg=forged" {
			t.Errorf("%d: access line %v", status, line)
		}
	}
	SetError(httptest.NewRecorder(), cause) // does nothing, quietly
}

func TestObserver_Metrics(t *testing.T) {
	t.Parallel()
	var o observed
	mux := http.NewServeMux()
	mux.HandleFunc("GET /tools/{slug}", func(w http.ResponseWriter, r *http.Request) {
		testkit.Equal(t, "requests in flight during one", o.series(t)["palmares_http_requests_in_flight{}"], 1.0)
		if r.PathValue("slug") == "none" {
			http.NotFound(w, r)
		}
	})
	mux.HandleFunc("POST /tools/{slug}", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/any", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(799) })
	o = observe(mux, ObserverOptions{})
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
		o.do(t, request[0], request[1], nil)
	}
	testkit.Equal(t, "metrics", o.series(t), map[string]float64{
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
	})
}

// Informational headers are not the answer's, a flush sends its header, and no other comes after.
func TestObserver_Status(t *testing.T) {
	t.Parallel()
	o := observe(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Errorf("flush: %v", err)
		}
		w.WriteHeader(http.StatusAccepted) // too late
	}), ObserverOptions{})
	o.do(t, "GET", "/x", nil)
	testkit.Equal(t, "logged", o.line(t)["status"], any(200.0))
}
