package stripefake

import (
	"fmt"
	"net/http"
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
