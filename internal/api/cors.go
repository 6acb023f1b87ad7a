package api

import (
	"net/http"
	"strings"

	"github.com/palmares-hq/palmares/internal/web"
)

const methods = "GET, HEAD, OPTIONS"

// underAPI tells the paths of the interface from all others.
func underAPI(path string) bool { return path == "/api" || strings.HasPrefix(path, "/api/") }

// preflight answers OPTIONS: what a browser asks before a cross-origin request that
// carries a key, or any other header that is not plain.
func preflight(w http.ResponseWriter, r *http.Request, s *shelf) {
	web.SetFields(w, headersOf(s.snapshot, vary+", Access-Control-Request-Headers")...)
	web.SetFields(w, noStore)
	h := w.Header()
	h.Set("Allow", methods)
	h.Set("Access-Control-Allow-Methods", methods)
	h.Set("Access-Control-Allow-Headers", allowedHeaders(r.Header["Access-Control-Request-Headers"]))
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}

const (
	usualHeaders      = "Authorization, If-None-Match, X-Request-Id"
	maxAllowedHeaders = 2047 // bytes
)

// allowedHeaders lists the headers that a script may send: the usual ones, and those
// that it asks for. Clients add headers of their own (tracing, X-Requested-With), we
// read hardly any, and a browser that is refused one shows its user no answer at all.
// Whatever is no name of a header is left out, and so is what makes the list too long.
func allowedHeaders(asked []string) string {
	allowed := []byte(usualHeaders)
	seen := map[string]bool{"authorization": true, "if-none-match": true, "x-request-id": true}
	for _, line := range asked {
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
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != ""
}
