package api_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
)

// One test for each point that the specification leaves open and the design
// decides, named after it.

func TestDecided_InvalidParameters(t *testing.T) {
	t.Parallel()
	const (
		page   = "an integer from 1"
		limit  = "an integer from 1 to 200"
		number = "a finite number such as 8 or 7.5"
		sort   = "one of score_desc, score_asc, name_asc, name_desc"
		reason = "one of mort, acquis, deprecie, pivot, absorbe"
	)
	c := open(t, fixture(t))
	refused := func(path, name, value, allowed string) {
		t.Helper()
		text := name + ": " + quoted(value) + " is not allowed: " + allowed
		c.get(t, path+"?"+name+"="+url.QueryEscape(value)).wantError(t, http.StatusBadRequest, text)
	}
	for _, path := range lists {
		for _, v := range []string{"", "0", "-1", "1.0", "1e3", "+1", " 1", "1 ", "0x1", "1_0", "un", "٣", "9223372036854775808", "NaN", "\x00"} {
			refused(path, "page", v, page)
			refused(path, "limit", v, limit)
		}
		refused(path, "limit", "201", limit)
		refused(path, "category", "", "a category slug, or no category at all")
	}
	for _, name := range []string{"score_min", "obsolescence_max"} {
		for _, v := range []string{"", "NaN", "nan", "Inf", "-inf", "+Infinity", "infinity", "1e999", "-1e999", "0x1p3", "1_000", "8,5", " 8", "huit", ".", "-", "e"} {
			refused("/api/v1/tools", name, v, number)
		}
	}
	for _, v := range []string{"", "score", "SCORE_DESC", "score_desc ", "name"} {
		refused("/api/v1/tools", "sort", v, sort)
	}
	for _, v := range []string{"", "Mort", "vendu", "mort,acquis"} {
		refused("/api/v1/cimetiere", "reason", v, reason)
	}

	long := strings.Repeat("é", 150)
	refused("/api/v1/tools", "page", long, page)

	for target, text := range map[string]string{
		"/api/v1/tools?page=1&page=2":                 `page: given 2 times ("1", "2"): once at most is allowed`,
		"/api/v1/tools?limit=1&limit=1":               `limit: given 2 times ("1", "1"): once at most is allowed`,
		"/api/v1/tools?sort=a&sort=b&sort=c&sort=d":   `sort: given 4 times ("a", "b", "c", …): once at most is allowed`,
		"/api/v1/tools?score_min=8&score_min=":        `score_min: given 2 times ("8", ""): once at most is allowed`,
		"/api/v1/tools?obsolescence_max&category=a":   `obsolescence_max: "" is not allowed: ` + number,
		"/api/v1/pricing?category=code&category=chat": `category: given 2 times ("code", "chat"): once at most is allowed`,
		"/api/v1/cimetiere?reason=mort&reason=mort":   `reason: given 2 times ("mort", "mort"): once at most is allowed`,
		"/api/v1/comparatifs?page=%zz":                `query: "page=%zz" is not allowed: a well-formed query string (percent-encode what is special)`,
		"/api/v1/tools?page=1;limit=2":                `query: "page=1;limit=2" is not allowed: a well-formed query string (percent-encode what is special)`,
	} {
		c.get(t, target).wantError(t, http.StatusBadRequest, text)
	}
}

// quoted is what an error shows of a value: quoted, and cut when it is long.
func quoted(s string) string {
	if r := []rune(s); len(r) > 100 {
		s = string(r[:99]) + "…"
	}
	if s == "\x00" {
		return `"\x00"`
	}
	return `"` + s + `"`
}

func TestDecided_InvalidParameters_BoundsAreAllowed(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	for _, path := range lists {
		for _, q := range []string{"page=1", "page=9223372036854775807", "limit=1", "limit=200", "page=01"} {
			c.get(t, path+"?"+q).wantStatus(t, http.StatusOK)
		}
	}
	for _, v := range []string{"0", "-1", "8.5", "1e1", "-1e300", "1e300", "%2B8", ".5", "5."} {
		c.get(t, "/api/v1/tools?score_min="+v).wantStatus(t, http.StatusOK)
		c.get(t, "/api/v1/tools?obsolescence_max="+v).wantStatus(t, http.StatusOK)
	}
}

func TestDecided_InvalidParameters_UnknownAreIgnored(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	for target, same := range map[string]string{
		"/api/v1/tools?couleur=rouge&couleur=bleu&Page=0&PAGE=x": "/api/v1/tools",
		"/api/v1/tools?reason=vendu":                             "/api/v1/tools",
		"/api/v1/cimetiere?sort=nope&score_min=NaN":              "/api/v1/cimetiere",
		"/api/v1/pricing?sort=nope&reason=nope":                  "/api/v1/pricing",
		"/api/v1/comparatifs?obsolescence_max=NaN":               "/api/v1/comparatifs",
		"/api/v1/categories?page=0&limit=201&category=":          "/api/v1/categories",
		"/api/v1/stats?page=0":                                   "/api/v1/stats",
		"/api/v1/tools/oeuvre?page=0&sort=nope":                  "/api/v1/tools/oeuvre",
	} {
		got, want := c.get(t, target).wantStatus(t, http.StatusOK), c.get(t, same)
		if string(got.text) != string(want.text) {
			t.Errorf("%s is not %s", target, same)
		}
	}
}

func TestDecided_UnknownCategory(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	for _, path := range lists {
		for _, category := range []string{"inconnue", "CODE", "co", "%FF", "%00", "<b>", "code%20", strings.Repeat("a", 5000)} {
			got := c.get(t, path+"?category="+category)
			if string(got.text) != `{"data":[],"meta":{"total":0,"page":1,"limit":50,"pages":0}}` {
				t.Errorf("%s: %s", category, got.text)
			}
			got.wantHeader(t, "X-Total-Count", "0")
			got.wantHeader(t, "Link", "")
		}
	}
}

func TestDecided_PagePastTheLast(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	for target, body := range map[string]string{
		"/api/v1/tools?limit=7&page=4":                  `{"data":[],"meta":{"total":15,"page":4,"limit":7,"pages":3}}`,
		"/api/v1/tools?page=9223372036854775807":        `{"data":[],"meta":{"total":15,"page":9223372036854775807,"limit":50,"pages":1}}`,
		"/api/v1/tools?score_min=9&limit=2&page=9":      `{"data":[],"meta":{"total":3,"page":9,"limit":2,"pages":2}}`,
		"/api/v1/comparatifs?page=2":                    `{"data":[],"meta":{"total":3,"page":2,"limit":50,"pages":1}}`,
		"/api/v1/pricing?limit=15&page=2":               `{"data":[],"meta":{"total":15,"page":2,"limit":15,"pages":1}}`,
		"/api/v1/cimetiere?limit=1&page=6":              `{"data":[],"meta":{"total":5,"page":6,"limit":1,"pages":5}}`,
		"/api/v1/tools?category=vide&page=3":            `{"data":[],"meta":{"total":0,"page":3,"limit":50,"pages":0}}`,
		"/api/v1/tools?score_min=10.01":                 `{"data":[],"meta":{"total":0,"page":1,"limit":50,"pages":0}}`,
		"/api/v1/cimetiere?reason=mort&category=chat":   `{"data":[],"meta":{"total":0,"page":1,"limit":50,"pages":0}}`,
		"/api/v1/tools?obsolescence_max=-0.01&limit=10": `{"data":[],"meta":{"total":0,"page":1,"limit":10,"pages":0}}`,
	} {
		if got := c.get(t, target).wantStatus(t, http.StatusOK); string(got.text) != body {
			t.Errorf("%s:\ngot  %s\nwant %s", target, got.text, body)
		}
	}
}

const (
	byScoreDesc = "mille-mots oeuvre sans-verifiabilite guillemets sans-avis eclair eclipse ame ame-circonflexe " +
		"jumeau-a jumeau-b zebre grand-public avis-sans-note sans-note"
	byScoreAsc = "grand-public zebre jumeau-a jumeau-b ame ame-circonflexe eclipse eclair guillemets sans-avis " +
		"sans-verifiabilite oeuvre mille-mots avis-sans-note sans-note"
	byNameAsc = "mille-mots ame ame-circonflexe avis-sans-note eclair eclipse grand-public jumeau-a jumeau-b " +
		"guillemets oeuvre sans-avis sans-note sans-verifiabilite zebre"
	byNameDesc = "zebre sans-verifiabilite sans-note sans-avis oeuvre guillemets jumeau-a jumeau-b grand-public " +
		"eclipse eclair avis-sans-note ame-circonflexe ame mille-mots"
)

func TestDecided_DefaultOrder(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	c.get(t, "/api/v1/tools").wantSlugs(t, byScoreDesc)
	c.get(t, "/api/v1/tools?sort=score_desc").wantSlugs(t, byScoreDesc)
	c.get(t, "/api/v1/tools?sort=score_asc").wantSlugs(t, byScoreAsc)
	c.get(t, "/api/v1/pricing").wantSlugs(t, byNameAsc)
	c.get(t, "/api/v1/cimetiere").wantSlugs(t, "feu-pivot feu-acquis feu-deprecie feu-mort feu-absorbe")
	c.get(t, "/api/v1/comparatifs").wantSlugs(t, "ame-ou-ame eclair-ou-oeuvre oeuvre-ou-zebre")

	newer := amend(fixture(t), func(n *catalog.Contents) { n.Comparisons[2].Title = "Zèbre ou œuvre" })
	open(t, newer).get(t, "/api/v1/comparatifs").wantSlugs(t, "oeuvre-ou-zebre ame-ou-ame eclair-ou-oeuvre")
}

func TestDecided_NamesInFrenchCollation(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	c.get(t, "/api/v1/tools?sort=name_asc").wantSlugs(t, byNameAsc)
	c.get(t, "/api/v1/tools?sort=name_desc").wantSlugs(t, byNameDesc)
}

func TestDecided_ScoreMinObsolescenceMax(t *testing.T) {
	t.Parallel()
	s := amend(fixture(t), func(n *catalog.Contents) { tool(n, "mille-mots").Obsolescence = 0 }) // not measured
	c := open(t, s)
	scored := strings.TrimSuffix(byScoreDesc, " avis-sans-note sans-note")
	for query, want := range map[string]string{
		"score_min=-5":                             scored,
		"score_min=0":                              scored,
		"score_min=0&sort=score_asc":               strings.TrimSuffix(byScoreAsc, " avis-sans-note sans-note"),
		"score_min=8":                              "mille-mots oeuvre sans-verifiabilite guillemets sans-avis eclair",
		"score_min=8.0000000001":                   "mille-mots oeuvre sans-verifiabilite guillemets sans-avis",
		"score_min=7.99":                           "mille-mots oeuvre sans-verifiabilite guillemets sans-avis eclair eclipse",
		"score_min=8&sort=score_asc":               "eclair guillemets sans-avis sans-verifiabilite oeuvre mille-mots",
		"score_min=8&sort=name_desc":               "sans-verifiabilite sans-avis oeuvre guillemets eclair mille-mots",
		"score_min=10":                             "mille-mots",
		"obsolescence_max=0":                       "eclair sans-note",
		"obsolescence_max=-0":                      "eclair sans-note",
		"obsolescence_max=2.5":                     "oeuvre eclair ame sans-note",
		"obsolescence_max=2.51":                    "oeuvre eclair ame ame-circonflexe sans-note",
		"obsolescence_max=10":                      strings.TrimPrefix(byScoreDesc, "mille-mots "),
		"obsolescence_max=11":                      strings.TrimPrefix(byScoreDesc, "mille-mots "),
		"obsolescence_max=5&score_min=8":           "oeuvre guillemets eclair",
		"obsolescence_max=5&score_min=8&limit=1":   "oeuvre",
		"category=code&obsolescence_max=6":         "sans-verifiabilite guillemets eclair eclipse",
		"category=voix&score_min=0":                "",
		"category=chat&score_min=7&sort=name_desc": "ame-circonflexe ame",
	} {
		if got := c.get(t, "/api/v1/tools?"+query).slugs(t); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", query, got, want)
		}
	}
}

func TestDecided_Meta(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	for path, total := range map[string]string{
		"/api/v1/tools": "15", "/api/v1/comparatifs": "3", "/api/v1/pricing": "15", "/api/v1/cimetiere": "5",
	} {
		got := c.get(t, path+"?limit=2&page=2")
		got.wantHeader(t, "X-Total-Count", total)
		pages := map[string]int{"15": 8, "3": 2, "5": 3}[total]
		m := got.list(t).Meta
		if m == nil || m.Page != 2 || m.Limit != 2 || m.Pages != pages {
			t.Errorf("%s: meta %+v", path, m)
		}
		for _, rel := range []string{"first", "prev", "last"} {
			if links(t, got)[rel] == "" {
				t.Errorf("%s: no link %s in %q", path, rel, got.header.Get("Link"))
			}
		}
	}
	for _, path := range []string{"/api/v1/categories", "/api/v1/stats", "/api/v1/tools/oeuvre", "/api/v1/pricing/oeuvre"} {
		got := c.get(t, path).wantStatus(t, http.StatusOK)
		if strings.Contains(string(got.text), `"meta"`) {
			t.Errorf("%s has a meta", path)
		}
		got.wantHeader(t, "X-Total-Count", "")
		got.wantHeader(t, "Link", "")
	}
}

func TestDecided_CategoryOnComparatifs(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	for category, want := range map[string]string{
		"code":  "eclair-ou-oeuvre",
		"image": "eclair-ou-oeuvre oeuvre-ou-zebre",
		"chat":  "ame-ou-ame",
		"voix":  "", // the only comparison is a draft
		"vide":  "",
	} {
		c.get(t, "/api/v1/comparatifs?category="+category).wantSlugs(t, want)
	}
}

func TestDecided_AvgScore(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	got := string(c.get(t, "/api/v1/categories").text)
	for _, want := range []string{
		`{"slug":"code","label":"Code","tool_count":6,"avg_score":7}`,
		`{"slug":"chat","label":"Chat & « dialogue »","tool_count":5,"avg_score":6.83}`, // 6.825, unscored left out
		`{"slug":"image","label":"Image","tool_count":3,"avg_score":8.43}`,
		`{"slug":"voix","label":"Voix","tool_count":1,"avg_score":0}`,
		`{"slug":"vide","label":"Vide","tool_count":0,"avg_score":0}`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	const stats = `{"tools_total":15,"tools_tested":13,"tools_avg_score":7.28,"tools_retired":5,"comparatifs_total":3}`
	if got := string(c.get(t, "/api/v1/stats").text); got != stats {
		t.Errorf("got  %s\nwant %s", got, stats)
	}

	unscored := amend(fixture(t), func(n *catalog.Contents) {
		n.Comparisons = nil
		for _, t := range n.Tools {
			t.Score = 0
		}
	})
	const none = `{"tools_total":15,"tools_tested":0,"tools_avg_score":0,"tools_retired":5,"comparatifs_total":0}`
	if got := string(open(t, unscored).get(t, "/api/v1/stats").text); got != none {
		t.Errorf("got  %s\nwant %s", got, none)
	}
}

func TestDecided_PriceHistoryEntry(t *testing.T) {
	t.Parallel()
	read := func(s *catalog.Snapshot) string { return string(open(t, s).get(t, "/api/v1/pricing/oeuvre").text) }
	const head = `{"slug":"oeuvre","current_pricing":`
	s := fixture(t)
	if got, want := read(s), head+`"payant","current_price":"199,90 €/an","price_history":[]}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}

	s = amend(s, func(n *catalog.Contents) { tool(n, "oeuvre").Tagline = "Sans rapport avec le prix" })
	if got, want := read(s), head+`"payant","current_price":"199,90 €/an","price_history":[]}`; got != want {
		t.Errorf("no real change:\ngot  %s\nwant %s", got, want)
	}

	s = amend(s, func(n *catalog.Contents) { tool(n, "oeuvre").Price = "210 €/an" })
	s = amend(s, func(n *catalog.Contents) {
		t := tool(n, "oeuvre")
		t.Pricing, t.Price = catalog.Freemium, "20 €/mois"
	})
	want := head + `"freemium","current_price":"20 €/mois","price_history":[` +
		`{"changed_at":"2026-11-18","old_pricing":"payant","old_price":"210 €/an","new_pricing":"freemium","new_price":"20 €/mois"},` +
		`{"changed_at":"2026-11-17","old_pricing":"payant","old_price":"199,90 €/an","new_pricing":"payant","new_price":"210 €/an"}]}`
	if got := read(s); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDecided_RetiredToolAtToolsAndPricing(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	for _, path := range []string{"/api/v1/tools/", "/api/v1/pricing/"} {
		c.get(t, path+"feu-mort").wantError(t, 404, `the tool "feu-mort" was retired on 2024-02-29 (mort): see /api/v1/cimetiere`)
		c.get(t, path+"feu-deprecie").wantError(t, 404, `the tool "feu-deprecie" was retired on 2025-12-31 (deprecie): see /api/v1/cimetiere`)
	}
	c.get(t, "/api/v1/comparatifs/feu-mort").wantError(t, 404, `no comparison has the slug "feu-mort"`)

	s := amend(fixture(t), func(n *catalog.Contents) { retire(n, "zebre") })
	c = open(t, s)
	c.get(t, "/api/v1/tools/zebre").wantError(t, 404, `the tool "zebre" was retired on 2026-11-10 (mort): see /api/v1/cimetiere`)
	c.get(t, "/api/v1/comparatifs/oeuvre-ou-zebre").wantError(t, 404, `no comparison has the slug "oeuvre-ou-zebre"`)
	if all := c.get(t, "/api/v1/tools").slugs(t); strings.Contains(all, "zebre") {
		t.Errorf("zebre is still listed: %s", all)
	}
}

func TestDecided_BadKey_401(t *testing.T) {
	t.Parallel()
	const text = "the API key is malformed, unknown or revoked: send a valid one, or no Authorization header" + whereKeys
	for name, s := range map[string]*catalog.Snapshot{"loaded": fixture(t), "empty": catalog.Empty()} {
		c := open(t, s)
		for _, target := range slices.Concat(routes, []string{"/api/v1/tools/nope", "/api/v1/tools?page=0"}) {
			for _, value := range []string{"Bearer plm_nope", "bearer", "Basic dTpw", "", " ", "Bearer a, Bearer b"} {
				got := c.get(t, target, "Authorization", value, "If-None-Match", "*")
				got.wantError(t, http.StatusUnauthorized, text)
				got.wantHeader(t, "WWW-Authenticate", `Bearer realm="palmares", error="invalid_token"`)
			}
			c.do(t, http.MethodHead, target, "Authorization", "Bearer x").wantStatus(t, http.StatusUnauthorized)
		}
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

func TestDecided_XServiceUpdatedAt(t *testing.T) {
	t.Parallel()
	sh := shelve(fixture(t))
	c := serve(t, api.Options{Catalog: sh})
	for _, day := range []string{"2026-11-15", "2026-11-16"} {
		for _, target := range slices.Concat(routes, []string{"/", "/api/v1/tools/nope", "/api/v1/tools?page=0", "//"}) {
			for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPost} {
				c.do(t, method, target).wantHeader(t, "X-Service-Updated-At", day)
			}
			c.get(t, target, "If-None-Match", "*").wantHeader(t, "X-Service-Updated-At", day)
			c.get(t, target, "Authorization", "Bearer x").wantHeader(t, "X-Service-Updated-At", day)
		}
		sh.Store(amend(sh.Load(), func(*catalog.Contents) {}))
	}
}

func TestDecided_Credit(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	for _, target := range routes {
		c.get(t, target).wantHeader(t, "X-Attribution", creditHeader)
		c.get(t, target, "If-None-Match", "*").wantHeader(t, "X-Attribution", creditHeader)
	}
	var served struct{ Info struct{ Description string } }
	c.get(t, "/api/v1/openapi.json").into(t, &served)
	if !strings.Contains(served.Info.Description, "\n"+credit+"\n") {
		t.Error("the OpenAPI info does not give the credit line")
	}
}

func TestDecided_OpenAPI(t *testing.T) {
	t.Parallel()
	got := open(t, fixture(t)).get(t, "/api/v1/openapi.json").wantStatus(t, http.StatusOK)
	var doc struct {
		OpenAPI string
		Info    struct{ Version string }
		Paths   map[string]any
	}
	got.into(t, &doc)
	if doc.OpenAPI != "3.0.3" || doc.Info.Version != "1.0.0" || len(doc.Paths) != len(routes)+len(keyedRoutes) {
		t.Errorf("openapi %q, version %q, %d paths", doc.OpenAPI, doc.Info.Version, len(doc.Paths))
	}
}
