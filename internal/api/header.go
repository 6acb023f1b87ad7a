package api

import (
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

// commonHeaders are the headers of every response made from a snapshot, errors included.
func commonHeaders(s *catalog.Snapshot, vary string) []web.Field {
	return editionHeaders(s.Edition(), s.Service(), vary)
}

// editionHeaders are the headers of every response made from an edition.
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

// percentEncode writes s in printable ASCII: the percent sign and the bytes of everything else
// become %XX. Clients read header values that are not ASCII as Latin-1 or refuse them; every
// language can decode this.
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
