package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
)

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
