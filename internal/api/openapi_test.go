package api_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
)

// creditForm is what openapi.yaml has in the place of the credit line.
const creditForm = "Source : <service_name> (<service_url>)"

// renamed gives a catalog another name, in an edition of its own.
func renamed(s *catalog.Snapshot, name string) *catalog.Snapshot {
	return amend(s, func(c *catalog.Contents) { c.Service.Name = name })
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
		got := open(t, renamed(fixture(t), name)).get(t, "/api/v1/stats").wantStatus(t, http.StatusOK)
		got.wantHeader(t, "X-Attribution", want)
		if back, err := url.PathUnescape(got.header.Get("X-Attribution")); err != nil || back != "Source : "+name+" (https://palmares.example)" {
			t.Errorf("%q is decoded to %q, %v", name, back, err)
		}
	}
}

// The document that is served is openapi.yaml with the credit line and the address
// filled in, as far as they are known.
func TestContract_DocumentServed(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name, base, credit string
		snapshot           *catalog.Snapshot
	}{
		{"before the first edition", "", creditForm, catalog.Empty()},
		{"before the first edition, with an address", "https://api.example", creditForm, catalog.Empty()},
		{"loaded", "", credit, fixture(t)},
		{"loaded, with an address", "https://api.example/catalogue", credit, fixture(t)},
		{"quoted", "", `Source : L'«\"outil\"» (https://palmares.example)`, renamed(fixture(t), `L'«\"outil\"»`)},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			c := serve(t, api.Options{Catalog: shelve(x.snapshot), BaseURL: x.base})
			got := c.get(t, "/api/v1/openapi.json").wantStatus(t, http.StatusOK)
			written := documentWritten(t, x.credit)
			if x.base != "" {
				written["servers"].([]any)[0].(map[string]any)["url"] = x.base
			}
			var served map[string]any
			got.into(t, &served)
			if !reflect.DeepEqual(served, written) {
				t.Error("the document served is not the YAML, filled in")
			}
		})
	}
}

// documentWritten is openapi.yaml with a credit line in its place.
func documentWritten(t testing.TB, credit string) (doc map[string]any) {
	t.Helper()
	var fill func(any) any
	fill = func(v any) any {
		switch v := v.(type) {
		case string:
			return strings.ReplaceAll(v, creditForm, credit)
		case []any:
			for i := range v {
				v[i] = fill(v[i])
			}
		case map[string]any:
			for k := range v {
				v[k] = fill(v[k])
			}
		}
		return v
	}
	var written any
	if err := yaml.Unmarshal(api.ContractYAML(), &written); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(fill(written))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// An edition that changes the credit line changes the document and its tag, in every
// coding; one that does not leaves both alone.
func TestContract_DocumentFollowsTheEdition(t *testing.T) {
	t.Parallel()
	sh := shelve(catalog.Empty())
	a, err := api.New(api.Options{Catalog: sh})
	if err != nil {
		t.Fatal(err)
	}
	c := serveHandler(t, a)
	ask := func(coding, tag string) reply {
		t.Helper()
		return c.get(t, "/api/v1/openapi.json", "Accept-Encoding", coding, "If-None-Match", tag)
	}
	codings := []string{"identity", "gzip", "zstd"}
	tags := map[string]string{"identity": `"-"`, "gzip": `"-"`, "zstd": `"-"`}
	first := fixture(t)
	for _, x := range []struct {
		name    string
		s       *catalog.Snapshot
		changed bool
	}{
		{"", catalog.Empty(), true},
		{credit, first, true},
		{credit, amend(first, func(c *catalog.Contents) { retire(c, "zebre") }), false},
		{"Source : Autre (https://palmares.example)", renamed(first, "Autre"), true},
	} {
		a.Prepare(x.s)
		sh.Store(x.s)
		for _, coding := range codings {
			got := ask(coding, tags[coding])
			if !x.changed {
				got.wantStatus(t, http.StatusNotModified)
				continue
			}
			got.wantStatus(t, http.StatusOK)
			want := coding
			if coding == "identity" {
				want = ""
			}
			got.wantHeader(t, "Content-Encoding", want) // at the first ask
			if x.name != "" && (!strings.Contains(string(got.text), x.name) || strings.Contains(string(got.text), "<service_name>")) {
				t.Errorf("the document in %s does not have the credit line %s", coding, x.name)
			}
			tags[coding] = got.header.Get("ETag")
		}
	}
}
