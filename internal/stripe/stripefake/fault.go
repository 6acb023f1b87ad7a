package stripefake

import (
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// A fault is the server's answer to a call that it refuses. Like Stripe's, its message may repeat values
// of the request.
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

// noSuch returns the fault of a call about an object that does not exist.
func noSuch(kind, id string) *fault {
	f := invalid("id", "resource_missing", "No such %s: '%s'", kind, id)
	f.Status = http.StatusNotFound
	return f
}

// A Request is a call that the server got, with its answer.
type Request struct {
	Method, Path string
	Form         url.Values // of the query or the body
	Status       int
	Answer       []byte
}

// An answer is the answer to a call with an idempotency key, which its repetitions get, too.
type answer struct {
	of     string // the call, with its parameters
	at     time.Time
	status int
	body   []byte // nil for an answer that is not repeated
	busy   bool   // it has not been sent yet
}

// An Event is an event of Stripe's.
type Event struct {
	ID, Type string
	Customer string // that it is about; "" where Stripe does not say, as for a dispute
	Body     []byte

	at time.Time
}
