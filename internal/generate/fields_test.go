package generate_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/catalogtest"
)

// A generated catalog has items with every field, and with more than one value of it.
func TestGenerated_FillsEveryField(t *testing.T) {
	t.Parallel()
	dir, _ := write(t, options(300, 5))
	c := load(t, dir)
	wantVaried(t, "newTool in internal/generate/plan.go and renderTool in render.go", map[string]string{
		"UpdatedAt": "decided at publication", "Embedded": "decided at publication", "History": "decided at publication",
		"Review.Markdown.Compressed": "made at publication",
	}, c.Tools)
	wantVaried(t, "planComparisons in internal/generate/pairs.go and renderComparison in render.go",
		map[string]string{"UpdatedAt": "decided at publication"}, c.Comparisons)
	wantVaried(t, "planRetired in internal/generate/pairs.go and renderRetired in render.go", nil, c.Retired)
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
