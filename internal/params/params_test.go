package params_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/changes"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// many are n slugs that are joined by commas.
func many(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("outil-%03d", i))
	}
	return strings.Join(list, ",")
}

// refused is the parameter that an error is about, and the form that it wants.
func refused(err error) string {
	r, ok := errors.AsType[*params.RefusedError](err)
	if !ok {
		return fmt.Sprint(err)
	}
	return r.Name + " " + string(r.Form)
}

// The parameters of the log have one form each, without defaults, sorted, each value once; the form parses to itself.
func TestParseChanges(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"":                                   "",
		"since=0":                            "since=0",
		"since=1042-9f2c41d07a3be615":        "since=1042-9f2c41d07a3be615",
		"limit=200&since=17":                 "since=17",
		"limit=1000":                         "limit=1000",
		"slugs=zebre,ame,zebre":              "slugs=ame%2Czebre",
		"slugs=ame%2Czebre&couleur=rouge":    "slugs=ame%2Czebre",
		"category=image,code,image":          "category=code%2Cimage",
		"type=tool.updated,catalog.updated":  "type=catalog.updated%2Ctool.updated",
		"type=tool.updated,tool.updated":     "type=tool.updated",
		"slugs=" + many(100):                 "slugs=" + strings.ReplaceAll(many(100), ",", "%2C"),
		"slugs=a,b&category=c&limit=5&since": "since once",
		"since=":                             "since once",
		"since=-1":                           "since once",
		"since=01":                           "since once",
		"since=0-9f2c41d07a3be615":           "since once",
		"since=7-9F2C41D07A3BE615":           "since once",
		"since=7-9f2c":                       "since once",
		"since=9223372036854775808":          "since once",
		"since=1&since=2":                    "since once",
		"limit=0":                            "limit size",
		"limit=1001":                         "limit size",
		"type=":                              "type one",
		"type=tool.update":                   "type one",
		"type=tool.updated,":                 "type one",
		"slugs=":                             "slugs slugs",
		"slugs=ame,":                         "slugs slugs",
		"slugs=%00":                          "slugs slugs",
		"slugs=Ame":                          "slugs slugs",
		"slugs=" + many(101):                 "slugs slugs",
		"category=%FF":                       "category slugs",
		"category=code&category=image":       "category once",
		"since=%zz":                          " query",
	} {
		p, err := params.ParseChanges(query)
		got := refused(err)
		if err == nil {
			got = p.Values().Encode()
			again, err := params.ParseChanges(got)
			testkit.Must(t, err)
			testkit.Equal(t, "the form of "+query, again, p)
		}
		testkit.Equal(t, query, got, want)
	}
	p, err := params.ParseChanges("since=7-9f2c41d07a3be615&type=tool.updated,price.changed&category=image,code&slugs=b,a&limit=9")
	testkit.Must(t, err)
	testkit.Equal(t, "what is asked for", p.Query(), changes.Query{
		Since: catalog.Cursor{Seq: 7, Edition: "9f2c41d07a3be615"}, Limit: 9,
		Filter: changes.Filter{
			Types: []catalog.EventType{catalog.PriceChanged, catalog.ToolUpdated}, Categories: []string{"code", "image"}, Slugs: []string{"a", "b"},
		},
	})
	p, err = params.ParseChanges("")
	testkit.Must(t, err)
	testkit.Equal(t, "nothing", p.Query(), changes.Query{Newest: true, Limit: changes.DefaultLimit})
}

// Slugs or items are required, never both. They keep their order, each once; the score is on the scale of scores.
func TestParseFindings(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"slugs=zebre,ame,zebre":       "zebre,ame 5",
		"slugs=zebre%2Came&score_min": "score_min number",
		"slugs=zebre&score_min=0":     "zebre 0",
		"slugs=zebre&score_min=-0":    "zebre 0",
		"slugs=Z&score_min=1e1":       "Z 10", // nothing has that slug
		"slugs=zebre&score_min=7.501": "zebre 7.51",
		"slugs=zebre&score_min=10.01": "score_min number",
		"slugs=zebre&score_min=-0.01": "score_min number",
		"slugs=zebre&score_min=NaN":   "score_min number",
		"slugs=zebre&score_min=0x1":   "score_min number",
		"slugs=" + many(100):          many(100) + " 5",
		"slugs=" + many(101):          "slugs slugs",
		"":                            "slugs slugs",
		"score_min=3":                 "slugs slugs",
		"slugs":                       "slugs slugs",
		"slugs=":                      "slugs slugs",
		"slugs=ame,":                  "slugs slugs",
		"slugs=ame&slugs=zebre":       "slugs once",
		"slugs=%zz":                   " query",

		"items=zebre,Z%C3%A8bre+2,zebre":            "items zebre,Zèbre 2 5",
		"items=pkg:npm/a%252Cb,pkg:npm/c&score_min": "score_min number",
		"items=pkg:npm/a%252Cb%2Cc":                 "items pkg:npm/a%2Cb,c 5",
		"items=a&slugs=b":                           "items items",
		"items=&slugs=b":                            "items items",
		"items=":                                    "items items",
		"items=a,":                                  "items items",
		"items=a&items=b":                           "items once",
		"items=" + many(100):                        "items " + many(100) + " 5",
		"items=" + many(101):                        "items items",
		"items=" + strings.Repeat("a", 7000):        "items " + strings.Repeat("a", 7000) + " 5",
		"items=" + strings.Repeat("a", 7001):        "items items",
		"items=" + strings.Repeat("%61", 7000):      "items " + strings.Repeat("a", 7000) + " 5",
	} {
		p, err := params.ParseFindings(query)
		got := refused(err)
		if err == nil {
			got = p.Inputs + " " + p.ScoreMin.String()
			if !p.Slugs {
				got = "items " + got
			}
		}
		testkit.Equal(t, query, got, want)
	}
}

// Two to five items are compared, in their order; a repeated one is not dropped, for the answer to refuse it.
func TestParseCompare(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"items=zebre,ame":                        "zebre,ame",
		"items=zebre,zebre":                      "zebre,zebre",
		"items=Z%C3%A8bre+2,pkg:npm/a%252Cb&x=y": "Zèbre 2,pkg:npm/a%2Cb",
		"items=" + many(5):                       many(5),
		"items=" + many(6):                       "items items",
		"items=" + many(1):                       "items items",
		"items=a," + strings.Repeat("a", 6999):   "items items",
		"items=a,":                               "items items",
		"items=":                                 "items items",
		"":                                       "items items",
		"items=a,b&items=c":                      "items once",
	} {
		p, err := params.ParseCompare(query)
		got := refused(err)
		if err == nil {
			got = strings.Join(p.Elements(), ",")
		}
		testkit.Equal(t, query, got, want)
	}
}

// A bill has items, each with how often it counts, and two months, ten years apart at most.
func TestParseBill(t *testing.T) {
	t.Parallel()
	const year = "&from=2025-01&to=2025-12"
	for query, want := range map[string]string{
		"items=zebre,ame*5,zebre*2" + year:       "zebre 1, ame 5, zebre 2 2025-01 2025-12",
		"items=Z%C3%A8bre+2*9999" + year:         "Zèbre 2 9999 2025-01 2025-12",
		"items=a*b,a*2*3" + year:                 "a*b 1, a*2 3 2025-01 2025-12",
		"items=a*0" + year:                       "items items",
		"items=a*10000" + year:                   "items items",
		"items=a*99999999999999999999" + year:    "items items",
		"items=a*" + year:                        "items items",
		"items=*5" + year:                        "items items",
		"items=a*-1" + year:                      "a*-1 1 2025-01 2025-12", // a name
		"items=a," + year:                        "items items",
		"items=" + year:                          "items items",
		"items=" + many(101) + year:              "items items",
		"from=2025-01&to=2025-12":                "items items",
		"items=a&items=b" + year:                 "items once",
		"items=a&from=2025-01":                   "to month",
		"items=a&to=2025-01":                     "from month",
		"items=a&from=2025-13&to=2025-14":        "from month",
		"items=a&from=2025-1&to=2025-02":         "from month",
		"items=a&from=2025-01-01&to=2025-02":     "from month",
		"items=a&from=0000-01&to=0000-02":        "from month",
		"items=a&from=2025-05&to=2025-04":        "to month",
		"items=a&from=2025-05&to=2025-05":        "a 1 2025-05 2025-05",
		"items=a&from=2025-05&to=2035-04":        "a 1 2025-05 2035-04",
		"items=a&from=2025-05&to=2035-05":        "to month",
		"items=a&from=2025-05&to=+2025-06":       "to month",
		"items=a&from=2025-05&from=2025-05&to=x": "from once",
	} {
		p, err := params.ParseBill(query)
		got := refused(err)
		if err == nil {
			var items []string
			for _, item := range p.Query().Items {
				items = append(items, fmt.Sprint(item.Input, " ", item.Times))
			}
			got = fmt.Sprint(strings.Join(items, ", "), " ", p.From, " ", p.To)
		}
		testkit.Equal(t, query, got, want)
	}
}

// A choice of tools is read as a list of one's own is, with what was typed to name more; it holds four.
func TestParseSideBySide(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"":                                   " true",
		"outils=a,b":                         "?outils=a,b true",
		"outils=b,a":                         "?outils=a,b false",
		"tools=b&outils=a&tools=a":           "?outils=a,b false",
		"outils=a,b,a,b,c,d":                 "?outils=a,b,c,d false",
		"outils=a,b,c,d,e":                   "outils compared",
		"outils=a&outils=b,c&tools=d,e":      "outils compared",
		"outils=A":                           "outils compared",
		"outils=a,":                          "outils compared",
		"outils=a&q=%C3%A9tau+%26&q=l%2Cim":  "?outils=a&q=%C3%A9tau+%26&q=l%2Cim true",
		"q=a&q=a":                            "?q=a true",
		"q=a&q=b&q=c":                        "q words",
		"q=" + strings.Repeat("%C3%A9", 100): "?q=" + strings.Repeat("%C3%A9", 100) + " true",
		"q=" + strings.Repeat("e", 101):      "q words",
		"q=%FF":                              "q words",
		"q=%zz":                              " query",
	} {
		p, err := params.ParseSideBySide(query)
		got := refused(err)
		if err == nil {
			got = fmt.Sprint(p.In(locale.French), " ", p.Exact)
			again, err := params.ParseSideBySide(strings.TrimPrefix(p.In(locale.English), "?"))
			testkit.Must(t, err)
			testkit.Equal(t, "in English, "+query, again.In(locale.French), p.In(locale.French))
		}
		testkit.Equal(t, query, got, want)
	}
}

// A list of one's own is read under the names of both languages, from a form and from an address, and is written in the
// names of one.
func TestParseWatch(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"":                                      "  true",
		"outils=a,b":                            "?outils=a,b ?tools=a,b true",
		"tools=a,b":                             "?outils=a,b ?tools=a,b true",
		"outils=b,a":                            "?outils=a,b ?tools=a,b false",
		"outils=a,a":                            "?outils=a ?tools=a false",
		"outils=a&outils=b":                     "?outils=a,b ?tools=a,b false",
		"outils=a&tools=b&category=code":        "?outils=a,b&categorie=code ?tools=a,b&category=code false",
		"categorie=a&category=b":                "?categorie=b ?category=b true",
		"categorie=code":                        "?categorie=code ?category=code true",
		"outils=a%2Cb&categorie=":               "?outils=a,b ?tools=a,b true",
		"outils=" + many(100):                   "?outils=" + many(100) + " ?tools=" + many(100) + " true",
		"outils=" + many(101):                   "outils watched",
		"outils=" + many(100) + "&outils=x":     "outils watched",
		"outils=":                               "outils watched",
		"outils=a,":                             "outils watched",
		"outils=A":                              "outils watched",
		"outils=a&categorie=%3Cscript%3E":       "outils watched",
		"outils=" + many(100) + "," + many(99):  "?outils=" + many(100) + " ?tools=" + many(100) + " false",
		"outils=%zz":                            " query",
		"outils=b,a&q=L%E2%80%99%C3%89tau%2C+b": "?outils=a,b&q=L%E2%80%99%C3%89tau%2C+b ?tools=a,b&q=L%E2%80%99%C3%89tau%2C+b false",
		"q=a&q=b":                               "q once",
		"q=" + strings.Repeat("a", 101):         "q words",
	} {
		p, err := params.ParseWatch(query)
		got := refused(err)
		if err == nil {
			got = fmt.Sprint(p.In(locale.French), " ", p.In(locale.English), " ", p.Exact)
		}
		testkit.Equal(t, query, got, want)
	}
}

// Names typed to find tools are separated by commas; a list is changed a tool at a time and stays in order.
func TestWatch_NamesAndTools(t *testing.T) {
	t.Parallel()
	p, err := params.ParseWatch("outils=b,d&q=+%C3%89tau%2C%2C+!!%2C%C3%89tau%2Ca%2Cb%2Cc%2Cd")
	testkit.Must(t, err)
	testkit.Equal(t, "names", p.Names(), []params.Name{{"Étau", "etau"}, {"!!", ""}, {"a", "a"}, {"b", "b"}, {"c", "c"}})
	p.Typed = ""
	testkit.Equal(t, "no names", len(p.Names()), 0)
	for list, want := range map[params.Watch]string{
		p: "b,d", p.With("c", "a", "d"): "a,b,c,d", p.Without("b"): "d", p.Without("x"): "b,d",
		p.Without("b").Without("d"): "", params.Watch{}.With("a"): "a",
	} {
		testkit.Equal(t, "the tools", list.Tools, want)
	}
}

// What is searched for everywhere may be nothing, or nothing that can be found; only what is too long is refused.
func TestParseSearch(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"":                              `"" "" false`,
		"q=":                            `"" "" false`,
		"q=%21%21":                      `"!!" "" true`,
		"q=L%E2%80%99%C3%82ME+":         `"L’ÂME " "ame" true`,
		"q=" + strings.Repeat("a", 100): fmt.Sprintf("%q %q true", strings.Repeat("a", 100), strings.Repeat("a", 64)), // so much of a word
		"q=" + strings.Repeat("a", 101): "q words",
		"q=%FF":                         "q words",
		"q=a&q=b":                       "q once",
	} {
		p, err := params.ParseSearch(query)
		got := refused(err)
		if err == nil {
			got = fmt.Sprintf("%q %q %t", p.Typed, p.Search, p.Searched())
		}
		testkit.Equal(t, query, got, want)
	}
}
