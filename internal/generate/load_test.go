package generate_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/generate"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// load reads a catalog as a publication does and wants no fault, not even a warning.
func load(t *testing.T, dir string) *catalog.Contents {
	t.Helper()
	result, err := content.Load(t.Context(), dir, content.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, fault := range result.Faults {
		if i == 5 {
			t.Fatalf("and %d more faults", len(result.Faults)-i)
		}
		t.Errorf("%v", fault)
	}
	return result.Contents
}

func TestGeneratedCatalogHasNoFaults(t *testing.T) {
	t.Parallel()
	if testkit.Raced {
		t.Skip("it computes and shares nothing")
	}
	dir, sum := write(t, options(1000, 3))
	contents := load(t, dir)
	if len(contents.Tools) != sum.Tools || len(contents.Comparisons) != sum.Comparisons ||
		len(contents.Retired) != sum.Retired || len(contents.Categories) != sum.Categories {
		t.Errorf("loaded %d tools, %d comparisons, %d retired, %d categories of %+v",
			len(contents.Tools), len(contents.Comparisons), len(contents.Retired), len(contents.Categories), sum)
	}
	tools := map[string]*catalog.Tool{}
	names := map[string]bool{}
	reviewed, scored, english := 0, 0, 0
	for _, tool := range contents.Tools {
		tools[tool.Slug] = tool
		names[tool.Name] = true
		if tool.Review.Exists() {
			reviewed++
			if tool.English.Review.Exists() {
				english++
			}
			if n := len(tool.Review.Sections); n < 4 || n > 7 { // with the summary
				t.Errorf("%s: review of %d sections", tool.Slug, n)
			}
		}
		if tool.Score.Known {
			scored++
		} else if tool.Verifiability.Known || tool.Review.Exists() {
			t.Errorf("%s: no score, but a verifiability or a review", tool.Slug)
		}
	}
	if len(names) != len(tools) {
		t.Errorf("%d names for %d tools", len(names), len(tools))
	}
	if reviewed != sum.Reviewed || scored != sum.Scored {
		t.Errorf("%d reviewed and %d scored tools, summary says %+v", reviewed, scored, sum)
	}
	if english < reviewed/4 || english > reviewed*2/5 {
		t.Errorf("%d of %d reviews are in English too", english, reviewed)
	}
	drafts := 0
	for _, c := range contents.Comparisons {
		if c.Draft {
			drafts++
		}
		winner, loser := tools[c.ToolA], tools[c.ToolB]
		if c.Winner == c.ToolB {
			winner, loser = loser, winner
		}
		if winner.Score.Hundredths < loser.Score.Hundredths {
			t.Errorf("%s: %s wins with the lower score", c.Slug, c.Winner)
		}
	}
	if drafts != sum.Drafts {
		t.Errorf("%d drafts, summary says %d", drafts, sum.Drafts)
	}
	for _, r := range contents.Retired {
		if r.RetiredAt <= "2021-10-31" || r.RetiredAt >= "2026-11-01" {
			t.Errorf("%s: retired on %s", r.Slug, r.RetiredAt)
		}
	}
}

func TestMutatedCatalogHasNoFaults(t *testing.T) {
	t.Parallel()
	if testkit.Raced {
		t.Skip("it computes and shares nothing")
	}
	dir, _ := write(t, options(500, 4))
	for seed := range uint64(20) {
		mutate(t, dir, generate.MutateOptions{Tools: 400, Seed: seed})
	}
	load(t, dir)
}

func TestSmallCatalogsHaveNoFaults(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		for tools := 1; tools <= 9; tools++ {
			dir, _ := write(t, options(tools, seed))
			load(t, dir)
		}
	}
}
