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
	if c := wired(w); c != nil {
		c.Add(fields...)
		return
	}
	h := w.Header()
	for i := range fields {
		name, value := fields[i].Header()
		h[name] = value
	}
}

// SetField sets one header whose value is not known beforehand.
func SetField(w http.ResponseWriter, name, value string) {
	if c := wired(w); c != nil {
		c.Set(name, value)
		return
	}
	w.Header()[name] = []string{wire.Clean(value)}
}

// ForgetFields takes back what was set by SetFields and SetField, for an answer that
// another takes the place of.
func ForgetFields(w http.ResponseWriter) {
	if rec := recorderOf(w); rec != nil && rec.status == 0 {
		rec.wired = false
	}
}

// WriteWhole answers with a body that is all there. Its length must be in w.Header()
// as Content-Length; HEAD leaves the body out.
func WriteWhole(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	if r.Method == http.MethodHead {
		w.WriteHeader(status)
		return
	}
	c := wired(w)
	if c != nil && hasBody(status) {
		c.Whole(len(body))
	}
	w.WriteHeader(status)
	if _, err := w.Write(body); err != nil && c != nil {
		c.NotWhole()
	}
}

func hasBody(status int) bool {
	return status >= http.StatusOK && status != http.StatusNoContent && status != http.StatusNotModified
}

// wired is the connection that w's answer goes to without net/http's header map, from now
// on; nil where there is none, or where the answer has begun.
func wired(w http.ResponseWriter) *wire.Conn {
	rec := recorderOf(w)
	if rec == nil || rec.conn == nil || rec.status != 0 {
		return nil
	}
	if !rec.wired {
		rec.wired = true
		rec.conn.Begin()
		if rec.named {
			rec.named = false
			delete(rec.http.Header(), requestIDHeader)
		}
	}
	return rec.conn
}
