package generate_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
)

// A generated catalog has items with every field, and with more than one value of it.
func TestGenerated_FillsEveryField(t *testing.T) {
	t.Parallel()
	dir, _ := write(t, options(300, 5))
	c := load(t, dir)
	const french, named = "generated catalogs are in French", "nothing was renamed yet"
	wantVaried(t, "newTool in internal/generate/plan.go and renderTool in render.go", catalogtest.Except[catalog.Tool](map[string]string{
		"UpdatedAt": "decided at publication", "Embedded": "decided at publication", "History": "decided at publication",
		"Review.Markdown.Compressed": "made at publication", "Formerly": named,
	}, "English", french), c.Tools)
	wantVaried(t, "planComparisons in internal/generate/pairs.go and renderComparison in render.go",
		catalogtest.Except[catalog.Comparison](map[string]string{"UpdatedAt": "decided at publication", "Formerly": named}, "English", french), c.Comparisons)
	wantVaried(t, "planRetired in internal/generate/pairs.go and renderRetired in render.go",
		catalogtest.Except[catalog.Retired](map[string]string{"Formerly": named}, "English", french), c.Retired)
}

func wantVaried[T any](t *testing.T, edit string, except map[string]string, items []*T) {
	t.Helper()
	place := catalogtest.Place{Lacks: "has one value only, or none, in a generated catalog", Edit: edit, Except: except}
	catalogtest.WantFields[T](t, place, func(f catalogtest.Field) bool {
		for _, item := range items {
			if !f.Same(item, items[0]) {
				return true
			}
		}
		return false
	})
}
