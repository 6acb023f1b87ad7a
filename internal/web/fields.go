package web

import (
	"net/http"
	"strings"
)

// A Field is a header ready to be sent. Answers that say the same share it.
type Field struct {
	name  string
	value []string
	line  string // as on the wire
}

// NewField makes a header. Line breaks become spaces: a value cannot add a header.
func NewField(name, value string) Field {
	value = oneLine.Replace(value)
	return Field{name: name, value: []string{value}, line: name + ": " + value + "\r\n"}
}

var oneLine = strings.NewReplacer("\r", " ", "\n", " ", "\x00", " ")

// SetFields sets headers of the answer that w is about to give. Each may be set once,
// and not beside the same header in w.Header(). Content-Type and Content-Length belong
// there: net/http must know of them.
//
// Under a Server they go straight to the connection: of the time that net/http takes
// for a small answer with a dozen headers, a quarter is for their maps, which are
// filled, copied, sorted and thrown away. Elsewhere, as in tests, they go into
// w.Header().
func SetFields(w http.ResponseWriter, fields ...Field) {
	if rec := recorderOf(w); rec != nil && rec.conn != nil {
		for i := range fields {
			rec.conn.head = append(rec.conn.head, fields[i].line...)
		}
		return
	}
	h := w.Header()
	for i := range fields {
		h[fields[i].name] = fields[i].value
	}
}

// SetField sets one header whose value is not known beforehand.
func SetField(w http.ResponseWriter, name, value string) {
	if rec := recorderOf(w); rec != nil && rec.conn != nil {
		rec.conn.setField(name, oneLine.Replace(value))
		return
	}
	w.Header()[name] = []string{oneLine.Replace(value)}
}

// ForgetFields takes back what was set by SetFields and SetField, for an answer that
// another takes the place of.
func ForgetFields(w http.ResponseWriter) {
	if rec := recorderOf(w); rec != nil && rec.conn != nil {
		rec.conn.begin()
	}
}

// WriteWhole answers with a body that is all there. Its length must be in w.Header()
// as Content-Length; HEAD leaves the body out.
func WriteWhole(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	if r.Method == http.MethodHead {
		w.WriteHeader(status)
		return
	}
	bodiless := status < http.StatusOK || status == http.StatusNoContent || status == http.StatusNotModified
	if rec := recorderOf(w); rec != nil && rec.conn != nil && !bodiless {
		rec.conn.whole = len(body)
	}
	w.WriteHeader(status)
	w.Write(body) //nolint:errcheck,gosec // the client is gone, and nobody else wants to know
}
