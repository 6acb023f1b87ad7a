package docs

import (
	"html/template"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/site/guide"
	"github.com/palmares-hq/palmares/internal/site/view"
)

// sampleKey is the key that samples set: an ellipsis where there is none to show.
func sampleKey(key string) string {
	if key == "" {
		return "plm_…"
	}
	return key
}

// sampleTool is the one that samples ask for: the best of those that have chunks, or else the best.
func sampleTool(v *view.View) *catalog.Tool {
	const looked = 50
	tools := v.Catalog.Tools(catalog.ToolQuery{Paging: catalog.Paging{Page: 1, Limit: looked}}).Items
	for _, t := range tools {
		if _, err := v.Catalog.EmbeddingsJSON(t.Slug); err == nil {
			return t
		}
	}
	if len(tools) > 0 {
		return tools[0]
	}
	return &catalog.Tool{Slug: "exemple", Name: "Exemple"}
}

// labels are the words around a sample.
func labels(v *view.View) guide.Labels {
	return guide.Labels{
		Copy: v.Text.Must("frame.copy"), Copied: v.Text.Must("frame.copied"), Output: v.Text.Must("guides.output"),
	}
}

// figure is code as HTML.
func figure(v *view.View, s guide.Sample) template.HTML { return guide.Figure(s, labels(v)) }
