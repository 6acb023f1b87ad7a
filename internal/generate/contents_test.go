package generate_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/generate"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// What is made in memory is what files say, but for their long texts.
func TestContents_AreThoseOfTheFiles(t *testing.T) {
	t.Parallel()
	dir, _ := write(t, options(120, 5))
	want := load(t, dir)
	got, err := generate.Contents(t.Context(), options(120, 5))
	testkit.Must(t, err)
	for _, c := range []*catalog.Contents{want, got} {
		for _, x := range c.Tools {
			x.Source, x.Review, x.English = "", catalog.Review{}, catalog.ToolEnglish{Tagline: x.English.Tagline}
		}
		for _, x := range c.Comparisons {
			x.Source, x.Note, x.English = "", "", catalog.ComparisonEnglish{Title: x.English.Title}
		}
		for _, x := range c.Retired {
			x.Source, x.Note, x.English = "", "", catalog.RetiredEnglish{}
		}
	}
	testkit.Equal(t, "categories", got.Categories, want.Categories)
	testkit.Equal(t, "tools", got.Tools, want.Tools)
	testkit.Equal(t, "comparisons", got.Comparisons, want.Comparisons)
	testkit.Equal(t, "retired", got.Retired, want.Retired)
}
