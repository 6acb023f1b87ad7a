package catalog

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func testService() Service {
	return Service{
		Name: "Palmarès",
		URL:  "https://palmares.example",
		Site: Site{
			Tool:         "https://palmares.example/outils/{slug}",
			Review:       "https://palmares.example/avis/{slug}",
			Alternatives: "https://palmares.example/alternatives/{slug}",
			Comparison:   "https://palmares.example/comparatifs/{slug}",
		},
	}
}

func testCategories() []Category {
	return []Category{{"code", "Code"}, {"image", "Image"}, {"voix", "Voix et son"}, {"vide", "Catégorie sans outil"}}
}

func testEdition(n int64) Edition {
	return Edition{Number: n, ID: "edition", PublishedAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).AddDate(0, 0, int(n))}
}

// tool makes a plain scored tool without a review, changed by the edits.
func tool(slug string, edits ...func(*Tool)) *Tool {
	t := &Tool{
		Slug: slug, Name: "Outil " + slug, Domain: slug + ".example", Category: "code", ICP: Mixed,
		Pricing: Paid, Price: "20 €/mois", Score: Hundredths(700), Verifiability: Hundredths(600),
		Obsolescence: Hundredths(200), Tagline: "Un outil", Tier: 3, UpdatedAt: "2026-01-15",
	}
	for _, edit := range edits {
		edit(t)
	}
	return t
}

func named(name string) func(*Tool)          { return func(t *Tool) { t.Name = name } }
func in(category string) func(*Tool)         { return func(t *Tool) { t.Category = category } }
func tier(n int) func(*Tool)                 { return func(t *Tool) { t.Tier = n } }
func mainstream(t *Tool)                     { t.Mainstream = true }
func unscored(t *Tool)                       { t.Score = 0 }
func score(hundredths int) func(*Tool)       { return func(t *Tool) { t.Score = Hundredths(hundredths) } }
func priced(p Pricing, s string) func(*Tool) { return func(t *Tool) { t.Pricing, t.Price = p, s } }

// reviewed gives the tool a review of one section per text; it comes after named.
func reviewed(texts ...string) func(*Tool) {
	return func(t *Tool) {
		var sections []Section
		for i, text := range texts {
			id := SummaryID
			if i > 0 {
				id = "partie-" + string(rune('0'+i))
			}
			sections = append(sections, Section{ID: id, Heading: "Titre " + id, Text: text})
		}
		t.Review = NewReview(t.Name, sections)
	}
}

func comparison(slug, a, b string, edits ...func(*Comparison)) *Comparison {
	c := &Comparison{Slug: slug, Title: "Match " + slug, ToolA: a, ToolB: b, Winner: a, Note: "Plus sûr.", UpdatedAt: "2026-01-20"}
	for _, edit := range edits {
		edit(c)
	}
	return c
}

func retired(slug string, edits ...func(*Retired)) *Retired {
	r := &Retired{Slug: slug, Name: "Feu " + slug, Category: "code", Reason: Dead, RetiredAt: "2025-06-01", Note: "Fermé."}
	for _, edit := range edits {
		edit(r)
	}
	return r
}

// contents makes a state of the catalog from tools, comparisons and retired tools.
func contents(items ...any) *Contents {
	c := &Contents{Service: testService(), Categories: testCategories()}
	for _, item := range items {
		switch x := item.(type) {
		case *Tool:
			c.Tools = append(c.Tools, x)
		case *Comparison:
			c.Comparisons = append(c.Comparisons, x)
		case *Retired:
			c.Retired = append(c.Retired, x)
		default:
			panic("neither a tool, a comparison nor a retired tool")
		}
	}
	c.Sort()
	return c
}

// whole is the delta from nothing to the contents.
func whole(c *Contents, e Edition) Delta {
	return Delta{
		Edition: e, Service: c.Service, Categories: c.Categories,
		Tools: c.Tools, Comparisons: c.Comparisons, Retired: c.Retired,
	}
}

func snapshotOf(items ...any) *Snapshot {
	return Empty().Apply(whole(contents(items...), testEdition(1)))
}

// clone copies the contents to the last item, so that nothing is shared.
func clone(c *Contents) *Contents {
	out := &Contents{Service: c.Service, Categories: slices.Clone(c.Categories)}
	for _, t := range c.Tools {
		x := *t
		x.History, x.Review.Sections = slices.Clone(t.History), slices.Clone(t.Review.Sections)
		out.Tools = append(out.Tools, &x)
	}
	for _, cmpn := range c.Comparisons {
		x := *cmpn
		out.Comparisons = append(out.Comparisons, &x)
	}
	for _, r := range c.Retired {
		x := *r
		out.Retired = append(out.Retired, &x)
	}
	return out
}

// edited is a deep copy of the contents with the edit made.
func edited(c *Contents, edit func(*Contents)) *Contents {
	out := clone(c)
	edit(out)
	out.Sort()
	return out
}

func slugs(t *testing.T, p Page) []string {
	t.Helper()
	out := []string{}
	for _, d := range p.Items {
		// The slug comes first in every item and is never escaped; decoding all of
		// them would be most of the suite's time.
		after, ok := strings.CutPrefix(string(d.Body), `{"slug":"`)
		slug, _, closed := strings.Cut(after, `"`)
		if !ok || !closed {
			t.Fatalf("no slug first: %s", d.Body)
		}
		out = append(out, slug)
	}
	return out
}

func decode(t *testing.T, body []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(body, into); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, body)
	}
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}

func all(limit int) Paging { return Paging{Page: 1, Limit: limit} }
