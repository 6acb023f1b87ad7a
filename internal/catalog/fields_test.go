package catalog_test

import (
	"fmt"
	"testing"

	. "github.com/palmares-hq/palmares/internal/catalog"
	build "github.com/palmares-hq/palmares/internal/catalogtest"
)

// around is a catalog of a tool, a comparison and a retired tool, with the tools that the comparison needs.
func around(t *Tool, c *Comparison, r *Retired) *Contents {
	return build.Contents(t, c, r, build.Tool("a"), build.Tool("b"), build.Tool("c"))
}

func fullContents() *Contents {
	return around(build.Full[Tool]("plein"), build.Full[Comparison]("a-ou-b"), build.Full[Retired]("feu"))
}

// differ tells how publishing contents with another value of one field changes each kind of item.
func differ(t *testing.T, change func(*Tool, *Comparison, *Retired)) Changes {
	t.Helper()
	tool, comparison, retired := build.Full[Tool]("plein"), build.Full[Comparison]("a-ou-b"), build.Full[Retired]("feu")
	change(tool, comparison, retired)
	return Diff(fullContents(), around(tool, comparison, retired), "2026-03-01")
}

// A change of any field is published. A field that Diff does not look at would be published only when
// another changes.
func TestDiff_NoticesEveryField(t *testing.T) {
	t.Parallel()
	const lacks = "can change without being published"
	if changes := differ(t, func(*Tool, *Comparison, *Retired) {}); !changes.Empty() {
		t.Fatalf("without a change: %+v", changes)
	}
	build.WantFields[Tool](t, build.Place{
		Lacks: lacks, Edit: "toolFields in internal/catalog/fields.go: a line among the visible or the hidden fields",
		Except: map[string]string{
			"Slug":                       "another slug is another tool",
			"Source":                     "the bytes of a file are not published",
			"UpdatedAt":                  "decided by Diff",
			"Embedded":                   "decided by Diff",
			"History":                    "decided by Diff",
			"Review.Sections":            "the hash covers them",
			"Review.Markdown.Text":       "the hash covers it",
			"Review.Markdown.Compressed": "the hash covers it",

			"English.Source":                     "the bytes of a file are not published",
			"English.Tagline.Of":                 "decided by Diff",
			"English.Review.Of":                  "decided by Diff",
			"English.Review.Markdown.Text":       "the hash covers it",
			"English.Review.Markdown.Compressed": "the hash covers it",
		},
	}, func(f build.Field) bool {
		if f.Name == "Slug" {
			return false
		}
		changes := differ(t, func(tool *Tool, _ *Comparison, _ *Retired) { f.Change(tool) })
		return len(changes.Tools) == 1 && len(changes.Tools[0].Fields) > 0 && len(changes.Sources.Tools) == 0
	})
	build.WantFields[Comparison](t, build.Place{
		Lacks: lacks, Edit: "comparisonFields in internal/catalog/diff.go",
		Except: map[string]string{
			"Slug":             "another slug is another comparison",
			"Source":           "the bytes of a file are not published",
			"UpdatedAt":        "decided by Diff",
			"English.Source":   "the bytes of a file are not published",
			"English.Title.Of": "decided by Diff",
			"English.Note.Of":  "decided by Diff",
		},
	}, func(f build.Field) bool {
		if f.Name == "Slug" {
			return false
		}
		return len(differ(t, func(_ *Tool, c *Comparison, _ *Retired) { f.Change(c) }).Comparisons) == 1
	})
	build.WantFields[Retired](t, build.Place{
		Lacks: lacks, Edit: "diffRetired in internal/catalog/diff.go",
		Except: map[string]string{
			"Slug":            "another slug is another tool",
			"Source":          "the bytes of a file are not published",
			"English.Source":  "the bytes of a file are not published",
			"English.Note.Of": "decided by Diff",
		},
	}, func(f build.Field) bool {
		if f.Name == "Slug" {
			return false
		}
		return len(differ(t, func(_ *Tool, _ *Comparison, r *Retired) { f.Change(r) }).Retired) == 1
	})
}

// Every field of an item shows in what the API says of it, or is meant not to.
func TestWire_HasEveryField(t *testing.T) {
	t.Parallel()
	const lacks = "is not on the wire"
	// says is all that the API says of the contents, but for what names items by their slug.
	says := func(change func(*Tool, *Comparison, *Retired)) string {
		tool, comparison, retired := build.Full[Tool]("plein"), build.Full[Comparison]("a-ou-b"), build.Full[Retired]("feu")
		change(tool, comparison, retired)
		s := Empty().Apply(build.Whole(around(tool, comparison, retired), build.Edition(1)))
		body := func(d Document, _ any) string { return string(d.Body) }
		one := Paging{Page: 1, Limit: 10}
		return fmt.Sprint(
			body(s.ToolJSON(tool.Slug)), body(s.FactsJSON(tool.Slug)), body(s.HistoryJSON(tool.Slug, "")), body(s.FactsJSON(retired.Slug)), body(s.PriceJSON(tool.Slug)), body(s.EmbeddingsListJSON(), nil),
			embeddings(s, tool.Slug), body(s.ComparisonJSON(comparison.Slug)),
			body(s.ComparisonsJSON(ComparisonQuery{Paging: one}).Document(), nil),
			body(s.CemeteryJSON(CemeteryQuery{Paging: one}).Document(), nil))
	}
	same := says(func(*Tool, *Comparison, *Retired) {})
	build.WantFields[Tool](t, build.Place{
		Lacks: lacks, Edit: "encodeTool in internal/catalog/encode.go or encodeFacts in facts.go, in the order of internal/api/openapi.yaml",
		Except: build.Except[Tool](map[string]string{
			"Obsolescence":               "only a filter of the API",
			"Tier":                       "for the editors",
			"Packages":                   "only a download has them",
			"Formerly":                   "old slugs lead to the new one",
			"Mainstream":                 "for the editors",
			"Keywords.French":            "only search knows them",
			"Keywords.English":           "only search knows them",
			"Review.Opening":             "only search knows it",
			"Tested.By":                  "only pages show it",
			"Tested.On":                  "only pages show it",
			"Facts.Price.Text":           "for palmares verify",
			"Facts.Score.Text":           "for palmares verify",
			"Facts.Domain.Text":          "for palmares verify",
			"Source":                     "for publications",
			"Since":                      "the history begins on it",
			"Next.Source":                "the event price.announced has it",
			"Review.Markdown.Hash":       "only pages show the review as it was written",
			"Review.Markdown.Text":       "only pages show the review as it was written",
			"Review.Markdown.Compressed": "only pages show the review as it was written",
		}, "English", "the API is French"),
	}, func(f build.Field) bool {
		return says(func(t *Tool, _ *Comparison, _ *Retired) { f.Change(t) }) != same
	})
	build.WantFields[Comparison](t, build.Place{
		Lacks: lacks, Edit: "encodeComparison or encodeComparisonItem in internal/catalog/encode.go, and comparisonEvent in event.go",
		Except: build.Except[Comparison](map[string]string{"Source": "for publications", "Draft": "drafts are not published", "Formerly": "old slugs lead to the new one"}, "English", "the API is French"),
	}, func(f build.Field) bool {
		return says(func(_ *Tool, c *Comparison, _ *Retired) { f.Change(c) }) != same
	})
	build.WantFields[Retired](t, build.Place{
		Lacks: lacks, Edit: "encodeRetired in internal/catalog/encode.go",
		Except: build.Except[Retired](map[string]string{"Source": "for publications", "Category": "only a filter of the API", "Facts.RetiredAt.Text": "for palmares verify", "Domain": "only a download has it", "Packages": "only a download has them", "Formerly": "old slugs lead to the new one"}, "English", "the API is French"),
	}, func(f build.Field) bool {
		return says(func(_ *Tool, _ *Comparison, r *Retired) { f.Change(r) }) != same
	})
}

func embeddings(s *Snapshot, slug string) string {
	d, err := s.EmbeddingsJSON(slug)
	return fmt.Sprint(string(d.Body), err)
}

// A field of a file that FileFields does not look at can be taken back by a stale checkout without a word.
func TestFileFields_NoticeEveryField(t *testing.T) {
	t.Parallel()
	const lacks = "can be taken back unnoticed"
	build.WantFields[Comparison](t, build.Place{
		Lacks: lacks, Edit: "(*Comparison).FileFields in internal/catalog/fields.go",
		Except: map[string]string{
			"Slug":              "the name of the file",
			"Source":            "the bytes of the file",
			"Draft":             "a draft is not published",
			"UpdatedAt":         "decided by Diff",
			"English.Source":    "the bytes of another file",
			"English.Title.Of":  "decided by Diff",
			"English.Note.Text": "in another file",
			"English.Note.Of":   "decided by Diff",
		},
	}, func(f build.Field) bool {
		changed := build.Full[Comparison]("a-ou-b")
		f.Change(changed)
		return len(build.Full[Comparison]("a-ou-b").FileFields(changed)) > 0
	})
	build.WantFields[Service](t, build.Place{
		Lacks: lacks, Edit: "Service.FileFields in internal/catalog/fields.go",
	}, func(f build.Field) bool {
		full := Service{Words: Words{Unsigned: true, Pro: Pro{NoSupport: true}}}
		changed := full
		f.Change(&changed)
		return len(full.FileFields(changed)) > 0
	})
}
