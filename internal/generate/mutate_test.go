package generate_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/generate"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func mutate(t testing.TB, dir string, o generate.MutateOptions) generate.MutateSummary {
	t.Helper()
	sum, err := generate.Mutate(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func TestMutateChangesAsManyToolsAsAsked(t *testing.T) {
	t.Parallel()
	dir, _ := write(t, options(400, 5))
	before := hashes(t, dir)
	sum := mutate(t, dir, generate.MutateOptions{Tools: 150, Seed: 2})

	diff := differing(before, hashes(t, dir))
	if len(diff) != 150 || sum.Tools != 150 {
		t.Errorf("%d files changed, summary says %d, want 150", len(diff), sum.Tools)
	}
	for _, name := range diff {
		if filepath.Dir(name) != "tools" {
			t.Errorf("%s changed", name)
		}
	}
	for what, n := range map[string]int{
		"prices": sum.Prices, "scores": sum.Scores, "taglines": sum.Taglines, "reviews": sum.Reviews,
	} {
		if n < 10 {
			t.Errorf("only %d %s changed", n, what)
		}
	}
}

func TestMutateIsReproducible(t *testing.T) {
	t.Parallel()
	one, _ := write(t, options(200, 5))
	two, _ := write(t, options(200, 5))
	for seed := range uint64(3) { // again and again, as a benchmark does
		o := generate.MutateOptions{Tools: 60, Seed: seed}
		mutate(t, one, o)
		mutate(t, two, o)
		if diff := differing(hashes(t, one), hashes(t, two)); len(diff) > 0 {
			t.Fatalf("seed %d: files differ: %v", seed, diff)
		}
	}
}

// What Mutate writes is published without a flag: no price moves as far as a slip does.
func TestMutatedPricesDoNotJump(t *testing.T) {
	t.Parallel()
	if testkit.Raced {
		t.Skip("it computes and shares nothing")
	}
	dir, _ := write(t, options(300, 5))
	prices := func() map[string]catalog.Price {
		r, err := content.Load(t.Context(), dir, content.Options{})
		if err != nil || r.HasErrors() {
			t.Fatal(err, r.Faults)
		}
		found := make(map[string]catalog.Price)
		for _, tool := range r.Contents.Tools {
			found[tool.Slug], _ = catalog.ParsePrice(tool.Price)
		}
		return found
	}
	before, moved := prices(), 0
	for seed := range uint64(4) {
		mutate(t, dir, generate.MutateOptions{Tools: 300, Seed: seed})
		after := prices()
		for slug, price := range after {
			if price != before[slug] {
				moved++
			}
			if before[slug].Jumps(price) {
				t.Errorf("the price of %s jumps from %s to %s", slug, before[slug], price)
			}
		}
		before = after
	}
	if moved < 100 {
		t.Errorf("only %d prices moved", moved)
	}
}

// A price that is far from all that are drawn stays.
func TestMutateLeavesAFarPriceAlone(t *testing.T) {
	t.Parallel()
	dir, _ := write(t, options(1, 1))
	files, err := filepath.Glob(filepath.Join(dir, "tools", "*.md"))
	if err != nil || len(files) != 1 {
		t.Fatal(err, files)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	far := regexp.MustCompile(`(?m)^(pricing|price): .*$`).ReplaceAllStringFunc(string(text), func(line string) string {
		if strings.HasPrefix(line, "pricing") {
			return "pricing: payant"
		}
		return `price: "90000 €/mois"`
	})
	if err := os.WriteFile(files[0], []byte(far), 0o600); err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(8) {
		if sum := mutate(t, dir, generate.MutateOptions{Tools: 1, Seed: seed}); sum.Prices != 0 || sum.Tools != 1 {
			t.Errorf("seed %d: %+v", seed, sum)
		}
	}
}

func TestMutateRefuses(t *testing.T) {
	t.Parallel()
	dir, _ := write(t, options(5, 1))
	if _, err := generate.Mutate(t.Context(), dir, generate.MutateOptions{Tools: 6}); err == nil {
		t.Error("6 of 5 tools were changed")
	}
	if _, err := generate.Mutate(t.Context(), t.TempDir(), generate.MutateOptions{}); err == nil {
		t.Error("an empty directory was taken for a catalog")
	}
	path := filepath.Join(dir, "tools", "zz.md")
	if err := os.WriteFile(path, []byte("---\nname: Zz\ncategory: autre\n---\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := generate.Mutate(t.Context(), dir, generate.MutateOptions{Tools: 6})
	if err == nil || !strings.Contains(err.Error(), "zz.md") {
		t.Errorf("got %v, want an error that names zz.md", err)
	}
}
