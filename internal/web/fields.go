package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/web/wire"
)

// A Field is a header made in advance, which responses may share.
type Field = wire.Field

// NewField returns a header. Line breaks in the value become spaces, so that it cannot inject another header.
func NewField(name, value string) Field { return wire.NewField(name, value) }

// TagFields returns the headers that tell a shared cache what a response shows, so that it can be purged by tag.
// Cloudflare reads the first, Fastly and Varnish the second.
func TagFields(tags []string) []Field {
	return []Field{NewField("Cache-Tag", strings.Join(tags, ",")), NewField("Surrogate-Key", strings.Join(tags, " "))}
}

// SetFields sets headers of the response that w is about to send. Each may be set only once, and not
// also in w.Header().
//
// On a connection of package wire they bypass w.Header() and are not visible there. Elsewhere, as in
// most tests, they go into w.Header(). So do, on any connection, the headers that net/http reads or
// writes itself, such as Content-Type.
func SetFields(w http.ResponseWriter, fields ...Field) {
	rec := recorderOf(w)
	wired := rec.useWire()
	if wired {
		rec.conn.Add(fields...)
	}
	for i := range fields {
		if !wired || fields[i].Reserved() {
			name, value := fields[i].Header()
			w.Header()[name] = value
			rec.noteField(name)
		}
	}
}

// SetField sets one header whose value is not known in advance, as SetFields does.
func SetField(w http.ResponseWriter, name, value string) {
	if wire.Reserved(name) {
		SetFields(w, NewField(name, value))
		return
	}
	rec := recorderOf(w)
	if rec.useWire() {
		rec.conn.Set(name, value)
		return
	}
	w.Header()[name] = []string{wire.Clean(value)}
	rec.noteField(name)
}

// ForgetFields removes the headers set with SetFields and SetField, so that another response can take
// the place of the one being prepared. It does nothing once the response has begun.
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

// deleteFields deletes headers, however they were set, from a response that has not begun.
func deleteFields(w http.ResponseWriter, names []string) {
	h := w.Header()
	for _, name := range names {
		delete(h, name)
	}
	if rec := recorderOf(w); rec != nil && rec.wired {
		rec.conn.Delete(names)
	}
}

// WriteComplete sends a response whose whole body is in memory. It sets Content-Length unless w.Header() has
// it. A HEAD request gets no body.
func WriteComplete(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	if h := w.Header(); hasBody(status) && h["Content-Length"] == nil {
		h["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	if r.Method == http.MethodHead {
		w.WriteHeader(status)
		return
	}
	rec := recorderOf(w)
	wired := rec.useWire()
	if wired && hasBody(status) {
		rec.conn.Complete(len(body))
	}
	w.WriteHeader(status)
	if _, err := w.Write(body); err != nil && wired {
		rec.conn.Incomplete()
	}
}

func hasBody(status int) bool {
	return status >= http.StatusOK && status != http.StatusNoContent && status != http.StatusNotModified
}

// useWire makes the response's fields bypass net/http's header map, and reports whether that is
// possible: only on a connection of package wire, and before the response has begun.
func (rec *recorder) useWire() bool {
	if rec == nil || rec.conn == nil || rec.status != 0 {
		return false
	}
	if !rec.wired {
		rec.wired = true
		rec.conn.Begin()
	}
	return true
}

// noteField remembers that a field is in the header map, for ForgetFields.
func (rec *recorder) noteField(name string) {
	if rec != nil {
		rec.fields = append(rec.fields, name)
	}
}
