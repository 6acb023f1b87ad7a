package stripefake

import (
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// A fault is what the server answers when it refuses a call. Like Stripe's, its message names what
// was asked for.
type fault struct {
	Status  int    `json:"-"`
	Type    string `json:"type"`
	Code    string `json:"code,omitempty"`
	Param   string `json:"param,omitempty"`
	Message string `json:"message"`
}

// Error implements error.
func (f *fault) Error() string { return f.Message }

func invalid(param, code, format string, args ...any) *fault {
	return &fault{http.StatusBadRequest, "invalid_request_error", code, param, fmt.Sprintf(format, args...)}
}

// noSuch is the fault of a call about an object that does not exist.
func noSuch(kind, id string) *fault {
	f := invalid("id", "resource_missing", "No such %s: '%s'", kind, id)
	f.Status = http.StatusNotFound
	return f
}

// A Request is a call that the server got, and what it answered.
type Request struct {
	Method, Path string
	Form         url.Values // of the query or the body
	Status       int
	Answer       []byte
}

// An answer is what a call with an idempotency key got, and what its repetitions get.
type answer struct {
	of     string // the call, with its parameters
	at     time.Time
	status int
	body   []byte // nil for what is not repeated
	busy   bool   // it was not sent yet
}

// An Event tells that something happened.
type Event struct {
	ID, Type string
	Customer string // whose it is; Stripe does not say so of a dispute
	Body     []byte

	at time.Time
}
