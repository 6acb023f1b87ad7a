package web

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
)

// StatusClientClosed is the status logged when the client left before it was answered. It is nginx's
// convention; no RFC defines it.
const StatusClientClosed = 499

// An Error is a failed request. Cause is only for the log, everything else is for the client.
type Error struct {
	Status  int
	Message string
	Cause   error
	Header  http.Header // set on the response, for instance Retry-After
	Reason  Reason      // see ReasonOf
}

// Errorf returns an Error without a cause.
func Errorf(status int, format string, args ...any) *Error {
	return &Error{Status: status, Message: fmt.Sprintf(format, args...)}
}

// Wrap returns an Error whose cause is logged and never sent.
func Wrap(status int, message string, cause error) *Error {
	return &Error{Status: status, Message: message, Cause: cause}
}

// WithCode sets the code and returns e.
func (e *Error) WithCode(c Code) *Error {
	e.Reason.Code = c
	return e
}

// ReasonOf returns the reason of an error. One made without a code has the usual code of its status.
func ReasonOf(e *Error) Reason {
	r := e.Reason
	if r.Code == "" {
		r.Code = codeOf(e.Status)
	}
	return r
}

// codeOf returns the code of an error that has only a status.
func codeOf(status int) Code {
	switch status {
	case http.StatusUnauthorized:
		return CodeKeyInvalid
	case http.StatusNotFound:
		return CodeNoSuchPath
	case http.StatusMethodNotAllowed:
		return CodeMethod
	case http.StatusGone:
		return CodeGone
	case http.StatusRequestEntityTooLarge:
		return CodeTooLarge
	case http.StatusTooManyRequests:
		return CodeQuota
	}
	if status >= http.StatusBadRequest && status < StatusClientClosed {
		return CodeBadParameter
	}
	return CodeUnavailable
}

// AsError returns the Error in err. Without one, a cancelled context becomes a StatusClientClosed, a
// body beyond the limit of an http.MaxBytesReader a 413, and anything else a 500 that tells the client
// nothing. err is then the cause. AsError(nil) is nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := err.(*Error); ok { //nolint:errorlint // an Error itself is returned as it is
		return e
	}
	var e *Error
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &e):
		// What was wrapped around e says where it happened: keep it for the log.
		wrapped := *e
		wrapped.Cause = err
		return &wrapped
	case errors.Is(err, context.Canceled):
		return Wrap(StatusClientClosed, "client closed request", err)
	case errors.As(err, &tooLarge):
		message := fmt.Sprintf("the request body is larger than %d bytes", tooLarge.Limit)
		return Wrap(http.StatusRequestEntityTooLarge, message, err)
	default:
		return Wrap(http.StatusInternalServerError, "internal error", err)
	}
}

// Error returns the message and the cause. It is for logs, not for clients.
func (e *Error) Error() string {
	if e.Cause == nil {
		return e.Message
	}
	return e.Message + ": " + e.Cause.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// loggable returns the text of err for the access log: its cause if it has one, because the status and
// the path are in the line already.
func loggable(err error) string {
	if e, ok := err.(*Error); ok && e.Cause != nil { //nolint:errorlint // only the outermost layer counts
		err = e.Cause
	}
	return err.Error()
}

// An ErrorWriter answers a request with an error, in the form that the clients of a surface expect:
// JSON, a page, plain text. It sends e.Status, e.Message and e.Header, and never e.Cause.
type ErrorWriter func(w http.ResponseWriter, r *http.Request, e *Error)

// WritePlainError is the ErrorWriter that answers in plain text.
func WritePlainError(w http.ResponseWriter, _ *http.Request, e *Error) {
	h := w.Header()
	maps.Copy(h, e.Header)
	h.Set("Cache-Control", "no-store")
	http.Error(w, e.Message, e.Status)
}

// Quote quotes what a client sent for use in a message, cut to 100 characters.
func Quote(s string) string {
	const maxRunes = 100
	if r := []rune(s); len(r) > maxRunes {
		s = string(r[:maxRunes-1]) + "…"
	}
	return strconv.Quote(s)
}
