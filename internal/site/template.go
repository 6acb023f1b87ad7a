package site

import (
	"embed"
	"html/template"
	"slices"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
)

//go:embed templates
var templateFiles embed.FS

// newRenderer parses the template of every kind of page, and that of nothing.
func newRenderer(rt router) (*layout.Renderer, error) {
	names := []string{"nothing"}
	for _, k := range rt.all {
		if k.view != nil && !slices.Contains(names, k.template) {
			names = append(names, k.template)
		}
	}
	return layout.NewRenderer(layout.Options{
		Templates: templateFiles, Pages: names, Texts: allTexts(), Functions: functions,
	})
}

// functions are what templates call beyond those of the layout.
func functions(of layout.Writer) template.FuncMap {
	w := writer{of}
	return template.FuncMap{
		"measure": w.Measure,
		"price":   w.price,
		"brief":   brief,
		"scale":   scale,
		"pricing": func(p catalog.Pricing) (string, error) { return w.Text("pricing." + string(p)) },
		"icp":     func(p catalog.ICP) (string, error) { return w.Text("icp." + string(p)) },
		"reason":  func(r catalog.Reason) (string, error) { return w.Text("reason." + string(r)) },
	}
}
