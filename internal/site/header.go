package site

import (
	"strings"

	"github.com/palmares-hq/palmares/internal/web"
)

// policy lets a page load its own stylesheet, script, fonts and images, send its forms home, and
// nothing else. Nothing inline runs.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

var (
	noSniff   = web.NewField("X-Content-Type-Options", "nosniff")
	anyOrigin = web.NewField("Cross-Origin-Resource-Policy", "cross-origin") // badges stand on other sites
)

// staticHeaders are those of files.
var staticHeaders = []web.Field{noSniff, web.NewField("Vary", "Accept-Encoding"), anyOrigin}

// pageHeaders are those of every page, errors included.
func pageHeaders(baseURL string) []web.Field {
	headers := []web.Field{
		noSniff, web.NewField("Vary", "Accept-Encoding"),
		web.NewField("Content-Security-Policy", policy),
		web.NewField("Referrer-Policy", "strict-origin-when-cross-origin"),
		web.NewField("Permissions-Policy", "camera=(), geolocation=(), interest-cohort=(), microphone=(), payment=()"),
		web.NewField("Cross-Origin-Opener-Policy", "same-origin"),
	}
	if strings.HasPrefix(baseURL, "https://") {
		headers = append(headers,
			web.NewField("Strict-Transport-Security", "max-age=31536000; includeSubDomains"))
	}
	return headers
}

// Cache-Control of pages. Nothing in them depends on who reads, so shared caches keep them as
// long as the responses of the API.
var (
	cacheShared = web.NewField("Cache-Control", "s-maxage=3600, stale-while-revalidate=86400")
	cacheAsk    = web.NewField("Cache-Control", "no-cache")
	cacheNever  = web.NewField("Cache-Control", "no-store")
)
