package layout

import (
	"net/http"
	"strings"

	"github.com/palmares-hq/palmares/internal/logging"
	"github.com/palmares-hq/palmares/internal/web"
)

// MaxQuoted is how many characters of what a client sent an error quotes.
const MaxQuoted = 100

// NoSuchPage is the error of a path that leads nowhere.
func NoSuchPage(r *http.Request) *web.Error {
	return web.Errorf(http.StatusNotFound, "there is nothing at %s", logging.Clean(r.URL.Path, MaxQuoted))
}

// NotAllowed is the error of a method other than those allowed: "GET, HEAD".
func NotAllowed(r *http.Request, allowed string) *web.Error {
	e := web.Errorf(http.StatusMethodNotAllowed, "%s is not allowed here: use %s", web.Quote(r.Method),
		strings.ReplaceAll(allowed, ", ", " or "))
	e.Header = http.Header{"Allow": {allowed}}
	return e
}

// HTMLType is the type of pages.
const HTMLType = "text/html; charset=utf-8"

// HTML makes the response of a page, in no encoding but its own: compressing is for what many read.
func HTML(status int, body []byte) *web.Response {
	return web.NewResponse(status, HTMLType, web.TagOf(body), body)
}
