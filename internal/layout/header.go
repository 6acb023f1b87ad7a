package layout

import (
	"strings"

	"github.com/palmares-hq/palmares/internal/web"
)

// policy lets a page load its own stylesheet, script, fonts and images, send its forms home, and
// nothing else. Nothing inline runs.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

var (
	// NoSniff keeps browsers from guessing types.
	NoSniff = web.NewField("X-Content-Type-Options", "nosniff")
	// AnyOrigin lets other sites show it: badges stand there.
	AnyOrigin = web.NewField("Cross-Origin-Resource-Policy", "cross-origin")
)

// staticHeaders are those of files.
var staticHeaders = []web.Field{NoSniff, web.NewField("Vary", "Accept-Encoding"), AnyOrigin}

// Headers are those of every page, errors included, at a base URL. Browsers that were once at an https
// one use nothing else there for a year; with subdomains nor at any name below, which only the operator
// knows to be right.
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
	// CacheShared is for pages in which nothing depends on who reads: shared caches keep them as long
	// as the responses of the API.
	CacheShared = web.NewField("Cache-Control", "s-maxage=3600, stale-while-revalidate=86400")
	// CacheAsk has caches ask before they use what they keep.
	CacheAsk = web.NewField("Cache-Control", "no-cache")
	// CachePrivate has the reader's own browser ask before it uses what it keeps, and nobody else keep it.
	CachePrivate = web.NewField("Cache-Control", "private, no-cache")
	// CacheNever is for errors, and for what only one reader may see.
	CacheNever = web.NewField("Cache-Control", "no-store")
)
