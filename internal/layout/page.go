package layout

import (
	"net/http"
	"strings"

	"github.com/palmares-hq/palmares/internal/logging"
	"github.com/palmares-hq/palmares/internal/web"
)

// MaxQuoted is the most characters of a client's text that an error quotes.
const MaxQuoted = 100

// NoSuchPage returns the error of an unknown path.
func NoSuchPage(r *http.Request) *web.Error {
	return web.Errorf(http.StatusNotFound, "there is nothing at %s", logging.Clean(r.URL.Path, MaxQuoted))
}

// NotAllowed returns the error of a method other than those allowed, such as "GET, HEAD".
func NotAllowed(r *http.Request, allowed string) *web.Error {
	e := web.Errorf(http.StatusMethodNotAllowed, "%s is not allowed here: use %s", web.Quote(r.Method),
		strings.ReplaceAll(allowed, ", ", " or "))
	e.Header = http.Header{"Allow": {allowed}}
	return e
}

// HTMLType is the Content-Type of pages.
const HTMLType = "text/html; charset=utf-8"

// HTML returns the response of a page, uncompressed: compressing pays only for pages that many read.
func HTML(status int, body []byte) *web.Response {
	return web.NewResponse(status, HTMLType, web.TagOf(body), body)
}

// policy lets a page load its own stylesheet, script, fonts and images and send its forms home, and nothing else.
// Nothing inline runs.
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

// Headers returns the headers of every page, including errors, at a base URL. A browser that has seen an https URL
// uses only https there for a year; with subdomains also at every name below it, which only the operator knows to be
// right.
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
	// CacheAsk makes caches revalidate what they store before they use it.
	CacheAsk = web.NewField("Cache-Control", "no-cache")
	// CachePrivate lets only the reader's own browser store a page, and revalidate it before use.
	CachePrivate = web.NewField("Cache-Control", "private, no-cache")
	// CacheNever is for errors, and for what only one reader may see.
	CacheNever = web.NewField("Cache-Control", "no-store")
)
