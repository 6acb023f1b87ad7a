package catalog

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
)

// A line is one thing a snapshot can be asked, and its answer.
type line struct{ question, body, tag string }

// transcript asks the snapshot everything: every list in every order, for every
// category and several filters, every item, and the documents about the whole.
func transcript(s *Snapshot) []line {
	var lines []line
	add := func(question string, d Document) { lines = append(lines, line{question, string(d.Body), d.Tag()}) }
	page := func(question string, p Page) {
		add(fmt.Sprintf("%s total=%d pages=%d", question, p.Total, p.Pages()), p.Document())
	}
	bar, low, top := AtLeast(7.5), AtLeast(0), AtMost(3.2)
	filters := []struct{ score, obsolescence Bound }{{}, {score: bar}, {obsolescence: top}, {low, top}}
	categories := []string{"", "code", "image", "voix", "vide", "inconnue"}
	for _, category := range categories {
		for _, order := range ToolOrders() {
			for i, f := range filters {
				page(fmt.Sprint("tools ", category, order, i), s.Tools(ToolQuery{all(200), category, f.score, f.obsolescence, order}))
			}
		}
		page("tools page 2 "+category, s.Tools(ToolQuery{Paging: Paging{2, 7}, Category: category}))
		page("prices "+category, s.Prices(PriceQuery{all(200), category}))
		page("comparisons "+category, s.Comparisons(ComparisonQuery{all(200), category}))
		for _, reason := range append(Reasons(), "") {
			page(fmt.Sprint("cemetery ", category, reason), s.Cemetery(CemeteryQuery{all(200), category, reason}))
		}
	}
	for _, slug := range slices.Sorted(living(s.tools)) {
		item, _ := s.Tool(slug)
		add("tool "+slug, item)
		price, _ := s.Price(slug)
		add("price "+slug, price)
		if doc, err := s.Embeddings(slug); err == nil {
			add("embeddings "+slug, doc)
		}
	}
	for _, slug := range slices.Sorted(living(s.comparisons)) {
		doc, _ := s.Comparison(slug)
		add("comparison "+slug, doc)
	}
	for _, slug := range slices.Sorted(living(s.retired)) {
		r, _ := s.Retired(slug)
		add("retired "+slug, NewDocument(encodeRetired(r)))
	}
	add("categories", s.Categories())
	add("stats", s.Stats())
	add("embeddings set", s.EmbeddingsList())
	add("edition", NewDocument(fmt.Appendf(nil, "%q", fmt.Sprint(s.Edition(), s.Service()))))
	return lines
}

// same reports the first answer that differs.
func same(t *testing.T, what string, got, want []line) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("%s:\n got %s %s\n%s\nwant %s %s\n%s", what, got[i].question, got[i].tag, got[i].body, want[i].question, want[i].tag, want[i].body)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d answers, want %d", what, len(got), len(want))
	}
}

// checkLookups holds that the items found one by one are those of the lists.
func checkLookups(t *testing.T, s *Snapshot, c *Contents) {
	t.Helper()
	for _, x := range c.Tools {
		if _, ok := s.Tool(x.Slug); !ok {
			t.Fatalf("no tool %s", x.Slug)
		}
	}
	for _, x := range c.Comparisons {
		if _, ok := s.Comparison(x.Slug); !ok {
			t.Fatalf("no comparison %s", x.Slug)
		}
	}
	for _, x := range c.Retired {
		if got, ok := s.Retired(x.Slug); !ok || *got != *x {
			t.Fatalf("no retired %s", x.Slug)
		}
	}
	if s.tools.count != len(c.Tools) || s.comparisons.count != len(c.Comparisons) || s.retired.count != len(c.Retired) {
		t.Fatalf("%d tools, %d comparisons, %d retired; want %d, %d, %d",
			s.tools.count, s.comparisons.count, s.retired.count, len(c.Tools), len(c.Comparisons), len(c.Retired))
	}
}

func describe(d Delta) string {
	var b strings.Builder
	for _, x := range d.Tools {
		fmt.Fprintf(&b, " +%s", x.Slug)
	}
	for _, x := range d.Comparisons {
		fmt.Fprintf(&b, " +%s", x.Slug)
	}
	for _, x := range d.Retired {
		fmt.Fprintf(&b, " +†%s", x.Slug)
	}
	for _, gone := range [][]string{d.GoneTools, d.GoneComparisons, d.GoneRetired} {
		fmt.Fprintf(&b, " -%v", gone)
	}
	return b.String()
}

// living gives the slugs of what is there, whichever layer it is in.
func living[E any](x lookup[E]) iter.Seq[string] {
	all := make(map[string]bool)
	for _, layer := range []map[string]*E{x.base, x.recent} {
		for slug := range layer {
			if x.get(slug) != nil {
				all[slug] = true
			}
		}
	}
	return maps.Keys(all)
}
