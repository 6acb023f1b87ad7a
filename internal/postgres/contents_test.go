package postgres_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
)

func service() catalog.Service {
	return catalog.Service{
		Name: "Palmarès", URL: "https://palmares.example",
		Site: catalog.Site{
			Tool: "https://palmares.example/outils/{slug}", Review: "https://palmares.example/avis/{slug}",
			Alternatives: "https://palmares.example/alternatives/{slug}", Comparison: "https://palmares.example/duels/{slug}",
		},
	}
}

func contents(tools ...*catalog.Tool) *catalog.Contents {
	return &catalog.Contents{
		Service:    service(),
		Categories: []catalog.Category{{Slug: "voix", Label: "Voix"}, {Slug: "code", Label: "Code & « scripts »"}},
		Tools:      tools,
	}
}

type edit func(*catalog.Tool)

func tool(slug string, edits ...edit) *catalog.Tool {
	t := &catalog.Tool{
		Slug: slug, Name: strings.ToUpper(slug[:1]) + slug[1:], Domain: slug + ".example", Category: "code",
		ICP: catalog.Mixed, Pricing: catalog.Paid, Price: "10 €/mois", Tagline: "Un outil", Tier: 3,
		Source: "digest-" + slug,
	}
	for _, e := range edits {
		e(t)
	}
	return t
}

func priced(p catalog.Pricing, price string) edit {
	return func(t *catalog.Tool) { t.Pricing, t.Price = p, price }
}

func scored(hundredths int) edit {
	return func(t *catalog.Tool) { t.Score = catalog.Hundredths(hundredths) }
}

func tagline(s string) edit { return func(t *catalog.Tool) { t.Tagline = s } }

func reviewed(texts ...string) edit {
	return func(t *catalog.Tool) {
		var sections []catalog.Section
		for i, text := range texts {
			id := string(rune('a' + i))
			sections = append(sections, catalog.Section{ID: id, Heading: "Titre « " + id + " »", Text: text})
		}
		t.Review = catalog.NewReview(t.Name, sections)
	}
}

// embeddable gives what the embeddings set asks for.
func embeddable(hundredths int) edit {
	return func(t *catalog.Tool) {
		t.Tier, t.Score, t.Verifiability = 1, catalog.Hundredths(hundredths), catalog.Hundredths(700)
		if !t.Review.Exists() {
			reviewed("Le texte de " + t.Slug)(t)
		}
	}
}

func versus(slug, a, b string) *catalog.Comparison {
	return &catalog.Comparison{Slug: slug, Title: a + " ou " + b, ToolA: a, ToolB: b, Winner: b, Note: "Plus juste.", Source: "digest-" + slug}
}

func grave(slug string, reason catalog.Reason) *catalog.Retired {
	return &catalog.Retired{
		Slug: slug, Name: slug, Category: "voix", Reason: reason, RetiredAt: "2025-12-31", Note: "Fermé.", Source: "digest-" + slug,
	}
}

// render is a value as text, every field of it, nil told from empty.
func render(t *testing.T, x any) string {
	t.Helper()
	b, err := json.MarshalIndent(x, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// wantSame compares by render and shows the first lines that differ.
func wantSame(t *testing.T, what string, got, want any) {
	t.Helper()
	g, w := strings.Split(render(t, got), "\n"), strings.Split(render(t, want), "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			near := func(lines []string) string {
				return strings.Join(lines[min(max(0, i-6), len(lines)):min(i+3, len(lines))], "\n")
			}
			t.Fatalf("%s differ at line %d:\n got\n%s\nwant\n%s", what, i+1, near(g), near(w))
		}
	}
}
