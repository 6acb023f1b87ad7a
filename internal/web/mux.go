package web

import (
	"net/http"

	"github.com/palmares-hq/palmares/internal/logging"
)

// A Mux is an http.ServeMux for one surface. Its 404s and 405s are sent by the surface's ErrorWriter.
// It never redirects: where http.ServeMux redirects /a//b to /a/b, or /a to /a/, it answers 404.
type Mux struct {
	patterns http.ServeMux
	write    ErrorWriter
}

// NewMux returns a Mux without patterns.
func NewMux(write ErrorWriter) *Mux { return &Mux{write: write} }

// Handle registers fn for a pattern, in the syntax of http.ServeMux.
func (m *Mux) Handle(pattern string, fn HandlerFunc) {
	m.patterns.Handle(pattern, registered{Handler(fn, m.write)})
}

// maxQuoted is how many characters of a client's input an error message quotes.
const maxQuoted = 100

// registered marks the handlers of a Mux, to tell them from http.ServeMux's own for errors and redirects.
type registered struct{ http.Handler }

// ServeHTTP implements http.Handler.
func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	found, _ := m.patterns.Handler(r)
	if _, ok := found.(registered); ok {
		m.patterns.ServeHTTP(w, r)
		return
	}
	Handler(func(http.ResponseWriter, *http.Request) error {
		answer := discardBody{header: http.Header{}}
		found.ServeHTTP(&answer, r)
		if answer.status != http.StatusMethodNotAllowed {
			path := logging.Clean(r.URL.Path, maxQuoted)
			return Errorf(http.StatusNotFound, "there is nothing at %s", path)
		}
		allowed := answer.header["Allow"]
		e := Errorf(http.StatusMethodNotAllowed, "%s is not allowed here: use %s",
			logging.Clean(r.Method, maxQuoted), allowed[0])
		e.Header = http.Header{"Allow": allowed}
		return e
	}, m.write).ServeHTTP(w, r)
}

// A discardBody is a ResponseWriter that keeps the status and the headers and discards the body.
type discardBody struct {
	header http.Header
	status int
}

func (d *discardBody) Header() http.Header         { return d.header }
func (d *discardBody) WriteHeader(status int)      { d.status = status }
func (d *discardBody) Write(p []byte) (int, error) { return len(p), nil }
