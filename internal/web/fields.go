package web

import (
	"net/http"

	"github.com/palmares-hq/palmares/internal/web/wire"
)

// A Field is a header ready to be sent. Answers that say the same share it.
type Field = wire.Field

// NewField makes a header. Line breaks become spaces: a value cannot add a header.
func NewField(name, value string) Field { return wire.NewField(name, value) }

// SetFields sets headers of the answer that w is about to give. Each may be set once,
// and not beside the same header in w.Header(). Content-Type and Content-Length belong
// there: net/http must know of them.
//
// On a connection of package wire they go straight to the connection, and what looks
// into w.Header() does not see them. Elsewhere, as in most tests, they go into
// w.Header().
func SetFields(w http.ResponseWriter, fields ...Field) {
	rec := recorderOf(w)
	if rec.wire() {
		rec.conn.Add(fields...)
		return
	}
	h := w.Header()
	for i := range fields {
		name, value := fields[i].Header()
		h[name] = value
		rec.mapped(name)
	}
}

// SetField sets one header whose value is not known beforehand.
func SetField(w http.ResponseWriter, name, value string) {
	rec := recorderOf(w)
	if rec.wire() {
		rec.conn.Set(name, value)
		return
	}
	w.Header()[name] = []string{wire.Clean(value)}
	rec.mapped(name)
}

// ForgetFields takes back what was set by SetFields and SetField, for an answer that
// another takes the place of.
func ForgetFields(w http.ResponseWriter) {
	rec := recorderOf(w)
	if rec == nil || rec.status != 0 {
		return
	}
	rec.wired = false
	for _, name := range rec.fields {
		delete(rec.http.Header(), name)
	}
	rec.fields = rec.fields[:0]
}

// WriteWhole answers with a body that is all there. Its length must be in w.Header()
// as Content-Length; HEAD leaves the body out.
func WriteWhole(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	if r.Method == http.MethodHead {
		w.WriteHeader(status)
		return
	}
	rec := recorderOf(w)
	wired := rec.wire()
	if wired && hasBody(status) {
		rec.conn.Whole(len(body))
	}
	w.WriteHeader(status)
	if _, err := w.Write(body); err != nil && wired {
		rec.conn.NotWhole()
	}
}

func hasBody(status int) bool {
	return status >= http.StatusOK && status != http.StatusNoContent && status != http.StatusNotModified
}

// wire sends the answer's fields past net/http's header map from now on, and tells
// whether that is possible: not elsewhere than on a connection of package wire, nor once
// the answer has begun.
func (rec *recorder) wire() bool {
	if rec == nil || rec.conn == nil || rec.status != 0 {
		return false
	}
	if !rec.wired {
		rec.wired = true
		rec.conn.Begin()
		if rec.named {
			rec.named = false
			delete(rec.http.Header(), requestIDHeader)
		}
	}
	return true
}

// mapped remembers a field that is in the header map.
func (rec *recorder) mapped(name string) {
	if rec != nil {
		rec.fields = append(rec.fields, name)
	}
}
