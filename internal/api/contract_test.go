package api_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/redistest"
)

func TestContract_RoutesArePaths(t *testing.T) {
	t.Parallel()
	a, err := api.New(api.Options{Catalog: shelve(fixture(t))})
	if err != nil {
		t.Fatal(err)
	}
	paths := loadContract(t).doc.Paths
	documented := paths.Keys()
	slices.Sort(documented)
	if routes := a.Paths(); !slices.Equal(routes, documented) {
		t.Errorf("routes and paths differ:\nroutes %q\npaths  %q", routes, documented)
	}
	for path, item := range paths.Map() {
		for method := range item.Operations() {
			if method != http.MethodGet {
				t.Errorf("%s documents %s: every operation is GET", path, method)
			}
		}
	}
}

// Every operation of the contract answers 200 over the fixture.
func TestContract_EveryOperationAnswers(t *testing.T) {
	t.Parallel()
	c := serve(t, api.Options{Catalog: shelve(fixture(t)), Callers: anyKey, Usage: usageOn(t, redistest.URL(t), nil)})
	covered := map[string]bool{}
	for _, target := range slices.Concat(routes, keyedRoutes) {
		c.get(t, target, "Authorization", "Bearer good").wantStatus(t, http.StatusOK)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		route, err := c.contract.route(r)
		if err != nil {
			t.Fatal(err)
		}
		covered[route.Path] = true
	}
	for _, path := range c.contract.doc.Paths.Keys() {
		if !covered[path] {
			t.Errorf("%s is in no test: add it to routes", path)
		}
	}
}

// anyKey takes whoever shows a key for a developer.
var anyKey = callers(func(r *http.Request) (api.Caller, error) {
	if r.Header.Get("Authorization") == "" {
		return api.Caller{Plan: account.Anonymous}, nil
	}
	return api.Caller{Plan: account.Developer, Account: "any", KeyID: "key_any"}, nil
})

// keyedRoutes are the targets of the operations that need a key; keyedRoute is one of
// them.
var keyedRoutes = []string{keyedRoute, "/api/embeddings", "/api/v1/usage"}

const keyedRoute = "/api/embeddings/oeuvre"

// routes has one target for each other operation, which exists in the fixture.
var routes = []string{
	"/api/v1/tools",
	"/api/v1/tools/oeuvre",
	"/api/v1/comparatifs",
	"/api/v1/comparatifs/eclair-ou-oeuvre",
	"/api/v1/pricing",
	"/api/v1/pricing/oeuvre",
	"/api/v1/cimetiere",
	"/api/v1/categories",
	"/api/v1/stats",
	"/api/v1/openapi.json",
}

// lists are the four paginated lists.
var lists = []string{"/api/v1/tools", "/api/v1/comparatifs", "/api/v1/pricing", "/api/v1/cimetiere"}

// A second reader of YAML finds the same document: no value was read as another
// type than the one it was written as.
func TestContract_DocumentReadTwice(t *testing.T) {
	t.Parallel()
	got := open(t, catalog.Empty()).get(t, "/api/v1/openapi.json").wantStatus(t, http.StatusOK) // nothing is filled in yet
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(got.text)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(loader.Context); err != nil {
		t.Fatal(err)
	}
	served, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	written, err := json.Marshal(loadContract(t).doc)
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	if err := errors.Join(json.Unmarshal(served, &a), json.Unmarshal(written, &b)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Error("the document served is not what another reader makes of the YAML")
	}
}

// The examples of errors that the document shows are the texts that are sent.
func TestContract_ErrorExamplesAreReal(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	responses := c.contract.doc.Components.Responses
	shown := func(name, example string) string {
		media := responses[name].Value.Content["application/json"]
		value := media.Example
		if example != "" {
			value = media.Examples[example].Value.Value
		}
		return value.(map[string]any)["error"].(string)
	}
	c.get(t, "/api/v1/tools?limit=201").wantError(t, 400, shown("InvalidParameter", "outOfBounds"))
	c.get(t, "/api/v1/tools?page=two").wantError(t, 400, shown("InvalidParameter", "notAnInteger"))
	c.get(t, "/api/v1/tools?page=1&page=2").wantError(t, 400, shown("InvalidParameter", "givenTwice"))
	c.get(t, "/api/v1/stats", "Authorization", "Bearer no").wantError(t, 401, shown("Unauthorized", ""))
	c.get(t, "/api/v1/tools/nope").wantError(t, 404, shown("ToolNotFound", "unknown"))
	c.get(t, "/api/v1/comparatifs/nope").wantError(t, 404, shown("ComparisonNotFound", ""))
	c.get(t, keyedRoute).wantError(t, 401, shown("KeyRequired", "missing"))
	c.get(t, keyedRoute, "Authorization", "Bearer no").wantError(t, 401, shown("KeyRequired", "refused"))
	c.do(t, http.MethodPost, "/api/v1/stats").wantError(t, 405, shown("MethodNotAllowed", ""))
	open(t, catalog.Empty()).get(t, "/api/v1/stats").wantError(t, 503, shown("Unavailable", "noCatalog"))
	serve(t, api.Options{Catalog: shelve(fixture(t)), Callers: anyKey}).
		get(t, "/api/v1/usage", keyed...).wantError(t, 503, shown("Unavailable", "noUsage"))

	omega := amend(fixture(t), func(n *catalog.Contents) {
		n.Retired = append(n.Retired, &catalog.Retired{
			Slug: "omega", Name: "Omega", Category: "code", Reason: catalog.Acquired, RetiredAt: "2026-03-01", Note: "Racheté.",
		})
	})
	open(t, omega).get(t, "/api/v1/tools/omega").wantError(t, 404, shown("ToolNotFound", "retired"))

	spent := func(plan account.Plan, name string, headers ...string) {
		c := serve(t, api.Options{Catalog: shelve(fixture(t)), Callers: anyKey, Meter: localMeter(t)})
		for range plan.Limits().Daily {
			c.get(t, "/api/v1/stats", headers...).wantStatus(t, http.StatusOK)
		}
		c.get(t, "/api/v1/stats", headers...).wantError(t, 429, shown("QuotaExceeded", name))
	}
	spent(account.Anonymous, "anonymous")
	spent(account.Developer, "developer", "Authorization", "Bearer good")

	c = serve(t, api.Options{Catalog: shelve(omega), Callers: anyKey})
	good := []string{"Authorization", "Bearer good"}
	c.get(t, "/api/embeddings/nope", good...).wantError(t, 404, shown("EmbeddingsNotFound", "unknown"))
	c.get(t, "/api/embeddings/omega", good...).wantError(t, 404, shown("EmbeddingsNotFound", "retired"))
	tocsin := amend(fixture(t), func(n *catalog.Contents) {
		x := *tool(n, "sans-avis")
		x.Slug = "tocsin"
		n.Tools = append(n.Tools, &x)
	})
	serve(t, api.Options{Catalog: shelve(tocsin), Callers: anyKey}).
		get(t, "/api/embeddings/tocsin", good...).wantError(t, 404, shown("EmbeddingsNotFound", "outsideTheSet"))
}
