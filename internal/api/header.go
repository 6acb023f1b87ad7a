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

// The values of Cache-Control: for responses that anybody may read, for responses to a key or about to change, and
// for those that must not be stored at all.
var (
	cacheShared  = web.NewField("Cache-Control", "s-maxage=3600, stale-while-revalidate=86400")
	cachePrivate = web.NewField("Cache-Control", "private, no-cache")
	cacheNever   = web.NewField("Cache-Control", "no-store")
)

// commonHeaders returns the headers that every response from a snapshot has, including errors.
func commonHeaders(s *catalog.Snapshot, vary string) []web.Field {
	return editionHeaders(s.Edition(), s.Service(), vary)
}

// editionHeaders returns the headers that every response from an edition has. Downloads may be of an edition before
// the snapshot's.
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

// percentEncode returns s in printable ASCII: all other bytes, and the percent sign, become %XX. Clients read other
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

// allowedHeaders returns the headers that a script may send: the usual ones and those it asks for. Clients add headers
// that we do not read (tracing, X-Requested-With), and if one is denied the browser blocks the whole request. Invalid
// names, and names that would make the list too long, are left out.
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
