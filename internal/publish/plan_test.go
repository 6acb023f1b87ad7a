package publish_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/publish"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func copyDir(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

func planTool(slug, name, price string, score int) *catalog.Tool {
	return &catalog.Tool{
		Slug: slug, Name: name, Domain: slug + ".example", Category: "code", ICP: catalog.Mixed,
		Pricing: catalog.Paid, Price: price, Score: catalog.Hundredths(score), Tagline: "Un outil", Tier: 3,
	}
}

func planService() catalog.Service {
	return catalog.Service{Name: "Palmarès", URL: "https://palmares.example", Site: catalog.Site{
		Tool: "https://palmares.example/{slug}", Review: "https://palmares.example/avis/{slug}",
		Alternatives: "https://palmares.example/alternatives/{slug}", Comparison: "https://palmares.example/duels/{slug}",
	}}
}

func planBefore() *catalog.Contents {
	change := planTool("change", "Change", "10 €/mois", 750)
	change.Review = catalog.NewReview("Change", []catalog.Section{{ID: "resume", Heading: "Résumé", Text: "Avant."}})
	lost := planTool("perd-son-avis", "Perd son avis", "10 €/mois", 500)
	lost.Review = change.Review
	return sorted(&catalog.Contents{
		Service:    planService(),
		Categories: []catalog.Category{{Slug: "code", Label: "Code"}},
		Tools: []*catalog.Tool{
			change, lost, planTool("modele", "Modèle", "10 €/mois", 600), planTool("retraite", "Retraité", "10 €/mois", 600),
			planTool("efface", "Effacé", "10 €/mois", 600), planTool("stable", "Stable", "10 €/mois", 600),
		},
		Comparisons: []*catalog.Comparison{
			{Slug: "duel", Title: "Change ou Modèle", ToolA: "change", ToolB: "modele", Winner: "change", Note: "Plus juste."},
			{Slug: "fini", Title: "Modèle ou Stable", ToolA: "modele", ToolB: "stable", Winner: "stable", Note: "Plus sûr."},
		},
		Retired: []*catalog.Retired{
			{Slug: "feu", Name: "Feu", Category: "code", Reason: catalog.Dead, RetiredAt: "2026-01-01", Note: "Fermé."},
			{Slug: "revient", Name: "Revient", Category: "code", Reason: catalog.Pivoted, RetiredAt: "2026-01-01", Note: "Fermé."},
		},
		Files: []*catalog.OperatorFile{
			catalog.NewOperatorFile("conditions.md", "Avant."), catalog.NewOperatorFile("logo.svg", "<svg/>"),
			catalog.NewOperatorFile("mentions-legales.md", "Toujours."),
		},
	})
}

func planAfter() *catalog.Contents {
	c := planBefore()
	bySlug := map[string]*catalog.Tool{}
	for _, t := range c.Tools {
		bySlug[t.Slug] = t
	}
	c.Service.Name = "Le Palmarès"
	c.Files = []*catalog.OperatorFile{
		catalog.NewOperatorFile("conditions.md", "Après."), catalog.NewOperatorFile("mentions-legales.md", "Toujours."),
		catalog.NewOperatorFile("theme.css", ""),
	}
	c.Incidents = []catalog.Incident{{Title: catalog.Localized{French: "Panne"}}}
	c.Categories = append(c.Categories, catalog.Category{Slug: "voix", Label: "Voix"})
	change := bySlug["change"]
	change.Price, change.Score, change.Tier = "199,90 €/an", catalog.Hundredths(825), 1
	change.Verifiability = catalog.Hundredths(700)
	change.Tagline = strings.Repeat("Une accroche bien trop longue pour une ligne. ", 2)
	change.Review = catalog.NewReview("Change", []catalog.Section{{ID: "resume", Heading: "Résumé", Text: "Après."}})
	bySlug["modele"].Pricing = catalog.Freemium
	bySlug["perd-son-avis"].Review = catalog.Review{}
	bySlug["stable"].Review = catalog.NewReview("Stable", change.Review.Sections)
	untested := planTool("neuf", "Neuf", "0 €/mois", 1)
	untested.Score = catalog.Measure{}
	c.Tools = []*catalog.Tool{
		change, bySlug["modele"], bySlug["perd-son-avis"], bySlug["stable"], untested, planTool("revient", "Revient", "5 €/mois", 700),
	}
	c.Comparisons[0].Note = "Plus juste, et moins cher."
	c.Comparisons[1].Draft = true
	c.Comparisons = append(c.Comparisons, &catalog.Comparison{Slug: "neuf-duel", Title: "Change ou Stable", ToolA: "change", ToolB: "stable", Winner: "stable", Note: "Net."})
	c.Retired = []*catalog.Retired{
		{Slug: "feu", Name: "Feu", Category: "code", Reason: catalog.Acquired, RetiredAt: "2026-01-01", Note: "Fermé."},
		{Slug: "retraite", Name: "Retraité", Category: "code", Reason: catalog.Absorbed, RetiredAt: "2026-02-01", Note: "Fermé."},
	}
	return sorted(c)
}

func sorted(c *catalog.Contents) *catalog.Contents { c.Sort(); return c }

// crowd is the plan's worth of n tools that all change their price.
func crowd(n int, price string) *catalog.Contents {
	c := &catalog.Contents{Service: planService(), Categories: []catalog.Category{{Slug: "code", Label: "Code"}}}
	for i := range n {
		c.Tools = append(c.Tools, planTool(fmt.Sprintf("outil-%02d", i), fmt.Sprint("Outil ", i), price, 500))
	}
	return sorted(c)
}

func TestPlans(t *testing.T) {
	t.Parallel()
	named := planBefore()
	named.Service.Name = "Autre"
	drafts := planBefore()
	drafts.Comparisons = append(drafts.Comparisons, &catalog.Comparison{Slug: "a-venir", Title: "À venir", ToolA: "change", ToolB: "stable", Winner: "stable", Draft: true})
	drafts.Tools[0].Mainstream = true
	diff := func(a, b *catalog.Contents) catalog.Changes { return catalog.Diff(a, sorted(b), "2026-03-01") }

	jumps := crowd(7, "10 €/mois")
	for i, price := range []string{"51 €/mois", "50 €/mois", "1,99 €/mois", "2 €/mois", "601 €/an", "99 €/siège", "0 €/mois"} {
		jumps.Tools[i].Price = price
	}

	for _, c := range []struct {
		golden  string
		changes catalog.Changes
		style   publish.Style
	}{
		{"jumps", diff(crowd(7, "10 €/mois"), jumps), publish.Style{Most: 1}},
		{"first", diff(&catalog.Contents{}, planBefore()), publish.Style{}},
		{"everything", diff(planBefore(), planAfter()), publish.Style{}},
		{"everything-colour", diff(planBefore(), planAfter()), publish.Style{Color: true}},
		{"cut", diff(crowd(7, "10 €/mois"), crowd(7, "12 €/mois")), publish.Style{Most: 3}},
		{"not-cut", diff(crowd(3, "10 €/mois"), crowd(3, "12 €/mois")), publish.Style{Most: 3}},
		{"service-only", diff(planBefore(), named), publish.Style{}},
		{"one-draft", diff(planBefore(), drafts), publish.Style{}},
		{"nothing", diff(planBefore(), planBefore()), publish.Style{}},
		{"nothing-colour", diff(planBefore(), planBefore()), publish.Style{Color: true}},
	} {
		t.Run(c.golden, func(t *testing.T) {
			t.Parallel()
			var got bytes.Buffer
			if err := publish.Print(&got, c.changes, c.style); err != nil {
				t.Fatal(err)
			}
			if !c.style.Color && bytes.ContainsRune(got.Bytes(), '\x1b') {
				t.Error("colour where none was asked for")
			}
			file := filepath.Join("testdata", c.golden+".golden")
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("got\n%s\nwant\n%s", got.Bytes(), want)
			}
		})
	}
}

// The colours are all that differs.
func TestColourChangesNoWord(t *testing.T) {
	t.Parallel()
	changes := catalog.Diff(planBefore(), planAfter(), "2026-03-01")
	var plain, colour bytes.Buffer
	if err := errors.Join(publish.Print(&plain, changes, publish.Style{}), publish.Print(&colour, changes, publish.Style{Color: true})); err != nil {
		t.Fatal(err)
	}
	bare := colour.String()
	for _, code := range []string{"0", "1", "2", "31", "32", "33", "36"} {
		bare = strings.ReplaceAll(bare, "\x1b["+code+"m", "")
	}
	if bare != plain.String() {
		t.Errorf("without its colours:\n%s\nplain:\n%s", bare, plain.String())
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestAPlanThatCannotBePrinted(t *testing.T) {
	t.Parallel()
	for _, next := range []*catalog.Contents{planAfter(), planBefore()} {
		if err := publish.Print(full{}, catalog.Diff(planBefore(), next, "2026-03-01"), publish.Style{}); !errors.Is(err, os.ErrClosed) {
			t.Errorf("the error is %v", err)
		}
	}
}
