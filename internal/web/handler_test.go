package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// writeTestError is an ErrorWriter whose answers can be told from those of all others.
func writeTestError(w http.ResponseWriter, _ *http.Request, e *Error) {
	maps.Copy(w.Header(), e.Header)
	w.WriteHeader(e.Status)
	_, _ = fmt.Fprintf(w, "sorry: %s", e.Message)
}

func TestHandler(t *testing.T) {
	t.Parallel()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Unix(1, 0))
	defer cancel()
	tests := []struct {
		name   string
		ctx    context.Context
		fn     HandlerFunc
		status int
		body   string
		log    string
	}{
		{name: "no error", fn: failWith(nil), status: 200},
		{
			name: "an Error", fn: failWith(Wrap(429, "slow down", errors.New("secret"))),
			status: 429, body: "sorry: slow down", log: "secret",
		},
		{
			name: "another error", fn: failWith(errors.New("secret")),
			status: 500, body: "sorry: internal error", log: "secret",
		},
		{
			name: "cancelled, but not by the client", fn: failWith(context.Canceled),
			status: 500, body: "sorry: internal error", log: "context canceled",
		},
		{
			name: "too late, but not for the client", fn: failWith(context.DeadlineExceeded),
			status: 500, body: "sorry: internal error", log: "context deadline exceeded",
		},
		{
			name: "the client left", ctx: gone, fn: failWith(context.Canceled),
			status: StatusClientClosed, body: "sorry: client closed request", log: "context canceled",
		},
		{
			name: "the request timed out", ctx: late, fn: failWith(context.DeadlineExceeded),
			status: 503, body: "sorry: the request took too long", log: "context deadline exceeded",
		},
		{
			name: "a body too large", fn: func(w http.ResponseWriter, r *http.Request) error {
				_, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 3))
				return err
			},
			status: 413, body: "sorry: the request body is larger than 3 bytes", log: "http: request body too large",
		},
		{
			name: "a panic", fn: func(http.ResponseWriter, *http.Request) error { panic("secret") },
			status: 500, body: "sorry: internal error", log: "panic: secret",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := observe(Handler(tt.fn, writeTestError), ObserverOptions{})
			ctx := tt.ctx
			if ctx == nil {
				ctx = t.Context()
			}
			w := httptest.NewRecorder()
			o.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "POST", "/", strings.NewReader("body")))
			if w.Code != tt.status || w.Body.String() != tt.body {
				t.Errorf("got %d %q", w.Code, w.Body)
			}
			line := o.line(t)
			if logged, _ := line["error"].(string); line["status"] != float64(tt.status) || logged != tt.log {
				t.Errorf("logged as %v", line)
			}
		})
	}
}

func failWith(err error) HandlerFunc {
	return func(http.ResponseWriter, *http.Request) error { return err }
}

func TestHandler_FailsAmidTheAnswer(t *testing.T) {
	t.Parallel()
	o := observe(Handler(func(w http.ResponseWriter, _ *http.Request) error {
		_, _ = io.WriteString(w, "half")
		return errors.New("late")
	}, writeTestError), ObserverOptions{})
	w, panicked := o.do(t, "GET", "/", nil)
	if panicked != http.ErrAbortHandler || w.Body.String() != "half" { //nolint:errorlint // this very value
		t.Errorf("the connection is not cut: %v after %q", panicked, w.Body)
	}
	if line := o.line(t); line["level"] != "ERROR" || line["error"] != "late" {
		t.Errorf("access line %v", line)
	}
}

func TestWritePlainError(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	WritePlainError(w, nil, &Error{
		Status: 429, Message: "slow down", Cause: errors.New("secret"), Header: http.Header{"Retry-After": {"7"}},
	})
	testkit.Equal(t, "status", w.Code, 429)
	testkit.Equal(t, "body", w.Body.String(), "slow down\n")
	testkit.Equal(t, "headers", w.Header(), http.Header{
		"Cache-Control": {"no-store"}, "Content-Type": {"text/plain; charset=utf-8"}, "Retry-After": {"7"},
		"X-Content-Type-Options": {"nosniff"},
	})
}

func TestMux(t *testing.T) {
	t.Parallel()
	mux := NewMux(writeTestError)
	mux.Handle("GET /tools/{slug}", func(w http.ResponseWriter, r *http.Request) error {
		_, err := io.WriteString(w, r.PathValue("slug"))
		return err
	})
	mux.Handle("POST /tools/{slug}", failWith(Errorf(409, "taken")))
	mux.Handle("GET /folder/", failWith(nil))
	o := observe(mux, ObserverOptions{})
	for _, tt := range []struct {
		method, path string
		status       int
		body, allow  string
		route        string
	}{
		{method: "GET", path: "/tools/a%2Fb", status: 200, body: "a/b", route: "/tools/{slug}"},
		{method: "POST", path: "/tools/a", status: 409, body: "sorry: taken", route: "/tools/{slug}"},
		{method: "GET", path: "/folder/", status: 200, route: "/folder/"},
		{method: "GET", path: "/folder", status: 404, body: "sorry: there is nothing at /folder", route: "unmatched"},
		{method: "GET", path: "/tools//a", status: 404, body: "sorry: there is nothing at /tools//a", route: "unmatched"},
		{method: "GET", path: "/nowhere", status: 404, body: "sorry: there is nothing at /nowhere", route: "unmatched"},
		{
			method: "DELETE", path: "/tools/a", status: 405, allow: "GET, HEAD, POST", route: "unmatched",
			body: "sorry: DELETE is not allowed here: use GET, HEAD, POST",
		},
	} {
		w, _ := o.do(t, tt.method, tt.path, nil)
		if w.Code != tt.status || w.Body.String() != tt.body || w.Header().Get("Allow") != tt.allow {
			t.Errorf("%s %s: got %d %q %v", tt.method, tt.path, w.Code, w.Body, w.Header())
		}
		if got := o.line(t)["route"]; got != tt.route {
			t.Errorf("%s %s: the route is %v", tt.method, tt.path, got)
		}
	}
}

func TestAsError(t *testing.T) {
	t.Parallel()
	cause := errors.New("connection refused")
	direct := Wrap(http.StatusServiceUnavailable, "try later", cause)
	tests := []struct {
		name    string
		err     error
		status  int
		message string
		text    string
	}{
		{"an Error", direct, 503, "try later", "try later: connection refused"},
		{"without a cause", Errorf(404, "no tool %q", "x"), 404, `no tool "x"`, `no tool "x"`},
		{"a wrapped Error", fmt.Errorf("look up: %w", direct), 503, "try later", "try later: look up: try later: connection refused"},
		{"any other error", cause, 500, "internal error", "internal error: connection refused"},
		{"a cancelled request", fmt.Errorf("query: %w", context.Canceled), StatusClientClosed, "client closed request", "client closed request: query: context canceled"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := AsError(tt.err)
			if got.Status != tt.status || got.Message != tt.message || got.Error() != tt.text {
				t.Errorf("got %d %q (%q), want %d %q (%q)", got.Status, got.Message, got.Error(), tt.status, tt.message, tt.text)
			}
		})
	}
	if AsError(nil) != nil {
		t.Error("AsError(nil) is not nil")
	}
	if AsError(direct) != direct {
		t.Error("an Error does not stay itself")
	}
	if !errors.Is(direct, cause) {
		t.Error("the cause cannot be found in the Error")
	}
	header := http.Header{"Retry-After": {"5"}}
	if got := AsError(fmt.Errorf("x: %w", &Error{Status: 429, Header: header})); got.Header.Get("Retry-After") != "5" {
		t.Error("a wrapped Error lost its header")
	}
}
