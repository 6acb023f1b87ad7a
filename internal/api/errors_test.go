package api_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/docs/guides"
	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/web"
)

const (
	keyHelp    = "; /en/docs/authentication says how to get one"
	badKeyText = "the API key is malformed, unknown or revoked: " +
		"send a valid one, or no Authorization header" + keyHelp
	noKeyText = "this operation needs an API key: " +
		"send Authorization: Bearer <API_KEY>; a key is free" + keyHelp
	anonymousQuota = "daily quota of 100 requests reached: it resets at 00:00 UTC; " +
		"a free API key raises it to 1,000 a day" + keyHelp
	developerQuota = "daily quota of 1,000 requests reached: it resets at 00:00 UTC; " +
		"the Pro plan has no limit; /en/docs/accounts says how to get it"

	notFoundHelp = "; /en/docs/errors says more"

	asleepText = "this API key is dormant: the account's plan allows 3 keys; " +
		"choose the active ones at /compte/offre, or upgrade"

	badKeyScheme = `Bearer realm="api", error="invalid_token"`
)

// Every kind of error with its text. The contract has examples of many: they are what is sent.
func TestErrors(t *testing.T) {
	t.Parallel()
	responses := loadContract(t).doc.Components.Responses
	examples := map[string]web.Reason{} // by their sentences
	example := func(response, name string) string {
		media := responses[response].Value.Content["application/json"]
		value := media.Example
		if name != "" {
			value = media.Examples[name].Value.Value
		}
		text := func(field string) string { s, _ := value.(map[string]any)[field].(string); return s }
		examples[text("error")] = web.Reason{Code: web.Code(text("code")), Parameter: text("parameter"), Successor: text("successor")}
		return text("error")
	}
	c := newClient(t, func(o *api.Options) {
		o.Catalog = serving(amend(t, func(n *catalog.Contents) {
			omega := catalogtest.Retired("omega")
			omega.Reason, omega.RetiredAt, omega.Successor = catalog.Acquired, "2026-03-01", "tocsin"
			n.Retired = append(n.Retired, omega)
			n.Tools = append(n.Tools, catalogtest.Tool("tocsin", func(t *catalog.Tool) { t.Formerly = []string{"lima"} }))
			n.Comparisons = append(n.Comparisons, catalogtest.Comparison("tocsin-ou-zebre", "tocsin", "zebre", func(c *catalog.Comparison) {
				c.Formerly = []string{"lima-ou-zebre"}
			}))
		}))
	})
	empty := newClient(t, of(catalog.Empty()))
	key, emptyKey, spent := c.sign(account.Pro).bearer(), empty.sign(account.Pro).bearer(), c.sign(account.Developer)
	c.spend(&spent, 1000)
	sleeping := c.sign(account.Developer)
	c.setAsleep(sleeping, true)
	poor := c.at("192.0.2.99")
	poor.spend(nil, 100)
	badKey := []string{"Authorization", "Bearer no"}
	long := strings.Repeat("a", 3000)
	const retired = `the tool "feu-mort" was retired on 2024-02-29 (mort): see /api/v1/cimetiere` + notFoundHelp
	for _, x := range []struct {
		c       *client
		target  string
		headers []string
		status  int
		text    string
	}{
		{c, "tools?limit=201", nil, 400, example("InvalidParameter", "outOfBounds")},
		{c, "tools?page=two", nil, 400, example("InvalidParameter", "notAnInteger")},
		{c, "tools?page=1&page=2", nil, 400, example("InvalidParameter", "givenTwice")},
		{c, "stats", badKey, 401, example("Unauthorized", "refused")},
		{c, "stats", sleeping.bearer(), 401, example("Unauthorized", "asleep")},
		{c, keyedRoute, nil, 401, example("KeyRequired", "missing")},
		{c, keyedRoute, badKey, 401, example("KeyRequired", "refused")},
		{c, keyedRoute, sleeping.bearer(), 401, example("KeyRequired", "asleep")},
		{c, "tools/nope", nil, 404, example("ToolNotFound", "unknown")},
		{c, "tools/omega", nil, 404, example("ToolNotFound", "retired")},
		{c, "tools/lima", nil, 404, example("ToolNotFound", "renamed")},
		{c, "facts/nope", nil, 404, example("FactsNotFound", "unknown")},
		{c, "facts/lima", nil, 404, example("FactsNotFound", "renamed")},
		{c, "comparatifs/nope", nil, 404, example("ComparisonNotFound", "unknown")},
		{c, "comparatifs/lima-ou-zebre", nil, 404, example("ComparisonNotFound", "renamed")},
		{c, "/api/embeddings/nope", key, 404, example("EmbeddingsNotFound", "unknown")},
		{c, "/api/embeddings/omega", key, 404, example("EmbeddingsNotFound", "retired")},
		{c, "/api/embeddings/lima", key, 404, example("EmbeddingsNotFound", "renamed")},
		{c, "/api/embeddings/tocsin", key, 404, example("EmbeddingsNotFound", "outsideTheSet")},
		{poor, "stats", nil, 429, example("QuotaExceeded", "anonymous")},
		{c, "stats", spent.bearer(), 429, example("QuotaExceeded", "developer")},
		{empty, "stats", nil, 503, example("Unavailable", "noCatalog")},
		{c, "usage", key, 503, example("Unavailable", "noUsage")},

		{c, "stats", badKey, 401, badKeyText},
		{c, "usage", nil, 401, noKeyText},
		{c, "/api/embeddings/nope", nil, 401, noKeyText}, // before any look-up
		{c, "pricing/nope", nil, 404, `no tool has the slug "nope"` + notFoundHelp},
		{c, "tools/OEUVRE", nil, 404, `no tool has the slug "OEUVRE"` + notFoundHelp},
		{c, "tools/%C5%93uvre", nil, 404, `no tool has the slug "œuvre"` + notFoundHelp},
		{c, "tools/%22%3E%0A", nil, 404, `no tool has the slug "\">\n"` + notFoundHelp},
		{c, "tools/a%FFb", nil, 404, `no tool has the slug "a\xffb"` + notFoundHelp},
		{c, "tools/a%2Fb", nil, 404, `no tool has the slug "a/b"` + notFoundHelp}, // the slash belongs to the slug
		{c, "tools/" + long, nil, 404, `no tool has the slug "` + long[:99] + `…"` + notFoundHelp},
		{c, "tools/feu-mort", nil, 404, retired},
		{c, "pricing/feu-mort", nil, 404, strings.Replace(retired, "see /api/v1/cimetiere", "its history is /api/v1/history/feu-mort", 1)},
		{c, "comparatifs/feu-mort", nil, 404, `no comparison has the slug "feu-mort"` + notFoundHelp},
		{c, "comparatifs/brouillon", nil, 404, `no comparison has the slug "brouillon"` + notFoundHelp}, // a draft
		{poor, "tools?page=0", nil, 429, anonymousQuota},
		{c, keyedRoute, spent.bearer(), 429, developerQuota},
		{empty, "tools?page=0", nil, 400, `page: "0" is not allowed: use an integer of 1 or more`},
		{empty, "/api/embeddings/nope", emptyKey, 503, example("Unavailable", "noCatalog")},
	} {
		scheme, day := "", "2026-11-16"
		switch {
		case x.status == 401 && x.headers == nil:
			scheme = `Bearer realm="api"`
		case x.status == 401:
			scheme = badKeyScheme
		}
		if x.c == empty {
			day = ""
		}
		retry := map[int]string{429: "43200", 503: "5"}[x.status]
		for _, more := range [][]string{nil, {"If-None-Match", "*", "Accept-Encoding", "gzip"}} {
			got := x.c.get(x.target, with(x.headers, more)...).wantError(x.status, x.text,
				"WWW-Authenticate", scheme, "Retry-After", retry, "X-Service-Updated-At", day)
			if want, shown := examples[x.text]; shown {
				testkit.Equal(t, x.target+": the reason in the contract", got.reason(), want)
			}
			x.c.do("HEAD", x.target, with(x.headers, more)...).want(x.status)
		}
	}
	// The OpenAPI document and preflights are there before the first edition.
	empty.get("openapi.json").want(200, "X-Service-Updated-At", "", "X-Attribution", "")
	empty.do("OPTIONS", "tools").want(204)
	empty.do("POST", "tools").want(405)
}

// The guides show the error of a quota that is used up as it is sent.
func TestErrors_InGuides(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"fr/quotas.md", "en/quotas.md"} {
		text, err := guides.Files.ReadFile(file)
		testkit.Must(t, err)
		sentence, _, _ := strings.Cut(anonymousQuota, "; ") // what follows depends on who may sign up
		if !strings.Contains(string(text), `{"error":"`+sentence+`; …","code":"quota"}`) {
			t.Errorf("%s does not show %s", file, sentence)
		}
	}
}

// authFunc is an Authenticator.
type authFunc func(*http.Request) (api.Caller, error)

func (f authFunc) Authenticate(r *http.Request) (api.Caller, error) { return f(r) }

// Faults of the service are 500, say nothing of their cause and are not cached, whatever headers
// they bring. A cancellation inside the service is a fault of the service: 499 is for the log.
func TestErrors_Faults(t *testing.T) {
	t.Parallel()
	var fault error
	c := newClient(t, func(o *api.Options) {
		o.Auth = authFunc(func(*http.Request) (api.Caller, error) {
			if fault == nil {
				panic("trouble")
			}
			return api.Caller{}, fault
		})
	})
	brought := web.Errorf(http.StatusTooManyRequests, "too many")
	brought.Header = http.Header{"Retry-After": {"60"}, "Cache-Control": {"public, max-age=60"}}
	for _, x := range []struct {
		fault  error
		status int
		text   string
	}{
		{nil, 500, "internal error"},
		{http.ErrServerClosed, 500, "internal error"},
		{fmt.Errorf("looking up the key: %w", context.Canceled), 500, "internal error"},
		{brought, 429, "too many"},
	} {
		fault = x.fault
		if cost := c.cost(nil, func() {
			c.get("tools", "If-None-Match", "*").wantError(x.status, x.text, "X-Service-Updated-At", "2026-11-15")
		}); cost != 0 {
			t.Errorf("%v costs %d", x.fault, cost)
		}
	}
}

func TestErrors_Paths(t *testing.T) {
	t.Parallel()
	c := newClient(t, unmetered)
	long := "/" + strings.Repeat("a", 9_000)
	paths := map[string]string{ // as they are sent, and shown
		path("%2e%2e/x"): path("../x"), path("tools/%2e"): path("tools/."),
		path("tools/%2E%2e"): path("tools/.."), path("tools/a%2F..%2Fb"): path("tools/a/../b"),
		"/api%2Fv1%2Ftools": path("tools"), "/api%2Fv1/tools": path("tools"),
		"/api%2Fv1/tools/oeuvre": path("tools/oeuvre"),
		"http://autre.example":   "", "http://autre.example/api/v1/../": "/api/v1/../", "*": "*",
	}
	for _, target := range []string{
		"/", "//", "//api", "//api/v1/tools", "/api", "/api/", "/api/v1/", "tools/",
		"tools//", "/api/v1//tools", "tools/a/b", "tools/oeuvre/", "stats/", "stats/x", "../x",
		"tools/..", "./tools", "x/../tools", "Tools", "cimetiere/feu-mort/x", "categories/code",
		"openapi.yaml", "/api/embeddings/", "embeddings/oeuvre", "/favicon.ico", long,
	} {
		paths[path(target)] = path(target)
	}
	for sent, shown := range paths {
		got, _, ok := c.raw("GET " + sent)
		if !ok {
			t.Fatalf("%q is no request", sent)
		}
		meant := meantPaths[shown]
		if meant != "" {
			meant = "did you mean " + meant + "? "
		}
		got.wantError(404, "there is nothing at "+quoted(shown)+": "+meant+"/api/v1/openapi.json lists what there is"+notFoundHelp,
			"X-Service-Updated-At", "2026-11-15")
	}
	for line, status := range map[string]int{
		"GET http://autre.example/api/v1/stats": 200, // absolute form, as to a proxy
		"GET /api/v1/%73tats":                   200, "GET /api/v1/tools/%6Feuvre?": 200, "CONNECT /api/v1/stats": 405,
		"CONNECT /api/v1/tools/": 404, "CONNECT autre.example:443": 404, "POST /nope": 404,
		"POST /api/nope": 404, "OPTIONS *": 404, // net/http answers it before us
	} {
		if got, _, ok := c.raw(line); !ok || got.status != status {
			t.Errorf("%s: %d, want %d", line, got.status, status)
		}
	}
}

func TestErrors_Methods(t *testing.T) {
	t.Parallel()
	c, long := newClient(t), "X-"+strings.Repeat("A", 200)
	for _, target := range slices.Concat(routes, keyedRoutes, []string{"tools/nope", "tools?page=0"}) {
		for _, method := range []string{"POST", "PUT", "DELETE", "TRACE", "QUERY", "get", "GETS", long} {
			c.do(method, target, "If-None-Match", "*", "Authorization", "x").
				wantError(405, quoted(method)+" is not allowed here: use GET, HEAD or OPTIONS",
					"Allow", "GET, HEAD, OPTIONS", "X-Service-Updated-At", "2026-11-15")
		}
	}
}

// meantPaths are the slips that an error mends.
var meantPaths = map[string]string{
	"/api/v1/tools/": "/api/v1/tools", "/api/v1/tools//": "/api/v1/tools", "/api/v1//tools": "/api/v1/tools",
	"/api/v1/tools/oeuvre/": "/api/v1/tools/oeuvre", "/api/v1/stats/": "/api/v1/stats", "/api/v1/Tools": "/api/v1/tools",
	"/api": "/api/v1", "/api/": "/api/v1", "/api/v1/": "/api/v1", "/api/embeddings/": "/api/embeddings", "/api/v1/embeddings/oeuvre": "/api/embeddings/oeuvre",
}

// A path with a slip in it is a 404 that says the right one, and is no redirect. What it says is one
// of our own paths, whatever was asked for.
func TestErrors_SayThePathThatWasMeant(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	for path, meant := range map[string]string{
		"/api/tools": "/api/v1/tools", "/api/v1/outils/Oeuvre": "/api/v1/tools/oeuvre", "/api/v1/comparisons": "/api/v1/comparatifs",
		"/api/v1/prices/oeuvre": "/api/v1/pricing/oeuvre", "/api/v1/cemetery/": "/api/v1/cimetiere", "/API/v1/tools": "", "/api/v2/tools": "",
		"/api/v1/tools/a/b": "", "/api/v1/stats/x": "", "/api/v1/tools/%22%3E/": "", "/api/v1/nope": "", "/api//evil.example/": "",
	} {
		got := c.get(path)
		text := string(got.body)
		if said := strings.Contains(text, "did you mean "+meant+"? "); got.status != 404 || said != (meant != "") ||
			meant == "" && strings.Contains(text, "did you mean") {
			t.Errorf("%s: %d %s, want %q to be named", path, got.status, text, meant)
		}
	}
}
