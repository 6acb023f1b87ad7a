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
	const named, published = "nothing was renamed yet", "decided at publication"
	wantVaried(t, "newTool in internal/generate/plan.go and \"tool\" in front.go", map[string]string{
		"UpdatedAt": published, "Embedded": published, "History": published, "Formerly": named,
		"Review.Markdown.Compressed": published, "English.Review.Markdown.Compressed": published,
		"English.Tagline.Of": published, "English.Review.Of": published,
	}, c.Tools)
	wantVaried(t, "newComparison in internal/generate/plan.go and \"comparison\" in front.go", map[string]string{
		"UpdatedAt": published, "Formerly": named, "English.Title.Of": published, "English.Note.Of": published,
	}, c.Comparisons)
	wantVaried(t, "newRetired in internal/generate/plan.go and \"retired\" in front.go", map[string]string{
		"Formerly": named, "English.Note.Of": published,
	}, c.Retired)
	for _, x := range c.Categories {
		if x.English.Text == "" {
			t.Errorf("%s has no label in English", x.Slug)
		}
	}
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
