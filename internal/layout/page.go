package layout

import (
	"net/http"
	"strings"

	"github.com/palmares-hq/palmares/internal/logging"
	"github.com/palmares-hq/palmares/internal/web"
)

// MaxQuoted is the most characters of a client's text that an error quotes.
const MaxQuoted = 100

// NoSuchPage returns the 404 for an unknown path.
func NoSuchPage(r *http.Request) *web.Error {
	return web.Errorf(http.StatusNotFound, "there is nothing at %s", logging.Clean(r.URL.Path, MaxQuoted))
}

// NotAllowed returns the 405 for a method that is not among those allowed, such as "GET, HEAD".
func NotAllowed(r *http.Request, allowed string) *web.Error {
	e := web.Errorf(http.StatusMethodNotAllowed, "%s is not allowed here: use %s", web.Quote(r.Method),
		strings.ReplaceAll(allowed, ", ", " or "))
	e.Header = http.Header{"Allow": {allowed}}
	return e
}

// HTMLType is the Content-Type of pages.
const HTMLType = "text/html; charset=utf-8"

// HTML returns the response for a page, uncompressed: compression pays only for a page that is cached.
func HTML(status int, body []byte) *web.Response {
	return web.NewResponse(status, HTMLType, web.TagOf(body), body)
}

// policy is the Content-Security-Policy of pages. It allows stylesheets, scripts, fonts, images, requests and form
// targets of the same origin, and nothing else. No inline script or style runs, and no site may frame a page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

var (
	// NoSniff keeps browsers from guessing types.
	NoSniff = web.NewField("X-Content-Type-Options", "nosniff")
	// AnyOrigin lets other sites embed a file, such as a badge.
	AnyOrigin = web.NewField("Cross-Origin-Resource-Policy", "cross-origin")
)

// staticHeaders are the headers of files.
var staticHeaders = []web.Field{NoSniff, web.NewField("Vary", "Accept-Encoding"), AnyOrigin}

// Headers returns the headers of every page, errors included, of the site at baseURL. If that is https, they include
// HSTS: browsers then use only https for a year. With subdomains, that holds for all hosts below it, too, which only
// the operator can know to be right.
func Headers(baseURL string, subdomains bool) []web.Field {
	headers := []web.Field{
		NoSniff, web.NewField("Vary", "Accept-Encoding"),
		web.NewField("Content-Security-Policy", policy),
		web.NewField("Referrer-Policy", "strict-origin-when-cross-origin"),
		web.NewField("Permissions-Policy", "camera=(), geolocation=(), interest-cohort=(), microphone=(), payment=()"),
		web.NewField("Cross-Origin-Opener-Policy", "same-origin"),
	}
	if strings.HasPrefix(baseURL, "https://") {
		hsts := "max-age=31536000"
		if subdomains {
			hsts += "; includeSubDomains"
		}
		headers = append(headers, web.NewField("Strict-Transport-Security", hsts))
	}
	return headers
}

// Cache-Control of pages.
var (
	// CacheShared is for pages that are the same for all readers: shared caches store them as long as the responses
	// of the API.
	CacheShared = web.NewField("Cache-Control", "s-maxage=3600, stale-while-revalidate=86400")
	// CacheAsk lets caches store a response, which they must revalidate before each use.
	CacheAsk = web.NewField("Cache-Control", "no-cache")
	// CachePrivate lets only the reader's own browser store a page, and revalidate it before use.
	CachePrivate = web.NewField("Cache-Control", "private, no-cache")
	// CacheNever is for errors, and for what only one reader may see.
	CacheNever = web.NewField("Cache-Control", "no-store")
)
