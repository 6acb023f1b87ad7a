package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/web/wire"
)

// A Field is a header made beforehand. Answers that say the same share it.
type Field = wire.Field

// NewField makes a header. Line breaks become spaces: a value cannot add a header.
func NewField(name, value string) Field { return wire.NewField(name, value) }

// TagFields are the headers by which a shared cache knows what an answer shows: Cloudflare reads the first, Fastly and Varnish the second.
func TagFields(tags []string) []Field {
	return []Field{NewField("Cache-Tag", strings.Join(tags, ",")), NewField("Surrogate-Key", strings.Join(tags, " "))}
}

// SetFields sets headers of the answer that w is about to give. Each may be set once, and not also
// in w.Header().
//
// On a connection of package wire they go straight to the connection, and what looks into
// w.Header() does not see them. Elsewhere, as in most tests, they go into w.Header(); so do, everywhere,
// the headers that net/http reads or writes itself, such as Content-Type.
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

// SetField sets one header whose value is not known beforehand, as SetFields does.
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

// ForgetFields removes what was set by SetFields and SetField, for an answer that takes the place
// of another.
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

// deleteFields deletes headers, however they were set, from an answer that has not begun.
func deleteFields(w http.ResponseWriter, names []string) {
	h := w.Header()
	for _, name := range names {
		delete(h, name)
	}
	if rec := recorderOf(w); rec != nil && rec.wired {
		rec.conn.Delete(names)
	}
}

// WriteComplete answers with a body that is complete, and says its length unless w.Header() does. HEAD leaves
// the body out.
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

// useWire sends the answer's fields past net/http's header map from now on. It reports whether that
// is possible: only on a connection of package wire, and before the answer has begun.
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

// noteField remembers a field that is in the header map.
func (rec *recorder) noteField(name string) {
	if rec != nil {
		rec.fields = append(rec.fields, name)
	}
}
