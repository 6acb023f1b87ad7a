package api_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
)

const usualHeaders = "Authorization, If-None-Match, X-Request-Id"

// Every path below /api answers a preflight, so that scripts see the response itself, a 404
// included.
func TestPreflight(t *testing.T) {
	t.Parallel()
	for day, s := range map[string]*catalog.Snapshot{"": catalog.Empty(), "2026-11-15": catalogtest.Fixture(t)} {
		c := newClient(t, of(s))
		for _, target := range slices.Concat(routes, keyedRoutes, []string{
			"tools/nope", "tools?page=0", "/api/", "/api/nope", "/api/v1//tools", "tools/a/b",
		}) {
			got := c.do("OPTIONS", target,
				"Origin", "https://site.example", "Access-Control-Request-Method", "GET",
				"Access-Control-Request-Headers", "authorization")
			got.want(204, "X-Service-Updated-At", day)
			got.has("Allow", "GET, HEAD, OPTIONS", "Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
			got.has("Access-Control-Allow-Headers", usualHeaders, "Access-Control-Max-Age", "86400")
			got.has("Cache-Control", "no-store", "Content-Length", "")
		}
		for _, target := range []string{"/nope", "/", "//", "/apis", "/API/v1/tools", "//api/v1/tools"} {
			c.do("OPTIONS", target).want(404)
		}
	}
}

// A preflight is allowed whatever it asks for that can be the name of a header.
func TestPreflight_Headers(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	for requested, want := range map[string]string{
		"":                            "",
		"content-type":                ", content-type",
		"Traceparent, tracestate":     ", traceparent, tracestate",
		"x-a,X-A, x-a":                ", x-a",
		"AUTHORIZATION,if-none-match": "",
		" x-b\t,,  , x-c":             ", x-b, x-c",
		"not a name, x<y, x\"z, é, :a, x-good, a/b, a=b, (c), {d}": ", x-good",
		"!#$%&'*+-.^_`|~09az":                   ", !#$%&'*+-.^_`|~09az",
		"*":                                     ", *",
		strings.Repeat("x", 3000):               "",
		strings.Repeat("y", 2003):               ", " + strings.Repeat("y", 2003), // 2,047 with the usual ones
		strings.Repeat("y", 2004):               "",
		strings.Repeat("y", 2004) + ", x-after": ", x-after",
		strings.Repeat("z,", 30_000):            ", z",
	} {
		c.do("OPTIONS", "tools", "Access-Control-Request-Headers", requested).
			want(204, "Access-Control-Allow-Headers", usualHeaders+want)
	}
	c.do("OPTIONS", "tools", "Access-Control-Request-Headers", "x-1, x-2", // several lines are one list
		"Access-Control-Request-Headers", "x-2, x-3").
		has("Access-Control-Allow-Headers", usualHeaders+", x-1, x-2, x-3")
}
