package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/palmares-hq/palmares/internal/web"
)

// fail answers with an error.
func fail(w http.ResponseWriter, r *http.Request, s *shelf, err error) {
	e := web.AsError(err)
	if e.Status == web.StatusClientClosed && r.Context().Err() == nil {
		// Something else was cancelled: this client still waits for an answer.
		e = web.Wrap(http.StatusInternalServerError, "internal error", err)
	}
	web.SetError(w, e)
	body := encodeError(e)
	writeError(w, r, s, e, []string{strconv.Itoa(len(body))}, body)
}

// WriteError writes an error as JSON; no error is ever cached.
func (a *API) WriteError(w http.ResponseWriter, r *http.Request, e *web.Error) {
	web.ForgetFields(w)
	for _, name := range []string{"ETag", "Link", "X-Total-Count", "Content-Encoding"} {
		w.Header().Del(name)
	}
	body := encodeError(e)
	writeError(w, r, a.shelves.of(a.catalog.Current()), e, []string{strconv.Itoa(len(body))}, body)
}

func encodeError(e *web.Error) []byte {
	var body bytes.Buffer
	text := json.NewEncoder(&body)
	text.SetEscapeHTML(false) // it is read by people, in JSON
	if err := text.Encode(struct {
		Error string `json:"error"`
	}{e.Message}); err != nil {
		return []byte(`{"error":"internal error"}`) // a string always encodes
	}
	return bytes.TrimSpace(body.Bytes())
}

func writeError(w http.ResponseWriter, r *http.Request, s *shelf, e *web.Error, length []string, body []byte) {
	web.SetFields(w, s.headers...)
	web.SetFields(w, noStore) // whatever the error brought
	for name, values := range e.Header {
		if name != "Cache-Control" {
			w.Header()[name] = values
		}
	}
	send(w, r, e.Status, length, body)
}

func noSuchPath(r *http.Request) error {
	return web.Errorf(http.StatusNotFound, "there is nothing at %s: "+openapiPath+" lists what there is", quote(r.URL.Path))
}

func notFound(kind, slug string) error {
	return web.Errorf(http.StatusNotFound, "no %s has the slug %s", kind, quote(slug))
}

// quote shows what a client sent, but not at any length.
func quote(s string) string {
	const most = 100
	if r := []rune(s); len(r) > most {
		s = string(r[:most-1]) + "…"
	}
	return strconv.Quote(s)
}
