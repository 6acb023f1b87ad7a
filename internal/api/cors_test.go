package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
)

const usualHeaders = "Authorization, If-None-Match, X-Request-Id"

// Every path below /api answers a preflight, so that scripts see the answer itself, a
// 404 included.
func TestMethods_Options(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*catalog.Snapshot{"empty": catalog.Empty(), "loaded": fixture(t)} {
		c := open(t, s)
		for _, target := range slices.Concat(routes, []string{
			keyedRoute, "/api/v1/tools/nope", "/api/v1/tools?page=0", "/api/", "/api/nope", "/api/v1//tools", "/api/v1/tools/a/b",
		}) {
			got := c.do(t, http.MethodOptions, target,
				"Origin", "https://site.example", "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "authorization")
			got.wantStatus(t, http.StatusNoContent)
			for name, value := range map[string]string{
				"Allow":                        "GET, HEAD, OPTIONS",
				"Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
				"Access-Control-Allow-Headers": usualHeaders,
				"Access-Control-Max-Age":       "86400",
				"Cache-Control":                "no-store",
				"Content-Length":               "",
			} {
				got.wantHeader(t, name, value)
			}
		}
		for _, target := range []string{"/nope", "/", "//", "/apis", "/API/v1/tools", "//api/v1/tools"} {
			c.do(t, http.MethodOptions, target).wantStatus(t, http.StatusNotFound)
		}
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

// A preflight is allowed whatever it asks for that can be the name of a header.
func TestMethods_PreflightHeaders(t *testing.T) {
	t.Parallel()
	c := serve(t, api.Options{Catalog: shelve(fixture(t))})
	many := make([]string, 1000)
	for i := range many {
		many[i] = "x-" + strings.Repeat("a", i)
	}
	for asked, want := range map[string]string{
		"":                            "",
		"content-type":                ", content-type",
		"Traceparent, tracestate":     ", traceparent, tracestate",
		"x-a,X-A, x-a":                ", x-a",
		"AUTHORIZATION,if-none-match": "",
		" x-b\t,,  , x-c":             ", x-b, x-c",
		"not a name, x<y, x\"z, é, :a, x-good, a/b, a=b, (c), {d}": ", x-good",
		"!#$%&'*+-.^_`|~09az":        ", !#$%&'*+-.^_`|~09az",
		"*":                          ", *",
		strings.Repeat("x", 3000):    "",
		strings.Repeat("y", 2003):    ", " + strings.Repeat("y", 2003), // 2,047 with the usual ones
		strings.Repeat("y", 2004):    "",
		strings.Repeat("z,", 30_000): ", z",
	} {
		got := c.do(t, http.MethodOptions, "/api/v1/tools", "Access-Control-Request-Headers", asked).wantStatus(t, http.StatusNoContent)
		got.wantHeader(t, "Access-Control-Allow-Headers", usualHeaders+want)
	}
	got := c.do(t, http.MethodOptions, "/api/v1/tools", "Access-Control-Request-Headers", "x-1, x-2", "Access-Control-Request-Headers", "x-2, x-3")
	got.wantHeader(t, "Access-Control-Allow-Headers", usualHeaders+", x-1, x-2, x-3") // several lines are one list
	long := c.do(t, http.MethodOptions, "/api/v1/tools", "Access-Control-Request-Headers", strings.Join(many, ","))
	if allowed := long.header.Get("Access-Control-Allow-Headers"); len(allowed) >= 2048 || !strings.HasPrefix(allowed, usualHeaders+", x-, x-a, x-aa, ") {
		t.Errorf("%d bytes: %.100s", len(allowed), allowed)
	}
}
