package web

import (
	"context"
	"errors"
	"net/http"
)

// A HandlerFunc answers a request, or returns an error, with which an ErrorWriter answers instead. It
// should not fail after it has begun to write: see Handler.
type HandlerFunc func(w http.ResponseWriter, r *http.Request) error

// Handler adapts fn to net/http. The error that fn returns goes to the access log and to write;
// so does a panic of fn, under an Observer. Every surface has its own write and wraps all its
// handlers this way, so that no handler has to remember to return after sending an error.
//
// Headers that fn has set stay, except those that describe a body. When fn fails after it has
// begun to write, under an Observer, the connection is cut: a response that merely ended early could
// pass for a complete one.
func Handler(fn HandlerFunc, write ErrorWriter) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rec := recorderOf(w); rec != nil {
			rec.writeError = write
		}
		if err := fn(w, r); err != nil {
			e := errorOf(r, err)
			SetError(w, e)
			replaceByError(w, r, e, write)
		}
	})
}

// errorOf is AsError for a request whose context may have ended: it is a StatusClientClosed only if
// the request itself was cancelled, and a 503 if the request ran out of time.
func errorOf(r *http.Request, err error) *Error {
	e, ended := AsError(err), r.Context().Err()
	switch {
	case e.Status == StatusClientClosed && ended == nil:
		// Something else was cancelled: this client still waits for an answer.
		return Wrap(http.StatusInternalServerError, "internal error", err)
	case e.Status == http.StatusInternalServerError &&
		errors.Is(ended, context.DeadlineExceeded) && errors.Is(err, ended):
		return Wrap(http.StatusServiceUnavailable, "the request took too long", err)
	default:
		return e
	}
}

// replaceByError answers with e instead of what the handler was preparing. It panics with
// http.ErrAbortHandler if the response has begun.
func replaceByError(w http.ResponseWriter, r *http.Request, e *Error, write ErrorWriter) {
	if rec := recorderOf(w); rec != nil && rec.status != 0 {
		panic(http.ErrAbortHandler)
	}
	deleteFields(w, describesBody[:])
	write(w, r, e)
}

// describesBody lists the headers that an error must not inherit from the response that it replaces.
var describesBody = [...]string{
	"Cache-Control", "Content-Encoding", "Content-Length", "Content-Type", "Etag", "Expires", "Last-Modified",
}
