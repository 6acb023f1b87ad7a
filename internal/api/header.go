package api

import (
	"net/http"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/web"
)

// exposed lists the headers that a script in a browser may read.
const exposed = "ETag, Link, Retry-After, WWW-Authenticate, X-Attribution, X-Changes-Cursor, X-RateLimit-Remaining, " +
	"X-RateLimit-Reset, X-RateLimit-Tier, X-Request-Id, X-Service-Updated-At, X-Total-Count"

const jsonType = "application/json; charset=utf-8"

// vary names the request headers that every response depends on.
const vary = "Authorization, Accept-Encoding"

// Cache-Control is one of three.
var (
	cacheShared  = web.NewField("Cache-Control", "s-maxage=3600, stale-while-revalidate=86400")
	cachePrivate = web.NewField("Cache-Control", "private, no-cache")
	cacheNever   = web.NewField("Cache-Control", "no-store")
)

// commonHeaders returns the headers of every response made from a snapshot, including errors.
func commonHeaders(s *catalog.Snapshot, vary string) []web.Field {
	return editionHeaders(s.Edition(), s.Service(), vary)
}

// editionHeaders returns the headers of every response made from an edition.
func editionHeaders(e catalog.Edition, s catalog.Service, vary string) []web.Field {
	headers := []web.Field{
		web.NewField("Access-Control-Allow-Origin", "*"),
		web.NewField("Access-Control-Expose-Headers", exposed),
		web.NewField("Vary", vary),
		web.NewField("X-Content-Type-Options", "nosniff"),
	}
	if e.Number > 0 {
		headers = append(headers,
			web.NewField("X-Service-Updated-At", string(e.Date())),
			web.NewField("X-Attribution", percentEncode(s.Credit())))
	}
	return headers
}

// percentEncode writes s in printable ASCII, with the percent sign and all other bytes as %XX. Clients read other
// header values as Latin-1 or refuse them; every language can decode this.
func percentEncode(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '%' {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

const allowedMethods = "GET, HEAD, OPTIONS"

// preflight answers OPTIONS, which a browser sends before a cross-origin request with a key or another header that is
// not on the CORS safelist.
func preflight(w http.ResponseWriter, r *http.Request, s *catalog.Snapshot, methods string) {
	web.SetFields(w, commonHeaders(s, vary+", Access-Control-Request-Headers")...)
	web.SetFields(w, cacheNever)
	h := w.Header()
	h.Set("Allow", methods)
	h.Set("Access-Control-Allow-Methods", methods)
	requested := r.Header["Access-Control-Request-Headers"]
	h.Set("Access-Control-Allow-Headers", allowedHeaders(requested))
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}

const (
	usualHeaders      = "Authorization, If-None-Match, X-Request-Id"
	maxAllowedHeaders = 2047 // bytes
)

// allowedHeaders lists the headers that a script may send: the usual ones and those it asks for. Clients add their
// own (tracing, X-Requested-With), which we do not read, and a denied browser shows its user no response at all. It
// leaves out names that cannot be a header or would make the list too long.
func allowedHeaders(requested []string) string {
	allowed := []byte(usualHeaders)
	seen := map[string]bool{"authorization": true, "if-none-match": true, "x-request-id": true}
	for _, line := range requested {
		for name := range strings.SplitSeq(line, ",") {
			name = strings.ToLower(strings.Trim(name, " \t"))
			if !isToken(name) || seen[name] || len(allowed)+len(", ")+len(name) > maxAllowedHeaders {
				continue
			}
			seen[name] = true
			allowed = append(append(allowed, ", "...), name...)
		}
	}
	return string(allowed)
}

// isToken reports whether s can be the name of a header (RFC 9110, section 5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		letterOrDigit := '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
		if !letterOrDigit && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != ""
}
