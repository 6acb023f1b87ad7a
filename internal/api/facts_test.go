package api_test

import (
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Facts have every field, in order, typed as the API types it, and null where nothing is known.
func TestFacts(t *testing.T) {
	t.Parallel()
	fact := func(day catalog.Date, note string) catalog.Fact {
		return catalog.Fact{Source: "https://source.example/a", Checked: day, Text: "$20", Note: note}
	}
	c := newClient(t, func(o *api.Options) {
		o.Catalog = serving(catalogtest.Snapshot(
			catalogtest.Tool("a", func(t *catalog.Tool) {
				t.Facts = catalog.ToolFacts{Price: fact("2026-01-03", ""), Score: fact("2025-11-20", "protocole 3")}
				t.Ending = catalog.Ending{At: "2027-03-31", Source: "https://a.example/fin", Successor: "b"}
			}),
			catalogtest.Tool("b", func(t *catalog.Tool) { t.Facts.Price = fact("2026-01-20", "") }),
			catalogtest.Tool("c", func(t *catalog.Tool) {
				t.Score, t.Ending.At, t.Facts.Price = catalog.Measure{}, "2027-01-31", fact("2025-12-01", "")
			}),
			catalogtest.Retired("feu", func(r *catalog.Retired) { r.Successor, r.Facts.RetiredAt = "b", fact("2025-06-02", "") }),
		))
	})
	for target, want := range map[string]string{
		"facts/a": `{"slug":"a","name":"Outil a","retired":false,"facts":[` +
			`{"field":"price","value":"20 €/mois","checked":"2026-01-03","source":"https://source.example/a","note":null},` +
			`{"field":"score","value":7,"checked":"2025-11-20","source":"https://source.example/a","note":"protocole 3"},` +
			`{"field":"domain","value":"a.example","checked":null,"source":null,"note":null}],` +
			`"ending":{"ends_at":"2027-03-31","source":"https://a.example/fin","successor":"b"}}`,
		"facts/c": `{"slug":"c","name":"Outil c","retired":false,"facts":[` +
			`{"field":"price","value":"20 €/mois","checked":"2025-12-01","source":"https://source.example/a","note":null},` +
			`{"field":"score","value":null,"checked":null,"source":null,"note":null},` +
			`{"field":"domain","value":"c.example","checked":null,"source":null,"note":null}],` +
			`"ending":{"ends_at":"2027-01-31","source":null,"successor":null}}`,
		"facts/feu": `{"slug":"feu","name":"Feu feu","retired":true,"facts":[` +
			`{"field":"retired_at","value":"2025-06-01","checked":"2025-06-02","source":"https://source.example/a","note":null}],` +
			`"ending":{"ends_at":"2025-06-01","source":"https://source.example/a","successor":"b"}}`,
		"facts": `{"data":[` +
			`{"field":"price","total":3,"sourced":3,"oldest":"2025-12-01","median":"2026-01-03","months":[{"month":"2025-12","count":1},{"month":"2026-01","count":2}]},` +
			`{"field":"score","total":2,"sourced":1,"oldest":"2025-11-20","median":"2025-11-20","months":[{"month":"2025-11","count":1}]},` +
			`{"field":"domain","total":3,"sourced":0,"oldest":null,"median":null,"months":[]},` +
			`{"field":"retired_at","total":1,"sourced":1,"oldest":"2025-06-02","median":"2025-06-02","months":[{"month":"2025-06","count":1}]}]}`,
		"endings": `{"data":[` +
			`{"slug":"c","name":"Outil c","ends_at":"2027-01-31","source":null,"successor":null},` +
			`{"slug":"a","name":"Outil a","ends_at":"2027-03-31","source":"https://a.example/fin","successor":"b"}],` +
			`"meta":{"total":2,"page":1,"limit":50,"pages":1}}`,
		"endings?limit=1&page=2": `{"data":[` +
			`{"slug":"a","name":"Outil a","ends_at":"2027-03-31","source":"https://a.example/fin","successor":"b"}],` +
			`"meta":{"total":2,"page":2,"limit":1,"pages":2}}`,
	} {
		testkit.Equal(t, target, string(c.get(target).want(200).text), want)
	}
	c.get("facts/nope").want(404)
	testkit.Equal(t, "what to use instead", string(c.get("tools/feu").want(404).text),
		`{"error":"the tool \"feu\" was retired on 2025-06-01 (mort); use b instead: see /api/v1/cimetiere`+notFoundHelp+`","code":"retired","successor":"b"}`)
}

// Findings stand in the order of what is asked, a row for each input that names a tool; the answer names all others, and counts
// both. An input that is given twice counts once.
func TestFindings(t *testing.T) {
	t.Parallel()
	c := newClient(t, func(o *api.Options) {
		o.Catalog = serving(catalogtest.Snapshot(
			catalogtest.Tool("a", catalogtest.Named("Alpha")), catalogtest.Tool("b", catalogtest.Scored(420)), catalogtest.Retired("feu"),
		))
	})
	const (
		a   = `{"slug":"a","findings":[],"detail":null,"instead":[],"input":"a","matched_by":"slug"}`
		b   = `{"slug":"b","findings":["low_score"],"detail":"Score 4.2, below 5.","instead":["a"],"input":"b","matched_by":"slug"}`
		feu = `{"slug":"feu","findings":["retired"],"detail":"Retired on 2025-06-01.","instead":["a"],"input":"feu","matched_by":"slug"}`
		use = "use 1 to 100 slugs joined by commas, or items"
		all = "use 1 to 100 slugs, names, domains or package URLs joined by commas, 7000 bytes in all"
	)
	for query, want := range map[string]string{
		"slugs=feu,b,a":          `[` + feu + `,` + b + `,` + a + `],"asked":3,"known":3,"unknown":[],"near":{}`,
		"slugs=a,b,feu":          `[` + a + `,` + b + `,` + feu + `],"asked":3,"known":3,"unknown":[],"near":{}`,
		"slugs=b,nope,b,a":       `[` + b + `,` + a + `],"asked":3,"known":2,"unknown":["nope"],"near":{}`,
		"slugs=b&score_min=4.2":  `[{"slug":"b","findings":[],"detail":null,"instead":[],"input":"b","matched_by":"slug"}],"asked":1,"known":1,"unknown":[],"near":{}`,
		"slugs=Alpha,nope":       `[],"asked":2,"known":0,"unknown":["Alpha","nope"],"near":{"Alpha":["a"]}`,
		"slugs=b%2Ca&page=0&x=y": `[` + b + `,` + a + `],"asked":2,"known":2,"unknown":[],"near":{}`,
		"items=feu,a,a":          `[` + feu + `,` + a + `],"asked":2,"known":2,"unknown":[],"near":{}`,
		"items=b.example,alphas,pkg:npm/a%252Cb&score_min=1": `[{"slug":"b","findings":[],"detail":null,"instead":[],"input":"b.example","matched_by":"domain"}],` +
			`"asked":3,"known":1,"unknown":["alphas","pkg:npm/a%2Cb"],"near":{"alphas":["a"]}`,
	} {
		testkit.Equal(t, query, string(c.get("findings?"+query).want(200).text), `{"data":`+want+`}`)
	}
	c.get("findings").wantError(400, "slugs: it is missing: "+use)
	c.get("findings?score_min=3").wantError(400, "slugs: it is missing: "+use)
	c.get("findings?slugs=").wantError(400, `slugs: "" is not allowed: `+use)
	c.get("findings?slugs=" + strings.Repeat("a,", 100) + "a").want(400)
	c.get("findings?slugs=a&score_min=10.5").wantError(400, `score_min: "10.5" is not allowed: use a number from 0 to 10 such as 5 or 7.5`)
	c.get("findings?items=a,").wantError(400, `items: "a," is not allowed: `+all)
	c.get("findings?items=" + strings.Repeat("a,", 100) + "a").want(400)
	c.get("findings?items=a&slugs=a").wantError(400, "items: it does not go together with slugs: use one of them")
}

// Tools are compared in the order in which they are named, by whatever names them; every row has every key, and what names no
// tool, or several, is said.
func TestCompare(t *testing.T) {
	t.Parallel()
	c := newClient(t, func(o *api.Options) {
		o.BaseURL = "https://palmares.example"
		o.Catalog = serving(catalogtest.Snapshot(
			catalogtest.Tool("a", catalogtest.Named("Étau"), catalogtest.Priced(catalog.Paid, "199,90 €/an"), func(t *catalog.Tool) { t.Formerly = []string{"a-d-avant"} }),
			catalogtest.Tool("b", catalogtest.Named("Lime"), catalogtest.Priced(catalog.Paid, "9 €/siège"), func(t *catalog.Tool) {
				t.Ending = catalog.Ending{At: "2027-03-31", Successor: "a"}
			}),
			catalogtest.Tool("lime-2", catalogtest.Named("LIME")), catalogtest.Retired("feu", func(r *catalog.Retired) { r.Successor = "a" }),
			catalogtest.Comparison("a-ou-b", "a", "b"),
		))
	})
	item := func(slug string) string {
		text := string(c.get("tools/" + slug).want(200).text)
		return text[:len(text)-1]
	}
	comparison := string(c.get("comparatifs").want(200).text)
	comparison = comparison[len(`{"data":`):strings.Index(comparison, `,"meta"`)]
	const retired = `{"slug":"feu","name":"Feu feu","domain":null,"category":"code","icp":null,"pricing":null,"price":null,"score":null,` +
		`"verifiability":null,"tagline":null,"canonical_url":"https://palmares.example/outils/feu","avis_url":null,` +
		`"alternatives_url":"https://palmares.example/alternatives/feu","updated_at":null,"monthly_cents":null,"ends_at":null,` +
		`"retired_at":"2025-06-01","successor":"a"}`
	a := item("a") + `,"monthly_cents":1666,"ends_at":null,"retired_at":null,"successor":null}`
	b := item("b") + `,"monthly_cents":null,"ends_at":"2027-03-31","retired_at":null,"successor":"a"}`
	for items, want := range map[string]string{
		"b,a":                           `[` + b + `,` + a + `],"differ":["price","ends_at"],"comparisons":` + comparison,
		"%C3%89TAU,b.example":           `[` + a + `,` + b + `],"differ":["price","ends_at"],"comparisons":` + comparison,
		"a-d-avant,Feu+feu&score_min=x": `[` + a + `,` + retired + `],"differ":["icp","pricing","price","score","verifiability","retired_at"],"comparisons":[]`,
	} {
		testkit.Equal(t, items, string(c.get("compare?items="+items).want(200).text), `{"tools":`+want+`}`)
	}
	const use = "use 2 to 5 slugs, names, domains or package URLs joined by commas, 7000 bytes in all"
	c.get("compare").wantError(400, "items: it is missing: "+use)
	c.get("compare?items=a").wantError(400, `items: "a" is not allowed: `+use)
	c.get("compare?items=a,").wantError(400, `items: "a," is not allowed: `+use)
	c.get("compare?items=a,b,c,d,e,f").wantError(400, `items: "a,b,c,d,e,f" is not allowed: `+use)
	c.get("compare?items=a,a").wantError(400, `items: "a" is the tool a again: name each tool once`)
	c.get("compare?items=a,etau").wantError(400, `items: "etau" is the tool a again: name each tool once`)
	c.get("compare?items=a,personne").wantError(404, `items: no tool is called "personne"; https://palmares.example/en/docs/errors says more`)
	c.get("compare?items=a,Etaus").wantError(404, `items: no tool is called "Etaus": perhaps you mean a; https://palmares.example/en/docs/errors says more`)
	c.get("compare?items=a,Lime").wantError(404, `items: "Lime" names several tools: use the slug of one, b or lime-2; https://palmares.example/en/docs/errors says more`)
}
