package about

import (
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var freshnessTexts = layout.Texts{
	"fresh.title": {"Ce qui a été vérifié, et quand", "What was checked, and when"},
	"fresh.lede": {
		"La page d’un outil donne pour chaque valeur sa source et le jour de la dernière vérification. Voici le bilan pour l’ensemble du catalogue.",
		"Each tool’s page gives the source of each value and the day it was last checked. Here is the tally for the whole catalogue.",
	},
	"fresh.none":             {"Aucune valeur du catalogue n’a encore de source.", "No value in the catalogue has a source yet."},
	"fresh.field":            {"Donnée", "Value"},
	"fresh.total":            {"Valeurs", "Values"},
	"fresh.sourced":          {"Avec une source", "With a source"},
	"fresh.month":            {"Vérifiées dans les 30\u00a0derniers jours", "Checked in the last 30\u00a0days"},
	"fresh.quarter":          {"Dans les 90\u00a0derniers jours", "In the last 90\u00a0days"},
	"fresh.median":           {"Âge médian", "Median age"},
	"fresh.oldest":           {"La plus ancienne", "The oldest"},
	"fresh.field.price":      {"Prix", "Prices"},
	"fresh.field.score":      {"Notes", "Scores"},
	"fresh.field.domain":     {"Sites", "Websites"},
	"fresh.field.retired_at": {"Dates de retrait", "Retirement dates"},
	"fresh.share":            {"%s\u00a0%%", "%s%%"},
}

// A freshness is the data of the table that shows how many values of the catalog have sources, and how long ago those
// were checked.
type freshness struct {
	None bool // no value has a source
	Rows []freshRow
	Call layout.Call
}

// A freshRow is the row of one field. A dash stands for an unknown value.
type freshRow struct{ Name, Total, Sourced, Month, Quarter, Median, Oldest string }

func newFreshness(v *view.View) *freshness {
	f := &freshness{None: true, Call: v.Call("/api/v1/facts")}
	for _, stats := range v.Figures.Facts() {
		if stats.Total == 0 {
			continue
		}
		f.None = f.None && stats.Sourced == 0
		f.Rows = append(f.Rows, newFreshRow(v, stats))
	}
	return f
}

func newFreshRow(v *view.View, stats catalog.FactStats) freshRow {
	share := func(n int) string { return v.Text.Must("fresh.share", v.Text.Integer(100*n/stats.Total)) } // rounded down: 100 is all of them
	within := func(days int) string {
		n := 0
		for _, d := range stats.Days {
			if age(v, d.Day) <= days {
				n += d.Count
			}
		}
		return share(n)
	}
	row := freshRow{
		Name: v.Text.Must("fresh.field." + string(stats.Field)), Total: v.Text.Integer(stats.Total),
		Sourced: share(stats.Sourced), Month: within(30), Quarter: within(90), Median: "–", Oldest: "–",
	}
	if stats.Sourced > 0 {
		row.Median, row.Oldest = v.Text.Many("status.days", age(v, stats.Median)), v.Text.Date(stats.Oldest.Time())
	}
	return row
}

// age returns the age of a check in days.
func age(v *view.View, checked catalog.Date) int {
	return max(0, catalog.Fact{Checked: checked}.Age(v.Figures.Today))
}

// Method returns the page about the method: the operator's text, and the figures of the catalog.
func Method(v *view.View) (*view.Document, error) {
	d, body := written(v, address.Method)
	body.Fresh = newFreshness(v)
	d.API, d.Body = []string{body.Fresh.Call.Path}, body
	return d, nil
}
