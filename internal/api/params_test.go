package api_test

import (
	"cmp"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/docs/guides"
	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// quoted is what an error shows of a value: quoted, and cut when it is long.
func quoted(s string) string {
	if r := []rune(s); len(r) > 100 {
		s = string(r[:99]) + "…"
	}
	return `"` + strings.ReplaceAll(s, "\x00", `\x00`) + `"`
}

func TestParams_Invalid(t *testing.T) {
	t.Parallel()
	const (
		page   = "an integer of 1 or more"
		limit  = "an integer from 1 to 200"
		number = "a finite number such as 8 or 7.5"
		sort   = "one of score_desc, score_asc, name_asc, name_desc, price_asc, price_desc"
		words  = "1 to 100 characters, a letter or a digit among them"
		slugs  = "1 to 100 slugs joined by commas"
		euros  = "a number of euros with two decimals at most, such as 20 or 19.99"
		day    = "a day such as 2026-03-31"
		reason = "one of mort, acquis, deprecie, pivot, absorbe"
	)
	c := newClient(t, unmetered)
	integers := []string{
		"", "0", "-1", "1.0", "1e3", "+1", " 1", "1 ", "0x1", "1_0", "un", "٣",
		"9223372036854775808",
		"NaN", "\x00", strings.Repeat("é", 150),
	}
	numbers := []string{
		"", "NaN", "nan", "Inf", "-inf", "+Infinity", "infinity", "1e999", "-1e999", "0x1p3",
		"1_000", "8,5", " 8", "huit", ".", "-", "e",
	}
	for _, x := range []struct {
		lists         []string
		name, allowed string
		values        []string
	}{
		{lists, "page", page, integers},
		{lists, "limit", limit, append(integers, "201")},
		{lists[:1], "category", "1 to 100 category slugs joined by commas, or no category at all", []string{"", ",", "code,", "code,,chat"}},
		{lists[1:], "category", "a category slug, or no category at all", []string{""}},
		{lists[:1], "q", words, []string{"", " ", "-", "’", "\x00", "💩", strings.Repeat("a", 101), strings.Repeat("œ", 101)}},
		{lists[1:2], "q", words, []string{"", strings.Repeat("a", 101)}},
		{lists[3:], "q", words, []string{"", strings.Repeat("a", 101)}},
		{lists[:1], "slugs", slugs, []string{"", ",", "alpha,", strings.Repeat("a,", 100) + "a"}},
		{lists[:1], "price_max", euros, []string{"", "-1", "+1", "20,50", "19.999", "1e2", "NaN", " 20", "20 €", "99999999", ".5", "1."}},
		{lists[:1], "updated_since", day, []string{"", "hier", "2026-02-30", "2026-3-1", "20260301", "2026-03-01T00:00:00Z"}},
		{lists[:1], "pricing", "one of gratuit, freemium, payant", []string{"", "free", "Payant"}},
		{lists[:1], "icp", "one of vibe-coder, agentic-engineer, mixte", []string{"", "tous", "mixte,vibe-coder"}},
		{lists[:1], "score_min", number, numbers},
		{lists[:1], "obsolescence_max", number, numbers},
		{lists[:1], "sort", sort, []string{"", "score", "SCORE_DESC", "score_desc ", "name"}},
		{lists[3:], "reason", reason, []string{"", "Mort", "vendu", "mort,acquis"}},
	} {
		for _, list := range x.lists {
			for _, v := range x.values {
				c.get(list+"?"+x.name+"="+url.QueryEscape(v)).
					wantError(400, x.name+": "+quoted(v)+" is not allowed: use "+x.allowed)
			}
		}
	}
	const (
		once      = ": give it once at most"
		malformed = " is not allowed: use a well-formed query string (percent-encode special characters)"
	)
	for target, text := range map[string]string{
		"tools?page=1&page=2":                 `page: given 2 times ("1", "2")` + once,
		"tools?page=%31&page=2":               `page: given 2 times ("1", "2")` + once,
		"tools?limit=1&limit=1":               `limit: given 2 times ("1", "1")` + once,
		"tools?sort=a&sort=b&sort=c&sort=d":   `sort: given 4 times ("a", "b", "c", …)` + once,
		"tools?score_min=8&score_min=":        `score_min: given 2 times ("8", "")` + once,
		"tools?obsolescence_max&category=a":   `obsolescence_max: "" is not allowed: use ` + number,
		"pricing?category=code&category=chat": `category: given 2 times ("code", "chat")` + once,
		"cimetiere?reason=mort&reason=%6dort": `reason: given 2 times ("mort", "mort")` + once,
		"comparatifs?page=%zz":                `query: "page=%zz"` + malformed,
		"tools?q=%FF%FE":                      `q: "\xff\xfe" is not allowed: use ` + words,
		"tools?page=1;limit=2":                `query: "page=1;limit=2"` + malformed,
		"tools?limit=0&page=0":                `page: "0" is not allowed: use ` + page, // it is read first
		"cimetiere?reason=x&limit=0":          `limit: "0" is not allowed: use ` + limit,
	} {
		c.get(target).wantError(400, text)
	}
}

func TestParams_Allowed(t *testing.T) {
	t.Parallel()
	c := newClient(t, unmetered)
	key := c.sign(account.Pro).bearer()
	for _, list := range lists {
		for _, q := range []string{"page=1", "page=9223372036854775807", "limit=1", "limit=200", "page=01"} {
			c.get(list + "?" + q).want(200)
		}
	}
	for _, v := range []string{"0", "-1", "8.5", "1e1", "-1e300", "1e300", "%2B8", ".5", "5."} {
		c.get("tools?obsolescence_max=" + v + "&score_min=" + v).want(200)
	}
	// Unknown parameters are ignored, and so are those of other lists.
	for target, same := range map[string]string{
		"tools?couleur=rouge&couleur=bleu&Page=0&PAGE=x": "tools",
		"tools?reason=vendu":                             "tools",
		"cimetiere?sort=nope&score_min=NaN":              "cimetiere",
		"pricing?sort=nope&reason=nope":                  "pricing",
		"comparatifs?obsolescence_max=NaN":               "comparatifs",
		"categories?page=0&limit=201&category=":          "categories",
		"stats?page=0":                                   "stats",
		"tools/oeuvre?page=0&sort=nope":                  "tools/oeuvre",
		"/api/embeddings?page=x&limit=1":                 "/api/embeddings",
	} {
		c.get(target, key...).want(200).wantText(string(c.get(same, key...).text))
	}
}

// Each parameter reaches the catalog, which has the tests of what it does there.
// Every parameter that the contract has of the list of tools is read, kept in links and has an effect, and guides name
// it; none is read that the contract does not have.
func TestParams_AreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	c := newClient(t, unmetered)
	other := map[string]string{"updated_since": "2999-01-01", "limit": "3"} // where the example finds all of the fixture
	whole, all := c.get("tools").slugs(), url.Values{}
	for _, ref := range c.contract.doc.Paths.Find("/api/v1/tools").Get.Parameters {
		if ref.Value.In != "query" {
			continue
		}
		name := ref.Value.Name
		query := url.Values{name: {cmp.Or(other[name], fmt.Sprint(ref.Value.Example))}}
		if c.get("tools?"+query.Encode()).slugs() == whole {
			t.Errorf("tools?%s finds what tools does: read it in ParseTools and Query of internal/params/lists.go, and "+
				"in keep of internal/catalog/query.go; or say here which value has an effect", query.Encode())
		}
		if name == "page" { // which Values leaves out
			continue
		}
		read, err := params.ParseTools(query.Encode())
		testkit.Must(t, err)
		if !read.Values().Has(name) {
			t.Errorf("links have no %s: add it to Values of internal/params/lists.go", name)
		}
		all.Set(name, query.Get(name))
		for _, guide := range []string{"en/search.md", "fr/recherche.md"} {
			page, err := guides.Files.ReadFile(guide)
			testkit.Must(t, err)
			if name != "limit" && !strings.Contains(string(page), "`"+name+"`") {
				t.Errorf("docs/guides/%s does not name %s", guide, name)
			}
		}
	}
	read, err := params.ParseTools(all.Encode())
	testkit.Must(t, err)
	for field, value := range reflect.ValueOf(read).Fields() {
		if value.IsZero() {
			t.Errorf("no parameter of listTools in openapi.yaml is Tools.%s of internal/params/lists.go", field.Name)
		}
	}
}

func TestParams_Select(t *testing.T) {
	t.Parallel()
	c := newClient(t, unmetered)
	const byScore = "mille-mots oeuvre sans-verifiabilite guillemets sans-avis eclair eclipse ame " +
		"ame-circonflexe jumeau-a jumeau-b zebre grand-public avis-sans-note sans-note"
	const byName = "mille-mots ame ame-circonflexe avis-sans-note eclair eclipse grand-public jumeau-a " +
		"jumeau-b guillemets oeuvre sans-avis sans-note sans-verifiabilite zebre"
	for target, want := range map[string]string{
		"tools":                                          byScore,
		"tools?sort=score_desc":                          byScore,
		"tools?sort=name_asc":                            byName,
		"tools?sort=score_asc&limit=3":                   "grand-public zebre jumeau-a",
		"tools?sort=name_desc&limit=3":                   "zebre sans-verifiabilite sans-note",
		"tools?limit=4&page=2":                           "sans-avis eclair eclipse ame",
		"tools?category=image":                           "mille-mots oeuvre zebre",
		"tools?score_min=8.0000000001":                   "mille-mots oeuvre sans-verifiabilite guillemets sans-avis",
		"tools?score_min=8":                              "mille-mots oeuvre sans-verifiabilite guillemets sans-avis eclair",
		"tools?score_min=-5&sort=name_asc&limit=2":       "mille-mots ame",
		"tools?pricing=gratuit&icp=mixte":                "jumeau-a jumeau-b zebre",
		"tools?obsolescence_max=0":                       "eclair sans-note",
		"tools?obsolescence_max=5&score_min=8":           "mille-mots oeuvre guillemets eclair",
		"tools?category=chat&score_min=7&sort=name_desc": "ame-circonflexe ame",
		"tools?q=Z%C3%88BRE":                             "zebre",
		"tools?q=zbere":                                  "zebre",
		"tools?q=%C3%A2me":                               "ame ame-circonflexe",
		"tools?q=%C3%A2me&sort=score_desc":               "ame ame-circonflexe",
		"tools?q=%C3%A2me&sort=name_desc":                "ame-circonflexe ame",
		"tools?q=jumeau&score_min=9":                     "",
		"tools?slugs=zebre,ame,nul,feu-mort,ame":         "ame zebre",
		"tools?slugs=zebre,ame&sort=name_desc":           "zebre ame",
		"tools?category=image,inconnue,chat":             "mille-mots oeuvre ame ame-circonflexe jumeau-a jumeau-b zebre avis-sans-note",
		"tools?price_max=0":                              "eclipse jumeau-a jumeau-b zebre avis-sans-note",
		"tools?updated_since=2999-01-01":                 "",
		"tools?sort=price_asc&limit=4":                   "avis-sans-note eclipse jumeau-a jumeau-b",
		"comparatifs?q=%C3%A2me":                         "ame-ou-ame",
		"cimetiere?q=feu%20piv":                          "feu-pivot",
		"pricing":                                        byName,
		"pricing?category=image":                         "mille-mots oeuvre zebre",
		"comparatifs":                                    "ame-ou-ame eclair-ou-oeuvre oeuvre-ou-zebre", // no draft
		"comparatifs?category=image":                     "eclair-ou-oeuvre oeuvre-ou-zebre",
		"cimetiere":                                      "feu-pivot feu-acquis feu-deprecie feu-mort feu-absorbe",
		"cimetiere?category=image":                       "feu-deprecie",
		"cimetiere?reason=acquis":                        "feu-acquis",
		"cimetiere?reason=absorbe&category=voix":         "feu-absorbe",
	} {
		c.get(target).wantSlugs(want)
	}
}

// Forms of one question are one query, and links give the form that they share.
func TestParams_Canonical(t *testing.T) {
	t.Parallel()
	c := newClient(t, unmetered)
	for target, same := range map[string]string{
		"tools?limit=1&q=L%E2%80%99%C3%82ME%20%20": "limit=1&page=1&q=ame",
		"tools?q=ame&limit=1":                      "limit=1&page=1&q=ame",
		"tools?slugs=zebre,ame,zebre&limit=1":      "limit=1&page=1&slugs=ame%2Czebre",
		"tools?category=image,chat&limit=1":        "category=chat%2Cimage&limit=1&page=1",
		"tools?price_max=20.50&limit=1":            "limit=1&page=1&price_max=20.50",
		"tools?price_max=020.00&limit=1":           "limit=1&page=1&price_max=20",
		"comparatifs?q=%C3%82ME&limit=1":           "limit=1&page=1&q=ame",
		"cimetiere?q=FEU%20%20p&limit=1":           "limit=1&page=1&q=feu+p",
		"tools?q=ame&sort=score_desc&limit=1":      "limit=1&page=1&q=ame&sort=score_desc",
		"tools?updated_since=2020-01-01&limit=1":   "limit=1&page=1&updated_since=2020-01-01",
	} {
		link := c.get(target).want(200).header.Get("Link")
		_, got, _ := strings.Cut(link, "?")
		got, _, _ = strings.Cut(got, ">")
		testkit.Equal(t, target, got, same)
	}
}

// The numbers of a page, in its meta and in X-Total-Count. Only lists have them.
func TestParams_Meta(t *testing.T) {
	t.Parallel()
	c := newClient(t, unmetered)
	for target, meta := range map[string]string{
		"tools":                               `"total":15,"page":1,"limit":50,"pages":1`,
		"tools?limit=2&page=2":                `"total":15,"page":2,"limit":2,"pages":8`,
		"tools?category=code&score_min=8":     `"total":4,"page":1,"limit":50,"pages":1`,
		"pricing?limit=200":                   `"total":15,"page":1,"limit":200,"pages":1`,
		"comparatifs?limit=2&page=2":          `"total":3,"page":2,"limit":2,"pages":2`,
		"cimetiere?limit=2":                   `"total":5,"page":1,"limit":2,"pages":3`,
		"tools?limit=7&page=4":                `[]"total":15,"page":4,"limit":7,"pages":3`,
		"tools?page=9223372036854775807":      `[]"total":15,"page":9223372036854775807,"limit":50,"pages":1`,
		"comparatifs?page=2":                  `[]"total":3,"page":2,"limit":50,"pages":1`,
		"pricing?limit=15&page=2":             `[]"total":15,"page":2,"limit":15,"pages":1`,
		"cimetiere?limit=1&page=6":            `[]"total":5,"page":6,"limit":1,"pages":5`,
		"tools?category=vide&page=3":          `[]"total":0,"page":3,"limit":50,"pages":0`,
		"tools?score_min=10.01":               `[]"total":0,"page":1,"limit":50,"pages":0`,
		"cimetiere?reason=mort&category=chat": `[]"total":0,"page":1,"limit":50,"pages":0`,
	} {
		got := c.get(target).want(200)
		total, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(meta, "[]"), `"total":`), ",")
		got.has("X-Total-Count", total)
		if empty, ok := strings.CutPrefix(meta, "[]"); ok {
			got.wantText(`{"data":[],"meta":{` + empty + `}}`)
		} else if !strings.HasSuffix(string(got.text), `],"meta":{`+meta+`}}`) {
			t.Errorf("%s: no meta %s in %s", target, meta, got.text)
		}
	}
	long := strings.Repeat("a", 5000)
	for _, list := range lists { // an unknown category is an empty list
		for _, category := range []string{"inconnue", "CODE", "co", "%FF", "%00", "<b>", "code%20", long} {
			c.get(list+"?category="+category).want(200, "Link", "").
				wantText(`{"data":[],"meta":{"total":0,"page":1,"limit":50,"pages":0}}`)
		}
	}
	for _, target := range []string{"categories", "stats", "tools/oeuvre", "pricing/oeuvre"} {
		got := c.get(target).want(200, "X-Total-Count", "", "Link", "")
		testkit.Equal(t, target+" has a meta", strings.Contains(string(got.text), `"meta"`), false)
	}
}
