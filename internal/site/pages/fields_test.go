package pages_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/sitetest"
)

// Every field of an item shows on its page, or is meant not to.
func TestPages_ShowEveryField(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, catalog.Empty())
	// page is the page of one of the items, all of which are full.
	page := func(pages address.Page, slug string, change func(*catalog.Tool, *catalog.Comparison, *catalog.Retired)) string {
		tool, retired := catalogtest.Full[catalog.Tool]("plein"), catalogtest.Full[catalog.Retired]("feu")
		comparison := catalogtest.Full[catalog.Comparison]("a-ou-b")
		tool.Review.Markdown = catalog.NewMarkdown("Un avis.")
		of := func(french string) string { return catalog.NewMarkdown(french).Hash } // the English is up to date
		tool.English.Tagline.Of, tool.English.Review.Of = of(tool.Tagline), tool.Review.Markdown.Hash
		tool.English.Review.Markdown = catalog.NewMarkdown("A review.")
		comparison.English.Title.Of, comparison.English.Note.Of = of(comparison.Title), of(comparison.Note)
		retired.English.Note.Of = of(retired.Note)
		change(tool, comparison, retired)
		r.Swap(catalogtest.Snapshot(tool, comparison, retired, catalogtest.Tool("a"), catalogtest.Tool("b"), catalogtest.Tool("c")))
		both := ""
		for _, l := range locale.Languages() {
			got := r.Get(pages.At(l, slug))
			if got.Status != 200 {
				t.Fatalf("%s: %d", pages.At(l, slug), got.Status)
			}
			both += got.Body
		}
		return both
	}
	same := func(*catalog.Tool, *catalog.Comparison, *catalog.Retired) {}
	place := func(edit string, except map[string]string) catalogtest.Place {
		return catalogtest.Place{Lacks: "does not show on its page", Edit: edit, Except: except}
	}

	tool := page(address.Tool, "plein", same)
	catalogtest.WantFields[catalog.Tool](t, place("internal/site/pages/templates/tool.html, with its texts in tool.go", map[string]string{
		"Obsolescence":               "comparisons show it",
		"Keywords.French":            "only a search that found by it shows it",
		"Keywords.English":           "only a search that found by it shows it",
		"Review.Opening":             "the review has it",
		"English.Review.Opening":     "the review has it",
		"Facts.Price.Text":           "for palmares verify",
		"Facts.Score.Text":           "for palmares verify",
		"Facts.Domain.Text":          "for palmares verify",
		"Tier":                       "for the editors",
		"Packages":                   "only a download has them",
		"Formerly":                   "old slugs lead here",
		"Since":                      "a price that has changed shows it",
		"Mainstream":                 "for the editors",
		"Source":                     "for publications",
		"Review.Hash":                "for publications",
		"Review.Sections":            "pages show the review as it was written",
		"Review.Markdown.Compressed": "the text, as it is stored",

		"English.Source":                     "for publications",
		"English.Review.Markdown.Hash":       "for publications",
		"English.Review.Markdown.Compressed": "the text, as it is stored",
	}), func(f catalogtest.Field) bool {
		switch f.Name {
		case "Slug": // in all its links
			return true
		case "Review.Markdown.Compressed", "English.Review.Markdown.Compressed": // it cannot be read
			return false
		}
		return page(address.Tool, "plein", func(t *catalog.Tool, _ *catalog.Comparison, _ *catalog.Retired) { f.Change(t) }) != tool
	})

	comparison := page(address.Comparison, "a-ou-b", same)
	catalogtest.WantFields[catalog.Comparison](t, place("internal/site/pages/templates/comparison.html, with its texts in comparison.go", map[string]string{
		"Source": "for publications", "English.Source": "for publications", "Formerly": "old slugs lead here",
	}), func(f catalogtest.Field) bool {
		return f.Name == "Slug" || page(address.Comparison, "a-ou-b", func(_ *catalog.Tool, c *catalog.Comparison, _ *catalog.Retired) { f.Change(c) }) != comparison
	})

	retired := page(address.Tool, "feu", same)
	catalogtest.WantFields[catalog.Retired](t, place("internal/site/pages/templates/tool.html, with its texts in tool.go", map[string]string{
		"Source": "for publications", "English.Source": "for publications", "Facts.RetiredAt.Text": "for palmares verify",
		"Domain": "only a download has it", "Packages": "only a download has them", "Formerly": "old slugs lead here",
	}), func(f catalogtest.Field) bool {
		return f.Name == "Slug" || page(address.Tool, "feu", func(_ *catalog.Tool, _ *catalog.Comparison, r *catalog.Retired) { f.Change(r) }) != retired
	})
}

// A change of what the API shows of an item is told by the name of the field, on the page of a tool and
// in the journal, and not as a change of details.
func TestChanges_NameEveryField(t *testing.T) {
	t.Parallel()
	const unnamedOnPage, unnamedInJournal = "Fiche revue", "reçoit des retouches"
	r := sitetest.New(t, catalog.Empty())
	contents := func() *catalog.Contents {
		tool, comparison := catalogtest.Full[catalog.Tool]("plein"), catalogtest.Full[catalog.Comparison]("a-ou-b")
		tool.Review.Markdown = catalog.NewMarkdown("Un avis.")
		return catalogtest.Contents(tool, comparison, catalogtest.Tool("a"), catalogtest.Tool("b"), catalogtest.Tool("c"))
	}
	first := catalogtest.First(contents(), catalogtest.Edition(1))
	unnamed := 0
	// named publishes a change, and reports whether all is told by name that the API shows of it.
	named := func(edit func(*catalog.Contents), body func(*catalog.Snapshot) (catalog.Document, bool)) bool {
		next := catalogtest.Amend(first, edit)
		r.Swap(next)
		pages := r.Get("/outils/plein").Body + r.Get("/journal").Body
		hidden := strings.Contains(pages, unnamedOnPage) || strings.Contains(pages, unnamedInJournal)
		if hidden {
			unnamed++
		}
		return !hidden || reflect.DeepEqual(undatedBody(t, first, body), undatedBody(t, next, body))
	}
	catalogtest.WantFields[catalog.Tool](t, catalogtest.Place{
		Lacks: "changes, and pages do not say that it did",
		Edit:  "differences in internal/site/pages/tool_facts.go and changed in journal_changes.go",
	}, func(f catalogtest.Field) bool {
		return f.Name == "Slug" || strings.HasPrefix(f.Name, "Review.Markdown.") || named(func(c *catalog.Contents) {
			f.Change(catalogtest.Find(c, "plein"))
		}, func(s *catalog.Snapshot) (catalog.Document, bool) { return s.ToolJSON("plein") })
	})
	catalogtest.WantFields[catalog.Comparison](t, catalogtest.Place{
		Lacks: "changes, and the journal does not say that it did",
		Edit:  "changed in internal/site/pages/journal_changes.go",

		Except: map[string]string{"ToolB": "its title and its note do"},
	}, func(f catalogtest.Field) bool {
		return f.Name == "Slug" || f.Name == "Draft" || named(func(c *catalog.Contents) {
			f.Change(c.Comparisons[0])
		}, func(s *catalog.Snapshot) (catalog.Document, bool) { return s.ComparisonJSON("a-ou-b") })
	})
	if unnamed == 0 {
		t.Error("no change was told without a name: the texts are others, and the test proves nothing")
	}
}

// undatedBody is what the API says of an item, but for when it changed.
func undatedBody(t *testing.T, s *catalog.Snapshot, body func(*catalog.Snapshot) (catalog.Document, bool)) map[string]any {
	t.Helper()
	d, found := body(s)
	var fields map[string]any
	if err := json.Unmarshal(d.Body, &fields); err != nil || !found {
		t.Fatal(found, err)
	}
	delete(fields, "updated_at")
	return fields
}
