package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
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

// The list of codes is the same in the program, the contract and its French, and both guides, in one order.
func TestCodes_AreThoseOfContractAndGuides(t *testing.T) {
	t.Parallel()
	want := fmt.Sprint(web.Codes())
	schema := loadContract(t).doc.Components.Schemas["ErrorCode"].Value
	testkit.Equal(t, "the contract", fmt.Sprint(schema.Enum), want)
	_, french := api.Contract()
	_, inFrench, _ := strings.Cut(string(french), "\n    ErrorCode:\n")
	inFrench, _, _ = strings.Cut(inFrench, "\n    ComparisonItem:")
	named := func(pattern, text string) string {
		var names []string
		for _, row := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			names = append(names, row[1])
		}
		return fmt.Sprint(names)
	}
	testkit.Equal(t, "what the contract says of each", named("(?m)^ *- `([a-z_]+)`", schema.Description), want)
	testkit.Equal(t, "what it says in French", named("(?m)^ *- `([a-z_]+)`", inFrench), want)
	for _, file := range []string{"fr/erreurs.md", "en/errors.md"} {
		text, err := guides.Files.ReadFile(file)
		testkit.Must(t, err)
		_, table, _ := strings.Cut(string(text), "{#codes}")
		table, _, _ = strings.Cut(table, "\n## ")
		testkit.Equal(t, file, named("(?m)^[|] `([a-z_]+)` [|]", table), want)
	}
}

// Every operation refuses whatever can be refused, with a code; the contract is held against each response. All codes are
// seen but too_large, which only /mcp has, and busy, which the tests of downloads see.
func TestCodes_OfEveryOperation(t *testing.T) {
	t.Parallel()
	c := newClient(t, formerSlugs)
	empty := newClient(t, of(catalog.Empty()))
	h, sleeping := c.sign(account.Developer), c.sign(account.Developer)
	c.setAsleep(sleeping, true)
	spent := c.sign(account.Developer)
	c.spend(&spent, 1000)
	seen := map[web.Code]bool{}
	for path, item := range loadContract(t).doc.Paths.Map() {
		at := func(slug string) string {
			return strings.NewReplacer("{slug}", slug, "{file}", slug).Replace(path)
		}
		slug := "oeuvre"
		if strings.Contains(path, "comparatifs") {
			slug = "eclair-ou-oeuvre"
		}
		operation := item.Get
		refused := func(what string, got reply, code web.Code) {
			t.Helper()
			seen[code] = true
			testkit.Equal(t, path+", "+what, got.code(), code)
		}
		refused("another method", c.do("POST", at(slug)), web.CodeMethod)
		refused("a key that is none", c.get(at(slug), "Authorization", "Bearer plm_faux"), web.CodeKeyInvalid)
		refused("a dormant key", c.get(at(slug), sleeping.bearer()...), web.CodeKeyDormant)
		refused("a path below", c.get(at(slug)+"/a/b", h.bearer()...), web.CodeNoSuchPath)
		if operation.Security != nil && len(*operation.Security) == 1 { // a key is required
			refused("no key", c.get(at(slug)), web.CodeKeyMissing)
		}
		if free := operation.Responses.Value("429").Ref == "#/components/responses/BadKeysExceeded"; !free {
			refused("no quota", c.get(at(slug), spent.bearer()...), web.CodeQuota)
			asked := "?slugs=a"
			switch {
			case strings.HasSuffix(path, "/compare"):
				asked = "?items=a,b"
			case strings.HasSuffix(path, "/bill"):
				asked = "?items=a&from=2025-01&to=2025-12"
			}
			if strings.HasSuffix(path, "/history") {
				asked = "?on=2025-01-31"
			}
			refused("no edition", empty.get(at("categories.csv")+asked, empty.sign(account.Pro).bearer()...), web.CodeUnavailable)
		}
		for _, parameter := range operation.Parameters {
			if parameter.Value.In != "query" {
				continue
			}
			name := parameter.Value.Name
			got := c.get(at(slug)+"?"+name+"=a&"+name+"=b", h.bearer()...)
			refused(name+" given twice", got, web.CodeBadParameter)
			if !slices.ContainsFunc([]string{"/findings", "/bill", "/history"}, func(end string) bool { return strings.HasSuffix(path, end) }) { // which miss another one first
				testkit.Equal(t, path+": the parameter", got.reason().Parameter, name)
			}
		}
		if strings.Contains(path, "{") {
			refused("nothing of that name", c.get(at("nope"), h.bearer()...), web.CodeUnknown)
		}
	}
	for _, x := range []struct {
		target string
		code   web.Code
	}{
		{"tools/cheval", web.CodeRenamed},
		{"tools/feu-mort", web.CodeRetired},
		{"/api/embeddings/sans-note", web.CodeOutsideTheSet},
		{"changes?since=1-0123456789abcdef", web.CodeGone},
	} {
		seen[x.code] = true
		testkit.Equal(t, x.target, c.get(x.target, h.bearer()...).code(), x.code)
	}
	got := c.get("tools?limit=%zz")
	testkit.Equal(t, "a query string that cannot be read", got.reason(), web.Reason{Code: web.CodeBadParameter, Parameter: "query"})
	seen[web.CodeTooLarge], seen[web.CodeBusy] = true, true
	for _, code := range web.Codes() {
		if !seen[code] {
			t.Errorf("no error has the code %s", code)
		}
	}
	testkit.Equal(t, "codes", len(slices.Collect(maps.Keys(seen))), len(web.Codes()))
}

// A retired tool names the first of its successors that lives on, wherever that is in the chain, and leads to it.
func TestCodes_SuccessorOfARetiredTool(t *testing.T) {
	t.Parallel()
	retired := func(slug, successor string) *catalog.Retired {
		return catalogtest.Retired(slug, func(r *catalog.Retired) { r.Successor = successor })
	}
	c := newClient(t, unmetered, func(o *api.Options) {
		o.BaseURL = "https://palmares.example"
		o.Catalog = serving(catalogtest.Snapshot(
			catalogtest.Tool("vif"),
			catalogtest.Tool("partant", func(t *catalog.Tool) { t.Ending = catalog.Ending{At: "2027-01-31", Successor: "vif"} }),
			catalogtest.Tool("perdu", func(t *catalog.Tool) { t.Ending = catalog.Ending{At: "2027-01-31"} }),
			retired("un", "vif"), retired("deux", "un"), retired("trois", "partant"), retired("quatre", "perdu"),
			retired("cinq", "six"), retired("six", "cinq"), retired("seul", ""),
		))
	})
	for slug, want := range map[string]string{"un": "vif", "deux": "vif", "trois": "vif", "quatre": "", "cinq": "", "seul": ""} {
		link := ""
		if want != "" {
			link = `<https://palmares.example/api/v1/tools/` + want + `>; rel="successor-version"`
		}
		for _, target := range []string{"tools/", "pricing/"} {
			got := c.get(target+slug).want(http.StatusNotFound, "Link", link)
			testkit.Equal(t, target+slug, got.reason(), web.Reason{Code: web.CodeRetired, Successor: want})
		}
	}
}

// statuses has the statuses that a code comes with.
var statuses = map[web.Code][]int{
	web.CodeRetired: {404}, web.CodeRenamed: {404}, web.CodeUnknown: {404}, web.CodeOutsideTheSet: {404}, web.CodeBadParameter: {400},
	web.CodeKeyMissing: {401}, web.CodeKeyInvalid: {401}, web.CodeKeyDormant: {401}, web.CodeQuota: {429}, web.CodeGone: {410},
	web.CodeNoSuchPath: {404}, web.CodeMethod: {405}, web.CodeBusy: {503}, web.CodeUnavailable: {500, 503},
}

// checkReason holds the reason of an error against its status: what a code goes with never changes.
func checkReason(status int, r web.Reason) error {
	switch {
	case !slices.Contains(statuses[r.Code], status):
		return fmt.Errorf("a %d with the code %q", status, r.Code)
	case (r.Parameter != "") != (r.Code == web.CodeBadParameter):
		return fmt.Errorf("%s with the parameter %q", r.Code, r.Parameter)
	case r.Successor != "" && r.Code != web.CodeRetired:
		return fmt.Errorf("%s with the successor %q", r.Code, r.Successor)
	}
	return nil
}
