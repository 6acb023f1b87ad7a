package api_test

import (
	"cmp"
	"encoding/json"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// The credit line: of the fixture, as it is sent in a header, and its placeholder in openapi.yaml.
const (
	credit            = "Source : Palmarès (https://palmares.example)"
	creditHeader      = "Source : Palmar%C3%A8s (https://palmares.example)"
	creditPlaceholder = "Source : <service_name> (<service_url>)"
)

// renamed gives the catalog another name.
func renamed(t testing.TB, name string) *catalog.Snapshot {
	t.Helper()
	return amend(t, func(c *catalog.Contents) { c.Service.Name = name })
}

// The credit line is sent in ASCII, and decodes to itself.
func TestAttribution(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Catalogue":            "Source : Catalogue (https://palmares.example)",
		"Palmarès":             "Source : Palmar%C3%A8s (https://palmares.example)",
		"100 % utile, 20%C3":   "Source : 100 %25 utile, 20%25C3 (https://palmares.example)",
		"a\tb\x7f\u0080\u009b": "Source : a%09b%7F%C2%80%C2%9B (https://palmares.example)",
		"a\r\nSet-Cookie: b=c": "Source : a%0D%0ASet-Cookie: b=c (https://palmares.example)",
		"道具 \U0001f9f0":        "Source : %E9%81%93%E5%85%B7 %F0%9F%A7%B0 (https://palmares.example)",
	} {
		got := newClient(t, of(renamed(t, name))).get("stats").has("X-Attribution", want)
		back, err := url.PathUnescape(got.header.Get("X-Attribution"))
		if err != nil || back != "Source : "+name+" (https://palmares.example)" {
			t.Errorf("%q is decoded to %q, %v", name, back, err)
		}
	}
}

// The index has every operation of the contract, with its summary and where it is, before the first
// edition too.
func TestIndex(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "https://api.example"} {
		c := newClient(t, of(catalog.Empty()), func(o *api.Options) { o.BaseURL = base })
		var index struct {
			OpenAPI, Docs string
			Operations    []struct{ Name, Path, URL, Description string }
		}
		c.get("/api/v1").want(200, "X-Service-Updated-At", "", "X-Attribution", "").into(&index)
		testkit.Equal(t, "links", []string{index.OpenAPI, index.Docs}, []string{base + "/api/v1/openapi.json", base + "/en/docs"})
		var paths []string
		for _, o := range index.Operations {
			paths = append(paths, o.Path)
			op := c.contract.doc.Paths.Find(o.Path)
			if op == nil || op.Get.OperationID != o.Name || op.Get.Summary != o.Description || o.URL != base+o.Path {
				t.Errorf("%+v is not in the contract", o)
			}
		}
		slices.Sort(paths)
		testkit.Equal(t, "paths", paths, c.api.Paths())
		if got := c.get("/api/v1/").status; got != 404 {
			t.Errorf("with a slash at its end: %d", got)
		}
	}
}

// The document that is served is openapi.yaml with the credit line and the address filled in, as
// far as they are known.
func TestOpenAPI_IsFilledIn(t *testing.T) {
	t.Parallel()
	const hostile = `L'«\"outil\"»`
	for _, x := range []struct {
		snapshot     *catalog.Snapshot
		base, credit string
	}{
		{catalog.Empty(), "", creditPlaceholder},
		{catalog.Empty(), "https://api.example", creditPlaceholder},
		{catalogtest.Fixture(t), "", credit},
		{catalogtest.Fixture(t), "https://api.example/catalogue", credit},
		{renamed(t, hostile), "", `Source : ` + hostile + ` (https://palmares.example)`},
	} {
		c := newClient(t, of(x.snapshot), func(o *api.Options) { o.BaseURL = x.base })
		var served, written map[string]any
		c.get("openapi.json").want(200).into(&served)
		text, err := yaml.YAMLToJSON(yamlOf(api.Contract()))
		if err != nil {
			t.Fatal(err)
		}
		quoted, err := json.Marshal(x.credit)
		if err != nil {
			t.Fatal(err)
		}
		filled := strings.ReplaceAll(string(text), creditPlaceholder, strings.Trim(string(quoted), `"`))
		if address := cmp.Or(x.base, x.snapshot.Service().URL); address != "" {
			filled = strings.ReplaceAll(filled, "https://catalogue.example", address)
		}
		if err := json.Unmarshal([]byte(filled), &written); err != nil {
			t.Fatal(err)
		}
		if x.base != "" {
			written["servers"].([]any)[0].(map[string]any)["url"] = x.base
		}
		if !reflect.DeepEqual(served, written) {
			t.Errorf("at %q: the document served is not the YAML with %q", x.base, x.credit)
		}
		if x.base != "" { // where the guides are
			there := func(text string) string { return strings.Replace(text, "/en/docs/", x.base+"/en/docs/", 1) }
			c.get("stats", "Authorization", "x").wantError(401, there(badKeyText))
			c.get("/nope").wantError(404, there(`there is nothing at "/nope": /api/v1/openapi.json lists what there is`+notFoundHelp))
		}
	}
}
