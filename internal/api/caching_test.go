package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/web"
)

const shared = "s-maxage=3600, stale-while-revalidate=86400"

func TestCaching_Anonymous200(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	for _, target := range routes {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			got := c.do(t, method, target).wantStatus(t, http.StatusOK)
			got.wantHeader(t, "Cache-Control", shared)
			got.wantHeader(t, "Vary", "Authorization, Accept-Encoding")
		}
		got := c.get(t, target, "If-None-Match", "*").wantStatus(t, http.StatusNotModified)
		got.wantHeader(t, "Cache-Control", shared)
	}
}

// callers answers Identify with a function.
type callers func(*http.Request) (api.Caller, error)

func (f callers) Identify(r *http.Request) (api.Caller, error) { return f(r) }

func TestCaching_KeyedAnswersArePrivate(t *testing.T) {
	t.Parallel()
	c := serve(t, api.Options{Catalog: shelve(fixture(t)), Callers: anyKey, Usage: usageOn(t, redistest.URL(t), noon().now), Now: noon().now})
	for _, target := range slices.Concat(routes, keyedRoutes) {
		got := c.get(t, target, "Authorization", "Bearer good").wantStatus(t, http.StatusOK)
		got.wantHeader(t, "Cache-Control", "private, no-cache")
		got = c.get(t, target, "Authorization", "Bearer good", "If-None-Match", got.header.Get("ETag")).wantStatus(t, http.StatusNotModified)
		got.wantHeader(t, "Cache-Control", "private, no-cache")
	}
}

// No error is ever cached, whatever it is and wherever it comes from. The client
// checks it on each answer of each test; here is every kind of error at once.
func TestCaching_NoErrorIsEverCached(t *testing.T) {
	t.Parallel()
	trouble := callers(func(r *http.Request) (api.Caller, error) {
		switch r.Header.Get("X-Trouble") {
		case "panic":
			panic("trouble")
		case "unknown":
			return api.Caller{}, http.ErrServerClosed
		case "429":
			e := web.Errorf(http.StatusTooManyRequests, "too many")
			e.Header = http.Header{"Retry-After": {"60"}, "Cache-Control": {"public, max-age=60"}}
			return api.Caller{}, e
		}
		return api.AnonymousOnly{}.Identify(r)
	})
	loaded := serve(t, api.Options{Catalog: shelve(fixture(t)), Callers: trouble})
	empty := serve(t, api.Options{Catalog: shelve(catalog.Empty()), Callers: trouble})
	cases := []struct {
		c              *client
		method, target string
		status         int
		headers        []string
	}{
		{loaded, "GET", "/api/v1/tools?page=0", 400, nil},
		{loaded, "GET", "/api/v1/tools", 401, []string{"Authorization", "x"}},
		{loaded, "GET", "/api/v1/tools/nope", 404, nil},
		{loaded, "GET", "/nope", 404, nil},
		{loaded, "POST", "/api/v1/tools", 405, nil},
		{loaded, "GET", "/api/v1/tools", 429, []string{"X-Trouble", "429"}},
		{loaded, "GET", "/api/v1/tools", 500, []string{"X-Trouble", "unknown"}},
		{loaded, "GET", "/api/v1/tools", 500, []string{"X-Trouble", "panic"}},
		{empty, "GET", "/api/v1/tools", 503, nil},
		{empty, "GET", "/api/v1/tools", 500, []string{"X-Trouble", "panic"}},
	}
	for _, x := range cases {
		methods := []string{x.method}
		if x.method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
		for _, method := range methods {
			headers := slices.Concat(x.headers, []string{"If-None-Match", "*", "Accept-Encoding", "gzip"})
			got := x.c.do(t, method, x.target, headers...).wantStatus(t, x.status)
			got.wantHeader(t, "Cache-Control", "no-store")
			got.wantHeader(t, "ETag", "")
		}
	}
	loaded.get(t, "/api/v1/stats", "X-Trouble", "panic").wantError(t, 500, "internal error")
	loaded.get(t, "/api/v1/stats", "X-Trouble", "unknown").wantError(t, 500, "internal error")
}

func TestCaching_ETagDiffersByEncoding(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	for _, target := range []string{"/api/v1/tools", "/api/v1/pricing", "/api/v1/openapi.json"} {
		seen := map[string]string{}
		for _, coding := range []string{"identity", "gzip", "zstd"} {
			tag := c.get(t, target, "Accept-Encoding", coding).header.Get("ETag")
			if !strings.HasPrefix(tag, `"`) || seen[tag] != "" {
				t.Errorf("%s: the tag %s of %s is weak or that of %q", target, tag, coding, seen[tag])
			}
			seen[tag] = coding
			if again := c.get(t, target, "Accept-Encoding", coding).header.Get("ETag"); again != tag {
				t.Errorf("%s: %s and then %s", target, tag, again)
			}
		}
	}
}

func TestCaching_IfNoneMatch(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	for _, target := range routes {
		own := c.get(t, target).header.Get("ETag")
		zipped := c.get(t, target, "Accept-Encoding", "gzip").header.Get("ETag")
		if zipped != own { // other bytes: a 304 would say that the client has those it asks for
			if got := c.get(t, target, "If-None-Match", zipped); got.status != http.StatusOK {
				t.Errorf("%s with the tag of another encoding: %d, want 200", target, got.status)
			}
		}
		for value, status := range map[string]int{
			own:                     304,
			"W/" + own:              304,
			`"a", ` + own:           304,
			`"a,b" ,W/"c",` + own:   304,
			"*":                     304,
			`"a"`:                   200,
			`""`:                    200,
			"":                      200,
			strings.Trim(own, `"`):  200,
			own[:len(own)-2] + `"`:  200,
			`"a" "b"`:               200,
			strings.ToUpper(own):    200,
			`"` + own[1:5] + `..."`: 200,
		} {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				got := c.do(t, method, target, "If-None-Match", value)
				if got.status != status {
					t.Errorf("%s %s with %s: %d, want %d", method, target, value, got.status, status)
				}
				got.wantHeader(t, "ETag", own)
				got.wantHeader(t, "Vary", "Authorization, Accept-Encoding")
			}
		}
		// Several lines are one list.
		c.get(t, target, "If-None-Match", `"a"`, "If-None-Match", own).wantStatus(t, http.StatusNotModified)
		// A 304 names the representation that the client has, among those it takes.
		got := c.get(t, target, "If-None-Match", own, "Accept-Encoding", "gzip").wantStatus(t, http.StatusNotModified)
		got.wantHeader(t, "ETag", own)
		got = c.get(t, target, "If-None-Match", zipped, "Accept-Encoding", "zstd, gzip;q=0.5").wantStatus(t, http.StatusNotModified)
		got.wantHeader(t, "ETag", zipped)
		if zipped != own {
			c.get(t, target, "If-None-Match", own, "Accept-Encoding", "gzip, identity;q=0").wantStatus(t, http.StatusOK)
		}
	}
	// There is nothing that the client could hold.
	c.get(t, "/api/v1/tools/nope", "If-None-Match", "*").wantStatus(t, http.StatusNotFound)
	c.get(t, "/api/v1/tools?limit=0", "If-None-Match", "*").wantStatus(t, http.StatusBadRequest)
}

// A page keeps its tag across editions as long as its own items and its meta do.
func TestCaching_ETagAcrossEditions(t *testing.T) {
	t.Parallel()
	sh := shelve(fixture(t))
	c := serve(t, api.Options{Catalog: sh})
	kept := []string{
		"/api/v1/tools?limit=5&page=1", // zebre is on the third page
		"/api/v1/tools?category=code",
		"/api/v1/tools?score_min=8",
		"/api/v1/tools/oeuvre",
		"/api/v1/pricing/oeuvre",
		"/api/v1/pricing", // a score is no price
		"/api/v1/comparatifs/ame-ou-ame",
		"/api/v1/cimetiere",
		"/api/v1/openapi.json",
	}
	moved := []string{
		"/api/v1/tools",
		"/api/v1/tools?limit=5&page=3",
		"/api/v1/tools/zebre",
		"/api/v1/comparatifs",
		"/api/v1/comparatifs/oeuvre-ou-zebre",
		"/api/v1/categories",
		"/api/v1/stats",
	}
	before := map[string]string{}
	for _, target := range slices.Concat(kept, moved) {
		before[target] = c.get(t, target).header.Get("ETag")
	}
	sh.Store(amend(sh.Load(), func(n *catalog.Contents) { tool(n, "zebre").Score = catalog.Hundredths(544) }))
	for _, target := range kept {
		got := c.get(t, target, "If-None-Match", before[target]).wantStatus(t, http.StatusNotModified)
		got.wantHeader(t, "ETag", before[target])
		got.wantHeader(t, "X-Service-Updated-At", "2026-11-16")
	}
	for _, target := range moved {
		got := c.get(t, target, "If-None-Match", before[target])
		if got.status != http.StatusOK || got.header.Get("ETag") == before[target] {
			t.Errorf("%s changed, but answers %d with the tag it had", target, got.status)
		}
	}
}

// Targets that show something different have tags that differ.
func TestCaching_ETagPerBody(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	seen := map[string]reply{}
	for _, target := range slices.Concat(routes, []string{
		"/api/v1/tools?limit=15", "/api/v1/tools?limit=3", "/api/v1/tools?limit=3&page=2", "/api/v1/tools?sort=score_asc",
		"/api/v1/tools?page=9", "/api/v1/tools?page=10", "/api/v1/pricing?page=9", "/api/v1/tools/ame", "/api/v1/pricing/ame",
	}) {
		got := c.get(t, target)
		tag := got.header.Get("ETag")
		if other, ok := seen[tag]; ok && string(other.text) != string(got.text) {
			t.Errorf("%s has the tag of another body", target)
		}
		seen[tag] = got
	}
	if len(seen) < len(routes)+7 {
		t.Errorf("only %d tags", len(seen))
	}
}

func TestCaching_ExposeHeaders(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	exposed := strings.Split(c.get(t, "/api/v1/stats").header.Get("Access-Control-Expose-Headers"), ", ")
	// Browsers expose these of themselves (the Fetch standard), or need not.
	hidden := []string{
		"Cache-Control", "Content-Length", "Content-Type", "Vary", "Allow",
		"Access-Control-Allow-Origin", "Access-Control-Expose-Headers",
	}
	for _, name := range []string{"X-RateLimit-Tier", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
		if !slices.Contains(exposed, name) {
			t.Errorf("%s is not exposed", name)
		}
	}
	for name := range c.contract.doc.Components.Headers {
		if strings.Contains(name, "-Of-Errors") || strings.Contains(name, "-Once-Loaded") || slices.Contains(hidden, name) {
			continue
		}
		if !slices.Contains(exposed, name) {
			t.Errorf("%s is in the contract but not exposed", name)
		}
	}
}
