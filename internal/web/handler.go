package web

import (
	"context"
	"errors"
	"net/http"
)

// A HandlerFunc answers a request. When it returns an error it has written nothing, and an
// ErrorWriter answers instead.
type HandlerFunc func(w http.ResponseWriter, r *http.Request) error

// Handler adapts fn to net/http. The error that fn returns goes to the access log and to write;
// so does a panic of fn, under an Observer. Every surface has its own write and wraps all its
// handlers this way, so that no handler has to remember to return after sending an error.
//
// Headers that fn has set stay, except those that describe a body. When fn fails after it has
// begun to answer, the connection is cut: an answer that merely ended early would pass for a
// complete one.
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

// errorOf is AsError for a request, which may have ended before it was answered.
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

// replaceByError answers with e instead of what the handler was preparing.
func replaceByError(w http.ResponseWriter, r *http.Request, e *Error, write ErrorWriter) {
	if rec := recorderOf(w); rec != nil && rec.status != 0 {
		panic(http.ErrAbortHandler)
	}
	deleteFields(w, describesBody[:])
	write(w, r, e)
}

// describesBody lists the headers of the answer that was being prepared, which an error that
// takes its place must not inherit.
var describesBody = [...]string{
	"Cache-Control", "Content-Encoding", "Content-Length", "Content-Type", "Etag", "Expires", "Last-Modified",
}
