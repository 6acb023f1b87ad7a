package api_test

import (
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// withHistory serves tools a, b and c, the retired feu and omega, and what was true of them. It is of 2 March 2026.
func withHistory(o *api.Options) {
	price := func(day catalog.Date, text string) catalog.HistoryRow {
		return catalog.HistoryRow{Field: catalog.PriceHistory, Day: day, Pricing: catalog.Paid, Price: text}
	}
	score := func(day catalog.Date, n int) catalog.HistoryRow {
		return catalog.HistoryRow{Field: catalog.ScoreHistory, Day: day, Score: catalog.Hundredths(n)}
	}
	life := func(day, until catalog.Date) catalog.HistoryRow {
		return catalog.HistoryRow{Field: catalog.LifeHistory, Day: day, Until: until}
	}
	d := catalogtest.Snapshot(
		catalogtest.Tool("a", func(t *catalog.Tool) {
			t.Next = catalog.NextPrice{Pricing: catalog.Paid, Price: "24 €/mois", From: "2027-01-01", Source: "https://a.example/tarifs"}
		}),
		catalogtest.Tool("b", catalogtest.In("image"), func(t *catalog.Tool) { t.Formerly = []string{"b-avant"} }), catalogtest.Tool("c"),
		catalogtest.Retired("feu", func(r *catalog.Retired) { r.RetiredAt, r.Successor, r.Domain = "2026-02-01", "b", "feu.example" }),
		catalogtest.Retired("omega", func(r *catalog.Retired) { r.RetiredAt = "2026-02-01" }),
	).Whole()
	corrected := price("2025-10-01", "20 €/mois")
	corrected.Corrected = true
	d.Histories = []catalog.ToolHistory{
		{Slug: "a", History: catalog.NewHistory([]catalog.HistoryRow{life("2025-01-10", ""), price("2025-01-10", "18,50 €/mois"), score("2025-01-10", 700), corrected})},
		{Slug: "b", History: catalog.NewHistory([]catalog.HistoryRow{life("2025-06-01", ""), price("2025-06-01", "20 €/mois")})},
		{Slug: "c", History: catalog.NewHistory([]catalog.HistoryRow{life("", ""), price("", "20 €/mois")})},
		{Slug: "feu", History: catalog.NewHistory([]catalog.HistoryRow{life("2025-01-10", "2026-02-01"), price("2025-01-10", "5 €/an"), score("2025-02-01", 650)})},
		{Slug: "omega", History: catalog.NewHistory([]catalog.HistoryRow{life("", "2026-02-01")})},
	}
	o.Catalog = serving(catalog.Empty().Apply(d))
}

func TestHistory(t *testing.T) {
	t.Parallel()
	c := newClient(t, unmetered, withHistory)
	a := func(day string) string {
		price, cents := "18,50 €/mois", "1850"
		if day >= "2025-10-01" {
			price, cents = "20 €/mois", "2000"
		}
		return `{"slug":"a","name":"Outil a","category":"code","pricing":"payant","price":"` + price + `","cents":` + cents + `,"period":"mois","score":7}`
	}
	const (
		b   = `{"slug":"b","name":"Outil b","category":"image","pricing":"payant","price":"20 €/mois","cents":2000,"period":"mois","score":null}`
		feu = `{"slug":"feu","name":"Feu feu","category":"code","pricing":"payant","price":"5 €/an","cents":500,"period":"an","score":`
	)
	page := func(total int, rows ...string) string {
		return `{"data":[` + strings.Join(rows, ",") + `],"meta":{"total":` + string(rune('0'+total)) + `,"page":1,"limit":50,"pages":` + string(rune('0'+min(total, 1))) + `}}`
	}
	for target, want := range map[string]string{
		"history/a": `{"slug":"a","name":"Outil a","data":[` +
			`{"field":"price","value":"24 €/mois","pricing":"payant","cents":2400,"period":"mois","from":"2027-01-01","until":null,"basis":"announced","corrected":false},` +
			`{"field":"price","value":"20 €/mois","pricing":"payant","cents":2000,"period":"mois","from":"2025-10-01","until":null,"basis":"published","corrected":true},` +
			`{"field":"price","value":"18,50 €/mois","pricing":"payant","cents":1850,"period":"mois","from":"2025-01-10","until":"2025-10-01","basis":"published","corrected":false},` +
			`{"field":"score","value":7,"from":"2025-01-10","until":null,"basis":"published","corrected":false},` +
			`{"field":"life","value":null,"from":"2025-01-10","until":null,"basis":"published","corrected":false}]}`,
		"history/omega": `{"slug":"omega","name":"Feu omega","data":[{"field":"life","value":null,"from":null,"until":"2026-02-01","basis":"published","corrected":false}]}`,
		"history/feu?field=score": `{"slug":"feu","name":"Feu feu","data":[` +
			`{"field":"score","value":6.5,"from":"2025-02-01","until":"2026-02-01","basis":"published","corrected":false}]}`,
		"history?on=2024-12-31":                     page(0),
		"history?on=2025-01-10":                     page(2, a("2025-01-10"), feu+"null}"),
		"history?on=2025-09-30":                     page(3, a("2025-09-30"), b, feu+"6.5}"),
		"history?on=2026-02-01":                     page(2, a("2026-02-01"), b),
		"history?on=2025-09-30&category=image":      page(1, b),
		"history?on=2025-09-30&slugs=b-avant,feu,c": page(2, b, feu+"6.5}"),
		"cimetiere/feu": `{"slug":"feu","name":"Feu feu","category":"code","domain":"feu.example","reason":"mort","retired_at":"2026-02-01","note":"Fermé.","successor":"b",` +
			`"entered":"2025-01-10","last_pricing":"payant","last_price":"5 €/an","last_score":6.5}`,
		"cimetiere/omega": `{"slug":"omega","name":"Feu omega","category":"code","domain":null,"reason":"mort","retired_at":"2026-02-01","note":"Fermé.","successor":null,` +
			`"entered":null,"last_pricing":null,"last_price":null,"last_score":null}`,
	} {
		testkit.Equal(t, target, string(c.get(target).want(200).text), want)
	}
	for target, want := range map[string]int{
		"history": 400, "history?on=hier": 400, "history?on=2026-03-03": 400, "history?on=2026-03-02": 200, "history/a?field=name": 400,
		"history/nope": 404, "history/b-avant": 404, "cimetiere/a": 404, "cimetiere/nope": 404,
	} {
		c.get(target).want(want)
	}
	testkit.Equal(t, "the price of a retired tool", string(c.get("pricing/feu").want(404).text),
		`{"error":"the tool \"feu\" was retired on 2026-02-01 (mort); use b instead: its history is /api/v1/history/feu`+notFoundHelp+`","code":"retired","successor":"b"}`)
}
