package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// StatusClientClosed is logged when the client went away before it was answered.
// No RFC defines it; nginx made it customary.
const StatusClientClosed = 499

// An Error is a failure with two faces: Status and Message are for the client,
// Cause is for the log alone.
type Error struct {
	Status  int
	Message string
	Cause   error
	Header  http.Header // set on the answer, for instance Retry-After
}

// Errorf makes an Error without a cause.
func Errorf(status int, format string, args ...any) *Error {
	return &Error{Status: status, Message: fmt.Sprintf(format, args...)}
}

// Wrap makes an Error whose cause is logged and never sent.
func Wrap(status int, message string, cause error) *Error {
	return &Error{Status: status, Message: message, Cause: cause}
}

// AsError finds the Error in err. Any other error becomes a 500 that tells the
// client nothing and keeps err as its cause; a cancelled context becomes a
// StatusClientClosed. AsError(nil) is nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	switch {
	case errors.As(err, &e):
		if error(e) == err { //nolint:errorlint // identity is the question here
			return e
		}
		// What was wrapped around e says where it happened: keep it for the log.
		return &Error{Status: e.Status, Message: e.Message, Cause: err, Header: e.Header}
	case errors.Is(err, context.Canceled):
		return Wrap(StatusClientClosed, "client closed request", err)
	default:
		return Wrap(http.StatusInternalServerError, "internal error", err)
	}
}

// Error gives the message and the cause: it is for logs, not for clients.
func (e *Error) Error() string {
	if e.Cause == nil {
		return e.Message
	}
	return e.Message + ": " + e.Cause.Error()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// loggable is what the log line says of err: its cause where it has one, since
// the status and the path already say the rest.
func loggable(err error) string {
	if e, ok := err.(*Error); ok && e.Cause != nil { //nolint:errorlint // only the outermost layer is peeled
		err = e.Cause
	}
	return err.Error()
}

// writePlainError answers in plain text: the default of ObserverOptions.WriteError.
func writePlainError(w http.ResponseWriter, _ *http.Request, e *Error) {
	h := w.Header()
	for name, values := range e.Header {
		h[name] = values
	}
	h.Set("Cache-Control", "no-store")
	http.Error(w, e.Message, e.Status)
}
