package api_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// The checker that every test leans on does refuse: each case spoils a good answer
// in one way.
func TestContract_CheckerRefuses(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	replace := func(old, text string) func(*reply) {
		return func(r *reply) {
			r.text = []byte(strings.Replace(string(r.text), old, text, 1))
			r.body = r.text
			r.header.Set("Content-Length", strconv.Itoa(len(r.body)))
		}
	}
	set := func(name, value string) func(*reply) { return func(r *reply) { r.header.Set(name, value) } }
	drop := func(name string) func(*reply) { return func(r *reply) { r.header.Del(name) } }
	for name, x := range map[string]struct {
		method, target string
		headers        []string
		spoil          func(*reply)
	}{
		"a field more":         {"GET", "/api/v1/tools/oeuvre", nil, replace(`{"slug"`, `{"tier":1,"slug"`)},
		"a field less":         {"GET", "/api/v1/tools/oeuvre", nil, replace(`"domain":"studio.oeuvre.example",`, "")},
		"another type":         {"GET", "/api/v1/tools/oeuvre", nil, replace(`"score":9.75`, `"score":"9.75"`)},
		"another value":        {"GET", "/api/v1/tools/oeuvre", nil, replace("payant", "cher")},
		"not a date":           {"GET", "/api/v1/tools/oeuvre", nil, replace("2026-11-15", "2026-13-45")},
		"not a URI":            {"GET", "/api/v1/tools/oeuvre", nil, replace("https://palmares.example/avis", "/avis")},
		"not JSON":             {"GET", "/api/v1/stats", nil, replace("}", "")},
		"no meta":              {"GET", "/api/v1/pricing", nil, replace(`"meta"`, `"mata"`)},
		"a body cut short":     {"GET", "/api/v1/stats", nil, set("Content-Length", "1")},
		"no total":             {"GET", "/api/v1/tools", nil, drop("X-Total-Count")},
		"a weak tag":           {"GET", "/api/v1/tools", nil, set("ETag", `W/"a"`)},
		"another caching":      {"GET", "/api/v1/tools", nil, set("Cache-Control", "s-maxage=3600")},
		"no credit":            {"GET", "/api/v1/tools", nil, drop("X-Attribution")},
		"no date of update":    {"GET", "/api/v1/tools", nil, drop("X-Service-Updated-At")},
		"a quota with a 401":   {"GET", "/api/v1/tools", []string{"Authorization", "x"}, set("X-RateLimit-Remaining", "7")},
		"a shared key":         {"GET", "/api/v1/tools", []string{"Authorization", "x"}, set("Cache-Control", shared)},
		"a quota for all":      {"GET", "/api/v1/tools", nil, set("X-RateLimit-Remaining", "7")},
		"HTML":                 {"GET", "/api/v1/tools", nil, set("Content-Type", "text/html")},
		"another status":       {"GET", "/api/v1/tools", nil, func(r *reply) { r.status = http.StatusTeapot }},
		"HEAD without a tag":   {"HEAD", "/api/v1/tools", nil, drop("ETag")},
		"HEAD without a total": {"HEAD", "/api/v1/tools", nil, drop("X-Total-Count")},
		"304 without a tag":    {"GET", "/api/v1/tools", []string{"If-None-Match", "*"}, drop("ETag")},
		"304 without Vary":     {"GET", "/api/v1/tools", []string{"If-None-Match", "*"}, drop("Vary")},
		"304 with a body":      {"GET", "/api/v1/tools", []string{"If-None-Match", "*"}, func(r *reply) { r.body = []byte("x") }},
		"a cached error":       {"GET", "/api/v1/tools/nope", nil, set("Cache-Control", "max-age=1")},
		"a tagged error":       {"GET", "/api/v1/tools/nope", nil, set("ETag", `"a"`)},
		"an error in prose":    {"GET", "/nope", nil, replace(`{"error"`, `{"message"`)},
		"401 without a scheme": {"GET", "/api/v1/tools", []string{"Authorization", "x"}, drop("WWW-Authenticate")},
		"405 without Allow":    {"POST", "/api/v1/tools", nil, drop("Allow")},
		"OPTIONS with no CORS": {"OPTIONS", "/api/v1/tools", nil, drop("Access-Control-Allow-Methods")},
		"a path out of it":     {"GET", "/nope", nil, func(r *reply) { r.status = http.StatusForbidden }},
	} {
		got := c.do(t, x.method, x.target, x.headers...)
		x.spoil(&got)
		r, err := http.NewRequestWithContext(t.Context(), x.method, c.url+x.target, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if c.contract.check(r, got) == nil {
			t.Errorf("%s: not noticed", name)
		}
	}

	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/tools", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	empty := open(t, catalog.Empty()).get(t, "/api/v1/tools").wantStatus(t, http.StatusServiceUnavailable)
	empty.header.Del("Retry-After")
	if c.contract.check(r, empty) == nil {
		t.Error("503 without Retry-After: not noticed")
	}
}
