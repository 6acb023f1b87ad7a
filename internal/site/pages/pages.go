package pages

import (
	"embed"
	"html/template"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/site/view"
)

// Templates are the templates of the pages.
//
//go:embed templates
var Templates embed.FS

// Functions returns the template functions that this package adds to those of the layout.
func Functions(w layout.Writer) template.FuncMap {
	return template.FuncMap{
		"measure": w.Measure,
		"price":   func(price string) string { return view.Price(w, price) },
		"brief": func(french string, t catalog.Translation, most int) template.HTML {
			t.Text = brief(t.Text, most)
			return w.Translated(brief(french, most), t)
		},
		"scale":   scale,
		"pricing": func(p catalog.Pricing) (string, error) { return w.Text("pricing." + string(p)) },
		"icp":     func(p catalog.ICP) (string, error) { return w.Text("icp." + string(p)) },
		"reason":  func(r catalog.Reason) (string, error) { return w.Text("reason." + string(r)) },
	}
}

// Texts returns the sentences of the pages.
func Texts() layout.Texts {
	return layout.Join(bylineTexts, gapTexts, draftsTexts, firstScreenTexts, landingTexts, foundTexts, searchTexts, toolsTexts, priceMapTexts, toolPriceTexts, toolChangesTexts, factTexts, toolTexts, reviewTexts,
		alternativesTexts, categoryTexts, comparisonsTexts, comparisonTexts, duelTexts, pricesTexts, pricesManyTexts, toolScoreTexts, cemeteryTexts, livesTexts,
		journalTexts, journalOtherTexts, watchTexts, watchBillTexts, compareTexts, markdownTexts, reportTexts)
}
