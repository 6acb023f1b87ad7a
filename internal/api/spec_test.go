package api_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A field says whether a decoded JSON value has the type that the specification gives.
type field func(v any) bool

func isText(v any) bool { s, ok := v.(string); return ok && s != "" }

func isNumber(v any) bool { _, ok := v.(json.Number); return ok }

func isInteger(v any) bool {
	n, ok := v.(json.Number)
	return ok && !strings.ContainsAny(n.String(), ".eE")
}

func isURL(v any) bool {
	s, _ := v.(string)
	u, err := url.Parse(s)
	return err == nil && u.IsAbs() && u.Host != ""
}

func nullable(f field) field { return func(v any) bool { return v == nil || f(v) } }

func matching(pattern string) field {
	re := regexp.MustCompile("^(?:" + pattern + ")$")
	return func(v any) bool { s, _ := v.(string); return re.MatchString(s) }
}

// object has exactly these fields.
func object(fields map[string]field) field {
	return func(v any) bool {
		m, ok := v.(map[string]any)
		if !ok || len(m) != len(fields) {
			return false
		}
		for name, f := range fields {
			if value, ok := m[name]; !ok || !f(value) {
				return false
			}
		}
		return true
	}
}

// array has at least n elements, all alike.
func array(n int, f field) field {
	return func(v any) bool {
		a, ok := v.([]any)
		return ok && len(a) >= n && !slices.ContainsFunc(a, func(e any) bool { return !f(e) })
	}
}

var (
	isDate    = matching(`\d{4}-\d{2}-\d{2}`)
	isSlug    = matching(`[a-z0-9]+(-[a-z0-9]+)*`)
	isPricing = matching("gratuit|freemium|payant")
	isPrice   = matching(`\d+(,\d{2})? €/\pL+`)

	toolItem = map[string]field{
		"slug": isSlug, "name": isText, "domain": isText, "category": isSlug,
		"icp": matching("vibe-coder|agentic-engineer|mixte"), "pricing": isPricing, "price": isPrice,
		"score": nullable(isNumber), "verifiability": nullable(isNumber), "tagline": isText,
		"canonical_url": isURL, "avis_url": nullable(isURL), "alternatives_url": isURL, "updated_at": isDate,
	}
	isContender = object(map[string]field{"name": isText, "score": isNumber})
	isMeta      = object(map[string]field{"total": isInteger, "page": isInteger, "limit": isInteger, "pages": isInteger})
	isChange    = object(map[string]field{
		"changed_at": isDate, "old_pricing": isPricing, "old_price": isPrice, "new_pricing": isPricing, "new_price": isPrice,
	})
)

func page(n int, item map[string]field) field {
	return object(map[string]field{"data": array(n, object(item)), "meta": isMeta})
}

// Section 2: every field, with its type, and nothing more.
func TestSpec_Fields(t *testing.T) {
	t.Parallel()
	s := amend(fixture(t), func(n *catalog.Contents) { tool(n, "oeuvre").Price = "210 €/an" })
	c := open(t, s)
	for target, want := range map[string]field{
		"/api/v1/tools":                  page(15, toolItem),
		"/api/v1/tools/oeuvre":           object(toolItem),
		"/api/v1/tools/sans-note":        object(toolItem),
		"/api/v1/comparatifs":            page(3, map[string]field{"slug": isSlug, "title": isText, "winner": isText, "updated_at": isDate, "canonical_url": isURL}),
		"/api/v1/comparatifs/ame-ou-ame": object(map[string]field{"slug": isSlug, "tool_a": isContender, "tool_b": isContender, "winner": isText, "winner_note": isText}),
		"/api/v1/pricing":                page(15, map[string]field{"slug": isSlug, "name": isText, "pricing": isPricing, "price": isPrice}),
		"/api/v1/pricing/oeuvre":         object(map[string]field{"slug": isSlug, "current_pricing": isPricing, "current_price": isPrice, "price_history": array(1, isChange)}),
		"/api/v1/pricing/zebre":          object(map[string]field{"slug": isSlug, "current_pricing": isPricing, "current_price": isPrice, "price_history": array(0, isChange)}),
		"/api/v1/cimetiere": page(5, map[string]field{
			"slug": isSlug, "name": isText, "reason": matching("mort|acquis|deprecie|pivot|absorbe"), "retired_at": isDate, "note": isText,
		}),
		"/api/v1/categories": object(map[string]field{"data": array(5, object(map[string]field{
			"slug": isSlug, "label": isText, "tool_count": isInteger, "avg_score": isNumber,
		}))}),
		"/api/v1/stats": object(map[string]field{
			"tools_total": isInteger, "tools_tested": isInteger, "tools_avg_score": isNumber, "tools_retired": isInteger, "comparatifs_total": isInteger,
		}),
		"/api/v1/tools/nope": object(map[string]field{"error": isText}),
	} {
		var body any
		d := json.NewDecoder(strings.NewReader(string(c.get(t, target).text)))
		d.UseNumber()
		if err := d.Decode(&body); err != nil {
			t.Fatal(err)
		}
		if !want(body) {
			t.Errorf("%s does not have the fields of the specification: %v", target, body)
		}
	}
}

// Both null and not null are seen, so that the test above means something.
func TestSpec_NullableFields(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	for slug, want := range map[string]string{
		"sans-note":          `"score":null,"verifiability":null`,
		"avis-sans-note":     `"score":null,"verifiability":4`,
		"sans-verifiabilite": `"score":9,"verifiability":null`,
		"sans-avis":          `"avis_url":null`,
		"zebre":              `"score":5.55,"verifiability":0,`,
		"oeuvre":             `"avis_url":"https://palmares.example/avis/oeuvre"`,
	} {
		if got := string(c.get(t, "/api/v1/tools/"+slug).text); !strings.Contains(got, want) {
			t.Errorf("%s: no %s in %s", slug, want, got)
		}
	}
}

// Section 2.1: a tool alone is the tool of the list.
func TestSpec_ToolAloneIsToolOfTheList(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	var all struct{ Data []json.RawMessage }
	c.get(t, "/api/v1/tools").into(t, &all)
	for _, raw := range all.Data {
		var t1 struct{ Slug string }
		if err := json.Unmarshal(raw, &t1); err != nil {
			t.Fatal(err)
		}
		if alone := c.get(t, "/api/v1/tools/"+t1.Slug); string(alone.text) != string(raw) {
			t.Errorf("list  %s\nalone %s", raw, alone.text)
		}
	}
}

// Section 4.1: 50 by default, 200 at most.
func TestSpec_Pagination(t *testing.T) {
	t.Parallel()
	s := amend(fixture(t), func(n *catalog.Contents) {
		for i := range 250 {
			c := *tool(n, "zebre")
			c.Slug = "z-" + string(rune('a'+i/26)) + string(rune('a'+i%26))
			n.Tools = append(n.Tools, &c)
			n.Retired = append(n.Retired, &catalog.Retired{Slug: "r" + c.Slug, Name: "R", Category: "code", Reason: catalog.Dead, RetiredAt: "2026-01-01", Note: "n"})
		}
	})
	c := open(t, s)
	for _, path := range []string{"/api/v1/tools", "/api/v1/pricing", "/api/v1/cimetiere"} {
		for query, want := range map[string]int{"": 50, "?limit=200": 200, "?limit=199&page=2": 0, "?limit=1": 1, "?page=6": 0} {
			l := c.get(t, path+query).list(t)
			if want == 0 {
				want = l.Meta.Total - (l.Meta.Page-1)*l.Meta.Limit // the rest
			}
			if len(l.Data) != want {
				t.Errorf("%s%s: %d items, want %d of %+v", path, query, len(l.Data), want, l.Meta)
			}
		}
	}
}

// Section 4.2, rules 1 to 6.
func TestSpec_Filters(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	for target, want := range map[string]string{
		"/api/v1/tools?category=image":                   "mille-mots oeuvre zebre",
		"/api/v1/pricing?category=image":                 "mille-mots oeuvre zebre",
		"/api/v1/cimetiere?category=image":               "feu-deprecie",
		"/api/v1/cimetiere?category=vide":                "feu-pivot",
		"/api/v1/cimetiere?reason=mort":                  "feu-mort",
		"/api/v1/cimetiere?reason=acquis":                "feu-acquis",
		"/api/v1/cimetiere?reason=deprecie":              "feu-deprecie",
		"/api/v1/cimetiere?reason=pivot":                 "feu-pivot",
		"/api/v1/cimetiere?reason=absorbe&category=voix": "feu-absorbe",
		"/api/v1/comparatifs":                            "ame-ou-ame eclair-ou-oeuvre oeuvre-ou-zebre", // no draft
	} {
		c.get(t, target).wantSlugs(t, want)
	}
	c.get(t, "/api/v1/comparatifs/brouillon").wantError(t, 404, `no comparison has the slug "brouillon"`)

	got := c.get(t, "/api/v1/tools?category=code&score_min=8&limit=1")
	got.wantHeader(t, "X-Total-Count", "4")
	if m := got.list(t).Meta; *m != (meta{Total: 4, Page: 1, Limit: 1, Pages: 4}) {
		t.Errorf("meta %+v", m)
	}
}

// Section 2.4: winner is the name, also when it is the second tool or the lower score.
func TestSpec_Winner(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	for slug, want := range map[string]string{
		"ame-ou-ame":       `"tool_a":{"name":"Ame","score":7.25},"tool_b":{"name":"âme","score":7.25},"winner":"âme"`,
		"eclair-ou-oeuvre": `"tool_a":{"name":"Éclair","score":8},"tool_b":{"name":"œuvre","score":9.75},"winner":"Éclair"`,
	} {
		if got := string(c.get(t, "/api/v1/comparatifs/"+slug).text); !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
}

// Section 4.3, but for the headers of quotas.
func TestSpec_Headers(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	for _, target := range routes {
		got := c.get(t, target).wantStatus(t, http.StatusOK)
		for name, value := range map[string]string{
			"X-Service-Updated-At":        "2026-11-15",
			"Cache-Control":               "s-maxage=3600, stale-while-revalidate=86400",
			"Access-Control-Allow-Origin": "*",
			"Content-Type":                "application/json; charset=utf-8",
		} {
			got.wantHeader(t, name, value)
		}
	}
	c.get(t, "/api/v1/tools?limit=3").wantHeader(t, "X-Total-Count", "15")
}

// Section 7.
func TestSpec_Errors(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	c.get(t, "/api/v1/tools/nope").wantError(t, 404, `no tool has the slug "nope"`)
	c.get(t, "/api/v1/pricing/nope").wantError(t, 404, `no tool has the slug "nope"`)
	c.get(t, "/api/v1/comparatifs/nope").wantError(t, 404, `no comparison has the slug "nope"`)
	c.get(t, "/api/v1/tools/OEUVRE").wantError(t, 404, `no tool has the slug "OEUVRE"`)
	c.get(t, "/api/v1/tools/%C5%93uvre").wantError(t, 404, `no tool has the slug "œuvre"`)
	c.get(t, "/api/v1/tools/%22%3E%0A").wantError(t, 404, `no tool has the slug "\">\n"`)
	c.get(t, "/api/v1/tools/a%FFb").wantError(t, 404, `no tool has the slug "a\xffb"`)
	long := strings.Repeat("a", 3000)
	c.get(t, "/api/v1/tools/"+long).wantError(t, 404, `no tool has the slug "`+long[:99]+`…"`)
}

// The enumerated values in the contract are those of the catalog.
func TestSpec_Enums(t *testing.T) {
	t.Parallel()
	schemas := loadContract(t).doc.Components.Schemas
	for name, want := range map[string][]string{
		"Icp":              names(catalog.ICPs()),
		"PricingModel":     names(catalog.Pricings()),
		"RetirementReason": names(catalog.Reasons()),
	} {
		var got []string
		for _, v := range schemas[name].Value.Enum {
			got = append(got, v.(string))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if tool := slices.Sorted(maps.Keys(toolItem)); !slices.Equal(tool, slices.Sorted(maps.Keys(schemas["ToolItem"].Value.Properties))) {
		t.Errorf("ToolItem does not have the fields %q", tool)
	}
}

func names[T ~string](values []T) []string {
	var all []string
	for _, v := range values {
		all = append(all, string(v))
	}
	return all
}
