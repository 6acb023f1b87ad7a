package api

import (
	"net/http"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/web"
)

const allowedMethods = "GET, HEAD, OPTIONS"

// preflight answers OPTIONS: what a browser asks before a cross-origin request that carries a
// key or any other header that is not on the CORS safelist.
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

// allowedHeaders lists the headers that a script may send: the usual ones and those it asks for.
// Clients add headers of their own (tracing, X-Requested-With) which we do not read, and a
// browser that is denied one shows its user no response at all. Names that cannot be a header,
// or that would make the list too long, are left out.
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
