package site_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
)

// Every field of an item shows on its page, or is meant not to.
func TestPages_ShowEveryField(t *testing.T) {
	t.Parallel()
	r := newReader(t, catalog.Empty())
	// page is the page of one of the items, all of which are full.
	page := func(path string, change func(*catalog.Tool, *catalog.Comparison, *catalog.Retired)) string {
		tool, retired := catalogtest.Full[catalog.Tool]("plein"), catalogtest.Full[catalog.Retired]("feu")
		comparison := catalogtest.Full[catalog.Comparison]("a-ou-b")
		tool.Review.Markdown = catalog.NewMarkdown("Un avis.")
		change(tool, comparison, retired)
		r.swap(catalogtest.Snapshot(tool, comparison, retired, catalogtest.Tool("a"), catalogtest.Tool("b"), catalogtest.Tool("c")))
		got := r.get(path)
		if got.Status != 200 {
			t.Fatalf("%s: %d", path, got.Status)
		}
		return got.Body
	}
	same := func(*catalog.Tool, *catalog.Comparison, *catalog.Retired) {}
	place := func(edit string, except map[string]string) catalogtest.Place {
		return catalogtest.Place{Lacks: "does not show on its page", Edit: edit, Except: except}
	}

	tool := page("/outils/plein", same)
	catalogtest.WantFields[catalog.Tool](t, place("internal/site/templates/tool.html, with its texts in tool.go", map[string]string{
		"Obsolescence":               "comparisons show it",
		"Tier":                       "for the editors",
		"Mainstream":                 "for the editors",
		"Source":                     "for publications",
		"Review.Hash":                "for publications",
		"Review.Sections":            "pages show the review as it was written",
		"Review.Markdown.Hash":       "for publications",
		"Review.Markdown.Compressed": "the text, as it is stored",
	}), func(f catalogtest.Field) bool {
		switch f.Name {
		case "Slug": // in all its links
			return true
		case "Review.Markdown.Compressed": // it cannot be read
			return false
		}
		return page("/outils/plein", func(t *catalog.Tool, _ *catalog.Comparison, _ *catalog.Retired) { f.Change(t) }) != tool
	})

	comparison := page("/comparatifs/a-ou-b", same)
	catalogtest.WantFields[catalog.Comparison](t, place("internal/site/templates/comparison.html, with its texts in comparison.go", map[string]string{
		"Source": "for publications",
	}), func(f catalogtest.Field) bool {
		return f.Name == "Slug" || page("/comparatifs/a-ou-b", func(_ *catalog.Tool, c *catalog.Comparison, _ *catalog.Retired) { f.Change(c) }) != comparison
	})

	retired := page("/outils/feu", same)
	catalogtest.WantFields[catalog.Retired](t, place("internal/site/templates/tool.html, with its texts in tool.go", map[string]string{
		"Source": "for publications",
	}), func(f catalogtest.Field) bool {
		return f.Name == "Slug" || page("/outils/feu", func(_ *catalog.Tool, _ *catalog.Comparison, r *catalog.Retired) { f.Change(r) }) != retired
	})
}
