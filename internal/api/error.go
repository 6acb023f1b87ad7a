package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/web"
)

// fail answers with an error that was found in a snapshot. It is the only place
// that does.
func fail(w http.ResponseWriter, r *http.Request, s *catalog.Snapshot, err error) {
	e := web.AsError(err)
	if e.Status == web.StatusClientClosed && r.Context().Err() == nil {
		// Something else was cancelled: this client still waits for an answer.
		e = web.Wrap(http.StatusInternalServerError, "internal error", err)
	}
	web.SetError(w, e)
	writeError(w, r, s, e)
}

// WriteError writes an error as JSON; no error is ever cached.
func (a *API) WriteError(w http.ResponseWriter, r *http.Request, e *web.Error) {
	writeError(w, r, a.catalog.Current(), e)
}

func writeError(w http.ResponseWriter, r *http.Request, s *catalog.Snapshot, e *web.Error) {
	h := w.Header()
	for _, name := range []string{"ETag", "Link", "X-Total-Count", "Content-Encoding"} {
		h.Del(name)
	}
	common(h, s)
	for name, values := range e.Header {
		h[name] = values
	}
	h.Set("Cache-Control", "no-store") // whatever the error brought
	var body bytes.Buffer
	text := json.NewEncoder(&body)
	text.SetEscapeHTML(false) // it is read by people, in JSON
	if err := text.Encode(struct {
		Error string `json:"error"`
	}{e.Message}); err != nil {
		body.WriteString(`{"error":"internal error"}`) // a string always encodes
	}
	send(w, r, e.Status, bytes.TrimSpace(body.Bytes()))
}

func noSuchPath(r *http.Request) error {
	return web.Errorf(http.StatusNotFound, "there is nothing at %s: /api/v1/openapi.json lists what there is", quote(r.URL.Path))
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
